// A part of an open file as a response body. Shares the descriptor with the sources of other parts;
// owned by its exchange; worker thread, with windows of a cold file made resident on the pool. A
// file that gets shorter ends the response as an error, never with padding.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/base/unique_fd.h"
#include "common/loop/blocking_pool.h"
#include "common/loop/timer.h"
#include "worker/http/body.h"

namespace servery::body {

class FileSource final : public http::BodySource {
 public:
  FileSource(Loop& loop, BlockingPool& pool, std::shared_ptr<const UniqueFd> file,
             std::uint64_t offset, std::uint64_t length);
  ~FileSource() override;

  void set_waiter(http::SourceWaiter* waiter) override { waiter_ = waiter; }
  std::optional<std::uint64_t> length() const override { return length_; }
  Pull pull(std::span<char> into) override;
  bool take_back(std::size_t bytes) override;

 private:
  struct Window;

  Pull pull_resident(std::span<char> into);
  Pull pull_staged(std::span<char> into);
  Pull give(std::size_t bytes);
  Pull ask_pool();
  void on_window();

  Loop& loop_;
  BlockingPool& pool_;
  http::SourceWaiter* waiter_ = nullptr;
  std::uint64_t length_;
  std::uint64_t offset_;  // in the file, of the next byte
  std::uint64_t left_;
  bool reads_inline_ = true;        // false: this file system cannot say "not resident"
  bool window_fresh_ = false;       // the pool has just made the next bytes resident
  std::shared_ptr<Window> window_;  // shared with the job, which may outlive this
  std::optional<Timer> retry_;      // the pool's queue was full
  BlockingPool::Job job_;
};

}  // namespace servery::body
