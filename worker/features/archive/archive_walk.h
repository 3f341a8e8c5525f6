// Looks at a directory and everything beneath it that a request could get, a time slice at a call.
// Files are not opened. Links to files stand for the file, by the root's rule; links to directories
// are left out (they may lead in circles), and so is what cannot be read. Blocks: pool threads
// only, one call at a time; owned by the archive under way.
#pragma once

#include <dirent.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "worker/features/archive/member_tree.h"
#include "worker/files/relative_path.h"
#include "worker/files/resource.h"

namespace servery::archive {

struct WalkOptions {
  bool shows_hidden = false;              // names that begin with a dot
  std::uint32_t most_members = 500'000;   // kTooLarge beyond
  std::vector<std::string> entries = {};  // the chosen children; empty: all
};

class ArchiveWalk {
 public:
  // `root` outlives the walk; `path` names the directory below it, `top_name` the archive's top.
  ArchiveWalk(const files::Root& root, const files::RelativePath& path, std::string top_name,
              WalkOptions options);

  // Goes on for at most a time slice; true when the tree is complete. kNotFound where `path` leads
  // to no directory or a chosen entry to nothing.
  Result<bool> walk_slice();
  MemberTree& tree() { return tree_; }
  // False if a file was written so lately that a further write might not show in its times.
  bool is_settled() const { return is_settled_; }

 private:
  struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  // A directory that has been found but not opened.
  struct Found {
    std::uint32_t parent;
    std::string name;
  };
  enum class Phase : std::uint8_t { kOpening, kReading, kLooking, kDone };

  Status step();
  Status open_top();
  Status open_next();
  Result<bool> open(std::uint32_t parent, std::string_view name);
  Status read_name();
  Status look_at_next_name();
  Result<bool> look_at(const std::string& name);
  Result<bool> add_file(const std::string& name, const files::FileIdentity& identity,
                        bool is_executable);
  void leave_directory();

  const files::Root& root_;
  files::RelativePath path_;  // of the directory under way
  std::size_t top_size_;      // of it, for the top
  std::string top_name_;
  WalkOptions options_;
  WallTime started_;
  Phase phase_ = Phase::kOpening;
  MemberTree tree_;
  bool is_settled_ = true;
  bool is_chosen_ = false;      // `names_` were asked for by name
  std::vector<Found> waiting_;  // the next one last
  std::unique_ptr<DIR, CloseDirectory> directory_;
  std::uint32_t node_ = 0;  // of `directory_`
  std::vector<std::string> names_;
  std::size_t next_name_ = 0;
  std::vector<std::string> children_;  // directories among them
};

}  // namespace servery::archive
