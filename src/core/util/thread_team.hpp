#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace greedag {

/// Threads that are joined when this object goes out of scope, whatever was thrown meanwhile.
/// Not std::jthread, which some standard libraries lack.
class ThreadTeam {
 public:
  ThreadTeam() = default;
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam() {
    for (std::thread& thread : threads_) thread.join();
  }

  /// Starts work(1) … work(size - 1), or fewer where the system has no more threads to give.
  template <class Work>
  void start(std::size_t size, const Work& work) {
    try {
      threads_.reserve(size);
      for (std::size_t thread = 1; thread < size; ++thread) threads_.emplace_back(work, thread);
    } catch (...) {  // out of threads, or of memory for them
    }
  }

 private:
  std::vector<std::thread> threads_;
};

/// Calls work(0) … work(size - 1) concurrently, work(0) on the calling thread. Where the system has
/// too few threads to give, some calls are left out: any subset that has work(0) must do all of the
/// work. Once all have ended, rethrows the first exception.
template <class Work>
void run_team(std::size_t size, Work work) {
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto guarded = [&](std::size_t thread) {
    try {
      work(thread);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  {
    ThreadTeam team;
    team.start(size, guarded);
    guarded(0);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace greedag
