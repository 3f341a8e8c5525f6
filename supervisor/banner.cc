#include "supervisor/banner.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <string_view>

#include "supervisor/tcp_address.h"

namespace servery {
namespace {

constexpr std::string_view kAnyIpv4 = "0.0.0.0:";
constexpr std::string_view kAnyIpv6 = "[::]:";

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace

std::vector<std::string> listener_urls(const ListenerStatus& listener,
                                       const std::vector<std::string>& own_addresses) {
  const std::string& address = listener.address;
  // A Unix socket has no URL, nor has an inherited one of that kind, known by its name alone.
  if (listener.kind == "unix" || starts_with(address, "fd:")) return {address};
  const bool any_ipv4 = starts_with(address, kAnyIpv4);
  const bool any_ipv6 = starts_with(address, kAnyIpv6);
  if (!any_ipv4 && !any_ipv6) return {"http://" + address + "/"};
  const std::string port = address.substr(address.rfind(':'));
  std::vector<std::string> urls;
  if (any_ipv4 || has_ipv6_loopback()) {
    urls.push_back("http://" + std::string(any_ipv4 ? "127.0.0.1" : "[::1]") + port + "/");
  }
  for (const std::string& own : own_addresses) {
    if ((own.front() == '[') == any_ipv6) urls.push_back("http://" + own + port + "/");
  }
  return urls;
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> result;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return result;
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    if (!entry->ifa_addr || !(entry->ifa_flags & IFF_UP) || (entry->ifa_flags & IFF_LOOPBACK)) {
      continue;
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (entry->ifa_addr->sa_family == AF_INET) {
      const auto* address = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
      ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
      result.emplace_back(text.data());
    } else if (entry->ifa_addr->sa_family == AF_INET6) {
      const auto* address = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr);
      if (IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr)) continue;
      ::inet_ntop(AF_INET6, &address->sin6_addr, text.data(), text.size());
      result.push_back("[" + std::string(text.data()) + "]");
    }
  }
  ::freeifaddrs(list);
  return result;
}

std::vector<std::string> urls_of(const std::vector<ListenerStatus>& listeners) {
  std::vector<std::string> urls;
  const std::vector<std::string> own = own_addresses();
  for (const ListenerStatus& listener : listeners) {
    for (std::string& url : listener_urls(listener, own)) urls.push_back(std::move(url));
  }
  return urls;
}

std::string format_banner(const Plan& plan, const std::vector<std::string>& urls,
                          const std::string& control_socket) {
  std::string text = fmt::format("servery {}, profile {}, {} worker{}\n", SERVERY_VERSION,
                                 plan.profile, plan.workers, plan.workers == 1 ? "" : "s");
  for (const std::string& root : plan.roots) text += fmt::format("  files    {}\n", root);
  for (const std::string& url : urls) text += fmt::format("  open     {}\n", url);
  if (!plan.config_path.empty()) text += fmt::format("  config   {}\n", plan.config_path);
  text += fmt::format("  control  {}\n", control_socket);
  return text;
}

}  // namespace servery
