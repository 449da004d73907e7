// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/execute.h"

#include <algorithm>

#include "base/codes.h"
#include "simulate/run/memory_needed.h"
#include "simulate/run/not_executable.h"

namespace shardscope {

namespace {

Result<std::shared_ptr<const Plan>> planOf(
    ProgramPtr source, std::shared_ptr<const PartitionedProgram> parts, const ExecuteOptions& options)
{
    const std::int64_t devices = parts->device.mesh->deviceCount(), replicas = parts->device.replicas;
    if (std::vector<Diagnostic> refused = notExecutable(parts->device.program, { replicas, devices / replicas });
        !refused.empty())
        return tl::unexpected<Error>(std::move(refused.front()));
    SHARDSCOPE_TRY(flat, flatten(std::move(source), std::move(parts), {}));
    ScheduleOptions scheduling;
    scheduling.plain = options.plain;
    Result<Plan> plan = schedule(std::make_shared<const FlatProgram>(std::move(*flat)), scheduling);
    if (!plan && plan.error().code == Code::TooLarge) { // for any plan, and for this machine all the more
        RunOptions limited;
        limited.memoryLimit = options.memoryLimit;
        return tl::unexpected(runOutOfMemory(plan.error(), devices, limited));
    }
    if (!plan)
        return tl::unexpected<Error>(std::move(plan.error()));
    return std::make_shared<const Plan>(std::move(*plan));
}

Result<void> checkArguments(const FlatProgram& program, const kernels::Arrays& arguments)
{
    if (arguments.size() != program.inputs.size())
        return fail(Code::CountMismatch,
            { { "what", "arguments" }, { "found", arguments.size() }, { "wanted", program.inputs.size() },
                { "of", "main" } });
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].type != program.inputs[i].type)
            return fail(Code::TypeMismatch,
                { { "op", "argument " + std::to_string(i) }, { "wrong", "argument" },
                    { "given", toString(arguments[i].type) }, { "type", toString(program.inputs[i].type) } });
    return {};
}

} // namespace

Execution resultsOf(const Run& run, bool withShards)
{
    const FlatProgram& program = *run.plan().program;
    Execution out;
    out.findings = run.findings();
    out.shards.resize(static_cast<std::size_t>(program.mesh->deviceCount()));
    for (std::size_t r = 0; r < program.outputs.size(); ++r) {
        const ShardedArray& how = program.outputs[r];
        kernels::Arrays shards = run.shardsOfResult(r);
        shards.resize(out.shards.size(), kernels::Array{ how.type, {}, {} }); // tokens are nowhere
        clearPadding(shards, how, program.mesh);
        AssembledArray assembled = assembleShards(shards, how, program.mesh);
        out.outputs.push_back(std::move(assembled.full));
        const bool kept = withShards || assembled.differ;
        if (assembled.differ) {
            assembled.differ->output = r;
            out.differences.push_back(*assembled.differ);
        }
        for (std::size_t device = 0; device < shards.size(); ++device)
            out.shards[device].push_back(kept ? std::move(shards[device]) : kernels::Array());
    }
    return out;
}

Result<Execution> execute(ProgramPtr source, std::shared_ptr<const PartitionedProgram> parts,
    const kernels::Arrays& arguments, const ExecuteOptions& options)
{
    SHARDSCOPE_TRY(plan, planOf(std::move(source), std::move(parts), options));
    SHARDSCOPE_CHECK(checkArguments(*(*plan)->program, arguments));
    RunOptions how;
    how.threads = options.threads;
    how.memoryLimit = options.memoryLimit;
    how.maximumTrips = options.maximumTrips;
    how.stop = options.stop;
    how.plainKernels = options.plainKernels;
    how.observers = options.observers;
    how.initial.arrays = arguments;
    SHARDSCOPE_TRY(run, Run::create(std::move(*plan), how));
    if (!*run)
        return Execution();
    (*run)->step();
    if (std::optional<Error> failure = (*run)->failure())
        return tl::unexpected<Error>(std::move(*failure));
    return (*run)->stopped() ? Execution() : resultsOf(**run);
}

Result<double> executionBytes(
    const ProgramPtr& source, const std::shared_ptr<const PartitionedProgram>& parts, const ExecuteOptions& options)
{
    SHARDSCOPE_TRY(plan, planOf(source, parts, options));
    RunOptions how;
    how.threads = options.threads;
    how.memoryLimit = options.memoryLimit;
    return runBytes(**plan, ReplicaMode::Own, threadsOf(how), static_cast<double>(memoryLimit(how)), {});
}

} // namespace shardscope
