#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/effective.h"
#include "inputs_of.h"

namespace servery {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Settings good(const Inputs& inputs) {
  const Loaded loaded = load(inputs);
  EXPECT_THAT(brief(loaded.problems), IsEmpty());
  return loaded.settings;
}

std::string origin_of(const Loaded& loaded, std::string_view key) {
  const Origin* origin = loaded.provenance.find(key);
  return origin == nullptr ? "default" : describe_origin(*origin);
}

TEST(Load, TheSmallestFileIsTheProfile) {
  const Settings settings = good(file_inputs("schema: 1\n"));
  ASSERT_EQ(settings.listeners.size(), 1u);
  EXPECT_EQ(settings.listeners[0].address, "127.0.0.1:8000");
  EXPECT_TRUE(settings.routes.empty());
  EXPECT_EQ(settings.runtime.stop_timeout, Duration(25'000));
}

TEST(Load, ReadsEveryKey) {
  const Settings settings = good(file_inputs(R"(schema: 1
profile: local
runtime:
  workers: 3
  min_workers: 2
  start_timeout: 1s
  drain_timeout: 2s
  stop_timeout: 3s
  force_timeout: 400ms
  restart: {backoff_initial: 0ms, backoff_max: 5s, limit: 0, window: 6s}
  recycle: {max_requests: 7, max_age: 8h, jitter: 0.25}
  heartbeat: {suspect: 500ms, warn: 900ms, abort: 2s}
  user: www-data
  group: www-data
  control_socket: ctl.sock
listeners:
  - {address: ":80"}
  - {address: "unix:http.sock", mode: "0600"}
hosts: [Example.org, "*.example.org"]
canonical_host: EXAMPLE.org
limits: {connections: 9, header_timeout: 1s, body_timeout: 2s, write_timeout: 3s, keepalive_timeout: 4s,
  requests_per_connection: 5, header_bytes: 6KiB, header_count: 17, body_bytes: 0}
cache: {bytes: 1MiB, entries: 2, max_file: 3KiB, revalidate: 4s}
pool: {threads: 1, queue: 2}
logging: {level: debug}
headers: {set: {X-A: "1"}, add: {X-B: b c}, remove: [Server]}
routes:
  - {path: /, static: {root: ./public/, index: [a, b], hidden: list, symlinks: none, listing: true, cache_control: ""}}
  - {path: "=/health", methods: any, respond: {status: 503, body: "down\n"}}
  - {host: WWW.example.org, path: /old, methods: [GET, POST], headers: {remove: [ETag]},
     redirect: {to: /new, status: 301}}
)"));
  EXPECT_EQ(settings.runtime.workers, 3u);
  EXPECT_EQ(settings.runtime.min_workers, 2u);
  EXPECT_EQ(settings.runtime.start_timeout, Duration(1000));
  EXPECT_EQ(settings.runtime.drain_timeout, Duration(2000));
  EXPECT_EQ(settings.runtime.stop_timeout, Duration(3000));
  EXPECT_EQ(settings.runtime.force_timeout, Duration(400));
  EXPECT_EQ(settings.runtime.restart.backoff_initial, Duration(0));
  EXPECT_EQ(settings.runtime.restart.backoff_max, Duration(5000));
  EXPECT_EQ(settings.runtime.restart.limit, 0u);
  EXPECT_EQ(settings.runtime.restart.window, Duration(6000));
  EXPECT_EQ(settings.runtime.recycle.max_requests, 7u);
  EXPECT_EQ(settings.runtime.recycle.max_age, Duration(8 * 3'600'000));
  EXPECT_EQ(settings.runtime.recycle.jitter, 0.25);
  EXPECT_EQ(settings.runtime.heartbeat.suspect, Duration(500));
  EXPECT_EQ(settings.runtime.heartbeat.warn, Duration(900));
  EXPECT_EQ(settings.runtime.heartbeat.abort, Duration(2000));
  EXPECT_EQ(settings.runtime.user, "www-data");
  EXPECT_EQ(settings.runtime.group, "www-data");
  EXPECT_EQ(settings.runtime.control_socket, "/etc/servery/ctl.sock");
  ASSERT_EQ(settings.listeners.size(), 2u);
  EXPECT_EQ(settings.listeners[0].address, ":80");
  EXPECT_EQ(settings.listeners[1].address, "unix:/etc/servery/http.sock");
  EXPECT_EQ(settings.listeners[1].mode, 0600u);
  EXPECT_THAT(settings.hosts, ElementsAre("example.org", "*.example.org"));
  EXPECT_EQ(settings.canonical_host, "example.org");
  EXPECT_EQ(settings.limits.connections, 9u);
  EXPECT_EQ(settings.limits.header_timeout, Duration(1000));
  EXPECT_EQ(settings.limits.body_timeout, Duration(2000));
  EXPECT_EQ(settings.limits.write_timeout, Duration(3000));
  EXPECT_EQ(settings.limits.keepalive_timeout, Duration(4000));
  EXPECT_EQ(settings.limits.requests_per_connection, 5u);
  EXPECT_EQ(settings.limits.header_bytes, 6u * 1024);
  EXPECT_EQ(settings.limits.header_count, 17u);
  EXPECT_EQ(settings.limits.body_bytes, 0u);
  EXPECT_EQ(settings.cache.bytes, 1u << 20);
  EXPECT_EQ(settings.cache.entries, 2u);
  EXPECT_EQ(settings.cache.max_file, 3u * 1024);
  EXPECT_EQ(settings.cache.revalidate.mode, Revalidate::Mode::kInterval);
  EXPECT_EQ(settings.cache.revalidate.interval, Duration(4000));
  EXPECT_EQ(settings.pool.threads, 1u);
  EXPECT_EQ(settings.pool.queue, 2u);
  EXPECT_EQ(settings.logging.level, "debug");
  EXPECT_THAT(settings.headers.set, ElementsAre(std::pair<std::string, std::string>("X-A", "1")));
  EXPECT_THAT(settings.headers.add, ElementsAre(std::pair<std::string, std::string>("X-B", "b c")));
  EXPECT_THAT(settings.headers.remove, ElementsAre("Server"));

  ASSERT_EQ(settings.routes.size(), 3u);
  const auto& files = std::get<StaticSettings>(settings.routes[0].handler);
  EXPECT_EQ(files.root, "/etc/servery/public");
  EXPECT_THAT(files.index, ElementsAre("a", "b"));
  EXPECT_EQ(files.hidden, Hidden::kList);
  EXPECT_TRUE(files.listing);
  EXPECT_FALSE(files.archive);
  EXPECT_EQ(files.symlinks, Symlinks::kNone);
  EXPECT_EQ(files.cache_control, "");
  EXPECT_THAT(settings.routes[0].methods.names, ElementsAre("GET", "HEAD"));
  EXPECT_TRUE(settings.routes[1].exact);
  EXPECT_EQ(settings.routes[1].path, "/health");
  EXPECT_TRUE(settings.routes[1].methods.any);
  EXPECT_EQ(std::get<RespondSettings>(settings.routes[1].handler).status, 503);
  EXPECT_EQ(std::get<RespondSettings>(settings.routes[1].handler).body, "down\n");
  EXPECT_EQ(settings.routes[2].host, "www.example.org");
  EXPECT_THAT(settings.routes[2].methods.names, ElementsAre("GET", "POST", "HEAD"));
  EXPECT_THAT(settings.routes[2].headers.remove, ElementsAre("ETag"));
  EXPECT_EQ(std::get<RedirectSettings>(settings.routes[2].handler).to, "/new");
  EXPECT_EQ(std::get<RedirectSettings>(settings.routes[2].handler).status, 301);
}

struct Bad {
  std::string text;  // after "schema: 1\n"
  std::vector<std::string> problems;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.text; }

class BadFile : public ::testing::TestWithParam<Bad> {};

TEST_P(BadFile, EveryProblemHasPositionKeyAndReason) {
  const Loaded loaded = load(file_inputs("schema: 1\n" + GetParam().text));
  EXPECT_EQ(brief(loaded.problems), GetParam().problems);
  for (const Problem& problem : loaded.problems) {
    EXPECT_EQ(problem.file, "/etc/servery/site.yaml");
    EXPECT_FALSE(problem.message.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Keys, BadFile,
    ::testing::Values(
        Bad{"limts: {}\n", {"2:1 limts unknown_key"}},
        Bad{"limits: {conections: 5}\n", {"2:10 limits.conections unknown_key"}},
        Bad{"routes[0]: {}\n", {"2:1 routes[0] unknown_key"}},
        Bad{"limits.connections: 5\n", {"2:1 limits.connections unknown_key"}},
        Bad{"Limits: {}\n", {"2:1 Limits unknown_key"}},
        Bad{"tls: {}\nadmin: {}\nrates: {}\n",
            {"2:1 tls unknown_key", "3:1 admin unknown_key", "4:1 rates unknown_key"}},
        Bad{"listeners: [{address: \":80\", tls: true}]\n", {"2:30 listeners[0].tls unknown_key"}},
        Bad{"routes: [{path: /, static: {root: /, nonesuch1: true, nonesuch2: true}}]\n",
            {"2:38 routes[0].static.nonesuch1 unknown_key",
             "2:55 routes[0].static.nonesuch2 unknown_key"}},
        Bad{"runtime: {recycle: {max_rss: 0}, state_dir: /x}\n",
            {"2:21 runtime.recycle.max_rss unknown_key", "2:34 runtime.state_dir unknown_key"}},
        Bad{"limits: {connections: 1, connections: 2}\n",
            {"2:26 limits.connections duplicate_key"}},
        Bad{"schema: 1\n", {"2:1 schema duplicate_key"}}));

INSTANTIATE_TEST_SUITE_P(
    Types, BadFile,
    ::testing::Values(
        Bad{"limits: 5\n", {"2:9 limits wrong_type"}}, Bad{"limits:\n", {"2:1 limits wrong_type"}},
        Bad{"limits: [a]\n", {"2:9 limits wrong_type"}},
        Bad{"routes: {}\n", {"2:9 routes wrong_type"}},
        Bad{"hosts: example.org\n", {"2:8 hosts wrong_type"}},
        Bad{"hosts: [1, true, [a]]\n",
            {"2:9 hosts wrong_type", "2:12 hosts wrong_type", "2:18 hosts wrong_type"}},
        Bad{"pool: {threads: \"4\"}\n", {"2:17 pool.threads wrong_type"}},
        Bad{"pool: {threads: 04}\n", {"2:17 pool.threads wrong_type"}},
        Bad{"pool: {threads: +4}\n", {"2:17 pool.threads wrong_type"}},
        Bad{"pool: {threads: 1_0}\n", {"2:17 pool.threads wrong_type"}},
        Bad{"pool: {threads: 0x4}\n", {"2:17 pool.threads wrong_type"}},
        Bad{"pool: {threads: 4.0}\n", {"2:17 pool.threads wrong_type"}},
        Bad{"pool: {threads: true}\n", {"2:17 pool.threads wrong_type"}},
        Bad{"pool: {threads: }\n", {"2:8 pool.threads wrong_type"}},
        Bad{"pool: {threads: {a: 1}}\n", {"2:17 pool.threads wrong_type"}},
        Bad{"limits: {header_timeout: 10}\n", {"2:26 limits.header_timeout wrong_type"}},
        Bad{"limits: {header_bytes: 16KB}\n", {"2:24 limits.header_bytes wrong_type"}},
        Bad{"runtime: {workers: automatic}\n", {"2:20 runtime.workers wrong_type"}},
        Bad{"runtime: {user: 1000}\n", {"2:17 runtime.user wrong_type"}},
        Bad{"runtime: {recycle: {jitter: .5}}\n", {"2:29 runtime.recycle.jitter wrong_type"}},
        Bad{"canonical_host: null\n", {"2:1 canonical_host wrong_type"}},
        Bad{"headers: {set: [a]}\n", {"2:16 headers.set wrong_type"}},
        Bad{"headers: {set: {X-A: 1}}\n", {"2:22 headers.set wrong_type"}}));

INSTANTIATE_TEST_SUITE_P(
    Ranges, BadFile,
    ::testing::Values(
        Bad{"runtime: {workers: 0}\n", {"2:20 runtime.workers out_of_range"}},
        Bad{"runtime: {workers: 1025}\n", {"2:20 runtime.workers out_of_range"}},
        Bad{"runtime: {min_workers: 0}\n", {"2:24 runtime.min_workers out_of_range"}},
        Bad{"runtime: {heartbeat: {suspect: 1ms}}\n",
            {"2:32 runtime.heartbeat.suspect out_of_range"}},
        Bad{"runtime: {recycle: {jitter: 1.5}}\n", {"2:29 runtime.recycle.jitter out_of_range"}},
        Bad{"limits: {connections: 0}\n", {"2:23 limits.connections out_of_range"}},
        Bad{"limits: {connections: 99999999999999999999}\n",
            {"2:23 limits.connections wrong_type"}},
        Bad{"limits: {header_bytes: 2MiB}\n", {"2:24 limits.header_bytes out_of_range"}},
        Bad{"limits: {body_timeout: 25h}\n", {"2:24 limits.body_timeout out_of_range"}},
        Bad{"cache: {revalidate: 0}\n", {"2:21 cache.revalidate out_of_range"}},
        Bad{"schema: 2\n", {"2:1 schema duplicate_key"}}));

INSTANTIATE_TEST_SUITE_P(
    Values, BadFile,
    ::testing::Values(
        Bad{"profile: production\n", {"2:10 profile unknown_value"}},
        Bad{"profile: locl\n", {"2:10 profile unknown_value"}},
        Bad{"logging: {level: warn}\n", {"2:18 logging.level unknown_value"}},
        Bad{"cache: {revalidate: watch}\n", {"2:21 cache.revalidate unknown_value"}},
        Bad{"listeners: [{address: 8000}]\n", {"2:23 listeners[0].address invalid_value"}},
        Bad{"listeners: [{address: \"localhost:80\"}]\n",
            {"2:23 listeners[0].address invalid_value"}},
        Bad{"listeners: [{mode: \"0660\"}]\n", {"2:13 listeners[0].address missing_key"}},
        Bad{"listeners: [{address: \"unix:/a\", mode: 0660}]\n",
            {"2:40 listeners[0].mode invalid_value"}},
        Bad{"listeners: [{address: \"unix:/a\", mode: \"0999\"}]\n",
            {"2:40 listeners[0].mode invalid_value"}},
        Bad{"hosts: [\"a b\", x, x]\n", {"2:9 hosts invalid_value", "2:19 hosts duplicate_value"}},
        Bad{"canonical_host: \"*.a\"\n", {"2:17 canonical_host invalid_value"}},
        Bad{"headers: {set: {Content-Length: \"1\", X-A: \"a\\r\\nb: c\"}}\n",
            {"2:17 headers.set invalid_value", "2:43 headers.set invalid_value"}},
        Bad{"headers: {remove: [Connection]}\n", {"2:20 headers.remove invalid_value"}}));

INSTANTIATE_TEST_SUITE_P(
    Routes, BadFile,
    ::testing::Values(
        Bad{"routes: [{path: /}]\n", {"2:10 routes[0] missing_handler"}},
        Bad{"routes: [{respond: {}}]\n", {"2:10 routes[0].path missing_key"}},
        Bad{"routes: [{path: /, static: {}}]\n", {"2:28 routes[0].static.root missing_key"}},
        Bad{"routes: [{path: /, redirect: {status: 302}}]\n",
            {"2:30 routes[0].redirect.to missing_key"}},
        Bad{"routes: [foo, {path: /x, static: ./www}]\n",
            {"2:10 routes[0] wrong_type", "2:34 routes[1].static wrong_type"}},
        Bad{"routes: [{path: /, respond: {}, redirect: {to: /a}}]\n",
            {"2:43 routes[0].redirect several_handlers"}},
        Bad{"routes: [{path: /a/, respond: {}}]\n", {"2:17 routes[0].path invalid_value"}},
        Bad{"routes: [{path: /, methods: [get], respond: {}}]\n",
            {"2:30 routes[0].methods invalid_value"}},
        Bad{"routes: [{path: /, methods: GET, respond: {}}]\n",
            {"2:29 routes[0].methods wrong_type"}},
        Bad{"routes: [{path: /, allow: [10.0.0.0/33, 10.0.0.1/8], deny: [unix, unix], respond: "
            "{}}]\n",
            {"2:28 routes[0].allow invalid_value", "2:41 routes[0].allow invalid_value",
             "2:67 routes[0].deny duplicate_value"}},
        Bad{"trusted_proxies: 10.0.0.1\n", {"2:18 trusted_proxies wrong_type"}},
        Bad{"routes: [{path: /, methods: [], respond: {}}]\n",
            {"2:29 routes[0].methods empty_value"}},
        Bad{"routes: [{path: /, respond: {status: 100}}]\n",
            {"2:38 routes[0].respond.status out_of_range"}},
        Bad{"routes: [{path: /, redirect: {to: /, status: 305}}]\n",
            {"2:46 routes[0].redirect.status unknown_value"}},
        Bad{"routes: [{path: /, redirect: {to: //evil.org}}]\n",
            {"2:35 routes[0].redirect.to invalid_value"}},
        Bad{"routes: [{path: /, static: {root: \"\", index: [a/b], hidden: no}}]\n",
            {"2:35 routes[0].static.root empty_value", "2:47 routes[0].static.index invalid_value",
             "2:61 routes[0].static.hidden unknown_value"}},
        Bad{"routes: [{path: /, static: {root: /, listing: \"true\", archive: yes}}]\n",
            {"2:47 routes[0].static.listing wrong_type",
             "2:64 routes[0].static.archive wrong_type"}}));

TEST(Load, AddressesNeedNoQuotes) {
  const Settings settings =
      good(file_inputs("schema: 1\nlisteners: [{address: ':1', proxy_protocol: [127.0.0.1]}]\n"
                       "trusted_proxies: [10.0.0.1, 10.1.0.0/16, ::1, 2001:db8::/32, unix]\n"
                       "routes: [{path: /, respond: {}, allow: [0.0.0.0/0], deny: ['::/0']}]\n"));
  EXPECT_THAT(settings.trusted_proxies,
              ElementsAre("10.0.0.1", "10.1.0.0/16", "::1", "2001:db8::/32", "unix"));
  EXPECT_THAT(settings.listeners[0].proxy_protocol, ElementsAre("127.0.0.1"));
  EXPECT_THAT(settings.routes[0].allow, ElementsAre("0.0.0.0/0"));
  EXPECT_THAT(settings.routes[0].deny, ElementsAre("::/0"));
}

TEST(Load, AFileNeedsItsSchema) {
  EXPECT_THAT(brief(load(file_inputs("")).problems), ElementsAre("1:1 - empty_file"));
  EXPECT_THAT(brief(load(file_inputs("# nothing\n")).problems), ElementsAre("1:1 - empty_file"));
  EXPECT_THAT(brief(load(file_inputs("pool: {}\n")).problems),
              ElementsAre("1:1 schema missing_key"));
  EXPECT_THAT(brief(load(file_inputs("schema: 2\n")).problems),
              ElementsAre("1:9 schema out_of_range"));
  EXPECT_THAT(brief(load(file_inputs("- a\n")).problems), ElementsAre("1:1 - wrong_type"));
  EXPECT_THAT(brief(load(file_inputs("schema: 1\n---\nschema: 1\n")).problems),
              ElementsAre("2:1 - multiple_documents"));
}

TEST(Load, ProblemsComeInTheOrderOfTheFile) {
  const Loaded loaded = load(
      file_inputs("schema: 1\npool: {threads: x}\nrutime: {}\npool: {}\nlogging: {level: loud}\n"));
  EXPECT_THAT(brief(loaded.problems),
              ElementsAre("2:17 pool.threads wrong_type", "3:1 rutime unknown_key",
                          "4:1 pool duplicate_key", "5:18 logging.level unknown_value"));
  EXPECT_EQ(loaded.problems[1].suggestion, "runtime");
}

TEST(Load, SuggestsTheNearestName) {
  const auto suggestion = [](std::string text) {
    return load(file_inputs("schema: 1\n" + text)).problems.at(0).suggestion;
  };
  EXPECT_EQ(suggestion("runtime: {restart: {bakoff_max: 1s}}"), "backoff_max");
  EXPECT_EQ(suggestion("routes: [{path: /, static: {rot: /}}]"), "root");
  EXPECT_EQ(suggestion("runtime: {workers: aut}"), "auto");
  EXPECT_EQ(suggestion("limits: {header_timeout: 10}"), "10s");
  EXPECT_EQ(suggestion("routes: [{path: /, static: {root: /, hidden: alow}}]"), "allow");
  EXPECT_EQ(suggestion("cache: {revalidate: trn}"), "turn");
}

TEST(Load, QuickModeServesTheWorkingDirectory) {
  const Settings settings = good(quick_inputs());
  ASSERT_EQ(settings.routes.size(), 1u);
  EXPECT_EQ(std::get<StaticSettings>(settings.routes[0].handler).root, "/work/dir");
  EXPECT_EQ(settings.listeners[0].address, "127.0.0.1:8000");
}

TEST(Load, PrecedenceIsFileEnvironmentFlags) {
  Inputs inputs = file_inputs("schema: 1\npool: {threads: 2, queue: 3}\nlogging: {level: debug}\n");
  inputs = with_variable(inputs, "SERVERY__POOL__THREADS", "pool.threads", "5");
  inputs = with_variable(inputs, "SERVERY__POOL__QUEUE", "pool.queue", "6");
  inputs = with_flag(inputs, "pool.queue", "7");
  const Loaded loaded = load(inputs);
  EXPECT_EQ(loaded.settings.logging.level, "debug");
  EXPECT_EQ(loaded.settings.pool.threads, 5u);
  EXPECT_EQ(loaded.settings.pool.queue, 7u);
  EXPECT_EQ(origin_of(loaded, "logging.level"), "site.yaml:3");
  EXPECT_EQ(origin_of(loaded, "pool.threads"), "environment SERVERY__POOL__THREADS");
  EXPECT_EQ(origin_of(loaded, "pool.queue"), "flag --set");
  EXPECT_EQ(origin_of(loaded, "listeners[0].address"), "profile local");
  EXPECT_EQ(origin_of(loaded, "cache.bytes"), "default");
}

TEST(Load, ListsReplaceLists) {
  Inputs inputs = file_inputs(
      "schema: 1\nlisteners: [{address: \":80\"}, {address: \":81\"}]\nhosts: [a, b]\n");
  inputs = with_flag(inputs, "listeners", "[{address: \":90\"}]", "--listen");
  inputs = with_flag(inputs, "hosts", "[c]");
  const Loaded loaded = load(inputs);
  ASSERT_EQ(loaded.settings.listeners.size(), 1u);
  EXPECT_EQ(loaded.settings.listeners[0].address, ":90");
  EXPECT_THAT(loaded.settings.hosts, ElementsAre("c"));
  EXPECT_EQ(origin_of(loaded, "listeners[0].address"), "flag --listen");
  EXPECT_EQ(loaded.provenance.find("listeners[1].address"), nullptr);
}

TEST(Load, OverlaysReachIntoListsAndSections) {
  Inputs inputs = file_inputs(
      "schema: 1\nroutes: [{path: /, static: {root: /srv}}, {path: /h, respond: {}}]\n");
  inputs = with_flag(inputs, "routes[1].respond.status", "204");
  inputs = with_flag(inputs, "limits", "{connections: 5, header_count: 9}");
  inputs = with_variable(inputs, "X", "routes[0].static", "{hidden: allow}");
  const Settings settings = good(inputs);
  EXPECT_EQ(std::get<RespondSettings>(settings.routes[1].handler).status, 204);
  EXPECT_EQ(std::get<StaticSettings>(settings.routes[0].handler).hidden, Hidden::kAllow);
  EXPECT_EQ(std::get<StaticSettings>(settings.routes[0].handler).root, "/srv");
  EXPECT_EQ(settings.limits.connections, 5u);
  EXPECT_EQ(settings.limits.header_count, 9u);
}

TEST(Load, BadOverlaysNameTheirPlace) {
  Inputs inputs = quick_inputs();
  inputs = with_variable(inputs, "SERVERY__POL__QUEUE", "pol.queue", "1");
  inputs = with_flag(inputs, "pool.queue", "many", "--set");
  inputs = with_flag(inputs, "routes[1].path", "/x");
  inputs = with_flag(inputs, "limits[0].x", "1");
  inputs = with_flag(inputs, "routes[].path", "/x");
  inputs = with_flag(inputs, "routes[0].respond.status", "204");
  inputs = with_flag(inputs, "pool.threads", "*a");
  inputs = with_flag(inputs, "pool.threads", "");
  inputs = with_flag(inputs, "", "1");
  const Loaded loaded = load(inputs);
  EXPECT_THAT(
      brief(loaded.problems),
      ElementsAre("0:0 pol.queue unknown_key", "0:0 pool.queue wrong_type",
                  "0:0 routes[1].path no_such_item", "0:0 limits[0].x unknown_key",
                  "0:0 routes[].path unknown_key", "0:0 routes[0].respond.status several_handlers",
                  "0:0 pool.threads syntax", "0:0 pool.threads wrong_type", "0:0 - unknown_key"));
  EXPECT_EQ(loaded.problems[0].file, "SERVERY__POL__QUEUE");
  EXPECT_EQ(loaded.problems[1].file, "--set");
}

TEST(Load, RelativePathsStartWhereTheyAreWritten) {
  Inputs inputs = file_inputs("schema: 1\nroutes: [{path: /, static: {root: ../www/./x//}}]\n");
  EXPECT_EQ(std::get<StaticSettings>(good(inputs).routes[0].handler).root, "/etc/servery/../www/x");
  inputs = with_flag(inputs, "routes[0].static.root", "y");
  inputs = with_flag(inputs, "listeners", "[{address: \"unix:a.sock\"}]");
  const Settings settings = good(inputs);
  EXPECT_EQ(std::get<StaticSettings>(settings.routes[0].handler).root, "/work/dir/y");
  EXPECT_EQ(settings.listeners[0].address, "unix:/work/dir/a.sock");
}

TEST(Load, AContainerStopsSooner) {
  Inputs inputs = file_inputs("schema: 1\n");
  inputs.container = true;
  EXPECT_EQ(good(inputs).runtime.stop_timeout, Duration(8'000));
  inputs.file_text += "runtime: {stop_timeout: 20s}\n";
  EXPECT_EQ(good(inputs).runtime.stop_timeout, Duration(20'000));
}

TEST(Load, HostNamesOfTheCommandLine) {
  Inputs inputs = quick_inputs();
  inputs.local_hosts = {"Box.LAN", "a b"};
  const Loaded loaded = load(inputs);
  EXPECT_THAT(loaded.settings.local_hosts, ElementsAre("box.lan"));
  ASSERT_EQ(loaded.problems.size(), 1u);
  EXPECT_EQ(loaded.problems[0].file, "--host");
}

TEST(Load, StaysBoundedInLists) {
  std::string text = "schema: 1\nlisteners:\n";
  for (int i = 0; i < 65; ++i) text += "  - {address: \"unix:/a" + std::to_string(i) + "\"}\n";
  EXPECT_THAT(brief(load(file_inputs(text)).problems), ElementsAre("3:3 listeners too_long"));
}

TEST(Load, CollectsABoundedNumberOfProblems) {
  std::string text = "schema: 1\n";
  for (int i = 0; i < 300; ++i) {
    std::string name = "k";
    for (int rest = i; rest > 0; rest /= 26) name += static_cast<char>('a' + rest % 26);
    text += name + "q: 1\n";
  }
  EXPECT_EQ(load(file_inputs(text)).problems.size(), kMaxProblems);
}

// The worker loads the very same text: what the check child saw is what runs.
TEST(Load, DecodedInputsLoadTheSame) {
  const Inputs inputs = with_flag(file_inputs("schema: 1\nhosts: [b\xc3\xbc"
                                              "cher.example]\n"),
                                  "pool.queue", "9");
  const Loaded first = load(inputs);
  const Loaded second = load(Inputs::decode(inputs.encode()).value());
  EXPECT_EQ(brief(first.problems), brief(second.problems));
  EXPECT_THAT(diff_settings(first.settings, second.settings), IsEmpty());
}

TEST(Provenance, FallsBackToTheSectionAround) {
  Provenance provenance;
  provenance.set("routes[0]", {Origin::Layer::kFile, "f", 7, 1});
  EXPECT_EQ(provenance.nearest("routes[0].static.root").line, 7u);
  EXPECT_EQ(provenance.nearest("routes[1].path").line, 0u);
  provenance.set("routes", {Origin::Layer::kFile, "f", 3, 1});
  EXPECT_EQ(provenance.nearest("routes[1].path").line, 3u);
  provenance.erase_below("routes");
  EXPECT_EQ(provenance.find("routes[0]"), nullptr);
  EXPECT_NE(provenance.find("routes"), nullptr);
}

}  // namespace
}  // namespace servery
