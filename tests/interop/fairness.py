"""Which contract cases another server can be held to, and what of their expectations.

A case counts where it asks the tree that every server serves at `/`, and where its rule is an RFC's, not servery's
own. Of its expectation only that remains which the RFC demands: see `demanded`. What a clause leaves open in a
single case stands in choices.json, with the words that leave it open.
"""

import json
import pathlib
import re
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "contract"))

import expectation  # noqa: E402
import run  # noqa: E402

CASES = HERE.parent / "contract" / "cases"
PLAIN_ROUTE = {"path": "/", "static": {"root": "$SITE"}}
KEYS_OF_ALL = {"hosts", "routes"}
# Fields that are a server's choice wherever they stand (RFC 9110 8.6, 14.3, 12.5.5; RFC 9111 5.2).
FREE_FIELDS = {"accept-ranges", "cache-control", "x-content-type-options", "content-security-policy",
               "connection"}


def choices():
    return json.loads((HERE / "choices.json").read_text(encoding="utf-8"))


def target_of(case):
    if "request" in case:
        return case["request"].get("target", "/")
    raw = case["raw"]
    return "".join(raw).split(" ")[1]


def reaches_plain_route(case, routes):
    """Whether `/` answers it, and not a route behind a longer path."""
    path = target_of(case)
    longer = [route["path"] for route in routes if route != PLAIN_ROUTE]
    return not any(re.match(re.escape(prefix) + r"(?:[/?]|$)", path) for prefix in longer)


def demanded(expected, negotiated):
    """What of an expectation binds every server: no field that is a choice, no text of an error page, of a media
    type the type alone, of an entity tag that there is one. Vary counts where codings are negotiated."""
    kept = {key: value for key, value in expected.items() if key not in ("headers", "only_headers")}
    statuses = kept["status"] if isinstance(kept["status"], list) else [kept["status"]]
    is_error = min(statuses) >= 400
    if is_error:
        for key in ("body", "body_bytes", "body_sha256"):
            if kept.get(key) != "":
                kept.pop(key, None)
    headers = {}
    for name, value in expected.get("headers", {}).items():
        if name in FREE_FIELDS or (name == "vary" and not negotiated):
            continue
        if name == "content-length" and (is_error or kept["status"] == 304):
            continue
        headers[name] = value
    return {**kept, "headers": headers}


def field_problem(name, wanted, values):
    """As the contract compares, but for what may be written in other ways. What came, where it is not that."""
    if not values and (wanted is None or name == "content-length"):
        return None  # the end of a body may be told in other ways; it has been read
    if wanted is not None and len(values) == 1:
        value, wanted = comparable(name, wanted, values[0])
        if expectation.field_problem(name, wanted, [value]) is None:
            return None
    return f"{name}: {', '.join(values)}" if values else f"no {name}"


def comparable(name, wanted, value):
    if name == "etag":
        return value, '/^(W/)?".+"$/'
    if name == "vary" and "accept-encoding" in wanted:
        return ("x" if re.search(r"(?i)\baccept-encoding\b", value) else value), "x"
    if name == "content-type" and not wanted.startswith("/"):
        return value.partition(";")[0].strip(), wanted.partition(";")[0]
    if name == "location" and not wanted.startswith("/^"):
        where = urllib.parse.urlsplit(urllib.parse.urljoin("http://localhost/", value))
        if where.scheme == "http" and where.hostname == "localhost":
            return where._replace(scheme="", netloc="").geturl(), wanted
    return value, wanted


def parts_of(response):
    """[(Content-Range, bytes)] of multipart/byteranges as RFC 2046 5.1.1 has it: a preamble is allowed, and fields
    in any order."""
    found = re.search(r'boundary="?([^";]+)', response.values("content-type")[0])
    boundary = b"\r\n--" + found[1].encode()
    at, parts = (b"\r\n" + response.body).index(boundary), []
    body = (b"\r\n" + response.body)[at + len(boundary):]
    while not body.startswith(b"--"):
        head, _, rest = body.partition(b"\r\n\r\n")
        fields = dict(line.split(b":", 1) for line in head.strip().split(b"\r\n"))
        fields = {name.lower(): value.strip().decode() for name, value in fields.items()}
        content_range = fields[b"content-range"]
        first, last = map(int, re.fullmatch(r"bytes (\d+)-(\d+)/\d+", content_range).groups())
        size = last - first + 1
        if not rest[size:].startswith(boundary):
            raise ValueError(f"{content_range} is not {size} bytes long")
        parts.append((content_range, rest[:size]))
        body = rest[size + len(boundary):]
    return parts


def parts_problem(expected, response):
    if "parts" not in expected or response.status != 206:
        return None
    if not response.values("content-type")[0].startswith("multipart/byteranges"):
        return "one part"
    found = parts_of(response)
    wanted = [(name, body.encode("latin-1")) for name, body in
              zip(expected["parts"], expected["part_bodies"], strict=True)]
    return None if found == wanted else "parts " + ", ".join(name for name, _ in found)


def problems_of_one(expected, response):
    """What came, where it is not what was expected: short, for a table."""
    wanted = expected["status"] if isinstance(expected["status"], list) else [expected["status"]]
    if response.status not in wanted:
        return [f"{response.status}"]
    found = [field_problem(name, value, response.values(name))
             for name, value in expected["headers"].items()]
    found.append(None if response.values("date") else "no Date")
    found.append(f"{response.interim} before" if response.interim != expected.get("interim", []) else None)
    if expectation.body_problem(expected, response.body):
        found.append(f"{len(response.body)} bytes of another body")
    found.append(parts_problem(expected, response))
    return [problem for problem in found if problem]


class Judge:
    """Judges responses; `other` counts those that are no case's first answer but allowed all the same."""

    def __init__(self):
        self.other = 0

    def problems(self, expected, response):
        found = problems_of_one(expected, response)
        if not found:
            return []
        others = [problems_of_one(allowed, response) for allowed in expected["also"]]
        if [] in others:
            self.other += 1
            return []
        return min([found, *others], key=len)


def suites():
    """[(name, files, cases)]: what every server is held to; `also` in an expectation are further answers. In
    choices.json `*` stands for all cases of a file."""
    result = []
    open_points = choices()
    for path in sorted(CASES.glob("*.json")):
        suite = json.loads(path.read_text(encoding="utf-8"))
        config = suite.get("config", {})
        routes = config.get("routes", [PLAIN_ROUTE])
        if set(config) - KEYS_OF_ALL or config.get("hosts") != ["*"] or PLAIN_ROUTE not in routes:
            continue
        points = open_points.pop(path.stem, {})
        if "*" in points:
            continue
        cases = []
        for case in suite["cases"]:
            if not re.match(r"RFC \d", case["rfc"]) or not reaches_plain_route(case, routes):
                continue
            point = points.pop(case["name"], {})
            if "left_out" in point:
                continue
            cases.append(fair_case(case, point.get("also", []), suite["files"], path.stem == "coding"))
        if points:
            raise ValueError(f"choices.json: no such case of {path.stem}: {sorted(points)}")
        result.append((path.stem, suite["files"], cases))
    if open_points:
        raise ValueError(f"choices.json: no such file: {sorted(open_points)}")
    return result


def whole_file(case, files):
    """The answer of a server that ignores Range, which 14.2 allows; None where the case has no Range."""
    request = case.get("request", {})
    spec = files.get(target_of(case).lstrip("/"))
    if "Range" not in request.get("headers", {}) or spec is None or "sparse" in spec:
        return None
    if {412, 304} & {case["expect"]["status"]} or request.get("method") == "HEAD":
        return None
    return {"status": 200, "body_bytes": len(run.content_of(spec)), "headers": {"content-range": None}}


def fair_case(case, also, files, negotiated):
    """How long a connection lives is a server's choice: `then` is left out."""
    fair = {key: value for key, value in case.items() if key != "then"}
    also = [demanded(expected, negotiated) for expected in [*also, whole_file(case, files)] if expected]
    if "expect" in case:
        fair["expect"] = {**demanded(case["expect"], negotiated), "also": also}
    else:
        fair["responses"] = [{**demanded(expected, negotiated), "also": also}
                             for expected in case["responses"]]
    return fair
