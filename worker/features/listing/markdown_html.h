// Markdown (CommonMark with GitHub's tables, task lists, strike-through and bare links) as a piece
// of HTML that is safe whatever the text says: none of its markup, no script, no image, links to
// http, https, mailto and relative places alone. The only includer of md4c. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace servery::listing {

// Appends to `out`. `text` is UTF-8. Headings begin at the third level. False: `out` is as it was,
// since the text nests too deep or would grow too large.
bool append_markdown(std::string& out, std::string_view text);

}  // namespace servery::listing
