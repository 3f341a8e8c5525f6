// config_doc FILE writes docs/configuration.md; config_doc --check FILE fails when it is stale.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "config/reference.h"

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string(argv[1]) == "--check";
  if (argc != 2 && !check) {
    std::fprintf(stderr, "usage: config_doc [--check] FILE\n");
    return 2;
  }
  const char* path = argv[argc - 1];
  const std::string wanted = servery::configuration_reference();
  if (!check) return (std::ofstream(path) << wanted).flush() ? 0 : 1;
  std::ifstream file(path);
  const std::string found((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (found == wanted) return 0;
  std::fprintf(stderr, "%s is stale; run: config_doc %s\n", path, path);
  return 1;
}
