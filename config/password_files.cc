#include "config/password_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/base/read_file.h"
#include "common/base/text.h"

namespace servery {

namespace {

class Reader {
 public:
  Reader(const Loaded& loaded, std::vector<Problem>& problems)
      : loaded_(loaded), problems_(problems) {}

  std::vector<NamedFile> read() {
    for (const AuthSettings& entry : loaded_.settings.auth) {
      const std::size_t before = problems_.size();
      if (!entry.file.empty() && find_file(files_, entry.file) == nullptr) read_file(entry);
      if (problems_.size() == before) check_users(entry);
    }
    return std::move(files_);
  }

 private:
  void add(Problem problem) {
    if (problems_.size() < kMaxProblems) problems_.push_back(std::move(problem));
  }

  void read_file(const AuthSettings& entry) {
    const std::string key = fmt::format("auth.{}.basic.file", entry.name);
    auto text = read_regular_file(entry.file, kMaxHtpasswdBytes);
    if (!text) {
      return add(problem_at(loaded_.provenance, key, "unreadable_file",
                            fmt::format("{}: {}", entry.file, text.error().text)));
    }
    const Htpasswd file = parse_htpasswd(*text);
    for (const HtpasswdFault& fault : file.faults) {
      add({entry.file, fault.line, 1, key, "bad_password_line", fault.message, {}});
    }
    if (!file.faults.empty()) return;
    NamedFile kept{entry.file, {}};
    for (const HtpasswdUser& user : file.users) kept.text += user.name + ":" + user.hash + "\n";
    size_ += kept.text.size();
    if (size_ > kMaxHtpasswdBytes) {
      return add(problem_at(loaded_.provenance, key, "too_large",
                            "the password files together are larger than 1 MiB"));
    }
    files_.push_back(std::move(kept));
  }

  void check_users(const AuthSettings& entry) {
    const std::string key = "auth." + entry.name;
    std::vector<std::string> names;
    for (const HtpasswdUser& user : users_of(entry, files_)) names.push_back(user.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (names.empty() && !entry.file.empty()) {
      add(problem_at(loaded_.provenance, key + ".basic.file", "no_user", "there is no user in it"));
    } else if (twice != names.end()) {
      add(problem_at(loaded_.provenance, key + ".basic.users", "duplicate_value",
                     *twice + " is there twice"));
    }
    const std::pair<std::string_view, const Grantees*> grants[] = {
        {"read", &entry.read},           {"list", &entry.list}, {"write", &entry.write},
        {"create", &entry.create},       {"move", &entry.move}, {"delete", &entry.remove},
        {"overwrite", &entry.overwrite},
    };
    for (const auto& [right, grant] : grants)
      check_grant(fmt::format("{}.{}", key, right), *grant, names);
  }

  void check_grant(const std::string& key, const Grantees& grant,
                   const std::vector<std::string>& names) {
    if (loaded_.provenance.find(key) == nullptr) return;  // it follows another, which is checked
    for (const std::string& name : grant.names) {
      if (std::binary_search(names.begin(), names.end(), name)) continue;
      const auto near = nearest_name(name, {names.begin(), names.end()});
      add(problem_at(loaded_.provenance, key, "unknown_user", "there is no user " + name,
                     std::string(near.value_or(""))));
    }
  }

  const Loaded& loaded_;
  std::vector<Problem>& problems_;
  std::vector<NamedFile> files_;
  std::size_t size_ = 0;
};

}  // namespace

std::vector<NamedFile> read_password_files(const Loaded& loaded, std::vector<Problem>& problems) {
  return Reader(loaded, problems).read();
}

std::vector<HtpasswdUser> users_of(const AuthSettings& entry, const std::vector<NamedFile>& files) {
  std::vector<HtpasswdUser> users;
  const auto add = [&users](std::string_view text) {
    for (HtpasswdUser& user : parse_htpasswd(text).users) users.push_back(std::move(user));
  };
  if (const NamedFile* file = find_file(files, entry.file)) add(file->text);
  for (const std::string& line : entry.users) add(line);
  return users;
}

}  // namespace servery
