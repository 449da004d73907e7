// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/collective_alternatives.h"

#include <algorithm>
#include <memory>

#include "analysis/analyse.h"
#include "analysis/annotation_edit.h"
#include "partition/axis_lists.h"
#include "partition/lower_collectives.h"
#include "partition/reshard.h"
#include "pipeline/collective_list.h"
#include "pipeline/program_collectives.h"
#include "pipeline/stage_results.h"
#include "program/other_attributes.h"
#include "program/unreduced_axes.h"
#include "sharding/sharding_edit.h"

namespace shardscope {

namespace {

using AlternativeKind = CollectiveAlternative::Kind;

Rational minus(Rational a, Rational b)
{
    return a + b * Rational(-1);
}

bool isReduction(const CollectiveEntry& entry)
{
    return entry.kind == CollectiveKind::AllReduce || entry.kind == CollectiveKind::ReduceScatter;
}

/// The program itself has it: it stands for itself, whatever stands beside it.
bool isDeclared(const CollectiveEntry& entry)
{
    return !entry.reason;
}

/// Whether the steps are those of one reshard.
bool follows(const CollectiveEntry& next, const CollectiveEntry& before)
{
    return !isDeclared(next) && !isDeclared(before) && next.value == before.value && next.reason == before.reason
        && next.times == before.times && next.before == before.after && !isReduction(next) && !isReduction(before);
}

std::vector<Collective> collectivesOf(const std::vector<ReshardStep>& steps)
{
    std::vector<Collective> list;
    for (const ReshardStep& step : steps)
        list.push_back(step.collective);
    return list;
}

bool areSame(const std::vector<Collective>& a, const std::vector<Collective>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Collective& x, const Collective& y) {
        return x.kind == y.kind && x.axes == y.axes && x.perDimension == y.perDimension && x.moved == y.moved
            && x.sourceDimension == y.sourceDimension && x.targetDimension == y.targetDimension;
    });
}

/// Without these axes in any dimension.
TensorSharding fullAlong(TensorSharding sharding, const AxisList& axes)
{
    for (DimensionSharding& dim : sharding.dims)
        dim.axes = axesMinus(dim.axes, axes);
    return sharding;
}

bool isShardedAlong(const TensorSharding& sharding, const AxisList& axes)
{
    return !fullAlong(sharding, axes).isEquivalent(sharding);
}

/// Every device can make it: nothing has to be sent for it.
bool isMadeAnywhere(const Program& program, ValueId value)
{
    const OperationId made = program.value(value).definition;
    if (!made.valid())
        return false;
    const Operation& operation = program.operation(made);
    switch (operation.kind) {
    case OpKind::Constant:
    case OpKind::SdyConstant:
    case OpKind::Iota:
        return true;
    case OpKind::BroadcastInDim:
        return program.value(operation.operands[0]).type.rank() == 0 || isMadeAnywhere(program, operation.operands[0]);
    case OpKind::ShardingConstraint:
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Convert:
        return isMadeAnywhere(program, operation.operands[0]);
    default:
        return false;
    }
}

bool isArgument(const Program& program, ValueId value)
{
    const std::vector<ValueId>& arguments = program.main().arguments;
    return std::find(arguments.begin(), arguments.end(), value) != arguments.end();
}

class Alternatives {
public:
    Alternatives(const CollectiveList& list, std::size_t index)
        : m_list(list)
        , m_entry(list.entries[index])
        , m_step(sentBytes(list).step)
    {
        m_first = m_last = index;
        while (m_first > 0 && follows(list.entries[m_first], list.entries[m_first - 1]))
            --m_first;
        while (m_last + 1 < list.entries.size() && follows(list.entries[m_last + 1], list.entries[m_last]))
            ++m_last;
        for (std::size_t i = m_first; i <= m_last; ++i)
            m_kept += list.entries[i].sentPerStep();
    }

    std::vector<CollectiveAlternative> run()
    {
        CollectiveAlternative keep = made(AlternativeKind::Keep, {});
        for (std::size_t i = m_first; i <= m_last; ++i)
            keep.steps.push_back(m_list.entries[i].collective);
        setSent(keep, m_kept);
        m_found.push_back(std::move(keep));
        if (!m_entry.declaredGroups.empty() && !m_entry.axes.empty())
            scatterUpdates();
        if (m_entry.axes.empty() || !m_entry.declaredGroups.empty())
            return std::move(m_found); // the program itself exchanges
        if (m_entry.reason && m_entry.reason->kind == Reason::Kind::Halo)
            gatherBlocks();
        else if (m_entry.kind == CollectiveKind::AllReduce && !m_entry.before.unreduced.empty()) {
            scatterResult();
            gatherOperands();
            replicateOperands();
        } else if (m_entry.kind == CollectiveKind::ReduceScatter) {
            gatherOperands();
            replicateOperands();
        } else {
            reshards();
        }
        return std::move(m_found);
    }

private:
    [[nodiscard]] CollectiveAlternative made(AlternativeKind kind, std::vector<Collective> steps) const
    {
        CollectiveAlternative alternative;
        alternative.kind = kind;
        alternative.steps = std::move(steps);
        alternative.value = m_entry.value;
        return alternative;
    }
    /// `sent`: per step.
    void setSent(CollectiveAlternative& alternative, Rational sent) const
    {
        alternative.sentBytes = sent;
        if (!m_entry.scalarLoss && !m_entry.conditional) // else another branch may send more then
            alternative.stepBytes = minus(m_step, m_kept) + sent;
    }
    [[nodiscard]] Rational perStep(const std::vector<ReshardStep>& steps) const
    {
        return sentBytes(steps) * Rational(m_entry.times);
    }

    /// What exchanges: the array with its padding.
    [[nodiscard]] TensorType executedType() const
    {
        const Program& program = m_list.sharded->program;
        return program.value(program.operation(m_entry.operation).operands[0]).type;
    }

    // --- reshards: any sequence between the same two shardings does ----------------------------------------------

    void reshards()
    {
        const CollectiveEntry& first = m_list.entries[m_first];
        const CollectiveEntry& last = m_list.entries[m_last];
        if (first.before.isEquivalent(last.after)) // another order of devices
            return;
        const Reshard reshard{ executedType(), first.before, last.after, m_entry.mesh.get(), nullptr, Blocks::Even };
        const auto add = [&](AlternativeKind kind, const std::vector<ReshardStep>& steps) {
            CollectiveAlternative alternative = made(kind, collectivesOf(steps));
            const bool known = std::any_of(m_found.begin(), m_found.end(),
                [&](const CollectiveAlternative& other) { return areSame(other.steps, alternative.steps); });
            if (known)
                return;
            setSent(alternative, perStep(steps));
            m_found.push_back(std::move(alternative));
        };
        add(AlternativeKind::OptimalReshard, optimalSteps(reshard));
        add(AlternativeKind::ShardyReshard, shardySteps(reshard));
        gatherAndSlice(reshard);
        if (const ValueId value = m_entry.value; !isDeclared(m_entry) && isArgument(*m_list.program, value))
            changeSharding(
                value, last.after, 0, localBytes(m_entry.type, last.after) - localBytes(m_entry.type, first.before));
    }

    void gatherAndSlice(const Reshard& reshard)
    {
        Reshard half = reshard;
        half.to = TensorSharding::fullyReplicated(reshard.type.rank());
        std::vector<ReshardStep> steps = shardySteps(half);
        half.from = half.to;
        half.to = reshard.to;
        for (ReshardStep& step : shardySteps(half))
            steps.push_back(std::move(step));
        CollectiveAlternative alternative = made(AlternativeKind::GatherAndSlice, collectivesOf(steps));
        if (areSame(alternative.steps, m_found.front().steps))
            return;
        setSent(alternative, perStep(steps));
        alternative.moreBytesHeld = reshard.type.byteCount() - localBytes(reshard.type, reshard.to);
        m_found.push_back(std::move(alternative));
    }

    /// Instead of strips: all of it on every device, the operation done as often as there are devices, and sliced
    /// again.
    void gatherBlocks()
    {
        CollectiveAlternative alternative = made(AlternativeKind::GatherAndSlice, {});
        setSent(alternative, m_entry.gatheredBytes * Rational(m_entry.times));
        TensorSharding full = m_entry.before;
        for (const HaloSide& halo : m_entry.halos)
            full.dims[halo.dimension].axes.clear();
        Collective gather;
        gather.kind = CollectiveKind::AllGather;
        gather.perDimension.resize(m_entry.type.rank());
        for (const HaloSide& halo : m_entry.halos)
            gather.perDimension[halo.dimension] = m_entry.before.dims[halo.dimension].axes;
        gather.sentBytes = m_entry.gatheredBytes;
        alternative.steps.push_back(std::move(gather));
        alternative.moreBytesHeld = localBytes(m_entry.type, full) - localBytes(m_entry.type, m_entry.before);
        m_found.push_back(std::move(alternative));
    }

    // --- what the program itself exchanges in a manual computation -------------------------------------------------

    /// The specification of a result, with the entry's axes along dimension `d` as well; none where it cannot be.
    [[nodiscard]] std::optional<TensorSharding> returnedSharding(std::size_t d) const
    {
        const Operation& owner = m_list.sharded->program.operation(m_entry.result->computation);
        const auto* manual = attributesAs<ManualComputationAttributes>(owner.attributes);
        if (!manual || m_entry.result->result >= manual->out.size())
            return std::nullopt;
        const ProgramSharding& out = manual->out[m_entry.result->result];
        const Mesh& mesh = *m_list.sharded->program.meshes[out.mesh].mesh;
        if (!(mesh == *m_entry.mesh) || isShardedAlong(out.sharding, m_entry.axes) || d >= out.sharding.rank())
            return std::nullopt;
        const auto isManual = [&](AxisRef axis) {
            const std::string& name = mesh.axis(static_cast<std::size_t>(axis.axis)).name;
            return std::find(manual->manualAxes.begin(), manual->manualAxes.end(), name) != manual->manualAxes.end();
        };
        TensorSharding scattered = out.sharding;
        AxisList& axes = scattered.dims[d].axes;
        if (!std::all_of(axes.begin(), axes.end(), isManual)
            || !std::all_of(m_entry.axes.begin(), m_entry.axes.end(), isManual))
            return std::nullopt;
        for (const AxisRef axis : m_entry.axes)
            appendMerged(axes, axis);
        for (DimensionSharding& dimension : scattered.dims) // out_specs name manual axes alone
            dimension.axes.erase(std::remove_if(dimension.axes.begin(), dimension.axes.end(),
                                     [&](AxisRef axis) { return !isManual(axis); }),
                dimension.axes.end());
        return scattered;
    }

    /// Half a psum, where a shard will do; and no gather, where the shards are returned.
    void scatterUpdates()
    {
        const Operation& operation = m_list.sharded->program.operation(m_entry.operation);
        const auto* declared = attributesAs<CollectiveAttributes>(operation.attributes);
        if (!declared || operation.operands.size() != 1)
            return;
        const std::int64_t local = localBytes(m_entry.type, m_entry.after);
        if (m_entry.kind == CollectiveKind::AllReduce)
            for (std::size_t d = 0; d < m_entry.type.rank(); ++d) {
                TensorSharding shard = m_entry.after;
                if (isShardedAlong(shard, m_entry.axes))
                    return;
                for (const AxisRef axis : m_entry.axes)
                    appendMerged(shard.dims[d].axes, axis);
                if (m_entry.type.shape[d] % shardCount(shard.dims[d]) != 0)
                    continue;
                std::optional<TensorSharding> returned;
                if (m_entry.result && m_entry.collective.reduction == ReduceKind::Sum) // as psum_scatter does it
                    returned = returnedSharding(d);
                Collective scatter;
                scatter.kind = CollectiveKind::ReduceScatter;
                scatter.reduction = m_entry.collective.reduction;
                scatter.perDimension.resize(m_entry.type.rank());
                scatter.perDimension[d] = m_entry.axes;
                scatter.sentBytes = ringBytes(scatter.kind, m_entry.groupSize, local);
                CollectiveAlternative alternative =
                    made(returned ? AlternativeKind::ScatterReturned : AlternativeKind::ScatterResult, { scatter });
                setSent(alternative, scatter.sentBytes * Rational(m_entry.times));
                alternative.moreBytesHeld = localBytes(m_entry.type, shard) - local;
                alternative.sharding = returned ? std::move(*returned) : std::move(shard);
                m_found.push_back(std::move(alternative));
            }
        // Blocks in another order than that of the axes would be another array.
        const std::vector<std::vector<std::int64_t>> groups = deviceGroups(*m_entry.mesh, m_entry.axes);
        const bool inOrder = std::all_of(m_entry.declaredGroups.begin(), m_entry.declaredGroups.end(),
            [&](const auto& group) { return std::find(groups.begin(), groups.end(), group) != groups.end(); });
        if (m_entry.kind != CollectiveKind::AllGather || !m_entry.result || !inOrder || declared->dimension < 0)
            return;
        if (std::optional<TensorSharding> returned = returnedSharding(static_cast<std::size_t>(declared->dimension))) {
            CollectiveAlternative alternative = made(AlternativeKind::ReturnBlocks, {});
            setSent(alternative, {});
            alternative.moreBytesHeld = localBytes(m_entry.type, m_entry.before) * (1 - m_entry.groupSize);
            alternative.sharding = std::move(returned);
            m_found.push_back(std::move(alternative));
        }
    }

    // --- sums: keep less of the result, or need no sum ------------------------------------------------------------

    /// One for every dimension that the axes can shard evenly.
    void scatterResult()
    {
        for (std::size_t d = 0; d < m_entry.type.rank(); ++d) {
            TensorSharding after = m_entry.after;
            if (isShardedAlong(after, m_entry.axes))
                return;
            Collective scatter;
            scatter.kind = CollectiveKind::ReduceScatter;
            scatter.reduction = m_entry.collective.reduction;
            scatter.perDimension.resize(m_entry.type.rank());
            for (const AxisRef axis : m_entry.axes) {
                appendMerged(after.dims[d].axes, axis);
                appendMerged(scatter.perDimension[d], axis);
            }
            if (m_entry.type.shape[d] % shardCount(after.dims[d]) != 0)
                continue;
            const std::int64_t local = localBytes(m_entry.type, m_entry.after);
            scatter.sentBytes = ringBytes(scatter.kind, m_entry.groupSize, local);
            CollectiveAlternative alternative = made(AlternativeKind::ScatterResult, { scatter });
            setSent(alternative, scatter.sentBytes * Rational(m_entry.times));
            alternative.moreBytesHeld = localBytes(m_entry.type, after) - local;
            alternative.sharding = std::move(after);
            m_found.push_back(std::move(alternative));
        }
    }

    /// What it takes to have operand `o` whole along the axes; no steps where it is.
    [[nodiscard]] std::vector<ReshardStep> gather(std::size_t o) const
    {
        const OperandSharding& operand = m_entry.operands[o];
        if (isMadeAnywhere(*m_list.program, operand.value))
            return {};
        return shardySteps({ m_list.program->value(operand.value).type, operand.sharding,
            fullAlong(operand.sharding, m_entry.axes), m_entry.mesh.get(), nullptr, Blocks::Even });
    }
    [[nodiscard]] std::int64_t moreHeld(std::size_t o) const
    {
        const OperandSharding& operand = m_entry.operands[o];
        const TensorType& type = m_list.program->value(operand.value).type;
        return localBytes(type, fullAlong(operand.sharding, m_entry.axes)) - localBytes(type, operand.sharding);
    }
    /// What the operation's result has to go through when no sum is left: nothing, or a slice.
    [[nodiscard]] bool canBeUnsharded() const
    {
        return !m_entry.operands.empty()
            && std::all_of(m_entry.operands.begin(), m_entry.operands.end(), [&](const OperandSharding& operand) {
                   return operand.sharding.rank() == m_list.program->value(operand.value).type.rank()
                       && operand.sharding.unreduced.empty();
               });
    }

    void gatherOperands()
    {
        if (!canBeUnsharded())
            return;
        CollectiveAlternative alternative = made(AlternativeKind::GatherOperands, {});
        Rational sent;
        for (std::size_t o = 0; o < m_entry.operands.size(); ++o) {
            const std::vector<ReshardStep> steps = gather(o);
            sent += perStep(steps);
            for (const ReshardStep& step : steps)
                alternative.steps.push_back(step.collective);
            alternative.moreBytesHeld += moreHeld(o);
        }
        if (alternative.steps.empty())
            return;
        alternative.timesWork = m_entry.groupSize;
        setSent(alternative, sent);
        m_found.push_back(std::move(alternative));
    }

    /// One operand is replicated from the start, the others are gathered.
    void replicateOperands()
    {
        if (!canBeUnsharded())
            return;
        for (std::size_t full = 0; full < m_entry.operands.size(); ++full) {
            const OperandSharding& operand = m_entry.operands[full];
            if (!isArgument(*m_list.program, operand.value) || !isShardedAlong(operand.sharding, m_entry.axes))
                continue;
            Rational sent;
            std::vector<Collective> steps;
            for (std::size_t o = 0; o < m_entry.operands.size(); ++o) {
                if (o == full || m_entry.operands[o].value == operand.value)
                    continue;
                const std::vector<ReshardStep> gathered = gather(o);
                sent += perStep(gathered);
                for (const ReshardStep& step : gathered)
                    steps.push_back(step.collective);
            }
            changeSharding(operand.value, fullAlong(operand.sharding, m_entry.axes), sent, moreHeld(full), steps);
        }
    }

    void changeSharding(ValueId value, TensorSharding sharding, Rational sent, std::int64_t moreHeld,
        std::vector<Collective> steps = {})
    {
        CollectiveAlternative alternative = made(AlternativeKind::ChangeSharding, std::move(steps));
        alternative.sentBytes = sent;
        alternative.moreBytesHeld = moreHeld;
        alternative.sharding = std::move(sharding);
        alternative.value = value;
        m_found.push_back(std::move(alternative));
    }

    const CollectiveList& m_list;
    const CollectiveEntry& m_entry;
    Rational m_step, m_kept;
    std::size_t m_first = 0, m_last = 0;
    std::vector<CollectiveAlternative> m_found;
};

/// What a device holds of all that main takes.
std::int64_t heldByArguments(const Snapshot& snapshot)
{
    std::int64_t sum = 0;
    for (const ValueId argument : snapshot.program->main().arguments)
        if (const TensorRow* row = snapshot.row(argument))
            sum = saturatingSum(sum, row->bytesPerDevice);
    return sum;
}

/// The sharding over the snapshot's mesh, which may have axes of size 1 that partitioning leaves out.
std::optional<TensorSharding> overMeshOf(const Snapshot& snapshot, TensorSharding sharding, const Mesh& mesh)
{
    closeDimensions(sharding);
    dropPriorities(sharding);
    for (DimensionSharding& dim : sharding.dims) {
        for (AxisRef& axis : dim.axes) {
            const auto index = snapshot.mesh->axisIndex(mesh.axis(static_cast<std::size_t>(axis.axis)).name);
            if (!index)
                return std::nullopt;
            axis.axis = static_cast<std::int32_t>(*index);
        }
    }
    sharding.replicated.clear();
    sharding.unreduced.clear();
    return sharding;
}

/// How many send the same of the same value along the same axes.
auto countOf(const CollectiveEntry& entry, const CollectiveList& list)
{
    return std::count_if(list.entries.begin(), list.entries.end(), [&](const CollectiveEntry& other) {
        return other.value == entry.value && other.kind == entry.kind && *other.mesh == *entry.mesh
            && other.axes == entry.axes && other.sentPerStep() == entry.sentPerStep();
    });
}

/// False where the program cannot have it, or the collective stays as it is: what the step then saves is saved
/// elsewhere.
bool tryOut(CollectiveAlternative& alternative, const Snapshot& snapshot, const CollectiveList& now, std::size_t index,
    AnalysisCache& cache, const std::stop_token& stop)
{
    const CollectiveEntry& entry = now.entries[index];
    const std::optional<TensorSharding> sharding = overMeshOf(snapshot, *alternative.sharding, *entry.mesh);
    if (!sharding)
        return true;
    for (const AnnotationTarget& target : annotationTargets(snapshot, alternative.value)) {
        // A shard of one sum is what is priced; rules would shard every array with the same names.
        if (alternative.kind == AlternativeKind::ScatterResult && !target.takesAnySharding())
            return true;
        Result<Experiment> after = withAnnotation(snapshot, target, *sharding);
        if (!after)
            return true;
        const SnapshotPtr tried = analyse(std::make_shared<const Experiment>(*after), snapshot.revision, cache, stop);
        if (!tried)
            return true;
        if (!tried->laidOut())
            return alternative.kind == AlternativeKind::ScatterResult;
        if (stop.stop_requested())
            return true;
        const Result<std::shared_ptr<const CollectiveList>> list = collectivesOf(*tried);
        if (!list)
            return alternative.kind == AlternativeKind::ScatterResult;
        // Propagation may do something else with the sharding of a sum than scatter it.
        if (alternative.kind == AlternativeKind::ScatterResult
            && std::none_of((*list)->entries.begin(), (*list)->entries.end(), [&](const CollectiveEntry& other) {
                   return other.kind == CollectiveKind::ReduceScatter && other.value == alternative.value;
               }))
            return true;
        // A change of rules is priced as a whole: what else they name comes along.
        if (alternative.kind == AlternativeKind::ChangeSharding && target.kind != AnnotationTarget::Kind::Rules
            && countOf(entry, **list) >= countOf(entry, now))
            return false;
        alternative.stepBytes = sentBytes(**list).step;
        alternative.stepMoreBytesHeld = heldByArguments(*tried) - heldByArguments(snapshot);
        alternative.after = std::move(*after);
        if (target.kind == AnnotationTarget::Kind::Rules)
            alternative.rulesWithin = withinOf(snapshot.experiment->rules, target.rules);
        else if (alternative.kind == AlternativeKind::ChangeSharding) // an operand may have been gathered along others
            alternative.moreBytesHeld = *alternative.stepMoreBytesHeld;
        return true; // the value's own annotation; what returns it is another matter
    }
    return true;
}

/// Planners choose for all reshards alike; what stands beside them may fuse with them.
void tryOutPlan(CollectiveAlternative& alternative, const Snapshot& snapshot)
{
    const Result<std::shared_ptr<const CollectiveList>> list = collectivesOf(snapshot, true);
    if (!list)
        return;
    alternative.stepBytes = sentBytes(**list).step;
    alternative.allReshards = true;
}

} // namespace

std::vector<CollectiveAlternative> alternatives(const CollectiveList& list, std::size_t index)
{
    return Alternatives(list, index).run();
}

std::vector<CollectiveAlternative> alternatives(
    const Snapshot& snapshot, const CollectiveList& list, std::size_t index, std::stop_token stop)
{
    std::vector<CollectiveAlternative> found = alternatives(list, index);
    AnalysisCache cache;
    const CollectiveEntry& entry = list.entries[index];
    const Rational kept = found.empty() ? Rational(0) : found.front().sentBytes;
    std::vector<CollectiveAlternative> possible;
    for (CollectiveAlternative& alternative : found) {
        if (alternative.kind == AlternativeKind::OptimalReshard && !stop.stop_requested())
            tryOutPlan(alternative, snapshot);
        // What a manual computation does inside is its own affair.
        const bool isTried = alternative.sharding && entry.declaredGroups.empty() && !stop.stop_requested();
        if (isTried && !tryOut(alternative, snapshot, list, index, cache, stop))
            continue;
        // Where only this array changes, what the step sends beside the rest is what stands in its place.
        if (alternative.kind == AlternativeKind::ChangeSharding && alternative.stepBytes && !alternative.rulesWithin
            && !entry.scalarLoss && !entry.conditional) {
            const Rational rest = minus(sentBytes(list).step, kept);
            const Rational more = minus(*alternative.stepBytes, rest), sent = more.numerator() < 0 ? Rational(0) : more;
            if (!(sent == alternative.sentBytes))
                alternative.steps.clear(); // others than were thought
            alternative.sentBytes = sent;
        }
        possible.push_back(std::move(alternative));
    }
    return possible;
}

} // namespace shardscope
