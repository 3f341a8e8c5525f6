#include "bench/load/target.h"

#include <fstream>
#include <sstream>

#include "common/base/text.h"

namespace servery::bench {

Result<TargetList> TargetList::load(const std::string& path, const std::string& host,
                                    const std::vector<std::string>& headers) {
  std::ifstream file(path);
  if (!file) return fail(Errc::kNotFound, "cannot read " + path);
  std::string tail = " HTTP/1.1\r\nHost: " + host + "\r\n";
  for (const std::string& header : headers) tail += header + "\r\n";
  TargetList list;
  std::string line;
  while (std::getline(file, line)) {
    if (!line.empty()) SERVERY_TRY(list.add_line(line, tail));
  }
  if (list.targets_.empty()) return fail(Errc::kInvalid, path + ": no target");
  return list;
}

Status TargetList::add_line(const std::string& line, const std::string& tail) {
  std::istringstream words(line);
  std::string path, file;
  Target target;
  if (!(words >> path >> target.status >> file) || path.front() != '/') {
    return fail(Errc::kInvalid, "not PATH STATUS FILE [OFFSET LENGTH]: " + line);
  }
  if (file != "-") {
    target.body = SERVERY_TRY(body_of(file));
    std::size_t offset = 0, length = 0;
    if (words >> offset >> length) {
      if (offset > target.body.size() || length > target.body.size() - offset) {
        return fail(Errc::kInvalid, "outside the file: " + line);
      }
      target.body = target.body.substr(offset, length);
    }
  }
  target.large = target.body.size() > kLarge;
  target.request = "GET " + path + tail + "\r\n";
  target.last_request = "GET " + path + tail + "Connection: close\r\n\r\n";
  targets_.push_back(std::move(target));
  return {};
}

Result<std::string_view> TargetList::body_of(const std::string& file) {
  if (const auto found = bodies_.find(file); found != bodies_.end()) return found->second;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(Errc::kNotFound, "cannot read " + file);
  std::ostringstream content;
  content << stream.rdbuf();
  contents_.push_back(std::move(content).str());
  return bodies_[file] = contents_.back();
}

}  // namespace servery::bench
