#include "worker/body/coder.h"

#include <brotli/decode.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

#include "worker/body/coded_producer.h"
#include "worker/body/producers.h"

namespace servery::body {
namespace {

using http::Coding;

constexpr Coding kCoded[] = {Coding::kZstd, Coding::kBr, Coding::kGzip};

std::string sample(std::size_t size) {
  std::string text;
  for (unsigned i = 0; text.size() < size; ++i) {
    text += "line " + std::to_string(i * 2654435761U) + " of the sample\n";
  }
  text.resize(size);
  return text;
}

std::string gunzip(const std::string& coded, std::size_t most) {
  std::string plain(most, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
  stream.avail_in = static_cast<uInt>(coded.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(most);
  inflate(&stream, Z_SYNC_FLUSH);
  plain.resize(stream.total_out);
  inflateEnd(&stream);
  return plain;
}

std::string unzstd(const std::string& coded, std::size_t most) {
  std::string plain(most, '\0');
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_inBuffer in{coded.data(), coded.size(), 0};
  ZSTD_outBuffer out{plain.data(), plain.size(), 0};
  EXPECT_EQ(ZSTD_isError(ZSTD_decompressStream(context, &out, &in)), 0U);
  ZSTD_freeDCtx(context);
  plain.resize(out.pos);
  return plain;
}

std::string unbrotli(const std::string& coded, std::size_t most) {
  std::string plain(most, '\0');
  BrotliDecoderState* const state = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
  std::size_t in_left = coded.size();
  const auto* in = reinterpret_cast<const std::uint8_t*>(coded.data());
  std::size_t room = most;
  auto* out = reinterpret_cast<std::uint8_t*>(plain.data());
  EXPECT_NE(BrotliDecoderDecompressStream(state, &in_left, &in, &room, &out, nullptr),
            BROTLI_DECODER_RESULT_ERROR);
  BrotliDecoderDestroyInstance(state);
  plain.resize(most - room);
  return plain;
}

std::string decode(Coding coding, const std::string& coded, std::size_t most = 4 << 20) {
  if (coding == Coding::kZstd) return unzstd(coded, most);
  return coding == Coding::kBr ? unbrotli(coded, most) : gunzip(coded, most);
}

std::string code_whole(Coding coding, std::string_view plain, int level = 5) {
  std::string coded;
  auto coder = Coder::create(coding, level);
  EXPECT_TRUE(coder && (*coder)->code(plain, Coder::Then::kEnd, coded));
  return coded;
}

TEST(Coder, WhatIsCodedIsDecoded) {
  for (const Coding coding : kCoded) {
    for (const std::size_t size : {0U, 1U, 1000U, 1U << 20}) {
      const std::string plain = sample(size);
      EXPECT_EQ(decode(coding, code_whole(coding, plain)), plain) << int(coding) << ' ' << size;
    }
    EXPECT_LT(code_whole(coding, sample(100'000)).size(), 50'000U);
  }
}

TEST(Coder, TheSamePiecesGiveTheSameBytes) {
  for (const Coding coding : kCoded) {
    EXPECT_EQ(code_whole(coding, sample(300'000)), code_whole(coding, sample(300'000)));
  }
  EXPECT_EQ(code_whole(Coding::kGzip, "x").substr(4, 4), std::string(4, '\0'));  // RFC 1952 MTIME
}

TEST(Coder, AFlushGivesAllSoFar) {
  const std::string first = sample(5000);
  for (const Coding coding : kCoded) {
    auto coder = Coder::create(coding, 5);
    ASSERT_TRUE(coder);
    std::string coded;
    ASSERT_TRUE((*coder)->code(first, Coder::Then::kFlush, coded));
    EXPECT_EQ(decode(coding, coded), first);
    ASSERT_TRUE((*coder)->code("end", Coder::Then::kMore, coded));
    ASSERT_TRUE((*coder)->code("", Coder::Then::kEnd, coded));
    EXPECT_EQ(decode(coding, coded), first + "end");
  }
}

TEST(Coder, IdentityHasNone) { EXPECT_FALSE(Coder::create(Coding::kIdentity, 1)); }

TEST(Coder, MarksTellWhatTheBytesDependOn) {
  EXPECT_TRUE(coding_mark(Coding::kBr, 5).starts_with("br5.1."));
  EXPECT_EQ(coding_mark(Coding::kZstd, 3), "zstd3." + std::string(ZSTD_versionString()));
  EXPECT_NE(coding_mark(Coding::kGzip, 6), coding_mark(Coding::kGzip, 7));
}

// The largest level that configuration allows stays within RFC 9659's window.
TEST(Coder, ZstdWindowsAreSmall) {
  EXPECT_TRUE(has_small_zstd_window(code_whole(Coding::kZstd, sample(1 << 20), 19)));
  auto coder = Coder::create(Coding::kZstd, 19);  // of unknown length: the level's full window
  std::string coded;
  ASSERT_TRUE((*coder)->code(sample(1000), Coder::Then::kFlush, coded));
  EXPECT_TRUE(has_small_zstd_window(coded));
}

TEST(Coder, LargeZstdWindowsAreSeen) {  // RFC 8878 3.1.1.1
  const auto frame = [](std::initializer_list<int> bytes) {
    std::string head = "\x28\xB5\x2F\xFD";
    for (const int byte : bytes) head += static_cast<char>(byte);
    return head;
  };
  EXPECT_TRUE(has_small_zstd_window(frame({0x00, 13 << 3})));       // 8 MiB
  EXPECT_FALSE(has_small_zstd_window(frame({0x00, 13 << 3 | 1})));  // 9 MiB
  EXPECT_FALSE(has_small_zstd_window(frame({0x00, 0xff})));
  EXPECT_TRUE(has_small_zstd_window(frame({0xA0, 0x00, 0x00, 0x80, 0x00})));   // 8 MiB content
  EXPECT_FALSE(has_small_zstd_window(frame({0xA0, 0x01, 0x00, 0x80, 0x00})));  // one byte more
  EXPECT_TRUE(has_small_zstd_window(frame({0x20, 0xff})));                     // one byte of size
  EXPECT_TRUE(has_small_zstd_window(frame({0x63, 1, 2, 3, 4, 0xff, 0xff})));   // with a dictionary
  EXPECT_FALSE(has_small_zstd_window(frame({0xA0, 0x01, 0x00})));              // cut off
  EXPECT_FALSE(has_small_zstd_window("not zstd at all"));
  EXPECT_FALSE(has_small_zstd_window(""));
}

std::string produce_all(Producer& producer) {
  std::string all;
  Producer::Outcome outcome = Producer::Outcome::kMore;
  while (outcome == Producer::Outcome::kMore) {
    std::string piece;
    outcome = producer.produce(piece);
    all += piece;
  }
  EXPECT_EQ(outcome, Producer::Outcome::kEnd);
  return all;
}

TEST(CodedProducer, GivesTheFirstBytesAtOnceWhereAsked) {
  const std::string plain = sample(3 << 20);
  for (const Coding coding : kCoded) {
    CodedProducer coded(std::make_shared<MemoryProducer>(plain), *Coder::create(coding, 5), true);
    std::string first;
    ASSERT_EQ(coded.produce(first), Producer::Outcome::kMore);
    EXPECT_EQ(decode(coding, first), plain.substr(0, Producer::kPiece));
    EXPECT_EQ(decode(coding, first + produce_all(coded)), plain);
  }
}

}  // namespace
}  // namespace servery::body
