// SPDX-License-Identifier: GPL-3.0-or-later
// What devices held while they took a step, operation by operation, and beside it what one device computes without any
// sharding: as far as there was room to keep it. Made by a StepReplay.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "partition/device_values.h"
#include "simulate/check/non_finite.h"
#include "simulate/check/reference_values.h"
#include "simulate/run/value_reader.h"

namespace shardscope {

/// An argument of a step, or a result of one of its operations.
struct RecordedArray {
    ValueId value; ///< of the program of every device
    ValueId meant; ///< of the program that was partitioned; invalid for what came with the partition
    ShardedArray array; ///< what the devices hold shards of
    bool own = false; ///< they do not: every device has an array of its own
    kernels::Arrays shards; ///< by device id; empty where there was no room to keep them
    kernels::Array reference; ///< in full, as the unsharded program computes it; without elements where there is none
    [[nodiscard]] bool isKept() const { return !shards.empty(); }
    [[nodiscard]] bool hasReference() const { return reference.bytes != nullptr; }
    /// Row-major.
    [[nodiscard]] std::vector<double> referenceNumbers() const;
};

struct RecordedOperation {
    OperationId operation; ///< of the program of every device
    std::int64_t occurrence = 1; ///< in loops and functions: how often it has been executed
    std::vector<RecordedArray> results;
};

struct RecordedStep {
    static constexpr std::size_t maxOperations = 20'000;

    std::shared_ptr<const FlatProgram> program;
    std::vector<RecordedArray> arguments; ///< of main, before the first operation
    std::vector<RecordedOperation> operations; ///< in order; the first maxOperations
    /// The first NaN and the first infinity that an operation gave, and the number of that operation; operations.size()
    /// for one after the last that was kept.
    struct FirstNonFinite {
        NonFinite found;
        std::size_t operation = 0;
    };
    std::vector<FirstNonFinite> nonFinite;

    [[nodiscard]] const DeviceProgram& device() const { return program->parts->device; }
    /// What devices hold of a value of the given program after so many operations: of an argument what it began with;
    /// null where it has not been computed, or was not kept.
    [[nodiscard]] const RecordedArray* after(std::size_t count, ValueId meant) const;
    /// The first operation that computes it.
    [[nodiscard]] std::optional<std::size_t> firstOf(ValueId meant) const;
};
using RecordedStepPtr = std::shared_ptr<const RecordedStep>;

/// Reads one array of a step, whatever value it is asked for.
class RecordedReader final : public ValueReader {
public:
    /// `array` is one of `step`.
    RecordedReader(RecordedStepPtr step, const RecordedArray& array)
        : m_step(std::move(step))
        , m_array(array)
    {
    }
    [[nodiscard]] const RecordedArray& array() const { return m_array; }
    [[nodiscard]] Held held(ValueId) const override { return m_array.isKept() ? Held::Yes : Held::NotKept; }
    [[nodiscard]] DType dtype(ValueId) const override { return m_array.array.type.dtype; }
    [[nodiscard]] Layout layout(ValueId value) const override;
    /// NaN on a device that did not come past the operation.
    void readLocal(ValueId value, std::int64_t position, const Sample& sample, std::span<double> out) const override;

private:
    RecordedStepPtr m_step;
    const RecordedArray& m_array;
};

/// Observes a run; records while it is told to.
class StepRecorder : public Observer {
public:
    /// A step begins.
    virtual void begin(const Run& run) = 0;
    /// It is over.
    virtual void end() = 0;
};

/// Keeps what the unsharded program computes, to be handed to a DeviceRecorder.
class ReferenceRecorder final : public StepRecorder {
public:
    ReferenceRecorder(const FlatProgram& full, double room);
    void begin(const Run& run) override;
    void end() override { m_isOn = false; }
    void computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
        std::span<kernels::Array> results) override;
    /// Null where it was not kept.
    [[nodiscard]] const kernels::Array* find(ValueId value, std::int64_t occurrence) const;

private:
    void keep(ValueId value, std::int64_t occurrence, const kernels::Array& array);

    ReferenceValues m_values;
    double m_allRoom, m_room;
    bool m_isOn = false;
    std::unordered_map<std::uint64_t, kernels::Array> m_kept; ///< by value and occurrence; arguments as the 0th
    std::unordered_map<std::uint32_t, std::uint32_t> m_seen; ///< by value
};

class DeviceRecorder final : public StepRecorder {
public:
    DeviceRecorder(std::shared_ptr<const FlatProgram> program, double room);
    void begin(const Run& run) override;
    void end() override { m_isOn = false; }
    void computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
        std::span<kernels::Array> results) override;
    /// `reference`: of the same step; may be null.
    [[nodiscard]] RecordedStep take(const ReferenceRecorder* reference);

private:
    void beginOperation(OperationId operation, std::span<const kernels::Array> results);
    /// There is room to keep it on all devices, which is taken then.
    bool takeRoom(const TensorType& local);

    std::shared_ptr<const FlatProgram> m_program;
    std::size_t m_devices;
    DeviceValues m_values;
    std::optional<NonFiniteWatch> m_watch;
    double m_allRoom, m_room;
    bool m_isOn = false;
    RecordedStep m_out;
    std::vector<bool> m_there; ///< by device: has executed the last operation
    std::unordered_map<std::uint32_t, std::int64_t> m_seen; ///< by operation
    bool m_full = false;
    std::array<std::optional<RecordedStep::FirstNonFinite>, 2> m_nonFinite; ///< by kind; what an exchange seems to make
};

} // namespace shardscope
