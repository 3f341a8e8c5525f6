// The modes of the hammer as a table: what a client of each mode does.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace hammer {

enum class Mode {
  kMeasure,
  kFresh,
  kPreconnect,
  kKeepalive,
  kPost,
  kPipelined,
  kDownload,
  kUpload
};
inline constexpr std::size_t kModeCount = 8;

enum class Work { kGet, kPost, kSlowGet, kSlowPost };

struct ModeTraits {
  const char* name;
  Work work;
  bool reuse;                             // further requests on the same connection
  bool arrives;                           // open loop: clients arrive at a rate and leave
  unsigned burst;                         // requests written at once
  std::chrono::milliseconds first_pause;  // a random part of it between connect and first byte
  std::chrono::milliseconds pause;        // a random part of it between requests
};

using std::chrono_literals::operator""ms;

inline constexpr std::array<ModeTraits, kModeCount> kModes{{
    {"measure", Work::kGet, false, false, 1, 0ms, 0ms},
    {"fresh", Work::kGet, false, true, 1, 0ms, 0ms},
    {"preconnect", Work::kGet, false, true, 1, 5000ms, 0ms},
    {"keepalive", Work::kGet, true, false, 1, 0ms, 1000ms},
    {"post", Work::kPost, true, false, 1, 0ms, 1000ms},
    {"pipelined", Work::kGet, true, false, 8, 0ms, 1000ms},
    {"download", Work::kSlowGet, true, false, 1, 0ms, 1000ms},
    {"upload", Work::kSlowPost, true, false, 1, 0ms, 1000ms},
}};

inline constexpr const ModeTraits& traits(Mode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}

// A slow transfer takes kSlowSteps steps of kSlowStep: 5 s.
inline constexpr auto kSlowStep = std::chrono::milliseconds(50);
inline constexpr unsigned kSlowSteps = 100;
inline constexpr std::size_t kPostBytes = 2048;
inline constexpr std::size_t kUploadBytes = 1 << 20;

}  // namespace hammer
