#include "common/base/content_hash.h"

#include <bit>
#include <cstring>

namespace servery {
namespace {

// The key is bytes 0 to 15, as in the published test vectors.
constexpr ContentHash::Key kFixedKey = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

std::uint64_t load(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

void append_hex(std::string& out, std::uint64_t word) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (unsigned i = 0; i < 8; ++i) {  // in byte order
    const auto byte = word >> 8 * i & 0xff;
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

}  // namespace

ContentHash::ContentHash() : ContentHash(kFixedKey) {}

ContentHash::ContentHash(const Key& key)
    : v_{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d ^ 0xee,
         key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573} {}

void ContentHash::round() {
  auto& [v0, v1, v2, v3] = v_;
  v0 += v1;
  v1 = std::rotl(v1, 13) ^ v0;
  v0 = std::rotl(v0, 32);
  v2 += v3;
  v3 = std::rotl(v3, 16) ^ v2;
  v0 += v3;
  v3 = std::rotl(v3, 21) ^ v0;
  v2 += v1;
  v1 = std::rotl(v1, 17) ^ v2;
  v2 = std::rotl(v2, 32);
}

void ContentHash::mix(std::uint64_t word) {
  v_[3] ^= word;
  round();
  round();
  v_[0] ^= word;
}

void ContentHash::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t used = size_ % tail_.size();
    if (used == 0 && bytes.size() >= tail_.size()) {
      mix(load(bytes.data()));
      size_ += tail_.size();
      bytes.remove_prefix(tail_.size());
      continue;
    }
    tail_[used] = bytes.front();
    bytes.remove_prefix(1);
    if (++size_ % tail_.size() == 0) mix(load(tail_.data()));
  }
}

void ContentHash::add_number(std::uint64_t value) {
  std::array<char, sizeof value> bytes;
  for (unsigned i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(value >> 8 * i & 0xff);
  add({bytes.data(), bytes.size()});
}

std::string ContentHash::finish() {
  std::string text;
  for (const std::uint64_t word : finish_words()) append_hex(text, word);
  return text;
}

ContentHash::Words ContentHash::finish_words() {
  std::uint64_t last = size_ << 56;
  for (unsigned i = 0; i < size_ % tail_.size(); ++i) {
    last |= std::uint64_t{static_cast<unsigned char>(tail_[i])} << 8 * i;
  }
  mix(last);
  v_[2] ^= 0xee;
  Words words{};
  for (std::size_t half = 0; half < words.size(); ++half) {
    if (half > 0) v_[1] ^= 0xdd;
    for (int i = 0; i < 4; ++i) round();
    words[half] = v_[0] ^ v_[1] ^ v_[2] ^ v_[3];
  }
  return words;
}

}  // namespace servery
