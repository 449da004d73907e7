// SPDX-License-Identifier: GPL-3.0-or-later
// Executes any program of the IR: whole on one device, which is the reference, or as the program of every device of
// several that are stepped through it together. Devices exchange values by collectives alone.
//
//     const auto done = execute(program, { { x, w } }, {});                      // one device
//     const auto each = execute(deviceProgram, shards, { .partitions = 8 });      // shards[d]: arguments of device d
//     // each->results[d][r]: result r of device d
//
// Everything that is known before a run is said before it: what cannot be executed, arguments that do not fit, and a
// program that is too large for the memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "program/program.h"
#include "simulate/evaluate/array.h"
#include "simulate/evaluate/device_store.h"
#include "simulate/evaluate/memory_plan.h"

namespace shardscope::evaluate {

using Arrays = std::vector<Array>;

/// Is told what is computed, in order. Arrays may be kept: nobody writes to them any more.
class Observer {
public:
    virtual ~Observer() = default;
    /// An operation on one device: what it was given, and its results. What stands in a manual computation of a whole
    /// program is not told: there values are shards.
    virtual void computed(OperationId operation, std::int64_t device, std::span<const Array> operands,
        std::span<const Array> results) = 0;
};

/// Puts something else in the place of what an operation computes.
class Perturbation {
public:
    virtual ~Perturbation() = default;
    /// Nothing where the result stays as it is.
    virtual std::optional<Array> changed(
        OperationId operation, std::int64_t device, std::span<const Array> operands, const Array& result) = 0;
};

/// A program whose loops make more trips than that, all of them together, is taken for one that does not end.
inline constexpr std::int64_t defaultTrips = 100'000;

struct ExecuteOptions {
    std::int64_t replicas = 1;
    std::int64_t partitions = 1; ///< device = replica * partitions + partition
    /// 0 = one per core where the work is worth it; a number = as many for all of it. Results have the same bits.
    int threads = 0;
    /// Memory of the devices, where it is to outlive one execution: several of the same program, one after the other.
    std::vector<DeviceStorePtr>* stores = nullptr;
    std::int64_t memoryLimit = 0; ///< bytes over all devices; 0 = three quarters of what the machine has free
    std::int64_t maximumTrips = defaultTrips; ///< of all loops together
    std::stop_token stop = {};
    Observer* observer = nullptr;
    Perturbation* perturbation = nullptr;
};

/// What a check.expect_... of the program found.
struct CheckFinding {
    OperationId operation;
    std::int64_t device = 0;
    std::int64_t element = -1; ///< the first that differs; -1: none, or the shapes do
    std::string value, expected; ///< of that element
    [[nodiscard]] bool passed() const { return element < 0 && value.empty(); }
};

/// Bytes that a device really held; what an observer keeps counts as held.
struct MemoryPeak {
    std::int64_t values = 0; ///< between two operations: MemoryPlan::values
    std::int64_t all = 0; ///< at any moment: MemoryPlan::working at most
};

struct Execution {
    std::vector<Arrays> results; ///< by device
    std::vector<CheckFinding> checks;
    MemoryPlan plan; ///< what every device was to need
    std::vector<MemoryPeak> peaks; ///< by device
};

/// What of a program cannot be executed; empty if all of it can. Only functions that main calls count.
///
/// NotExecutable {op, wrong}: "custom_call" target; "complex" type; "type" type; "body" inner; "transfer"; "function";
/// "other_devices"; "unknown"; "groups", "groups_twice" and "groups_size" for collectives whose groups do not go with
/// the devices or with the shapes. And what verify() finds: a shape that is declared and one that follows from
/// operands and attributes are never two, so that no kernel writes beyond its result or reads beyond its operands.
[[nodiscard]] std::vector<Diagnostic> notExecutable(const Program& program, std::int64_t devices = 1);
/// Of one function (by its body).
[[nodiscard]] std::vector<Diagnostic> notExecutable(const Program& program, RegionId body, std::int64_t devices);

/// Peak of the bytes, over all devices, of values and of what operations need beside them: planMemory().
[[nodiscard]] double executionBytes(const Program& program, RegionId body, std::int64_t devices);

/// Executes main, or the function whose body is given. `arguments` by device; one list for all of them is enough.
///
/// Errors: those above; NotExecutable {op, wrong: "diverged"} for a collective that not all devices of a group reach,
/// and "shape" for an operation that is given other sizes than it declares; CountMismatch and TypeMismatch for
/// arguments; OutOfMemory {bytes, limit} before anything is taken. NotExecutable {op, wrong: "loop_limit", value,
/// limit} is said of the loop that was on its way when `maximumTrips` were made; `value` is the path of its first
/// result, or "".
[[nodiscard]] Result<Execution> execute(
    const Program& program, const std::vector<Arrays>& arguments, const ExecuteOptions& options);
[[nodiscard]] Result<Execution> execute(
    const Program& program, RegionId body, const std::vector<Arrays>& arguments, const ExecuteOptions& options);

} // namespace shardscope::evaluate
