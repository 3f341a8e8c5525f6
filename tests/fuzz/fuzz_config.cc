// Configuration text: whatever it is, loading ends with settings or problems. What loads without a
// problem prints as a configuration that loads to the same settings. Bounded in time by the
// target's own timeout.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "config/effective.h"
#include "config/load.h"
#include "config/report.h"

namespace {

servery::Inputs inputs_of(std::string text) {
  servery::Inputs inputs;
  inputs.file_path = "/etc/servery/site.yaml";
  inputs.file_text = std::move(text);
  inputs.working_directory = "/work";
  return inputs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const servery::Inputs inputs = inputs_of({reinterpret_cast<const char*>(data), size});
  const auto decoded = servery::Inputs::decode(inputs.encode());
  if (!decoded || !(*decoded == inputs)) std::abort();
  const servery::Loaded first = servery::load(inputs);
  if (first.problems.size() > servery::kMaxProblems) std::abort();
  if (!first.ok()) return 0;
  const servery::Loaded second = servery::load(inputs_of(servery::effective_yaml(first)));
  for (const servery::Problem& problem : second.problems) {
    std::fprintf(stderr, "%s\n", servery::format_problem(problem).c_str());
  }
  if (!second.ok()) std::abort();
  if (!servery::diff_settings(first.settings, second.settings).empty()) std::abort();
  return 0;
}
