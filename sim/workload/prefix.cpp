#include "workload/prefix.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "workload/content.hpp"

namespace ridgepoint {
namespace {

const PrefixGroup& group_of(const Scenario& scenario, std::size_t stream) {
  const auto index = static_cast<std::size_t>(*scenario.workload.streams[stream].prefix_group);
  return scenario.workload.prefix_groups.at(index);
}

/// Over the numbers 1 to count. A group that says nothing about popularity has equally popular prefixes.
Distribution popularity_of(const PrefixGroup& g) {
  using Type = Distribution::Type;
  Distribution d = g.popularity;
  const std::string key = "workload.prefix_groups." + g.name;
  if (g.count < 1)
    throw ConfigError({Problem{"", 0, 0, key + ".count", "below 1", "give how many prefixes"}});
  if (d.type == Type::fixed) d.type = Type::uniform;
  if (d.type != Type::uniform && d.type != Type::zipf)
    throw ConfigError({Problem{"", 0, 0, key + ".popularity", "neither zipf nor uniform",
                               "give e.g. {type: zipf, alpha: 1.0}"}});
  d.min = 1;
  d.max = g.count;
  return d;
}

}  // namespace

PrefixPicker::PrefixPicker(const Scenario& scenario, std::size_t stream)
    : group_(static_cast<std::uint64_t>(*scenario.workload.streams[stream].prefix_group)),
      choice_seed_(
          RandomRoot(scenario.seed).stream("prefix/" + scenario.workload.streams[stream].name).next()),
      length_seed_(
          RandomRoot(scenario.seed).stream("prefix_length/" + group_of(scenario, stream).name).next()),
      popularity_(popularity_of(group_of(scenario, stream)),
                  "workload.prefix_groups." + group_of(scenario, stream).name + ".popularity"),
      length_(group_of(scenario, stream).length,
              "workload.prefix_groups." + group_of(scenario, stream).name + ".length") {}

void PrefixPicker::pick(Live& live) const {
  RandomStream choice(mix64(choice_seed_, static_cast<std::uint64_t>(live.index)));
  const auto which = static_cast<std::uint64_t>(popularity_.count(choice));
  RandomStream length(mix64(length_seed_, which));
  const std::int64_t tokens = std::clamp<std::int64_t>(length_.count(length), 0, kMaxTokens / 2);
  live.prefix_tokens = static_cast<std::int32_t>(tokens);
  live.prefix_content = content_id(kPrefixOwner, (group_ << 32) | which);
}

void PrefixPicker::prepend(const Live& live, Request& request) {
  if (live.prefix_tokens == 0) return;
  const auto count = static_cast<std::uint32_t>(live.prefix_tokens);
  request.prompt.insert(request.prompt.begin(), TokenRun{live.prefix_content, 0, count, 1});
  request.prompt_tokens += live.prefix_tokens;
  request.shared_tokens += live.prefix_tokens;
}

}  // namespace ridgepoint
