// SPDX-License-Identifier: GPL-3.0-or-later
// Simulated devices: memory of their own, and a step executed on all of them. Collectives are the only exchange.
//
// A Run is the only thing in the model that changes: device memory and a step counter. It is used from one thread at a
// time; inside a step it spreads devices over its workers. The bits of every result are the same for any number of
// workers: each device's kernels run on one thread, sums have a fixed order.
//
//     auto run = Run::create(plan, { .threads = 2 });
//     (*run)->step();
//     std::vector<double> w = (*run)->gather(program.find("params/layers.0/W1"));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "schedule/plan.h"
#include "simulate/check/expectation.h"
#include "simulate/run/initial_values.h"

namespace shardscope {

/// Replicas with storage of their own, or one storage for state that holds the same bits on all of them at all times
/// (and then they share the work on it as well). The bits of all results are the same in either mode.
enum class ReplicaMode : std::uint8_t { Own, Shared };

/// Sees what the devices compute, operation by operation.
class Observer {
public:
    virtual ~Observer() = default;
    /// An operation on one device (by id), loops and branches included, once they are over; in the order of the
    /// program, and of the devices. The arrays are the device's memory: what is kept has to be copied. What is written
    /// to the results stands in the place of what was computed.
    virtual void computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
        std::span<kernels::Array> results) = 0;
};

/// A program whose loops make more trips than that, all of them together, is taken for one that does not end.
inline constexpr std::int64_t defaultTrips = 100'000;

struct RunOptions {
    int threads = 0; ///< 0 = one per core
    ReplicaMode replicas = ReplicaMode::Own;
    InitialValues initial;
    std::int64_t memoryLimit = 0; ///< bytes over all devices, 0 = three quarters of availableMemory()
    double reservedBytes = 0; ///< what the caller takes besides, counted against the limit
    /// Breaks off whatever the run is doing, for its whole life: see stopped(). Nobody waits for a run that is not
    /// needed any more.
    std::stop_token stop;
    std::int64_t maximumTrips = defaultTrips; ///< of a device's loops in one step, all of them together
    /// Each operation by its plain kernel, written for clarity: for a reference. None of the fast ones is trusted then.
    bool plainKernels = false;
    std::vector<Observer*> observers; ///< in this order; all devices take each step of a plain plan together then
    /// Room for the times of so many instructions per device and step, see Run::trace(); 0 = they are not recorded.
    std::size_t tracedInstructions = 0;
};
/// The limit in bytes.
[[nodiscard]] std::int64_t memoryLimit(const RunOptions& options);
/// How many there are.
[[nodiscard]] int threadsOf(const RunOptions& options);

/// Seconds of one device in one step. Compute and communication are measured; wait is what the device would have
/// waited for the others of its groups had all devices run at once: at every collective the group starts when its
/// last member is ready.
struct DeviceTimes {
    double compute = 0;
    double communication = 0;
    double wait = 0;
};

struct StepTiming {
    double wall = 0; ///< seconds of the whole step on this machine
    std::vector<DeviceTimes> devices;
};

/// An instruction as one device executed it, in seconds since the step began: when it would have been executed had all
/// devices run at once.
struct InstructionTime {
    std::uint32_t block = 0; ///< in Plan::blocks; 0 = main
    std::uint32_t instruction = 0; ///< number in its block
    double start = 0;
    double end = 0;
    double wait = 0; ///< of a collective: seconds before `start` in which the device waited for others of its group
};

/// Two copies of one shard that are not bitwise equal: the first element in which they differ.
struct ReplicaDifference {
    std::int64_t element = 0; ///< row-major global index
    std::int32_t device = 0, other = 0; ///< ids
    double value = 0, otherValue = 0;
};

/// Repeats a step and says how long each took: of a plan, or of a program in a text.
class Stepper {
public:
    virtual ~Stepper() = default;
    /// Back to the initial values, step 0.
    virtual void reset() = 0;
    /// One step on all devices.
    virtual const StepTiming& step() = 0;
    /// reset() or step() was broken off, or failed: devices hold nothing of meaning, nothing can be read, no step is
    /// taken any more. What goes on has to be created anew.
    [[nodiscard]] virtual bool stopped() const = 0;
    /// Why a step failed; nothing where none did.
    [[nodiscard]] virtual std::optional<Error> failure() const { return std::nullopt; }
    [[nodiscard]] virtual std::int64_t stepsDone() const = 0;
    [[nodiscard]] virtual int threads() const = 0;
};

class Run : public Stepper {
public:
    /// Errors: NotExecutable, and OutOfMemory {bytes: all that is needed, limit}. That is counted before any of it is
    /// taken: memory of the devices, tables of what moves, constants and operands that are one number everywhere,
    /// scratch, and what the caller reserves. With the argument shared_bytes where shared replicas would fit, and
    /// alone_bytes where the run would fit without what is reserved. Null if stopped.
    static Result<std::unique_ptr<Run>> create(std::shared_ptr<const Plan> plan, const RunOptions& options = {});

    [[nodiscard]] virtual const Plan& plan() const = 0;

    /// What a device holds of a value after the last step (or before the first, for arguments), row-major local shard.
    /// Empty if the value has no slot, or its slot was reused.
    [[nodiscard]] virtual std::vector<double> shard(ValueId value, std::int64_t position) const = 0;
    /// The raw bytes of the same.
    [[nodiscard]] virtual std::span<const std::byte> bytes(ValueId value, std::int64_t position) const = 0;
    /// The global array, put together from the first holder of every shard (partial values are added up).
    [[nodiscard]] virtual std::vector<double> gather(ValueId value) const = 0;
    /// The first place at which copies of a shard differ; nothing if all are bitwise equal, or none can be read.
    [[nodiscard]] virtual std::optional<ReplicaDifference> replicaDifference(ValueId value) const = 0;
    /// The same for the new value of a state argument or any result of main: index among the results.
    [[nodiscard]] virtual std::vector<double> gatherResult(std::size_t result) const = 0;
    [[nodiscard]] virtual std::optional<ReplicaDifference> replicaDifferenceOfResult(std::size_t result) const = 0;

    /// What the devices hold of a value or a result of main after the last step (of an argument, at this moment), by
    /// device id; empty where there is none.
    [[nodiscard]] virtual kernels::Arrays shardsOfValue(ValueId value) const = 0;
    [[nodiscard]] virtual kernels::Arrays shardsOfResult(std::size_t result) const = 0;
    [[nodiscard]] virtual kernels::Arrays shardsOfArgument(std::size_t argument) const = 0;

    /// The instructions that the device at a mesh position executed in the last step, in the order in which they ended:
    /// those of a loop once for every trip, and after them the loop itself. Empty unless RunOptions asks for it.
    [[nodiscard]] virtual std::span<const InstructionTime> trace(std::int64_t position) const = 0;
    /// How many executed instructions there was no room for in trace(), over all devices.
    [[nodiscard]] virtual std::int64_t untraced() const = 0;

    /// What the program's own expectations found in the last step, in the order of the devices.
    [[nodiscard]] virtual std::vector<ExpectationFinding> findings() const = 0;

    /// Bytes that collectives really moved in the last step, over all devices. Not comparable with sent_bytes.
    [[nodiscard]] virtual std::int64_t copiedBytes() const = 0;
    [[nodiscard]] virtual std::int64_t logicalBytes() const = 0; ///< as if every device had its own copies
    [[nodiscard]] virtual std::int64_t physicalBytes() const = 0;
};

/// n runs of so many loops each, as IPython's %%timeit: the mean and standard deviation over runs of the time per loop.
struct TimeitResult {
    std::vector<double> perLoop; ///< seconds per loop, one per run
    double mean = 0;
    double deviation = 0; ///< population standard deviation
    std::int64_t loops = 1;
    bool stopped = false;
    std::vector<DeviceTimes> devices; ///< mean per step
};
[[nodiscard]] TimeitResult timeit(Stepper& run, std::int64_t runs, std::int64_t loops, std::stop_token stop = {},
    const std::function<void(const StepTiming&)>& onStep = {});

} // namespace shardscope
