#include "config/syntax.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

TEST(Syntax, Hosts) {
  for (const char* host :
       {"localhost", "www.example.org", "a-b.c", "127.0.0.1", "[::1]", "x_y.z"}) {
    EXPECT_FALSE(check_host(host)) << host;
  }
  for (const char* host : {"", ".", "a..b", "-a", "a-", "a b", "a/b", "*.a", "*", "é"}) {
    EXPECT_TRUE(check_host(host)) << host;
  }
  EXPECT_TRUE(check_host(std::string(64, 'a')));
  EXPECT_EQ(check_host("example.org:80")->suggestion, "example.org");
  EXPECT_EQ(check_host("::1")->suggestion, "[::1]");
}

TEST(Syntax, HostPatterns) {
  EXPECT_FALSE(check_host_pattern("*.example.org"));
  EXPECT_TRUE(check_host_pattern("*.*.org"));
  EXPECT_TRUE(check_host_pattern("*."));
  EXPECT_TRUE(host_matches("*.example.org", "a.example.org"));
  EXPECT_TRUE(host_matches("*.example.org", "a.b.example.org"));
  EXPECT_FALSE(host_matches("*.example.org", "example.org"));
  EXPECT_FALSE(host_matches("*.example.org", ".example.org"));
  EXPECT_FALSE(host_matches("*.example.org", "evilexample.org"));
  EXPECT_TRUE(host_matches("*", "anything"));
  EXPECT_FALSE(host_matches("a", "b"));
}

TEST(Syntax, HeaderFields_Rfc9110_5) {
  EXPECT_FALSE(check_header_name("X-Frame-Options"));
  for (const char* name : {"", "a b", "a:b", "Content-Length", "transfer-encoding", "Connection",
                           "date", "Keep-Alive", "Trailer", "TE", "Upgrade"}) {
    EXPECT_TRUE(check_header_name(name)) << name;
  }
  EXPECT_FALSE(check_header_value("max-age=3, public"));
  EXPECT_FALSE(check_header_value(""));
  for (const char* value : {"a\r\nb: c", "a\nb", " a", "a\t", "\x7f"}) {
    EXPECT_TRUE(check_header_value(value)) << value;
  }
}

TEST(Syntax, Methods) {
  EXPECT_FALSE(check_method("PROPFIND"));
  EXPECT_EQ(check_method("get")->suggestion, "GET");
  EXPECT_EQ(check_method("PROPFNID")->suggestion, "PROPFIND");
  EXPECT_TRUE(check_method("GET POST"));
  EXPECT_TRUE(check_method("BREW"));
  EXPECT_TRUE(check_method(""));
}

TEST(Syntax, RoutePaths) {
  for (const char* path : {"/", "/a", "/a/b.c", "/a b"})
    EXPECT_FALSE(check_route_path(path, false));
  EXPECT_FALSE(check_route_path("/a/", true));
  for (const char* path : {"", "a", "/a/", "//", "/a//b", "/../a", "/a/.", "/a?b", "/a#b"}) {
    EXPECT_TRUE(check_route_path(path, false)) << path;
  }
  EXPECT_EQ(check_route_path("/a/", false)->suggestion, "/a");
  EXPECT_EQ(check_route_path("a", false)->suggestion, "/a");
}

TEST(Syntax, FileNames) {
  EXPECT_FALSE(check_file_name("index.html"));
  for (const char* name : {"", ".", "..", "a/b", "/"}) EXPECT_TRUE(check_file_name(name)) << name;
}

TEST(Syntax, RedirectTargets) {
  for (const char* to : {"/", "/new", "https://example.org/", "https://example.org:8443/x?y#z",
                         "http://[::1]:80/", "https://{host}/x{rest}", "https://{host}{path}",
                         "https://{host}:8443/", "/a{rest}?{query}", "{path}x"}) {
    EXPECT_FALSE(check_redirect_to(to)) << to << ": " << check_redirect_to(to)->message;
  }
  for (const char* to :
       {"", "x", "//evil.org", "ftp://a/", "https://", "https://{host}.evil.org/",
        "https://www.{host}/", "https://{rest}/", "https://example.org{rest}", "/{hots}", "/{",
        "/}", "/a b", "/a\r\nb", "/\\evil", "https://a:0/", "https://user@a/", "https://a:b/"}) {
    EXPECT_TRUE(check_redirect_to(to)) << to;
  }
  EXPECT_EQ(check_redirect_to("/{hots}")->suggestion, "{host}");
  EXPECT_TRUE(redirects_to_request_host("https://{host}/"));
  EXPECT_FALSE(redirects_to_request_host("https://example.org/{host}"));
  EXPECT_FALSE(redirects_to_request_host("/{host}"));
}

TEST(Syntax, Origins) {  // RFC 6454 6.2
  for (const char* origin : {"https://app.example.org", "http://localhost:3000",
                             "http://[::1]:8000", "https://a.example:80"}) {
    EXPECT_FALSE(check_origin(origin)) << origin;
  }
  for (const char* origin :
       {"", "null", "app.example.org", "://a", "https://", "https://a/", "https://a:443",
        "http://a:80", "https://u@a", "https://a:0", "https://{host}x", "a b://c"}) {
    EXPECT_TRUE(check_origin(origin)) << origin;
  }
  EXPECT_EQ(check_origin("https://a.example:443")->suggestion, "https://a.example");
}

TEST(Syntax, Addresses) {
  for (const char* entry : {"unix", "10.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32", "::/0"}) {
    EXPECT_FALSE(check_addresses_entry(entry)) << entry;
  }
  for (const char* entry : {"", "Unix", "10.0.0.0/33", "10.0.0/8", "example.org", "[::1]", "*"}) {
    EXPECT_TRUE(check_addresses_entry(entry)) << entry;
  }
  EXPECT_EQ(check_addresses_entry("10.0.0.7/29")->suggestion, "10.0.0.0/29");
}

TEST(Syntax, PathPatterns) {
  EXPECT_FALSE(check_path_pattern("*.{hash}.js"));
  EXPECT_FALSE(check_path_pattern("/assets/**"));
  for (const char* pattern : {"", "a\nb", "{hsh}", "{", "}", "{hash"}) {
    EXPECT_TRUE(check_path_pattern(pattern)) << pattern;
  }
}

TEST(Syntax, Extensions) {
  for (const char* extension : {"js", "7z", "c++", "~"}) {
    EXPECT_FALSE(check_extension(extension)) << extension;
  }
  for (const char* extension : {"", ".", "tar.gz", "JS", "a/b", "a b", "\xc3\xbc"}) {
    EXPECT_TRUE(check_extension(extension)) << extension;
  }
  EXPECT_TRUE(check_extension(std::string(65, 'a')));
  EXPECT_EQ(check_extension(".js")->suggestion, "js");
}

TEST(Syntax, MediaTypes) {  // RFC 9110 8.3.1
  for (const char* type : {"text/plain", "text/plain; charset=utf-8", "application/ld+json"}) {
    EXPECT_FALSE(check_media_type(type)) << type;
  }
  for (const char* type :
       {"", "text", "text/", "/plain", "text/a/b", "te xt/plain", "text/p\n", "; charset=utf-8"}) {
    EXPECT_TRUE(check_media_type(type)) << type;
  }
}

}  // namespace
}  // namespace servery
