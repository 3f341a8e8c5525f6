// File name -> Content-Type, by extension: what mime_table.h lists. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace servery::features {

// A whole Content-Type value, with "; charset=utf-8" for text; "application/octet-stream" for what
// is not known. Looks at the last component of `path`; the extension's case does not matter.
std::string_view mime_type(std::string_view path);

// The table with a route's own types before it. Immutable.
class MimeTypes {
 public:
  using Types = std::vector<std::pair<std::string, std::string>>;  // extension, Content-Type
  explicit MimeTypes(Types own);
  // As mime_type(). Valid as long as this.
  std::string_view type_of(std::string_view path) const;

 private:
  Types own_;
};

}  // namespace servery::features
