#include "worker/http/cache_rules.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::http {
namespace {

bool matches(std::string_view pattern, std::string_view path) {
  return PathPattern(pattern).matches(path);
}

TEST(PathPattern, WithoutASlashItIsForTheNameAlone) {
  EXPECT_TRUE(matches("*.html", "index.html"));
  EXPECT_TRUE(matches("*.html", "a/b/index.html"));
  EXPECT_FALSE(matches("*.html", "a.html/b"));
  EXPECT_TRUE(matches("?.js", "x/a.js"));
  EXPECT_FALSE(matches("?.js", "x/ab.js"));
}

TEST(PathPattern, WithASlashItIsForTheWholePath) {
  EXPECT_TRUE(matches("/assets/*", "assets/app.js"));
  EXPECT_FALSE(matches("/assets/*", "assets/js/app.js"));
  EXPECT_TRUE(matches("assets/**", "assets/js/app.js"));
  EXPECT_FALSE(matches("assets/**", "x/assets/js/app.js"));
  EXPECT_TRUE(matches("**/img/*.png", "a/b/img/c.png"));
}

TEST(PathPattern, AHashHasLettersAndDigits) {
  EXPECT_TRUE(matches("*.{hash}.*", "app.3f9a2b1c.js"));
  EXPECT_TRUE(matches("*-{hash}.js", "assets/index-DhBv3x9A.js"));
  EXPECT_FALSE(matches("*.{hash}.*", "report.20240131.pdf"));
  EXPECT_FALSE(matches("*.{hash}.*", "jquery.minified.js"));
  EXPECT_FALSE(matches("*.{hash}.*", "app.3f9a2b1.js"));  // seven
  EXPECT_FALSE(matches("{hash}", std::string(64, 'a') + "1"));
  EXPECT_TRUE(matches("{hash}", std::string(63, 'a') + "1"));
}

TEST(PathPattern, ManyStarsTakeNoLongerThanTheProduct) {
  const std::string name(2000, 'a');
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", name));
  EXPECT_TRUE(matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*", name));
}

TEST(CacheRules, TheFirstThatMatches) {
  const CacheRules rules(
      "no-cache",
      {{"*.{hash}.*", "max-age=31536000, immutable"}, {"*.js", "max-age=60"}, {"*.tmp", ""}});
  EXPECT_EQ(rules.value_for("app.3f9a2b1c.js"), "max-age=31536000, immutable");
  EXPECT_EQ(rules.value_for("app.js"), "max-age=60");
  EXPECT_EQ(rules.value_for("x/y.tmp"), "");
  EXPECT_EQ(rules.value_for("index.html"), "no-cache");
}

}  // namespace
}  // namespace servery::http
