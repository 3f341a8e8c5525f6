#include "bench/load/options.h"

#include <charconv>
#include <functional>
#include <map>
#include <string_view>

namespace servery::bench {
namespace {

using Setter = std::function<bool(std::string_view)>;

template <typename T>
Setter number(T& target, T least) {
  return [&target, least](std::string_view text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), target);
    return error == std::errc{} && end == text.data() + text.size() && target >= least;
  };
}

Setter text(std::string& target) {
  return [&target](std::string_view value) {
    target = value;
    return !target.empty();
  };
}

std::map<std::string_view, Setter> valued_options(Options& options) {
  return {
      {"--port", number<std::uint16_t>(options.port, 1)},
      {"--host", text(options.host)},
      {"--targets", text(options.targets)},
      {"--connections", number<std::size_t>(options.connections, 1)},
      {"--depth", number<std::size_t>(options.depth, 1)},
      {"--per-connection", number<std::uint64_t>(options.per_connection, 0)},
      {"--seconds", number(options.seconds, 0.001)},
      {"--warmup", number(options.warmup, 0.0)},
      {"--requests", number<std::uint64_t>(options.requests, 1)},
      {"--rate", number(options.rate, 1.0)},
      {"--compare", number<std::size_t>(options.compare, 1)},
      {"--seed", number<std::uint64_t>(options.seed, 0)},
      {"--header",
       [&options](std::string_view value) {
         options.headers.emplace_back(value);
         return value.find(':') != value.npos;
       }},
      {"--watch",
       [&options](std::string_view value) {
         options.watch.push_back(0);
         return number<pid_t>(options.watch.back(), 1)(value);
       }},
  };
}

Status check(Options& options) {
  if (options.port == 0 || options.targets.empty()) {
    return fail(Errc::kInvalid, "--port and --targets are required");
  }
  if (options.rate > 0 && (options.depth > 1 || options.requests > 0)) {
    return fail(Errc::kInvalid, "--rate goes with a time and one request at once a connection");
  }
  if (options.per_connection > 0 && options.per_connection % options.depth != 0) {
    return fail(Errc::kInvalid, "--per-connection must be a multiple of --depth");
  }
  if (options.host.empty()) options.host = "127.0.0.1:" + std::to_string(options.port);
  return {};
}

}  // namespace

Result<Options> parse_options(int argc, char** argv) {
  Options options;
  const std::map<std::string_view, Setter> valued = valued_options(options);
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--random") {
      options.random = true;
    } else if (name == "--hold") {
      options.hold = true;
    } else if (const auto option = valued.find(name); option == valued.end()) {
      return fail(Errc::kInvalid, "unknown option " + std::string(name));
    } else if (++i == argc || !option->second(argv[i])) {
      return fail(Errc::kInvalid, "bad value for " + std::string(name));
    }
  }
  SERVERY_TRY(check(options));
  return options;
}

}  // namespace servery::bench
