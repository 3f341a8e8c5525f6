// The bytes of a zip archive whose members are stored (APPNOTE.TXT 6.3.10): sizes first, without
// looking at any content, so that a layout can be planned; zip64 where a number needs it. Pure.
//
// A checksum stands before the content of small members and behind it, in a data descriptor, for
// large ones: those are not read before they are sent.
#pragma once

#include <cstdint>
#include <string>

#include "worker/features/archive/member_tree.h"

namespace servery::archive::zip {

// Members up to this size have their checksum in the header.
inline constexpr std::uint64_t kSmall = std::uint64_t{64} * 1024;

bool has_descriptor(const Member& member);
std::uint64_t header_size(const Member& member);
void append_header(std::string& out, const Member& member, std::uint32_t crc);
std::uint64_t descriptor_size(const Member& member);
void append_descriptor(std::string& out, const Member& member, std::uint32_t crc);

// `begin`: of the member's header.
std::uint64_t record_size(const Member& member, std::uint64_t begin);
void append_record(std::string& out, const Member& member, std::uint64_t begin, std::uint32_t crc);

struct Directory {
  std::uint64_t count = 0;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};
std::uint64_t end_size(const Directory& directory);
void append_end(std::string& out, const Directory& directory);

}  // namespace servery::archive::zip
