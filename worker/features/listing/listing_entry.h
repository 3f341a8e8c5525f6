// One name of a directory as a listing sees it, and a compact list of them (32 bytes and the name).
// Plain values; used on pool threads, one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace servery::listing {

enum class EntryKind : std::uint8_t {
  kDirectory,
  kFile,
  kUnavailable,  // nothing a request could get: a dangling or refused link, a FIFO, a device
};

struct Entry {
  std::string_view name;  // any bytes but '/' and NUL
  EntryKind kind = EntryKind::kFile;
  bool is_link = false;
  bool has_facts = false;  // size and mtime are known
  std::uint64_t size = 0;  // bytes; 0 for directories
  std::int64_t mtime = 0;  // Unix seconds

  bool is_directory() const { return kind == EntryKind::kDirectory; }
};

class EntryList {
 public:
  void add(const Entry& entry) {
    packed_.push_back({entry.size, entry.mtime, static_cast<std::uint32_t>(names_.size()),
                       static_cast<std::uint16_t>(entry.name.size()), entry.kind, entry.is_link,
                       entry.has_facts});
    names_ += entry.name;
  }
  Entry operator[](std::size_t i) const { return view(packed_[i]); }
  void set_facts(std::size_t i, std::uint64_t size, std::int64_t mtime) {
    packed_[i].size = size;
    packed_[i].mtime = mtime;
    packed_[i].has_facts = true;
  }
  std::size_t size() const { return packed_.size(); }
  bool empty() const { return packed_.empty(); }
  std::size_t name_bytes() const { return names_.size(); }

  // `less` compares two Entry values.
  template <typename Less>
  void sort(Less less) {
    std::sort(packed_.begin(), packed_.end(),
              [this, less](const Packed& a, const Packed& b) { return less(view(a), view(b)); });
  }
  // Keeps the least `count` entries, in any order, and gives the rest's memory back.
  template <typename Less>
  void keep_least(std::size_t count, Less less) {
    if (count >= packed_.size()) return;
    std::nth_element(
        packed_.begin(), packed_.begin() + static_cast<std::ptrdiff_t>(count), packed_.end(),
        [this, less](const Packed& a, const Packed& b) { return less(view(a), view(b)); });
    packed_.resize(count);
    std::string names;
    for (Packed& p : packed_) {
      const std::string_view name = view(p).name;
      p.name_begin = static_cast<std::uint32_t>(names.size());
      names += name;
    }
    names_ = std::move(names);
  }

 private:
  struct Packed {
    std::uint64_t size;
    std::int64_t mtime;
    std::uint32_t name_begin;
    std::uint16_t name_size;
    EntryKind kind;
    bool is_link;
    bool has_facts;
  };

  Entry view(const Packed& p) const {
    return {.name = std::string_view(names_).substr(p.name_begin, p.name_size),
            .kind = p.kind,
            .is_link = p.is_link,
            .has_facts = p.has_facts,
            .size = p.size,
            .mtime = p.mtime};
  }

  std::vector<Packed> packed_;
  std::string names_;
};

}  // namespace servery::listing
