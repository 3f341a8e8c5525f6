// 128 bits that tell one content from another: SipHash-2-4-128. Under its fixed key the same on
// every worker and host, for entity tags of what is made on the fly: not for secrets and not
// against those who choose the content. Under a random key of this process it is fit for both. A
// value; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace servery {

class ContentHash {
 public:
  using Key = std::array<std::uint64_t, 2>;
  using Words = std::array<std::uint64_t, 2>;

  ContentHash();
  explicit ContentHash(const Key& key);
  void add(std::string_view bytes);
  void add_number(std::uint64_t value);
  // Of all that was added; either is the last call.
  std::string finish();  // 32 hex digits
  Words finish_words();

 private:
  void mix(std::uint64_t word);
  void round();

  std::array<std::uint64_t, 4> v_;
  std::array<char, 8> tail_{};
  std::uint64_t size_ = 0;
};

}  // namespace servery
