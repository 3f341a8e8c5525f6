#include "supervisor/control_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace servery {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TEST(ControlFormat, NumbersAreShort) {
  EXPECT_EQ(format_count(9999), "9999");
  EXPECT_EQ(format_count(12'345), "12.3k");
  EXPECT_EQ(format_count(3'400'000), "3.4M");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(8.25 * 1024 * 1024), "8.2 MiB");
  EXPECT_EQ(format_span(4.24), "4.2s");
  EXPECT_EQ(format_span(187), "3m07s");
  EXPECT_EQ(format_span(3725), "1h02m");
  EXPECT_EQ(format_span(90'000), "1d01h");
}

TEST(ControlFormat, ColumnsAlignAndNumbersStandRight) {
  EXPECT_EQ(format_table({{"NAME", "COUNT"}, {"a", "5"}, {"longer", "1234"}}),
            "  NAME    COUNT\n"
            "  a           5\n"
            "  longer   1234\n");
}

Json status() {
  return *parse_json(R"({"version":"0.1.0","state":"degraded","pid":42,"uptime_s":61.0,
    "config":{"path":null,"profile":"local"},"generation":3,
    "generations":[{"id":3,"state":"ready","since":"S","deadline":null,"workers":2,"connections":7}],
    "workers":[{"slot":0,"generation":3,"pid":43,"state":"ready","age_s":1.5,"connections":7,
      "requests":123456,"cpu_s":0.25,"rss_bytes":8388608,"restarts":1,
      "last_exit":{"reason":"crashed","signal":9,"code":null,"at":"T"}},
      {"slot":1,"generation":3,"pid":null,"state":"failed","age_s":0,"connections":0,"requests":0,
      "cpu_s":0,"rss_bytes":0,"restarts":0,"last_exit":null}],
    "listeners":[{"address":"127.0.0.1:8000","configured":"127.0.0.1:0","kind":"tcp",
      "mode":"per_slot","sockets":2,"lent":[{"slot":1,"to":0}]}],
    "last_reload":{"verdict":"rolled_back","error":"no","at":"U"},
    "draining":[{"generation":2,"deadline":"V","open":{"keepalive":1,"response":2,"request":0,"pool":0}}]})",
                     1 << 20);
}

TEST(ControlFormat, AStatusSaysWhatAnOperatorAsks) {
  const std::string text = format_status(status(), false);
  for (const char* part :
       {"servery 0.1.0: degraded, pid 42, up 1m01s", "configuration from flags (profile local)",
        "last reload rolled_back at U: no", "crashed by signal 9", "123.5k", "8.0 MiB", "1->0",
        "127.0.0.1:8000", "draining, waiting for"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "colour only on a terminal";
  EXPECT_THAT(format_status(status(), true), HasSubstr("\x1b[33mdegraded\x1b[0m"));
}

TEST(ControlFormat, AStatusNamesWhatTheKernelRefuses) {
  Json with = status();
  with["fallbacks"] = Json::array({{{"call", "openat2"}, {"workers", 2}}});
  EXPECT_THAT(format_status(with, false), HasSubstr("\nwithout openat2 in 2 workers: "));
  EXPECT_THAT(format_status(status(), false), Not(HasSubstr("without")));
}

TEST(ControlFormat, AStatusSaysWhyItIsDegraded) {
  const Json status = *parse_json(R"({"state":"degraded","reasons":[
    {"reason":"crash_loop","slot":1,"last_exit":{"reason":"boot_failed","signal":null,"code":1}},
    {"reason":"lent","slot":1}]})",
                                  1 << 20);
  EXPECT_THAT(format_status(status, false),
              HasSubstr("slot 1 is in a crash loop (last exit: boot_failed with code 1)\n"
                        "slot 1 is served by another worker\n"));
}

TEST(ControlFormat, AnythingMayBeMissing) {
  EXPECT_THAT(format_status(Json::object(), false), HasSubstr("servery -: -"));
  EXPECT_THAT(format_status(Json::array(), false), HasSubstr("servery -"));
  EXPECT_THAT(format_verdict("reload", Json(5), false), HasSubstr("reload: -"));
  EXPECT_THAT(format_plan({{"verdict", "ok"}}, false), HasSubstr("changes    none"));
}

TEST(ControlFormat, AVerdictListsItsProblems) {
  const Json result = *parse_json(R"({"verdict":"invalid","generation":2,"tier":"none",
    "error":"1 problem","problems":[{"file":"/etc/s.yaml","line":3,"column":5,"key":"runtime.worker",
    "reason":"unknown_key","message":"unknown key","suggestion":"workers"}],"duration_ms":12})",
                                  1 << 20);
  EXPECT_EQ(format_verdict("reload", result, false),
            "reload: invalid, generation 2, tier none, 12 ms\n"
            "/etc/s.yaml:3:5: runtime.worker: unknown key (did you mean workers?)\n");
}

TEST(ControlFormat, AProblemWithoutAPlaceIsItsMessage) {
  const Json result{{"verdict", "rolled_back"},
                    {"error", "in use"},
                    {"problems", Json::array({{{"file", nullptr},
                                               {"key", nullptr},
                                               {"message", "in use"},
                                               {"suggestion", nullptr}}})}};
  EXPECT_EQ(format_verdict("reload", result, false), "reload: rolled_back\nin use\n");
}

TEST(ControlFormat, APlanShowsWhatWouldChange) {
  const Json result = *parse_json(R"({"verdict":"ok","problems":[],"tier":"generation",
    "changes":[{"key":"runtime.workers","old":"2","new":"4","tier":"generation"},
               {"key":"hosts","old":"","new":"[a]","tier":"generation"}],
    "listeners":{"opened":["127.0.0.1:81"],"kept":[],"closed":[":80"]},
    "workers":{"now":2,"then":4,"replaced":2},"connections":9})",
                                  1 << 20);
  EXPECT_EQ(format_plan(result, false),
            "tier       generation\n"
            "listeners  opened 127.0.0.1:81; kept -; closed :80\n"
            "workers    2 -> 4, 2 replaced, 9 connections open on them\n"
            "changes\n"
            "  runtime.workers: 2 -> 4 (generation)\n"
            "  hosts: (absent) -> [a] (generation)\n");
}

TEST(ControlFormat, APlanThatCannotBeDoneSaysWhyNot) {
  const Json result = *parse_json(R"({"verdict":"rolled_back","tier":"generation","changes":[],
    "problems":[{"reason":"exists","message":"127.0.0.1:81 is in use"}],
    "listeners":{"opened":["127.0.0.1:81"],"kept":[],"closed":[]},
    "workers":{"now":2,"then":2,"replaced":2},"connections":0})",
                                  1 << 20);
  EXPECT_THAT(format_plan(result, false), EndsWith("changes    none\n"
                                                   "a reload now would be rolled back:\n"
                                                   "127.0.0.1:81 is in use\n"));
}

// A name from a configuration file must not reach the terminal as a control sequence.
TEST(ControlFormat, ControlCharactersAreNotPrinted) {
  const Json result{{"verdict", "invalid"},
                    {"problems", Json::array({{{"message", "bad \x1b[2J"}, {"key", ""}}})}};
  EXPECT_THAT(format_verdict("reload", result, false), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace servery
