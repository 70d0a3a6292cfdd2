// Rate profiles: the integrated rate of each, inverted exactly.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/errors.hpp"
#include "workload/arrival.hpp"

namespace ridgepoint {
namespace {

[[noreturn]] void refuse(const std::string& key, std::string what, std::string remedy) {
  throw ConfigError({Problem{"", 0, 0, key, std::move(what), std::move(remedy)}});
}

/// `seconds` after `start`, or never when that is beyond what 64 bits of nanoseconds hold.
Nanos after(Nanos start, double seconds) {
  const double limit = static_cast<double>((kNever - start).count()) * 1e-9;
  if (!(seconds < limit * 0.999)) return kNever;
  return start + to_nanos(Seconds{seconds});
}

class Flat final : public RateMap {
 public:
  Flat(Nanos start, double rate) : start_(start), rate_(rate) {}
  Nanos at(double u) const override { return after(start_, u / rate_); }

 private:
  Nanos start_;
  double rate_;
};

/// Piecewise constant: the integral is piecewise linear.
class Steps final : public RateMap {
 public:
  Steps(Nanos start, const std::vector<RateProfile::Step>& steps) : start_(start) {
    double integral = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      pieces_.push_back({to_seconds(steps[i].start).v, steps[i].rate, integral});
      if (i + 1 < steps.size()) integral += steps[i].rate * to_seconds(steps[i + 1].start - steps[i].start).v;
    }
  }
  Nanos at(double u) const override {
    // Pieces of rate 0 end at the integral at which they begin, so the last piece that begins at or before u
    // is the one in which u happens, unless the rate has fallen to 0 for good.
    const auto it = std::prev(std::upper_bound(
        pieces_.begin(), pieces_.end(), u, [](double value, const Piece& p) { return value < p.integral; }));
    if (it->rate <= 0) return kNever;
    const double seconds = it->start + (u - it->integral) / it->rate;
    return after(start_, seconds);
  }

 private:
  struct Piece {
    double start, rate, integral;  ///< s from the stream's start, 1/s, requests up to its start
  };
  Nanos start_;
  std::vector<Piece> pieces_;
};

/// rate(t) = r (1 + a cos(2 pi (t - peak)/P)); integral r (t + a P/(2 pi) sin(2 pi (t - peak)/P)) + const.
class Diurnal final : public RateMap {
 public:
  Diurnal(Nanos start, double rate, const RateProfile& p)
      : rate_(rate),
        period_(to_seconds(p.period).v),
        peak_(to_seconds(p.peak).v),
        amplitude_((p.peak_to_trough_ratio - 1) / (p.peak_to_trough_ratio + 1)),
        offset_(to_seconds(start).v + swing(to_seconds(start).v)) {}
  Nanos at(double u) const override {
    // Solve t + swing(t) = u/rate + offset. The left side rises by P in every period, and swing is at most
    // a P/(2 pi): a bracket for a bisection-safeguarded Newton iteration.
    const double target = u / rate_ + offset_;
    const double bound = amplitude_ * period_ / (2 * std::numbers::pi);
    double low = target - bound, high = target + bound, t = target;
    for (int i = 0; i < 100; ++i) {
      const double excess = t + swing(t) - target;
      (excess > 0 ? high : low) = t;
      double next = t - excess / (1 + amplitude_ * std::cos(angle(t)));
      if (!(next >= low && next <= high)) next = (low + high) / 2;
      const double moved = std::abs(next - t);
      t = next;
      if (moved < 1e-12 + 4e-16 * std::abs(t)) break;
    }
    return after(Nanos{0}, t);
  }

 private:
  double angle(double t) const { return 2 * std::numbers::pi * (t - peak_) / period_; }
  double swing(double t) const { return amplitude_ * period_ / (2 * std::numbers::pi) * std::sin(angle(t)); }
  double rate_, period_, peak_, amplitude_, offset_;
};

double checked_rate(const Stream& s, const std::string& key) {
  if (!s.rate || !(*s.rate > 0) || !std::isfinite(*s.rate))
    refuse(key + ".rate", "an open-loop stream needs a rate above 0", "give e.g. rate: 2 /s");
  return *s.rate;
}

std::unique_ptr<RateMap> make_flat(const Stream& s, const std::string& key) {
  return std::make_unique<Flat>(s.start, checked_rate(s, key));
}

std::unique_ptr<RateMap> make_steps(const Stream& s, const std::string& key) {
  const auto& steps = s.rate_profile.steps;
  const std::string here = key + ".rate_profile.steps";
  if (steps.empty() || steps.front().start != Nanos{0})
    refuse(here, "no step at 0", "let the first start at 0 s");
  bool any = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!(steps[i].rate >= 0) || !std::isfinite(steps[i].rate))
      refuse(here, "a rate is negative", "give rates of 0 or more");
    if (i > 0 && steps[i].start <= steps[i - 1].start)
      refuse(here, "starts do not rise", "sort the steps by start, no two alike");
    any = any || steps[i].rate > 0;
  }
  if (!any) refuse(here, "all rates are 0", "give at least one rate above 0");
  return std::make_unique<Steps>(s.start, steps);
}

std::unique_ptr<RateMap> make_diurnal(const Stream& s, const std::string& key) {
  const RateProfile& p = s.rate_profile;
  if (p.period <= Nanos{0}) refuse(key + ".rate_profile.period", "not above 0", "give e.g. period: 24 h");
  if (!(p.peak_to_trough_ratio >= 1) || !std::isfinite(p.peak_to_trough_ratio))
    refuse(key + ".rate_profile.peak_to_trough_ratio", "below 1", "give peak rate divided by lowest rate");
  return std::make_unique<Diurnal>(s.start, checked_rate(s, key), p);
}

struct ProfileRow {
  RateProfile::Type type;
  std::unique_ptr<RateMap> (*make)(const Stream&, const std::string& key);
};
constexpr std::array kProfiles{
    ProfileRow{RateProfile::Type::flat, make_flat},
    ProfileRow{RateProfile::Type::steps, make_steps},
    ProfileRow{RateProfile::Type::diurnal, make_diurnal},
};

}  // namespace

std::unique_ptr<RateMap> make_rate_map(const Stream& stream, const std::string& key) {
  const auto row = std::find_if(kProfiles.begin(), kProfiles.end(),
                                [&](const ProfileRow& r) { return r.type == stream.rate_profile.type; });
  return row->make(stream, key);
}

}  // namespace ridgepoint
