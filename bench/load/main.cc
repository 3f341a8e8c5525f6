// bench/load: HTTP/1.1 load against 127.0.0.1 in which every answer is checked. See options.h.
#include <sys/prctl.h>

#include <cstdio>
#include <utility>

#include "bench/load/client.h"
#include "bench/load/options.h"
#include "bench/load/results.h"
#include "bench/load/target.h"
#include "common/base/privileges.h"

namespace servery::bench {
namespace {

constexpr int kWrongInput = 2;

int fail_with(const Error& error) {
  std::fprintf(stderr, "load: %s\n%s", error.text.c_str(), kUsage);
  return kWrongInput;
}

int print(const Results& results) {
  std::printf("%s\n", dump_json(to_json(results)).c_str());
  return results.errors.total() == 0 ? 0 : 1;
}

int hold(Client& client) {
  if (!client.hold()) return print(client.ask_held());
  std::printf("held\n");
  std::fflush(stdout);
  while (std::getchar() != EOF) continue;
  return print(client.ask_held());
}

Result<Client> build(const Options& options) {
  TargetList targets =
      SERVERY_TRY(TargetList::load(options.targets, options.host, options.headers));
  SERVERY_TRY(raise_descriptor_limit(options.connections + 64));
  return Client::create(options, std::move(targets));
}

int run(int argc, char** argv) {
  const Result<Options> options = parse_options(argc, argv);
  if (!options) return fail_with(options.error());
  Result<Client> client = build(*options);
  if (!client) return fail_with(client.error());
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // open loop: wake when a request is due
  return options->hold ? hold(*client) : print(client->run());
}

}  // namespace
}  // namespace servery::bench

int main(int argc, char** argv) { return servery::bench::run(argc, argv); }
