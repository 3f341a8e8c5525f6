// The exit codes of every command, in one place: scripts decide by them.
#pragma once

namespace servery {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;      // at run time: in use, not ready, rolled back, timeout
inline constexpr int kExitInputWrong = 2;  // all that `check` finds
inline constexpr int kExitNoServer = 3;    // nobody at that control socket

}  // namespace servery
