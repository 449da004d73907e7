// SPDX-License-Identifier: GPL-3.0-or-later
// What the devices held after every operation of a program that they executed, as far as there was room to keep it.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "partition/device_values.h"
#include "simulate/check/non_finite.h"
#include "simulate/check/reference_values.h"
#include "simulate/run/execute.h"

namespace shardscope {

/// A result of an operation.
struct HeldValue {
    ValueId value; ///< of DeviceProgram::program
    ValueId meant; ///< of the program that was partitioned; invalid for what came with the partition
    ShardedArray array; ///< what the devices hold shards of
    bool own = false; ///< they do not: every device has an array of its own
    kernels::Arrays shards; ///< by device id; empty where there was no room to keep them
    kernels::Array
        reference; ///< whole, as one device computes it without any sharding; without elements where there is none
    [[nodiscard]] bool isKept() const { return !shards.empty(); }
};

struct ProgramStep {
    OperationId operation; ///< of DeviceProgram::program
    std::int64_t occurrence = 1; ///< in loops and functions: how often it has been executed
    std::vector<HeldValue> results;
};

struct ProgramSteps {
    static constexpr std::size_t maxSteps = 20000;

    std::vector<ProgramStep> steps; ///< in order; the first maxSteps
    /// The first NaN and the first infinity that an operation gave, and the step at which it did.
    struct FirstNonFinite {
        NonFinite found;
        std::size_t step = 0;
    };
    std::vector<FirstNonFinite> nonFinite;

    /// The step before `end` that computed a value of the program that was given last; nothing if none did.
    [[nodiscard]] const HeldValue* lastOf(ValueId meant, std::size_t end) const;
    /// The first step that computes it.
    [[nodiscard]] std::optional<std::size_t> firstOf(ValueId meant) const;
};

/// Keeps values of the reference, to be handed to a StepRecorder.
class ReferenceRecorder final : public Observer {
public:
    /// `parts`: what unsharded() made of `given`.
    ReferenceRecorder(const Program& given, const PartitionedProgram& parts, double room)
        : m_values(given, parts)
        , m_room(room)
    {
    }
    void computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
        std::span<kernels::Array> results) override;
    /// Null where it was not kept.
    [[nodiscard]] const kernels::Array* find(ValueId value, std::int64_t occurrence) const;

private:
    ReferenceValues m_values;
    double m_room;
    std::unordered_map<std::uint64_t, kernels::Array> m_kept; ///< by value and occurrence
    std::unordered_map<std::uint32_t, std::uint32_t> m_seen; ///< by value
};

class StepRecorder final : public Observer {
public:
    StepRecorder(const Program& given, const PartitionedProgram& parts, double room);
    void computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
        std::span<kernels::Array> results) override;
    [[nodiscard]] ProgramSteps take(const ReferenceRecorder& reference);

private:
    void begin(OperationId operation, std::span<const kernels::Array> results);

    const Program& m_program; ///< of every device
    std::size_t m_devices;
    DeviceValues m_values;
    NonFiniteWatch m_watch;
    double m_room;
    ProgramSteps m_out;
    std::vector<bool> m_there; ///< by device: has executed the last step
    std::unordered_map<std::uint32_t, std::int64_t> m_seen; ///< by operation
    bool m_full = false;
};

} // namespace shardscope
