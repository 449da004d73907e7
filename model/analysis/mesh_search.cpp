// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mesh_search.h"

#include <algorithm>
#include <memory>

#include "analysis/change.h"
#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment/model_settings.h"

namespace shardscope {

namespace {

/// All lists of `count` factors whose product is `product`, in ascending order; none if there are more than `most`.
class Factorings {
public:
    Factorings(std::int64_t product, std::size_t count, std::size_t most)
        : m_most(most)
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
            m_tooMany = m_found.size() > m_most;
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

    std::size_t m_most;
    bool m_tooMany = false;
    std::vector<std::int64_t> m_divisors, m_chosen;
    std::vector<std::vector<std::int64_t>> m_found;
};

Result<Experiment> movedTo(const Experiment& experiment, const std::vector<MeshAxis>& axes)
{
    std::vector<std::int64_t> sizes;
    for (const MeshAxis& axis : axes)
        sizes.push_back(axis.size);
    return sizes.size() == experiment.mesh.axes.size() && axes == experiment.mesh.axes
        ? Result<Experiment>(experiment)
        : withAxisSizes(experiment, sizes);
}

/// Null where stopped.
SnapshotPtr snapshotIn(Experiment experiment, AnalysisCache& cache, const std::stop_token& stop)
{
    return analyse(std::make_shared<const Experiment>(std::move(experiment)), 1, cache, stop);
}

std::optional<Rational> sentOn(
    const Experiment& experiment, const std::vector<MeshAxis>& axes, AnalysisCache& cache, const std::stop_token& stop)
{
    Result<Experiment> moved = movedTo(experiment, axes);
    const SnapshotPtr snapshot = moved ? snapshotIn(std::move(*moved), cache, stop) : nullptr;
    return snapshot && snapshot->ok() ? std::optional(snapshot->sent.step) : std::nullopt;
}

std::optional<Diagnostic> problemOf(const Snapshot& snapshot)
{
    if (snapshot.errorCount() > 0)
        return snapshot.problems.front().diagnostic;
    for (const Code code : { Code::OverMemoryLimit, Code::AxisUnused })
        for (const Problem& problem : snapshot.problems)
            if (problem.diagnostic.code == code)
                return problem.diagnostic;
    return std::nullopt;
}

/// `one` sends and holds no more than `other`, and one of these less.
bool beats(const MeshFigures& one, const MeshFigures& other)
{
    if (one.problem || other.problem || !one.stateBytes || !one.sentBytes || !other.stateBytes || !other.sentBytes)
        return false;
    const bool noMore = *one.stateBytes <= *other.stateBytes && !(*other.sentBytes < *one.sentBytes);
    return noMore && (*one.stateBytes < *other.stateBytes || *one.sentBytes < *other.sentBytes);
}

void findBeaten(std::vector<MeshFigures>& all)
{
    for (MeshFigures& one : all)
        for (std::size_t i = 0; i < all.size(); ++i)
            if (beats(all[i], one) && (!one.beatenBy || *all[i].sentBytes < *all[*one.beatenBy].sentBytes))
                one.beatenBy = i;
}

} // namespace

std::vector<std::vector<MeshAxis>> otherMeshes(const MeshSetting& mesh, std::size_t most)
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

std::vector<MeshFigures> searchMeshes(const Experiment& experiment, AnalysisCache& cache, const std::stop_token& stop)
{
    std::vector<MeshFigures> all;
    for (std::vector<MeshAxis>& axes : otherMeshes(experiment.mesh)) {
        MeshFigures figures;
        Result<Experiment> moved = movedTo(experiment, axes);
        figures.axes = std::move(axes);
        if (!moved) {
            figures.problem = moved.error();
            all.push_back(std::move(figures));
            continue;
        }
        const SnapshotPtr snapshot = snapshotIn(std::move(*moved), cache, stop);
        if (!snapshot)
            return {};
        if (snapshot->laidOut())
            figures.stateBytes = stateBytes(*snapshot);
        if (snapshot->ok())
            figures.sentBytes = snapshot->sent.step;
        figures.problem = problemOf(*snapshot);
        all.push_back(std::move(figures));
    }
    findBeaten(all);
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
    for (std::int64_t step = -1; step <= 5; ++step) {
        const std::int64_t batch = step < 0 ? *present / 4 : *present << (2 * step);
        if (batch == 0)
            continue;
        const Result<Experiment> sized = withDimension(experiment, "batch", batch);
        if (!sized)
            continue;
        BatchFigures figures{ batch, sentOn(*sized, experiment.mesh.axes, cache, stop), {}, {} };
        for (std::size_t i = 0; i < meshes.size(); ++i) {
            const std::optional<Rational> sent =
                meshes[i].axes == experiment.mesh.axes ? figures.sentNow : sentOn(*sized, meshes[i].axes, cache, stop);
            if (sent && (!figures.sentLeast || *sent < *figures.sentLeast)) {
                figures.least = i;
                figures.sentLeast = sent;
            }
        }
        if (stop.stop_requested())
            return {};
        all.push_back(figures);
    }
    return all;
}

FoundMeshes findMeshes(const Experiment& experiment, AnalysisCache& cache, const std::stop_token& stop)
{
    constexpr std::size_t most = 8;
    FoundMeshes found;
    found.meshes = searchMeshes(experiment, cache, stop);
    found.compared = found.meshes;
    std::erase_if(found.compared, [](const MeshFigures& each) { return !each.sentBytes || each.problem; });
    if (found.compared.size() > most) {
        std::stable_sort(found.compared.begin(), found.compared.end(), [](const MeshFigures& a, const MeshFigures& b) {
            return a.isFront() != b.isFront() ? a.isFront() : *a.sentBytes < *b.sentBytes;
        });
        found.compared.resize(most);
    }
    found.batches = batchSensitivity(experiment, found.compared, cache, stop);
    return found;
}

} // namespace shardscope
