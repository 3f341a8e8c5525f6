// The README of a directory as a section for below its HTML listing: Markdown rendered, other text
// as it is. Reads by the root's rules; what cannot be read is left out. Blocks: pool threads only.
#pragma once

#include <string>
#include <string_view>

#include "worker/files/relative_path.h"
#include "worker/files/resource.h"

namespace servery::listing {

// Whether `name` is that of a README and to be taken rather than `other` (empty: none yet):
// README.md, README.markdown, README, README.txt in any case of letters, capitals first.
bool is_better_readme(std::string_view name, std::string_view other);

// Appends the section of the file `name` in `directory`, or nothing.
void append_readme(std::string& out, const files::Root& root, const files::RelativePath& directory,
                   std::string_view name);
// The same of its content.
void append_readme_text(std::string& out, std::string_view name, std::string_view content);

}  // namespace servery::listing
