#include "record/steps_table.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <type_traits>
#include <variant>

#include "base/errors.hpp"

namespace ridgepoint {
namespace {

static_assert(std::is_trivially_copyable_v<StepRecord>);
constexpr std::size_t kBlock = 128;  ///< steps
constexpr std::size_t kRows = 4096;  ///< written to the table at once

template <class T>
using StepValue = T (*)(const StepRecord&);

double seconds(Nanos t) { return static_cast<double>(t.count()) / 1e9; }

struct Spec {
  h5::Label label;
  std::variant<StepValue<std::int32_t>, StepValue<std::int64_t>, StepValue<double>> value;
};

const std::vector<Spec>& specs() {
  using S = StepRecord;
  static const std::vector<Spec> all{
      {{"replica", "1", "replica"}, +[](const S& s) { return s.replica; }},
      {{"start_s", "s", "start since the start of the simulation"},
       +[](const S& s) { return seconds(s.start); }},
      {{"end_s", "s", "end since the start of the simulation"}, +[](const S& s) { return seconds(s.end); }},
      {{"tokens", "1", "tokens computed"}, +[](const S& s) { return s.tokens; }},
      {{"sequences", "1", "sequences in the batch"}, +[](const S& s) { return s.sequences; }},
      {{"prefill_tokens", "1", "prompt tokens among them"}, +[](const S& s) { return s.prefill_tokens; }},
      {{"preempted", "1", "requests evicted while it was scheduled"},
       +[](const S& s) { return s.preempted; }},
      {{"kv_blocks_used", "1", "KV blocks in use after scheduling"},
       +[](const S& s) { return s.kv_blocks_used; }},
      {{"compute_s", "s", "time bound by arithmetic"}, +[](const S& s) { return s.cost.compute; }},
      {{"memory_s", "s", "time bound by HBM bandwidth"}, +[](const S& s) { return s.cost.memory; }},
      {{"interconnect_s", "s", "time bound by links between GPUs"},
       +[](const S& s) { return s.cost.interconnect; }},
      {{"overhead_s", "s", "launches and host time on the GPU's path"},
       +[](const S& s) { return s.cost.overhead; }},
      {{"flops", "1", "floating-point operations of one rank"}, +[](const S& s) { return s.cost.flops; }},
      {{"hbm_bytes", "byte", "HBM traffic of one rank"}, +[](const S& s) { return s.cost.hbm_bytes; }},
      {{"link_bytes", "byte", "bytes sent by one rank"}, +[](const S& s) { return s.cost.link_bytes; }},
  };
  return all;
}

/// Rows on their way into the table.
class Writer {
 public:
  explicit Writer(const h5::File& file)
      : group_(file, "steps", "one row an engine step, by replica, then time"),
        index_(h5::Column::make<std::int64_t>(group_, {"step", "1", "row number"}, kRows)) {
    index_.make_scale();
    for (const Spec& s : specs())
      columns_.push_back(std::visit(
          [&]<class T>(StepValue<T>) { return h5::Column::make<T>(group_, s.label, kRows); }, s.value));
    for (h5::Column& c : columns_) c.attach(index_);
  }
  void add(const StepRecord& step) {
    rows_.push_back(step);
    if (rows_.size() == kRows) flush();
  }
  void flush() {
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < rows_.size(); ++i) numbers.push_back(first_ + static_cast<std::int64_t>(i));
    index_.write<std::int64_t>(first_, numbers);
    for (std::size_t c = 0; c < columns_.size(); ++c)
      std::visit(
          [&]<class T>(StepValue<T> value) {
            std::vector<T> values;
            for (const StepRecord& s : rows_) values.push_back(value(s));
            columns_[c].write<T>(first_, values);
          },
          specs()[c].value);
    first_ += static_cast<std::int64_t>(rows_.size());
    rows_.clear();
  }

 private:
  h5::Group group_;
  h5::Column index_;
  std::vector<h5::Column> columns_;
  std::vector<StepRecord> rows_;
  std::int64_t first_ = 0;
};

}  // namespace

StepsTable::StepsTable(const std::string& spool, std::int64_t replicas)
    : path_(spool),
      spool_(std::fopen(spool.c_str(), "w+bx"), &std::fclose),
      replicas_(static_cast<std::size_t>(replicas)) {
  if (!spool_)
    throw ConfigError(fmt::format("run.record.steps: cannot write {}: {}", path_, std::strerror(errno)),
                      "name an output in a folder that can be written");
  std::remove(path_.c_str());  // stays usable through the open handle, and never outlives the process
}

void StepsTable::add(const StepRecord& step) {
  if (step.replica < 0 || static_cast<std::size_t>(step.replica) >= replicas_.size())
    throw SimulationError(
        fmt::format("a step of replica {} where there are {}", step.replica, replicas_.size()));
  Replica& replica = replicas_[static_cast<std::size_t>(step.replica)];
  replica.waiting.push_back(step);
  if (replica.waiting.size() == kBlock) spool(replica);
}

void StepsTable::spool(Replica& replica) {
  if (std::fwrite(replica.waiting.data(), sizeof(StepRecord), kBlock, spool_.get()) != kBlock)
    throw SimulationError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  replica.blocks.push_back(blocks_++);
  replica.waiting.clear();
}

void StepsTable::read_block(std::int64_t block, std::vector<StepRecord>& into) {
  into.resize(kBlock);
  const off_t at = static_cast<off_t>(block) * static_cast<off_t>(kBlock * sizeof(StepRecord));
  if (fseeko(spool_.get(), at, SEEK_SET) != 0 ||
      std::fread(into.data(), sizeof(StepRecord), kBlock, spool_.get()) != kBlock)
    throw SimulationError(fmt::format("cannot read back {}: {}", path_, std::strerror(errno)));
}

void StepsTable::finish(const h5::File& file) {
  Writer writer(file);
  std::vector<StepRecord> block;
  for (Replica& replica : replicas_) {
    for (const std::int64_t number : replica.blocks) {
      read_block(number, block);
      for (const StepRecord& s : block) writer.add(s);
    }
    for (const StepRecord& s : replica.waiting) writer.add(s);
  }
  writer.flush();
}

}  // namespace ridgepoint
