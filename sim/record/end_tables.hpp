// The small tables that are known when a run ends: /deployments, /replicas, /links, /histograms, /traces.
#pragma once
#include "record/hdf5_column.hpp"
#include "record/recorder.hpp"

namespace ridgepoint {

void write_deployments(const h5::File& file, const Scenario& scenario);
/// Totals and the time ledger of each replica; the ledger's parts add up to wall_ns exactly.
void write_replicas(const h5::File& file, const Scenario& scenario, const RunResult& result);
/// Bytes and busy time of the links between a replica's GPUs, by deployment.
void write_links(const h5::File& file, const Scenario& scenario, const RunResult& result);
/// ITL, step time and batch size by deployment; bins have exact edges.
void write_histograms(const h5::File& file, const Scenario& scenario, const RunResult& result);
/// Rows read, accepted and dropped by reason; nothing where no trace was read.
void write_traces(const h5::File& file, const RunResult& result);

}  // namespace ridgepoint
