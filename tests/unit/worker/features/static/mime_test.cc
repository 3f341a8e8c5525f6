#include "worker/features/static/mime.h"

#include <gtest/gtest.h>

#include "worker/features/static/mime_table.h"

namespace servery::features {
namespace {

TEST(Mime, CommonTypes) {
  EXPECT_EQ(mime_type("/a/page.html"), "text/html; charset=utf-8");
  EXPECT_EQ(mime_type("app.js"), "text/javascript; charset=utf-8");
  EXPECT_EQ(mime_type("x.mjs"), "text/javascript; charset=utf-8");
  EXPECT_EQ(mime_type("m.wasm"), "application/wasm");
  EXPECT_EQ(mime_type("data.json"), "application/json");
  EXPECT_EQ(mime_type("f.woff2"), "font/woff2");
  EXPECT_EQ(mime_type("x.tar.gz"), "application/gzip");
  EXPECT_EQ(mime_type("7.7z"), "application/x-7z-compressed");
  EXPECT_EQ(mime_type("z.zst"), "application/zstd");
}

TEST(Mime, TheSystemsListIsTheBase) {
  EXPECT_EQ(mime_type("a.glb"), "model/gltf-binary");
  EXPECT_EQ(mime_type("a.ttf"), "font/ttf");
  EXPECT_EQ(mime_type("a.c++"), mime_type("a.C++"));
  EXPECT_EQ(mime_type("a.odt"), "application/vnd.oasis.opendocument.text");
}

TEST(Mime, EveryTextSaysItsCharset) {  // RFC 9110 8.3.2
  for (const MimeRow& row : kMimeRows) {
    if (!row.type.starts_with("text/")) continue;
    EXPECT_NE(row.type.find("; charset="), std::string_view::npos) << row.extension;
  }
  EXPECT_EQ(mime_type("m.wasm"), "application/wasm");  // a parameter stops streaming compilation
}

TEST(Mime, CaseOfTheExtensionDoesNotMatter) { EXPECT_EQ(mime_type("A.JPG"), "image/jpeg"); }

TEST(Mime, UnknownIsBytes) {
  for (const char* path : {"", "/", "README", "/dir.html/file", ".html", "/a/.css", "x.",
                           "x.unknown", "x.averyveryverylongextension"}) {
    EXPECT_EQ(mime_type(path), "application/octet-stream") << path;
  }
}

TEST(Mime, OwnTypesComeBeforeTheTable) {
  const MimeTypes types({{"foo", "application/x-foo"}, {"js", "application/javascript"}});
  EXPECT_EQ(types.type_of("a/b.foo"), "application/x-foo");
  EXPECT_EQ(types.type_of("b.FOO"), "application/x-foo");
  EXPECT_EQ(types.type_of("app.js"), "application/javascript");
  EXPECT_EQ(types.type_of("app.mjs"), "text/javascript; charset=utf-8");
  EXPECT_EQ(types.type_of("foo"), "application/octet-stream");
  EXPECT_EQ(types.type_of("x.foo/y"), "application/octet-stream");
  EXPECT_EQ(types.type_of(".foo"), "application/octet-stream");
}

}  // namespace
}  // namespace servery::features
