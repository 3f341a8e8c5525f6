#include "config/named_files.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/base64.h"
#include "common/base/json.h"
#include "config/json_fields.h"
#include "config/plan.h"

namespace servery {
namespace {

// In base64: its length does not depend on what the bytes are.
struct CarriedFile {
  std::string path;
  std::string text;
};
struct CarriedFiles {
  std::vector<CarriedFile> passwords;
  std::vector<CarriedFile> error_pages;
};

template <typename Visitor>
void describe(Visitor& visit, CarriedFile& value) {
  visit("path", value.path);
  visit("text", value.text);
}

template <typename Visitor>
void describe(Visitor& visit, CarriedFiles& value) {
  visit("passwords", value.passwords);
  visit("error_pages", value.error_pages);
}

std::vector<CarriedFile> pack(const std::vector<NamedFile>& files) {
  std::vector<CarriedFile> out;
  for (const NamedFile& file : files) {
    append_base64(out.emplace_back(CarriedFile{file.path, {}}).text, file.text, Base64::kUrl);
  }
  return out;
}

bool unpack(std::vector<CarriedFile>& carried, std::vector<NamedFile>& files) {
  for (CarriedFile& file : carried) {
    std::optional<std::string> text = decode_base64url(file.text);
    if (!text) return false;
    files.push_back({std::move(file.path), std::move(*text)});
  }
  return true;
}

}  // namespace

const NamedFile* find_file(const std::vector<NamedFile>& files, std::string_view path) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [path](const NamedFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

std::string encode_named_files(const NamedFiles& files) {
  return dump_json(json_fields::FieldWriter::write(
      CarriedFiles{pack(files.passwords), pack(files.error_pages)}));
}

Result<NamedFiles> decode_named_files(std::string_view text) {
  const Json json = SERVERY_TRY(parse_json(text, kMaxNamedFilesBytes));
  CarriedFiles carried;
  NamedFiles files;
  if (!json_fields::FieldReader::read(json, carried) ||
      !unpack(carried.passwords, files.passwords) ||
      !unpack(carried.error_pages, files.error_pages)) {
    return fail(Errc::kInvalid, "no named files");
  }
  return files;
}

}  // namespace servery
