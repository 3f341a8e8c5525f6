#include "worker/access/client_address.h"

#include <array>
#include <optional>
#include <string_view>

#include "worker/http/forwarded.h"
#include "worker/http/host_name.h"

namespace servery::access {
namespace {

using http::FieldId;
using http::ForwardedNode;

// What was found; empty parts are as the connection says.
struct Found {
  std::optional<IpAddress> address;
  std::string_view scheme;
  std::string_view authority;
  std::string_view host;  // without port, as sent
};

// From hop to hop, away from this server.
class Walk {
 public:
  explicit Walk(const AddressSet& trusted) : trusted_(trusted) {}

  // False: who that is stands fixed, and what was written before it is anybody's.
  bool go_to(const ForwardedNode& node) {
    if (node.kind != ForwardedNode::Kind::kAddress) return false;
    found.address = node.address;
    return ++hops < ClientAddress::kMaxHops && trusted_.contains(node.address);
  }

  Found found;
  unsigned hops = 0;

 private:
  const AddressSet& trusted_;
};

// False if it is no host.
bool set_host(Found& found, std::string_view authority) {
  http::HostAndPort split;
  if (!http::split_authority(authority, split)) return false;
  found.authority = authority;
  found.host = split.host;
  return true;
}

// RFC 7239. False: the walk has ended.
bool take_element(const http::ForwardedElement& element, Walk& walk) {
  const ForwardedNode node = http::parse_forwarded_node(element.node);
  if (!element.node.empty() && node.kind == ForwardedNode::Kind::kMalformed) return false;
  if (!element.host.empty() && !set_host(walk.found, element.host)) return false;
  if (const auto scheme = http::forwarded_scheme(element.proto); !scheme.empty()) {
    walk.found.scheme = scheme;
  }
  return walk.go_to(node);
}

Found walk_forwarded(const http::RequestFields& fields, const AddressSet& trusted) {
  Walk walk(trusted);
  for (auto field = fields.end(); field != fields.begin();) {
    if ((--field)->id != FieldId::kForwarded) continue;
    http::ForwardedCursor cursor(field->value);
    http::ForwardedElement element;
    auto step = cursor.previous(element);
    for (; step == http::ForwardedCursor::Step::kElement; step = cursor.previous(element)) {
      if (!take_element(element, walk)) return walk.found;
    }
    if (step == http::ForwardedCursor::Step::kMalformed) break;
  }
  return walk.found;
}

// Calls `take` for the members of all fields of that name, the last first, while it returns true.
template <typename Take>
void for_each_member(const http::RequestFields& fields, FieldId id, Take take) {
  if (!fields.has(id)) return;
  for (auto field = fields.end(); field != fields.begin();) {
    if ((--field)->id != id) continue;
    http::ReverseListCursor cursor(field->value);
    for (std::string_view member; cursor.previous(member);) {
      if (!take(member)) return;
    }
  }
}

// The member that the hop `hops` away from this server wrote. A proxy that writes one value in
// place of what it got leaves fewer than there are hops: then the first that there is.
std::string_view member_of_hop(const http::RequestFields& fields, FieldId id, unsigned hops) {
  std::string_view found;
  for_each_member(fields, id, [&](std::string_view member) {
    found = member;
    return hops-- > 1;
  });
  return found;
}

Found walk_x_forwarded(const http::RequestFields& fields, const AddressSet& trusted) {
  Walk walk(trusted);
  for_each_member(fields, FieldId::kXForwardedFor, [&](std::string_view member) {
    return walk.go_to(http::parse_x_forwarded_node(member));
  });
  const auto of_client = [&](FieldId id) { return member_of_hop(fields, id, walk.hops); };
  walk.found.scheme = http::forwarded_scheme(of_client(FieldId::kXForwardedProto));
  set_host(walk.found, of_client(FieldId::kXForwardedHost));
  return walk.found;
}

}  // namespace

void ClientAddress::identify(http::Exchange& exchange) const {
  if (exchange.is_forwarded() || !trusted_.contains(exchange.facts().peer)) return;
  const http::RequestFields& fields = exchange.request().fields;
  Found found;
  if (fields.has(FieldId::kForwarded)) found = walk_forwarded(fields, trusted_);
  if (fields.has(FieldId::kXForwardedFor) || !fields.has(FieldId::kForwarded)) {
    const Found other = walk_x_forwarded(fields, trusted_);
    if (!fields.has(FieldId::kForwarded)) {
      found = other;
    } else if (other.address != found.address) {
      found = {};  // the proxy writes one of them and lets its client write the other
    }
  }
  std::array<char, IpAddress::kMaxText + 1> text{};
  exchange.set_forwarded(found.address ? found.address->write(text) : exchange.facts().peer,
                         found.scheme.empty() ? exchange.facts().scheme : found.scheme);
  if (!found.host.empty()) exchange.set_forwarded_host(found.authority, found.host);
}

}  // namespace servery::access
