// CRC-32 (IEEE 802.3), the value of Python's zlib.crc32: how the hammer recognises a body.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hammer {

constexpr std::array<std::uint32_t, 256> make_crc32_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1) != 0 ? (value >> 1) ^ 0xedb88320U : value >> 1;
    }
    table[i] = value;
  }
  return table;
}
inline constexpr auto kCrc32Table = make_crc32_table();

class Crc32 {
 public:
  void add(std::string_view bytes) {
    for (char c : bytes) {
      state_ = kCrc32Table[(state_ ^ static_cast<std::uint8_t>(c)) & 0xffU] ^ (state_ >> 8);
    }
  }
  std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = 0xffffffffU;
};

}  // namespace hammer
