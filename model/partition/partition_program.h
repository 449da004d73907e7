// SPDX-License-Identifier: GPL-3.0-or-later
// From any program with shardings to what one device runs: propagation, export, legal shardings, explicit reshards,
// collectives, local shapes.
//
//     const auto parts = partitionProgram(std::move(program));
//     print(parts->device.program)          // local shapes, collectives over device ids
//     parts->sharded->inserted              // why each reshard and collective of parts->sharded->program is there
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "partition/device_program.h"
#include "partition/export/export_program.h"
#include "propagation/pass_pipelines.h"

namespace shardscope {

/// How reshards become collectives.
struct PartitionOptions {
    passes::PipelineOptions pipeline = {};
    /// The way that sends the fewest bytes instead of Shardy's sequence.
    bool optimalReshards = false;
    bool operator==(const PartitionOptions&) const = default;
};

/// What comes before local shapes: all shardings, and collectives of Shardy with their reasons.
struct ShardedProgram {
    Program program; ///< global shapes with their padding, every sharding, collectives of Shardy over mesh axes
    std::vector<passes::Inserted> inserted; ///< of `program`, ascending by operation
    std::vector<Diagnostic> warnings;
    TrueShapes trueShapes = {}; ///< of values of `program` that are padded
    /// Of `program`: constants that are made in several shardings, each with its original. The original stands in the
    /// program only where something reads it.
    passes::Origins copies = {};
};
/// Errors: those of propagation and export, of overCommonAxes(), checkSingleDevices() and
/// checkExplicitSums().
[[nodiscard]] Result<ShardedProgram> shardProgram(Program program, const PartitionOptions& options = {});
/// Whether all meshes of a legal program are over one set of devices: the error of overCommonAxes().
[[nodiscard]] Result<void> checkCommonAxes(const Program& program);

/// The same for what has been propagated already: `program` as prepared() leaves it, or a network with its annotations
/// inside. What replaces an argument of Program::state comes back as the argument is sharded.
[[nodiscard]] Result<ShardedProgram> shardPropagated(
    const Program& program, const PropagationResult& propagated, bool optimalReshards = false);

/// How users see the values of main: as they were propagated, where axes of size 1 do not count. By value; nothing for
/// values of other bodies, and for what lies on another mesh than the main one.
[[nodiscard]] std::vector<std::optional<TensorSharding>> shownShardings(
    const Program& program, const PropagationResult& propagated);

struct PartitionedProgram {
    std::shared_ptr<const ShardedProgram> sharded;
    DeviceProgram device; ///< its origins are operations of `sharded`
};

/// What checkDeviceProgram() has not seen yet. Errors: those of localize().
[[nodiscard]] Result<PartitionedProgram> partitionUnchecked(std::shared_ptr<const ShardedProgram> sharded);
/// What a device would run, as the program that it is. Errors: those of verify().
[[nodiscard]] Result<void> checkDeviceProgram(const DeviceProgram& device);

/// Errors: those of localize(), and of the program that it makes.
[[nodiscard]] Result<PartitionedProgram> partitionProgram(ShardedProgram sharded);
/// Errors: those of propagation, export and localize(). A dimension that its axes do not divide is padded; where an
/// operation cannot work on such shards, it keeps the axes that divide it.
[[nodiscard]] Result<PartitionedProgram> partitionProgram(Program program, const PartitionOptions& options);
[[nodiscard]] Result<PartitionedProgram> partitionProgram(Program program, const passes::PipelineOptions& options = {});

} // namespace shardscope
