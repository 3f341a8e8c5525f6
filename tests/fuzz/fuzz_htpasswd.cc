// Password files. What is read as a user is one that can be sent and checked; what is wrong has a
// line; an edit changes one user and no other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/credentials/htpasswd.h"

namespace {

using servery::Htpasswd;

void check(bool holds) {
  if (!holds) std::abort();
}

const servery::HtpasswdUser* find(const Htpasswd& file, std::string_view name) {
  const auto found = std::find_if(file.users.begin(), file.users.end(),
                                  [name](const auto& user) { return user.name == name; });
  return found == file.users.end() ? nullptr : &*found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  const Htpasswd file = servery::parse_htpasswd(text);
  for (const auto& user : file.users) {
    check(!servery::check_user_name(user.name));
    check(servery::inspect_hash(user.hash).has_value() && user.cost.work > 0);
  }
  for (const auto& fault : file.faults) check(fault.line >= 1 && fault.line <= lines);
  constexpr std::string_view kUser = "alice";
  const std::string hash = "$2y$05$" + std::string(53, 'a');
  const Htpasswd edited = servery::parse_htpasswd(servery::with_user(text, kUser, hash));
  if (!file.faults.empty() || file.users.size() >= servery::kMaxHtpasswdUsers) return 0;
  check(edited.faults.empty());
  check(find(edited, kUser) != nullptr && find(edited, kUser)->hash == hash);
  for (const auto& user : file.users) {
    const auto* same = find(edited, user.name);
    check(same != nullptr && (user.name == kUser || same->hash == user.hash));
  }
  return 0;
}
