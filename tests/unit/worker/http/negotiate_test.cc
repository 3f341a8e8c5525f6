#include "worker/http/negotiate.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace servery::http {
namespace {

CodingPreference preference_of(const std::vector<std::string_view>& values) {
  RequestFields fields;
  for (const std::string_view value : values) {
    fields.add({FieldId::kAcceptEncoding, "accept-encoding", value});
  }
  return preferred_codings(fields);
}

std::string preferred(const std::vector<std::string_view>& values) {
  std::string text;
  for (const Coding coding : preference_of(values)) {
    if (!text.empty()) text += ' ';
    text += coding_token(coding);
  }
  return text;
}

TEST(Negotiate, NoFieldOrAnEmptyOneWantsPlainBytes) {  // RFC 9110 12.5.3
  EXPECT_EQ(preferred({}), "");
  EXPECT_EQ(preferred({""}), "");
  EXPECT_EQ(preferred({" , ,"}), "");
  EXPECT_EQ(preferred({"identity"}), "");
  EXPECT_EQ(preferred({"deflate, compress"}), "");
}

TEST(Negotiate, TheServerOrdersEquals) {
  EXPECT_EQ(preferred({"gzip, deflate, br, zstd"}), "zstd br gzip");
  EXPECT_EQ(preferred({"gzip, br"}), "br gzip");
  EXPECT_EQ(preferred({"gzip"}), "gzip");
  EXPECT_EQ(preferred({"*"}), "zstd br gzip");
  EXPECT_EQ(preferred({"gzip", "zstd"}), "zstd gzip");
}

TEST(Negotiate, WeightsComeFirst) {  // RFC 9110 12.4.2
  EXPECT_EQ(preferred({"gzip;q=1.0, br;q=0.9, zstd;q=0.95"}), "gzip zstd br");
  EXPECT_EQ(preferred({"gzip;q=0.8, *;q=0.7"}), "gzip zstd br");
  EXPECT_EQ(preferred({"br;q=0.001"}), "br");
  EXPECT_EQ(preferred({"gzip;q=0"}), "");
  EXPECT_EQ(preferred({"gzip;q=0.000, br"}), "br");
  EXPECT_EQ(preferred({"gzip;q=0, *"}), "zstd br");
  EXPECT_EQ(preferred({"*;q=0"}), "");
  EXPECT_EQ(preferred({"br, *;q=0"}), "br");
}

TEST(Negotiate, IdentityCompetes) {
  EXPECT_EQ(preferred({"identity;q=1, gzip;q=0.5"}), "");
  EXPECT_EQ(preferred({"identity;q=0.5, gzip;q=0.5"}), "gzip");
  EXPECT_EQ(preferred({"identity;q=0.5, gzip;q=0.4, br;q=0.6"}), "br");
  EXPECT_EQ(preferred({"gzip;q=0.5, *;q=1"}), "zstd br");
  EXPECT_EQ(preferred({"identity;q=0, gzip;q=0.1"}), "gzip");
  EXPECT_EQ(preferred({"identity;q=0"}), "");
}

TEST(Negotiate, NamesIgnoreCaseAndTheOldAlias) {
  EXPECT_EQ(preferred({"GZIP;Q=1"}), "gzip");
  EXPECT_EQ(preferred({"x-gzip"}), "gzip");
  EXPECT_EQ(preferred({"gzip ; q=0.5 , Br"}), "br gzip");
}

TEST(Negotiate, ABrokenMemberRefusesItsCodingOnly) {
  for (const std::string_view broken :
       {"gzip;q=", "gzip;q=2", "gzip;q=1.001", "gzip;q=0.1234", "gzip;q=.5", "gzip;q=-1",
        "gzip;q=0,5", "gzip;level=1", "gzip;", "gzip;q=1;x=2", "gzip;q=0x1"}) {
    EXPECT_EQ(preferred({std::string(broken) + ", br;q=0.2"}), "br") << broken;
  }
  EXPECT_EQ(preferred({"gzip;q=1.000"}), "gzip");
  EXPECT_EQ(preferred({"gzip;q=1."}), "gzip");
  EXPECT_EQ(preferred({"identity;q=x, gzip"}), "gzip");
  EXPECT_EQ(preferred({"gzip br"}), "");
  EXPECT_EQ(preferred({"\"gzip\", br"}), "br");
}

TEST(Negotiate, TheFirstWordOfACodingCounts) {
  EXPECT_EQ(preferred({"gzip;q=0, gzip"}), "");
  EXPECT_EQ(preferred({"gzip, x-gzip;q=0"}), "gzip");
}

TEST(Negotiate, SignaturesTellPreferencesApart) {
  std::set<int> seen;
  const std::vector<std::string_view> all = {"identity",
                                             "zstd",
                                             "br",
                                             "gzip",
                                             "zstd, br",
                                             "zstd;q=0.1, br",
                                             "zstd, gzip",
                                             "zstd;q=0.1, gzip",
                                             "br, gzip",
                                             "br;q=0.1, gzip",
                                             "zstd, br, gzip",
                                             "zstd, br;q=0.5, gzip",
                                             "zstd;q=0.5, br, gzip",
                                             "zstd;q=0.5, br;q=0.4, gzip",
                                             "zstd;q=0.5, br, gzip;q=0.4",
                                             "zstd;q=0.4, br;q=0.5, gzip"};
  for (const std::string_view value : all) seen.insert(preference_of({value}).signature());
  EXPECT_EQ(seen.size(), all.size());
  EXPECT_EQ(preference_of({}).signature(), 0);
}

TEST(Negotiate, TypesThatMayBeCoded) {
  for (const std::string_view type :
       {"text/html; charset=utf-8", "text/plain", "application/json",
        "image/svg+xml; charset=utf-8", "application/wasm", "application/manifest+json",
        "application/x-ndjson", "font/ttf", "application/vnd.ms-fontobject",
        "application/ecmascript", "image/bmp"}) {
    EXPECT_TRUE(may_be_coded(type)) << type;
  }
  for (const std::string_view type :
       {"image/png", "application/zip", "application/gzip", "application/octet-stream",
        "font/woff2", "video/mp4", "application/zstd", "", "text", "application/pdf"}) {
    EXPECT_FALSE(may_be_coded(type)) << type;
  }
}

TEST(Negotiate, AVariantHasItsOwnTag) {  // RFC 9110 8.8.3.3
  EXPECT_EQ(coded_etag("\"abc\"", "br"), "\"abc-br\"");
  EXPECT_EQ(coded_etag("W/\"abc\"", "gzip"), "W/\"abc-gzip\"");
}

TEST(Negotiate, VaryNamesAFieldOnce) {  // RFC 9110 12.5.5
  ResponseFields fields;
  vary_on(fields, "accept-encoding");
  EXPECT_EQ(*fields.find(FieldId::kVary), "accept-encoding");
  vary_on(fields, "Accept-Encoding");
  EXPECT_EQ(*fields.find(FieldId::kVary), "accept-encoding");
  vary_on(fields, "origin");
  EXPECT_EQ(*fields.find(FieldId::kVary), "accept-encoding, origin");
  ResponseFields all;
  all.add(FieldId::kVary, "*");
  vary_on(all, "accept-encoding");
  EXPECT_EQ(*all.find(FieldId::kVary), "*");
  EXPECT_EQ(all.size(), 1U);
}

}  // namespace
}  // namespace servery::http
