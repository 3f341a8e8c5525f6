#include "common/base/stderr_text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <string>

#include "common/base/unique_fd.h"

namespace servery {
namespace {

// stderr is a pipe of ours while this lives.
class StderrPipe {
 public:
  StderrPipe() : saved_(::dup(STDERR_FILENO)) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    reader_ = UniqueFd(ends[0]);
    const UniqueFd writer(ends[1]);
    // Blocking, as a pipe on stderr is.
    ::fcntl(writer.get(), F_SETFL, 0);
    ::dup2(writer.get(), STDERR_FILENO);
  }
  ~StderrPipe() { ::dup2(saved_.get(), STDERR_FILENO); }

  void fill() {
    const auto room = static_cast<std::size_t>(::fcntl(STDERR_FILENO, F_GETPIPE_SZ));
    const std::string filler(room, '.');
    EXPECT_EQ(::write(STDERR_FILENO, filler.data(), filler.size()), static_cast<ssize_t>(room));
  }
  std::string drain() {
    std::string all;
    std::array<char, 4096> part{};
    for (ssize_t n; (n = ::read(reader_.get(), part.data(), part.size())) > 0;) {
      all.append(part.data(), static_cast<std::size_t>(n));
    }
    return all;
  }

 private:
  UniqueFd saved_;
  UniqueFd reader_;
};

TEST(StderrText, WritesWholeTexts) {
  StderrPipe pipe;
  const std::string longer(3 * PIPE_BUF, 'x');
  write_stderr("one\n");
  write_stderr(longer);
  EXPECT_EQ(pipe.drain(), "one\n" + longer);
}

TEST(StderrText, SaysWhatAFullPipeDidNotTake) {
  StderrPipe pipe;
  pipe.fill();
  write_stderr("one\n");
  write_stderr("two\n");
  pipe.drain();
  write_stderr("three\n");
  write_stderr("four\n");
  EXPECT_EQ(pipe.drain(), "servery: 2 lines lost: stderr took none\nthree\nfour\n");
}

}  // namespace
}  // namespace servery
