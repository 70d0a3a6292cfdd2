// The timeline: order at an instant, idempotence, front-end delays, feedback, ends of runs.
#include "cluster/timeline.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "unit/cluster/timeline_fakes.hpp"

using namespace ridgepoint;
using namespace ridgepoint::test;

namespace {

struct Listener final : TimelineListener {
  std::vector<RequestRecord> records;
  void on_record(const RequestRecord& r) override {
    records.push_back(r);
    events().push_back(fmt::format("record {}@{}", r.id, r.finish.count()));
  }
  void on_sample(Nanos t, std::span<const ReplicaSample>) override {
    events().push_back(fmt::format("sample@{}", t.count()));
  }
  std::int64_t count(RequestStatus status) const {
    return std::count_if(records.begin(), records.end(),
                         [status](const RequestRecord& r) { return r.status == status; });
  }
};

struct Deployed {
  int replicas = 1;
  std::int64_t delay_ns = 0;
};

struct Run {
  Run(std::vector<Deployed> deployed, std::vector<FakeSource::Row> rows, TimelineOptions options = {},
      const std::string& policy = "round_robin")
      : source(std::move(rows)), timeline(make(deployed, policy), options, source, listener) {
    events().clear();
    std::int32_t index = 0;
    for (const Deployed& d : deployed)
      for (int r = 0; r < d.replicas; ++r) timeline.add_replica(fake_replica(index++, timeline));
  }
  static std::vector<TimelineDeployment> make(const std::vector<Deployed>& deployed,
                                              const std::string& policy) {
    std::vector<TimelineDeployment> result;
    for (const Deployed& d : deployed)
      result.push_back({"d", Nanos{d.delay_ns}, make_router(policy, RandomStream(1)), d.replicas});
    return result;
  }
  void all() {
    timeline.start();
    timeline.settle(Nanos{1'000'000'000});
  }
  FakeSource source;
  Listener listener;
  Timeline timeline;
};

using Events = std::vector<std::string>;

Events only(const std::string& word) {
  Events result;
  for (const std::string& e : events())
    if (e.find(word) != std::string::npos) result.push_back(e);
  return result;
}

}  // namespace

TEST_CASE("timeline: at an instant ends come first, then arrivals, then schedulers act, then samples") {
  TimelineOptions options;
  options.sample_period = Nanos{20};
  // Both end at 20; a third arrives then and goes to replica 0 (round robin).
  Run run({{2}}, {{0, 1, 20}, {0, 1, 20}, {20, 1, 5}}, options);
  run.all();
  const Events expected{"r0 advance@0",   "r0 submit 0@0", "r1 advance@0", "r1 submit 1@0", "r0 close@0",
                        "r1 close@0",     "r0 advance@20", "record 0@20",  "r1 advance@20", "record 1@20",
                        "r0 submit 2@20", "r0 close@20",   "r1 close@20",  "r0 advance@20", "r1 advance@20",
                        "sample@20",      "r0 advance@25", "record 2@25",  "r0 close@25"};
  CHECK(events() == expected);
  CHECK(run.timeline.done());
  CHECK(run.timeline.end() == Nanos{25});
}

TEST_CASE("timeline: schedulers act in the order of the replicas, whoever was touched first") {
  // At 20 replica 1 has an end, then an arrival goes to replica 0 (round robin over three requests).
  Run run({{2}}, {{0, 1, 5}, {0, 1, 20}, {20, 1, 5}});
  run.all();
  const Events expected{"r1 advance@20",  "record 1@20", "r0 advance@20",
                        "r0 submit 2@20", "r0 close@20", "r1 close@20"};
  CHECK(only("@20") == expected);
}

TEST_CASE("timeline: a router sees which replica has become free") {
  Run run({{3}}, {{0, 1, 90}, {1, 1, 5}, {2, 1, 90}, {10, 1, 5}, {11, 1, 90}, {20, 1, 5}}, {},
          "least_outstanding");
  run.all();
  // 1 ended before 3 came, so 3 goes to its replica; 4 finds all three busy and takes the first; 5 again
  // finds 1 free.
  CHECK(only("submit") == Events{"r0 submit 0@0", "r1 submit 1@1", "r2 submit 2@2", "r1 submit 3@10",
                                 "r0 submit 4@11", "r1 submit 5@20"});
}

TEST_CASE("timeline: however settle is called, the same things happen in the same order") {
  const std::vector<FakeSource::Row> rows{{0, 1, 7}, {3, 1, 4}, {3, 1, 9}, {7, 2000}, {8, 1, 1}, {40, 1, 1}};
  TimelineOptions options;
  options.sample_period = Nanos{5};
  Run jump({{3, 2}}, rows, options);
  jump.all();
  const Events whole = events();

  Run small({{3, 2}}, rows, options);
  small.timeline.start();
  for (std::int64_t t = 0; t <= 60; ++t) {
    small.timeline.settle(Nanos{t});
    const std::size_t before = events().size();
    small.timeline.settle(Nanos{t});
    small.timeline.settle(Nanos{t / 2});
    REQUIRE(events().size() == before);  // settled means settled
  }
  CHECK(events() == whole);
  CHECK(small.timeline.end() == jump.timeline.end());
}

TEST_CASE("timeline: the front end delays every request alike and keeps the client's arrival") {
  Run run({{1, 100}, {1, 30}}, {{0, 1, 5, 0}, {50, 1, 5, 1}, {70, 1, 5, 1}, {200, 1, 5, 0}});
  run.timeline.start();
  // Nobody looks at a request before the shortest of the delays is over.
  CHECK(run.timeline.frontend_due() == Nanos{30});
  run.timeline.settle(Nanos{1000});
  // 0 reaches its router at 100, as does 2 (70 + 30): the older id goes first.
  CHECK(only("submit") == Events{"r1 submit 1@80", "r0 submit 0@100", "r1 submit 2@100", "r0 submit 3@300"});
  REQUIRE(run.listener.records.size() == 4);
  CHECK(run.listener.records[1].arrival == Nanos{0});
}

TEST_CASE("timeline: a request refused at once brings the next one before schedulers act") {
  Run run({{1}}, {{10, 2000}});
  run.source.follow_ups = 3;
  run.all();
  CHECK(events() == Events{"r0 advance@10", "r0 submit 0@10", "record 0@10", "r0 submit 1@10", "record 1@10",
                           "r0 submit 2@10", "record 2@10", "r0 submit 3@10", "record 3@10", "r0 close@10"});
  CHECK(run.timeline.refused() == 4);
  CHECK(run.timeline.completed() == 0);
}

TEST_CASE("timeline: a closed loop that is refused forever ends with a reason") {
  TimelineOptions options;
  options.most_arrivals_at_once = 100;
  Run run({{1}}, {{10, 2000}}, options);
  run.source.follow_ups = 1'000'000;
  CHECK_THROWS_WITH(run.all(), Catch::Contains("time does not advance"));
}

TEST_CASE(
    "timeline: a run of set length records what is under way as unfinished and nothing that is to come") {
  TimelineOptions options;
  options.until = Nanos{100};
  options.sample_period = Nanos{30};
  Run run({{1, 10}}, {{0, 1, 5}, {60, 1, 500}, {95, 1, 5}, {101, 1, 5}}, options);
  run.all();
  CHECK(run.timeline.done());
  CHECK(run.timeline.end() == Nanos{100});
  CHECK(run.timeline.arrived() == 3);
  CHECK(run.listener.count(RequestStatus::completed) == 1);
  REQUIRE(run.listener.records.size() == 3);
  CHECK(run.listener.records[1].replica == 0);
  CHECK(run.listener.records[2].replica == -1);  // in the front end
  CHECK(run.listener.records[2].other == Nanos{5});
  CHECK(only("sample") == Events{"sample@30", "sample@60", "sample@90"});
}

TEST_CASE("timeline: a run of set length goes on when there is nothing to do") {
  TimelineOptions options;
  options.until = Nanos{100};
  options.sample_period = Nanos{50};
  Run run({{1}}, {{0, 1, 5}}, options);
  run.timeline.start();
  run.timeline.settle(Nanos{99});
  CHECK_FALSE(run.timeline.done());
  CHECK(run.timeline.control_due() == Nanos{100});
  run.timeline.settle(Nanos{100});
  CHECK(run.timeline.done());
  CHECK(run.timeline.end() == Nanos{100});
  CHECK(only("sample") == Events{"sample@50", "sample@100"});
}

TEST_CASE("timeline: a run that cannot go on says what waits for what") {
  Run run({{2}}, {{0, 1, 5}, {1, kLongest, 5}});
  CHECK_THROWS_WITH(run.all(), Catch::Contains("1 of 2 requests wait") && Catch::Contains("replica 1 (d)") &&
                                   Catch::Contains("it needs more than there is"));
}

TEST_CASE("timeline: an engine that computes forever without a token is called a livelock") {
  TimelineOptions options;
  options.most_fruitless_instants = 1000;
  Run run({{1}}, {{0, kLongest / 2, 5}}, options);
  CHECK_THROWS_WITH(run.all(), Catch::Contains("livelock"));
}

TEST_CASE("timeline: nothing to do is a run of no length") {
  Run run({{2}}, {});
  run.timeline.start();
  CHECK(run.timeline.done());
  CHECK(run.timeline.end() == Nanos{0});
}

TEST_CASE("timeline: any uneven split of a closed loop over replicas is legal") {
  for (const auto& [users, replicas] : {std::pair{1, 8}, {256, 3}, {5, 4}}) {
    Run run({{replicas}}, std::vector<FakeSource::Row>(static_cast<std::size_t>(users), {0, 1, 10}), {},
            "least_outstanding");
    run.source.follow_ups = 500;
    run.all();
    CHECK(run.timeline.completed() == users + 500);
    CHECK(run.timeline.unfinished() == 0);
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < run.timeline.replicas(); ++r) sum += run.timeline.completed_by(r);
    CHECK(sum == users + 500);
  }
}

TEST_CASE("timeline: it tells which due times changed, each once") {
  Run run({{3}}, {{0, 1, 7}, {0, 1, 9}, {5, 1, 100}});
  run.timeline.start();
  run.timeline.settle(Nanos{7});
  std::vector<std::size_t> changed;
  run.timeline.take_changed(changed);
  CHECK(changed == std::vector<std::size_t>{0, 1, 2});
  CHECK(run.timeline.replica_due(1) == Nanos{9});
  CHECK(run.timeline.replica_due(2) == Nanos{105});
  run.timeline.take_changed(changed);
  CHECK(changed.empty());
}
