// Fast-forward: while the same sequences decode and nothing can join or leave, steps are planned ahead with
// O(1) work each. The result is that of stepping, to the byte.
#include <algorithm>
#include <numeric>

#include "serving/replica_state.hpp"

namespace ridgepoint {
namespace {
constexpr std::int32_t kMostSteps = 512;  ///< planned at a time; the next plan follows on without a seam
}

// Calls that keep the composition, as far as lengths decide it. Output events before the last call end
// nobody.
std::int32_t Replica::State::steady_limit() const {
  const bool async = config.engine.async_scheduling;
  const bool stops = scheduler.engine_rules().async_stops_at_limit;
  std::int32_t limit = config.max_stride > 0
                           ? static_cast<std::int32_t>(std::min<std::int64_t>(config.max_stride, kMostSteps))
                           : kMostSteps;
  for (const SequenceId id : scheduler.running()) {
    const Sequence& s = scheduler.sequences()[id];
    const std::int32_t to_limit = s.request.max_tokens - s.outputs();
    const std::int32_t to_end = s.request.output_tokens - s.outputs();
    const std::int32_t to_length = config.engine.max_model_len - s.known;
    limit = std::min({limit, to_end, to_limit - (async && stops ? 1 : 0), to_length - (async ? 1 : 0)});
  }
  return limit;
}

// Which call first needs a block, for each sequence; false when the tables are not as plain decoding leaves
// them.
bool Replica::State::count_needs() {
  const std::int32_t block = config.engine.block_size;
  steady.need.assign(static_cast<std::size_t>(block), 0);
  steady.first_need.clear();
  for (const SequenceId id : scheduler.running()) {
    const Sequence& s = scheduler.sequences()[id];
    const std::int32_t first = static_cast<std::int32_t>(s.tables.front().size()) * block - s.computed;
    if (first < 0 || first >= block) return false;
    steady.first_need.push_back(first);
    ++steady.need[static_cast<std::size_t>(first)];
  }
  return true;
}

bool Replica::State::plan_steady(Nanos t) {
  if (config.max_stride == 1 || uniform_calls < depth ||
      static_cast<std::int32_t>(in_flight.size()) != depth - 1 || config.engine.num_speculative_tokens > 0 ||
      kv.windowed() || depth > (config.engine.async_scheduling ? 2 : 1))
    return false;
  const std::int32_t limit = steady_limit();
  if (limit < 2 || !count_needs()) return false;

  const auto n = static_cast<std::int32_t>(scheduler.running().size());
  std::int64_t context = 0;
  std::int32_t longest = 0;
  for (const SequenceId id : scheduler.running()) {
    const std::int32_t attended = scheduler.sequences()[id].computed + 1;
    context += attended;
    longest = std::max(longest, attended);
  }
  const CudaGraphs::Launch graph = graphs.pick(n, n, 1);
  const DecodeCurve& curve = cost.decode_curve(n, graph.padded_tokens, graph.mode);
  steady.host = to_nanos(Seconds{cost.host_seconds(n)});
  steady.steps.clear();
  std::int64_t blocks = kv.pool().free();
  Nanos call_time = t, free = gpu_free, previous_end = depth == 2 ? in_flight.front().end : Nanos{0};
  for (std::int32_t i = 0; i < limit; ++i, context += n, ++longest) {
    blocks -= steady.need[static_cast<std::size_t>(i % config.engine.block_size)];
    if (blocks < 0) break;
    SteadyPlan::Step step;
    step.call = call_time;
    step.cost = curve.at(context, longest);
    step.begin = std::max(free, call_time);
    step.start = std::max(free, call_time + steady.host);
    step.end = free = step.start + to_nanos(Seconds{step.cost.total()}, Nanos{1});
    step.output = depth == 1 ? step.end : std::max(previous_end, call_time + steady.host);
    previous_end = step.end;
    call_time = step.output;
    steady.steps.push_back(step);
  }
  if (steady.steps.size() < 2) return false;
  steady.calls = steady.outputs = 0;
  steady.blocks_taken = 0;
  steady.active = true;
  return true;
}

void Replica::State::run_steady(Nanos now, bool inclusive) {
  const auto k = static_cast<std::int32_t>(steady.steps.size());
  while (true) {
    if (steady.calls == steady.outputs) {
      const Nanos at = steady.steps[static_cast<std::size_t>(steady.calls)].call;
      if (at > now || (at == now && !inclusive)) return;
      steady.blocks_taken += steady.need[static_cast<std::size_t>(steady.calls % config.engine.block_size)];
      if (++steady.calls == k) return leave_steady(false);
    } else {
      if (steady.steps[static_cast<std::size_t>(steady.outputs)].output > now) return;
      book_steady_output(steady.outputs++);
    }
  }
}

// As book() and process_entry() do for a uniform batch.
void Replica::State::book_steady_output(std::int32_t j) {
  const Nanos t = steady.steps[static_cast<std::size_t>(j)].output;
  const auto n = static_cast<std::int64_t>(scheduler.running().size());
  if (j < depth - 1) {
    book(in_flight.front());
  } else {
    const SteadyPlan::Step& s = steady.steps[static_cast<std::size_t>(j - depth + 1)];
    add_step(s.begin, s.start, s.end, s.cost, n);
    if (config.record_steps) {
      std::int64_t used = kv.pool().used();
      for (std::int32_t i = 0; i <= j - depth + 1; ++i)
        used += steady.need[static_cast<std::size_t>(i % config.engine.block_size)];
      const auto m = static_cast<std::int32_t>(n);
      sink.on_step({config.index, s.begin, s.end, m, m, 0, 0, used, s.cost});
    }
  }
  totals.output_tokens += n;
  totals.itl.add((t - last_output).count(), n);
  last_output = t;
}

// Blocks in the order in which stepping takes them: call by call, running order within a call.
void Replica::State::take_steady_blocks() {
  const std::int32_t block = config.engine.block_size;
  const auto& running = scheduler.running();
  std::vector<std::uint32_t> order(running.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t i) { return steady.first_need[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  for (std::int32_t base = 0; base < steady.calls; base += block)
    for (const std::uint32_t i : order) {
      if (base + key(i) >= steady.calls) break;
      kv.append_block(scheduler.sequences()[running[i]]);
    }
}

// Back to single steps: brings every sequence and the batches in flight to where the events passed have led.
void Replica::State::leave_steady(bool cut) {
  steady.active = false;
  ++totals.strides;
  totals.strided_steps += steady.calls;
  totals.longest_stride = std::max<std::int64_t>(totals.longest_stride, steady.calls);
  totals.cut_strides += cut ? 1 : 0;
  if (steady.calls == 0) return;
  const bool async = config.engine.async_scheduling;
  const std::int32_t pending = steady.calls - steady.outputs;  // 0 or 1
  const auto n = static_cast<std::int32_t>(scheduler.running().size());
  take_steady_blocks();
  for (const SequenceId id : scheduler.running()) {
    Sequence& s = scheduler.sequences()[id];
    s.computed += steady.calls;
    s.known += steady.outputs;
    s.in_flight += pending;
    if (async) s.placeholders += pending;
    if (steady.outputs > 0) s.last_token = last_output;
    kv.register_tokens(s, pending > 0 ? std::min(s.known, s.computed) : s.known - 1);
  }
  for (std::int32_t j = 0; j < std::min(steady.outputs, depth - 1); ++j) in_flight.pop_front();
  std::int64_t used = kv.pool().used();
  const std::int32_t oldest = std::max(0, steady.outputs - (depth - 1));
  for (std::int32_t i = oldest; i < steady.calls; ++i) {
    const SteadyPlan::Step& step = steady.steps[static_cast<std::size_t>(i)];
    FlyingBatch b{{}, step.begin, step.start, step.end, step.cost, used};
    for (std::int32_t later = i + 1; later < steady.calls; ++later)
      b.kv_blocks_used -= steady.need[static_cast<std::size_t>(later % config.engine.block_size)];
    b.batch.tokens = n;
    for (const SequenceId id : scheduler.running())
      b.batch.entries.push_back({id, 1, 0, scheduler.sequences()[id].computed - (steady.calls - i), true});
    in_flight.push_back(std::move(b));
  }
  const SteadyPlan::Step& last = steady.steps[static_cast<std::size_t>(steady.calls - 1)];
  gpu_free = last.end;
  host_free = last.call + steady.host;
  mode = pending > 0 ? Mode::output : Mode::call;
  due = last.output;
  uniform_calls += steady.calls;
}

}  // namespace ridgepoint
