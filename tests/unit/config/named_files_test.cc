#include "config/named_files.h"

#include <gtest/gtest.h>

#include "config/plan.h"

namespace servery {
namespace {

TEST(NamedFiles, AnyBytesSurviveTheWay) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  const auto back = decode_named_files(
      encode_named_files({{{"/a\xff", "alice:x\n"}, {"/b", ""}}, {{"/a\xff", bytes}}}));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->passwords.size(), 2U);
  EXPECT_EQ(back->passwords[0].path, "/a\xff");
  EXPECT_EQ(back->passwords[0].text, "alice:x\n");
  EXPECT_EQ(back->passwords[1].text, "");
  ASSERT_EQ(back->error_pages.size(), 1U);
  EXPECT_EQ(find_file(back->error_pages, "/a\xff")->text, bytes);
  EXPECT_EQ(find_file(back->error_pages, "/b"), nullptr);
}

TEST(NamedFiles, HostileTextIsRefused) {
  for (const char* text :
       {"", "{}", "[]", R"({"passwords":[]})", R"({"passwords":[],"error_pages":[{"path":"a"}]})",
        R"({"passwords":[],"error_pages":[],"x":1})",
        R"({"passwords":[],"error_pages":[{"path":"a","text":"?"}]})"}) {
    EXPECT_FALSE(decode_named_files(text)) << text;
  }
  EXPECT_TRUE(decode_named_files(encode_named_files({})));
  EXPECT_FALSE(decode_named_files(std::string(kMaxNamedFilesBytes + 1, ' ')));
}

}  // namespace
}  // namespace servery
