#include "worker/body/discard_task.h"

namespace servery::body {

void DiscardTask::run(http::Exchange& exchange, http::PreparedRef answer) {
  if (!exchange.request().has_body()) {
    exchange.respond(answer);
    return;
  }
  std::unique_ptr<DiscardTask> task(new DiscardTask(exchange, std::move(answer)));
  DiscardTask& sink = *task;
  exchange.set_task(std::move(task));
  exchange.read_body(sink);
}

}  // namespace servery::body
