#include "supervisor/reload_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/base/log.h"

namespace servery {

ReloadQueue::ReloadQueue(const ReloadParts& parts, ReloadHost& host, const Fleet& fleet,
                         InputsReader& inputs, std::string config_path)
    : parts_(parts),
      host_(host),
      fleet_(fleet),
      inputs_(inputs),
      config_path_(std::move(config_path)) {}

void ReloadQueue::request(std::string file, Caller caller) {
  if (stopped_) {
    if (caller.reply) caller.reply->fail(kExitFailed, "the service is stopping");
    return;
  }
  Request request{std::move(file), {}};
  request.callers.push_back(std::move(caller));
  if (!reload_ && fleet_.old().size() < kMaxOldGenerations) return start(std::move(request));
  for (Caller& waiting : request.callers) {
    if (!waiting.reply) continue;
    waiting.reply->progress(
        reload_ ? "waiting for the reload under way"
                : fmt::format("waiting for generation {} to drain", fleet_.old().front()->id()));
  }
  if (pending_) supersede(*pending_);
  pending_ = std::move(request);
}

void ReloadQueue::supersede(Request& request) {
  Verdict verdict;
  verdict.kind = Verdict::Kind::kSuperseded;
  verdict.problems = {problem_of("superseded", "a later reload took its place")};
  verdict.error = verdict.problems.front().message;
  verdict.at = parts_.clock.wall();
  const Generation* current = fleet_.current();
  verdict.generation = current ? current->id() : 0;
  host_.on_reload_superseded();
  for (Caller& caller : request.callers) answer(caller, verdict);
}

void ReloadQueue::start(Request request) {
  running_ = std::move(request);
  host_.on_reload_begin();
  reload_ = std::make_unique<Reload>(parts_, host_);
  auto inputs = read_inputs(running_.file);
  if (!inputs) return reload_->refuse(std::move(inputs).error());
  reload_->begin(*inputs);
}

tl::expected<std::string, Problem> ReloadQueue::read_inputs(const std::string& file) const {
  return inputs_.read(file.empty() ? config_path_ : file);
}

void ReloadQueue::on_done(const Verdict& verdict) {
  if (verdict.kind == Verdict::Kind::kCommitted && !running_.file.empty()) {
    config_path_ = running_.file;
  }
  parts_.loop.destroy_later(std::move(reload_));  // it is on the stack
  Request done = std::exchange(running_, {});
  for (Caller& caller : done.callers) answer(caller, verdict);
  start_pending();
}

void ReloadQueue::answer(Caller& caller, const Verdict& verdict) {
  if (!caller.reply) return;
  const bool committed = verdict.kind == Verdict::Kind::kCommitted;
  if (!caller.wait_drained || !committed || fleet_.old().empty()) {
    return caller.reply->finish(verdict.exit_code(), to_json(verdict));
  }
  DrainWaiter waiter{{}, verdict, std::move(*caller.reply)};
  for (const Generation* old : fleet_.old()) waiter.generations.push_back(old->id());
  waiter.reply.progress(fmt::format("generation {} serves; waiting for {} to drain",
                                    verdict.generation, waiter.generations.size()));
  waiters_.push_back(std::move(waiter));
}

void ReloadQueue::start_pending() {
  if (stopped_ || !pending_ || reload_ || fleet_.old().size() >= kMaxOldGenerations) return;
  start(*std::exchange(pending_, std::nullopt));
}

void ReloadQueue::on_generation_gone() {
  const auto is_here = [this](std::uint64_t id) {
    const auto& all = fleet_.all();
    return std::any_of(all.begin(), all.end(), [id](const auto& g) { return g->id() == id; });
  };
  std::vector<DrainWaiter> waiting;
  for (DrainWaiter& waiter : waiters_) {
    if (std::any_of(waiter.generations.begin(), waiter.generations.end(), is_here)) {
      waiting.push_back(std::move(waiter));
    } else {
      waiter.reply.finish(waiter.verdict.exit_code(), to_json(waiter.verdict));
    }
  }
  waiters_ = std::move(waiting);
  start_pending();
}

void ReloadQueue::stop() {
  stopped_ = true;
  if (pending_) {
    for (Caller& caller : pending_->callers) {
      if (caller.reply) caller.reply->fail(kExitFailed, "the service is stopping");
    }
    pending_.reset();
  }
  if (reload_) reload_->cancel("the service is stopping");
}

}  // namespace servery
