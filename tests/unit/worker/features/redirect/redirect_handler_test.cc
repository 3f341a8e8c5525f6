#include "worker/features/redirect/redirect_handler.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_transport.h"

namespace servery::features {
namespace {

// The Location for `target` in a route "/old"; `rest` as the router would cut it.
std::string location(std::string_view to, const std::string& target,
                     const std::string& host = "www.example.org:81") {
  auto handler = RedirectHandler::create(to, 308);
  if (!handler) return "invalid";
  test::FakeExchange exchange({.target = target, .host = host});
  if (exchange.refusal) return "refused";
  const std::string_view path = exchange->request().path;
  class Direct final : public http::RequestTarget {
   public:
    Direct(RedirectHandler& handler, std::string_view rest) : handler_(handler), rest_(rest) {}
    void run(http::Exchange& to_answer) override { handler_.handle(to_answer, {0, rest_}); }

   private:
    RedirectHandler& handler_;
    std::string_view rest_;
  };
  Direct direct(**handler, path.starts_with("/old") ? path.substr(4) : path);
  exchange.run(direct);
  return exchange.transport.status == 308 ? exchange.transport.field("location")
                                          : std::to_string(exchange.transport.status);
}

TEST(Redirect, ReplacesTheMatchedPartAndKeepsRestAndQuery) {
  EXPECT_EQ(location("/new", "/old"), "/new");
  EXPECT_EQ(location("/new", "/old/x"), "/new/x");
  EXPECT_EQ(location("/new/", "/old/x?a=b"), "/new/x?a=b");
  EXPECT_EQ(location("/new?k=v", "/old?a=b"), "/new?k=v&a=b");
  EXPECT_EQ(location("https://example.org/", "/old/x?"), "https://example.org/x?");
}

TEST(Redirect, AddsTheRestToThePathAndTheQueryBeforeTheFragment) {  // RFC 3986 3
  EXPECT_EQ(location("/new?x=1", "/old/y?z=2"), "/new/y?x=1&z=2");
  EXPECT_EQ(location("/new#part", "/old/y"), "/new/y#part");
  EXPECT_EQ(location("/new#part", "/old?z=1"), "/new?z=1#part");
  EXPECT_EQ(location("https://example.org?x#part", "/old/y?z"), "https://example.org/y?x&z#part");
}

TEST(Redirect, AQueryIsNeverAPath) {
  EXPECT_EQ(location("/{query}", "/old?/evil.com"), "invalid");
  EXPECT_EQ(location("/x#{query}", "/old?y"), "invalid");
}

TEST(Redirect, Names) {
  EXPECT_EQ(location("https://{host}{path}", "/old/x?q"), "https://www.example.org/old/x?q");
  EXPECT_EQ(location("/n{rest}?was={query}", "/old/x?q"), "/n/x?was=q");
  EXPECT_EQ(location("/n{rest}", "/old/x?q"), "/n/x?q");
  EXPECT_EQ(location("{rest}", "/old"), "/");
  EXPECT_EQ(location("https://{host}/", "/old", ""), "400");
}

TEST(Redirect, InjectsNothing) {
  EXPECT_EQ(location("/new", "/old/%0d%0aSet-Cookie:%20x"), "/new/%0D%0ASet-Cookie%3A%20x");
  EXPECT_EQ(location("{rest}", "/old//evil.com"), "/evil.com");
  EXPECT_EQ(location("{rest}", "/old/%5Cevil.com"), "/%5Cevil.com");
  EXPECT_EQ(location("{path}", "//evil.com/"), "/evil.com/");
  EXPECT_EQ(location("/new", "/old/a%2Fb%252F"), "/new/a%2Fb%2F");
}

TEST(Redirect, RefusesBadTargetsAndStatuses) {
  for (const char* to : {"", "new", "//evil", "/\\evil", "{query}", "{host}/x", "/a b", "/{nope}",
                         "/{host", "ftp://x/", "/a\n", "/\xc3\xbc"}) {
    EXPECT_FALSE(RedirectHandler::create(to, 308)) << to;
  }
  for (int status : {200, 300, 304, 306, 309, 404}) {
    EXPECT_FALSE(RedirectHandler::create("/x", status)) << status;
  }
  for (int status : {301, 302, 303, 307, 308}) {
    EXPECT_TRUE(RedirectHandler::create("/x", status)) << status;
  }
}

}  // namespace
}  // namespace servery::features
