// The codings of archives: gzip and zstd over the bytes of another producer, and the zip checksum.
// Pool threads only, one call at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "common/base/result.h"
#include "worker/body/produced_source.h"

namespace servery::archive {

// CRC-32 of what gave `crc` (0: nothing) and then `bytes`.
std::uint32_t update_crc(std::uint32_t crc, std::string_view bytes);

Result<std::unique_ptr<body::Producer>> make_gzip(std::unique_ptr<body::Producer> plain);
Result<std::unique_ptr<body::Producer>> make_zstd(std::unique_ptr<body::Producer> plain);

}  // namespace servery::archive
