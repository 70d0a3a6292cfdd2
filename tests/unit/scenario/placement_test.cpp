// Where replicas stand: packed, a tensor-parallel group in one node, and clear words when they do not fit.
#include <catch2/catch.hpp>

#include "unit/scenario/scenario_text.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {
const std::string kMixed = R"(cluster:
  nodes: [{type: dgx-h100, count: 2}, {type: l40s-8, count: 1, name: small}]
  fabric: ib-ndr-rail
deployments:
- {name: a, model: llama-3.1-8b, replicas: 3, engine: {tensor_parallel_size: 4, max_model_len: 8192}}
- {name: b, model: llama-3.1-8b, replicas: 2, engine: {max_model_len: 8192}}
- {name: c, model: llama-3.1-8b, nodes: small, engine: {max_model_len: 8192}}
workload:
  streams:
  - {name: s, deployment: b, rate: 2 /s, num_requests: 10, input: 100, output: 20}
)";
}  // namespace

TEST_CASE("placement: replicas are packed in the order of the file, groups of GPUs within a node") {
  const Scenario s = load_text(kMixed);
  const auto at = [&](std::size_t d, std::size_t replica) {
    const Placement& p = s.deployments[d].placements.at(replica);
    return std::vector<int>{p.group, p.node, p.first_gpu};
  };
  CHECK(at(0, 0) == std::vector<int>{0, 0, 0});
  CHECK(at(0, 1) == std::vector<int>{0, 0, 4});
  CHECK(at(0, 2) == std::vector<int>{0, 1, 0});
  CHECK(at(1, 0) == std::vector<int>{0, 1, 4});
  CHECK(at(1, 1) == std::vector<int>{0, 1, 5});
  CHECK(at(2, 0) == std::vector<int>{1, 0, 0});
  CHECK(s.workload.streams[0].deployment == 1);
}

TEST_CASE("placement: a deployment stands on one kind of GPU, the first with room for all of it") {
  // 5 x 4 GPUs do not fit on what is left, 6 x 1 fit on the L40S only
  const Scenario s = load_text(kMixed, {"deployments.0.replicas=4", "deployments.1.replicas=6"});
  for (const Placement& p : s.deployments[1].placements) CHECK(p.group == 1);
}

TEST_CASE("placement: too few GPUs says how many are needed and how many there are") {
  CHECK(has(said(kMixed, {"deployments.0.replicas=5"}),
            "deployments.0.replicas: 5 replicas of 4 GPUs need 20; 16 of one kind are free, with room for 4; "
            "use at "
            "most 4 replicas, or more nodes"));
  CHECK(
      has(said(kMixed, {"deployments.2.replicas=9"}), "9 replicas of 1 GPU need 9; 8 of one kind are free"));
  CHECK(has(said(kMixed, {"deployments.0.engine.tensor_parallel_size=16"}),
            "a group of 16 GPUs must stand in one node, and the largest has 8"));
}

TEST_CASE("placement: an unknown node group, a group named twice, a fabric written out") {
  CHECK(has(said(kMixed, {"deployments.2.nodes=smal"}),
            "there is no node group `smal`; did you mean `small`?"));
  CHECK(has(said(kMixed, {"cluster.nodes.1.name=dgx-h100"}), "another node group is called `dgx-h100`"));
  CHECK(said(kMixed, {"cluster.fabric=null"}) == "");  // no replica spans nodes
  CHECK(load_text(kMixed, {"cluster.fabric={link_bandwidth: 400 Gbit/s, latency: 2 us}"})
            .fabric.link_bandwidth.v == 50e9);
}

TEST_CASE("placement: 64 heads at TP 3 is refused with the valid degrees [complaint 3]") {
  CHECK(
      has(said(kSmall, {"deployments.0.model=llama-3.1-70b", "deployments.0.engine.tensor_parallel_size=3"}),
          "deployments.0.engine.tensor_parallel_size: llama-3.1-70b has 64 heads, which do not divide by 3; "
          "valid "
          "degrees: 1, 2, 4, 8, 16, 32, 64"));
}

TEST_CASE("placement: uneven splits of concurrency over replicas are legal [complaint 23]") {
  for (const auto& [users, replicas] : {std::pair{1, 8}, std::pair{256, 3}, std::pair{7, 5}})
    CHECK(said(kSmall,
               {"workload.streams.0.rate=null", "workload.streams.0.concurrency=" + std::to_string(users),
                "deployments.0.replicas=" + std::to_string(replicas)}) == "");
}
