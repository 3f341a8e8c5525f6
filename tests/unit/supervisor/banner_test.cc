#include "supervisor/banner.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

using Urls = std::vector<std::string>;

ListenerStatus listener(std::string address, std::string kind = "tcp") {
  ListenerStatus status;
  status.address = std::move(address);
  status.kind = std::move(kind);
  return status;
}

TEST(Banner, NamesUrlsThatCanBeOpened) {
  const Urls own{"192.0.2.7", "[2001:db8::7]"};
  EXPECT_EQ(listener_urls(listener("127.0.0.1:8000"), own), Urls{"http://127.0.0.1:8000/"});
  EXPECT_EQ(listener_urls(listener("0.0.0.0:80"), own),
            (Urls{"http://127.0.0.1:80/", "http://192.0.2.7:80/"}));
  EXPECT_EQ(listener_urls(listener("[::]:80"), own),
            (Urls{"http://[::1]:80/", "http://[2001:db8::7]:80/"}));
  EXPECT_EQ(listener_urls(listener("unix:/run/x.sock", "unix"), own), Urls{"unix:/run/x.sock"});
  EXPECT_EQ(listener_urls(listener("fd:web", "inherited"), own), Urls{"fd:web"});
}

TEST(Banner, SaysWhatIsServedAndHowToControlIt) {
  Plan plan;
  plan.profile = "local";
  plan.workers = 1;
  plan.roots = {"/srv/www"};
  const std::string text = format_banner(plan, {"http://127.0.0.1:8000/"}, "/run/c.sock");
  EXPECT_NE(text.find("profile local, 1 worker\n"), std::string::npos) << text;
  EXPECT_NE(text.find("/srv/www"), std::string::npos);
  EXPECT_NE(text.find("http://127.0.0.1:8000/"), std::string::npos);
  EXPECT_NE(text.find("/run/c.sock"), std::string::npos);
  EXPECT_EQ(text.find("config"), std::string::npos);
}

}  // namespace
}  // namespace servery
