// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mesh_search.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "analysis/axes_to_try.h"
#include "analysis/change.h"
#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment/model_settings.h"
#include "schedule/plan.h"

namespace shardscope {

namespace {

/// All lists of `count` factors whose product is `product`, in ascending order; none if there are more than `limit`.
class Factorings {
public:
    Factorings(std::int64_t product, std::size_t count, std::size_t limit)
        : m_limit(limit)
    {
        for (std::int64_t divisor = 1; divisor <= product / divisor; ++divisor)
            if (product % divisor == 0) {
                m_divisors.push_back(divisor);
                if (divisor != product / divisor)
                    m_divisors.push_back(product / divisor);
            }
        std::sort(m_divisors.begin(), m_divisors.end());
        choose(product, count);
        if (m_tooMany)
            m_found.clear();
    }
    [[nodiscard]] const std::vector<std::vector<std::int64_t>>& found() const { return m_found; }

private:
    void choose(std::int64_t product, std::size_t count)
    {
        if (m_tooMany)
            return;
        if (count <= 1) {
            if (count == 0 && product != 1)
                return;
            std::vector<std::int64_t> chosen = m_chosen;
            if (count == 1)
                chosen.push_back(product);
            m_found.push_back(std::move(chosen));
            m_tooMany = m_found.size() > m_limit;
            return;
        }
        for (const std::int64_t divisor : m_divisors) {
            if (divisor > product)
                break;
            if (product % divisor != 0)
                continue;
            m_chosen.push_back(divisor);
            choose(product / divisor, count - 1);
            m_chosen.pop_back();
        }
    }

    std::size_t m_limit;
    bool m_tooMany = false;
    std::vector<std::int64_t> m_divisors, m_chosen;
    std::vector<std::vector<std::int64_t>> m_found;
};

/// Null where stopped.
SnapshotPtr snapshotIn(Experiment experiment, AnalysisCache& cache, const std::stop_token& stop)
{
    return analyse(std::make_shared<const Experiment>(std::move(experiment)), 1, cache, stop);
}

std::optional<Diagnostic> problemOf(const Snapshot& snapshot)
{
    if (snapshot.errorCount() > 0)
        return snapshot.problems.front().diagnostic;
    for (const Code code : { Code::AxisUnused, Code::PipelineAxis, Code::OverMemoryLimit, Code::UnevenArgument })
        for (const Problem& problem : snapshot.problems)
            if (problem.diagnostic.code == code)
                return problem.diagnostic;
    return std::nullopt;
}

/// Absent where stopped.
std::optional<MeshFigures> figuresOn(
    const Experiment& experiment, std::vector<MeshAxis> axes, AnalysisCache& cache, const std::stop_token& stop)
{
    MeshFigures figures;
    Result<Experiment> moved = onMesh(experiment, axes);
    figures.axes = std::move(axes);
    if (!moved) {
        figures.problem = moved.error();
        return figures;
    }
    const SnapshotPtr snapshot = snapshotIn(std::move(*moved), cache, stop);
    if (!snapshot)
        return std::nullopt;
    if (snapshot->isPartitioned() && figures.axes != experiment.mesh.axes) { // each device runs what it ran before
        figures.problem = Diagnostic{ Code::CompiledProgram, {}, {} };
        return figures;
    }
    if (snapshot->laidOut())
        figures.stateBytes = stateBytes(*snapshot);
    if (snapshot->ok()) {
        figures.sentBytes = snapshot->sent.step;
        if (snapshot->plan)
            figures.peakBytes = snapshot->plan->memory.peakBytes;
    }
    figures.problem = problemOf(*snapshot);
    return figures;
}

bool isCode(const MeshFigures& figures, Code code)
{
    return figures.problem && figures.problem->code == code;
}

int rankOf(const MeshFigures& figures)
{
    if (!figures.problem)
        return figures.isFront() ? 0 : 1;
    return isCode(figures, Code::OverMemoryLimit) ? 2 : figures.sentBytes ? 3 : 4;
}

/// What needs less memory stands first; what has no peak last.
bool needsLess(const MeshFigures& a, const MeshFigures& b)
{
    return a.peakBytes && (!b.peakBytes || *a.peakBytes < *b.peakBytes);
}

bool standsBefore(const MeshFigures& a, const MeshFigures& b)
{
    if (rankOf(a) != rankOf(b))
        return rankOf(a) < rankOf(b);
    if (rankOf(a) == 2)
        return needsLess(a, b);
    return a.sentBytes && b.sentBytes && *a.sentBytes < *b.sentBytes;
}

/// `one` sends and holds no more than `other`, and one of these less.
bool dominates(const MeshFigures& one, const MeshFigures& other)
{
    if (one.problem || other.problem || !one.stateBytes || !one.sentBytes || !other.stateBytes || !other.sentBytes)
        return false;
    const bool noMore = *one.stateBytes <= *other.stateBytes && !(*other.sentBytes < *one.sentBytes);
    return noMore && (*one.stateBytes < *other.stateBytes || *one.sentBytes < *other.sentBytes);
}

void findDominated(std::vector<MeshFigures>& all)
{
    for (MeshFigures& one : all)
        for (std::size_t i = 0; i < all.size(); ++i)
            if (dominates(all[i], one) && (!one.dominatedBy || *all[i].sentBytes < *all[*one.dominatedBy].sentBytes))
                one.dominatedBy = i;
}

/// What every mesh sends with one batch; absent for those that cannot be used with it.
struct SentWith {
    std::int64_t batch = 0;
    std::vector<std::optional<Rational>> sent;
};

Rational minus(Rational a, Rational b)
{
    return a + b * Rational(-1);
}

/// On the straight line between two batches.
Rational between(const SentWith& before, const SentWith& after, std::size_t mesh, std::int64_t batch)
{
    const Rational part(batch - before.batch, after.batch - before.batch);
    return *before.sent[mesh] + minus(*after.sent[mesh], *before.sent[mesh]) * part;
}

/// The first batch with which `other` sends less than `mesh`, if both grow evenly.
std::optional<std::int64_t> firstBelow(
    const SentWith& before, const SentWith& after, std::size_t mesh, std::size_t other)
{
    const Rational ahead = minus(*before.sent[other], *before.sent[mesh]); // how much more it sends at first
    const Rational gain = ahead + minus(*after.sent[mesh], *after.sent[other]);
    if (ahead < Rational(0) || !(ahead < gain))
        return std::nullopt;
    const Rational steps =
        Rational(after.batch - before.batch) * ahead * Rational(gain.denominator(), gain.numerator());
    return before.batch + steps.numerator() / steps.denominator() + 1;
}

/// Which meshes send least in between, one after the other; empty where that is not to be told.
std::vector<BatchChange> changesBetween(
    const SentWith& before, const SentWith& after, std::size_t first, std::size_t last)
{
    std::vector<BatchChange> changes;
    for (std::size_t mesh = first; mesh != last;) {
        std::optional<BatchChange> next;
        for (std::size_t other = 0; other < before.sent.size(); ++other) {
            if (other == mesh || !before.sent[other] || !after.sent[other] || !before.sent[mesh] || !after.sent[mesh])
                continue;
            const std::optional<std::int64_t> from = firstBelow(before, after, mesh, other);
            if (!from || (next && *from > next->from))
                continue;
            if (!next || *from < next->from
                || between(before, after, other, *from) < between(before, after, next->least, *from))
                next = BatchChange{ *from, other };
        }
        if (!next || changes.size() == before.sent.size())
            return {};
        mesh = next->least;
        changes.push_back(*next);
    }
    return changes;
}

} // namespace

std::vector<std::vector<MeshAxis>> otherMeshes(
    const MeshSetting& mesh, std::size_t most, const std::vector<std::size_t>* order)
{
    std::int64_t devices = 1;
    std::vector<std::size_t> taking, ones;
    for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis) {
        const std::int64_t size = mesh.axes[axis].size;
        if (size < 1 || devices > (std::int64_t{ 1 } << 40) / size)
            return {};
        devices *= size;
        (size > 1 ? taking : ones).push_back(axis);
    }
    if (order)
        ones = *order;
    std::vector<std::vector<std::int64_t>> sizes = Factorings(devices, taking.size(), most).found();
    for (const std::size_t one : ones) {
        const auto more = Factorings(devices, taking.size() + 1, most);
        if (more.found().empty())
            break;
        taking.push_back(one);
        sizes = more.found();
    }
    std::sort(taking.begin(), taking.end());
    std::vector<std::vector<MeshAxis>> all;
    for (const std::vector<std::int64_t>& each : sizes) {
        std::vector<MeshAxis> axes = mesh.axes;
        for (std::size_t i = 0; i < taking.size(); ++i)
            axes[taking[i]].size = each[i];
        all.push_back(std::move(axes));
    }
    return all;
}

Result<Experiment> onMesh(const Experiment& experiment, const std::vector<MeshAxis>& axes)
{
    std::vector<std::int64_t> sizes;
    for (const MeshAxis& axis : axes)
        sizes.push_back(axis.size);
    return sizes.size() == experiment.mesh.axes.size() && axes == experiment.mesh.axes
        ? Result<Experiment>(experiment)
        : withAxisSizes(experiment, sizes);
}

std::vector<std::vector<MeshAxis>> meshesToTry(const Snapshot& snapshot)
{
    const std::vector<std::size_t> order = axesToTry(snapshot);
    return otherMeshes(snapshot.experiment->mesh, maximumMeshes, &order);
}

TriedAxes triedAxes(const std::vector<MeshFigures>& meshes)
{
    TriedAxes axes;
    for (std::size_t axis = 0; !meshes.empty() && axis < meshes.front().axes.size(); ++axis) {
        const MeshAxis& first = meshes.front().axes[axis];
        const bool differs = std::any_of(
            meshes.begin(), meshes.end(), [&](const MeshFigures& each) { return each.axes[axis].size != first.size; });
        if (differs)
            axes.tried.push_back(first.name);
        else if (first.size == 1)
            axes.left.push_back(first.name);
    }
    return axes;
}

std::vector<MeshFigures> searchMeshes(const Experiment& experiment, AnalysisCache& cache, const std::stop_token& stop)
{
    const SnapshotPtr own = snapshotIn(experiment, cache, stop);
    if (!own)
        return {};
    std::vector<MeshFigures> all;
    for (std::vector<MeshAxis>& axes : meshesToTry(*own)) {
        std::optional<MeshFigures> figures = figuresOn(experiment, std::move(axes), cache, stop);
        if (!figures)
            return {};
        all.push_back(std::move(*figures));
    }
    findDominated(all);
    return all;
}

std::vector<BatchFigures> batchSensitivity(const Experiment& experiment, const std::vector<MeshFigures>& meshes,
    AnalysisCache& cache, const std::stop_token& stop)
{
    ModelSetting model = experiment.model;
    const std::int64_t* present = isNetwork(experiment) ? sizeNamed(model, "batch") : nullptr;
    if (!present || *present < 1)
        return {};
    std::vector<BatchFigures> all;
    SentWith before;
    // Whether all that send least in between grow evenly: a batch in the middle says so. Absent where stopped.
    const auto growsEvenly = [&](const SentWith& after, std::size_t first, const std::vector<BatchChange>& changes) {
        const std::int64_t middle = before.batch * 2; // what the batch before can be divided by, this can
        const Result<Experiment> sized = withDimension(experiment, "batch", middle);
        if (!sized || middle >= after.batch)
            return std::optional(false);
        const auto isOnItsLine = [&](std::size_t mesh) -> std::optional<bool> {
            const auto figures = figuresOn(*sized, meshes[mesh].axes, cache, stop);
            if (!figures)
                return std::nullopt;
            return !figures->problem && figures->sentBytes == between(before, after, mesh, middle);
        };
        std::optional<bool> even = isOnItsLine(first);
        for (const BatchChange& change : changes)
            if (even.value_or(false))
                even = isOnItsLine(change.least);
        return even;
    };
    for (std::int64_t step = -1; step <= 5; ++step) {
        const std::int64_t batch = step < 0 ? *present / 4 : *present << (2 * step);
        if (batch == 0)
            continue;
        const Result<Experiment> sized = withDimension(experiment, "batch", batch);
        if (!sized)
            continue;
        const auto own = figuresOn(*sized, experiment.mesh.axes, cache, stop);
        if (!own)
            return {};
        BatchFigures figures;
        figures.batch = batch;
        figures.sentNow = own->sentBytes;
        figures.problemNow = own->problem;
        SentWith now{ batch, std::vector<std::optional<Rational>>(meshes.size()) };
        std::optional<MeshFigures> closest;
        for (std::size_t i = 0; i < meshes.size(); ++i) {
            std::optional<MeshFigures> there =
                meshes[i].axes == own->axes ? own : figuresOn(*sized, meshes[i].axes, cache, stop);
            if (!there)
                return {};
            if (there->problem) {
                if (!closest || needsLess(*there, *closest)) {
                    closest = std::move(there);
                    figures.closest = i;
                }
                continue;
            }
            now.sent[i] = there->sentBytes;
            if (there->sentBytes && (!figures.sentLeast || *there->sentBytes < *figures.sentLeast)) {
                figures.least = i;
                figures.sentLeast = there->sentBytes;
            }
        }
        if (figures.least)
            figures.closest.reset();
        else if (closest)
            figures.problem = closest->problem;
        if (figures.least && !all.empty() && all.back().least) {
            figures.changes = changesBetween(before, now, *all.back().least, *figures.least);
            if (!figures.changes.empty()) {
                const std::optional<bool> even = growsEvenly(now, *all.back().least, figures.changes);
                if (!even)
                    return {};
                if (!*even)
                    figures.changes.clear();
            }
        }
        before = std::move(now);
        all.push_back(std::move(figures));
    }
    return all;
}

void sortMeshes(std::vector<MeshFigures>& meshes)
{
    std::vector<std::size_t> order(meshes.size()), placeOf(meshes.size());
    std::iota(order.begin(), order.end(), std::size_t{ 0 });
    std::stable_sort(
        order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return standsBefore(meshes[a], meshes[b]); });
    std::vector<MeshFigures> sorted;
    for (const std::size_t mesh : order) {
        placeOf[mesh] = sorted.size();
        sorted.push_back(std::move(meshes[mesh]));
    }
    for (MeshFigures& each : sorted)
        if (each.dominatedBy)
            each.dominatedBy = placeOf[*each.dominatedBy];
    meshes = std::move(sorted);
}

FoundMeshes findMeshes(const Experiment& experiment, AnalysisCache& cache, const std::stop_token& stop)
{
    constexpr std::size_t most = 8;
    FoundMeshes found;
    found.meshes = searchMeshes(experiment, cache, stop);
    sortMeshes(found.meshes);
    for (const MeshFigures& each : found.meshes) {
        if (isCode(each, Code::AxisUnused) || isCode(each, Code::PipelineAxis))
            continue;
        ++found.comparable;
        if (found.compared.size() < most || each.axes == experiment.mesh.axes)
            found.compared.push_back(each);
    }
    found.batches = batchSensitivity(experiment, found.compared, cache, stop);
    return found;
}

} // namespace shardscope
