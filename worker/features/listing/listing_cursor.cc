#include <array>
#include <climits>
#include <cstring>

#include "common/base/base64.h"
#include "worker/features/listing/listing_query.h"

// version, then order, direction and kind as bits, then the value in little endian, then the name.

namespace servery::listing {
namespace {

constexpr char kVersion = 1;
constexpr std::size_t kHeadSize = 2 + sizeof(std::int64_t);
constexpr std::size_t kMaxText = (kHeadSize + NAME_MAX) * 4 / 3 + 4;

constexpr unsigned kDescending = 4;  // beside two bits of Sort
constexpr unsigned kBackwards = 8;
constexpr unsigned kDirectory = 16;

unsigned order_bits(const Order& order) {
  return static_cast<unsigned>(order.sort) | (order.descending ? kDescending : 0);
}

}  // namespace

std::string encode_cursor(const Order& order, const Cursor& cursor) {
  unsigned bits = order_bits(order);
  if (cursor.backwards) bits |= kBackwards;
  if (cursor.place.is_directory) bits |= kDirectory;
  std::string bytes{kVersion, static_cast<char>(bits)};
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(cursor.place.value) >> shift & 0xff);
  }
  bytes += cursor.place.name;
  std::string text;
  append_base64(text, bytes, Base64::kUrl);
  return text;
}

std::optional<Cursor> decode_cursor(const Order& order, std::string_view text) {
  if (text.size() > kMaxText) return std::nullopt;
  const std::optional<std::string> bytes = decode_base64url(text);
  if (!bytes || bytes->size() <= kHeadSize || (*bytes)[0] != kVersion) return std::nullopt;
  const auto bits = static_cast<unsigned char>((*bytes)[1]);
  if ((bits & ~(kBackwards | kDirectory)) != order_bits(order)) return std::nullopt;
  Cursor cursor;
  cursor.backwards = (bits & kBackwards) != 0;
  cursor.place.is_directory = (bits & kDirectory) != 0;
  std::uint64_t value = 0;
  for (unsigned i = 0; i < sizeof value; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>((*bytes)[2 + i])} << 8 * i;
  }
  cursor.place.value = static_cast<std::int64_t>(value);
  cursor.place.name = bytes->substr(kHeadSize);
  return cursor;
}

}  // namespace servery::listing
