#include "config/inputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "inputs_of.h"

namespace servery {
namespace {

class InputsFile : public ::testing::Test {
 protected:
  InputsFile() {
    char name[] = "/tmp/servery-inputs-XXXXXX";
    directory_ = ::mkdtemp(name);
    inputs_ = file_inputs("old");
    inputs_.file_path = directory_ + "/site.yaml";
  }
  ~InputsFile() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& text) { std::ofstream(inputs_.file_path) << text; }

  std::string directory_;
  Inputs inputs_;
};

TEST(Inputs, AnyBytesSurviveTheWay) {
  Inputs inputs = file_inputs(std::string("a: \xff\xc3\xa9\0\n\"\\", 10));
  inputs = with_flag(inputs, "runtime.workers", "4", "--workers");
  inputs = with_variable(inputs, "SERVERY__HOSTS", "hosts", "[a]");
  inputs.local_hosts = {"box.lan"};
  inputs.container = true;
  inputs.route_flags = {{"DIR", "routes[0].static.root", "x"}};
  const Result<Inputs> back = Inputs::decode(inputs.encode());
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, inputs);
}

TEST(Inputs, AFullFileOfTheWorstBytesFits) {
  const Inputs inputs = file_inputs(std::string(kMaxConfigBytes, '\0'));
  EXPECT_LE(inputs.encode().size(), kMaxInputsBytes);
  EXPECT_TRUE(Inputs::decode(inputs.encode()));
}

TEST(Inputs, RefusesWhatIsNotInputs) {
  for (const char* text : {"", "{}", "[]", "nonsense", "{\"file_path\":1}"}) {
    EXPECT_FALSE(Inputs::decode(text)) << text;
  }
  std::string more = quick_inputs().encode();
  more.insert(1, "\"extra\":1,");
  EXPECT_FALSE(Inputs::decode(more));
}

TEST_F(InputsFile, ReadsTheWholeFile) {
  write(std::string(kMaxConfigBytes, '#'));
  EXPECT_FALSE(read_config_file(inputs_));
  EXPECT_EQ(inputs_.file_text.size(), kMaxConfigBytes);
}

TEST_F(InputsFile, AProblemLeavesTheOldText) {
  const auto problem = read_config_file(inputs_);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->file, inputs_.file_path);
  EXPECT_EQ(problem->reason, "unreadable_file");
  EXPECT_EQ(inputs_.file_text, "old");
}

TEST_F(InputsFile, RefusesTooLargeDirectoriesAndFifos) {
  write(std::string(kMaxConfigBytes + 1, '#'));
  EXPECT_TRUE(read_config_file(inputs_));
  std::filesystem::remove(inputs_.file_path);
  ASSERT_EQ(::mkfifo(inputs_.file_path.c_str(), 0600), 0);
  EXPECT_TRUE(read_config_file(inputs_));
  inputs_.file_path = directory_;
  EXPECT_TRUE(read_config_file(inputs_));
}

TEST(Inputs, QuickModeHasNothingToRead) {
  Inputs inputs = quick_inputs();
  EXPECT_TRUE(inputs.quick());
  EXPECT_FALSE(read_config_file(inputs));
}

}  // namespace
}  // namespace servery
