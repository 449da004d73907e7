// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison/compare_goldens.h"

#include <algorithm>
#include <map>
#include <set>

#include "interchange/goldens_of.h"

namespace shardscope {

namespace {

using GoldenKind = ComparedGolden::Kind;

/// Without None at the end; `mesh`: without its axes of size 1 as well.
PartitionSpec shortened(PartitionSpec spec, const std::vector<MeshAxis>* mesh = nullptr)
{
    const auto isAlone = [&](const std::string& name) {
        return std::any_of(
            mesh->begin(), mesh->end(), [&](const MeshAxis& axis) { return axis.name == name && axis.size == 1; });
    };
    for (SpecEntry& entry : spec.entries)
        if (mesh) {
            std::erase_if(entry.axes, isAlone);
            if (entry.kind != SpecEntry::Kind::Unconstrained && entry.axes.empty())
                entry = SpecEntry::none();
        }
    spec = canonical(spec);
    while (!spec.entries.empty() && spec.entries.back() == SpecEntry::none())
        spec.entries.pop_back();
    return spec;
}

std::vector<ComparedAxis> comparedMesh(const std::vector<MeshAxis>& expected, const std::vector<MeshAxis>& found)
{
    const auto sizeIn = [](const std::vector<MeshAxis>& mesh, const std::string& name) {
        const auto axis =
            std::find_if(mesh.begin(), mesh.end(), [&](const MeshAxis& each) { return each.name == name; });
        return axis == mesh.end() ? 0 : axis->size;
    };
    std::vector<ComparedAxis> differences;
    const auto add = [&](const std::string& name, std::int64_t ours, std::int64_t theirs) {
        if (std::max<std::int64_t>(ours, 1) != std::max<std::int64_t>(theirs, 1))
            differences.push_back({ name, theirs, ours });
    };
    for (const MeshAxis& axis : expected)
        add(axis.name, sizeIn(found, axis.name), axis.size);
    for (const MeshAxis& axis : found)
        if (sizeIn(expected, axis.name) == 0)
            add(axis.name, axis.size, 0);
    return differences;
}

bool isOfOptimizer(std::string_view path)
{
    return path.starts_with("opt_state/");
}

class GoldenComparer {
public:
    GoldenComparer(const MaxTextGoldens& goldens, const MaxTextGoldens& ours)
        : m_goldens(goldens)
        , m_ours(ours)
    {
        m_comparison.mesh = comparedMesh(goldens.mesh, ours.mesh);
    }

    void addState()
    {
        std::map<std::string, const GoldenArray*> own;
        bool hasOptimizer = false;
        for (const GoldenArray& array : m_ours.state) {
            own.emplace(array.path, &array);
            hasOptimizer = hasOptimizer || (isOfOptimizer(array.path) && array.type.rank() > 0);
        }
        std::set<std::string> met;
        for (const GoldenArray& golden : m_goldens.state) {
            const auto found = own.find(golden.path);
            if (found != own.end()) {
                met.insert(golden.path);
                ComparedGolden row = rowOf(golden, found->second->spec);
                if (found->second->names && golden.names && *found->second->names != *golden.names)
                    row.otherNames = found->second->names;
                if (golden.shapeKnown && golden.type.shape != found->second->type.shape) {
                    row.kind = GoldenKind::OtherShape;
                    row.otherShape = found->second->type.shape;
                }
                m_comparison.arrays.push_back(std::move(row));
            } else if (isOfOptimizer(golden.path) && !hasOptimizer) {
                ++m_comparison.ofOptimizer;
            } else if (!isNumber(golden)) {
                m_comparison.arrays.push_back(rowOf(golden, std::nullopt, GoldenKind::OnlyGolden));
            }
        }
        for (const GoldenArray& array : m_ours.state)
            if (!met.contains(array.path) && !isNumber(array))
                m_further.push_back(
                    { GoldenKind::OnlyOurs, false, array.path, array.type, {}, array.spec, array.names, {}, {}, {} });
    }

    /// Arrays of the goldens whose names were resolved otherwise.
    void add(const std::vector<GoldenArray>& goldens, const std::vector<std::optional<PartitionSpec>>& specs,
        bool areActivations)
    {
        for (std::size_t i = 0; i < goldens.size() && i < specs.size(); ++i) {
            ComparedGolden row = rowOf(goldens[i], specs[i], GoldenKind::NoSpec);
            row.isActivation = areActivations;
            m_comparison.arrays.push_back(std::move(row));
        }
    }

    GoldenComparison finish(std::size_t withoutNames)
    {
        m_comparison.withoutNames = withoutNames;
        m_comparison.arrays.insert(m_comparison.arrays.end(), m_further.begin(), m_further.end());
        return std::move(m_comparison);
    }

private:
    /// A counter: nothing of it can be sharded.
    static bool isNumber(const GoldenArray& array)
    {
        return shortened(array.spec).entries.empty() && (array.type.rank() == 0 || !array.shapeKnown);
    }

    [[nodiscard]] ComparedGolden rowOf(const GoldenArray& golden, std::optional<PartitionSpec> found,
        GoldenKind withoutSpec = GoldenKind::NoSpec) const
    {
        ComparedGolden row{ GoldenKind::Same, false, golden.path, golden.type, golden.spec, std::move(found),
            golden.names, {}, {}, golden.where };
        if (!row.found)
            row.kind = withoutSpec;
        else if (shortened(golden.spec) == shortened(*row.found))
            row.kind = GoldenKind::Same;
        else if (shortened(golden.spec, &m_goldens.mesh) == shortened(*row.found, &m_ours.mesh))
            row.kind = GoldenKind::OtherForm;
        else
            row.kind = GoldenKind::OtherSpec;
        return row;
    }

    const MaxTextGoldens& m_goldens;
    const MaxTextGoldens& m_ours;
    GoldenComparison m_comparison;
    std::vector<ComparedGolden> m_further; ///< of the experiment alone
};

} // namespace

std::size_t GoldenComparison::count(ComparedGolden::Kind kind) const
{
    return static_cast<std::size_t>(
        std::count_if(arrays.begin(), arrays.end(), [kind](const ComparedGolden& each) { return each.kind == kind; }));
}

Result<GoldenComparison> compareGoldens(const MaxTextGoldens& goldens, const Experiment& experiment)
{
    SHARDSCOPE_TRY(ours, goldensOf(experiment));
    GoldenComparer comparer(goldens, *ours);
    if (ours->state.empty()) {
        const std::vector<GoldenArray> named = withNames(goldens.state);
        SHARDSCOPE_TRY(specs, specsUnder(experiment, named, Dialect::MaxTextState));
        comparer.add(named, *specs, false);
    } else {
        comparer.addState();
    }
    const std::vector<GoldenArray> activations = withNames(goldens.activations);
    SHARDSCOPE_TRY(specs, specsUnder(experiment, activations, Dialect::MaxText));
    comparer.add(activations, *specs, true);
    return comparer.finish(goldens.activations.size() - activations.size());
}

} // namespace shardscope
