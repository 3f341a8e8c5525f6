#include "worker/access/failure_throttle.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

namespace servery::access {

FailureThrottle::FailureThrottle(const KeyedDigest& digest) : digest_(digest), sets_(kSets) {}

std::uint64_t FailureThrottle::client_of(std::string_view address) const {
  in6_addr bytes{};
  const std::string text(address.substr(0, address.find('%')));
  if (::inet_pton(AF_INET6, text.c_str(), &bytes) == 1) {
    constexpr std::size_t kPrefix = 8;
    return digest_.of({{reinterpret_cast<const char*>(&bytes), kPrefix}})[0];
  }
  return digest_.of({address})[0];
}

FailureThrottle::Entry* FailureThrottle::find(std::uint64_t client) {
  Set& set = sets_[client % kSets];
  const auto same = std::find_if(set.begin(), set.end(),
                                 [client](const Entry& entry) { return entry.client == client; });
  return same == set.end() ? nullptr : &*same;
}

FailureThrottle::Answer FailureThrottle::count(std::string_view address, SteadyTime now) {
  if (address.empty()) return Answer::kGo;
  const std::uint64_t client = client_of(address);
  Entry* entry = find(client);
  if (entry == nullptr) {
    Set& set = sets_[client % kSets];
    entry = &*std::min_element(set.begin(), set.end(), [](const Entry& a, const Entry& b) {
      return a.clear_at < b.clear_at;
    });
    *entry = {client, now, false};
  }
  const SteadyTime from = std::max(entry->clear_at, now);
  if (from + kRefill > now + kBurst * kRefill) {
    const bool is_first = !entry->is_told;
    entry->is_told = true;
    return is_first ? Answer::kFirstRefused : Answer::kRefused;
  }
  entry->clear_at = from + kRefill;
  entry->is_told = false;
  return Answer::kGo;
}

void FailureThrottle::give_back(std::string_view address) {
  if (address.empty()) return;
  if (Entry* entry = find(client_of(address))) entry->clear_at -= kRefill;
}

}  // namespace servery::access
