"""Downloads that go on, come in segments, are checked or unpacked, by the clients that people use."""

import os
import tarfile
import zipfile

from case import figure
from clients import ClientCase, noise, sha256

SIZE = 24 * 1024 * 1024 + 17


class Resume(ClientCase):
    def setUp(self):
        super().setUp()
        self.whole = self.write("site/big.bin", noise(SIZE))

    def begun(self, name, size):
        """A download that was broken off."""
        path = self.here / name
        with self.whole.open("rb") as source:
            path.write_bytes(source.read(size))
        return path

    def test_curl_goes_on(self):
        self.need("curl")
        server = self.serve_static()
        part = self.begun("big.bin", SIZE // 3)
        said = self.run_client("curl", "-q", "-sS", "-C", "-", "-o", part,
                               "-w", "%{http_code} %{size_download}", self.url(server, "/big.bin"))
        self.assertEqual(said, f"206 {SIZE - SIZE // 3}")
        self.assertEqual(sha256(part), sha256(self.whole))
        figure("interop: curl -C -", said)
        self.stop_and_check(server)

    def test_curl_asks_by_tag_and_by_date(self):
        self.need("curl")
        server = self.serve_static()
        url = self.url(server, "/one-kib.bin")
        self.run_client("curl", "-q", "-sS", "-R", "-o", "kept", "--etag-save", "tag", url)
        by_tag = self.run_client("curl", "-q", "-sS", "-o", "again", "--etag-compare", "tag",
                                 "-w", "%{http_code}", url)
        by_date = self.run_client("curl", "-q", "-sS", "-o", "again", "-z", "kept", "-w", "%{http_code}", url)
        self.assertEqual((by_tag, by_date), ("304", "304"))
        self.stop_and_check(server)

    def test_curl_decodes_each_coding(self):
        self.need("curl")
        text = self.write("site/text.js", "let a = 'interop';\n" * 4000)
        server = self.serve_static()
        for coding in ("gzip", "br", "zstd"):
            with self.subTest(coding=coding):
                self.run_client("curl", "-q", "-sS", "--compressed", "-H", f"Accept-Encoding: {coding}",
                                "-D", "head", "-o", coding, self.url(server, "/text.js"))
                self.assertIn(f"content-encoding: {coding}", (self.here / "head").read_text().lower())
                self.assertEqual(sha256(self.here / coding), sha256(text))
        self.stop_and_check(server)

    def test_wget_goes_on(self):
        self.need("wget")
        server = self.serve_static()
        part = self.begun("big.bin", SIZE // 2)
        said = self.run_client("wget", "--no-config", "-c", "-S", self.url(server, "/big.bin"))
        self.assertIn("206 Partial Content", said)
        self.assertEqual(sha256(part), sha256(self.whole))
        said = self.run_client("wget", "--no-config", "-c", self.url(server, "/big.bin"))
        self.assertIn("fully retrieved", said)
        figure("interop: wget -c", "206, then nothing to do")
        self.stop_and_check(server)

    def test_wget_leaves_what_is_not_newer(self):
        self.need("wget")
        server = self.serve_static()
        self.run_client("wget", "--no-config", "-N", self.url(server, "/one-kib.bin"))
        said = self.run_client("wget", "--no-config", "-N", "-S", self.url(server, "/one-kib.bin"))
        self.assertIn("304 Not Modified", said)
        self.stop_and_check(server)

    def test_aria2_takes_eight_segments(self):
        self.need("aria2c")
        server = self.serve_static()
        before = self.requests(server)
        self.run_client("aria2c", "--no-conf", "-x8", "-s8", "-k1M", "--file-allocation=none",
                        "-o", "big.bin",
                        self.url(server, "/big.bin"))
        requests = self.requests(server) - before
        self.assertEqual(sha256(self.here / "big.bin"), sha256(self.whole))
        self.assertGreaterEqual(requests, 8)
        figure("interop: aria2c -x8 -s8", f"{requests} requests, SHA-256 equal")
        self.stop_and_check(server)

    def test_aria2_goes_on_in_an_archive(self):
        self.need("aria2c", "unzip")
        server = self.serve_static("listing: true, archive: true")
        self.run_client("aria2c", "--no-conf", "-x4", "-s4", "-k1M", "--file-allocation=none",
                        "-o", "site.zip",
                        self.url(server, "/?archive=zip"))
        self.run_client("unzip", "-t", "site.zip")
        self.stop_and_check(server)

    def test_zsync_fetches_what_changed(self):
        self.need("zsync", "zsyncmake")
        old = bytearray(self.whole.read_bytes())
        for at in range(0, SIZE - 4096, SIZE // 40):
            old[at:at + 4096] = noise(4096, 2)
        (self.here / "old.bin").write_bytes(old)
        server = self.serve_static()
        self.run_client("zsyncmake", "-b", "2048", "-u", self.url(server, "/big.bin"), "-o",
                        self.site / "big.bin.zsync", self.whole)
        before = self.requests(server)
        # A zsync that cannot read an answer asks for it again, for ever.
        said = self.run_client("zsync", "-i", "old.bin", self.url(server, "/big.bin.zsync"), timeout=20)
        self.assertIn("verifying download...checksum matches OK", said)
        self.assertEqual(sha256(self.here / "big.bin"), sha256(self.whole))
        used = said.split("used ")[1].splitlines()[0]
        fetched = int(used.split("fetched ")[1])
        self.assertLess(fetched, SIZE // 10)
        figure("interop: zsync", f"used {used} of {SIZE} bytes in {self.requests(server) - before} requests")
        self.stop_and_check(server)


class Archives(ClientCase):
    """Every format, whole, by every reader there is: each must find it without fault, with all its members."""

    READERS = {"zip": (("unzip", "-tq"), ("7z", "t"), ("bsdtar", "-tf")),
               "tar": (("tar", "-tf"), ("7z", "t"), ("bsdtar", "-tf")),
               "tar.gz": (("tar", "-tzf"), ("7z", "t"), ("bsdtar", "-tf")),
               "tar.zst": (("tar", "--zstd", "-tf"), ("bsdtar", "-tf"))}

    def setUp(self):
        super().setUp()
        self.need("curl", "unzip", "7z", "bsdtar", "tar", "zstd")
        for index in range(300):
            self.write(f"site/tree/d{index % 7}/file {index}.txt", f"{index}\n" * index)
        self.write("site/tree/big.bin", noise(3 * 1024 * 1024))
        self.write("site/tree/empty", "")
        self.write("site/tree/ümläut & 'quotes' \U0001f600.txt", "name\n")
        self.write(f"site/tree/{'long' * 40}/{'name' * 50}", "long\n")
        self.names = {path.relative_to(self.site).as_posix(): path.read_bytes()
                      for path in (self.site / "tree").rglob("*") if path.is_file()}
        server = self.serve_static("listing: true, archive: true")
        for kind in self.READERS:
            self.run_client("curl", "-q", "-fsS", "-OJ", self.url(server, f"/tree/?archive={kind}"))
        self.stop_and_check(server)

    def test_readers(self):
        for kind, readers in self.READERS.items():
            for reader in readers:
                with self.subTest(kind=kind, reader=reader[0]):
                    self.run_client(*reader, f"tree.{kind}")
        figure("interop: archives", f"{sum(map(len, self.READERS.values()))} readings of "
               f"{len(self.READERS)} formats without a fault")

    def test_python_zip(self):
        with zipfile.ZipFile(self.here / "tree.zip") as archive:
            self.assertIsNone(archive.testzip())
            found = {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}
        self.assertEqual(found, self.names)

    def test_python_tar(self):
        for kind in ("tar", "tar.gz"):
            with self.subTest(kind=kind), tarfile.open(self.here / f"tree.{kind}") as archive:
                found = {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}
                self.assertEqual(found, self.names)

    def test_what_is_unpacked_is_what_was_served(self):
        self.run_client("bsdtar", "-xf", "tree.tar.zst")
        found = {os.path.relpath(path, self.here): path.read_bytes()
                 for path in (self.here / "tree").rglob("*") if path.is_file()}
        self.assertEqual(found, self.names)
