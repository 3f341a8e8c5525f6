// A second opinion on request heads: llhttp, in its strict mode. What this server accepts, llhttp
// must read the same way; what llhttp lets through against RFC 9112, this server must refuse.
#include <gtest/gtest.h>
#include <llhttp.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "worker/codec/h1_parser.h"
#include "worker/http/request_rules.h"

namespace servery::codec {
namespace {

// A head as text: what both readers must agree on.
struct Reading {
  std::string method;
  std::string target;
  std::vector<std::string> fields;  // "name: value", the name lowercase
};

std::optional<Reading> read_here(std::string bytes) {
  H1HeadParser parser({});
  http::RawHead raw;
  const auto outcome = parser.parse(bytes, raw);
  if (outcome.state != H1HeadParser::State::kHead) return std::nullopt;
  Reading reading{std::string(raw.method), std::string(raw.target), {}};
  http::RequestHead head;
  std::string scratch;
  if (http::finish_request_head(raw, head, scratch)) return std::nullopt;
  for (const http::FieldView& field : head.fields) {
    reading.fields.push_back(std::string(field.name) + ": " + std::string(field.value));
  }
  return reading;
}

struct LlhttpReader {
  Reading reading;
  std::string name;
  bool is_complete = false;

  static LlhttpReader& of(llhttp_t* parser) { return *static_cast<LlhttpReader*>(parser->data); }
  static int on_url(llhttp_t* parser, const char* at, std::size_t size) {
    of(parser).reading.target.assign(at, size);
    return 0;
  }
  static int on_name(llhttp_t* parser, const char* at, std::size_t size) {
    of(parser).name = to_lower({at, size});
    return 0;
  }
  static int on_value(llhttp_t* parser, const char* at, std::size_t size) {
    const std::string_view value = trim_ows({at, size});
    of(parser).reading.fields.push_back(of(parser).name + ": " + std::string(value));
    return 0;
  }
  static int on_head(llhttp_t* parser) {
    of(parser).is_complete = true;
    of(parser).reading.method = llhttp_method_name(static_cast<llhttp_method_t>(parser->method));
    return HPE_PAUSED;
  }
};

std::optional<Reading> read_llhttp(const std::string& bytes) {
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  settings.on_url = LlhttpReader::on_url;
  settings.on_header_field = LlhttpReader::on_name;
  settings.on_header_value = LlhttpReader::on_value;
  settings.on_headers_complete = LlhttpReader::on_head;
  LlhttpReader reader;
  llhttp_t parser;
  llhttp_init(&parser, HTTP_REQUEST, &settings);
  parser.data = &reader;
  llhttp_execute(&parser, bytes.data(), bytes.size());
  if (!reader.is_complete) return std::nullopt;
  return reader.reading;
}

// The seeds of fuzz_h1_head, without their two leading bytes of parameters.
std::vector<std::string> corpus() {
  std::vector<std::string> heads;
  for (const auto& entry : std::filesystem::directory_iterator(SERVERY_HEAD_CORPUS)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.size() > 2) heads.push_back(text.substr(2));
  }
  return heads;
}

// What llhttp refuses and the RFC does not: a higher minor version (RFC 9110 2.5), HTAB as the
// space around a length (RFC 9110 5.6.3).
bool is_llhttps_own_refusal(const std::string& head) {
  return head.find("HTTP/1.2") != std::string::npos ||
         head.find("Content-Length:\t") != std::string::npos;
}

TEST(LlhttpDifference, WhatIsAcceptedHereReadsTheSameThere) {
  std::size_t agreed = 0;
  for (const std::string& head : corpus()) {
    const auto here = read_here(head);
    if (!here || is_llhttps_own_refusal(head)) continue;
    const auto there = read_llhttp(head);
    if (!there) {
      ADD_FAILURE() << head;
      continue;
    }
    EXPECT_EQ(here->method, there->method) << head;
    EXPECT_EQ(here->target, there->target) << head;
    EXPECT_EQ(here->fields, there->fields) << head;
    ++agreed;
  }
  EXPECT_GT(agreed, 40U);
}

TEST(LlhttpDifference, WhatLlhttpLetsThroughIsRefusedHere) {
  for (const char* head : {
           "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n",            // RFC 9112 5.1: empty name
           "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c: d\r\n\r\n",  // 5.2: obs-fold
           "GET / HTTP/0.9\r\n\r\n",                              // 2.3: no such version here
           "OPTIONS rtsp://x/ RTSP/1.0\r\nHost: x\r\n\r\n",       // 2.3: another protocol
           "GET / HTTP/1.1\r\n\r\n",                              // 3.2: no Host
           "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",        // 3.2: two
           "GET / HTTP/1.1\r\nHost: ###\r\n\r\n",                 // 3.2: none
       }) {
    EXPECT_TRUE(read_llhttp(head)) << head;
    EXPECT_FALSE(read_here(head)) << head;
  }
}

}  // namespace
}  // namespace servery::codec
