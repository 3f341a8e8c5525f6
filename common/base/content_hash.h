// 128 bits that tell one content from another, for entity tags of what is made on the fly:
// SipHash-2-4-128 under a fixed key, the same on every worker and host. Not for secrets and not
// against those who choose the content. A value; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace servery {

class ContentHash {
 public:
  ContentHash();
  void add(std::string_view bytes);
  void add_number(std::uint64_t value);
  // 32 hex digits of all that was added; the last call.
  std::string finish();

 private:
  void mix(std::uint64_t word);
  void round();

  std::array<std::uint64_t, 4> v_;
  std::array<char, 8> tail_{};
  std::uint64_t size_ = 0;
};

}  // namespace servery
