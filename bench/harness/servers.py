"""The servers that are compared: how each is started, in which variants, and how it reloads.

A variant that does not fit a row (haproxy knows one file) fails its verification and is left out, by name."""

import dataclasses
import os
import pathlib
import shutil

BENCH = pathlib.Path(__file__).resolve().parents[1]
ROOT = BENCH.parent

NGINX = """daemon off; worker_processes {workers}; user root; pid {work}/{name}.pid; error_log {work}/{name}.err crit;
events {{ worker_connections 16384; multi_accept on; accept_mutex off; }}
http {{
  types {{ }} default_type application/octet-stream;
  sendfile {sendfile}; tcp_nopush {nopush}; access_log off; server_tokens off; etag on;
  keepalive_timeout 3600; keepalive_requests 2000000000; output_buffers 2 {buffers};
  {cache}
  server {{ listen 127.0.0.1:{port} backlog=4096 reuseport{deferred}; root {root}; }}
}}
"""
CACHE = ("open_file_cache max=14000 inactive=600s; open_file_cache_valid 60s; "
         "open_file_cache_min_uses 1; open_file_cache_errors on;")

H2O = """num-threads: {workers}
user: root
max-connections: 16384
pid-file: {work}/{name}.pid
error-log: {work}/{name}.err
http1-request-timeout: 3600
listen: {{host: 127.0.0.1, port: {port}}}
hosts: {{default: {{paths: {{"/": {{file.dir: {root}}}}}}}}}
"""

LIGHTTPD = """server.document-root = "{root}"
server.bind = "127.0.0.1"
server.port = {port}
server.errorlog = "{work}/{name}.err"
server.max-fds = 19000
server.max-connections = 16000
server.max-keep-alive-requests = 65535
server.max-keep-alive-idle = 3600
server.listen-backlog = 4096
mimetype.assign = ( "" => "application/octet-stream" )
"""

HAPROXY = """global
  maxconn 16000
  no strict-limits
  nbthread {workers}
defaults
  mode http
  timeout client 3600s
  timeout server 3600s
  timeout connect 5s
frontend f
  bind 127.0.0.1:{port} backlog 4096
  http-request return status 200 content-type application/octet-stream file {root}/1k.bin if {{ path /1k.bin }}
  http-request return status 404
"""

CADDY = """{{
 admin off
 auto_https off
}}
http://127.0.0.1:{port} {{
 bind 127.0.0.1
 root * {root}
 file_server
}}
"""

# Everything stays on: limits, deadlines, the host rule. Only what would end a measurement is raised.
SERVERY = """schema: 1
runtime: {{workers: {workers}, heartbeat: {{suspect: 60s, warn: 90s, abort: 120s}}, start_timeout: 120s}}
listeners: [{{address: "127.0.0.1:{port}"}}]
limits: {{connections: 12000, keepalive_timeout: 3600s}}
cache: {{bytes: 64MiB, entries: 40000}}
routes: [{{path: /, static: {{root: "{root}"}}}}]
"""


@dataclasses.dataclass(frozen=True)
class Server:
    name: str
    program: str
    command: str  # {config} is the configuration's file
    config: str = ""
    values: dict = dataclasses.field(default_factory=dict)
    reload: str = ""  # a command, or "HUP"
    environment: dict = dataclasses.field(default_factory=dict)
    one_process: dict = dataclasses.field(default_factory=dict)  # replacements for a single process
    counted_as: str = ""  # the server whose instructions stand for this one's (see bench/README.md)

    def path(self):
        """The program's path, or None where it is not installed."""
        return shutil.which(self.program)


def nginx(name, sendfile="off", nopush="off", cache=CACHE, deferred="", buffers="32k"):
    values = {"sendfile": sendfile, "nopush": nopush, "cache": cache, "deferred": deferred, "buffers": buffers}
    return Server(name, "/usr/sbin/nginx", "{program} -c {config} -p {work}", NGINX, values, reload="HUP",
                  one_process={"daemon off;": "daemon off; master_process off;"})


def built(name):
    folder = os.environ.get("SERVERY_BUILD", str(ROOT / "build/release"))
    return str(pathlib.Path(folder) / name)


SERVERS = (
    Server("servery", os.environ.get("SERVERY_BINARY", built("servery")),
           "{program} serve -c {config} --control {work}/{name}.sock", SERVERY,
           reload="{program} reload --control {work}/{name}.sock", counted_as="solo"),
    Server("solo", built("tests/support/solo_worker"), "{program} {root} {port}"),
    nginx("nginx-tuned", sendfile="on", nopush="on"),
    nginx("nginx-nosendfile"),
    nginx("nginx-deferred", deferred=" deferred"),
    nginx("nginx-big", buffers="256k"),
    nginx("nginx-default", sendfile="on", cache=""),
    Server("h2o", "h2o", "{program} -c {config}", H2O),
    Server("lighttpd", "lighttpd", "{program} -D -f {config}", LIGHTTPD),
    Server("haproxy", "haproxy", "{program} -db -f {config}", HAPROXY),
    Server("caddy", "caddy", "{program} run --config {config} --adapter caddyfile", CADDY,
           environment={"HOME": "{work}", "XDG_DATA_HOME": "{work}", "XDG_CONFIG_HOME": "{work}",
                        "GOMAXPROCS": "{workers}"}),
    Server("limit", built("bench/bench_limit"), "{program} {port} {root}"),
    Server("limit-deferred", built("bench/bench_limit"), "{program} {port} {root} defer"),
)
BY_NAME = {server.name: server for server in SERVERS}
LOAD = built("bench/bench_load")
OPENAT2_SHIM = built("bench/libbench_openat2_shim.so")
DEFAULT = ("servery", "nginx-tuned", "nginx-nosendfile", "nginx-deferred", "nginx-default", "h2o", "limit")
