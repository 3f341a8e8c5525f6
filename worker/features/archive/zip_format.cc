#include "worker/features/archive/zip_format.h"

#include <algorithm>
#include <ctime>
#include <limits>

#include "common/base/utf8.h"

namespace servery::archive::zip {
namespace {

constexpr std::uint32_t kHeaderSignature = 0x04034b50;
constexpr std::uint32_t kDescriptorSignature = 0x08074b50;
constexpr std::uint32_t kRecordSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocatorSignature = 0x07064b50;

constexpr std::uint64_t kMax16 = 0xffff;
constexpr std::uint64_t kMax32 = 0xffff'ffff;
constexpr unsigned kVersion = 20;
constexpr unsigned kVersion64 = 45;
constexpr unsigned kMadeOnUnix = 3 << 8;
constexpr unsigned kFlagDescriptor = 1 << 3;
constexpr unsigned kFlagUtf8 = 1 << 11;

constexpr std::uint64_t kFixedHeader = 30;
constexpr std::uint64_t kFixedRecord = 46;
constexpr std::uint64_t kFixedEnd = 22;
constexpr std::uint64_t kEnd64 = 56;
constexpr std::uint64_t kLocator = 20;
constexpr std::uint64_t kTimeExtra = 9;
constexpr std::uint64_t kExtraHead = 4;

void append_le(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xff);
}
void append16(std::string& out, std::uint64_t value) { append_le(out, value, 2); }
void append32(std::string& out, std::uint64_t value) { append_le(out, value, 4); }
void append64(std::string& out, std::uint64_t value) { append_le(out, value, 8); }
void append_capped32(std::string& out, std::uint64_t value) {
  append32(out, std::min(value, kMax32));
}

bool is_zip64(const Member& member) { return member.size >= kMax32; }

bool has_time(const Member& member) {
  return member.mtime >= std::numeric_limits<std::int32_t>::min() &&
         member.mtime <= std::numeric_limits<std::int32_t>::max();
}

// Extended timestamp (Info-ZIP 0x5455): UTC, to the second.
void append_time_extra(std::string& out, const Member& member) {
  if (!has_time(member)) return;
  append16(out, 0x5455);
  append16(out, 5);
  out += '\x01';
  append32(out, static_cast<std::uint32_t>(member.mtime));
}

// Two seconds' steps from 1980 to 2107, in UTC; date in the upper half.
std::uint32_t dos_time(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (::gmtime_r(&time, &parts) == nullptr || parts.tm_year < 80) return 1U << 21 | 1U << 16;
  if (parts.tm_year > 207) return 0xff9fbf7d;
  const auto field = [](int value, unsigned shift) {
    return static_cast<unsigned>(value) << shift;
  };
  return field(parts.tm_year - 80, 25) | field(parts.tm_mon + 1, 21) | field(parts.tm_mday, 16) |
         field(parts.tm_hour, 11) | field(parts.tm_min, 5) | field(parts.tm_sec / 2, 0);
}

unsigned flags_of(const Member& member) {
  const bool is_ascii = std::all_of(member.path.begin(), member.path.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  unsigned flags = has_descriptor(member) ? kFlagDescriptor : 0;
  if (!is_ascii && is_utf8(member.path)) flags |= kFlagUtf8;
  return flags;
}

// From the flags to the checksum: the same in header and record.
void append_common(std::string& out, const Member& member, std::uint32_t crc) {
  append16(out, flags_of(member));
  append16(out, 0);  // stored
  append32(out, dos_time(member.mtime));
  append32(out, crc);
}

std::uint64_t mode_of(const Member& member) {
  if (member.is_directory) return 0040755;
  return member.is_executable ? 0100755 : 0100644;
}

// The 64-bit numbers that a record must carry apart.
std::uint64_t record_extra64(const Member& member, std::uint64_t begin) {
  const std::uint64_t bytes = (is_zip64(member) ? 16 : 0) + (begin >= kMax32 ? 8 : 0);
  return bytes == 0 ? 0 : kExtraHead + bytes;
}

bool is_zip64(const Directory& directory) {
  return directory.count >= kMax16 || directory.size >= kMax32 || directory.begin >= kMax32;
}

}  // namespace

bool has_descriptor(const Member& member) { return member.size > kSmall; }

std::uint64_t header_size(const Member& member) {
  return kFixedHeader + member.path.size() + (has_time(member) ? kTimeExtra : 0) +
         (is_zip64(member) ? kExtraHead + 16 : 0);
}

// With a descriptor the checksum is zero here; the sizes are known and stated all the same.
void append_header(std::string& out, const Member& member, std::uint32_t crc) {
  append32(out, kHeaderSignature);
  append16(out, is_zip64(member) ? kVersion64 : kVersion);
  append_common(out, member, has_descriptor(member) ? 0 : crc);
  append_capped32(out, member.size);
  append_capped32(out, member.size);
  append16(out, member.path.size());
  append16(out, header_size(member) - kFixedHeader - member.path.size());
  out += member.path;
  append_time_extra(out, member);
  if (!is_zip64(member)) return;
  append16(out, 1);
  append16(out, 16);
  append64(out, member.size);
  append64(out, member.size);
}

std::uint64_t descriptor_size(const Member& member) {
  if (!has_descriptor(member)) return 0;
  return is_zip64(member) ? 24 : 16;
}

void append_descriptor(std::string& out, const Member& member, std::uint32_t crc) {
  if (!has_descriptor(member)) return;
  append32(out, kDescriptorSignature);
  append32(out, crc);
  append_le(out, member.size, is_zip64(member) ? 8 : 4);
  append_le(out, member.size, is_zip64(member) ? 8 : 4);
}

std::uint64_t record_size(const Member& member, std::uint64_t begin) {
  return kFixedRecord + member.path.size() + (has_time(member) ? kTimeExtra : 0) +
         record_extra64(member, begin);
}

void append_record(std::string& out, const Member& member, std::uint64_t begin, std::uint32_t crc) {
  const std::uint64_t extra64 = record_extra64(member, begin);
  append32(out, kRecordSignature);
  append16(out, kMadeOnUnix | kVersion64);
  append16(out, extra64 > 0 ? kVersion64 : kVersion);
  append_common(out, member, crc);
  append_capped32(out, member.size);
  append_capped32(out, member.size);
  append16(out, member.path.size());
  append16(out, record_size(member, begin) - kFixedRecord - member.path.size());
  append16(out, 0);  // comment
  append16(out, 0);  // disk
  append16(out, 0);  // internal attributes
  append32(out, mode_of(member) << 16 | (member.is_directory ? 0x10U : 0U));
  append_capped32(out, begin);
  out += member.path;
  append_time_extra(out, member);
  if (extra64 == 0) return;
  append16(out, 1);
  append16(out, extra64 - kExtraHead);
  if (is_zip64(member)) {
    append64(out, member.size);
    append64(out, member.size);
  }
  if (begin >= kMax32) append64(out, begin);
}

std::uint64_t end_size(const Directory& directory) {
  return kFixedEnd + (is_zip64(directory) ? kEnd64 + kLocator : 0);
}

void append_end(std::string& out, const Directory& directory) {
  if (is_zip64(directory)) {
    append32(out, kEnd64Signature);
    append64(out, kEnd64 - 12);
    append16(out, kMadeOnUnix | kVersion64);
    append16(out, kVersion64);
    append32(out, 0);
    append32(out, 0);
    append64(out, directory.count);
    append64(out, directory.count);
    append64(out, directory.size);
    append64(out, directory.begin);
    append32(out, kLocatorSignature);
    append32(out, 0);
    append64(out, directory.begin + directory.size);
    append32(out, 1);
  }
  append32(out, kEndSignature);
  append16(out, 0);
  append16(out, 0);
  append16(out, std::min(directory.count, kMax16));
  append16(out, std::min(directory.count, kMax16));
  append_capped32(out, directory.size);
  append_capped32(out, directory.begin);
  append16(out, 0);
}

}  // namespace servery::archive::zip
