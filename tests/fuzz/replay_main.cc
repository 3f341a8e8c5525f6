// Runs a fuzz target over every file of its corpus without libFuzzer, so that each ordinary build
// and each sanitizer replays what fuzzing found. An empty or missing corpus is a failure.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_under(const char* directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool replay(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return false;
  const std::vector<char> text{std::istreambuf_iterator<char>(stream), {}};
  // An exact heap copy, so that AddressSanitizer sees one byte too far.
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
    return 2;
  }
  const std::vector<fs::path> files = files_under(argv[1]);
  for (const fs::path& path : files) {
    // Named before it runs, so that a crash has its input.
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    if (!replay(path)) {
      std::fprintf(stderr, "cannot read %s\n", path.c_str());
      return 1;
    }
  }
  std::printf("%zu inputs replayed\n", files.size());
  return files.empty() ? 1 : 0;
}
