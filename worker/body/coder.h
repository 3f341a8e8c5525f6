// Content coders: zstd (RFC 8878 in RFC 9659's window), brotli (RFC 7932) and gzip (RFC 1952) over
// bytes given piece by piece. The only includer of their libraries. Any thread, one call at a time.
// The same pieces give the same bytes: no time, no name, one thread.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "worker/http/negotiate.h"

namespace servery::body {

// One for each http::Coding; identity's means nothing.
using CodingLevels = std::array<int, http::kCodingCount>;

class Coder {
 public:
  enum class Then : std::uint8_t {
    kMore,   // what does not fill a block yet stays inside
    kFlush,  // a decoder can have all of it
    kEnd,    // no further call
  };
  virtual ~Coder() = default;
  // Codes all of `plain`, appending to `into`. False: out of memory.
  virtual bool code(std::string_view plain, Then then, std::string& into) = 0;

  static Result<std::unique_ptr<Coder>> create(http::Coding coding, int level);
};

// What the coded bytes depend on beside the plain ones, for entity tags: coding, level and version
// of the library ("br5.1.0.9").
std::string coding_mark(http::Coding coding, int level);

// Whether a file that begins with `head` may be given as zstd: RFC 9659 has a window of at most
// 8 MiB, more is refused by browsers. Looks at the first frame; false for what is not zstd.
inline constexpr std::size_t kZstdHeadSize = 18;
bool has_small_zstd_window(std::string_view head);

}  // namespace servery::body
