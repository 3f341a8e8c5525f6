// hammer: load that notices every lost request; see options.cc for its arguments. Prints `hammer:
// running` on stderr once the load is on, one JSON object on stdout at the end. SIGUSR1 begins a
// new stage, SIGTERM ends the load. Exit 0 when nothing failed, 1 when something did, 2 for bad
// arguments.
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>

#include "engine.h"
#include "options.h"
#include "report.h"

namespace {

void raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void on_signal(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = hammer::parse_options(argc, argv);
  if (!options) return 2;
  raise_descriptor_limit();
  on_signal(SIGTERM, [](int) { hammer::Engine::request_stop(); });
  on_signal(SIGINT, [](int) { hammer::Engine::request_stop(); });
  on_signal(SIGUSR1, [](int) { hammer::Engine::request_stage(); });
  hammer::Report report(hammer::Clock::now());
  hammer::Engine engine(*options, report);
  const double fresh_rate =
      options->fresh_half ? engine.measure(std::chrono::seconds(1)) / 2 : options->fresh_rate;
  std::fprintf(stderr, "hammer: running, %.0f new connections/s\n", fresh_rate);
  engine.run(fresh_rate);
  report.print(stdout, fresh_rate);
  return report.clean() ? 0 : 1;
}
