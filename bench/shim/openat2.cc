// LD_PRELOAD for callgrind: Debian 12's valgrind does not know openat2 and answers ENOSYS, which
// sends every lookup to the worker's fallback. Here openat2 becomes openat (no containment: figures
// only); every other call made through syscall(2) goes to the kernel as it is.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

namespace {

long call_kernel(long number, const long (&a)[6]) {
  long result;
  register long r10 asm("r10") = a[3];
  register long r8 asm("r8") = a[4];
  register long r9 asm("r9") = a[5];
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace

extern "C" long syscall(long number, ...) noexcept {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (number != SYS_openat2) return call_kernel(number, arguments);
  const auto* how = reinterpret_cast<const open_how*>(arguments[2]);
  return ::openat(static_cast<int>(arguments[0]), reinterpret_cast<const char*>(arguments[1]),
                  static_cast<int>(how->flags));
}
