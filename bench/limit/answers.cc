#include "bench/limit/answers.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/base/text.h"

namespace servery::bench {
namespace {

// The fields a file server sends, so that the answers are as long as its own.
constexpr std::string_view kFields =
    "Server: limit\r\nDate: Mon, 30 Nov 2026 00:00:00 GMT\r\n"
    "Last-Modified: Mon, 30 Nov 2026 00:00:00 GMT\r\nETag: \"abcdef-123456\"\r\n";
constexpr std::string_view kType = "Content-Type: application/octet-stream\r\n";

std::string head(std::string_view status, std::string_view more) {
  std::string text = "HTTP/1.1 ";
  text.append(status).append("\r\n").append(kFields).append(more).append("\r\n");
  return text;
}

std::string length_field(std::size_t length) {
  return std::string(kType) + "Accept-Ranges: bytes\r\nContent-Length: " + std::to_string(length) +
         "\r\n";
}

}  // namespace

Result<Answers> Answers::load(const std::string& root) {
  namespace fs = std::filesystem;
  Answers answers;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root, error)) {
    if (!entry.is_regular_file(error)) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    if (!file) return fail(Errc::kIo, "cannot read " + entry.path().string());
    answers.add("/" + fs::relative(entry.path(), root).string(), std::move(content).str());
  }
  if (error) return fail(Errc::kNotFound, root + ": " + error.message());
  return answers;
}

void Answers::add(const std::string& path, const std::string& content) {
  Answer& answer = by_path_[path];
  const std::string length = length_field(content.size());
  const std::string keep_head = head("200 OK", length);
  answer.keep = keep_head + content;
  answer.close = head("200 OK", length + "Connection: close\r\n") + content;
  answer.not_modified = head("304 Not Modified", "");
  answer.body = std::string_view(answer.keep).substr(keep_head.size());
}

const Answer* Answers::find(std::string_view path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

bool make_partial(std::string_view range, std::string_view body, std::string& out) {
  constexpr std::string_view kUnit = "bytes=";
  const std::size_t dash = range.find('-');
  if (!range.starts_with(kUnit) || dash == range.npos) return false;
  const auto first = parse_unsigned<std::size_t>(range.substr(kUnit.size(), dash - kUnit.size()));
  const auto last = parse_unsigned<std::size_t>(range.substr(dash + 1));
  if (!first || !last || *first > *last || *last >= body.size()) return false;
  const std::size_t length = *last - *first + 1;
  out = head("206 Partial Content", length_field(length) + "Content-Range: bytes " +
                                        std::string(range.substr(kUnit.size())) + "/" +
                                        std::to_string(body.size()) + "\r\n");
  out.append(body.substr(*first, length));
  return true;
}

}  // namespace servery::bench
