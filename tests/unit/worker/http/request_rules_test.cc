#include "worker/http/request_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace servery::http {
namespace {

using List = std::vector<std::pair<std::string, std::string>>;

// A request as a transport brings it: names lowercase. Host is there unless the test has its own.
struct Case {
  std::string method = "GET";
  std::string target = "/";
  List fields = {{"host", "localhost"}};
  std::uint8_t minor = 1;
  std::uint8_t major = 1;
  std::string authority = {};
};

class RequestRules : public ::testing::Test {
 protected:
  // The refusal's reason, or "" for an accepted request, then in `head`.
  std::string check(Case request) {
    case_ = std::move(request);
    RawHead raw;
    raw.method = case_.method;
    raw.target = case_.target;
    raw.authority = case_.authority;
    raw.version_major = case_.major;
    raw.version_minor = case_.minor;
    for (const auto& [name, value] : case_.fields) raw.fields.add({field_id(name), name, value});
    const auto refusal = finish_request_head(raw, head, scratch_);
    status = refusal ? refusal->status : 0;
    return refusal ? std::string(refusal->reason) : std::string();
  }
  std::string with(List extra) {
    extra.insert(extra.begin(), {"host", "localhost"});
    return check({.method = "POST", .fields = std::move(extra)});
  }
  std::string host(const std::string& value, std::uint8_t minor = 1) {
    return check({.fields = {{"host", value}}, .minor = minor});
  }

  RequestHead head;
  int status = 0;

 private:
  Case case_;
  std::string scratch_;
};

TEST_F(RequestRules, PlainRequest) {
  EXPECT_EQ(check({.target = "/a?b", .fields = {{"host", "example.org:8000"}}}), "");
  EXPECT_EQ(head.method, Method::kGet);
  EXPECT_EQ(head.target, "/a?b");
  EXPECT_EQ(head.path, "/a");
  EXPECT_EQ(head.query, "b");
  EXPECT_EQ(head.host, "example.org");
  EXPECT_EQ(head.authority, "example.org:8000");
  EXPECT_EQ(head.framing, BodyFraming::kNone);
  EXPECT_FALSE(head.has_body());
  EXPECT_EQ(head.fields.size(), 1U);
}

TEST_F(RequestRules, UnknownMethodsAreNotImplemented) {  // RFC 9110 9.1
  EXPECT_EQ(check({.method = "BREW"}), "method_unknown");
  EXPECT_EQ(status, 501);
  EXPECT_EQ(check({.method = "get"}), "method_unknown");
  EXPECT_EQ(check({.method = "G/T"}), "method_invalid");
  EXPECT_EQ(status, 400);
  EXPECT_EQ(check({.method = "CONNECT", .target = "x:443"}), "method_unsupported");
  EXPECT_EQ(status, 501);
  EXPECT_EQ(check({.method = "TRACE"}), "method_unsupported");
}

TEST_F(RequestRules, HostIsNeededOnceAndWellFormed) {  // RFC 9112 3.2
  EXPECT_EQ(check({.fields = {}}), "host_missing");
  EXPECT_EQ(status, 400);
  EXPECT_EQ(check({.fields = {{"host", "a"}, {"host", "a"}}}), "host_repeated");
  EXPECT_EQ(host("a b"), "host_invalid");
  EXPECT_EQ(host("a@b"), "host_invalid");
  EXPECT_EQ(host("a:b"), "host_invalid");
  EXPECT_EQ(host(""), "");
  EXPECT_EQ(head.host, "");
  EXPECT_EQ(check({.fields = {}, .minor = 0}), "");
  EXPECT_EQ(head.host, "");
  EXPECT_EQ(check({.fields = {{"host", "a"}, {"host", "a"}}, .minor = 0}), "host_repeated");
  EXPECT_EQ(host("a b", 0), "host_invalid");
}

TEST_F(RequestRules, HostIsLowercaseWithoutTheRootDot) {
  EXPECT_EQ(host("WWW.Example.ORG.:80"), "");
  EXPECT_EQ(head.host, "www.example.org");
  EXPECT_EQ(head.authority, "WWW.Example.ORG.:80");
  EXPECT_EQ(check({.target = "/a/../%41", .fields = {{"host", "UPPER"}}}), "");
  EXPECT_EQ(head.path, "/A");  // both live in the scratch
  EXPECT_EQ(head.host, "upper");
}

TEST_F(RequestRules, AbsoluteTargetWinsOverHost) {  // RFC 9112 3.2.2
  EXPECT_EQ(check({.target = "http://Target.example:81/x"}), "");
  EXPECT_EQ(head.host, "target.example");
  EXPECT_EQ(head.path, "/x");
  EXPECT_EQ(check({.target = "http://u@x/"}), "host_invalid");
  EXPECT_EQ(check({.target = "http://x/", .fields = {{"host", "a b"}}}), "host_invalid");
  EXPECT_EQ(check({.target = "http://x/", .fields = {}}), "host_missing");
}

TEST_F(RequestRules, AuthorityOfLaterVersions) {  // RFC 9113 8.3.1
  EXPECT_EQ(check({.fields = {}, .minor = 0, .major = 2, .authority = "Example.org"}), "");
  EXPECT_EQ(head.host, "example.org");
  EXPECT_EQ(check({.minor = 0, .major = 2, .authority = "other"}), "host_mismatch");
  EXPECT_EQ(check({.fields = {}, .minor = 0, .major = 2}), "host_missing");
}

TEST_F(RequestRules, ContentLength) {  // RFC 9112 6.3
  EXPECT_EQ(with({{"content-length", "42"}}), "");
  EXPECT_EQ(head.framing, BodyFraming::kLength);
  EXPECT_EQ(head.content_length, 42U);
  EXPECT_TRUE(head.has_body());
  EXPECT_EQ(with({{"content-length", "0"}}), "");
  EXPECT_FALSE(head.has_body());
  EXPECT_EQ(with({{"content-length", "18446744073709551615"}}), "");
  for (const char* value : {"", "-1", "+1", "0x10", "1 2", "4,4", "4, 4", "1e3", "abc", "1.0",
                            "18446744073709551616", "1000000000000000000000"}) {
    EXPECT_EQ(with({{"content-length", value}}), "content_length_invalid") << value;
    EXPECT_EQ(status, 400);
  }
  EXPECT_EQ(with({{"content-length", "4"}, {"content-length", "4"}}), "content_length_repeated");
}

TEST_F(RequestRules, TransferEncoding) {  // RFC 9112 6.1
  EXPECT_EQ(with({{"transfer-encoding", "chunked"}}), "");
  EXPECT_EQ(head.framing, BodyFraming::kChunked);
  EXPECT_TRUE(head.has_body());
  EXPECT_EQ(with({{"transfer-encoding", ", Chunked ,"}}), "");
  for (const char* value : {"gzip, chunked", "pigeons", "identity", "chunkedchunked", "xchunked"}) {
    EXPECT_EQ(with({{"transfer-encoding", value}}), "transfer_encoding_unknown") << value;
    EXPECT_EQ(status, 501);
  }
  for (const char* value :
       {"", ",", "chunked, chunked", "chunked, gzip", "gzip, chunked, chunked"}) {
    EXPECT_EQ(with({{"transfer-encoding", value}}), "transfer_encoding_invalid") << value;
    EXPECT_EQ(status, 400);
  }
  EXPECT_EQ(with({{"transfer-encoding", "chunked"}, {"transfer-encoding", "deflate"}}),
            "transfer_encoding_invalid");
}

TEST_F(RequestRules, TwoFramingsAreAnAttack) {  // RFC 9112 6.3, 11.2
  EXPECT_EQ(with({{"transfer-encoding", "chunked"}, {"content-length", "4"}}),
            "content_length_and_transfer_encoding");
  EXPECT_EQ(status, 400);
  EXPECT_EQ(check({.method = "POST", .fields = {{"transfer-encoding", "chunked"}}, .minor = 0}),
            "transfer_encoding_in_http10");
  EXPECT_EQ(status, 400);
}

TEST_F(RequestRules, Expect) {  // RFC 9110 10.1.1
  EXPECT_EQ(with({{"expect", "100-Continue"}, {"content-length", "1"}}), "");
  EXPECT_TRUE(head.expect_continue);
  EXPECT_EQ(with({{"expect", "100-continue"}}), "");
  EXPECT_FALSE(head.expect_continue);
  EXPECT_EQ(with({{"expect", "a-miracle"}}), "expectation_unknown");
  EXPECT_EQ(status, 417);
  EXPECT_EQ(
      check({.method = "POST", .fields = {{"expect", "x"}, {"content-length", "1"}}, .minor = 0}),
      "");
  EXPECT_FALSE(head.expect_continue);
}

TEST_F(RequestRules, OneHeadAfterAnotherLeavesNothingBehind) {
  EXPECT_EQ(check({.method = "POST",
                   .target = "/x%2fy?q",
                   .fields = {{"host", "A"}, {"content-length", "3"}, {"expect", "100-continue"}}}),
            "");
  EXPECT_EQ(check({}), "");
  EXPECT_EQ(head.framing, BodyFraming::kNone);
  EXPECT_EQ(head.content_length, 0U);
  EXPECT_FALSE(head.expect_continue);
  EXPECT_FALSE(head.has_query);
  EXPECT_FALSE(head.encoded_slash);
  EXPECT_EQ(head.fields.size(), 1U);
}

TEST_F(RequestRules, TargetRefusalsPassThrough) {
  EXPECT_EQ(check({.target = "*"}), "target_invalid");
  EXPECT_EQ(check({.method = "OPTIONS", .target = "*"}), "");
  EXPECT_EQ(head.path, "*");
}

}  // namespace
}  // namespace servery::http
