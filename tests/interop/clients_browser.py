"""What a browser makes of servery: Chromium, headless. Screenshots go to build/interop/ to be looked at."""

import itertools
import os
import pathlib
import struct
import wave
import zipfile
from urllib.parse import quote, urlsplit

from case import figure
from chromium import Browser
from clients import ClientCase

SCREENSHOTS = pathlib.Path(os.environ.get(
    "SERVERY_SCREENSHOTS", pathlib.Path(__file__).resolve().parents[2] / "build" / "interop"))

# Names that would be a script, an attribute, an element or another link if one escape were missing. A name
# has no slash: one that only looks like it stands for it.
HOSTILE = [name.replace("/", "\u2215") for name in (
    "<script>alert(1)</script>", "<img src=x onerror=alert(2)>", '"><svg onload=alert(3)>',
    "' onmouseover='alert(4)", '" autofocus onfocus="alert(5)', "javascript:alert(6)",
    "&lt;script&gt;alert(7)&lt;/script&gt;", "&#60;b&#62;", "</title><script>alert(8)</script>",
    "</bdi></a><b>", "<!--", "-->", "]]>", "<style>*{display:none}", "{{7*7}}", "%3Cscript%3E",
    "data:text/html,<b>", "\u202egnp.exe", "a?b#c", "back\\slash", "tab\tname", "nl\nname", "\x01\x7f")]

ODD = ["a" * 240 + ".txt",
       "a name with many short words that goes on and on and on until the line has no room.pdf",
       "\u00fcml\u00e4ut-\u65e5\u672c\u8a9e\u306e\u540d\u524d-\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467.txt",
       "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u05e2\u05d1\u05e8\u05d9\u05ea.txt",
       "-", "photo.jpg", "video.mp4",
       "archive.tar.gz", "README", "no_break_" * 20, "\u0301\u0302" * 30 + ".zalgo",
       " leading", "trailing ", "50%.txt"]

DEVICES = {"phone": (390, 844), "small-phone": (320, 568), "desktop": (1280, 900)}
PAGES = {"listing": "/files/", "empty": "/empty/", "found": "/files/?limit=5&q=a"}


class BrowserCase(ClientCase):
    TIMEOUT = 120

    def setUp(self):
        super().setUp()
        self.need("chromium", "bash")
        self.browser = Browser(self.here).start()
        self.addCleanup(self.browser.close)
        self.page = self.browser.page()

    def finish(self, server):
        """The browser first: it holds connections that a stop would wait for."""
        self.browser.close()
        self.stop_and_check(server)

    def assert_nothing_ran(self):
        self.assertEqual(self.page.events("Page.javascriptDialogOpening"), [])
        blocked = [entry["entry"] for entry in self.page.events("Log.entryAdded")
                   if entry["entry"]["source"] == "security"]
        self.assertEqual(blocked, [], "the policy had to block something")


class Downloads(BrowserCase):
    NAMES = {"F\u00fcnf & more": "F\u00fcnf & more.zip", "it's 100% \"so\"": "it's 100% \"so\".zip",
             "plain": "plain.zip", "\u65e5\u672c\u8a9e;x=y": "\u65e5\u672c\u8a9e;x=y.zip"}

    def download(self, url):
        """(the name the browser was given, the file it made)."""
        place = self.here / "downloads"
        self.browser.events.clear()
        self.browser.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(place),
                         eventsEnabled=True)
        self.page.ask("Page.navigate", url=url)
        begun = self.browser.wait_event("Browser.downloadWillBegin")
        done = self.browser.wait_event("Browser.downloadProgress",
                                       lambda event: event["state"] != "inProgress")
        self.assertEqual(done["state"], "completed")
        (file,) = place.iterdir()
        content = file.read_bytes()
        file.unlink()
        return begun["suggestedFilename"], content

    def test_archives_have_their_directory_s_name(self):
        for name in self.NAMES:
            self.write(f"site/{name}/file.txt", name)
        server = self.serve_static("listing: true, archive: true")
        for name, wanted in self.NAMES.items():
            with self.subTest(name=name):
                suggested, content = self.download(self.url(server, "/" + quote(name) + "/?archive=zip"))
                # What no file name may hold on other systems is replaced by the browser.
                self.assertEqual(suggested, wanted.replace('"', "_"))
                path = self.here / "got.zip"
                path.write_bytes(content)
                with zipfile.ZipFile(path) as archive:
                    self.assertEqual(archive.read(f"{name}/file.txt").decode(), name)
        figure("interop: Chromium download names", f"{len(self.NAMES)} of {len(self.NAMES)} archives")
        self.finish(server)

    def test_files_by_download_key(self):
        for name in self.NAMES:
            self.write(f"site/{name}.html", name)
        server = self.serve_static()
        if "content-disposition" not in self.get(server, "/plain.html?download").fields:
            self.finish(server)
            self.skipTest("this server has no ?download")
        for name in self.NAMES:
            with self.subTest(name=name):
                suggested, content = self.download(self.url(server, "/" + quote(name) + ".html?download"))
                self.assertEqual(suggested, f"{name}.html".replace('"', "_"))
                self.assertEqual(content.decode(), name)
        self.finish(server)


class Media(BrowserCase):
    SECONDS, RATE = 1200, 8000

    def test_seek_asks_for_a_range(self):
        path = self.directory / "site" / "long.wav"
        with wave.open(str(path), "wb") as sound:
            sound.setnchannels(2)
            sound.setsampwidth(2)
            sound.setframerate(self.RATE)
            sound.writeframes(struct.pack("<2h", 0, 0) * self.RATE * self.SECONDS)
        self.write("site/player.html", "<!doctype html><audio preload=metadata src=long.wav></audio>")
        server = self.serve_static()
        self.page.go(self.url(server, "/player.html"))
        moved = self.page.value("""new Promise((done, failed) => {
            const audio = document.querySelector('audio');
            audio.onerror = () => failed(new Error(audio.error.message));
            audio.onseeked = () => done([audio.duration, audio.currentTime]);
            const seek = () => { audio.currentTime = 1000; };
            if (audio.readyState >= 1) seek(); else audio.onloadedmetadata = seek;
        })""")
        self.assertEqual(moved, [self.SECONDS, 1000])
        starts = []
        for event in self.page.events("Network.responseReceived"):
            fields = {name.lower(): value for name, value in event["response"]["headers"].items()}
            if "content-range" in fields:
                self.assertEqual(event["response"]["status"], 206)
                starts.append(int(fields["content-range"].split()[1].partition("-")[0]))
        self.assertTrue(any(start > path.stat().st_size // 2 for start in starts), starts)
        figure("interop: Chromium media seek",
               f"ranges begin at {starts}, currentTime {moved[1]} of {moved[0]}")
        self.finish(server)


class Application(BrowserCase):
    def test_a_deep_link_is_the_application(self):
        self.write("site/index.html",
                   "<!doctype html><title>app</title><p>empty</p><script src=/app.js></script>")
        self.write("site/app.js", "document.querySelector('p').textContent = location.pathname")
        server = self.serve_static("spa: true")
        self.page.go(self.url(server, "/deep/link?x=1"))
        self.assertEqual(self.page.value("[document.title, document.querySelector('p').textContent]"),
                         ["app", "/deep/link"])
        status = self.page.value("fetch('/deep/missing.js').then(answer => answer.status)")
        self.assertEqual(status, 404)
        self.finish(server)


class Listing(BrowserCase):
    def setUp(self):
        super().setUp()
        (self.site / "index.html").unlink()

    def listing(self, names):
        for name in names:
            self.write(f"site/files/{name}", name)
        return self.serve_static("listing: true, archive: true")

    def test_hostile_names_are_names(self):
        server = self.listing(HOSTILE)
        self.page.go(self.url(server, "/files/"))
        self.assert_nothing_ran()
        elements = self.page.value("document.querySelectorAll('script, img, b, iframe, object').length")
        self.assertEqual(elements, 0)
        links = self.page.value("[...document.querySelectorAll('tbody a')].map(a => a.href)")[1:]  # not `..`
        self.assertEqual(len(links), len(HOSTILE), links)
        found = [self.get(server, urlsplit(link).path).body.decode() for link in links]
        self.assertEqual(sorted(found), sorted(HOSTILE), "each link leads to the file of its name")
        shown = self.page.value("[...document.querySelectorAll('tbody a')].map(a => a.textContent.trim())")
        plain = [name for name in HOSTILE if name.isprintable() and "\u202e" not in name]
        self.assertEqual(set(plain) - set(shown), set())
        self.page.screenshot(self.picture("hostile-names"))
        figure("interop: Chromium hostile names", f"{len(HOSTILE)} names, nothing ran, every link leads home")
        self.finish(server)

    def picture(self, name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        return SCREENSHOTS / f"{name}.png"

    def test_it_fits_a_phone(self):
        for name in ("albums", "a directory with a rather long name, as people make them"):
            self.write(f"site/files/{name}/x", "x")
        (self.site / "files/dangling").symlink_to("nowhere")
        self.write("site/files/large.bin", b"")
        os.truncate(self.site / "files/large.bin", 5_368_709_120)
        (self.site / "empty").mkdir()
        server = self.listing(ODD)
        for (device, (width, height)), scheme, (what, path) in itertools.product(
                DEVICES.items(), ("light", "dark"), PAGES.items()):
            with self.subTest(device=device, scheme=scheme, what=what):
                self.page.emulate(width, height, scheme)
                self.page.go(self.url(server, path))
                self.page.screenshot(self.picture(f"{what}-{device}-{scheme}"))
                across = self.page.value("document.documentElement.scrollWidth")
                self.assertLessEqual(across, width)
        self.assert_nothing_ran()
        figure("interop: Chromium listing", "no overflow at 390, 320 and 1280 pixels, light and dark")
        self.finish(server)
