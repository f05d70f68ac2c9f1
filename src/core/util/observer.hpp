#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace greedag {

enum class Stop : std::uint8_t { no, time_limit, interrupt };

/// How far a search has come. A trial counts when it is kept.
struct ProgressSnapshot {
  double gain = 0.0;  ///< what the steps add to the score of the empty graph
  std::size_t edges = 0;
  std::size_t steps = 0;
};

/// Tells a search when to stop. The search asks often; the clock and the outside are asked rarely.
class Observer {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Observer(std::optional<double> seconds) {
    // A century is for ever, and a clock does not overflow on it.
    if (seconds && *seconds < 3e9)
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(*seconds));
  }
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  [[nodiscard]] bool should_stop() {
    if (++calls_ % calls_per_poll == 0) poll();
    return stop_ != Stop::no;
  }
  /// The same, looking at the clock at once: for long pieces of work.
  [[nodiscard]] bool should_stop_now() {
    poll();
    return stop_ != Stop::no;
  }
  [[nodiscard]] Stop stop() const { return stop_; }
  /// Ends the search because a part of it has failed. Any thread may say so.
  void fail() { has_failed_.store(true, std::memory_order_relaxed); }
  /// Ends the search as the outside would: for those who learn of an interrupt on their own.
  void interrupt() { stop_ = Stop::interrupt; }

  /// From where the outside may learn how far the search has come; nullptr when it has ended.
  void set_progress_source(std::function<ProgressSnapshot()> source) {
    progress_source_ = std::move(source);
  }
  /// How many trials have been counted. Any thread may say so.
  void set_trials(std::size_t trials) { trials_.store(trials, std::memory_order_relaxed); }

 protected:
  [[nodiscard]] ProgressSnapshot progress() const {
    return progress_source_ ? progress_source_() : ProgressSnapshot{};
  }
  [[nodiscard]] std::size_t trials() const { return trials_.load(std::memory_order_relaxed); }
  /// Whether somebody outside wants the search to end. Called some tens of times a second, on the
  /// thread that started the search.
  virtual bool interrupted() { return false; }

 private:
  static constexpr std::uint32_t calls_per_poll = 16;
  static constexpr std::chrono::milliseconds interrupt_interval{20};

  void poll() {
    const auto time = Clock::now();
    if (has_failed_.load(std::memory_order_relaxed)) stop_ = Stop::interrupt;
    if (stop_ == Stop::no && deadline_ && time >= *deadline_) stop_ = Stop::time_limit;
    if (time - last_interrupt_check_ < interrupt_interval) return;
    last_interrupt_check_ = time;
    if (interrupted()) stop_ = Stop::interrupt;
  }

  std::uint32_t calls_ = 0;
  Stop stop_ = Stop::no;
  std::optional<Clock::time_point> deadline_;
  Clock::time_point last_interrupt_check_ = Clock::now();
  std::function<ProgressSnapshot()> progress_source_;
  std::atomic<std::size_t> trials_ = 0;
  std::atomic<bool> has_failed_ = false;
};

/// Tells a thread to stop when the one that started it has.
class StopFlagObserver final : public Observer {
 public:
  explicit StopFlagObserver(const std::atomic<bool>& stopped)
      : Observer(std::nullopt), stopped_(&stopped) {}

 protected:
  bool interrupted() override { return *stopped_; }

 private:
  const std::atomic<bool>* stopped_;
};

}  // namespace greedag
