#include "config/control_path.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

TEST(ControlPath, DependsOnUserAndEnvironment) {
  EXPECT_EQ(default_control_socket({0, "/run/user/0", "/t"}), "/run/servery/control.sock");
  EXPECT_EQ(default_control_socket({1000, "/run/user/1000", "/t"}),
            "/run/user/1000/servery/control.sock");
  EXPECT_EQ(default_control_socket({1000, "", "/t"}), "/t/servery-1000/control.sock");
  EXPECT_EQ(default_control_socket({1000, "relative", "also"}), "/tmp/servery-1000/control.sock");
}

}  // namespace
}  // namespace servery
