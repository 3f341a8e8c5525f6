#include "bench/load/target.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace servery::bench {
namespace {

class TargetListTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "targets-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    write("body", "0123456789");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  Result<TargetList> load(const std::string& lines, const std::vector<std::string>& headers = {}) {
    write("list", lines);
    return TargetList::load(folder_ / "list", "example.org", headers);
  }
  std::string body_path() const { return folder_ / "body"; }

 private:
  std::filesystem::path folder_;
};

TEST_F(TargetListTest, ReadsPathStatusAndBody) {
  auto list = load("/a 200 " + body_path() + "\n/b 304 -\n", {"X-Name: value"});
  ASSERT_TRUE(list);
  ASSERT_EQ(list->targets().size(), 2U);
  const Target& first = list->targets()[0];
  EXPECT_EQ(first.request, "GET /a HTTP/1.1\r\nHost: example.org\r\nX-Name: value\r\n\r\n");
  EXPECT_EQ(first.last_request,
            "GET /a HTTP/1.1\r\nHost: example.org\r\nX-Name: value\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(first.body, "0123456789");
  EXPECT_EQ(list->targets()[1].status, 304);
  EXPECT_EQ(list->targets()[1].body, "");
}

TEST_F(TargetListTest, TakesAPartOfAFile) {
  auto list = load("/a 206 " + body_path() + " 2 3\n");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->targets()[0].body, "234");
}

TEST_F(TargetListTest, RefusesWhatItCannotCheck) {
  EXPECT_FALSE(load(""));
  EXPECT_FALSE(load("/a 200\n"));
  EXPECT_FALSE(load("a 200 -\n"));
  EXPECT_FALSE(load("/a 200 " + body_path() + "-missing\n"));
  EXPECT_FALSE(load("/a 206 " + body_path() + " 8 3\n"));
}

}  // namespace
}  // namespace servery::bench
