#include "worker/features/archive/archive_coding.h"

#include <zlib.h>

#include <utility>

#include "worker/body/coded_producer.h"

namespace servery::archive {
namespace {

constexpr int kGzipLevel = 6;
constexpr int kZstdLevel = 3;

Result<std::unique_ptr<body::Producer>> make(std::unique_ptr<body::Producer> plain,
                                             http::Coding coding, int level) {
  auto coder = SERVERY_TRY(body::Coder::create(coding, level));
  return std::make_unique<body::CodedProducer>(std::move(plain), std::move(coder), false);
}

}  // namespace

std::uint32_t update_crc(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Result<std::unique_ptr<body::Producer>> make_gzip(std::unique_ptr<body::Producer> plain) {
  return make(std::move(plain), http::Coding::kGzip, kGzipLevel);
}

Result<std::unique_ptr<body::Producer>> make_zstd(std::unique_ptr<body::Producer> plain) {
  return make(std::move(plain), http::Coding::kZstd, kZstdLevel);
}

}  // namespace servery::archive
