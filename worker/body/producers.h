// Plain producers for coders: bytes in memory, an open file. Pool threads, one call at a time.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/unique_fd.h"
#include "worker/body/produced_source.h"

namespace servery::body {

class MemoryProducer final : public Producer {
 public:
  explicit MemoryProducer(std::string bytes) : bytes_(std::move(bytes)) {}
  Outcome produce(std::string& into) override;

 private:
  std::string bytes_;
  std::size_t given_ = 0;
};

// The first `size` bytes of `file`; fewer are a failure, what was appended meanwhile is left out.
class FileProducer final : public Producer {
 public:
  FileProducer(UniqueFd file, std::uint64_t size) : file_(std::move(file)), left_(size) {}
  Outcome produce(std::string& into) override;

 private:
  UniqueFd file_;
  std::uint64_t left_;
  std::uint64_t offset_ = 0;
};

}  // namespace servery::body
