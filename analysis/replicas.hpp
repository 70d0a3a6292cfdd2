// What the replicas did: ledger shares, prefix cache, price, gaps between tokens.
#pragma once
#include <cstdint>
#include <string>

#include "analysis/reader.hpp"
#include "analysis/summary.hpp"

namespace ridgepoint::analysis {

struct ReplicaFacts {
  std::int64_t replicas = 0;
  double price_per_hour = 0;  ///< USD of all GPUs; 0 when the price of any is unknown
  double requests = 0, prompt_tokens = 0, cached_tokens = 0, output_tokens = 0;  ///< whole run
  std::vector<double> max_num_seqs;  ///< by replica; 0 = not known
};

/// Fills ledger, itl, prefix_cache_hit_rate and preemptions. Throws ConfigError.
ReplicaFacts summarize_replicas(const ResultReader& file, Summary& summary);

/// The largest busy share of the ledger in words; empty when there is none.
std::string largest_busy_share(const Summary& summary);

}  // namespace ridgepoint::analysis
