#include "worker/features/archive/archive_coding.h"

#include <zlib.h>
#include <zstd.h>

#include <string>
#include <utility>

namespace servery::archive {
namespace {

using Outcome = body::Producer::Outcome;

constexpr int kGzipLevel = 6;
constexpr int kGzipWindow = 15 + 16;  // 32 KiB, with the gzip wrapper
constexpr int kGzipMemory = 8;
constexpr int kZstdLevel = 3;
constexpr int kZstdWindowLog = 21;
constexpr std::size_t kRoom = std::size_t{64} * 1024;

// Runs one piece of plain bytes through a coder: `code(into, is_last)` takes all of plain_.
class Coder : public body::Producer {
 public:
  explicit Coder(std::unique_ptr<body::Producer> plain) : source_(std::move(plain)) {}

  Outcome produce(std::string& into) final {
    plain_.clear();
    const Outcome outcome = source_->produce(plain_);
    if (outcome == Outcome::kFailed) return outcome;
    if (!code(into, outcome == Outcome::kEnd)) return Outcome::kFailed;
    return outcome;
  }

 protected:
  virtual bool code(std::string& into, bool is_last) = 0;
  std::string plain_;

 private:
  std::unique_ptr<body::Producer> source_;
};

class Gzip final : public Coder {
 public:
  using Coder::Coder;
  ~Gzip() override { deflateEnd(&stream_); }
  bool init() {
    return deflateInit2(&stream_, kGzipLevel, Z_DEFLATED, kGzipWindow, kGzipMemory,
                        Z_DEFAULT_STRATEGY) == Z_OK;
  }

 protected:
  bool code(std::string& into, bool is_last) override {
    stream_.next_in = reinterpret_cast<Bytef*>(plain_.data());
    stream_.avail_in = static_cast<uInt>(plain_.size());
    int result = Z_OK;
    do {
      const std::size_t used = into.size();
      into.resize(used + kRoom);
      stream_.next_out = reinterpret_cast<Bytef*>(into.data() + used);
      stream_.avail_out = static_cast<uInt>(kRoom);
      result = deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH);
      into.resize(into.size() - stream_.avail_out);
      if (result == Z_STREAM_ERROR) return false;
    } while (stream_.avail_out == 0 || (is_last && result != Z_STREAM_END));
    return true;
  }

 private:
  z_stream stream_{};
};

class Zstd final : public Coder {
 public:
  using Coder::Coder;
  bool init() {
    return context_ != nullptr && set(ZSTD_c_compressionLevel, kZstdLevel) &&
           set(ZSTD_c_windowLog, kZstdWindowLog) && set(ZSTD_c_checksumFlag, 1);
  }

 protected:
  bool code(std::string& into, bool is_last) override {
    ZSTD_inBuffer in{plain_.data(), plain_.size(), 0};
    const ZSTD_EndDirective end = is_last ? ZSTD_e_end : ZSTD_e_continue;
    while (true) {
      const std::size_t used = into.size();
      into.resize(used + kRoom);
      ZSTD_outBuffer out{into.data() + used, kRoom, 0};
      const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, end);
      into.resize(used + out.pos);
      if (ZSTD_isError(left) != 0) return false;
      if (is_last ? left == 0 : in.pos == in.size) return true;
    }
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  bool set(ZSTD_cParameter parameter, int value) {
    return ZSTD_isError(ZSTD_CCtx_setParameter(context_.get(), parameter, value)) == 0;
  }

  std::unique_ptr<ZSTD_CCtx, Free> context_{ZSTD_createCCtx()};
};

template <typename T>
Result<std::unique_ptr<body::Producer>> make(std::unique_ptr<body::Producer> plain) {
  auto coder = std::make_unique<T>(std::move(plain));
  if (!coder->init()) return fail(Errc::kExhausted, "compressor");
  return coder;
}

}  // namespace

std::uint32_t update_crc(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Result<std::unique_ptr<body::Producer>> make_gzip(std::unique_ptr<body::Producer> plain) {
  return make<Gzip>(std::move(plain));
}

Result<std::unique_ptr<body::Producer>> make_zstd(std::unique_ptr<body::Producer> plain) {
  return make<Zstd>(std::move(plain));
}

}  // namespace servery::archive
