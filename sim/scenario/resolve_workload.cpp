// Streams: what they refer to, and that each has one clear source of its times and of its lengths.
#include <algorithm>
#include <set>

#include "scenario/resolve.hpp"
#include "scenario/units_text.hpp"
#include "workload/trace_format.hpp"

namespace ridgepoint {
namespace {

template <class V>
std::vector<std::string> names_of(const std::vector<V>& entries) {
  std::vector<std::string> names;
  for (const V& e : entries) names.push_back(e.name);
  return names;
}

/// Index of a name, or -1 after reporting what there is instead. An empty name among them is one that could
/// not be read: it may be the one that is meant.
int find_name(const std::string& given, const std::vector<std::string>& names, const std::string& key,
              const std::string& noun, const ResolveContext& c) {
  const auto it = std::find(names.begin(), names.end(), given);
  if (it != names.end()) return static_cast<int>(it - names.begin());
  const bool complete = std::find(names.begin(), names.end(), "") == names.end();
  if (complete && !c.bad(key))
    c.problem(key, "there is no " + noun + " `" + given + "`", choose_from(given, names, "define one first"));
  return -1;
}

void refuse(bool wrong, const std::string& key, const char* what, const char* remedy,
            const ResolveContext& c) {
  if (wrong && !c.bad(key)) c.problem(key, what, remedy);
}

/// Exactly one source of arrival times, and nothing that would have no effect with it.
void check_times(const StreamDoc& s, const std::string& key, const ResolveContext& c) {
  const bool steps = s.profile && s.profile->type == RateProfile::Type::steps;
  const bool open = s.rate || steps;
  refuse(steps && s.rate, key + ".rate", "the steps of rate_profile are the rate", "leave rate out", c);
  refuse(open && s.concurrency, key + ".concurrency",
         "rate is given too, and a stream is an open or a closed loop", "keep one of rate and concurrency",
         c);
  if (!open && !s.concurrency && !s.trace && !c.bad(key + ".rate") && !c.bad(key + ".concurrency") &&
      !c.bad(key + ".trace") && !c.bad(key + ".rate_profile"))
    c.problem(key + ".rate", "nothing says when its requests come",
              "give rate (open loop), concurrency (closed loop) or a trace");
  refuse(s.arrival_process && !open, key + ".arrival", "has no meaning without a rate",
         "give rate, or leave it out", c);
  refuse(s.profile && !open, key + ".rate_profile", "has no meaning without a rate",
         "give rate, or leave it out", c);
  if (!s.trace || c.bad(key + ".trace")) return;
  refuse(s.trace->format == TraceFormat::sharegpt && !open && !s.concurrency, key + ".trace.format",
         "such a file has no arrival times", "give rate or concurrency too", c);
  refuse((open || s.concurrency) && s.trace->rate_scale != 1, key + ".trace.rate_scale",
         "has no meaning: the arrival times are not the trace's", "change rate or concurrency instead", c);
  refuse((open || s.concurrency) && s.trace->jitter != Nanos{0}, key + ".trace.jitter",
         "has no meaning: the arrival times are not the trace's", "leave it out", c);
}

void check_lengths(const StreamDoc& s, const std::string& key, const ResolveContext& c) {
  if (s.trace) {
    refuse(s.input_length.has_value(), key + ".input", "the trace gives the lengths", "leave it out", c);
    refuse(s.output_length.has_value(), key + ".output", "the trace gives the lengths", "leave it out", c);
    refuse(s.session.has_value(), key + ".session", "the trace gives the requests", "leave it out", c);
    return;
  }
  if (c.bad(key + ".trace")) return;
  refuse(!s.input_length, key + ".input", "this key is required and missing",
         "give prompt lengths, or a trace", c);
  refuse(!s.output_length, key + ".output", "this key is required and missing",
         "give output lengths, or a trace", c);
}

void check_end(const StreamDoc& s, const std::string& key, const Scenario& scenario,
               const ResolveContext& c) {
  const bool endless = !s.trace && s.num_requests == 0 && s.duration == Nanos{0} && !scenario.run.until;
  if (endless && !c.bad(key + ".num_requests") && !c.bad(key + ".duration") && !c.bad(key + ".trace") &&
      !c.bad("run.until"))
    c.problem(key + ".num_requests", "nothing says when it ends",
              "give num_requests or duration, or a duration in run.until");
}

/// Refuses what would simulate nothing: the expected first request lies beyond the run, or beyond any run.
void check_first(const StreamDoc& s, const std::string& key, const Scenario& scenario,
                 const ResolveContext& c) {
  constexpr double kHopeless = 1e-3;  // requests expected in the whole run
  const Nanos until = c.bad("run.until") ? Nanos{0} : scenario.run.until.value_or(Nanos{0});
  if (until > Nanos{0} && s.start >= until) {
    refuse(true, key + ".start", "the run ends before this stream begins", "give less than run.until", c);
    return;
  }
  Nanos begin = s.start;
  std::optional<double> rate = s.rate;
  if (s.profile && s.profile->type == RateProfile::Type::steps)
    for (const RateProfile::Step& step : s.profile->steps)
      if (step.rate > 0) {
        rate = step.rate;
        begin += step.start;
        refuse(until > Nanos{0} && begin >= until, key + ".rate_profile",
               "the run ends before the first step with a rate above 0", "let a step begin before run.until",
               c);
        break;
      }
  if (!rate || *rate <= 0) return;
  refuse(1 / *rate > kLongestRun, key + ".rate",
         "its first request is to be expected after more than 100 years", "give a higher rate", c);
  // Regular arrivals begin with the stream, all others one gap later.
  const bool regular = s.arrival_process && (s.arrival_process->process == Arrival::Process::constant ||
                                             s.arrival_process->process == Arrival::Process::burst);
  const bool flat = !s.profile || s.profile->type == RateProfile::Type::flat;
  refuse(until > begin && flat && !regular && *rate * to_seconds(until - begin).v < kHopeless, key + ".rate",
         "fewer than one request in a thousand runs would come before run.until", "give a higher rate", c);
}

void find_references(StreamDoc& s, const WorkloadDoc& doc, const Scenario& scenario, const std::string& key,
                     const ResolveContext& c) {
  const std::vector<std::string> deployments = names_of(scenario.deployments);
  if (!s.deployment_name && deployments.size() == 1) s.deployment_name = deployments.front();
  // Names are compared with those in the file, whatever else is wrong where these stand.
  const auto unreadable = [&](const auto& entries, const char* at) { return entries.empty() && c.bad(at); };
  if (s.deployment_name) {
    if (!unreadable(deployments, "deployments"))
      s.deployment = find_name(*s.deployment_name, deployments, key + ".deployment", "deployment", c);
  } else if (deployments.size() > 1 && !c.bad(key + ".deployment")) {
    std::string all;
    for (const std::string& d : deployments)
      if (!d.empty()) all += (all.empty() ? "" : ", ") + d;
    c.problem(key + ".deployment", "there are several deployments, and none is named", "one of: " + all);
  }
  if (s.slo_class_name && !unreadable(doc.slo_classes, "workload.slo_classes"))
    s.slo_class = find_name(*s.slo_class_name, names_of(doc.slo_classes), key + ".slo_class", "SLO class", c);
  if (s.prefix && !unreadable(doc.prefix_groups, "workload.prefix_groups") && !c.bad(key + ".prefix.group"))
    s.prefix_group =
        find_name(s.prefix->group, names_of(doc.prefix_groups), key + ".prefix.group", "prefix group", c);
}

/// Fills the open defaults into the document and gives the stream as the other floors know it.
Stream to_stream(StreamDoc& s) {
  if (!s.tenant_name) s.tenant_name = s.name;
  const bool steps = s.profile && s.profile->type == RateProfile::Type::steps;
  if ((s.rate || steps) && !s.concurrency) {
    if (!s.arrival_process) s.arrival_process = Arrival{};
    if (!s.profile) s.profile = RateProfile{};
  }
  Stream out = s;
  out.tenant = *s.tenant_name;
  if (s.arrival_process) out.arrival = *s.arrival_process;
  if (s.profile) out.rate_profile = *s.profile;
  if (s.input_length) out.input = *s.input_length;
  if (s.output_length) out.output = *s.output_length;
  if (steps) {  // marks the stream as an open loop; the steps themselves give the rates
    double highest = 0;
    for (const RateProfile::Step& step : s.profile->steps) highest = std::max(highest, step.rate);
    out.rate = highest;
  }
  return out;
}

/// Everything that opens files later gets the path from the working directory.
void locate_files(Workload& w, const std::filesystem::path& base) {
  const auto find = [&](std::string& path) {
    if (!path.empty()) path = locate(path, base);
  };
  for (PrefixGroup& g : w.prefix_groups) find(g.length.file);
  for (Stream& s : w.streams) {
    find(s.input.file);
    find(s.output.file);
    if (s.session) find(s.session->turns.file);
    if (s.session) find(s.session->think_time.file);
    if (s.trace) find(s.trace->path);
  }
}

}  // namespace

Workload resolve_workload(WorkloadDoc& doc, const Scenario& scenario, const ResolveContext& c) {
  for (PrefixGroup& g : doc.prefix_groups)
    if (g.popularity.type == Distribution::Type::fixed) g.popularity.type = Distribution::Type::uniform;
  Workload w;
  w.slo_classes = doc.slo_classes;
  w.prefix_groups = doc.prefix_groups;
  std::set<std::string> names;
  for (std::size_t i = 0; i < doc.streams.size(); ++i) {
    StreamDoc& s = doc.streams[i];
    const std::string key = "workload.streams." + std::to_string(i);
    if (!c.bad(key + ".name") && !names.insert(s.name).second)
      c.problem(key + ".name", "another stream is called `" + s.name + "`", "give each its own name");
    find_references(s, doc, scenario, key, c);
    check_times(s, key, c);
    check_lengths(s, key, c);
    check_end(s, key, scenario, c);
    check_first(s, key, scenario, c);
    w.streams.push_back(to_stream(s));
  }
  locate_files(w, c.base);
  return w;
}

}  // namespace ridgepoint
