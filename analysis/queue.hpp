// What the queues say: whether they grew all through the run, and which limit kept requests waiting.
#pragma once
#include <array>
#include <string>

#include "analysis/reader.hpp"
#include "analysis/replicas.hpp"
#include "analysis/requests.hpp"

namespace ridgepoint::analysis {

struct QueueFacts {
  bool grew = false;
  /// Mean waiting requests (or, without a time series of the arrivals, mean seconds queued) in each third of
  /// the time in which requests arrived.
  std::array<double, 3> thirds{};
  bool thirds_are_requests = false;
  /// "max_num_seqs" or "KV capacity" where it kept requests waiting most of the busy time; empty otherwise.
  std::string limit;
};

QueueFacts inspect_queues(const ResultReader& file, const RequestSpan& span, const ReplicaFacts& replicas);

/// Rising from third to third by a fifth or more, and to more than `least`.
bool grows(const std::array<double, 3>& thirds, double least);

}  // namespace ridgepoint::analysis
