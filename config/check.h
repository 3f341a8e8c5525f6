// The check child's work: full validation of a set of inputs with no side effect (binds nothing,
// writes nothing), and the plan the supervisor is to act on. Also run by `servery check`. May block
// (name services, file systems): never called from a loop.
#pragma once

#include <sys/types.h>

#include <string>

#include "config/inputs.h"
#include "config/plan.h"

namespace servery {

// What the answer depends on beside the inputs. Tests put their own in.
struct CheckEnvironment {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string system_root;  // prefix of /proc and /sys; empty for the real ones

  static CheckEnvironment current();
};

// With `old`, the plan names the tier and the changed keys against it.
Plan check_inputs(const Inputs& inputs, const Inputs* old = nullptr,
                  const CheckEnvironment& environment = CheckEnvironment::current());

}  // namespace servery
