#include "worker/features/static/mime.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "common/base/text.h"
#include "worker/features/static/mime_table.h"

namespace servery::features {
namespace {

static_assert(std::is_sorted(std::begin(kMimeRows), std::end(kMimeRows),
                             [](const MimeRow& a, const MimeRow& b) {
                               return a.extension < b.extension;
                             }));
constexpr std::size_t kLongestExtension =
    std::max_element(
        std::begin(kMimeRows), std::end(kMimeRows),
        [](const MimeRow& a, const MimeRow& b) { return a.extension.size() < b.extension.size(); })
        ->extension.size();
constexpr std::string_view kUnknown = "application/octet-stream";

// Of the last component; empty for a name without, and for one that is all extension.
std::string_view extension_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  return name.substr(dot + 1);
}

}  // namespace

std::string_view mime_type(std::string_view path) {
  const std::string_view extension = extension_of(path);
  if (extension.size() > kLongestExtension) return kUnknown;
  std::array<char, kLongestExtension> buffer{};
  std::transform(extension.begin(), extension.end(), buffer.begin(), ascii_lower);
  const std::string_view wanted(buffer.data(), extension.size());
  const auto* const row =
      std::lower_bound(std::begin(kMimeRows), std::end(kMimeRows), wanted,
                       [](const MimeRow& a, std::string_view b) { return a.extension < b; });
  return row != std::end(kMimeRows) && row->extension == wanted ? row->type : kUnknown;
}

MimeTypes::MimeTypes(Types own) : own_(std::move(own)) {}

std::string_view MimeTypes::type_of(std::string_view path) const {
  if (!own_.empty()) {
    const std::string_view extension = extension_of(path);
    for (const auto& [known, type] : own_) {
      if (equals_ignore_case(known, extension)) return type;
    }
  }
  return mime_type(path);
}

}  // namespace servery::features
