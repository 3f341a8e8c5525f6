#include "supervisor/member_orders.h"

#include <algorithm>

namespace servery {

void MemberOrders::on_close(const Address& address, int fd) {
  const auto order = orders_.find(address);
  if (order == orders_.end()) return;
  std::vector<int>& members = order->second;
  const auto member = std::find(members.begin(), members.end(), fd);
  if (member == members.end()) return;
  *member = members.back();
  members.pop_back();
  if (members.empty()) orders_.erase(order);
}

const std::vector<int>& MemberOrders::members(const Address& address) const {
  static const std::vector<int> kNone;
  const auto order = orders_.find(address);
  return order == orders_.end() ? kNone : order->second;
}

std::optional<int> MemberOrders::moved_by_close(const Address& address, int fd) const {
  const std::vector<int>& order = members(address);
  if (order.empty() || order.back() == fd) return std::nullopt;
  if (std::find(order.begin(), order.end(), fd) == order.end()) return std::nullopt;
  return order.back();
}

}  // namespace servery
