// Where answers collect before they leave in one write: one per worker, empty between connections.
// Large because file bodies pass through it; pages that small answers never reach cost nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace servery::transport {

class OutputBuffer {
 public:
  static constexpr std::size_t kCapacity = 512 * 1024;

  std::span<char> room() { return {data_.get() + used_, kCapacity - used_}; }
  std::span<const char> bytes() const { return {data_.get(), used_}; }
  std::size_t size() const { return used_; }
  void commit(std::size_t bytes) { used_ += bytes; }
  void shrink(std::size_t bytes) { used_ -= bytes; }
  void clear() { used_ = 0; }

 private:
  std::unique_ptr<char[]> data_{new char[kCapacity]};
  std::size_t used_ = 0;
};

}  // namespace servery::transport
