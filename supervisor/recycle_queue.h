// Which slots want a fresh worker, and whose turn it is: one at a time, in the order they asked.
// Pure; owned by a Generation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

namespace servery {

class RecycleQueue {
 public:
  // False: it waits already.
  bool add(std::uint32_t slot) {
    if (std::find(slots_.begin(), slots_.end(), slot) != slots_.end()) return false;
    slots_.push_back(slot);
    return true;
  }
  // Recycled, or its worker ended without that.
  void remove(std::uint32_t slot) { std::erase(slots_, slot); }
  std::optional<std::uint32_t> turn() const {
    return slots_.empty() ? std::nullopt : std::optional(slots_.front());
  }

 private:
  std::deque<std::uint32_t> slots_;  // front: under way
};

}  // namespace servery
