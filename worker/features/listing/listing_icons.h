// The icons of the HTML listing: symbols drawn once a page and used by each row, chosen by the
// extension of a name. Pure.
#pragma once

#include <string_view>

#include "worker/features/listing/listing_entry.h"

namespace servery::listing {

// All symbols as one hidden <svg>; their ids are what icon_id() returns.
std::string_view icon_symbols();
std::string_view icon_id(const Entry& entry);

}  // namespace servery::listing
