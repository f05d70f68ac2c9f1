#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace greedag {

/// Calls work(0) … work(size - 1) at the same time, the first of them on this thread, and fewer
/// where the machine has no more threads to give: the work must be done by any number of members.
/// What one of them throws is thrown on when all have ended.
template <class Work>
void run_team(std::size_t size, Work work) {
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto guarded = [&](std::size_t member) {
    try {
      work(member);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(size);
    try {
      for (std::size_t member = 1; member < size; ++member) threads.emplace_back(guarded, member);
    } catch (...) {  // neither threads nor memory for them
    }
    guarded(0);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace greedag
