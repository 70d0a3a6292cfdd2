// A request inside the engine: how far it is, which blocks it holds, where its time went.
#pragma once
#include <cstdint>
#include <vector>

#include "base/units.hpp"
#include "serving/block_pool.hpp"
#include "spec/request.hpp"

namespace ridgepoint {

using SequenceId = std::uint32_t;

/// Letters are those of vLLM's rules: P prompt, X max_tokens, L known tokens, C computed, S drafts attached,
/// H output placeholders. There is no prefill or decode state: a sequence only catches C up to L.
struct Sequence {
  enum class State : std::uint8_t { waiting, running, preempted, finished };
  /// Where its time is being booked.
  enum class Phase : std::uint8_t { queued, prefill, decode, preempted };

  Request request;
  State state = State::waiting;
  Phase phase = Phase::queued;
  bool scheduled = false;         ///< has an entry in the batch being formed
  std::int32_t known = 0;         ///< L
  std::int32_t computed = 0;      ///< C, advanced when scheduled
  std::int32_t drafts = 0;        ///< S
  std::int32_t placeholders = 0;  ///< H
  std::int32_t in_flight = 0;     ///< batches under way that contain it
  std::int32_t registered = 0;    ///< leading blocks that can be found by hash (private ones: once preempted)
  std::int32_t hit_blocks = 0;    ///< of these, found at the last admission
  bool revisits = false;          ///< was preempted: its private blocks may be found again
  std::vector<std::vector<BlockId>> tables;  ///< one a KV group
  std::vector<std::uint64_t> hashes;  ///< chained, of its leading full blocks, as far as they were needed

  Nanos submitted{0}, phase_since{0}, first_token{0}, last_token{0};
  Nanos queued{0}, prefill{0}, decode{0}, preempted{0};
  std::int32_t preemptions = 0;
  std::int32_t cached_tokens = -1;  ///< at first admission; -1 = never admitted

  std::int32_t prompt() const { return request.prompt_tokens; }
  std::int32_t outputs() const { return known - request.prompt_tokens; }
  /// Still has prompt (or, after a preemption, recomputation) to get through before its next new token.
  bool prefilling() const { return known + placeholders - computed > 1 || computed < prompt(); }

  /// Books the time since the last change and enters `next`.
  void enter(Phase next, Nanos now) {
    const Nanos span = now - phase_since;
    switch (phase) {
      case Phase::queued:
        queued += span;
        break;
      case Phase::prefill:
        prefill += span;
        break;
      case Phase::decode:
        decode += span;
        break;
      case Phase::preempted:
        preempted += span;
        break;
    }
    phase = next;
    phase_since = now;
  }
};

}  // namespace ridgepoint
