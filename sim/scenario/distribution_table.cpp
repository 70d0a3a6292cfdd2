// Distributions as a scenario writes them: of tokens, of turns, of time.
#include "scenario/codecs.hpp"
#include "scenario/document.hpp"

namespace ridgepoint {
namespace {

constexpr double kLargestCount = 1 << 30;  // token positions fit 32 bits

/// The number codec of a distribution's values.
Codec<double> value_codec(Over over) {
  if (over == Over::seconds) return amount(Dimension::duration, kNotNegative);
  return number({0, kLargestCount});
}

void check_distribution(const Distribution& d, Over over, const YamlNode& n, Reader& r) {
  using Type = Distribution::Type;
  const auto refuse = [&](bool wrong, const char* key, const char* what, const char* remedy) {
    // `length: 2048`, short for a fixed one, has no keys of its own
    if (wrong) r.problem(place_of(n, key), what, remedy, n.kind == YamlNode::Kind::map ? key : "");
  };
  refuse(d.max > 0 && d.min > d.max, "min", "min is above max", "swap them");
  refuse((d.type == Type::lognormal || d.type == Type::exponential) && d.mean <= 0, "mean",
         "the mean is not above 0", "give the mean of the variable itself");
  refuse(d.type == Type::geometric && d.mean < 1, "mean", "a geometric distribution counts from 1",
         "give a mean of at least 1");
  refuse(d.type == Type::zipf && d.max < 1, "max", "no whole number of 1 or more is below it",
         "give a max of at least 1");
  refuse(d.type == Type::uniform && d.max <= 0, "max", "the upper end is 0",
         "give a max above 0, or `type: fixed`");
  refuse(over != Over::seconds && d.type == Type::fixed && d.value != std::floor(d.value), "value",
         "not a whole number", "give a count");
  if (over == Over::seconds) return;
  // Counts begin at 1: a distribution of which no draw rounds to 1 or more has none.
  const char* none = over == Over::turns ? "a session without turns" : "a length without tokens";
  refuse(d.type == Type::fixed && d.value < 1, "value", none, "give at least 1");
  refuse(d.type != Type::zipf && d.max > 0 && d.max < 1, "max", none, "give at least 1");
  refuse(d.type == Type::normal && d.mean < 0.5 && d.std_dev == 0 && d.min < 0.5, "mean", none,
         "give at least 1");
}

Table<Distribution> distribution_table(Over over) {
  using D = Distribution;
  const Codec<double> value = value_codec(over);
  Table<D> t("a distribution");
  t.add("type", &D::type,
        choice<D::Type>({{"fixed", D::Type::fixed},
                         {"uniform", D::Type::uniform},
                         {"normal", D::Type::normal},
                         {"lognormal", D::Type::lognormal},
                         {"exponential", D::Type::exponential},
                         {"geometric", D::Type::geometric},
                         {"zipf", D::Type::zipf},
                         {"empirical", D::Type::empirical}}),
        "Kind of distribution")
      .required();
  t.add("value", &D::value, value, "The one value");
  t.add("mean", &D::mean, value, "Mean of the variable itself, also when lognormal");
  t.add("std_dev", &D::std_dev, value, "Standard deviation of the variable itself");
  t.add("alpha", &D::alpha, number({0, 100}), "Weight of k is k^-alpha");
  t.add("min", &D::min, value, "Smaller draws are raised to it");
  t.add("max", &D::max, value, "Larger draws are lowered to it; 0 = no limit");
  t.add("file", &D::file, path(), "CSV of `value[,weight]`, relative to this file");
  t.variants("type", {{"fixed", "Always the same value", {"value"}, {}},
                      {"uniform", "Uniform over [min, max]", {"min", "max"}, {}},
                      {"normal", "Normal", {"mean", "std_dev"}, {"min", "max"}},
                      {"lognormal", "Lognormal", {"mean", "std_dev"}, {"min", "max"}},
                      {"exponential", "Exponential", {"mean"}, {"min", "max"}},
                      {"geometric", "Geometric: 1, 2, 3 ...", {"mean"}, {"min", "max"}},
                      {"zipf", "Zipf over the whole numbers from min to max", {"max"}, {"alpha", "min"}},
                      {"empirical", "Values of a file", {"file"}, {"min", "max"}}});
  t.check([over](const D& d, const YamlNode& n, Reader& r) { check_distribution(d, over, n, r); });
  return t;
}

}  // namespace

Codec<Distribution> distribution(Over over) {
  const Table<Distribution> table = distribution_table(over);
  const Codec<double> value = value_codec(over);
  Codec<Distribution> c = table.codec();
  c.read = [=](const YamlNode& n, Reader& r) -> std::optional<Distribution> {
    if (n.kind != YamlNode::Kind::scalar) return table.read(n, r);
    const std::optional<double> v = value.read(n, r);  // `length: 2048` is short for a fixed one
    if (!v) return std::nullopt;
    Distribution d;
    d.value = *v;
    check_distribution(d, over, n, r);
    return d;
  };
  c.schema = [=] { return Json{{"anyOf", Json::array({value.schema(), table.schema()})}}; };
  return c;
}

}  // namespace ridgepoint
