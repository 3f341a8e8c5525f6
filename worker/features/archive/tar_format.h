// The bytes of a tar archive (POSIX.1-2008 pax interchange format): plain ustar headers, with an
// extended header only where a name or number does not fit. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "worker/features/archive/member_tree.h"

namespace servery::archive::tar {

inline constexpr std::uint64_t kBlock = 512;
inline constexpr std::uint64_t kEndSize = 2 * kBlock;  // zeros

std::uint64_t header_size(const Member& member);
void append_header(std::string& out, const Member& member);
// Zeros behind the content.
std::uint64_t padding_size(const Member& member);

}  // namespace servery::archive::tar
