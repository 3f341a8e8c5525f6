#include "worker/http/disposition.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::http {
namespace {

TEST(Disposition, NamesAreQuotedAndExtended) {  // RFC 6266, RFC 8187
  EXPECT_EQ(attachment("photos.zip"), "attachment; filename=\"photos.zip\"");
  EXPECT_EQ(attachment("a \"b\".zip"),
            "attachment; filename=\"a _b_.zip\"; filename*=UTF-8''a%20%22b%22.zip");
  EXPECT_EQ(attachment("\xc3\xa4.tar"),
            "attachment; filename=\"__.tar\"; filename*=UTF-8''%C3%A4.tar");
  EXPECT_EQ(attachment("100%.tar"),
            "attachment; filename=\"100_.tar\"; filename*=UTF-8''100%25.tar");
  EXPECT_EQ(attachment("\xff.zip"),
            "attachment; filename=\"_.zip\"; filename*=UTF-8''%EF%BF%BD.zip");
}

TEST(Disposition, NamesLeadNowhereAndEndNothing) {
  EXPECT_EQ(attachment("a\r\nSet-Cookie: x"),
            "attachment; filename=\"a__Set-Cookie: x\"; filename*=UTF-8''a__Set-Cookie%3A%20x");
  EXPECT_EQ(attachment("../../etc/passwd"),
            "attachment; filename=\".._.._etc_passwd\"; filename*=UTF-8''.._.._etc_passwd");
  EXPECT_EQ(attachment("c:\\x"), "attachment; filename=\"c:_x\"; filename*=UTF-8''c%3A_x");
}

TEST(Disposition, AnAskedNameKeepsTheFilesExtension) {
  EXPECT_EQ(download_name("", "a.txt"), "a.txt");
  EXPECT_EQ(download_name("report", "a.txt"), "report.txt");
  EXPECT_EQ(download_name("report.txt", "a.txt"), "report.txt");
  EXPECT_EQ(download_name("report.TXT", "a.txt"), "report.TXT");
  EXPECT_EQ(download_name("setup.exe", "a.txt"), "setup.exe.txt");
  EXPECT_EQ(download_name("setup.exe.", "README"), "setup");
  EXPECT_EQ(download_name(".exe", "README"), "README");
  EXPECT_EQ(download_name(".txt", "a.txt"), ".txt.txt");
  EXPECT_EQ(download_name("x", ".profile"), "x");
  EXPECT_EQ(download_name(std::string(300, 'x'), "a.txt").size(), 255U);
}

}  // namespace
}  // namespace servery::http
