#include "spec/engine.hpp"

#include <array>

namespace ridgepoint {
namespace {
constexpr std::array<std::string_view, 13> kNames{
    "vllm-0.10", "vllm-0.10.2", "vllm-0.11", "vllm-0.11.1", "vllm-0.12", "vllm-0.13", "vllm-0.14",
    "vllm-0.15", "vllm-0.16",   "vllm-0.17", "vllm-0.18",   "vllm-0.19", "vllm-0.20"};
}  // namespace

std::optional<EngineVersion> parse_engine_version(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == text) return static_cast<EngineVersion>(i);
  // A patch release decides as the latest listed one of its series that is not newer.
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || dot + 2 != text.size() || text[dot + 1] < '0' || text[dot + 1] > '9')
    return std::nullopt;
  std::optional<EngineVersion> best;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const bool series = kNames[i] == text.substr(0, dot);
    const bool patch = kNames[i].size() == text.size() &&
                       kNames[i].substr(0, dot + 1) == text.substr(0, dot + 1) &&
                       kNames[i].find('.') != dot && kNames[i].back() <= text.back();
    if (series || patch) best = static_cast<EngineVersion>(i);
  }
  return best;
}

std::string_view name(EngineVersion v) { return kNames[static_cast<std::size_t>(v)]; }

std::vector<std::string> engine_version_names() { return {kNames.begin(), kNames.end()}; }

EngineRules rules(EngineVersion v) {
  using enum EngineVersion;
  EngineRules r;
  r.unchunked_stops = v >= v0_12;
  r.lookahead_at_admission = v < v0_10_2;
  r.victim_gives_tokens_back = v >= v0_11_1;
  r.async_stops_at_limit = v >= v0_12;
  r.caps_drafts_at_limit = v == v0_11_1;
  r.drafts_survive_preemption = v <= v0_13;
  r.draft_model_lookahead = v >= v0_15;
  r.full_sequence_gate = v >= v0_19;
  r.async_default = v >= v0_14;
  r.memory_utilization_default = v >= v0_20 ? 0.92 : 0.9;
  r.graph_memory_subtracted = v >= v0_20;
  r.full_decode_graphs = v >= v0_11;
  r.graph_sizes_by_eight = v <= v0_11;
  return r;
}

int Engine::lookahead_tokens() const {
  switch (speculative_method) {
    case SpeculativeMethod::eagle:
    case SpeculativeMethod::mtp:
      return num_speculative_tokens;
    case SpeculativeMethod::draft_model:
      return rules(version).draft_model_lookahead ? num_speculative_tokens : 0;
    case SpeculativeMethod::ngram:
    case SpeculativeMethod::none:
      return 0;
  }
  return 0;
}

int Engine::queue_depth() const {
  if (pipeline_parallel_size > 1) return pipeline_parallel_size;
  return async_scheduling ? 2 : 1;
}

}  // namespace ridgepoint
