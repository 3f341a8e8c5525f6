#include "worker/features/listing/listing_order.h"

#include <algorithm>

#include "common/base/text.h"

namespace servery::listing {
namespace {

struct Key {
  bool is_directory;
  std::int64_t value;
  std::string_view name;
};

Key key_of(Sort sort, const Entry& entry) {
  std::int64_t value = 0;
  if (sort == Sort::kSize) value = static_cast<std::int64_t>(entry.size);
  if (sort == Sort::kTime) value = entry.mtime;
  return {entry.is_directory(), value, entry.name};
}

// Takes the number at the front of `text`, without its leading zeros.
std::string_view take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

int compare_numbers(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

// What two names begin with alike, up to a number that may go on differently.
std::size_t common_size(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(
      a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  auto size = static_cast<std::size_t>(end.first - a.begin());
  while (size > 0 && is_digit(a[size - 1])) --size;
  return size;
}

int compare_naturally(std::string_view a, std::string_view b) {
  const std::size_t common = common_size(a, b);
  a.remove_prefix(common);
  b.remove_prefix(common);
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const int difference = compare_numbers(take_number(a), take_number(b));
      if (difference != 0) return difference;
      continue;
    }
    const auto left = static_cast<unsigned char>(ascii_lower(a.front()));
    const auto right = static_cast<unsigned char>(ascii_lower(b.front()));
    if (left != right) return left < right ? -1 : 1;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() && b.empty()) return 0;
  return a.empty() ? -1 : 1;
}

int compare_keys(const Order& order, const Key& a, const Key& b) {
  if (a.is_directory != b.is_directory) return a.is_directory ? -1 : 1;
  const int sign = order.descending ? -1 : 1;
  if (order.sort == Sort::kName) return sign * compare_names(a.name, b.name);
  if (a.value != b.value) return a.value < b.value ? -sign : sign;
  return compare_names(a.name, b.name);
}

}  // namespace

int compare_names(std::string_view a, std::string_view b) {
  const int natural = compare_naturally(a, b);
  return natural != 0 ? natural : a.compare(b);
}

bool comes_before(const Order& order, const Entry& a, const Entry& b) {
  return compare_keys(order, key_of(order.sort, a), key_of(order.sort, b)) < 0;
}

int compare_to_place(const Order& order, const Entry& entry, const Place& place) {
  return compare_keys(order, key_of(order.sort, entry),
                      {place.is_directory, place.value, place.name});
}

Place place_of(const Order& order, const Entry& entry) {
  const Key key = key_of(order.sort, entry);
  return {key.is_directory, key.value, std::string(key.name)};
}

}  // namespace servery::listing
