#include "config/error_pages.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "common/base/read_file.h"

namespace servery {
namespace {

class Reader {
 public:
  Reader(const Loaded& loaded, std::vector<Problem>& problems)
      : loaded_(loaded), problems_(problems) {}

  std::vector<NamedFile> read() {
    const Settings& settings = loaded_.settings;
    read_section("error_pages", settings.error_pages);
    for (std::size_t i = 0; i < settings.routes.size(); ++i) {
      read_section(fmt::format("routes[{}].error_pages", i), settings.routes[i].error_pages);
    }
    return std::move(files_);
  }

 private:
  void add(const std::string& key, std::string reason, std::string message) {
    if (problems_.size() >= kMaxProblems) return;
    problems_.push_back(problem_at(loaded_.provenance, key, std::move(reason), std::move(message)));
  }

  void read_section(const std::string& section, const ErrorPageFiles& pages) {
    for (const auto& [status, path] : pages) {
      if (!seen_.insert(path).second) continue;
      const std::string key = section + "." + status;
      if (seen_.size() > kMaxErrorPages) {
        return add(key, "too_many", fmt::format("more than {} files", kMaxErrorPages));
      }
      read_file(key, path);
    }
  }

  void read_file(const std::string& key, const std::string& path) {
    auto text = read_regular_file(path, kMaxErrorPageBytes);
    if (!text) {
      const bool missing = text.error().code == Errc::kNotFound;
      return add(
          key, missing ? "missing_file" : "unreadable_file",
          missing ? "there is no file " + path : fmt::format("{}: {}", path, text.error().text));
    }
    const std::size_t before = std::exchange(size_, size_ + text->size());
    if (size_ <= kMaxErrorPagesBytes) {
      files_.push_back({path, std::move(*text)});
    } else if (before <= kMaxErrorPagesBytes) {
      add(key, "too_large", "the files together are larger than 4 MiB");
    }
  }

  const Loaded& loaded_;
  std::vector<Problem>& problems_;
  std::vector<NamedFile> files_;
  std::set<std::string, std::less<>> seen_;
  std::size_t size_ = 0;
};

}  // namespace

std::vector<NamedFile> read_error_pages(const Loaded& loaded, std::vector<Problem>& problems) {
  return Reader(loaded, problems).read();
}

}  // namespace servery
