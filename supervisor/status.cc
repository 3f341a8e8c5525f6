#include "supervisor/status.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "supervisor/process_stat.h"

namespace servery {
namespace {

using std::chrono::duration;

double seconds(SteadyTime::duration time) {
  return std::round(duration<double>(time).count() * 1000) / 1000;
}

// A steady time as wall time: for deadlines.
std::string format_deadline(const StatusSources& sources, SteadyTime when) {
  return format_time(sources.clock.wall() + (when - sources.clock.steady()));
}

std::uint64_t connections_of(const Generation& generation) {
  std::uint64_t sum = 0;
  for (const auto& worker : generation.workers()) sum += worker->page().connections();
  return sum;
}

Json generations_json(const StatusSources& sources) {
  Json list = Json::array();
  for (const auto& g : sources.fleet.all()) {
    list.push_back({{"id", g->id()},
                    {"state", generation_state_name(g->state())},
                    {"since", format_time(g->since())},
                    {"deadline", g->deadline() ? Json(format_deadline(sources, *g->deadline()))
                                               : Json(nullptr)},
                    {"workers", g->workers().size()},
                    {"connections", connections_of(*g)}});
  }
  return list;
}

Json last_exit_json(const std::optional<LastExit>& exit) {
  if (!exit) return nullptr;
  return {{"reason", exit_reason_name(exit->reason)},
          {"signal", exit->signal ? Json(*exit->signal) : Json(nullptr)},
          {"code", exit->code ? Json(*exit->code) : Json(nullptr)},
          {"at", format_time(exit->at)}};
}

Json worker_json(const StatusSources& sources, const Generation& generation,
                 const WorkerProcess& worker) {
  const auto stat = read_process_stat(worker.pid());
  Json json{{"slot", worker.is_spare() ? Json(nullptr) : Json(worker.slot())},
            {"generation", generation.id()},
            {"pid", worker.pid()},
            {"state", worker.is_suspect() ? "suspect" : worker_state_name(worker.state())},
            {"age_s", seconds(sources.clock.steady() - worker.started())},
            {"connections", worker.page().connections()},
            {"requests", worker.page().counter(Metric::kRequests)},
            {"cpu_s", stat ? stat->cpu_seconds : 0},
            {"rss_bytes", stat ? stat->rss_bytes : 0}};
  const SlotHistory* history = worker.is_spare() ? nullptr : &sources.histories[worker.slot()];
  json["restarts"] = history ? history->restarts : 0;
  json["last_exit"] = history ? last_exit_json(history->last_exit) : Json(nullptr);
  return json;
}

// A slot of the current generation without a worker.
Json empty_slot_json(const StatusSources& sources, const Generation& generation,
                     std::uint32_t slot) {
  const SlotHistory& history = sources.histories[slot];
  return {{"slot", slot},
          {"generation", generation.id()},
          {"pid", nullptr},
          {"state", "failed"},
          {"age_s", 0},
          {"connections", 0},
          {"requests", 0},
          {"cpu_s", 0},
          {"rss_bytes", 0},
          {"restarts", history.restarts},
          {"last_exit", last_exit_json(history.last_exit)}};
}

// Spares have no slot and come last.
std::uint32_t slot_order(const Json& worker) {
  return worker["slot"].is_null() ? UINT32_MAX : worker["slot"].get<std::uint32_t>();
}

std::vector<Json> workers_of(const StatusSources& sources, const Generation& generation) {
  std::vector<Json> rows;
  for (const auto& worker : generation.workers()) {
    rows.push_back(worker_json(sources, generation, *worker));
  }
  const bool is_serving = generation.state() == Generation::State::kServing;
  for (std::uint32_t slot = 0; is_serving && slot < generation.slot_count(); ++slot) {
    if (!generation.worker_of(slot)) rows.push_back(empty_slot_json(sources, generation, slot));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Json& a, const Json& b) { return slot_order(a) < slot_order(b); });
  return rows;
}

Json workers_json(const StatusSources& sources) {
  Json list = Json::array();
  for (const auto& generation : sources.fleet.all()) {
    for (Json& row : workers_of(sources, *generation)) list.push_back(std::move(row));
  }
  return list;
}

// The slots whose sockets somebody else accepts from now.
Json lent_json(const Generation* current) {
  Json list = Json::array();
  for (std::uint32_t slot = 0; current && slot < current->slot_count(); ++slot) {
    if (!current->is_lent(slot)) continue;
    const auto to = current->borrower_slot(slot);
    const bool spare = !to || *to == ipc::kSpareSlot;
    list.push_back({{"slot", slot}, {"to", spare ? Json(nullptr) : Json(*to)}});
  }
  return list;
}

Json listeners_json(const StatusSources& sources) {
  Json list = Json::array();
  for (const ListenerStatus& listener : sources.listeners.status()) {
    const bool shared = listener.mode == "shared";
    list.push_back({{"address", listener.address},
                    {"configured", listener.configured},
                    {"kind", listener.kind},
                    {"mode", listener.mode},
                    {"sockets", listener.sockets},
                    {"leaving", listener.leaving},
                    {"lent", shared ? Json::array() : lent_json(sources.fleet.current())}});
  }
  return list;
}

// Why the state is degraded or failed, slot by slot.
Json reasons_json(const StatusSources& sources) {
  Json list = Json::array();
  const Generation* current = sources.fleet.current();
  for (std::uint32_t slot = 0; current && slot < current->slot_count(); ++slot) {
    if (current->in_crash_loop(slot)) {
      list.push_back({{"reason", "crash_loop"},
                      {"slot", slot},
                      {"last_exit", last_exit_json(sources.histories[slot].last_exit)}});
    }
    if (current->is_lent(slot)) list.push_back({{"reason", "lent"}, {"slot", slot}});
  }
  return list;
}

// Calls that this kernel, or a filter in front of it, refuses to workers.
Json fallbacks_json(const SharedMemory* memory) {
  Json list = Json::array();
  if (memory == nullptr) return list;
  for (const auto& [call, metric] : {std::pair{"openat2", Metric::kWithoutOpenat2},
                                     std::pair{"resolve_cached", Metric::kWithoutResolveCached}}) {
    const std::uint64_t workers = memory->total(metric);
    if (workers > 0) list.push_back({{"call", call}, {"workers", workers}});
  }
  return list;
}

Json draining_json(const StatusSources& sources) {
  Json list = Json::array();
  for (const auto& generation : sources.fleet.all()) {
    ipc::OpenWorkReport sum;
    bool any = false;
    for (const auto& worker : generation->workers()) {
      if (worker->state() != WorkerState::kDraining) continue;
      any = true;
      sum.keepalive += worker->open_work().keepalive;
      sum.response += worker->open_work().response;
      sum.request += worker->open_work().request;
      sum.pool += worker->open_work().pool;
    }
    if (!any) continue;
    list.push_back({{"generation", generation->id()},
                    {"deadline", generation->deadline()
                                     ? Json(format_deadline(sources, *generation->deadline()))
                                     : Json(nullptr)},
                    {"open",
                     {{"keepalive", sum.keepalive},
                      {"response", sum.response},
                      {"request", sum.request},
                      {"pool", sum.pool}}}});
  }
  return list;
}

}  // namespace

std::string_view service_state_name(ServiceState state) {
  switch (state) {
    case ServiceState::kStarting:
      return "starting";
    case ServiceState::kReady:
      return "ready";
    case ServiceState::kDegraded:
      return "degraded";
    case ServiceState::kFailed:
      return "failed";
    case ServiceState::kStopping:
      return "stopping";
  }
  return "failed";
}

bool is_service_ready(const StatusSources& sources) {
  const Generation* current = sources.fleet.current();
  if (!current || sources.stopping) return false;
  const std::size_t needed =
      std::min<std::size_t>(current->plan().runtime.min_workers, current->slot_count());
  return current->ready_workers() >= std::max<std::size_t>(1, needed);
}

ServiceState service_state(const StatusSources& sources) {
  if (sources.stopping) return ServiceState::kStopping;
  const Generation* current = sources.fleet.current();
  if (!current) return ServiceState::kStarting;
  bool crash_loop = false;
  bool lent = false;
  for (std::uint32_t slot = 0; slot < current->slot_count(); ++slot) {
    crash_loop = crash_loop || current->in_crash_loop(slot);
    lent = lent || current->is_lent(slot);
  }
  if (!is_service_ready(sources)) {
    return crash_loop ? ServiceState::kFailed : ServiceState::kStarting;
  }
  return crash_loop || lent ? ServiceState::kDegraded : ServiceState::kReady;
}

Json build_status(const StatusSources& sources) {
  const Generation* current = sources.fleet.current();
  return {{"schema", 1},
          {"version", SERVERY_VERSION},
          {"state", service_state_name(service_state(sources))},
          {"reasons", reasons_json(sources)},
          {"live", true},
          {"ready", is_service_ready(sources)},
          {"pid", ::getpid()},
          {"uptime_s", seconds(sources.clock.steady() - sources.started)},
          {"config",
           {{"path", sources.config_path.empty() ? Json(nullptr) : Json(sources.config_path)},
            {"profile", current ? Json(current->plan().profile) : Json(nullptr)}}},
          {"generation", current ? Json(current->id()) : Json(nullptr)},
          {"generations", generations_json(sources)},
          {"workers", workers_json(sources)},
          {"listeners", listeners_json(sources)},
          {"last_reload", sources.last_reload ? to_json(*sources.last_reload) : Json(nullptr)},
          {"draining", draining_json(sources)},
          {"fallbacks", fallbacks_json(sources.memory)},
          {"certificates", Json::array()},
          {"locks", Json::array()},
          {"counters", sources.memory ? sources.memory->counters() : Json::object()}};
}

}  // namespace servery
