#include "common/credentials/htpasswd.h"

#include <algorithm>
#include <unordered_set>

#include "common/base/utf8.h"

namespace servery {
namespace {

constexpr std::size_t kMaxFaults = 20;
constexpr std::size_t kMaxUserName = 255;

// One line off the front, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_skipped(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#';
}

bool is_of_user(std::string_view line, std::string_view user) {
  return line.starts_with(user) && line.size() > user.size() && line[user.size()] == ':';
}

// What is wrong with a line; `user` is filled as far as it is right.
std::optional<std::string> read_user(std::string_view line, HtpasswdUser& user) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return "USER:HASH is expected";
  user.name = line.substr(0, colon);
  user.hash = line.substr(colon + 1);
  if (auto fault = check_user_name(user.name)) return fault;
  auto cost = inspect_hash(user.hash);
  if (!cost) return user.name + ": " + cost.error().text;
  user.cost = *cost;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> check_user_name(std::string_view name) {
  if (name.empty()) return "the user name is empty";
  if (name.size() > kMaxUserName) return "the user name is longer than 255 bytes";
  if (name.front() == '#') return "a user name does not begin with #";
  const bool plain = std::none_of(name.begin(), name.end(), [](char c) {
    return c == ':' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (!plain || !is_utf8(name)) return "a user name is UTF-8 without colon and control characters";
  return std::nullopt;
}

Htpasswd parse_htpasswd(std::string_view text) {
  Htpasswd file;
  std::unordered_set<std::string> names;
  for (std::uint32_t number = 1; !text.empty() && file.faults.size() < kMaxFaults; ++number) {
    const std::string_view line = take_line(text);
    if (is_skipped(line)) continue;
    HtpasswdUser user;
    std::optional<std::string> fault = read_user(line, user);
    if (!fault && !names.insert(user.name).second) fault = user.name + " is there twice";
    if (!fault && names.size() > kMaxHtpasswdUsers) fault = "more than 10000 users";
    if (fault) {
      file.faults.push_back({number, std::move(*fault)});
    } else {
      file.users.push_back(std::move(user));
    }
  }
  return file;
}

std::string with_user(std::string_view text, std::string_view user, std::string_view hash) {
  std::string out;
  bool is_written = false;
  const auto write = [&] { out.append(user).append(":").append(hash).append("\n"); };
  while (!text.empty()) {
    const std::string_view begin = text;
    const std::string_view line = take_line(text);
    if (!is_of_user(line, user)) {
      out.append(begin.substr(0, begin.size() - text.size()));
    } else if (!is_written) {
      write();
      is_written = true;
    }
  }
  if (is_written) return out;
  if (!out.empty() && out.back() != '\n') out += '\n';
  write();
  return out;
}

std::optional<std::string> without_user(std::string_view text, std::string_view user) {
  std::string out;
  bool is_there = false;
  while (!text.empty()) {
    const std::string_view begin = text;
    const std::string_view line = take_line(text);
    if (is_of_user(line, user)) {
      is_there = true;
    } else {
      out.append(begin.substr(0, begin.size() - text.size()));
    }
  }
  if (!is_there) return std::nullopt;
  return out;
}

}  // namespace servery
