// The kernel's order of the members of each SO_REUSEPORT group, which selection programs index:
// members stand in the order of their listen(); when one closes, the last takes its place. A group
// is an address; listeners of several configured texts may share one. Pure; owned by Listeners.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace servery {

class MemberOrders {
 public:
  using Address = std::string;

  void on_listen(const Address& address, int fd) { orders_[address].push_back(fd); }
  void on_close(const Address& address, int fd);
  // In the kernel's order; empty for an unknown address.
  const std::vector<int>& members(const Address& address) const;
  // Who takes the place of `fd` when it closes; nothing when it is the last itself.
  std::optional<int> moved_by_close(const Address& address, int fd) const;

 private:
  std::map<Address, std::vector<int>> orders_;
};

}  // namespace servery
