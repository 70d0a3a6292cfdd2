// The time ledger's parts are whole nanoseconds and add up exactly.
#include "record/ledger.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "base/errors.hpp"
#include "base/random.hpp"

using namespace ridgepoint;

TEST_CASE("time ledger: shares of the busy time, the rest idle") {
  ReplicaTotals t;
  t.busy = Nanos{1000};
  t.compute = 1;
  t.memory = 2;
  t.interconnect = 0.5;
  t.overhead = 0.5;
  const TimeLedger l = split_time(t, Nanos{1500});
  CHECK(l.compute == Nanos{250});
  CHECK(l.memory == Nanos{500});
  CHECK(l.interconnect == Nanos{125});
  CHECK(l.overhead == Nanos{125});
  CHECK(l.idle == Nanos{500});
}

TEST_CASE("time ledger: parts add up exactly and are within 1 ns of their share, over random splits") {
  RandomStream random = RandomRoot(3).stream("ledger");
  for (int i = 0; i < 20'000; ++i) {
    ReplicaTotals t;
    const auto wall = static_cast<std::int64_t>(std::exp(random.uniform() * 40));
    t.busy = Nanos{static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(wall) + 1))};
    const double scale = to_seconds(t.busy).v;
    double* parts[] = {&t.compute, &t.memory, &t.interconnect, &t.overhead};
    for (double* p : parts) *p = random.below(4) == 0 ? 0 : random.exponential() * scale;
    const TimeLedger l = split_time(t, Nanos{wall});
    REQUIRE(l.total() == Nanos{wall});
    REQUIRE(l.busy() == t.busy);
    const long double sum = static_cast<long double>(t.compute) + t.memory + t.interconnect + t.overhead;
    const Nanos got[] = {l.compute, l.memory, l.interconnect, l.overhead};
    for (int k = 0; k < 4; ++k) {
      REQUIRE(got[k] >= Nanos{0});
      if (sum <= 0) continue;
      const long double share =
          static_cast<long double>(t.busy.count()) * (static_cast<long double>(*parts[k]) / sum);
      REQUIRE(std::fabs(static_cast<long double>(got[k].count()) - share) <= 1.0L + share * 1e-15L);
    }
  }
}

TEST_CASE("time ledger: a replica busier than the run is long is an error") {
  ReplicaTotals t;
  t.busy = Nanos{11};
  t.compute = 1;
  CHECK_THROWS_AS(split_time(t, Nanos{10}), SimulationError);
  t.busy = Nanos{5};
  t.memory = std::nan("");
  CHECK_THROWS_AS(split_time(t, Nanos{10}), SimulationError);
}
