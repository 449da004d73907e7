// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/execute.h"

#include "program/value_shardings.h"

#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "base/codes.h"
#include "program/custom_calls.h"
#include "program/op_row.h"
#include "simulate/evaluate/body.h"
#include "simulate/evaluate/elementwise.h"
#include "simulate/evaluate/interpreter.h"
#include "simulate/memory.h"

namespace shardscope::evaluate {

namespace {

/// Custom calls that give back what they are given.
bool isTransparent(const std::string& target)
{
    return target == "Sharding" || target == "annotate_device_placement" || target == "LayoutConstraint"
        || target == "MoveToDevice" || target == "MoveToHost" || target == "xla.sdy.FuncResultSharding";
}

class Inspection {
public:
    Inspection(const Program& program, std::int64_t devices)
        : m_program(program)
        , m_devices(devices)
    {
    }
    void region(RegionId id)
    {
        if (!m_seen.insert(id.index).second)
            return;
        for (const OperationId op : m_program.regions[id.index].operations)
            operation(m_program.operation(op));
    }
    std::vector<Diagnostic> found;

private:
    void refuse(const Operation& op, std::vector<Arg> args)
    {
        found.push_back(cannot(m_program, op, std::move(args)).value());
    }

    bool typesAreKnown(const Operation& op)
    {
        const bool tuples = op.kind == OpKind::Tuple || op.kind == OpKind::GetTupleElement || op.kind == OpKind::Call
            || op.kind == OpKind::Outfeed || op.kind == OpKind::AfterAll || op.kind == OpKind::CreateToken
            || op.kind == OpKind::OptimizationBarrier || op.kind == OpKind::While || op.kind == OpKind::If
            || op.kind == OpKind::Case || isParallel(op);
        const auto isKnown = [&](ValueId id) {
            const TensorType& type = m_program.value(id).type;
            if (isComplex(type.dtype)) {
                refuse(op, { { "wrong", "complex" }, { "type", toString(type) } });
                return false;
            }
            const bool dynamic = std::find_if(type.shape.begin(), type.shape.end(), [](std::int64_t n) {
                return n < 0;
            }) != type.shape.end();
            if (dynamic || (!isTensor(type.dtype) && !tuples)) {
                refuse(op,
                    { { "wrong", "type" },
                        { "type",
                            type.dtype == DType::Other && type.other < m_program.otherTypes.size()
                                ? m_program.otherTypes[type.other]
                                : toString(type) } });
                return false;
            }
            return true;
        };
        return std::all_of(op.operands.begin(), op.operands.end(), isKnown)
            && std::all_of(op.results.begin(), op.results.end(), isKnown);
    }

    bool body(const Operation& op, RegionId id)
    {
        std::optional<OperationId> inner;
        if (Body::translate(m_program, id, &inner))
            return true;
        refuse(op,
            { { "wrong", "body" }, { "inner", inner ? qualifiedName(m_program.operation(*inner)) : std::string() } });
        return false;
    }

    void operation(const Operation& op)
    {
        if (op.kind == OpKind::Send || op.kind == OpKind::Recv || op.kind == OpKind::Infeed)
            return refuse(op, { { "wrong", "transfer" } });
        if (!typesAreKnown(op))
            return;
        switch (op.kind) {
        case OpKind::While:
        case OpKind::If:
        case OpKind::Case:
        case OpKind::NamedComputation:
            for (const RegionId inner : op.regions)
                region(inner);
            return;
        case OpKind::Call:
        case OpKind::Composite: {
            const auto* call = wideAs<CallAttributes>(op.attributes);
            const auto* composite = wideAs<CompositeAttributes>(op.attributes);
            const Function* callee = m_program.function(call ? call->callee
                    : composite                              ? composite->decomposition
                                                             : std::string());
            if (!callee)
                return refuse(op, { { "wrong", "unknown" } });
            return region(callee->body);
        }
        case OpKind::ManualComputation: {
            const auto* own = wideAs<ManualComputationAttributes>(op.attributes);
            const Mesh* mesh = own ? meshOf(m_program, *own) : nullptr;
            if (m_devices > 1 || !own)
                return refuse(op, { { "wrong", "unknown" } });
            if (mesh && mesh->deviceCount() > 1) {
                const std::int64_t before = std::exchange(m_devices, mesh->deviceCount());
                region(op.regions[0]);
                m_devices = before;
                return;
            }
            return region(op.regions[0]);
        }
        case OpKind::ShardingGroup:
        case OpKind::Outfeed:
        case OpKind::AfterAll:
        case OpKind::CreateToken:
        case OpKind::Tuple:
        case OpKind::GetTupleElement:
            return;
        case OpKind::CustomCall: {
            if (isCheck(op))
                return;
            const auto* own = wideAs<CustomCallAttributes>(op.attributes);
            if (own && isTransparent(own->target) && op.operands.size() == 1 && op.results.size() == 1
                && m_program.value(op.operands[0]).type == m_program.value(op.results[0]).type)
                return;
            return refuse(op, { { "wrong", "custom_call" }, { "target", own ? own->target : std::string() } });
        }
        case OpKind::AllReduce:
        case OpKind::ReduceScatter:
            if (!op.regions.empty())
                (void)body(op, op.regions[0]);
            return;
        case OpKind::Scatter:
        case OpKind::Sort:
        case OpKind::VariadicReduce:
        case OpKind::ReduceWindow:
        case OpKind::SelectAndScatter:
        case OpKind::Map:
            for (const RegionId inner : op.regions)
                if (!body(op, inner))
                    return;
            return;
        case OpKind::Opaque: {
            if (isCheck(op) || isKnownOpaque(m_program, op))
                return;
            if (isParallel(op)) {
                const ParallelPrograms programs = parallelPrograms(m_program, op);
                if (programs.function) {
                    const std::int64_t before = std::exchange(m_devices, programs.replicas * programs.partitions);
                    region(programs.function->body);
                    m_devices = before;
                    return;
                }
                return refuse(op, { { "wrong", "several_programs" } });
            }
            return refuse(op, { { "wrong", "unknown" } });
        }
        default:
            if (isExchange(op.kind) || isShardyCollective(op.kind) || evaluator(op.kind)
                || elementKernel(m_program, op))
                return;
            return refuse(op, { { "wrong", "unknown" } });
        }
    }

    const Program& m_program;
    std::int64_t m_devices;
    std::set<std::uint32_t> m_seen; ///< regions
};

/// Bytes of a region at its fullest moment, beside what is there before.
class Estimate {
public:
    Estimate(const Program& program, Lifetimes& lifetimes)
        : m_program(program)
        , m_lifetimes(lifetimes)
    {
    }
    double region(RegionId id)
    {
        const Region& own = m_program.regions[id.index];
        double live = 0, peak = 0;
        for (const ValueId value : own.arguments)
            live += bytes(value);
        for (const OperationId operation : own.operations) {
            const Operation& op = m_program.operation(operation);
            double results = 0, operands = 0;
            for (const ValueId value : op.results)
                results += bytes(value);
            for (const ValueId value : op.operands)
                operands += bytes(value);
            peak = std::max(peak, live + results + beside(op, operands, results));
            live += results;
            for (const ValueId value : m_lifetimes.endingAt(operation))
                live -= bytes(value);
        }
        return peak > live ? peak : live;
    }

private:
    double bytes(ValueId value) const { return static_cast<double>(m_program.value(value).type.byteCount()); }

    /// What an operation takes beside operands and results.
    double beside(const Operation& op, double operands, double results)
    {
        double inner = 0;
        switch (op.kind) {
        case OpKind::While:
        case OpKind::If:
        case OpKind::Case:
        case OpKind::NamedComputation:
        case OpKind::ManualComputation:
            for (const RegionId id : op.regions)
                inner = std::max(inner, region(id));
            if (op.kind == OpKind::ManualComputation)
                if (const auto* own = wideAs<ManualComputationAttributes>(op.attributes))
                    if (const Mesh* mesh = meshOf(m_program, *own))
                        inner *= static_cast<double>(mesh->deviceCount());
            return inner;
        case OpKind::Call:
        case OpKind::Composite: {
            const auto* call = wideAs<CallAttributes>(op.attributes);
            const auto* composite = wideAs<CompositeAttributes>(op.attributes);
            const Function* callee = m_program.function(call ? call->callee
                    : composite                              ? composite->decomposition
                                                             : std::string());
            return callee ? region(callee->body) : 0;
        }
        case OpKind::Constant:
        case OpKind::Iota:
        case OpKind::Reshape:
        case OpKind::Slice:
        case OpKind::BroadcastInDim:
        case OpKind::Transpose:
            return 0;
        case OpKind::Convolution: {
            const auto* own = wideAs<ConvolutionAttributes>(op.attributes);
            double patches = 1; // windows times what lies under one
            for (const std::int64_t d : own->outputSpatial)
                patches *= static_cast<double>(m_program.value(op.results[0]).type.shape[static_cast<std::size_t>(d)]);
            const TensorType& kernel = m_program.value(op.operands[1]).type;
            patches *= static_cast<double>(kernel.elementCount())
                / std::max(1.0, static_cast<double>(kernel.shape[static_cast<std::size_t>(own->kernelOutputFeature)]));
            return operands + results + patches * static_cast<double>(byteSize(kernel.dtype));
        }
        default:
            return operands;
        }
    }

    const Program& m_program;
    Lifetimes& m_lifetimes;
};

Result<void> checkArguments(
    const Program& program, RegionId body, const std::vector<Arrays>& arguments, std::int64_t devices)
{
    const std::vector<ValueId>& wanted = program.regions[body.index].arguments;
    if (arguments.size() != 1 && static_cast<std::int64_t>(arguments.size()) != devices
        && !(arguments.empty() && wanted.empty()))
        return fail(Code::CountMismatch,
            { { "what", "devices" }, { "found", arguments.size() }, { "wanted", devices }, { "of", "arguments" } });
    for (const Arrays& given : arguments) {
        if (given.size() != wanted.size())
            return fail(Code::CountMismatch,
                { { "what", "arguments" }, { "found", given.size() }, { "wanted", wanted.size() }, { "of", "main" } });
        for (std::size_t i = 0; i < given.size(); ++i)
            if (given[i].type != program.value(wanted[i]).type)
                return fail(Code::TypeMismatch,
                    { { "op", "argument " + std::to_string(i) }, { "wrong", "argument" },
                        { "given", toString(given[i].type) }, { "type", toString(program.value(wanted[i]).type) } });
    }
    return {};
}

} // namespace

std::vector<Diagnostic> notExecutable(const Program& program, RegionId body, std::int64_t devices)
{
    Inspection inspection(program, devices);
    inspection.region(body);
    return std::move(inspection.found);
}

std::vector<Diagnostic> notExecutable(const Program& program, std::int64_t devices)
{
    return notExecutable(program, RegionId{ 0 }, devices);
}

double executionBytes(const Program& program, RegionId body, std::int64_t devices)
{
    Lifetimes lifetimes(program, body);
    return Estimate(program, lifetimes).region(body) * static_cast<double>(devices);
}

Result<Execution> execute(const Program& program, const std::vector<Arrays>& arguments, const ExecuteOptions& options)
{
    return execute(program, RegionId{ 0 }, arguments, options);
}

Result<Execution> execute(
    const Program& program, RegionId body, const std::vector<Arrays>& arguments, const ExecuteOptions& options)
{
    const std::int64_t devices = options.replicas * options.partitions;
    if (std::vector<Diagnostic> refused = notExecutable(program, body, devices); !refused.empty())
        return tl::unexpected(std::move(refused.front()));
    if (auto fits = checkArguments(program, body, arguments, devices); !fits)
        return tl::unexpected(fits.error());
    Lifetimes lifetimes(program, body);
    const double needed = Estimate(program, lifetimes).region(body) * static_cast<double>(devices);
    std::int64_t limit = options.memoryLimit;
    if (limit == 0)
        limit = availableMemory().value_or(INT64_MAX) / 4 * 3;
    if (needed > static_cast<double>(limit))
        return fail(Code::OutOfMemory, { { "bytes", toBytes(needed) }, { "limit", limit } });

    Interpreter state(program, options, lifetimes);
    Devices active;
    const Region& main = program.regions[body.index];
    for (std::int32_t device = 0; device < devices; ++device) {
        active.push_back(device);
        for (std::size_t i = 0; i < main.arguments.size(); ++i)
            state.set(
                main.arguments[i], device, arguments[arguments.size() == 1 ? 0 : static_cast<std::size_t>(device)][i]);
    }
    if (auto done = state.run(body, active); !done)
        return tl::unexpected(done.error());
    Execution execution;
    execution.checks = std::move(state.checks());
    for (const std::int32_t device : active) {
        Arrays& results = execution.results.emplace_back();
        for (const ValueId value : main.results)
            results.push_back(state.at(value, device));
    }
    return execution;
}

} // namespace shardscope::evaluate
