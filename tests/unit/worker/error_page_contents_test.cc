#include "worker/error_page_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace servery {
namespace {

using testing::ElementsAre;

std::vector<std::string> brief(const http::ErrorPages& pages) {
  std::vector<std::string> out;
  for (const http::ErrorPage& page : pages) {
    out.push_back(std::to_string(page.first_status) + "-" + std::to_string(page.last_status) + " " +
                  *page.content + " " + page.content_type);
  }
  return out;
}

TEST(ErrorPageContents, ARoutesComeFirstAndAStatusBeforeItsClass) {
  const ErrorPageContents contents({{"/a.html", "a"}, {"/b.txt", "b"}});
  const ErrorPageFiles route{{"4xx", "/a.html"}, {"404", "/b.txt"}};
  const ErrorPageFiles top{{"5xx", "/b.txt"}, {"403", "/a.html"}, {"500", "/a.html"}};
  constexpr const char* kHtml = "text/html; charset=utf-8";
  constexpr const char* kText = "text/plain; charset=utf-8";
  EXPECT_THAT(brief(contents.pages(route, top)),
              ElementsAre(std::string("404-404 b ") + kText, std::string("400-499 a ") + kHtml,
                          std::string("403-403 a ") + kHtml, std::string("500-500 a ") + kHtml,
                          std::string("500-599 b ") + kText));
  EXPECT_TRUE(contents.pages({}, {}).empty());
}

TEST(ErrorPageContents, ContentIsHeldOnce) {
  const ErrorPageContents contents(std::vector<NamedFile>{{"/a.html", "a"}});
  const ErrorPageFiles top{{"4xx", "/a.html"}, {"5xx", "/a.html"}};
  const http::ErrorPages one = contents.pages({}, top);
  const http::ErrorPages other = contents.pages({}, top);
  EXPECT_EQ(one[0].content, one[1].content);
  EXPECT_EQ(one[0].content, other[0].content);
}

}  // namespace
}  // namespace servery
