// /steps (run.record.steps): every engine step, ordered by replica, then time.
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "record/hdf5_column.hpp"
#include "serving/events.hpp"

namespace ridgepoint {

/// Replicas report their steps in an order that depends on how many they fast-forward at once; the file must
/// not. So steps wait, replica by replica, in an unnamed file beside the output until the run ends.
class StepsTable {
 public:
  /// `spool` is the path under which the unnamed file is opened. Throws ConfigError.
  StepsTable(const std::string& spool, std::int64_t replicas);
  void add(const StepRecord& step);
  /// Writes the table.
  void finish(const h5::File& file);

 private:
  struct Replica {
    std::vector<StepRecord> waiting;
    std::vector<std::int64_t> blocks;  ///< numbers of its full blocks in the spool, in time order
  };
  void spool(Replica& replica);
  void read_block(std::int64_t block, std::vector<StepRecord>& into);

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> spool_;
  std::vector<Replica> replicas_;
  std::int64_t blocks_ = 0;
};

}  // namespace ridgepoint
