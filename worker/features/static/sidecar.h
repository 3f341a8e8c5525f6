// Ready-made coded variants beside a file: `app.js.br`, `.zst`, `.gz`. Opened below the root like
// the file itself. On the loop with Access::kInline, or on the pool.
#pragma once

#include <cstdint>

#include "worker/features/static/static_lookup.h"
#include "worker/files/resource.h"
#include "worker/http/negotiate.h"

namespace servery::features {

// Puts the best sidecar that the client takes in the place of the file that was found. Refused, so
// that the next one or the file itself is given: one that is older than the file, empty beside a
// file that is not, no regular file, or zstd with a window above 8 MiB (RFC 9659).
void choose_sidecar(StaticLookup& found, const files::Root& root,
                    const http::CodingPreference& wanted, std::uint64_t max_content,
                    files::Access access);

}  // namespace servery::features
