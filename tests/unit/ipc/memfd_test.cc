#include "ipc/memfd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace servery::ipc {
namespace {

TEST(Memfd, HandsOverTheTextOnceSealed) {
  const std::string text(100'000, 'y');
  auto fd = seal_text("test", text);
  ASSERT_TRUE(fd) << fd.error().text;
  EXPECT_TRUE(::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_EQ(::write(fd->get(), "x", 1), -1);
  EXPECT_EQ(::ftruncate(fd->get(), 0), -1);
  for (int i = 0; i < 2; ++i) {  // the file offset plays no part
    auto read = read_sealed_text(fd->get(), text.size());
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_EQ(*read, text);
  }
}

TEST(Memfd, RefusesMoreThanAskedFor) {
  auto fd = seal_text("test", "four");
  ASSERT_TRUE(fd);
  auto read = read_sealed_text(fd->get(), 3);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kTooLarge);
}

TEST(Memfd, RefusesWhatIsNotSealedOrNotItsLayout) {
  const UniqueFd open(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::write(open.get(), "0123456789abcdefghij", 20), 20);
  EXPECT_FALSE(read_sealed_text(open.get(), 100));
  ASSERT_EQ(
      ::fcntl(open.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE),
      0);
  auto read = read_sealed_text(open.get(), 100);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kUnsupported);
  const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(read_sealed_text(null.get(), 100));
}

}  // namespace
}  // namespace servery::ipc
