// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analysis/change.h"
#include "analysis/summed_problems.h"
#include "pipeline/memory_placement.h"

namespace shardscope {

namespace {

std::vector<RenamedAxis> renamedAxes(const Snapshot& before, const Snapshot& after)
{
    if (!before.mesh || !after.mesh)
        return {};
    const auto larger = [](const Mesh& mesh) {
        std::vector<MeshAxis> axes(mesh.axes().begin(), mesh.axes().end());
        std::erase_if(axes, [](const MeshAxis& axis) { return axis.size <= 1; });
        return axes;
    };
    const std::vector<MeshAxis> old = larger(*before.mesh), now = larger(*after.mesh);
    if (!std::equal(old.begin(), old.end(), now.begin(), now.end(),
            [](const MeshAxis& a, const MeshAxis& b) { return a.size == b.size; }))
        return {};
    const auto isAmong = [](const std::vector<MeshAxis>& axes, const std::string& name) {
        return std::any_of(axes.begin(), axes.end(), [&](const MeshAxis& axis) { return axis.name == name; });
    };
    std::vector<RenamedAxis> renamed;
    for (std::size_t i = 0; i < old.size(); ++i)
        if (!isAmong(now, old[i].name) && !isAmong(old, now[i].name)
            && !(before.mesh->axisIndex(now[i].name) && after.mesh->axisIndex(old[i].name)))
            renamed.push_back({ old[i].name, now[i].name, old[i].size });
    return renamed;
}

/// The name that B has for an axis of A.
const std::string& nameInB(const SnapshotComparison& comparison, const std::string& axis)
{
    for (const RenamedAxis& each : comparison.renamed)
        if (each.before == axis)
            return each.after;
    return axis;
}

/// A's mesh with the names that B has. Null where they are its own.
MeshPtr meshInB(const SnapshotComparison& comparison)
{
    if (comparison.renamed.empty())
        return nullptr;
    std::vector<MeshAxis> axes;
    for (const MeshAxis& axis : comparison.before->mesh->axes()) {
        const std::string& name = nameInB(comparison, axis.name);
        // An axis of size 1 may have the name already; it shards nothing.
        const bool isTaken = axis.size == 1
            && std::any_of(comparison.renamed.begin(), comparison.renamed.end(),
                [&](const RenamedAxis& each) { return each.after == axis.name; });
        axes.push_back({ isTaken ? axis.name + " of A" : name, axis.size });
    }
    const Result<Mesh> mesh = Mesh::create(std::move(axes));
    return mesh ? std::make_shared<const Mesh>(*mesh) : nullptr;
}

LargestDifference::By decidedBy(const SnapshotComparison& comparison)
{
    using By = LargestDifference::By;
    const auto differs = [&](std::string_view section) {
        return std::any_of(comparison.inputs.begin(), comparison.inputs.end(),
            [&](const SettingDifference& each) { return each.pointer.starts_with(section); });
    };
    if (comparison.renamed.empty() && differs("/mesh/axes"))
        return By::Mesh;
    if (differs("/rules"))
        return By::Rules;
    if (differs("/model") || differs("/step"))
        return By::Model;
    return comparison.inputs.empty() ? By::None : By::Other;
}

/// Into how many parts an array is sharded: 4 of 8 MiB of which a device holds 2 MiB. Absent where they are unequal.
std::optional<std::int64_t> shardsOf(const TensorRow& row)
{
    if (row.bytesPerDevice <= 0 || row.bytesInAll % row.bytesPerDevice != 0)
        return std::nullopt;
    return row.bytesInAll / row.bytesPerDevice;
}

bool isOfState(Role role)
{
    return role == Role::Parameter || role == Role::Gradient || isOptimizerArray(role);
}

/// What all its arrays have in common that differ.
void addShardCounts(LargestDifference& largest, const SnapshotComparison& comparison)
{
    bool alike = true;
    std::int64_t before = 0, after = 0;
    const auto meet = [&alike](std::optional<std::int64_t>& common, std::optional<std::int64_t> shards) {
        alike = alike && shards && (!common || common == shards);
        common = shards;
    };
    const auto counts = [&](Role role) { // an array of one name may have another role in each
        return largest.what == LargestDifference::What::State ? isOfState(role) : role == largest.role;
    };
    for (const ComparedArray& array : comparison.arrays) {
        if (array.before && counts(comparison.before->tensors[*array.before].role)) {
            const TensorRow& row = comparison.before->tensors[*array.before];
            before = saturatingSum(before, row.bytesInAll);
            meet(largest.shardsBefore, shardsOf(row));
        }
        if (array.after && counts(comparison.after->tensors[*array.after].role)) {
            const TensorRow& row = comparison.after->tensors[*array.after];
            after = saturatingSum(after, row.bytesInAll);
            meet(largest.shardsAfter, shardsOf(row));
        }
    }
    if (!alike || !largest.shardsBefore || !largest.shardsAfter || largest.shardsBefore == largest.shardsAfter)
        largest.shardsBefore = largest.shardsAfter = std::nullopt;
    if (before != after && largest.before > 0 && largest.after > 0) {
        largest.inAllBefore = before;
        largest.inAllAfter = after;
    }
}

/// Names the axes of collectives as B does, in the order of its mesh: the same axes in another order are the same ones.
class AxesInB {
public:
    explicit AxesInB(const SnapshotComparison& comparison)
        : m_before(*comparison.before->mesh)
        , m_after(*comparison.after->mesh)
        , m_renamed(meshInB(comparison))
    {
    }
    [[nodiscard]] std::string of(const CollectiveEntry& entry, bool isAfter) const
    {
        const bool isRenamed = !isAfter && m_renamed
            && std::equal(
                entry.mesh->axes().begin(), entry.mesh->axes().end(), m_before.axes().begin(), m_before.axes().end());
        const Mesh& named = isRenamed ? *m_renamed : *entry.mesh;
        const auto place = [&](const AxisRef& ref) {
            return m_after.axisIndex(named.axis(static_cast<std::size_t>(ref.axis)).name).value_or(SIZE_MAX);
        };
        AxisList axes = entry.axes;
        std::stable_sort(
            axes.begin(), axes.end(), [&](const AxisRef& x, const AxisRef& y) { return place(x) < place(y); });
        return namesOf(axes, named);
    }

private:
    const Mesh &m_before, &m_after;
    MeshPtr m_renamed;
};

/// The kind of collectives that makes up most of what is sent along these axes, and why it differs.
std::optional<SentCause> causeOf(const SnapshotComparison& comparison, const LargestDifference& largest)
{
    const double difference = largest.after - largest.before;
    std::map<CollectiveKind, double> kinds;
    for (const ComparedCollectives& each : comparison.collectives)
        if (each.axes == largest.axes)
            kinds[each.kind] += each.sentAfter.value() - each.sentBefore.value();
    const auto most = std::max_element(kinds.begin(), kinds.end(), [&](const auto& a, const auto& b) {
        return a.second * difference < b.second * difference; // in its direction
    });
    if (most == kinds.end() || most->second / difference < 0.5)
        return std::nullopt;
    const AxesInB axes(comparison);
    const auto entriesOf = [&](const CollectiveList& list, bool isAfter) {
        std::vector<std::size_t> entries;
        for (std::size_t i = 0; i < list.entries.size(); ++i) {
            const CollectiveEntry& entry = list.entries[i];
            if (entry.kind == most->first && isExchange(entry) && !entry.scalarLoss
                && axes.of(entry, isAfter) == largest.axes)
                entries.push_back(i);
        }
        return entries;
    };
    const CollectiveList &before = *comparison.before->collectives, &after = *comparison.after->collectives;
    return sentCause(before, entriesOf(before, false), after, entriesOf(after, true));
}

/// Of a comparison whose other members are there. Of what differs as much, parameters come before gradients
/// and moments, and what is held before what is sent. Nothing where no bytes differ.
LargestDifference largestDifference(const SnapshotComparison& comparison)
{
    LargestDifference largest;
    using What = LargestDifference::What;
    const auto offer = [&](LargestDifference candidate) {
        if (std::abs(candidate.after - candidate.before) > std::abs(largest.after - largest.before))
            largest = std::move(candidate);
    };
    const auto made = [](What what, double before, double after) {
        LargestDifference candidate;
        candidate.what = what;
        candidate.before = before;
        candidate.after = after;
        return candidate;
    };
    const auto amount = [](std::int64_t bytes) { return static_cast<double>(bytes); };
    std::size_t differing = 0;
    for (const ComparedRole& held : comparison.held) {
        if (held.bytesBefore == held.bytesAfter)
            continue;
        ++differing;
        LargestDifference candidate = made(What::Role, amount(held.bytesBefore), amount(held.bytesAfter));
        candidate.role = held.role;
        offer(std::move(candidate));
    }
    if (differing > 1)
        offer(made(What::State, amount(comparison.stateBefore), amount(comparison.stateAfter)));
    for (const ComparedOwner& held : comparison.peak) {
        if (held.owner != Owner::Activations && held.owner != Owner::Buffers)
            continue; // by their roles already
        LargestDifference candidate = made(What::Owner, amount(held.bytesBefore), amount(held.bytesAfter));
        candidate.owner = held.owner;
        offer(std::move(candidate));
    }
    for (const ComparedAxes& sent : comparison.sent) {
        LargestDifference candidate = made(What::Sent, sent.sentBefore.value(), sent.sentAfter.value());
        candidate.axes = sent.axes;
        offer(std::move(candidate));
    }
    largest.by = decidedBy(comparison);
    if (largest.what == What::State || largest.what == What::Role)
        addShardCounts(largest, comparison);
    if (largest.what == What::Sent)
        largest.cause = causeOf(comparison, largest);
    return largest;
}

PartitionSpec specInB(const SnapshotComparison& comparison, PartitionSpec spec)
{
    for (SpecEntry& entry : spec.entries)
        for (std::string& axis : entry.axes)
            if (const std::size_t part = axis.find(":("); part != std::string::npos) // "data:(1)2"
                axis.replace(0, part, nameInB(comparison, axis.substr(0, part)));
            else
                axis = nameInB(comparison, axis);
    return spec;
}

/// The specs apart.
bool isAlike(const TensorRow& a, const TensorRow& b)
{
    return a.type == b.type && a.copies == b.copies && a.memoryKind == b.memoryKind
        && a.bytesPerDevice == b.bytesPerDevice && a.layout.shardShape() == b.layout.shardShape();
}

void compareArrays(SnapshotComparison& found)
{
    std::unordered_map<std::string_view, std::size_t> olds;
    const std::vector<TensorRow>&before = found.before->tensors, &after = found.after->tensors;
    for (std::size_t i = 0; i < before.size(); ++i)
        olds.emplace(before[i].path, i);
    for (std::size_t i = 0; i < after.size(); ++i) {
        const TensorRow& row = after[i];
        ComparedArray array{ row.path, row.role, {}, i, 0, row.bytesPerDevice };
        if (const auto old = olds.find(row.path); old != olds.end()) {
            const TensorRow& was = before[old->second];
            array.before = old->second;
            array.bytesBefore = was.bytesPerDevice;
            olds.erase(old);
            if (isAlike(was, row) && (found.renamed.empty() ? was.spec : specInB(found, was.spec)) == row.spec)
                continue;
        }
        found.arrays.push_back(std::move(array));
    }
    for (std::size_t i = 0; i < before.size(); ++i)
        if (olds.contains(before[i].path))
            found.arrays.push_back({ before[i].path, before[i].role, i, {}, before[i].bytesPerDevice, 0 });
}

void compareHeld(SnapshotComparison& found)
{
    for (const Role role : { Role::Parameter, Role::Gradient, Role::Mu, Role::Nu, Role::Master }) {
        const auto sum = [role](const Snapshot& snapshot) {
            std::int64_t bytes = 0;
            for (const TensorRow& row : snapshot.tensors)
                if (row.role == role && !isOnHost(snapshot, row))
                    bytes = saturatingSum(bytes, row.bytesPerDevice);
            return bytes;
        };
        const ComparedRole held{ role, sum(*found.before), sum(*found.after) };
        if (held.bytesBefore > 0 || held.bytesAfter > 0)
            found.held.push_back(held);
    }
    found.stateBefore = stateBytes(*found.before);
    found.stateAfter = stateBytes(*found.after);
    const Plan *before = found.before->plan.get(), *after = found.after->plan.get();
    if (before)
        found.peakBefore = before->memory.peakBytes;
    if (after)
        found.peakAfter = after->memory.peakBytes;
    if (before && after)
        for (std::size_t i = 0; i < ownerCount; ++i)
            if (const auto was = before->memory.atPeak[i], is = after->memory.atPeak[i]; was > 0 || is > 0)
                found.peak.push_back({ static_cast<Owner>(i), was, is });
}

double differenceOf(Rational before, Rational after)
{
    return after.value() - before.value();
}

using CollectivesKey = std::tuple<CollectiveKind, int, std::string>;

void addCollectives(std::map<CollectivesKey, ComparedCollectives>& sums, const CollectiveList& list, bool isAfter,
    const AxesInB& axesInB)
{
    for (std::size_t i = 0; i < list.entries.size(); ++i) {
        const CollectiveEntry& entry = list.entries[i];
        if (!isExchange(entry) || entry.scalarLoss || !entry.inSums)
            continue;
        const int cause = entry.reason ? static_cast<int>(entry.reason->kind) : -1;
        const std::string axes = axesInB.of(entry, isAfter);
        const auto [place, isNew] = sums.try_emplace({ entry.kind, cause, axes });
        ComparedCollectives& sum = place->second;
        if (isNew) {
            sum.kind = entry.kind;
            sum.axes = axes;
            if (entry.reason)
                sum.cause = entry.reason->kind;
        }
        std::int64_t& times = isAfter ? sum.timesAfter : sum.timesBefore;
        std::int64_t& group = isAfter ? sum.groupAfter : sum.groupBefore;
        if (times == 0) {
            sum.example = i;
            group = entry.groupSize;
        } else if (group != entry.groupSize) {
            group = 0;
        }
        times = saturatingSum(times, entry.times);
        (isAfter ? sum.sentAfter : sum.sentBefore) += entry.sentPerStep();
    }
}

void compareCollectives(SnapshotComparison& found)
{
    const CollectiveList *before = found.before->collectives.get(), *after = found.after->collectives.get();
    if (found.before->ok())
        found.sentBefore = found.before->sent.step;
    if (found.after->ok())
        found.sentAfter = found.after->sent.step;
    if (!before || !after)
        return;
    std::map<CollectivesKey, ComparedCollectives> sums;
    const AxesInB axesInB(found);
    addCollectives(sums, *before, false, axesInB);
    addCollectives(sums, *after, true, axesInB);
    for (auto& [key, sum] : sums) {
        const auto axes = std::find_if(
            found.sent.begin(), found.sent.end(), [&](const ComparedAxes& each) { return each.axes == sum.axes; });
        ComparedAxes& along =
            axes == found.sent.end() ? found.sent.emplace_back(ComparedAxes{ sum.axes, {}, {} }) : *axes;
        along.sentBefore += sum.sentBefore;
        along.sentAfter += sum.sentAfter;
        found.collectives.push_back(std::move(sum));
    }
    const auto size = [](const auto& sum) { return std::abs(differenceOf(sum.sentBefore, sum.sentAfter)); };
    const auto isLarger = [&](const auto& a, const auto& b) { return size(a) > size(b); };
    std::stable_sort(found.collectives.begin(), found.collectives.end(), isLarger);
    std::stable_sort(found.sent.begin(), found.sent.end(), isLarger);
}

void compareProblems(SnapshotComparison& found)
{
    // Numbers in the arguments may follow from the sizes: what it is and where it stands make it the same.
    const auto keyOfProblem = [](const Problem& problem) {
        const Diagnostic& d = problem.diagnostic;
        return std::tuple(d.code, d.where.path, d.where.pointer, d.where.dimension, d.where.line);
    };
    const std::vector<Problem> before = summedUp(found.before->problems), after = summedUp(found.after->problems);
    const auto addMissing = [&](const std::vector<Problem>& list, const std::vector<Problem>& others, bool isGone) {
        std::set<decltype(keyOfProblem(list.front()))> known;
        for (const Problem& other : others)
            known.insert(keyOfProblem(other));
        for (const Problem& problem : list)
            if (!known.contains(keyOfProblem(problem)))
                found.problems.push_back({ problem.diagnostic, isGone });
    };
    addMissing(after, before, false);
    addMissing(before, after, true);
}

} // namespace

bool SnapshotComparison::nothing() const
{
    return inputs.empty() && arrays.empty() && problems.empty() && program.kinds.empty() && peakBefore == peakAfter
        && sentBefore == sentAfter
        && std::none_of(
            collectives.begin(), collectives.end(), [](const ComparedCollectives& each) { return each.isChanged(); });
}

SnapshotComparison compareSnapshots(
    SnapshotPtr before, SnapshotPtr after, std::optional<StepTime> timeBefore, std::optional<StepTime> timeAfter)
{
    SnapshotComparison found;
    found.before = std::move(before);
    found.after = std::move(after);
    found.timeBefore = timeBefore;
    found.timeAfter = timeAfter;
    found.inputs = settingDifferences(*found.before->experiment, *found.after->experiment);
    found.renamed = renamedAxes(*found.before, *found.after);
    compareArrays(found);
    compareHeld(found);
    compareCollectives(found);
    const SourcePtr &first = found.before->source, &second = found.after->source;
    if (first && second && first != second) {
        found.program = comparePrograms(first->program, second->program);
    } else if (const SourcePtr& one = first ? first : second) {
        const auto count = static_cast<std::int64_t>(one->program.operations.size());
        found.program.operationsBefore = first ? count : 0;
        found.program.operationsAfter = second ? count : 0;
    }
    compareProblems(found);
    found.largest = largestDifference(found);
    return found;
}

} // namespace shardscope
