#include "worker/features/static/mime.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace servery::features {
namespace {

struct Row {
  std::string_view extension;  // lowercase
  std::string_view type;
};

// IANA's names where they exist; sorted by extension. Text is served as UTF-8.
constexpr std::array kRows = {
    Row{"7z", "application/x-7z-compressed"},
    Row{"aac", "audio/aac"},
    Row{"apng", "image/apng"},
    Row{"atom", "application/atom+xml; charset=utf-8"},
    Row{"avi", "video/x-msvideo"},
    Row{"avif", "image/avif"},
    Row{"bmp", "image/bmp"},
    Row{"bz2", "application/x-bzip2"},
    Row{"c", "text/plain; charset=utf-8"},
    Row{"cc", "text/plain; charset=utf-8"},
    Row{"conf", "text/plain; charset=utf-8"},
    Row{"cpp", "text/plain; charset=utf-8"},
    Row{"css", "text/css; charset=utf-8"},
    Row{"csv", "text/csv; charset=utf-8"},
    Row{"deb", "application/vnd.debian.binary-package"},
    Row{"doc", "application/msword"},
    Row{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    Row{"eot", "application/vnd.ms-fontobject"},
    Row{"epub", "application/epub+zip"},
    Row{"flac", "audio/flac"},
    Row{"gif", "image/gif"},
    Row{"gz", "application/gzip"},
    Row{"h", "text/plain; charset=utf-8"},
    Row{"htm", "text/html; charset=utf-8"},
    Row{"html", "text/html; charset=utf-8"},
    Row{"ico", "image/vnd.microsoft.icon"},
    Row{"ics", "text/calendar; charset=utf-8"},
    Row{"ini", "text/plain; charset=utf-8"},
    Row{"iso", "application/x-iso9660-image"},
    Row{"jpeg", "image/jpeg"},
    Row{"jpg", "image/jpeg"},
    Row{"js", "text/javascript; charset=utf-8"},
    Row{"json", "application/json"},
    Row{"jsonld", "application/ld+json"},
    Row{"jxl", "image/jxl"},
    Row{"log", "text/plain; charset=utf-8"},
    Row{"m3u8", "application/vnd.apple.mpegurl"},
    Row{"m4a", "audio/mp4"},
    Row{"m4v", "video/mp4"},
    Row{"map", "application/json"},
    Row{"md", "text/markdown; charset=utf-8"},
    Row{"mjs", "text/javascript; charset=utf-8"},
    Row{"mkv", "video/matroska"},
    Row{"mov", "video/quicktime"},
    Row{"mp3", "audio/mpeg"},
    Row{"mp4", "video/mp4"},
    Row{"mpd", "application/dash+xml"},
    Row{"mpeg", "video/mpeg"},
    Row{"mpg", "video/mpeg"},
    Row{"odp", "application/vnd.oasis.opendocument.presentation"},
    Row{"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    Row{"odt", "application/vnd.oasis.opendocument.text"},
    Row{"oga", "audio/ogg"},
    Row{"ogg", "audio/ogg"},
    Row{"ogv", "video/ogg"},
    Row{"opus", "audio/ogg"},
    Row{"otf", "font/otf"},
    Row{"pdf", "application/pdf"},
    Row{"png", "image/png"},
    Row{"ppt", "application/vnd.ms-powerpoint"},
    Row{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    Row{"ps", "application/postscript"},
    Row{"py", "text/x-python; charset=utf-8"},
    Row{"rar", "application/vnd.rar"},
    Row{"rs", "text/plain; charset=utf-8"},
    Row{"rss", "application/rss+xml; charset=utf-8"},
    Row{"rtf", "application/rtf"},
    Row{"sh", "text/x-shellscript; charset=utf-8"},
    Row{"svg", "image/svg+xml; charset=utf-8"},
    Row{"tar", "application/x-tar"},
    Row{"tgz", "application/gzip"},
    Row{"tif", "image/tiff"},
    Row{"tiff", "image/tiff"},
    Row{"toml", "application/toml"},
    Row{"ts", "video/mp2t"},
    Row{"tsv", "text/tab-separated-values; charset=utf-8"},
    Row{"ttf", "font/ttf"},
    Row{"txt", "text/plain; charset=utf-8"},
    Row{"vtt", "text/vtt; charset=utf-8"},
    Row{"wasm", "application/wasm"},
    Row{"wav", "audio/wav"},
    Row{"weba", "audio/webm"},
    Row{"webm", "video/webm"},
    Row{"webmanifest", "application/manifest+json"},
    Row{"webp", "image/webp"},
    Row{"woff", "font/woff"},
    Row{"woff2", "font/woff2"},
    Row{"xhtml", "application/xhtml+xml; charset=utf-8"},
    Row{"xls", "application/vnd.ms-excel"},
    Row{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    Row{"xml", "application/xml; charset=utf-8"},
    Row{"xz", "application/x-xz"},
    Row{"yaml", "application/yaml"},
    Row{"yml", "application/yaml"},
    Row{"zip", "application/zip"},
    Row{"zst", "application/zstd"},
};
static_assert(std::is_sorted(kRows.begin(), kRows.end(),
                             [](const Row& a, const Row& b) { return a.extension < b.extension; }));
constexpr std::size_t kLongestExtension = 11;
constexpr std::string_view kUnknown = "application/octet-stream";

}  // namespace

std::string_view mime_type(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return kUnknown;
  const std::string_view extension = name.substr(dot + 1);
  if (extension.size() > kLongestExtension) return kUnknown;
  std::array<char, kLongestExtension> buffer{};
  std::transform(extension.begin(), extension.end(), buffer.begin(), ascii_lower);
  const std::string_view wanted(buffer.data(), extension.size());
  const auto* const row =
      std::lower_bound(kRows.begin(), kRows.end(), wanted,
                       [](const Row& a, std::string_view b) { return a.extension < b; });
  return row != kRows.end() && row->extension == wanted ? row->type : kUnknown;
}

}  // namespace servery::features
