"""A headless Chromium, driven over --remote-debugging-pipe (Chrome DevTools Protocol) with the standard
library alone: JSON messages, each ended by a NUL, in on descriptor 3 and out on descriptor 4."""

import base64
import json
import os
import shutil
import signal
import subprocess
import threading
import time

import processes

FLAGS = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
         "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--mute-audio", "--hide-scrollbars", "--no-proxy-server",
         "--autoplay-policy=no-user-gesture-required"]
TIMEOUT = 30


class Refused(Exception):
    """The browser did not take a command."""


class Browser:
    """One browser with a profile of its own below `directory`, from `start` to `close`."""

    def __init__(self, directory):
        self.directory = directory
        self._changed = threading.Condition()
        self._answers = {}
        self._ended = False
        self._number = 0
        self.events = []  # (session, method, parameters)

    @staticmethod
    def program():
        return shutil.which("chromium")

    def start(self):
        from_browser, to_us = os.pipe()
        from_us, to_browser = os.pipe()
        flags = FLAGS + ["--no-sandbox"] if os.geteuid() == 0 else FLAGS
        # The browser wants exactly the descriptors 3 and 4.
        command = ["bash", "-c", f'exec "$@" 3<&{from_us} 4>&{to_us}', "bash", self.program(), *flags,
                   f"--user-data-dir={self.directory}/profile", "about:blank"]
        with (self.directory / "chromium.log").open("wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            pass_fds=(from_us, to_us), start_new_session=True,
                                            env={**os.environ, "HOME": str(self.directory)})
        os.close(from_us)
        os.close(to_us)
        self._to_browser = os.fdopen(to_browser, "wb", buffering=0)
        self._from_browser = os.fdopen(from_browser, "rb")
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def close(self):
        """Also when it has ended: nothing of its session is left, not even a zombie."""
        if self._from_browser.closed:
            return
        try:
            self.ask("Browser.close")
            self.process.wait(10)
        except (Refused, OSError, subprocess.TimeoutExpired):
            pass
        for pid in processes.children(os.getpid()):
            with open(f"/proc/{pid}/comm", encoding="ascii") as name:
                is_of_browser = name.read().startswith("chrom")  # orphans of it, adopted: its crash handlers
            if is_of_browser:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        self.process.wait(10)
        self._reader.join(10)
        self._to_browser.close()
        self._from_browser.close()

    def _read(self):
        rest = b""
        while data := os.read(self._from_browser.fileno(), 65536):
            *messages, rest = (rest + data).split(b"\0")
            with self._changed:
                for message in map(json.loads, messages):
                    if "id" in message:
                        self._answers[message["id"]] = message
                    else:
                        self.events.append((message.get("sessionId"), message["method"], message["params"]))
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def wait(self, condition, what, timeout=TIMEOUT):
        """What `condition` gives, looked at after every message, once it is something."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while not (value := condition()):
                if self._ended or not self._changed.wait(max(0, deadline - time.monotonic())):
                    raise Refused(f"no {what} within {timeout} s")
            return value

    def ask(self, method, session=None, **parameters):
        """A command and its result."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self._to_browser.write(json.dumps(message).encode() + b"\0")
        answer = self.wait(lambda: self._answers.pop(number, None), f"answer to {method}")
        if "error" in answer:
            raise Refused(f"{method}: {answer['error']}")
        return answer["result"]

    def wait_event(self, method, condition=lambda parameters: True, session=None, timeout=TIMEOUT):
        """The parameters of an event that has come, or comes."""
        def look():
            for of, name, parameters in self.events:
                if name == method and session in (None, of) and condition(parameters):
                    return [parameters]  # empty ones too are something
            return None
        return self.wait(look, method, timeout)[0]

    def page(self):
        return Page(self)


class Page:
    """One tab."""

    def __init__(self, browser):
        self.browser = browser
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def wait_event(self, method, condition=lambda parameters: True):
        return self.browser.wait_event(method, condition, self.session)

    def events(self, method):
        return [parameters for session, name, parameters in self.browser.events
                if session == self.session and name == method]

    def go(self, url):
        """Navigates and waits until everything of the page is loaded."""
        seen = len(self.events("Page.loadEventFired"))
        self.ask("Page.navigate", url=url)
        self.browser.wait(lambda: len(self.events("Page.loadEventFired")) > seen, f"load of {url}")

    def value(self, expression):
        """What a script expression gives, awaited where it is a promise."""
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Refused(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def emulate(self, width, height, scheme):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2,
                 mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, longest=2400):
        """The page from its top, also what is below the window."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], longest), "scale": 1}
        image = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(image["data"]))
