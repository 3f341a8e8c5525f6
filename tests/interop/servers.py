"""The servers that the contract cases are compared with: each started here, on a free loopback port, with
a minimal configuration over a given tree, in the foreground, and ended by its process id."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "process"))

from servery import Servery, run_command  # noqa: E402

# Debian keeps servers where the PATH of an ordinary user does not look.
SEARCH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"

# Codings for the types of the coding cases, all that Debian's modules offer; nothing else is set that need not be.
NGINX = """daemon off;
{user}worker_processes 1;
pid {run}/pid;
error_log {run}/error.log;
events {{ worker_connections 64; }}
http {{
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log off;
  client_body_temp_path {run}/body;
  proxy_temp_path {run}/proxy;
  fastcgi_temp_path {run}/fastcgi;
  uwsgi_temp_path {run}/uwsgi;
  scgi_temp_path {run}/scgi;
  gzip on;
  gzip_types text/plain text/css application/javascript text/javascript;
  gzip_vary on;
  server {{
    listen 127.0.0.1:{port};
    root {site};
    index index.html;
  }}
}}
"""

APACHE = """ServerRoot /usr/lib/apache2
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {run}/pid
ErrorLog {run}/error.log
Mutex pthread
{user}LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule mime_module modules/mod_mime.so
LoadModule dir_module modules/mod_dir.so
LoadModule filter_module modules/mod_filter.so
LoadModule deflate_module modules/mod_deflate.so
LoadModule brotli_module modules/mod_brotli.so
TypesConfig /etc/mime.types
TraceEnable Off
DirectoryIndex index.html
AddOutputFilterByType BROTLI_COMPRESS;DEFLATE text/plain text/css text/html application/javascript text/javascript
DocumentRoot {site}
<Directory {site}>
  Require all granted
  Options FollowSymLinks
  AllowOverride None
</Directory>
"""

LIGHTTPD = """server.modules = ("mod_indexfile", "mod_staticfile", "mod_deflate")
server.document-root = "{site}"
server.bind = "127.0.0.1"
server.port = {port}
server.errorlog = "{run}/error.log"
index-file.names = ("index.html")
server.http-parseopts = (
  "header-strict" => "enable", "host-strict" => "enable", "host-normalize" => "enable",
  "url-normalize-unreserved" => "enable", "url-normalize-required" => "enable",
  "url-ctrls-reject" => "enable", "url-path-2f-decode" => "enable", "url-path-dotseg-remove" => "enable")
deflate.mimetypes = ("text/", "application/javascript")
deflate.allowed-encodings = ("zstd", "br", "gzip")
{types}
"""

# The servers drop to this user where they are started by root; Apache refuses to serve as root.
USER = "www-data"


def lighttpd_types():
    """Debian's own script for lighttpd's media types, as /etc/lighttpd/lighttpd.conf includes it."""
    script = "/usr/share/lighttpd/create-mime.conf.pl"
    return subprocess.run([script], capture_output=True, text=True, check=True).stdout


class Peer:
    """One running server. `address` is where it answers."""

    def __init__(self, name, command, configuration, version, user_line=""):
        self.name = name
        self.command = command
        self.configuration = configuration
        self.version_flag = version
        self.user_line = user_line
        self.program = shutil.which(command[0], path=SEARCH)
        self.process = None

    def version(self):
        done = subprocess.run([self.program, self.version_flag], capture_output=True, text=True, check=True)
        return re.search(r"[/ ](\d+\.\d+\.\d+)", done.stdout + done.stderr)[1]

    def start(self, directory, site):
        run = directory / self.name
        run.mkdir()
        run.chmod(0o777)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = probe.getsockname()
        path = run / "conf"
        is_root = os.geteuid() == 0
        path.write_text(self.configuration.format(
            site=site, run=run, port=self.address[1], user=self.user_line if is_root else "",
            types=lighttpd_types() if self.name == "lighttpd" else ""), encoding="utf-8")
        command = [self.program, *(part.replace("CONF", str(path)) for part in self.command[1:])]
        with (run / "output").open("wb") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                            start_new_session=True)
        self._wait_listening(run)
        return self

    def _wait_listening(self, run):
        """No peer says when it is ready: asked until it takes a connection."""
        deadline = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(self.address, 1).close()
                return
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    said = "".join(path.read_text(errors="replace") for path in run.glob("[eo]*t*"))
                    raise AssertionError(f"{self.name} does not start: {said}") from None
            time.sleep(0.02)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)


class Own(Servery):
    """servery itself, measured with the same measure."""

    name = "servery"

    def stop_clean(self):
        try:
            return self.stop() == 0 and not self.error_lines()
        finally:
            self.end()


def own_version():
    return run_command("version").stdout.split()[1]


def peers():
    """Those of which the program is there, and the names of the others."""
    known = [Peer("nginx", ["nginx", "-e", "stderr", "-c", "CONF"], NGINX, "-v", f"user {USER};\n"),
             Peer("apache2", ["apache2", "-D", "FOREGROUND", "-f", "CONF"], APACHE, "-v",
                  f"User {USER}\nGroup {USER}\n"),
             Peer("lighttpd", ["lighttpd", "-D", "-f", "CONF"], LIGHTTPD, "-v")]
    return [peer for peer in known if peer.program], [peer.name for peer in known if not peer.program]
