// SPDX-License-Identifier: GPL-3.0-or-later
// The state of devices that step through one program together.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "program/function_names.h"
#include "simulate/evaluate/call.h"
#include "simulate/evaluate/device_store.h"
#include "simulate/evaluate/execute.h"
#include "simulate/evaluate/workers.h"

namespace shardscope::evaluate {

/// When values are read for the last time: by operation, those that nobody reads after it.
class Lifetimes {
public:
    Lifetimes(const Program& program, RegionId body);
    [[nodiscard]] std::span<const ValueId> endingAt(OperationId operation) const;
    /// Values of a region that are there when it has been executed: its arguments and those that it returns.
    [[nodiscard]] const std::vector<ValueId>& leftBy(RegionId region) const;
    /// Values of outer regions that a region and those inside it read.
    [[nodiscard]] const std::vector<ValueId>& outsideOf(RegionId region);
    /// The function that an operation calls; null for other operations.
    [[nodiscard]] const Function* calledBy(const Operation& operation) const;

private:
    void visit(RegionId region);

    const Program& m_program;
    const FunctionNames m_names;
    std::vector<std::vector<ValueId>> m_ending; ///< by operation
    std::unordered_map<std::uint32_t, std::vector<ValueId>> m_outside; ///< by region
    std::unordered_map<std::uint32_t, std::vector<ValueId>> m_left; ///< by region
    std::vector<bool> m_visited; ///< by region
};

using Devices = std::vector<std::int32_t>; ///< ascending

/// What the devices of an execution run on: threads, and memory by device, or one memory for all of them. The trips of
/// all loops are counted here, those inside of manual computations with those around them.
struct Machine {
    Workers& workers;
    std::vector<DeviceStorePtr> stores;
    std::int64_t& trips; ///< so far

    [[nodiscard]] const DeviceStorePtr& store(std::int32_t device) const
    {
        return stores.size() == 1 ? stores.front() : stores[static_cast<std::size_t>(device)];
    }
};

/// The manual computations around what is executed: the mesh that the devices are those of, and its manual axes. Along
/// all other axes every device has full arrays.
struct ManualAxes {
    const Mesh* mesh = nullptr; ///< null outside of manual computations
    std::vector<std::string> names;
};

class Interpreter {
public:
    Interpreter(const Program& program, const ExecuteOptions& options, Lifetimes& lifetimes, Machine machine);

    /// Executes a region on some of the devices. Its arguments are set by setArguments().
    [[nodiscard]] Result<void> run(RegionId region, const Devices& active);
    void set(ValueId value, std::int32_t device, Array array)
    {
        m_values[index(device)][value.index] = std::move(array);
    }
    [[nodiscard]] const Array& at(ValueId value, std::int32_t device) const
    {
        return m_values[index(device)][value.index];
    }
    [[nodiscard]] std::int64_t deviceCount() const { return static_cast<std::int64_t>(m_values.size()); }
    [[nodiscard]] const Program& program() const { return m_program; }
    [[nodiscard]] const ExecuteOptions& options() const { return m_options; }
    [[nodiscard]] std::vector<CheckFinding>& checks() { return m_checks; }
    [[nodiscard]] Lifetimes& lifetimes() { return m_lifetimes; }
    [[nodiscard]] const Machine& machine() const { return m_machine; }
    [[nodiscard]] ManualAxes& manualAxes() { return m_manualAxes; }
    /// Lets go of what a region was given and returns; nobody reads it any more.
    void leave(RegionId region, const Devices& active);

    /// Calls work(device) for each of some devices, several at a time; arrays that it makes are the device's. It may
    /// set values of this device alone. `bytes` is what one of them reads and writes.
    template <class Work>
    void forEach(const Devices& devices, double bytes, const Work& work)
    {
        m_machine.workers.run(static_cast<std::int64_t>(devices.size()), bytes * static_cast<double>(devices.size()),
            [&](std::int64_t task) {
                const std::int32_t device = devices[static_cast<std::size_t>(task)];
                const StoreScope scope(*m_machine.store(device));
                work(device);
            });
    }
    /// Bytes of the operands and results of an operation on one device.
    [[nodiscard]] double bytesOf(const Operation& op) const;

private:
    static std::size_t index(std::int32_t device) { return static_cast<std::size_t>(device); }

    Result<void> step(OperationId id, const Devices& active);
    Result<void> loop(const Operation& op, const Devices& active);
    Result<void> branch(const Operation& op, const Devices& active);
    Result<void> call(const Operation& op, RegionId body, const Devices& active);
    Result<void> checkShapeOperands(const Operation& op, const Devices& active);
    void compute(const Operation& op, const Devices& active);
    /// Results of the region are the results of the operation, or what is given.
    void takeResults(RegionId region, std::span<const ValueId> targets, const Devices& active);

    const Program& m_program;
    ExecuteOptions m_options;
    Lifetimes& m_lifetimes;
    Machine m_machine;
    ManualAxes m_manualAxes;
    std::vector<std::vector<Array>> m_values; ///< by device, by value
    std::vector<CheckFinding> m_checks;
};

// What the interpreter has others do.

/// Operations by which devices exchange values, or that ask which device it is.
[[nodiscard]] bool isExchange(OpKind kind);
[[nodiscard]] Result<void> exchange(Interpreter& state, const Operation& op, const Devices& active);
struct DeviceCounts {
    std::int64_t replicas = 1, partitions = 1;
    [[nodiscard]] std::int64_t all() const { return replicas * partitions; }
};
/// The devices of a collective's groups, in the order of the groups; of a collective_permute (sender, receiver).
[[nodiscard]] std::vector<Devices> groupsOf(const Operation& op, const DeviceCounts& devices);
/// What of a collective's groups does not go with the devices that there are, or with the types of its operands and
/// results: arguments of NotExecutable. Nothing where all is well.
[[nodiscard]] std::optional<std::vector<Arg>> wrongGroups(
    const Program& program, const Operation& op, const DeviceCounts& devices);
/// Shardy's collectives say how arrays lie on devices, and leave their elements as they are. An all_reduce over axes
/// that are manual adds up what the devices along them have.
[[nodiscard]] Result<void> exchangeOverMesh(Interpreter& state, const Operation& op, const Devices& active);

/// "check.expect_eq" and its like, as an operation or as the target of a custom call.
[[nodiscard]] bool isCheck(const Operation& op);
[[nodiscard]] Result<void> check(Interpreter& state, OperationId id, const Devices& active);
/// Operations that the reader keeps without knowing them, and that can be executed all the same.
[[nodiscard]] bool isKnownOpaque(const Program& program, const Operation& op);
[[nodiscard]] Arrays evaluateOpaque(const Call& call);
/// What they make where their operands say so, if it is not what is declared. Negative sizes are none at all.
[[nodiscard]] std::optional<TensorType> otherResult(
    const Program& program, const Operation& op, std::span<const Array> operands);
/// interpreter.run_parallel: one function on several devices.
[[nodiscard]] bool isParallel(const Operation& op);
[[nodiscard]] Result<void> runParallel(Interpreter& state, const Operation& op, const Devices& active);
/// The function of a run_parallel, if all devices execute the same one; its rows are replicas.
struct ParallelPrograms {
    const Function* function = nullptr; ///< null where there are several, or none
    std::int64_t replicas = 0, partitions = 0;
};
[[nodiscard]] ParallelPrograms parallelPrograms(const Program& program, const Operation& op);
/// A manual computation of a whole program: its body on all devices of the mesh.
[[nodiscard]] Result<void> runManual(Interpreter& state, const Operation& op, const Devices& active);
/// The mesh of a manual computation; null where it has none.
[[nodiscard]] const Mesh* meshOf(const Program& program, const ManualComputationAttributes& own);

[[nodiscard]] tl::unexpected<Error> cannot(const Program& program, const Operation& op, std::vector<Arg> args);
/// A loop that was on its way when `limit` trips had been made.
[[nodiscard]] tl::unexpected<Error> tooManyTrips(const Program& program, const Operation& op, std::int64_t limit);

/// Part `part` of `parts` equal ones along a dimension, an array of its own, and arrays one after the other.
[[nodiscard]] Array partOf(const Array& array, std::size_t dimension, std::int64_t part, std::int64_t parts);
[[nodiscard]] Array copied(const Array& array);
[[nodiscard]] Array joined(std::span<const Array> arrays, std::size_t dimension);

/// The values of one device, for regions that read what is around them.
class DeviceScope final : public Scope {
public:
    DeviceScope(const Interpreter& state, std::int32_t device)
        : m_state(state)
        , m_device(device)
    {
    }
    [[nodiscard]] const Array& at(ValueId value) const override { return m_state.at(value, m_device); }

private:
    const Interpreter& m_state;
    std::int32_t m_device;
};

} // namespace shardscope::evaluate
