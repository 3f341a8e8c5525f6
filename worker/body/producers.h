// Plain producers for coders: bytes in memory, an open file. Pool threads, one call at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/unique_fd.h"
#include "worker/body/produced_source.h"

namespace servery::body {

class MemoryProducer final : public Producer {
 public:
  // `bytes` live in what `holder` keeps.
  MemoryProducer(std::shared_ptr<const void> holder, std::string_view bytes)
      : holder_(std::move(holder)), left_(bytes) {}
  explicit MemoryProducer(std::string bytes)
      : MemoryProducer(std::make_shared<const std::string>(std::move(bytes))) {}
  Outcome produce(std::string& into) override;

 private:
  explicit MemoryProducer(const std::shared_ptr<const std::string>& bytes)
      : holder_(bytes), left_(*bytes) {}

  std::shared_ptr<const void> holder_;
  std::string_view left_;
};

// `size` bytes of `file` from `offset` on; fewer are a failure, what was appended meanwhile is left
// out. The descriptor's own position is not used.
class FileProducer final : public Producer {
 public:
  FileProducer(std::shared_ptr<const UniqueFd> file, std::uint64_t offset, std::uint64_t size)
      : file_(std::move(file)), offset_(offset), left_(size) {}
  Outcome produce(std::string& into) override;

 private:
  std::shared_ptr<const UniqueFd> file_;
  std::uint64_t offset_;
  std::uint64_t left_;
};

}  // namespace servery::body
