// SPDX-License-Identifier: GPL-3.0-or-later
// What a program in a text takes and returns, on every device and computed unsharded, and what the devices held on the
// way: for whoever looks at its numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "partition/partition_program.h"
#include "simulate/run/initial_values.h"
#include "simulate/run/program_steps.h"
#include "simulate/run/value_reader.h"

namespace shardscope {

struct ProgramValues {
    DeviceProgram device;
    std::vector<kernels::Arrays> inputs, outputs; ///< by input (output) of main, by device id
    kernels::Arrays fullInputs; ///< what the shards were taken from
    kernels::Arrays reference; ///< outputs of the program computed on one device, without any sharding
    ProgramSteps steps; ///< as far as a quarter of what is kept has room for them
};
using ProgramValuesPtr = std::shared_ptr<const ProgramValues>;

struct ProgramInputs {
    InitialValues initial; ///< what the arguments begin with
    std::int64_t memoryLimit = 0; ///< bytes; 0 = memoryLimit() of a run. Half of it at most is for what is kept
    std::stop_token stop = {};
};

/// `parts`: what the devices run of `program`. Null if stopped. Errors: those of unsharded() and execute(); OutOfMemory
/// {bytes, limit} where what would be kept is too large, before it is computed.
[[nodiscard]] Result<ProgramValuesPtr> computeProgramValues(
    const Program& program, const std::shared_ptr<const PartitionedProgram>& parts, const ProgramInputs& inputs);

/// A reader with the full arrays that its values are compared with.
class ComparedReader : public ValueReader {
public:
    /// Of a value that is held.
    [[nodiscard]] virtual bool hasReference(ValueId value) const = 0;
    /// The full array of the reference, row-major.
    [[nodiscard]] virtual std::vector<double> reference(ValueId value) const = 0;
};

/// Reads what an operation gave, whatever value it is asked for.
class StepReader final : public ComparedReader {
public:
    /// `held` is one of values->steps.
    StepReader(ProgramValuesPtr values, const HeldValue& held)
        : m_values(std::move(values))
        , m_held(held)
    {
    }
    [[nodiscard]] Held held(ValueId) const override { return m_held.isKept() ? Held::Yes : Held::Overwritten; }
    [[nodiscard]] DType dtype(ValueId) const override { return m_held.array.type.dtype; }
    [[nodiscard]] Layout layout(ValueId value) const override;
    /// NaN on a device that did not come past the operation.
    void readLocal(ValueId value, std::int64_t position, const Sample& sample, std::span<double> out) const override;
    [[nodiscard]] bool hasReference(ValueId) const override { return m_held.reference.bytes != nullptr; }
    [[nodiscard]] std::vector<double> reference(ValueId value) const override;

private:
    ProgramValuesPtr m_values;
    const HeldValue& m_held;
};

/// Reads arguments and results of main by their ids in `named`, a program with the same main as the one computed.
/// Everything else is Overwritten.
class ProgramReader final : public ComparedReader {
public:
    ProgramReader(ProgramPtr named, ProgramValuesPtr values);
    [[nodiscard]] Held held(ValueId value) const override;
    [[nodiscard]] DType dtype(ValueId value) const override;
    [[nodiscard]] Layout layout(ValueId value) const override;
    void readLocal(ValueId value, std::int64_t position, const Sample& sample, std::span<double> out) const override;
    [[nodiscard]] bool hasReference(ValueId) const override { return true; }
    [[nodiscard]] std::vector<double> reference(ValueId value) const override;

private:
    struct Place {
        const ShardedArray* array = nullptr;
        const kernels::Arrays* shards = nullptr; ///< by device id
        const kernels::Array* whole = nullptr;
    };
    [[nodiscard]] Place placeOf(ValueId value) const;
    ProgramPtr m_named;
    ProgramValuesPtr m_values;
};

} // namespace shardscope
