#include "worker/body/file_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <future>
#include <string>

#include "tests/support/temp_tree.h"

namespace servery::body {
namespace {

using State = http::BodySource::State;

class Source : public testing::Test, protected http::SourceWaiter {
 protected:
  Source()
      : loop(std::move(*Loop::create())),
        pool(std::move(*BlockingPool::create(*loop, {.threads = 1, .queue = 4}))) {
    for (int i = 0; i < 300'000; ++i) text += static_cast<char>('a' + i * 7 % 26);
    tree.file("f", text);
  }
  std::unique_ptr<FileSource> open(std::uint64_t offset, std::uint64_t length) {
    UniqueFd file(::open(tree.at("f").c_str(), O_RDONLY | O_CLOEXEC));
    auto source = std::make_unique<FileSource>(
        *loop, *pool, std::make_shared<const UniqueFd>(std::move(file)), offset, length);
    source->set_waiter(this);
    return source;
  }
  // Runs the loop while the source waits for the pool.
  http::BodySource::Pull pull(FileSource& source, std::span<char> into) {
    while (true) {
      const auto pulled = source.pull(into);
      if (pulled.state != State::kPending) return pulled;
      loop->run();
    }
  }
  std::string pull_all(FileSource& source, std::size_t piece) {
    std::string all;
    std::string buffer(piece, '\0');
    while (true) {
      const auto pulled = pull(source, buffer);
      if (pulled.state == State::kError) return "error";
      if (pulled.state == State::kEnd) return all;
      all.append(buffer, 0, pulled.bytes);
    }
  }
  void drop_from_page_cache() {
    UniqueFd file(::open(tree.at("f").c_str(), O_RDWR | O_CLOEXEC));
    ::fsync(file.get());
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  }

  test::TempTree tree;
  std::string text;
  std::unique_ptr<Loop> loop;
  std::unique_ptr<BlockingPool> pool;

 private:
  void on_source_ready() override { loop->stop(); }
};

TEST_F(Source, GivesItsPart) {
  const auto source = open(10, 200'000);
  EXPECT_EQ(source->length(), 200'000U);
  EXPECT_TRUE(pull_all(*source, 64 * 1024) == text.substr(10, 200'000));
}

TEST_F(Source, GivesAColdFileThroughThePool) {
  drop_from_page_cache();
  const auto source = open(0, text.size());
  EXPECT_TRUE(pull_all(*source, 50'000) == text);
}

TEST_F(Source, TakesBackWhatWasNotSent) {
  const auto source = open(0, 1000);
  std::string buffer(1000, '\0');
  ASSERT_EQ(pull(*source, buffer).bytes, 1000U);
  ASSERT_TRUE(source->take_back(400));
  EXPECT_EQ(pull_all(*source, 77), text.substr(600, 400));
}

TEST_F(Source, OfNothingEndsAtOnce) {
  const auto source = open(5, 0);
  std::string buffer(10, '\0');
  EXPECT_EQ(source->pull(buffer).state, State::kEnd);
}

TEST_F(Source, ATruncatedFileIsAnErrorNotPadding) {
  const auto source = open(0, text.size());
  std::string buffer(1000, '\0');
  ASSERT_EQ(pull(*source, buffer).state, State::kBytes);
  ASSERT_EQ(::truncate(tree.at("f").c_str(), 1000), 0);
  EXPECT_EQ(pull(*source, buffer).state, State::kError);
}

TEST_F(Source, SendsTheOpenedFileWhateverTakesItsName) {
  const auto source = open(0, text.size());
  tree.file("other", std::string(text.size(), 'X'));
  std::filesystem::rename(tree.at("other"), tree.at("f"));
  EXPECT_TRUE(pull_all(*source, 100'000) == text);
}

TEST_F(Source, GrowthAfterTheStartIsNotSent) {
  const auto source = open(0, text.size());
  std::ofstream(tree.at("f"), std::ios::app) << "more";
  EXPECT_TRUE(pull_all(*source, 100'000) == text);
}

TEST_F(Source, MayDieWhileThePoolWorksForIt) {
  drop_from_page_cache();
  auto source = open(0, text.size());
  std::string buffer(1000, '\0');
  (void)source->pull(buffer);
  source.reset();
  bool turned = false;
  loop->post([&] {
    turned = true;
    loop->stop();
  });
  loop->run();
  EXPECT_TRUE(turned);
}

TEST_F(Source, ComesBackWhenThePoolWasFull) {
  drop_from_page_cache();
  std::vector<BlockingPool::Job> jobs;
  while (auto job = pool->run(
             Lane::kBulk, [] {}, [] {}))
    jobs.push_back(std::move(*job));
  const auto source = open(0, text.size());
  EXPECT_TRUE(pull_all(*source, 100'000) == text);
}

}  // namespace
}  // namespace servery::body
