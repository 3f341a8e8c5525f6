#!/usr/bin/env python3
"""Writes mime_table.h from the system's media types and the server's own: make_mime_table.py [FILE]

FILE defaults to /etc/mime.types (Debian's media-types, which follows IANA's registry). The table is
part of the tree, so that every build of a version answers alike; run this to take a newer list.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent

# Where the web has settled on something else, or the list has nothing. Text is served as UTF-8.
OWN = {
    "atom": "application/atom+xml; charset=utf-8",
    "avi": "video/x-msvideo",
    "bmp": "image/bmp",
    "bz2": "application/x-bzip2",
    "c": "text/plain", "cc": "text/plain", "cpp": "text/plain", "h": "text/plain", "hh": "text/plain",
    "conf": "text/plain", "ini": "text/plain", "log": "text/plain", "rs": "text/plain",
    "cjs": "text/javascript", "js": "text/javascript", "mjs": "text/javascript",
    "deb": "application/vnd.debian.binary-package",
    "gz": "application/gzip", "tgz": "application/gzip",
    "ico": "image/vnd.microsoft.icon",
    "iso": "application/x-iso9660-image",
    "jxl": "image/jxl",
    "m3u8": "application/vnd.apple.mpegurl",
    "m4a": "audio/mp4", "m4v": "video/mp4",
    "map": "application/json",
    "md": "text/markdown",
    "mkv": "video/matroska",
    "mp3": "audio/mpeg",
    "oga": "audio/ogg", "ogg": "audio/ogg", "opus": "audio/ogg",
    "py": "text/x-python",
    "rar": "application/vnd.rar",
    "rss": "application/rss+xml; charset=utf-8",
    "rtf": "application/rtf",
    "sh": "text/x-shellscript",
    "svg": "image/svg+xml; charset=utf-8",
    "toml": "application/toml",
    "ts": "video/mp2t",
    "vtt": "text/vtt",
    "wasm": "application/wasm",
    "wav": "audio/wav",
    "weba": "audio/webm",
    "webmanifest": "application/manifest+json",
    "xhtml": "application/xhtml+xml; charset=utf-8",
    "xml": "application/xml; charset=utf-8",
    "xz": "application/x-xz",
    "yaml": "application/yaml", "yml": "application/yaml",
    "zst": "application/zstd",
}

HEADER = """// File extension -> media type: the list of Debian's media-types with the server's own. Written by
// make_mime_table.py beside it; sorted by extension, in lower case. A constant.
#pragma once

#include <string_view>

namespace servery::features {

struct MimeRow {
  std::string_view extension;
  std::string_view type;  // a whole Content-Type value
};

// clang-format off
inline constexpr MimeRow kMimeRows[] = {
"""
FOOTER = """};
// clang-format on

}  // namespace servery::features
"""


def system_types(path):
    for line in path.read_text(encoding="ascii", errors="ignore").splitlines():
        words = line.partition("#")[0].split()
        for extension in words[1:]:
            if "." not in extension and '"' not in extension:
                yield extension.lower(), words[0].lower()


def with_charset(media_type):
    is_bare_text = media_type.startswith("text/") and ";" not in media_type
    return media_type + "; charset=utf-8" if is_bare_text else media_type


def main():
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/etc/mime.types")
    types = {}
    for extension, media_type in system_types(source):
        types.setdefault(extension, media_type)
    types.update(OWN)
    rows = "".join(f'    {{"{name}", "{with_charset(types[name])}"}},\n' for name in sorted(types))
    (HERE / "mime_table.h").write_text(HEADER + rows + FOOTER, encoding="ascii")


if __name__ == "__main__":
    main()
