#include "worker/body/coder.h"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>

namespace servery::body {
namespace {

constexpr int kGzipWindow = 15 + 16;  // 32 KiB, with the gzip wrapper
constexpr int kGzipMemory = 8;
constexpr std::size_t kRoom = std::size_t{64} * 1024;

class Gzip final : public Coder {
 public:
  ~Gzip() override { deflateEnd(&stream_); }

  bool init(int level) {
    return deflateInit2(&stream_, level, Z_DEFLATED, kGzipWindow, kGzipMemory,
                        Z_DEFAULT_STRATEGY) == Z_OK;
  }

  bool code(std::string_view plain, Then then, std::string& into) override {
    // zlib reads through a pointer that its old interface leaves without const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream_.avail_in = static_cast<uInt>(plain.size());
    const int flush = then == Then::kEnd     ? Z_FINISH
                      : then == Then::kFlush ? Z_SYNC_FLUSH
                                             : Z_NO_FLUSH;
    int result = Z_OK;
    do {
      const std::size_t used = into.size();
      into.resize(used + kRoom);
      stream_.next_out = reinterpret_cast<Bytef*>(into.data() + used);
      stream_.avail_out = static_cast<uInt>(kRoom);
      result = deflate(&stream_, flush);
      into.resize(into.size() - stream_.avail_out);
      if (result == Z_STREAM_ERROR) return false;
    } while (stream_.avail_out == 0 || (then == Then::kEnd && result != Z_STREAM_END));
    return true;
  }

 private:
  z_stream stream_{};
};

class Zstd final : public Coder {
 public:
  bool init(int level) {
    return context_ != nullptr && set(ZSTD_c_compressionLevel, level) &&
           set(ZSTD_c_checksumFlag, 1);
  }

  bool code(std::string_view plain, Then then, std::string& into) override {
    ZSTD_inBuffer in{plain.data(), plain.size(), 0};
    const ZSTD_EndDirective end = then == Then::kEnd     ? ZSTD_e_end
                                  : then == Then::kFlush ? ZSTD_e_flush
                                                         : ZSTD_e_continue;
    while (true) {
      const std::size_t used = into.size();
      into.resize(used + kRoom);
      ZSTD_outBuffer out{into.data() + used, kRoom, 0};
      const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, end);
      into.resize(used + out.pos);
      if (ZSTD_isError(left) != 0) return false;
      if (then == Then::kMore ? in.pos == in.size : left == 0) return true;
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

class Brotli final : public Coder {
 public:
  bool init(int level) {
    return state_ != nullptr && BrotliEncoderSetParameter(state_.get(), BROTLI_PARAM_QUALITY,
                                                          static_cast<std::uint32_t>(level)) != 0;
  }

  bool code(std::string_view plain, Then then, std::string& into) override {
    const BrotliEncoderOperation operation = then == Then::kEnd     ? BROTLI_OPERATION_FINISH
                                             : then == Then::kFlush ? BROTLI_OPERATION_FLUSH
                                                                    : BROTLI_OPERATION_PROCESS;
    const auto* in = reinterpret_cast<const std::uint8_t*>(plain.data());
    std::size_t in_left = plain.size();
    do {
      std::size_t room = 0;
      std::uint8_t* nowhere = nullptr;
      if (BrotliEncoderCompressStream(state_.get(), operation, &in_left, &in, &room, &nowhere,
                                      nullptr) == 0) {
        return false;
      }
      while (BrotliEncoderHasMoreOutput(state_.get()) != 0) {
        std::size_t size = 0;  // all there is
        const std::uint8_t* const out = BrotliEncoderTakeOutput(state_.get(), &size);
        into.append(reinterpret_cast<const char*>(out), size);
      }
    } while (in_left > 0 || (then == Then::kEnd && BrotliEncoderIsFinished(state_.get()) == 0));
    return true;
  }

 private:
  struct Free {
    void operator()(BrotliEncoderState* state) const { BrotliEncoderDestroyInstance(state); }
  };
  std::unique_ptr<BrotliEncoderState, Free> state_{
      BrotliEncoderCreateInstance(nullptr, nullptr, nullptr)};
};

template <typename T>
Result<std::unique_ptr<Coder>> make(int level) {
  auto coder = std::make_unique<T>();
  if (!coder->init(level)) return fail(Errc::kExhausted, "compressor");
  return coder;
}

std::string brotli_version() {
  const std::uint32_t version = BrotliEncoderVersion();  // 12 bits for each of the last two
  return std::to_string(version >> 24) + "." + std::to_string(version >> 12 & 0xfff) + "." +
         std::to_string(version & 0xfff);
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

}  // namespace

Result<std::unique_ptr<Coder>> Coder::create(http::Coding coding, int level) {
  switch (coding) {
    case http::Coding::kZstd:
      return make<Zstd>(level);
    case http::Coding::kBr:
      return make<Brotli>(level);
    case http::Coding::kGzip:
      return make<Gzip>(level);
    case http::Coding::kIdentity:
      break;
  }
  return fail(Errc::kInternal, "no coder for plain bytes");
}

std::string coding_mark(http::Coding coding, int level) {
  std::string mark(http::coding_token(coding));
  mark.append(std::to_string(level)).append(".");
  if (coding == http::Coding::kZstd) return mark + ZSTD_versionString();
  if (coding == http::Coding::kBr) return mark + brotli_version();
  return mark + zlibVersion();
}

// RFC 8878 3.1.1.1: magic number, descriptor, then the window's byte; without that one (single
// segment) the window is the content, whose size follows an optional dictionary id.
bool has_small_zstd_window(std::string_view head) {
  constexpr std::uint64_t kMagic = 0xFD2FB528;
  constexpr std::uint64_t kLargest = std::uint64_t{8} << 20;
  if (head.size() < 6 || little_endian(head.substr(0, 4)) != kMagic) return false;
  const auto descriptor = static_cast<unsigned char>(head[4]);
  if ((descriptor & 0x20) == 0) {
    const auto window = static_cast<unsigned char>(head[5]);
    const std::uint64_t base = std::uint64_t{1} << (10 + (window >> 3));
    return base + base / 8 * (window & 7U) <= kLargest;
  }
  constexpr std::array<std::size_t, 4> kDictionarySizes = {0, 1, 2, 4};
  constexpr std::array<std::size_t, 4> kContentSizes = {1, 2, 4, 8};
  const std::size_t at = 5 + kDictionarySizes[descriptor & 3U];
  const std::size_t size = kContentSizes[descriptor >> 6U];
  if (head.size() < at + size) return false;
  const std::uint64_t content = little_endian(head.substr(at, size)) + (size == 2 ? 256 : 0);
  return content <= kLargest;
}

}  // namespace servery::body
