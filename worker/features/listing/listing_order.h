// The orders of a listing: a total order over the entries of one directory, so that a place in it
// can be named without counting. Directories always come first. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "worker/features/listing/listing_entry.h"

namespace servery::listing {

enum class Sort : std::uint8_t { kName, kSize, kTime };

struct Order {
  Sort sort = Sort::kName;
  bool descending = false;
  friend bool operator==(const Order&, const Order&) = default;
};

// A place between entries: behind the entry that had these values. The entry itself may be gone.
struct Place {
  bool is_directory = false;
  std::int64_t value = 0;  // size or mtime, by the order; 0 for names
  std::string name;
};

// Numbers in names by value ("2" before "10"), ASCII letters without case, then bytes. Negative,
// zero (equal bytes only) or positive.
int compare_names(std::string_view a, std::string_view b);

bool comes_before(const Order& order, const Entry& a, const Entry& b);
// Negative: the entry is before the place; zero: it is the place's own entry.
int compare_to_place(const Order& order, const Entry& entry, const Place& place);
Place place_of(const Order& order, const Entry& entry);

}  // namespace servery::listing
