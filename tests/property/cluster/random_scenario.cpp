#include "property/cluster/random_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.hpp"
#include "spec/policies.hpp"
#include "support/fixtures.hpp"

namespace ridgepoint::test {
namespace {

using namespace std::chrono_literals;

class Maker {
  template <class Range>
  auto pick_of(const Range& values) {
    return *(std::begin(values) + static_cast<std::ptrdiff_t>(random_.below(std::size(values))));
  }

 public:
  explicit Maker(std::uint64_t seed) : random_(RandomRoot(seed).stream("random scenario")) {}

  Scenario make(std::uint64_t seed) {
    Scenario s;
    crowded_ = one_in(3);
    s.name = fmt::format("random-{}", seed);
    s.seed = seed;
    s.nodes.push_back({"nodes", node_of(h100()), h100(), h100_calibration(), 1});
    s.router_policy = std::string(pick_of(kRouterPolicies).name);
    const int deployments = one_in(4) ? 2 : 1;
    for (int d = 0, gpu = 0; d < deployments; ++d) s.deployments.push_back(deployment(d, gpu));
    classes(s.workload);
    const auto streams = between(1, 3);
    for (std::int64_t i = 0; i < streams; ++i) s.workload.streams.push_back(stream(s, static_cast<int>(i)));
    if (one_in(4)) s.run.until = Nanos{between(200, 3000) * 1'000'000};
    s.run.sample_period = Nanos{between(20, 400) * 1'000'000};
    s.run.record.steps = one_in(3);
    s.resolved_yaml = "name: " + s.name + "\n";
    return s;
  }

 private:
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  Distribution length(double least, double most) {
    Distribution d;
    d.type = Distribution::Type::uniform;
    d.min = least;
    d.max = most;
    return d;
  }

  Deployment deployment(int index, int& gpu) {
    Deployment d;
    d.name = fmt::format("d{}", index);
    d.model = llama_3_1_8b();
    d.replicas = static_cast<int>(between(1, 3));
    for (int r = 0; r < d.replicas; ++r) d.placements.push_back({0, 0, gpu++});
    Engine& e = d.engine = bf16_engine();
    e.version = pick_of(std::initializer_list<EngineVersion>{EngineVersion::v0_12, EngineVersion::v0_14,
                                                             EngineVersion::v0_18, EngineVersion::v0_19});
    e.async_scheduling = one_in(2);
    e.scheduler_reserve_full_isl = e.version >= EngineVersion::v0_19;
    e.max_model_len = 384;
    e.block_size = pick_of(std::initializer_list<int>{4, 16, 32});
    e.max_num_seqs = pick_of(std::initializer_list<int>{1, 4, 16, 64});
    e.max_num_batched_tokens = pick_of(std::initializer_list<int>{64, 256, 2048});
    e.enable_chunked_prefill = e.max_num_batched_tokens < e.max_model_len || !one_in(4);
    e.enable_prefix_caching = !one_in(3);
    e.long_prefill_token_threshold = one_in(5) ? 32 : 0;
    e.scheduling_policy = one_in(4)   ? std::string(pick_of(kSchedulingPolicies).name)
                          : one_in(3) ? "priority"
                                      : "fcfs";
    e.enforce_eager = one_in(5);
    // Room for one to three of the longest requests: with several running, some are preempted.
    if (!one_in(3)) e.num_gpu_blocks_override = 1 + (e.max_model_len / e.block_size) * between(10, 30) / 10;
    if (crowded_) {
      e.max_num_seqs = 16;
      e.num_gpu_blocks_override = 1 + e.max_model_len / e.block_size;
    }
    return d;
  }

  void classes(Workload& w) {
    for (int i = 0; i < 3; ++i) w.slo_classes.push_back({fmt::format("c{}", i), 500ms, 50ms, {}, i});
    PrefixGroup group;
    group.name = "system";
    group.count = 2;
    group.length = length(20, 120);
    group.popularity.type = Distribution::Type::uniform;
    w.prefix_groups.push_back(group);
  }

  Stream stream(const Scenario& s, int index) {
    Stream stream;
    stream.name = stream.tenant = fmt::format("s{}", index);
    stream.deployment = static_cast<int>(random_.below(s.deployments.size()));
    if (one_in(2)) stream.slo_class = static_cast<int>(between(0, 2));
    stream.num_requests = between(5, 30);
    stream.input = length(1, one_in(3) ? 60 : 200);
    stream.output = length(1, one_in(3) ? 12 : 120);
    stream.output_stop = one_in(3) ? OutputStop::eos : OutputStop::max_tokens;
    if (one_in(3)) stream.prefix_group = 0;
    arrivals(stream);
    if (crowded_) {
      stream.input = length(1, 30);
      stream.output = length(60, 120);
      if (stream.rate) stream.rate = 1000;
    }
    if (one_in(5)) {
      stream.session = Session{length(1, 4), length(0, 0.5), Session::Growth::accumulate};
      stream.input = length(1, 30);
      stream.output = length(1, 30);
      stream.prefix_group.reset();
    }
    return stream;
  }

  void arrivals(Stream& stream) {
    switch (between(0, 3)) {
      case 0:
        stream.concurrency = static_cast<int>(between(1, 6));
        return;
      case 1:  // many at one instant
        stream.arrival.process = Arrival::Process::burst;
        stream.arrival.burst_size = static_cast<int>(between(2, 8));
        break;
      case 2:
        stream.arrival.process = Arrival::Process::constant;
        break;
      default:
        break;
    }
    stream.rate = static_cast<double>(pick_of(std::initializer_list<int>{2, 10, 50, 1000}));
  }

  RandomStream random_;
  bool crowded_ = false;  ///< short prompts that grow long, all at once, in a pool for few of them
};

}  // namespace

Scenario random_scenario(std::uint64_t seed) { return Maker(seed).make(seed); }

}  // namespace ridgepoint::test
