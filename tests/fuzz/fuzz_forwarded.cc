// Forwarded and X-Forwarded-For. Walks end and stay within the value; an element that a proxy adds
// at the end is read as it was written, whatever stands before it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "worker/http/forwarded.h"

namespace {

using servery::http::ForwardedCursor;
using servery::http::ForwardedElement;

bool is_within(std::string_view part, std::string_view whole) {
  if (part.empty()) return true;
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void check_walk(std::string_view value) {
  ForwardedCursor cursor(value);
  ForwardedElement element;
  std::size_t steps = 0;
  while (cursor.previous(element) == ForwardedCursor::Step::kElement) {
    if (++steps > value.size()) std::abort();
    for (const std::string_view part : {element.node, element.proto, element.host}) {
      if (!is_within(part, value)) std::abort();
    }
    const auto node = servery::http::parse_forwarded_node(element.node);
    if (node.kind == servery::http::ForwardedNode::Kind::kAddress && element.node.empty()) {
      std::abort();
    }
  }
}

void check_appended(std::string_view before, const std::string& added) {
  const std::string whole = std::string(before) + added;
  ForwardedCursor cursor(whole);
  ForwardedElement element;
  if (cursor.previous(element) != ForwardedCursor::Step::kElement) std::abort();
  if (element.node != "[2001:db8::1]:80" || element.host != "a:1") std::abort();
  if (element.proto != "https") std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  check_walk(value);
  check_appended(value, R"(, for="[2001:db8::1]:80";proto=https;host="a:1")");
  servery::http::ReverseListCursor list(value);
  std::size_t members = 0;
  for (std::string_view member; list.previous(member);) {
    if (++members > size || member.empty() || !is_within(member, value)) std::abort();
    if (member.find(',') != std::string_view::npos) std::abort();
    servery::http::parse_x_forwarded_node(member);
  }
  return 0;
}
