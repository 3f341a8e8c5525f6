// What a worker writes to stderr when it is ended by a signal of its own making, or by the
// supervisor's SIGABRT when it hangs: signal, hash of the request under way, backtrace. The worker
// role, process-wide.
#pragma once

#include "ipc/shared_page.h"

namespace servery {

// Takes SIGABRT, SIGSEGV, SIGBUS, SIGILL and SIGFPE; the default action follows the report.
void install_crash_report();
// The page to read the request hash from; nullptr: none. It must outlive its use here.
void set_crash_report_page(const WorkerPage* page);

}  // namespace servery
