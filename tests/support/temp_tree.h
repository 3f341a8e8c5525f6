// A fresh directory for a test, removed with all it holds.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "common/base/unique_fd.h"

namespace servery::test {

class TempTree {
 public:
  TempTree() {
    std::string name = (std::filesystem::temp_directory_path() / "servery-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string at(std::string_view name) const { return path_ + "/" + std::string(name); }
  UniqueFd open() const {
    return UniqueFd(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }

  // Parents are made. `mtime`: Unix seconds, -1 for now.
  void file(std::string_view name, std::string_view content = {}, std::int64_t mtime = -1) const {
    const std::filesystem::path path = at(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    if (mtime >= 0) set_mtime(name, mtime);
  }
  void directory(std::string_view name, std::int64_t mtime = -1) const {
    std::filesystem::create_directories(at(name));
    if (mtime >= 0) set_mtime(name, mtime);
  }
  void link(std::string_view name, std::string_view target) const {
    std::filesystem::create_symlink(std::string(target), at(name));
  }
  void set_mtime(std::string_view name, std::int64_t mtime) const {
    const timespec times[2] = {{mtime, 0}, {mtime, 0}};
    ::utimensat(AT_FDCWD, at(name).c_str(), times, 0);
  }

 private:
  std::string path_;
};

}  // namespace servery::test
