// The hot cache: a hit that is proved already, a proof (three system calls), and 20,000 entries.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "worker/files/hot_cache.h"

namespace servery {
namespace {

// A folder of small files, all in the cache.
class Filled {
 public:
  explicit Filled(std::size_t files) : cache_({std::uint64_t{1} << 30, files, {}}) {
    std::string name = std::filesystem::temp_directory_path() / "cache-bench-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) return;
    folder_ = name;
    auto root = files::open_root(UniqueFd(::open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
                                 files::SymlinkPolicy::kInside, name);
    if (!root) return;
    root_ = std::move(*root);
    for (std::size_t i = 0; i < files; ++i) add("f" + std::to_string(i) + ".bin");
    ready_ = true;
  }
  Filled(const Filled&) = delete;
  Filled& operator=(const Filled&) = delete;
  ~Filled() { std::filesystem::remove_all(folder_); }

  bool ready() const { return ready_; }
  const files::CachedFile* find(std::size_t file) {
    return cache_.find({0, 0, names_[file]}, root_, {turn_, {}});
  }
  void next_turn() { ++turn_; }

 private:
  void add(const std::string& name) {
    std::ofstream(folder_ / name) << std::string(1024, 'x');
    struct stat st {};
    if (::stat((folder_ / name).c_str(), &st) != 0) return;
    files::CachedFile file;
    file.identity = files::FileIdentity::of(st);
    file.opened = name;
    file.ok = std::make_shared<http::PreparedResponse>();
    names_.push_back(name);
    cache_.keep({0, 0, name}, std::move(file), {turn_, {}});
  }

  std::filesystem::path folder_;
  files::Root root_;
  files::HotCache cache_;
  std::vector<std::string> names_;
  std::uint64_t turn_ = 1;
  bool ready_ = false;
};

// Made once: the library calls a benchmark several times.
Filled& filled_with(std::size_t files) {
  static std::map<std::size_t, Filled> all;
  return all.try_emplace(files, files).first->second;
}

void find(benchmark::State& state, bool new_turn) {
  const auto files = static_cast<std::size_t>(state.range(0));
  Filled& filled = filled_with(files);
  if (!filled.ready()) return state.SkipWithError("no folder");
  std::size_t file = 0;
  for (auto _ : state) {
    if (new_turn) filled.next_turn();
    if (filled.find(file) == nullptr) state.SkipWithError("not cached");
    file = (file + 7919) % files;  // prime: visits all, in no order
  }
}
BENCHMARK_CAPTURE(find, proved, false)->ArgName("files")->Arg(1)->Arg(20'000);
BENCHMARK_CAPTURE(find, proof, true)->ArgName("files")->Arg(1)->Arg(20'000);

}  // namespace
}  // namespace servery
