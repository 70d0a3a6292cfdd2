// The engine's loop: schedule, launch, wait for the oldest batch, process its output (vllm-v1.md section 9).
#include <algorithm>

#include "base/errors.hpp"
#include "serving/replica_state.hpp"

namespace ridgepoint {
namespace {

KvCacheConfig kv_config(const ReplicaConfig& c) {
  const bool drops = c.engine.speculative_method == SpeculativeMethod::eagle ||
                     c.engine.speculative_method == SpeculativeMethod::mtp;
  return {c.num_blocks, c.engine.block_size, c.groups, c.engine.max_model_len, c.engine.enable_prefix_caching,
          drops};
}

/// The engine sleeps after a step without work (from 0.14).
constexpr Nanos kEmptyStepSleep{1'000'000};

}  // namespace

Replica::State::State(ReplicaConfig c, const CostModel& cost_model, ReplicaSink& s)
    : config(std::move(c)),
      cost(cost_model),
      sink(s),
      kv(kv_config(config)),
      scheduler(config.engine, kv),
      graphs(config.engine),
      depth(config.engine.queue_depth()) {}

void Replica::State::run(Nanos now, bool inclusive) {
  while (true) {
    if (steady.active) {
      run_steady(now, inclusive);
      if (steady.active) return;
    }
    if (mode == Mode::output && due <= now)
      output(due);
    else if (mode == Mode::call && (due < now || (inclusive && due == now)))
      if (!plan_steady(due))
        call(due);
      else
        continue;
    else
      return;
  }
}

void Replica::State::wake(Nanos t) {
  if (mode != Mode::idle || !livelock.empty()) return;
  mode = Mode::call;
  due = std::max(t, host_free);
}

void Replica::State::go_idle() {
  mode = Mode::idle;
  due = kNever;
}

bool Replica::State::call(Nanos t) {
  bool gave_way = false;
  if (!scheduler.has_requests()) {
    if (in_flight.empty()) {
      go_idle();
      return false;
    }
  } else {
    Batch batch = scheduler.schedule(t);
    note_uniform(batch);
    totals.preemptions += batch.preempted;
    fruitless += batch.preempted;
    gave_way = batch.preempted > 0;
    const bool executed = !batch.empty();
    if (executed) {
      in_flight.push_back(launch(std::move(batch), t));
    } else {
      ++totals.empty_steps;
      in_flight.push_back({std::move(batch), t, t, t, {}, 0});
    }
    if (executed && static_cast<std::int32_t>(in_flight.size()) < depth && in_flight.front().end > t) {
      mode = Mode::call;
      due = host_free;
      return false;
    }
  }
  mode = Mode::output;
  due = std::max({in_flight.front().end, host_free, t});
  const bool working =
      std::any_of(in_flight.begin(), in_flight.end(), [](const FlyingBatch& b) { return !b.batch.empty(); });
  if (!working) {
    in_flight.clear();
    if (!gave_way) {  // nothing will change by itself: real engines poll for ever
      go_idle();
      return true;
    }
    mode = Mode::call;  // every victim gave way to another that then did not fit either: try again
    due = t + (config.engine.version >= EngineVersion::v0_14 ? kEmptyStepSleep : Nanos{1});
  }
  const auto present = static_cast<std::int64_t>(scheduler.running().size() + scheduler.waiting().size());
  if (fruitless > 1000 + 4 * present) {
    livelock = "requests preempt each other without end: " + std::to_string(fruitless) +
               " preemptions since the last new token";
    in_flight.clear();
    go_idle();
  }
  return mode == Mode::output;
}

void Replica::State::output(Nanos t) {
  FlyingBatch b = std::move(in_flight.front());
  in_flight.pop_front();
  if (!b.batch.empty()) {
    book(b);
    process(b, t);
    last_output = t;
  }
  mode = Mode::call;
  due = t;
  if (!scheduler.has_requests() && in_flight.empty()) go_idle();
}

StepShape Replica::State::shape_of(const Batch& batch) {
  StepShape shape;
  pieces.clear();
  std::int32_t longest = 0;
  const std::int32_t window = kv.windowed() ? kv.config().groups.back().window : 0;
  for (const BatchEntry& e : batch.entries) {
    longest = std::max(longest, e.tokens);
    shape.sampled += e.emits ? 1 + e.drafts : 0;
    if (e.tokens > 1) {
      pieces.push_back({e.tokens, e.computed});
      continue;
    }
    const std::int32_t attended = e.computed + 1;
    ++shape.decode_sequences;
    shape.decode_context += attended;
    shape.decode_window_context += window > 0 ? std::min(attended, window) : attended;
    shape.decode_max_context = std::max(shape.decode_max_context, attended);
  }
  shape.tokens = batch.tokens;
  shape.sequences = static_cast<std::int32_t>(batch.entries.size());
  const CudaGraphs::Launch graph = graphs.pick(batch.tokens, shape.sequences, longest);
  shape.padded_tokens = graph.padded_tokens;
  shape.graph = graph.mode;
  shape.prefill = pieces;
  return shape;
}

FlyingBatch Replica::State::launch(Batch batch, Nanos t) {
  FlyingBatch b;
  const StepShape shape = shape_of(batch);
  b.cost = cost.step(shape);
  host_free = t + to_nanos(Seconds{cost.host_seconds(shape.sequences)});
  b.begin = std::max(gpu_free, t);
  b.start = std::max(gpu_free, host_free);
  b.end = b.start + to_nanos(Seconds{b.cost.total()}, Nanos{1});
  gpu_free = b.end;
  b.kv_blocks_used = kv.pool().used();
  b.batch = std::move(batch);
  return b;
}

// A call is uniform when every running sequence decoded one token and nothing else happened.
void Replica::State::note_uniform(const Batch& batch) {
  const auto decodes = [](const BatchEntry& e) { return e.tokens == 1 && e.drafts == 0 && e.emits; };
  const bool uniform = !batch.empty() && batch.admitted == 0 && batch.preempted == 0 &&
                       batch.entries.size() == scheduler.running().size() &&
                       batch.tokens == static_cast<std::int32_t>(batch.entries.size()) &&
                       std::all_of(batch.entries.begin(), batch.entries.end(), decodes);
  uniform_calls = uniform ? uniform_calls + 1 : 0;
}

std::string Replica::State::stuck() const {
  if (!livelock.empty()) return livelock;
  if (mode != Mode::idle || !scheduler.has_requests()) return {};
  const KvCache& cache = kv;
  std::string text = std::to_string(scheduler.waiting().size()) + " requests wait for ever";
  std::int64_t largest = 0, id = -1;
  scheduler.waiting().for_each([](const WaitingRequest&) {},
                               [&](const Sequence& s) {
                                 if (s.known <= largest) return;
                                 largest = s.known;
                                 id = s.request.id;
                               });
  if (id >= 0)
    text += ": request " + std::to_string(id) + " needs " +
            std::to_string((largest + cache.config().block_size - 1) / cache.config().block_size) +
            " KV blocks at once, the pool has " + std::to_string(cache.pool().usable()) + " (free " +
            std::to_string(cache.pool().free()) +
            "); more KV memory or a shorter max_model_len would let it run";
  return text;
}

}  // namespace ridgepoint
