#include "worker/routing/router.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace servery::routing {
namespace {

using http::Method;

http::MethodSet methods(std::initializer_list<Method> list) {
  http::MethodSet set;
  for (Method method : list) set.add(method);
  return set;
}

RouteKey key(std::string path, std::string host = {}) {
  RouteKey result{std::move(host), std::move(path), false, methods({Method::kGet})};
  if (result.path.starts_with('=')) {
    result.exact = true;
    result.path.erase(0, 1);
  }
  return result;
}
RouteKey key_for(std::string path, std::initializer_list<Method> list) {
  RouteKey result = key(std::move(path));
  result.methods = methods(list);
  return result;
}

class RouterTest : public ::testing::Test {
 protected:
  void build(const std::vector<RouteKey>& keys) {
    auto made = Router::create(keys);
    ASSERT_TRUE(made) << made.error().text;
    router = std::move(*made);
  }
  // "ROUTE rest", "405 methods" or "404".
  std::string match(std::string_view path, std::string_view host = "x",
                    Method method = Method::kGet) const {
    const Router::Match found = router.match(host, path, method);
    if (found.outcome == Router::Outcome::kNotFound) return "404";
    if (found.outcome == Router::Outcome::kMethodNotAllowed) return "405";
    return std::to_string(found.route) + " " + std::string(path.substr(found.matched));
  }

  Router router;
};

TEST_F(RouterTest, LongestPathAtASlash) {
  build({key("/"), key("/drop"), key("/drop/deep/er"), key("/dr")});
  EXPECT_EQ(match("/"), "0 /");
  EXPECT_EQ(match("/x/y"), "0 /x/y");
  EXPECT_EQ(match("/drop"), "1 ");
  EXPECT_EQ(match("/drop/"), "1 /");
  EXPECT_EQ(match("/drop/a.txt"), "1 /a.txt");
  EXPECT_EQ(match("/dropx"), "0 /dropx");
  EXPECT_EQ(match("/drop/deep/erx"), "1 /deep/erx");
  EXPECT_EQ(match("/drop/deep/er/z"), "2 /z");
  EXPECT_EQ(match("/dr/drop"), "3 /drop");
}

TEST_F(RouterTest, NoRouteIsNotFound) {
  build({key("/a")});
  EXPECT_EQ(match("/"), "404");
  EXPECT_EQ(match("/b"), "404");
  EXPECT_EQ(match("/ab"), "404");
  build({});
  EXPECT_EQ(match("/"), "404");
}

TEST_F(RouterTest, ASlashAtTheEndOfARoutePathIsTheSameRoute) {
  build({key("/drop/")});
  EXPECT_EQ(match("/drop"), "0 ");
  EXPECT_EQ(match("/drop/a"), "0 /a");
  EXPECT_FALSE(Router::create({key("/drop/"), key("/drop")}));
}

TEST_F(RouterTest, ExactComesBeforePrefixAndMatchesNothingBelow) {
  build({key("/x"), key("=/x"), key("=/"), key("=/only")});
  EXPECT_EQ(match("/x"), "1 ");
  EXPECT_EQ(match("/x/y"), "0 /y");
  EXPECT_EQ(match("/"), "2 ");
  EXPECT_EQ(match("/z"), "404");
  EXPECT_EQ(match("/only"), "3 ");
  EXPECT_EQ(match("/only/"), "404");
}

TEST_F(RouterTest, HostsExactThenLongestWildcardThenNone) {
  build({key("/"), key("/", "a.example.org"), key("/", "*.example.org"), key("/", "*.org")});
  EXPECT_EQ(match("/", "a.example.org"), "1 /");
  EXPECT_EQ(match("/", "b.example.org"), "2 /");
  EXPECT_EQ(match("/", "b.a.example.org"), "2 /");
  EXPECT_EQ(match("/", "example.org"), "3 /");
  EXPECT_EQ(match("/", "org"), "0 /");
  EXPECT_EQ(match("/", ""), "0 /");
}

TEST_F(RouterTest, AHostWithoutThatPathFallsBackToTheLessSpecific) {
  build({key("/common"), key("/", "*.org"), key("/own", "a.org")});
  EXPECT_EQ(match("/own/x", "a.org"), "2 /x");
  EXPECT_EQ(match("/common", "a.org"), "1 /common");
  EXPECT_EQ(match("/common", "a.com"), "0 ");
  EXPECT_EQ(match("/own", "a.com"), "404");
}

TEST_F(RouterTest, MethodsDecideLastAndAllowIsTheUnion) {
  build({key_for("/", {Method::kGet, Method::kDelete}), key_for("/api", {Method::kGet}),
         key_for("/api", {Method::kPost})});
  EXPECT_EQ(match("/api", "x", Method::kGet), "1 ");
  EXPECT_EQ(match("/api", "x", Method::kPost), "2 ");
  EXPECT_EQ(match("/api/x", "x", Method::kDelete), "405");  // never the shorter path's route
  const auto refused = router.match("x", "/api", Method::kDelete);
  const http::MethodSet allow = router.places()[refused.place].methods;
  EXPECT_TRUE(allow.contains(Method::kGet) && allow.contains(Method::kPost));
  EXPECT_FALSE(allow.contains(Method::kDelete));
  EXPECT_TRUE(router.all_methods().contains(Method::kDelete));
}

TEST_F(RouterTest, ExactWithoutTheMethodLeavesItToItsPrefix) {
  build({key_for("=/x", {Method::kPost}), key_for("/x", {Method::kGet})});
  EXPECT_EQ(match("/x", "h", Method::kPost), "0 ");
  EXPECT_EQ(match("/x", "h", Method::kGet), "1 ");
  EXPECT_EQ(match("/x", "h", Method::kPut), "405");
  EXPECT_EQ(match("/x/y", "h", Method::kPost), "405");
}

TEST_F(RouterTest, TwoRoutesForOneRequestAreRefused) {
  EXPECT_FALSE(Router::create({key("/a"), key("/a")}));
  EXPECT_FALSE(Router::create({key("=/a"), key("=/a")}));
  EXPECT_FALSE(Router::create({key("/", "h"), key("/", "h")}));
  EXPECT_TRUE(Router::create({key("/a", "h"), key("/a", "*.h"), key("/a")}));
  EXPECT_FALSE(Router::create({key("a")}));
}

TEST_F(RouterTest, AThousandRoutesEachFound) {
  std::vector<RouteKey> keys = {key("/")};
  for (int i = 1; i <= 1'000; ++i) keys.push_back(key("/service/" + std::to_string(i)));
  build(keys);
  for (int i = 1; i <= 1'000; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_EQ(match("/service/" + number + "/x"), number + " /x");
  }
  EXPECT_EQ(match("/service/1001"), "0 /service/1001");
}

}  // namespace
}  // namespace servery::routing
