// Keys of `workload`: streams, their lengths and arrivals, prefix groups, SLO classes.
#include "scenario/codecs.hpp"
#include "scenario/document.hpp"
#include "workload/trace_format.hpp"

namespace ridgepoint {
namespace {

const Table<Arrival>& arrival_table() {
  static const Table<Arrival> table = [] {
    using P = Arrival::Process;
    Table<Arrival> t("an arrival process");
    t.add("process", &Arrival::process,
          choice<P>({{"poisson", P::poisson},
                     {"constant", P::constant},
                     {"gamma", P::gamma},
                     {"weibull", P::weibull},
                     {"burst", P::burst}}),
          "How the gaps between requests are distributed");
    t.add("cv", &Arrival::cv, number({0.01, 100}), "Coefficient of variation of the gaps; 1 = as Poisson");
    t.add("burst_size", &Arrival::burst_size, whole(1, 1'000'000), "Requests at one instant");
    t.variants("process", {{"poisson", "Exponential gaps", {}, {}},
                           {"constant", "Equal gaps", {}, {}},
                           {"gamma", "Gamma-distributed gaps", {"cv"}, {}},
                           {"weibull", "Weibull-distributed gaps", {"cv"}, {}},
                           {"burst", "Bursts at equal spacing", {"burst_size"}, {}}});
    return t;
  }();
  return table;
}

void check_steps(const std::vector<RateProfile::Step>& steps, const YamlNode& n, Reader& r) {
  bool any = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string at = "steps." + std::to_string(i) + ".start";
    any = any || steps[i].rate > 0;
    if (i == 0 && steps[i].start != Nanos{0})
      r.problem(place_of(n, at), "the first step starts later", "let it start at 0 s", at);
    if (i > 0 && steps[i].start <= steps[i - 1].start)
      r.problem(place_of(n, at), "not after the step before it", "sort the steps by start", at);
  }
  if (!any) r.problem(place_of(n, "steps"), "all rates are 0", "give at least one rate above 0", "steps");
}

void check_profile(const RateProfile& p, const YamlNode& n, Reader& r) {
  if (p.type == RateProfile::Type::steps) check_steps(p.steps, n, r);
  if (p.type != RateProfile::Type::diurnal) return;
  const YamlEntry* hour = n.entry("peak_hour");
  if (hour != nullptr && n.entry("peak") != nullptr)
    r.problem(hour->place, "peak is given too", "keep one of them", "peak_hour");
  else if (p.peak >= p.period)
    r.problem(place_of(n, hour != nullptr ? "peak_hour" : "peak"), "the peak lies outside the period",
              "give a time before " + format_duration(p.period), hour != nullptr ? "peak_hour" : "peak");
}

const Table<RateProfile>& profile_table() {
  static const Table<RateProfile> table = [] {
    using P = RateProfile;
    Table<P::Step> step("a step of a rate profile");
    step.add("start", &P::Step::start, duration(), "Counted from the stream's start").required();
    step.add("rate", &P::Step::rate, amount(Dimension::rate, {0, kHighestRate}), "Rate from then on")
        .required();
    Table<P> t("a rate profile");
    t.add(
         "type", &P::type,
         choice<P::Type>({{"flat", P::Type::flat}, {"steps", P::Type::steps}, {"diurnal", P::Type::diurnal}}),
         "How the rate changes over time")
        .required();
    t.add("steps", &P::steps, list_of(step.codec(), 1),
          "Rates in order of their start; the first starts at 0 s");
    t.add("period", &P::period, duration(kPositive), "Length of a cycle");
    t.add("peak", &P::peak, duration(), "Time of the highest rate within the period");
    t.add("peak_hour", &P::peak, hours(), "The same as a number of hours").unrecorded();
    t.add("peak_to_trough_ratio", &P::peak_to_trough_ratio, number({1, 1e6}),
          "Highest rate over lowest rate");
    t.variants("type", {{"flat", "The stream's rate, always", {}, {}},
                        {"steps", "Piecewise constant; replaces the stream's rate", {"steps"}, {}},
                        {"diurnal",
                         "A cosine around the stream's rate",
                         {"period", "peak_to_trough_ratio"},
                         {"peak", "peak_hour"}}});
    t.check(check_profile);
    return t;
  }();
  return table;
}

const Table<Session>& session_table() {
  static const Table<Session> table = [] {
    using G = Session::Growth;
    Table<Session> t("a session");
    t.add("turns", &Session::turns, distribution(Over::turns), "Turns of a session").required();
    t.add("think_time", &Session::think_time, distribution(Over::seconds),
          "From the end of a turn to the arrival of the next");
    t.add("context_growth", &Session::context_growth,
          choice<G>({{"accumulate", G::accumulate}, {"none", G::none}}),
          "accumulate: each prompt begins with all that was said before");
    return t;
  }();
  return table;
}

void check_trace(const Trace& t, const YamlNode& n, Reader& r) {
  const auto only = [&](bool set, const char* key, TraceFormat format) {
    if (set && t.format != format)
      r.problem(place_of(n, key), "has no meaning with this format",
                "it belongs to `format: " + std::string(name(format)) + "`", key);
  };
  only(t.chars_per_token != Trace{}.chars_per_token, "chars_per_token", TraceFormat::sharegpt);
  only(t.jitter != Nanos{0}, "jitter", TraceFormat::mooncake);
}

const Table<Trace>& trace_table() {
  static const Table<Trace> table = [] {
    std::vector<Choice<TraceFormat>> formats;
    for (const TraceFormatName& f : trace_format_names()) formats.push_back({std::string(f.name), f.format});
    Table<Trace> t("a trace");
    t.add("format", &Trace::format, choice<TraceFormat>(formats), "What kind of file it is").required();
    t.add("path", &Trace::path, path(), "Relative to this file; .gz is read directly").required();
    t.add("rate_scale", &Trace::rate_scale, number(kPositive), "2 = the same requests twice as fast");
    t.add("limit", &Trace::limit, whole64(0, INT64_MAX), "Rows to read; 0 = all");
    t.add("failed", &Trace::failed,
          choice<Trace::Failed>({{"drop", Trace::Failed::drop}, {"keep", Trace::Failed::keep}}),
          "Rows that failed in the original");
    t.add("overlong", &Trace::overlong,
          choice<Trace::Overlong>(
              {{"reject", Trace::Overlong::reject}, {"truncate", Trace::Overlong::truncate}}),
          "Rows longer than max_model_len. reject: left out and counted as dropped; truncate: cut to fit");
    t.add("reorder_window", &Trace::reorder_window, whole64(1, 1 << 26),
          "Rows held back to sort slightly unsorted files");
    t.add("chars_per_token", &Trace::chars_per_token, number({0.1, 100}), "sharegpt: text length to tokens");
    t.add("jitter", &Trace::jitter, duration(), "mooncake: spreads rows of equal time over this span");
    t.check(check_trace);
    return t;
  }();
  return table;
}

const Table<SloClass>& slo_table() {
  static const Table<SloClass> table = [] {
    Table<SloClass> t("an SLO class");
    t.add("ttft", &SloClass::ttft, duration(kPositive), "Limit of the time to first token");
    t.add("tpot", &SloClass::tpot, duration(kPositive), "Limit of the time per output token");
    t.add("e2e", &SloClass::e2e, duration(kPositive), "Limit of the end-to-end time");
    t.add("priority", &SloClass::priority, whole(-1'000'000, 1'000'000), "Lower is served first");
    return t;
  }();
  return table;
}

/// How often each prefix of a group is used.
const Table<Distribution>& popularity_table() {
  static const Table<Distribution> table = [] {
    using D = Distribution;
    Table<D> t("a popularity");
    t.add("type", &D::type, choice<D::Type>({{"uniform", D::Type::uniform}, {"zipf", D::Type::zipf}}),
          "How often each prefix is used")
        .required();
    t.add("alpha", &D::alpha, number({0, 100}), "The k-th prefix has weight k^-alpha");
    t.variants("type", {{"uniform", "All equally often", {}, {}}, {"zipf", "By rank", {}, {"alpha"}}});
    return t;
  }();
  return table;
}

const Table<PrefixGroup>& prefix_group_table() {
  static const Table<PrefixGroup> table = [] {
    Table<PrefixGroup> t("a prefix group");
    t.add("count", &PrefixGroup::count, whole(1, 1 << 24), "Different prefixes in the group");
    t.add("length", &PrefixGroup::length, distribution(Over::tokens), "Tokens of each prefix").required();
    t.add("popularity", &PrefixGroup::popularity, popularity_table().codec(), "How often each is used");
    return t;
  }();
  return table;
}

const Table<StreamDoc>& stream_table() {
  static const Table<StreamDoc> table = [] {
    using S = StreamDoc;
    Table<PrefixDoc> prefix("a prefix");
    prefix.add("group", &PrefixDoc::group, text(), "Name of a prefix group").required();
    Table<S> t("a stream");
    t.add("name", &S::name, text(), "Name of the stream").required();
    t.add("tenant", &S::tenant_name, text(), "Whose requests these are; default: the stream's name");
    t.add("deployment", &S::deployment_name, text(), "Who serves it; needed where there are several");
    t.add("slo_class", &S::slo_class_name, text(), "Name of an SLO class");
    t.add("rate", &S::rate, amount(Dimension::rate, {0, kHighestRate, true}),
          "Open loop: requests (or sessions) in a time");
    t.add("concurrency", &S::concurrency, whole(1, 1'000'000),
          "Closed loop: users that each wait for their answer");
    t.add("arrival", &S::arrival_process, arrival_table().codec(),
          "Open loop: how irregular; default poisson");
    t.add("rate_profile", &S::profile, profile_table().codec(), "Open loop: how the rate changes over time");
    t.add("num_requests", &S::num_requests, whole64(0, 1'000'000'000), "Requests in all; 0 = no limit");
    t.add("start", &S::start, duration(), "When the stream begins");
    t.add("duration", &S::duration, duration(), "How long it lasts; 0 s = no limit");
    t.add("input", &S::input_length, distribution(Over::tokens), "Prompt lengths");
    t.add("output", &S::output_length, distribution(Over::tokens), "Output lengths");
    t.add("output_stop", &S::output_stop,
          choice<OutputStop>({{"max_tokens", OutputStop::max_tokens}, {"eos", OutputStop::eos}}),
          "How an answer ends: at its limit, or at an end-of-sequence token");
    t.add("prefix", &S::prefix, prefix.codec(), "Every prompt begins with one of these");
    t.add("session", &S::session, session_table().codec(), "Conversations of several turns");
    t.add("trace", &S::trace, trace_table().codec(),
          "Recorded requests: lengths, and times unless given here");
    return t;
  }();
  return table;
}

}  // namespace

const Table<WorkloadDoc>& workload_table() {
  static const Table<WorkloadDoc> table = [] {
    using W = WorkloadDoc;
    Table<W> t("workload");
    t.add("slo_classes", &W::slo_classes, named(slo_table().codec(), &SloClass::name),
          "Service-level objectives");
    t.add("prefix_groups", &W::prefix_groups, named(prefix_group_table().codec(), &PrefixGroup::name),
          "Sets of shared prompt beginnings");
    t.add("streams", &W::streams, list_of(stream_table().codec(), 1), "Sources of requests").required();
    return t;
  }();
  return table;
}

}  // namespace ridgepoint
