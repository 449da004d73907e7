// SPDX-License-Identifier: GPL-3.0-or-later
// What main of a program in a text takes and returns, on every device and computed whole: for whoever looks at its
// numbers. What is between the two is not kept.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "simulate/evaluate/partitioned.h"
#include "simulate/value_reader.h"

namespace shardscope::evaluate {

struct ProgramValues {
    SpmdProgram device;
    std::vector<Arrays> inputs, outputs; ///< by input (output) of main, by device id
    Arrays wholeInputs; ///< what the shards were cut from
    Arrays reference; ///< outputs of the program computed on one device, without any sharding
};
using ProgramValuesPtr = std::shared_ptr<const ProgramValues>;

struct ProgramInputs {
    std::uint64_t seed = 0; ///< numbers with a fraction are drawn from a standard normal distribution, others are 1
    std::int64_t memoryLimit = 0; ///< bytes; 0 = memoryLimit() of a run. Half of it at most is for what is kept
    std::stop_token stop = {};
};

/// `program` has its shardings and lies over a mesh. Null if stopped. Errors: those of partitionProgram() and
/// execute(); OutOfMemory {bytes, limit} where what would be kept is too large, before it is computed.
[[nodiscard]] Result<ProgramValuesPtr> computeProgramValues(const Program& program, const ProgramInputs& inputs);

/// Reads arguments and results of main by their ids in `named`, a program with the same main as the one computed.
/// Everything else is Overwritten.
class ProgramReader final : public ValueReader {
public:
    ProgramReader(ProgramPtr named, ProgramValuesPtr values);
    [[nodiscard]] Held held(ValueId value) const override;
    [[nodiscard]] DType dtype(ValueId value) const override;
    [[nodiscard]] Layout layout(ValueId value) const override;
    void readLocal(ValueId value, std::int64_t position, const Sample& sample, std::span<double> out) const override;
    /// The whole array of the reference, row-major.
    [[nodiscard]] std::vector<double> reference(ValueId value) const;

private:
    struct Place {
        const ShardedArray* array = nullptr;
        const Arrays* shards = nullptr; ///< by device id
        const Array* whole = nullptr;
    };
    [[nodiscard]] Place placeOf(ValueId value) const;
    ProgramPtr m_named;
    ProgramValuesPtr m_values;
};

} // namespace shardscope::evaluate
