// One search by the engine alone, without Python: engine CASE.bin SEARCH [REPEATS [JOBS [EFFORT]]]
//
// A case is, in the machine's own byte order: d (int64), n (double), d × d correlations and d
// log-variances (doubles). Prints one line of JSON; the seconds are the least of the repeats'.

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/scores/gaussian/gaussian_gains.hpp"
#include "core/search/search.hpp"

namespace {

constexpr double alpha = 2.0;

constexpr std::array<std::pair<std::string_view, greedag::Algorithm>, 6> algorithms{
    {{"xges", greedag::Algorithm::xges},
     {"xges0", greedag::Algorithm::xges0},
     {"ges", greedag::Algorithm::ges},
     {"ges-r", greedag::Algorithm::ges_r},
     {"ops", greedag::Algorithm::ops},
     {"fges", greedag::Algorithm::fges}}};

struct Case {
  double n = 0.0;
  std::vector<double> correlation;
  std::vector<double> log_variances;
};

template <typename T>
void read_into(std::ifstream& file, T* values, std::size_t count) {
  file.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) throw std::runtime_error("the case is missing or too short");
}

Case read_case(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::int64_t d = 0;
  Case read;
  read_into(file, &d, 1);
  read_into(file, &read.n, 1);
  const auto size = static_cast<std::size_t>(d);
  read.correlation.resize(size * size);
  read.log_variances.resize(size);
  read_into(file, read.correlation.data(), size * size);
  read_into(file, read.log_variances.data(), size);
  return read;
}

greedag::Algorithm algorithm_named(std::string_view name) {
  const auto* found = std::find_if(algorithms.begin(), algorithms.end(),
                                   [&](const auto& entry) { return entry.first == name; });
  if (found == algorithms.end())
    throw std::runtime_error("the search must be xges, xges0, ges, ges-r, ops or fges");
  return found->second;
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void run(const Case& data, std::string_view name, int repeats, int jobs, double effort) {
  const greedag::Algorithm algorithm = algorithm_named(name);
  const greedag::GaussianBic score(data.correlation, data.log_variances, data.n, alpha);
  greedag::SearchOptions options;
  options.jobs = static_cast<std::size_t>(jobs);
  options.effort = effort;
  double seconds = std::numeric_limits<double>::infinity();
  for (int repeat = 1; repeat <= repeats; ++repeat) {
    greedag::Observer observer(std::nullopt);
    const auto start = std::chrono::steady_clock::now();
    const greedag::Outcome outcome = greedag::search(score, algorithm, options, observer);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    seconds = std::min(seconds, took.count());
    if (repeat < repeats) continue;
    std::printf(
        "{\"search\": \"%.*s\", \"d\": %zu, \"score\": %.17g, \"seconds\": %.9f, \"trials\": %zu, "
        "\"evaluations\": %zu, \"peak_kilobytes\": %ld}\n",
        static_cast<int>(name.size()), name.data(), data.log_variances.size(), outcome.score,
        seconds, outcome.trials.tried, outcome.counters.evaluations, peak_kilobytes());
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3 || count > 6) {
    std::fprintf(stderr, "usage: engine CASE.bin SEARCH [REPEATS [JOBS [EFFORT]]]\n");
    return 2;
  }
  try {
    const int repeats = count > 3 ? std::atoi(arguments[3]) : 1;
    const int jobs = count > 4 ? std::atoi(arguments[4]) : 1;
    const double effort = count > 5 ? std::atof(arguments[5]) : 0.0;
    run(read_case(arguments[1]), arguments[2], std::max(repeats, 1), std::max(jobs, 1), effort);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", arguments[1], error.what());
    return 1;
  }
}
