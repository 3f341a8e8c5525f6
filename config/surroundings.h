// What a command was started with beside its arguments: environment and working directory, read
// once. Command role only.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/inputs.h"

namespace servery {

class Surroundings {
 public:
  // NAME=VALUE entries, ended by a null pointer.
  explicit Surroundings(const char* const* variables);

  const std::string& directory() const { return directory_; }  // empty: it is gone
  std::string variable(std::string_view name) const;           // empty: not set
  std::vector<Overlay> overlays() const;  // of SERVERY__*, a list before its items
  std::string default_socket() const;

 private:
  std::map<std::string, std::string, std::less<>> variables_;
  std::string directory_;
};

}  // namespace servery
