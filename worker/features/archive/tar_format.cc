#include "worker/features/archive/tar_format.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "common/base/utf8.h"

namespace servery::archive::tar {
namespace {

constexpr std::uint64_t kMostOctal = 0'77777777777;  // eleven digits

// The header block (POSIX.1-2008, pax, "ustar Interchange Format").
struct Block {
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char mtime[12];
  char checksum[8];
  char type;
  char link_name[100];
  char magic[6];
  char version[2];
  char user[32];
  char group[32];
  char device_major[8];
  char device_minor[8];
  char prefix[155];
  char unused[12];
};
static_assert(sizeof(Block) == kBlock);

// Octal digits to fill the field, and its terminator.
template <std::size_t N>
void set_octal(char (&field)[N], std::uint64_t value) {
  field[N - 1] = '\0';
  for (std::size_t i = N - 1; i-- > 0; value >>= 3) field[i] = static_cast<char>('0' + (value & 7));
}

template <std::size_t N>
void set_text(char (&field)[N], std::string_view text) {
  std::memcpy(field, text.data(), std::min(text.size(), N));
}

// Where a path may be cut into prefix and name; npos: nowhere.
std::size_t split_of(std::string_view path) {
  constexpr std::size_t kName = sizeof(Block::name);
  constexpr std::size_t kPrefix = sizeof(Block::prefix);
  if (path.size() <= kName) return 0;
  const std::size_t slash = path.find('/', path.size() - kName - 1);
  // The name must not be empty: a directory's last slash is no cut.
  return slash <= kPrefix && slash + 1 < path.size() ? slash : std::string_view::npos;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool has_plain_time(const Member& member) {
  return member.mtime >= 0 && static_cast<std::uint64_t>(member.mtime) <= kMostOctal;
}

// "LENGTH key=value\n", where LENGTH counts itself.
void append_pax(std::string& out, std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (length != rest + std::to_string(length).size()) {
    length = rest + std::to_string(length).size();
  }
  out.append(std::to_string(length)).append(" ").append(key).append("=").append(value).append("\n");
}

// What the plain header cannot say; mostly nothing.
std::string extended(const Member& member) {
  std::string text;
  if (split_of(member.path) == std::string_view::npos || !is_ascii(member.path)) {
    if (!is_utf8(member.path)) append_pax(text, "hdrcharset", "BINARY");
    append_pax(text, "path", member.path);
  }
  if (member.size > kMostOctal) append_pax(text, "size", std::to_string(member.size));
  if (!has_plain_time(member)) append_pax(text, "mtime", std::to_string(member.mtime));
  return text;
}

std::uint64_t rounded(std::uint64_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

void append_block(std::string& out, Block& block) {
  std::memset(block.checksum, ' ', sizeof block.checksum);
  std::array<unsigned char, kBlock> bytes;
  std::memcpy(bytes.data(), &block, kBlock);
  std::uint64_t sum = 0;
  for (const unsigned char byte : bytes) sum += byte;
  char digits[7];
  set_octal(digits, sum);
  std::memcpy(block.checksum, digits, sizeof digits);
  out.append(reinterpret_cast<const char*>(&block), kBlock);
}

Block make_block(char type, std::uint64_t mode, std::uint64_t size, std::uint64_t mtime) {
  Block block{};
  set_octal(block.mode, mode);
  set_octal(block.uid, 0);
  set_octal(block.gid, 0);
  set_octal(block.size, size);
  set_octal(block.mtime, mtime);
  block.type = type;
  std::memcpy(block.magic, "ustar", 6);
  std::memcpy(block.version, "00", 2);
  return block;
}

void append_extended(std::string& out, const std::string& text) {
  Block block = make_block('x', 0644, text.size(), 0);
  set_text(block.name, "pax_header");
  append_block(out, block);
  out += text;
  out.append(rounded(text.size()) - text.size(), '\0');
}

}  // namespace

std::uint64_t header_size(const Member& member) {
  const std::string text = extended(member);
  return kBlock + (text.empty() ? 0 : kBlock + rounded(text.size()));
}

void append_header(std::string& out, const Member& member) {
  const std::string text = extended(member);
  if (!text.empty()) append_extended(out, text);
  const bool is_wide = member.is_directory || member.is_executable;
  Block block = make_block(member.is_directory ? '5' : '0', is_wide ? 0755 : 0644,
                           std::min(member.size, kMostOctal),
                           has_plain_time(member) ? static_cast<std::uint64_t>(member.mtime) : 0);
  const std::size_t split = split_of(member.path);
  if (split == std::string_view::npos) {
    set_text(block.name, member.path);  // cut; the extended header has it whole
  } else if (split == 0) {
    set_text(block.name, member.path);
  } else {
    set_text(block.prefix, member.path.substr(0, split));
    set_text(block.name, member.path.substr(split + 1));
  }
  append_block(out, block);
}

std::uint64_t padding_size(const Member& member) { return rounded(member.size) - member.size; }

}  // namespace servery::archive::tar
