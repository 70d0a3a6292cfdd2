// A request as the workload makes it, and the record that remains of it.
#pragma once
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace ridgepoint {

/// `count` tokens of one content: token i is (content, offset + i * stride). Equal tokens are equal pairs;
/// only serving/ hashes them. stride is 1, or 0 where one token repeats.
struct TokenRun {
  std::uint64_t content = 0;
  std::uint32_t offset = 0;
  std::uint32_t count = 0;
  std::uint32_t stride = 1;
};

/// Content ids below this are named by the workload (prefix groups, sessions, trace blocks); unique ones are
/// made from a request's id by `unique_content`.
inline constexpr std::uint64_t kUniqueContent = std::uint64_t{1} << 63;

/// One request. Kept small: a queue of a million holds a million of these (at most 128 bytes each, see the
/// test).
struct Request {
  std::int64_t id = 0;  ///< 0, 1, 2 ... in arrival order over all streams
  Nanos arrival{0};
  std::int32_t prompt_tokens = 0;
  std::int32_t output_tokens = 0;  ///< how many it generates until it ends by itself (>= 1)
  std::int32_t max_tokens =
      0;  ///< its limit; = output_tokens where it stops at the limit, larger where EOS ends it
  std::int32_t priority = 0;     ///< lower is served first (policy `priority`)
  std::uint16_t stream = 0;      ///< index into Workload::streams
  std::uint16_t deployment = 0;  ///< index into Scenario::deployments
  /// The prompt's content. Empty: prompt_tokens tokens that no other request has.
  std::vector<TokenRun> prompt;
  /// Content of the generated tokens: token j is (output.content, output.offset + j * output.stride). content
  /// 0 with shared_tokens unset: unique to this request.
  TokenRun output;
  /// Leading tokens (of prompt, then output) that another request may also contain. The rest can be found
  /// again in the prefix cache only by this request itself, after a preemption. Saves hashing them.
  std::int32_t shared_tokens = 0;
  std::uint32_t session = 0;  ///< 1-based; 0 = none. For the workload source's own use

  std::uint64_t unique_content() const { return kUniqueContent | static_cast<std::uint64_t>(id); }
};

enum class RequestStatus : std::uint8_t {
  completed,   ///< reached its end
  refused,     ///< could never run (longer than max_model_len or than the KV pool): counted apart
  unfinished,  ///< still queued or running when the run ended: censored
};

/// What happened to a request. The parts sum to finish - arrival exactly.
struct RequestRecord {
  std::int64_t id = 0;
  Nanos arrival{0}, first_token{0}, finish{0};  ///< first_token, finish: 0 when there was none
  std::int32_t prompt_tokens = 0;
  std::int32_t output_tokens = 0;  ///< generated
  std::int32_t cached_tokens = 0;  ///< prompt tokens found in the prefix cache at first admission
  std::int32_t preemptions = 0;
  std::int32_t replica = -1;  ///< -1: never routed
  std::uint16_t stream = 0;
  RequestStatus status = RequestStatus::unfinished;
  // where the time went
  Nanos queued{0}, prefill{0}, decode{0}, preempted{0}, transfer{0}, other{0};
};

}  // namespace ridgepoint
