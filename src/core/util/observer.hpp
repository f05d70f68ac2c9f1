#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace greedag {

enum class Stop : std::uint8_t { no, time_limit, interrupt };

/// The progress of a search. A trial counts once it is kept.
struct ProgressSnapshot {
  double gain = 0.0;  ///< what the steps have added to the score of the starting class
  std::size_t edges = 0;
  std::size_t steps = 0;
};

/// Decides when a search should stop. The search asks often; the clock and the caller are checked
/// rarely.
class Observer {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Observer(std::optional<double> seconds) { set_time_limit(seconds); }
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// Counts the seconds from this call on.
  void set_time_limit(std::optional<double> seconds) {
    deadline_.reset();
    // A century is as good as no limit, and does not overflow the clock.
    if (seconds && *seconds < 3e9)
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(*seconds));
  }

  [[nodiscard]] bool should_stop() {
    if (++calls_ % calls_per_poll == 0) poll();
    return stop_ != Stop::no;
  }
  /// The same, but always checks the clock: for long pieces of work.
  [[nodiscard]] bool should_stop_now() {
    poll();
    return stop_ != Stop::no;
  }
  [[nodiscard]] Stop stop() const { return stop_; }
  /// Stops the search because a part of it has failed. May be called from any thread.
  void fail() { has_failed_.store(true, std::memory_order_relaxed); }
  /// Stops the search as an interrupt would, for callers that notice one themselves.
  void interrupt() { stop_ = Stop::interrupt; }

  /// Sets where to read the progress from; nullptr when the search has ended.
  void set_progress_source(std::function<ProgressSnapshot()> source) {
    progress_source_ = std::move(source);
  }
  /// Counts further trials. May be called from any thread.
  void add_trials(std::size_t count) { trials_.fetch_add(count, std::memory_order_relaxed); }

 protected:
  [[nodiscard]] ProgressSnapshot progress() const {
    return progress_source_ ? progress_source_() : ProgressSnapshot{};
  }
  [[nodiscard]] std::size_t trials() const { return trials_.load(std::memory_order_relaxed); }
  /// Whether the caller wants the search to stop. Called some tens of times per second, on the
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

/// Stops a thread when the one that started it has stopped.
class StopFlagObserver final : public Observer {
 public:
  explicit StopFlagObserver(const std::atomic<bool>& stopped)
      : Observer(std::nullopt), stopped_(&stopped) {}

 protected:
  bool interrupted() override { return *stopped_; }

 private:
  const std::atomic<bool>* stopped_;
};

/// Thrown out of an evaluation that is cut short because the search should stop.
struct Stopped {};

/// Throws `Stopped` if there is an observer and it says to stop.
inline void throw_if_stopped(Observer* observer) {
  if (observer != nullptr && observer->should_stop_now()) throw Stopped{};
}

constexpr std::size_t rows_of_part = std::size_t{1} << 16;

/// Calls `work(begin, end)` for one part of 0 … size - 1 after the other; between two parts it
/// throws `Stopped` if the search should stop. A part of rows takes about a millisecond.
template <class Work>
void in_parts(std::size_t size, Observer* observer, Work work) {
  for (std::size_t begin = 0; begin < size; begin += rows_of_part) {
    if (begin > 0) throw_if_stopped(observer);
    work(begin, std::min(size, begin + rows_of_part));
  }
}

}  // namespace greedag
