// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/execute.h"

#include "program/calls.h"
#include "program/value_shardings.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/bytes.h"
#include "base/codes.h"
#include "program/custom_calls.h"
#include "program/function_names.h"
#include "program/op_row.h"
#include "program/verify_manual.h"
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

/// Looks at everything that a run reaches. Kernels write results of the declared shapes and read operands as their
/// attributes say; that these fit each other is found out here, once and for all of them. A function that runs on
/// different devices is looked at for each of these.
class Inspection {
public:
    Inspection(const Program& program, DeviceCounts devices)
        : m_program(program)
        , m_devices(devices)
    {
    }
    void run(RegionId body)
    {
        found = verify(m_program);
        if (found.empty())
            region(body);
    }
    void region(RegionId id)
    {
        if (!m_seen.insert({ id.index, m_devices.replicas, m_devices.partitions, m_mesh }).second)
            return;
        for (const OperationId op : m_program.regions[id.index].operations)
            operation(op);
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

    /// Devices of another number, or in another order.
    void regionOn(DeviceCounts devices, const Mesh* mesh, RegionId id)
    {
        const DeviceCounts before = std::exchange(m_devices, devices);
        const Mesh* over = std::exchange(m_mesh, mesh);
        region(id);
        m_devices = before;
        m_mesh = over;
    }

    void groups(const Operation& op)
    {
        if (std::optional<std::vector<Arg>> wrong = wrongGroups(m_program, op, m_devices))
            refuse(op, std::move(*wrong));
    }

    void manual(OperationId id, const Operation& op)
    {
        const auto* own = wideAs<ManualComputationAttributes>(op.attributes);
        if (!own)
            return refuse(op, { { "wrong", "unknown" } });
        verification::Findings findings(m_program);
        verification::checkManualComputation(m_program, id, nullptr, findings);
        if (findings.count() > 0) {
            std::vector<Diagnostic> wrong = findings.take();
            found.insert(found.end(), wrong.begin(), wrong.end());
            return;
        }
        const Mesh* mesh = meshOf(m_program, *own);
        if (m_mesh && mesh && *m_mesh == *mesh)
            return region(op.regions[0]);
        if (m_devices.all() > 1)
            return refuse(op, { { "wrong", "other_devices" } });
        for (std::int64_t position = 0; mesh && position < mesh->deviceCount(); ++position)
            if (mesh->deviceAt(position) >= mesh->deviceCount())
                return refuse(op,
                    { { "wrong", "groups" }, { "device", mesh->deviceAt(position) },
                        { "devices", mesh->deviceCount() } });
        regionOn({ 1, mesh ? mesh->deviceCount() : 1 }, mesh, op.regions[0]);
    }

    void parallel(const Operation& op)
    {
        const ParallelPrograms programs = parallelPrograms(m_program, op);
        if (!programs.function)
            return refuse(op, { { "wrong", "several_programs" } });
        const Region& body = m_program.regions[programs.function->body.index];
        const auto fits = [&](const auto& own, const std::vector<ValueId>& ofFunction) {
            const std::size_t count = ofFunction.size();
            if (static_cast<std::int64_t>(own.size())
                != saturatingProduct(programs.replicas * programs.partitions, static_cast<std::int64_t>(count)))
                return false;
            for (std::size_t i = 0; i < own.size(); ++i)
                if (m_program.value(own[i]).type != m_program.value(ofFunction[i % count]).type)
                    return false;
            return true;
        };
        if (!fits(op.operands, body.arguments) || !fits(op.results, body.results))
            return refuse(op, { { "wrong", "function" } });
        regionOn({ programs.replicas, programs.partitions }, nullptr, programs.function->body);
    }

    void operation(OperationId id)
    {
        const Operation& op = m_program.operation(id);
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
            const std::string* name = calleeOf(op);
            const Function* callee = name ? m_names.find(m_program, *name) : nullptr;
            if (!callee)
                return refuse(op, { { "wrong", "unknown" } });
            return region(callee->body);
        }
        case OpKind::ManualComputation:
            return manual(id, op);
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
            if (!op.regions.empty() && !body(op, op.regions[0]))
                return;
            return groups(op);
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
            if (isParallel(op))
                return parallel(op);
            return refuse(op, { { "wrong", "unknown" } });
        }
        default:
            if (isExchange(op.kind))
                return groups(op);
            if (isShardyCollective(op.kind) || evaluator(op.kind) || elementKernel(m_program, op))
                return;
            return refuse(op, { { "wrong", "unknown" } });
        }
    }

    const Program& m_program;
    const FunctionNames m_names{ m_program };
    DeviceCounts m_devices;
    const Mesh* m_mesh = nullptr; ///< of the manual computation around
    /// Regions, each with the devices that it was looked at on: the groups of collectives depend on them.
    std::set<std::tuple<std::uint32_t, std::int64_t, std::int64_t, const Mesh*>> m_seen;
};

/// An array of the caller as one that the device holds.
Array adopted(Array array, DeviceStore& store)
{
    array.bytes = store.adopt(std::move(array.bytes), array.type.byteCount());
    for (Array& part : array.parts)
        part = adopted(std::move(part), store);
    return array;
}

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
    Inspection inspection(program, { 1, devices });
    inspection.run(body);
    return std::move(inspection.found);
}

std::vector<Diagnostic> notExecutable(const Program& program, std::int64_t devices)
{
    return notExecutable(program, RegionId{ 0 }, devices);
}

double executionBytes(const Program& program, RegionId body, std::int64_t devices)
{
    return planMemory(program, body, devices, Lifetimes(program, body)).working * static_cast<double>(devices);
}

Result<Execution> execute(const Program& program, const std::vector<Arrays>& arguments, const ExecuteOptions& options)
{
    return execute(program, RegionId{ 0 }, arguments, options);
}

Result<Execution> execute(
    const Program& program, RegionId body, const std::vector<Arrays>& arguments, const ExecuteOptions& options)
{
    const std::int64_t devices = options.replicas * options.partitions;
    Inspection inspection(program, { options.replicas, options.partitions });
    inspection.run(body);
    if (!inspection.found.empty())
        return tl::unexpected(std::move(inspection.found.front()));
    if (auto fits = checkArguments(program, body, arguments, devices); !fits)
        return tl::unexpected(fits.error());
    Lifetimes lifetimes(program, body);
    Execution execution;
    execution.plan = planMemory(program, body, devices, lifetimes);
    const double needed = execution.plan.working * static_cast<double>(devices);
    std::int64_t limit = options.memoryLimit;
    if (limit == 0)
        limit = availableMemory().value_or(INT64_MAX) / 4 * 3;
    if (needed > static_cast<double>(limit))
        return fail(Code::OutOfMemory, { { "bytes", toBytes(needed) }, { "limit", limit } });

    Workers workers(options.threads);
    std::vector<DeviceStorePtr> own;
    std::vector<DeviceStorePtr>& stores = options.stores ? *options.stores : own;
    while (static_cast<std::int64_t>(stores.size()) < devices)
        stores.push_back(std::make_shared<DeviceStore>());
    std::int64_t trips = 0;
    Interpreter state(program, options, lifetimes, { workers, stores, trips });
    Devices active;
    const Region& main = program.regions[body.index];
    for (std::int32_t device = 0; device < devices; ++device) {
        active.push_back(device);
        DeviceStore& store = *stores[static_cast<std::size_t>(device)];
        store.setRoom(toBytes(execution.plan.working));
        store.restart();
        for (std::size_t i = 0; i < main.arguments.size(); ++i)
            state.set(main.arguments[i], device,
                adopted(arguments[arguments.size() == 1 ? 0 : static_cast<std::size_t>(device)][i], store));
        store.note();
    }
    if (auto done = state.run(body, active); !done)
        return tl::unexpected(done.error());
    execution.checks = std::move(state.checks());
    for (const std::int32_t device : active) {
        Arrays& results = execution.results.emplace_back();
        for (const ValueId value : main.results)
            results.push_back(state.at(value, device));
        const DeviceStore& store = *stores[static_cast<std::size_t>(device)];
        execution.peaks.push_back({ store.valuesPeak(), store.peak() });
    }
    if (!options.stores)
        for (const DeviceStorePtr& store : own) {
            store->setRoom(0);
            store->trim();
        }
    return execution;
}

} // namespace shardscope::evaluate
