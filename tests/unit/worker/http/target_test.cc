#include "worker/http/target.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::http {
namespace {

struct Parsed {
  int status = 0;  // of the refusal; 0: accepted
  std::string path{};
  std::string query{};
  std::string authority{};
  bool has_query = false;
  bool encoded_slash = false;
};

Parsed parse(std::string_view text, Method method = Method::kGet) {
  Target target;
  std::string scratch;
  if (const auto refusal = parse_target(text, method, target, scratch)) {
    return {.status = refusal->status};
  }
  return {0,
          std::string(target.path),
          std::string(target.query),
          std::string(target.authority),
          target.has_query,
          target.encoded_slash};
}

std::string path_of(std::string_view text) {
  const Parsed parsed = parse(text);
  return parsed.status == 0 ? parsed.path : std::to_string(parsed.status);
}

TEST(Target, PlainPathIsAViewAndLeavesTheScratchAlone) {
  const std::string text = "/a/b.txt?x=1";
  Target target;
  std::string scratch;
  ASSERT_EQ(parse_target(text, Method::kGet, target, scratch), std::nullopt);
  EXPECT_EQ(target.path.data(), text.data());
  EXPECT_EQ(target.path, "/a/b.txt");
  EXPECT_EQ(target.raw_path, "/a/b.txt");
  EXPECT_EQ(target.query, "x=1");
  EXPECT_TRUE(scratch.empty());
}

TEST(Target, DecodesExactlyOnce) {  // RFC 3986 2.4
  EXPECT_EQ(path_of("/a%20b"), "/a b");
  EXPECT_EQ(path_of("/%6eame%2Etxt"), "/name.txt");
  EXPECT_EQ(path_of("/%2541"), "/%41");
  EXPECT_EQ(path_of("/%252e%252e/x"), "/%2e%2e/x");
  EXPECT_EQ(path_of("/%ff%C3%BC"), "/\xff\xc3\xbc");
  EXPECT_EQ(path_of("/nl%0Aname"), "/nl\nname");
  EXPECT_EQ(path_of("/a+b"), "/a+b");
}

TEST(Target, RefusesBrokenEscapesAndNul) {
  for (const char* text : {"/%", "/%4", "/%zz", "/%4g", "/a%", "/%00", "/a.txt%00.html", "/%%41"}) {
    EXPECT_EQ(parse(text).status, 400) << text;
  }
}

TEST(Target, RemovesDotSegmentsAndStaysBelowTheRoot) {  // RFC 3986 5.2.4
  EXPECT_EQ(path_of("/a/./b"), "/a/b");
  EXPECT_EQ(path_of("/a/../b"), "/b");
  EXPECT_EQ(path_of("/a/b/.."), "/a/");
  EXPECT_EQ(path_of("/a/."), "/a/");
  EXPECT_EQ(path_of("/.."), "/");
  EXPECT_EQ(path_of("/../../etc/passwd"), "/etc/passwd");
  EXPECT_EQ(path_of("/%2e%2e/%2E./x"), "/x");
  EXPECT_EQ(path_of("/a/../../b/c/../d"), "/b/d");
  EXPECT_EQ(path_of("/..."), "/...");
  EXPECT_EQ(path_of("/.well-known/x"), "/.well-known/x");
  EXPECT_EQ(path_of("/do..ts"), "/do..ts");
}

TEST(Target, CollapsesEmptySegments) {
  EXPECT_EQ(path_of("//evil.com/x"), "/evil.com/x");
  EXPECT_EQ(path_of("/a//b///"), "/a/b/");
  EXPECT_EQ(path_of("///"), "/");
  EXPECT_EQ(path_of("/a//../b"), "/b");
}

TEST(Target, EncodedSlashIsNoSeparator) {
  const Parsed parsed = parse("/a%2fb%2F..%2Fc");
  EXPECT_EQ(parsed.path, "/a%2Fb%2F..%2Fc");
  EXPECT_TRUE(parsed.encoded_slash);
  EXPECT_FALSE(parse("/a%252Fb").encoded_slash);
}

TEST(Target, QueryIsKeptAsSentAndMayBeEmpty) {
  EXPECT_EQ(parse("/?a=%00&b=/../?").query, "a=%00&b=/../?");
  EXPECT_TRUE(parse("/x?").has_query);
  EXPECT_FALSE(parse("/x").has_query);
  EXPECT_EQ(path_of("/a/../b?c/../d"), "/b");
}

TEST(Target, RefusesWhatMayNotStandThere) {  // RFC 9112 3.2: no fragment, no space, no control
  for (const char* text : {"", "/a b", "/a\tb", "/#x", "/?#x", "/\x7f", "/\xc3\xbc", "/?\xff",
                           "/\x01", "a", "example.com:443", "?x"}) {
    EXPECT_EQ(parse(text).status, 400) << text;
  }
  EXPECT_EQ(parse(std::string_view("/\0x", 3)).status, 400);
}

TEST(Target, TakesWhatBrowsersSendUnencoded) {
  EXPECT_EQ(path_of("/with_\"lovely\"_quotes?foo=\\\"bar\\\""), "/with_\"lovely\"_quotes");
  EXPECT_EQ(path_of("/a|b[c]{d}^`<e>"), "/a|b[c]{d}^`<e>");
}

TEST(Target, AsteriskIsForOptionsOnly) {  // RFC 9112 3.2.4
  EXPECT_EQ(parse("*", Method::kOptions).path, "*");
  EXPECT_EQ(parse("*", Method::kGet).status, 400);
  EXPECT_EQ(parse("**", Method::kOptions).status, 400);
}

TEST(Target, AbsoluteForm) {  // RFC 9112 3.2.2
  EXPECT_EQ(path_of("http://x/a/../b?q"), "/b");
  EXPECT_EQ(parse("HTTPS://x:81/a").authority, "x:81");
  EXPECT_EQ(path_of("http://x"), "/");
  EXPECT_EQ(path_of("http://x?hail=all"), "/");
  EXPECT_EQ(parse("http://x?hail=all").query, "hail=all");
  EXPECT_EQ(parse("http://").status, 400);
  EXPECT_EQ(parse("http:///x").status, 400);
  EXPECT_EQ(parse("ftp://x/").status, 400);
  EXPECT_EQ(parse("http://x/ y").status, 400);
}

TEST(Target, HostAppendedLaterDoesNotMoveThePath) {
  Target target;
  std::string scratch;
  ASSERT_EQ(parse_target("/a/../b%20c", Method::kGet, target, scratch), std::nullopt);
  scratch.append(std::string(255, 'h'));
  EXPECT_EQ(target.path, "/b c");
}

}  // namespace
}  // namespace servery::http
