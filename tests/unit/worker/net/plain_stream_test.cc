#include "worker/net/plain_stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <string_view>

namespace servery::net {
namespace {

using Io = ByteStream::Io;

class Plain : public testing::Test {
 protected:
  Plain() : stream(make()) {}
  PlainStream make() {
    std::array<int, 2> pair{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
    peer.reset(pair[1]);
    return PlainStream(UniqueFd(pair[0]));
  }
  ByteStream::Result write(std::string_view a, std::string_view b) {
    const std::array<iovec, 2> parts{iovec{const_cast<char*>(a.data()), a.size()},
                                     iovec{const_cast<char*>(b.data()), b.size()}};
    return stream.write(parts);
  }
  UniqueFd peer;
  PlainStream stream;
  std::array<char, 100> buffer{};
};

TEST_F(Plain, ReadsWhatIsThere) {
  EXPECT_EQ(stream.read(buffer).io, Io::kAgain);
  ASSERT_EQ(::send(peer.get(), "hi", 2, 0), 2);
  const auto result = stream.read(buffer);
  EXPECT_EQ(result.io, Io::kOk);
  EXPECT_EQ(std::string_view(buffer.data(), result.bytes), "hi");
}

TEST_F(Plain, TellsTheEnd) {
  peer.reset();
  EXPECT_EQ(stream.read(buffer).io, Io::kEnd);
}

TEST_F(Plain, WritesAllPartsInOrder) {
  EXPECT_EQ(write("head", "body").bytes, 8U);
  ASSERT_EQ(::recv(peer.get(), buffer.data(), buffer.size(), 0), 8);
  EXPECT_EQ(std::string_view(buffer.data(), 8), "headbody");
}

TEST_F(Plain, AFullSocketTakesNoMore) {
  const std::string much(1 << 20, 'x');
  ByteStream::Result result;
  do {
    result = write(much, much);
  } while (result.io == Io::kOk);
  EXPECT_EQ(result.io, Io::kAgain);
  EXPECT_EQ(result.bytes, 0U);
}

TEST_F(Plain, KnowsWhatThePeerHasNotTaken) {
  EXPECT_EQ(stream.unsent(), 0U);
  write("four", "bytes");
  const std::uint64_t before = stream.unsent();
  EXPECT_GT(before, 0U);
  EXPECT_EQ(::recv(peer.get(), buffer.data(), buffer.size(), 0), 9);
  EXPECT_LT(stream.unsent(), before);
}

TEST_F(Plain, WritingToOneThatIsGoneIsAnErrorNotASignal) {
  peer.reset();
  const auto result = write("a", "b");
  EXPECT_EQ(result.io, Io::kError);
  EXPECT_EQ(result.error_number, EPIPE);
}

TEST_F(Plain, ShutdownSendsFinAndGoesOnReading) {
  stream.shutdown_write();
  EXPECT_EQ(::recv(peer.get(), buffer.data(), buffer.size(), 0), 0);
  ASSERT_EQ(::send(peer.get(), "x", 1, 0), 1);
  EXPECT_EQ(stream.read(buffer).bytes, 1U);
}

}  // namespace
}  // namespace servery::net
