// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/not_executable.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/bytes.h"
#include "base/codes.h"
#include "program/calls.h"
#include "program/collective_groups.h"
#include "program/custom_calls.h"
#include "program/function_names.h"
#include "program/op_row.h"
#include "program/parallel_call.h"
#include "program/value_shardings.h"
#include "program/verify_manual.h"
#include "propagation/import/manual_regions.h"
#include "simulate/check/expectation.h"
#include "simulate/kernels/body.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/elementwise.h"
#include "simulate/kernels/known_opaque.h"

namespace shardscope {

namespace {

/// The mesh of a manual computation; null where it has none.
const Mesh* meshOf(const Program& program, const ManualComputationAttributes& own)
{
    for (const std::vector<ProgramSharding>* list : { &own.in, &own.out })
        for (const ProgramSharding& sharding : *list)
            if (sharding.mesh < program.meshes.size() && program.meshes[sharding.mesh].mesh->rank() > 0)
                return program.meshes[sharding.mesh].mesh.get();
    return nullptr;
}

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
            || op.kind == OpKind::Case || isParallelCall(op);
        const auto isKnown = [&](ValueId id) {
            const TensorType& type = m_program.value(id).type;
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
        if (kernels::Body::translate(m_program, id, &inner))
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
        const auto* own = attributesAs<ManualComputationAttributes>(op.attributes);
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
        const ParallelCall programs = parallelCall(m_program, op);
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
            if (isExpectation(op))
                return;
            const auto* own = attributesAs<CustomCallAttributes>(op.attributes);
            if (own && isTransparent(own->target) && op.operands.size() == 1 && op.results.size() == 1
                && m_program.value(op.operands[0]).type == m_program.value(op.results[0]).type)
                return;
            if (passes::isShardBoundary(op))
                return refuse(op, { { "wrong", "shard_boundary" } });
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
            if (isExpectation(op) || kernels::isKnownOpaque(m_program, op))
                return;
            if (isParallelCall(op))
                return parallel(op);
            return refuse(op, { { "wrong", "unknown" } });
        }
        default:
            if (isExchange(op.kind))
                return groups(op);
            if (isShardyCollective(op.kind) || kernels::evaluator(op.kind) || kernels::elementKernel(m_program, op))
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

} // namespace

std::vector<Diagnostic> notExecutable(const Program& program, const DeviceCounts& devices)
{
    Inspection inspection(program, devices);
    inspection.run(RegionId{ 0 });
    return std::move(inspection.found);
}

tl::unexpected<Error> tooManyTrips(const Program& program, const Operation& op, std::int64_t limit)
{
    const std::string path = op.results.empty() ? std::string() : std::string(*program.value(op.results[0]).path);
    return fail(Code::NotExecutable,
        { { "op", qualifiedName(op) }, { "wrong", "loop_limit" }, { "value", path }, { "limit", limit } },
        placeOf(program, op));
}

tl::unexpected<Error> cannot(const Program& program, const Operation& op, std::vector<Arg> args)
{
    args.insert(args.begin(), Arg{ "op", qualifiedName(op) });
    return fail(Code::NotExecutable, std::move(args), placeOf(program, op));
}

} // namespace shardscope
