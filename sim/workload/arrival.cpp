#include "workload/arrival.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.hpp"

namespace ridgepoint {
namespace {

using Process = Arrival::Process;

/// Bursts of `size` at equal spacing, the first at 0; size 1 is the constant process. Counted, not summed up,
/// so that spacing never drifts.
class Regular final : public UnitProcess {
 public:
  explicit Regular(int size) : size_(size) {}
  double next(RandomStream&) override {
    const std::int64_t burst = count_++ / size_;
    return static_cast<double>(burst) * static_cast<double>(size_);
  }

 private:
  std::int64_t size_, count_ = 0;
};

/// Independent gaps of mean 1; the first arrival comes one gap after the start.
class Renewal final : public UnitProcess {
 public:
  using Gap = double (*)(RandomStream&, double shape);
  Renewal(Gap gap, double shape, double scale) : gap_(gap), shape_(shape), scale_(scale) {}
  double next(RandomStream& random) override { return now_ += scale_ * gap_(random, shape_); }

 private:
  Gap gap_;
  double shape_, scale_, now_ = 0;
};

double exponential_gap(RandomStream& r, double) { return r.exponential(); }
double gamma_gap(RandomStream& r, double shape) { return r.gamma(shape); }
double weibull_gap(RandomStream& r, double shape) { return r.weibull(shape); }

double checked_cv(const Arrival& a, const std::string& key) {
  if (!(a.cv >= 0.01 && a.cv <= 100))
    throw ConfigError({Problem{"", 0, 0, key + ".cv", "outside 0.01 to 100",
                               "give a coefficient of variation in that range, or process: constant"}});
  return a.cv;
}

std::unique_ptr<UnitProcess> make_constant(const Arrival&, const std::string&) {
  return std::make_unique<Regular>(1);
}
std::unique_ptr<UnitProcess> make_burst(const Arrival& a, const std::string& key) {
  if (a.burst_size < 1)
    throw ConfigError(
        {Problem{"", 0, 0, key + ".burst_size", "below 1", "give a whole number of 1 or more"}});
  return std::make_unique<Regular>(a.burst_size);
}
std::unique_ptr<UnitProcess> make_poisson(const Arrival&, const std::string&) {
  return std::make_unique<Renewal>(exponential_gap, 1, 1);
}
// Gamma: cv = 1/sqrt(shape), mean = shape * scale.
std::unique_ptr<UnitProcess> make_gamma(const Arrival& a, const std::string& key) {
  const double cv = checked_cv(a, key);
  return std::make_unique<Renewal>(gamma_gap, 1 / (cv * cv), cv * cv);
}
std::unique_ptr<UnitProcess> make_weibull(const Arrival& a, const std::string& key) {
  const double shape = weibull_shape(checked_cv(a, key));
  return std::make_unique<Renewal>(weibull_gap, shape, 1 / std::tgamma(1 + 1 / shape));
}

struct ProcessRow {
  Process process;
  std::unique_ptr<UnitProcess> (*make)(const Arrival&, const std::string& key);
};
constexpr std::array kProcesses{
    ProcessRow{Process::constant, make_constant}, ProcessRow{Process::poisson, make_poisson},
    ProcessRow{Process::gamma, make_gamma},       ProcessRow{Process::weibull, make_weibull},
    ProcessRow{Process::burst, make_burst},
};

}  // namespace

std::unique_ptr<UnitProcess> make_unit_process(const Arrival& arrival, const std::string& key) {
  const auto row = std::find_if(kProcesses.begin(), kProcesses.end(),
                                [&](const ProcessRow& r) { return r.process == arrival.process; });
  return row->make(arrival, key);
}

// cv^2 = G(1 + 2/k)/G(1 + 1/k)^2 - 1 falls with k: bisection on ln k. log-gamma keeps small k finite.
double weibull_shape(double cv) {
  const double target = std::log1p(cv * cv);
  double low = std::log(0.05), high = std::log(1000.0);
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2, k = std::exp(middle);
    const double value = std::lgamma(1 + 2 / k) - 2 * std::lgamma(1 + 1 / k);
    (value > target ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

}  // namespace ridgepoint
