"""What the tests with other people's clients share: a client that is not there is a skip with its name."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "process"))

from case import ServeryCase  # noqa: E402

# Proxies and settings of whoever runs the tests are none of the clients' business.
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def noise(size, seed=1):
    """Bytes that no coding makes smaller, the same ones every time."""
    return hashlib.shake_128(bytes([seed])).digest(size)


class ClientCase(ServeryCase):
    def setUp(self):
        super().setUp()
        # Apart from the server's: what a client leaves there is its own affair.
        self.here = pathlib.Path(tempfile.mkdtemp(prefix="servery-client-"))
        self.addCleanup(shutil.rmtree, self.here, ignore_errors=True)

    def need(self, *programs):
        missing = [program for program in programs if not shutil.which(program)]
        if missing:
            self.skipTest(f"not installed: {', '.join(missing)}")

    def run_client(self, *command, expect=0, timeout=60):
        """A client to its end, in a directory of its own, without a configuration: its output."""
        done = subprocess.run([str(part) for part in command], cwd=self.here, capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, timeout=timeout, check=False,
                              env={**ENVIRONMENT, "HOME": str(self.here)})
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, expect, f"{command}:\n{said}")
        return said

    def serve_static(self, options=""):
        """A ready server for the site, with further keys of its static route."""
        config = self.site_config().replace("{root: site}", "{root: site%s}" % (options and f", {options}"))
        return self.start(config).wait_ready()

    def url(self, server, path):
        host, port = server.address()
        return f"http://{host}:{port}{path}"

    def requests(self, server):
        return sum(worker["requests"] for worker in server.status()["workers"])
