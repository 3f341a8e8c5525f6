#include "supervisor/reload_queue.h"

#include <gmock/gmock.h>

#include <map>

#include "tests/unit/supervisor/reload_fixture.h"

namespace servery {
namespace {

using testing::ElementsAre;

// Files by name; each holds a plan for as many workers as its name says.
class Files final : public InputsReader {
 public:
  tl::expected<std::string, Problem> read(const std::string& path) override {
    reads.push_back(path);
    const auto found = contents.find(path);
    if (found != contents.end()) return found->second;
    return tl::unexpected<Problem>(
        Problem{path, 0, 0, "", "unreadable_file", "No such file or directory", ""});
  }
  std::map<std::string, std::string> contents;
  std::vector<std::string> reads;
};

class ReloadQueueTest : public test::ReloadFixture {
 protected:
  ReloadQueueTest() {
    for (std::uint32_t workers : {1U, 2U, 3U}) {
      files.contents[fmt::format("/{}", workers)] = dump_json(to_json(plan_for(workers)));
    }
    files.contents["/bad"] = dump_json(to_json(plan_for(1, "refuse")));
    files.contents["/busy"] = dump_json(to_json(plan_for(1, "busy")));
  }
  Reload* running() override { return queue.running(); }
  void on_reload_done(Verdict verdict) override {
    verdicts.push_back(verdict.kind);
    queue.on_done(verdict);
  }
  void on_gone(Generation& generation) override {
    FleetFixture::on_gone(generation);
    queue.on_generation_gone();
  }
  void request(std::string file) { queue.request(std::move(file), {}); }
  void wait_for(std::size_t count) {
    run_until([&] { return verdicts.size() == count && !queue.running(); });
  }

  Files files;
  ReloadQueue queue{reload_parts(), *this, fleet, files, "/1"};
  std::vector<Verdict::Kind> verdicts;
};

constexpr auto kCommitted = Verdict::Kind::kCommitted;

TEST_F(ReloadQueueTest, ReadsThePresentFileAgainUnlessAnotherIsNamed) {
  request("");
  wait_for(1);
  request("/2");
  wait_for(2);
  EXPECT_EQ(queue.config_path(), "/2");
  request("");
  wait_for(3);
  EXPECT_THAT(files.reads, ElementsAre("/1", "/2", "/2"));
  EXPECT_EQ(fleet.current()->slot_count(), 2U);
}

TEST_F(ReloadQueueTest, AFileThatIsRefusedIsNotTheFile) {
  request("");
  wait_for(1);
  request("/bad");
  wait_for(2);
  request("/none");
  wait_for(3);
  EXPECT_THAT(verdicts,
              ElementsAre(kCommitted, Verdict::Kind::kRolledBack, Verdict::Kind::kInvalid));
  EXPECT_EQ(queue.config_path(), "/1");
}

TEST_F(ReloadQueueTest, OneWaitsAndTheLatestWins) {
  request("/1");
  request("/2");
  request("/bad");
  request("/3");
  EXPECT_EQ(superseded, 2);
  wait_for(2);
  EXPECT_THAT(verdicts, ElementsAre(kCommitted, kCommitted));
  EXPECT_THAT(files.reads, ElementsAre("/1", "/3"));
  EXPECT_EQ(fleet.current()->slot_count(), 3U);
}

TEST_F(ReloadQueueTest, AThirdOldGenerationIsNeverMade) {
  drain_timeout = Milliseconds(3'600'000);
  for (std::size_t i = 1; i <= 3; ++i) {
    request("/busy");
    wait_for(i);
  }
  ASSERT_EQ(fleet.old().size(), ReloadQueue::kMaxOldGenerations);
  request("/1");
  EXPECT_EQ(queue.running(), nullptr) << "it waits for the oldest";
  fleet.old().front()->drain(clock.steady(), false);
  wait_for(4);
  EXPECT_EQ(fleet.current()->plan().config_path, "/script/");
}

TEST_F(ReloadQueueTest, StoppedItStartsNothing) {
  request("/1");
  wait_for(1);
  request("/2");
  request("/3");
  queue.stop();
  wait_for(2);
  request("/2");
  EXPECT_EQ(queue.running(), nullptr);
  EXPECT_THAT(files.reads, ElementsAre("/1", "/2"));
  EXPECT_THAT(verdicts, ElementsAre(kCommitted, Verdict::Kind::kRolledBack));
}

}  // namespace
}  // namespace servery
