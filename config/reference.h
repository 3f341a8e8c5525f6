// docs/configuration.md, generated from the schema; a test fails when the file is stale. Pure.
#pragma once

#include <string>

namespace servery {

std::string configuration_reference();

}  // namespace servery
