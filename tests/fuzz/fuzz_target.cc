// Request targets and host names. An accepted path is normal: parsing its own encoding again gives
// the same path.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/base/text.h"
#include "worker/http/host_name.h"
#include "worker/http/target.h"

namespace {

namespace http = servery::http;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_authority(std::string_view text) {
  http::HostAndPort out;
  if (!http::split_authority(text, out)) return;
  const auto& [host, port, has_upper] = out;
  require(!host.empty() && host.size() + port.size() <= text.size());
  require(has_upper == (servery::to_lower(host) != host));
  require(host.find_first_of(" @/?#%\\") == std::string_view::npos);
  require(port.find_first_not_of("0123456789") == std::string_view::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_authority(text);
  http::Target target;
  std::string scratch;
  const auto method = size % 2 == 0 ? http::Method::kOptions : http::Method::kGet;
  if (http::parse_target(text, method, target, scratch)) return 0;
  if (target.path == "*") return 0;
  require(target.path.starts_with('/') && target.path.find('\0') == std::string_view::npos);
  require(target.raw_path.size() + target.query.size() <= size + 1);
  if (target.encoded_slash) return 0;
  const std::string encoded = servery::percent_encode_path(target.path);
  http::Target again;
  std::string again_scratch;
  require(!http::parse_target(encoded, http::Method::kGet, again, again_scratch));
  require(again.path == target.path && !again.has_query && !again.encoded_slash);
  return 0;
}
