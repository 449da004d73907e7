// SPDX-License-Identifier: GPL-3.0-or-later
// Executes the per-device program of a program on devices that hold real shards, and puts what they return together.
#pragma once

#include "partition/device_program.h"
#include "program/step_state.h"
#include "simulate/evaluate/execute.h"

namespace shardscope::evaluate {

/// The shard that every device gets of an array, by device id. Padding at the end of uneven ones is zero.
/// Where it is unreduced, the devices along those axes get parts of it: of a sum each some of the binary digits of
/// every number, which add up to it exactly; the same elements where the greatest or the least counts.
[[nodiscard]] Arrays shardsOf(const Array& full, const ShardedArray& how, const MeshPtr& mesh);

/// Copies of one shard that are not bitwise equal.
struct DifferentCopies {
    std::size_t output = 0;
    std::int32_t device = 0, other = 0; ///< ids
    std::int64_t element = 0; ///< of the shard, row-major
};

struct AssembledArray {
    Array whole; ///< each shard from its first holder in mesh order; parts over unreduced axes are put together
    std::optional<DifferentCopies> differ; ///< `output` is not set
};
/// `shards` by device id. What is no array (a token) is that of device 0.
[[nodiscard]] AssembledArray assembleShards(
    std::span<const Array> shards, const ShardedArray& how, const MeshPtr& mesh);

struct PartitionedExecution {
    Arrays outputs; ///< whole
    std::vector<Arrays> shards; ///< by device id, by output; padding is zero
    std::vector<CheckFinding> checks;
    MemoryPlan plan; ///< of every device
    std::vector<MemoryPeak> peaks; ///< by device id
    std::vector<DifferentCopies> differences; ///< at most one per output
};

/// The program itself on so many devices that hold the same arrays: of a text that names no mesh, or that speaks to the
/// devices by their numbers.
[[nodiscard]] DeviceProgram unpartitioned(const Program& program, std::int64_t devices);

/// A result that the next step takes as an argument.
struct NextArgument {
    std::size_t argument = 0, result = 0;
};
/// Of the program that `state` is of.
[[nodiscard]] std::vector<NextArgument> nextArguments(const Program& program, const StepState& state);

/// A program that is executed again and again on its devices, as a train step is. What the next step takes stays in
/// shards on the devices; where a result is sharded otherwise than the argument, it is resharded between the steps.
///
///     auto steps = PartitionedSteps::create(program, arguments, { { 0, 0 }, { 1, 1 } }); // (w, m, x) -> (w', m',
///     loss) steps->step(options); steps->result(2).whole // the loss of the first step
class PartitionedSteps {
public:
    /// `arguments` are global arrays, one per input. Errors: CountMismatch, TypeMismatch; DevicesMismatch for a mesh
    /// whose devices are not 0 .. n-1. `program` has to live as long as the steps.
    [[nodiscard]] static Result<PartitionedSteps> create(
        const DeviceProgram& program, const Arrays& arguments, std::vector<NextArgument> next = {});

    /// Executes the program once. What it returns is empty but for its results, which are here; where it was stopped,
    /// there are none, and the arguments stay. Errors: those of execute().
    [[nodiscard]] Result<Execution> step(ExecuteOptions options = {});
    /// Seconds of the last step, without what is done between steps.
    [[nodiscard]] double seconds() const { return m_seconds; }
    [[nodiscard]] std::int64_t stepsDone() const { return m_stepsDone; }
    /// Shards that the last step returned, by device id, by output; padding is zero.
    [[nodiscard]] const std::vector<Arrays>& shards() const { return m_results; }
    [[nodiscard]] AssembledArray result(std::size_t output) const;

private:
    explicit PartitionedSteps(const DeviceProgram& program)
        : m_program(&program)
    {
    }
    [[nodiscard]] Arrays shardsOfResult(std::size_t output) const;

    const DeviceProgram* m_program;
    std::vector<NextArgument> m_next;
    std::vector<Arrays> m_arguments, m_results; ///< by device id
    double m_seconds = 0;
    std::int64_t m_stepsDone = 0;
};

/// `arguments` are full arrays, one per input. Nothing comes out if it was stopped. Errors: those of execute();
/// DevicesMismatch for a mesh whose devices are not 0 .. n-1.
[[nodiscard]] Result<PartitionedExecution> executePartitioned(
    const DeviceProgram& program, const Arrays& arguments, ExecuteOptions options = {});

} // namespace shardscope::evaluate
