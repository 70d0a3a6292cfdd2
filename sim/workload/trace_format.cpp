#include "workload/trace_format.hpp"

#include <array>

namespace ridgepoint {
namespace {

constexpr std::array kNames{
    TraceFormatName{"azure", TraceFormat::azure,
                    "Azure LLM inference traces, any year: TIMESTAMP, ContextTokens, GeneratedTokens"},
    TraceFormatName{"azure_2023", TraceFormat::azure, "the same: Azure 2023 (Splitwise)"},
    TraceFormatName{"azure_2024", TraceFormat::azure, "the same: Azure 2024 (DynamoLLM)"},
    TraceFormatName{"burstgpt", TraceFormat::burstgpt, "BurstGPT CSV, v1 to v3"},
    TraceFormatName{"mooncake", TraceFormat::mooncake,
                    "Mooncake and AIPerf JSONL, with hashes of 512-token blocks"},
    TraceFormatName{"vidur", TraceFormat::vidur, "Vidur's processed CSV, with arrivals or lengths only"},
    TraceFormatName{"sharegpt", TraceFormat::sharegpt,
                    "ShareGPT JSON as vLLM's benchmark reads it: text, no times"},
    TraceFormatName{"vllm_bench", TraceFormat::sharegpt,
                    "the same; also vLLM's custom JSONL {prompt, output_tokens}"},
    TraceFormatName{"llmservingsim", TraceFormat::llmservingsim,
                    "LLMServingSim JSONL: flat rows and agentic sessions"},
    TraceFormatName{"ridgepoint", TraceFormat::ridgepoint,
                    "this project's CSV, see workloads/traces/README.md"},
};

}  // namespace

std::span<const TraceFormatName> trace_format_names() { return kNames; }

std::optional<TraceFormat> parse_trace_format(std::string_view text) {
  for (const TraceFormatName& n : kNames)
    if (n.name == text) return n.format;
  return std::nullopt;
}

std::string_view name(TraceFormat format) {
  for (const TraceFormatName& n : kNames)
    if (n.format == format) return n.name;
  return "?";
}

}  // namespace ridgepoint
