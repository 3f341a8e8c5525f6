#include "worker/features/listing/listing_icons.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "common/base/text.h"

namespace servery::listing {
namespace {

// 16 x 16, drawn with the current colour. A sheet with a folded corner, and what tells it apart.
#define SERVERY_SHEET "<path d='M4 1.75h5.25L12.5 5v9.25H4zM9 2v3.25h3.25'/>"
constexpr std::string_view kSymbols =
    "<svg class=k aria-hidden=true>"
    "<symbol id=d viewBox='0 0 16 16'><path class=w d='M1.75 4.25v8.5q0 1 1 1h10.5q1 0 "
    "1-1v-6.5q0-1-"
    "1-1H8L6.25 3.25h-3.5q-1 0-1 1z'/></symbol>"
    "<symbol id=f viewBox='0 0 16 16'>" SERVERY_SHEET
    "</symbol>"
    "<symbol id=t viewBox='0 0 16 16'>" SERVERY_SHEET
    "<path d='M6 7.75h4.5M6 9.75h4.5M6 11.75h3'/></symbol>"
    "<symbol id=c viewBox='0 0 16 16'><path d='M5.5 4.25 1.75 8l3.75 3.75M10.5 4.25 14.25 8l-3.75 "
    "3.75M9.25 2.75l-2.5 10.5'/></symbol>"
    "<symbol id=i viewBox='0 0 16 16'><path d='M1.75 2.75h12.5v10.5H1.75zM2 11.5l3.5-4 3 3.25 "
    "2-2 3.5 3.25'/><circle cx=10.75 cy=5.75 r=1 /></symbol>"
    "<symbol id=a viewBox='0 0 16 16'><path d='M6 12V3l7-1.25v9'/><circle cx=4.25 cy=12 r=1.75 />"
    "<circle cx=11.25 cy=10.75 r=1.75 /></symbol>"
    "<symbol id=v viewBox='0 0 16 16'><path d='M1.75 2.75h12.5v10.5H1.75zM6.5 5.5v5l4-2.5z'/>"
    "</symbol>"
    "<symbol id=z viewBox='0 0 16 16'><path d='M1.75 2.25h12.5v3H1.75zM2.75 5.5v8.25h10.5V5.5M6.5 "
    "8h3'/></symbol>"
    "<symbol id=x viewBox='0 0 16 16'><circle cx=8 cy=8 r=6 /><path d='M3.75 12.25l8.5-8.5'/>"
    "</symbol>"
    "<symbol id=u viewBox='0 0 16 16'><path d='M8 13.5v-11M3.5 7 8 2.5 12.5 7'/></symbol>"
    "<symbol id=h viewBox='0 0 16 16'><path d='M1.75 8 8 2.25 14.25 8M3.5 6.75v7h9v-7'/></symbol>"
    "</svg>\n";
#undef SERVERY_SHEET

struct Kind {
  std::string_view extension;
  std::string_view icon;
};

constexpr std::array kKinds = std::to_array<Kind>({
    {"7z", "z"},   {"aac", "a"},  {"avi", "v"},  {"avif", "i"}, {"bmp", "i"},  {"bz2", "z"},
    {"c", "c"},    {"cc", "c"},   {"conf", "c"}, {"cpp", "c"},  {"cs", "c"},   {"css", "c"},
    {"csv", "t"},  {"deb", "z"},  {"doc", "t"},  {"docx", "t"}, {"epub", "t"}, {"flac", "a"},
    {"gif", "i"},  {"go", "c"},   {"gz", "z"},   {"h", "c"},    {"heic", "i"}, {"hpp", "c"},
    {"htm", "c"},  {"html", "c"}, {"ico", "i"},  {"ini", "c"},  {"iso", "z"},  {"jar", "z"},
    {"java", "c"}, {"jpeg", "i"}, {"jpg", "i"},  {"js", "c"},   {"json", "c"}, {"log", "t"},
    {"m4a", "a"},  {"m4v", "v"},  {"md", "t"},   {"mjs", "c"},  {"mkv", "v"},  {"mov", "v"},
    {"mp3", "a"},  {"mp4", "v"},  {"mpeg", "v"}, {"mpg", "v"},  {"odp", "t"},  {"ods", "t"},
    {"odt", "t"},  {"oga", "a"},  {"ogg", "a"},  {"ogv", "v"},  {"opus", "a"}, {"pdf", "t"},
    {"php", "c"},  {"png", "i"},  {"ppt", "t"},  {"pptx", "t"}, {"py", "c"},   {"rar", "z"},
    {"rb", "c"},   {"rpm", "z"},  {"rs", "c"},   {"rst", "t"},  {"rtf", "t"},  {"sh", "c"},
    {"sql", "c"},  {"svg", "i"},  {"tar", "z"},  {"tex", "t"},  {"tgz", "z"},  {"tif", "i"},
    {"tiff", "i"}, {"toml", "c"}, {"ts", "c"},   {"txt", "t"},  {"wav", "a"},  {"webm", "v"},
    {"webp", "i"}, {"xls", "t"},  {"xlsx", "t"}, {"xml", "c"},  {"xz", "z"},   {"yaml", "c"},
    {"yml", "c"},  {"zip", "z"},  {"zst", "z"},
});

}  // namespace

std::string_view icon_symbols() { return kSymbols; }

std::string_view icon_id(const Entry& entry) {
  if (entry.is_directory()) return "d";
  if (entry.kind == EntryKind::kUnavailable) return "x";
  const std::size_t dot = entry.name.rfind('.');
  if (dot == 0 || dot == std::string_view::npos) return "f";
  const std::string extension = to_lower(entry.name.substr(dot + 1));
  const auto* found = std::lower_bound(
      kKinds.begin(), kKinds.end(), extension,
      [](const Kind& kind, const std::string& wanted) { return kind.extension < wanted; });
  return found != kKinds.end() && found->extension == extension ? found->icon : "f";
}

}  // namespace servery::listing
