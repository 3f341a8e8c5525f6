#include "supervisor/restart_policy.h"

#include <algorithm>
#include <cmath>

namespace servery {
namespace {

constexpr double kJitter = 0.2;
constexpr std::uint32_t kMaxDoublings = 30;

}  // namespace

void RestartPolicy::set_settings(const Settings& settings) {
  settings_ = settings;
  if (settings_.limit == 0) crash_loop_ = false;
}

void RestartPolicy::on_ready(SteadyTime now) {
  ready_ = true;
  was_ready_ = true;
  ready_since_ = now;
  ends_since_ready_ = 0;
}

void RestartPolicy::forgive() {
  consecutive_ = 0;
  crash_loop_ = false;
  ends_.clear();
}

void RestartPolicy::reset_if_healthy(SteadyTime now) {
  if (is_healthy(now)) forgive();
}

Milliseconds RestartPolicy::on_end(SteadyTime now, double random) {
  reset_if_healthy(now);
  ready_ = false;
  ++ends_since_ready_;
  while (!ends_.empty() && now - ends_.front() > settings_.window) ends_.pop_front();
  ends_.push_back(now);
  // Only whether there are more than `limit` of them matters.
  while (ends_.size() > std::size_t{settings_.limit} + 1) ends_.pop_front();
  if (settings_.limit != 0 && ends_.size() > settings_.limit) crash_loop_ = true;
  const std::uint32_t nth = consecutive_++;
  if (crash_loop_) return jittered(settings_.backoff_max, random);
  if (nth == 0) return Milliseconds(0);
  const auto doublings = std::min(nth - 1, kMaxDoublings);
  const double delay = std::ldexp(static_cast<double>(settings_.backoff_initial.count()),
                                  static_cast<int>(doublings));
  const double cap = static_cast<double>(settings_.backoff_max.count());
  return jittered(Milliseconds(static_cast<std::int64_t>(std::min(delay, cap))), random);
}

Milliseconds RestartPolicy::jittered(Milliseconds delay, double random) {
  const double factor = 1.0 - kJitter + 2.0 * kJitter * std::clamp(random, 0.0, 1.0);
  return Milliseconds(std::llround(static_cast<double>(delay.count()) * factor));
}

bool RestartPolicy::is_healthy(SteadyTime now) const {
  return ready_ && now - ready_since_ >= kHealthy;
}

bool RestartPolicy::in_crash_loop(SteadyTime now) const { return crash_loop_ && !is_healthy(now); }

bool RestartPolicy::first_start_failed() const {
  return !was_ready_ && settings_.limit != 0 && ends_since_ready_ >= settings_.limit;
}

}  // namespace servery
