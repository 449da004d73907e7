// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/axes_to_try.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <variant>

#include "analysis/pipeline_axis.h"

namespace shardscope {

namespace {

/// The logical names of the dimensions of an array that is annotated with them.
struct NamedDimensions {
    Role role = Role::Input;
    std::vector<std::string> names;
};

std::vector<NamedDimensions> namedDimensions(const Snapshot& snapshot)
{
    std::vector<NamedDimensions> found;
    if (!snapshot.annotations)
        return found;
    for (const auto* list : { &snapshot.annotations->arguments, &snapshot.annotations->constraints })
        for (const ResolvedAnnotation& annotation : *list)
            if (const auto* logical = std::get_if<LogicalAxes>(&annotation.declared);
                logical && annotation.value.valid()) {
                NamedDimensions& array = found.emplace_back();
                array.role = snapshot.source->program.value(annotation.value).role;
                for (const LogicalName& name : logical->names)
                    array.names.push_back(name.name); // "" for none
            }
    return found;
}

/// What the rules can shard along an axis.
struct AxisUse {
    std::set<std::string> names; ///< logical names of the arrays
    bool ofParameters = false, ofBatch = false; ///< the batch is the first dimension of what a step is given
};

std::vector<AxisUse> usesOf(const Experiment& experiment, const std::vector<NamedDimensions>& arrays)
{
    const std::vector<MeshAxis>& axes = experiment.mesh.axes;
    std::set<std::string> ofParameters, ofBatch, all;
    for (const NamedDimensions& array : arrays)
        for (std::size_t d = 0; d < array.names.size(); ++d) {
            all.insert(array.names[d]);
            if (array.role == Role::Parameter)
                ofParameters.insert(array.names[d]);
            if (array.role == Role::Input && d == 0)
                ofBatch.insert(array.names[d]);
        }
    std::vector<AxisUse> uses(axes.size());
    for (const LogicalRule& rule : experiment.rules.rules.list)
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            const std::string& name = rule.name.name;
            if (rule.name.kind != LogicalName::Kind::Name || !all.contains(name)
                || std::find(rule.target.axes.begin(), rule.target.axes.end(), axes[axis].name)
                    == rule.target.axes.end())
                continue;
            uses[axis].names.insert(name);
            uses[axis].ofParameters = uses[axis].ofParameters || ofParameters.contains(name);
            uses[axis].ofBatch = uses[axis].ofBatch || ofBatch.contains(name);
        }
    return uses;
}

/// How much an axis adds to those that take part: dimensions of parameters that none of them shards, another kind of
/// use, other names; nothing where one of them has the same names.
std::tuple<std::int64_t, bool, std::size_t> addedBy(
    const AxisUse& use, const std::vector<const AxisUse*>& taken, const std::vector<NamedDimensions>& arrays)
{
    const auto isNew = [&](const std::string& name) {
        return use.names.contains(name) && std::none_of(taken.begin(), taken.end(), [&](const AxisUse* other) {
            return other->names.contains(name);
        });
    };
    std::int64_t dimensions = 0;
    for (const NamedDimensions& array : arrays)
        if (array.role == Role::Parameter)
            dimensions += std::count_if(array.names.begin(), array.names.end(), isNew);
    if (std::any_of(taken.begin(), taken.end(), [&](const AxisUse* other) { return other->names == use.names; }))
        return {};
    const bool isOtherKind = std::none_of(taken.begin(), taken.end(),
        [&](const AxisUse* other) { return other->ofParameters == use.ofParameters && other->ofBatch == use.ofBatch; });
    return { dimensions, isOtherKind,
        static_cast<std::size_t>(std::count_if(use.names.begin(), use.names.end(), isNew)) };
}

} // namespace

std::vector<std::size_t> axesToTry(const Snapshot& snapshot)
{
    const std::vector<MeshAxis>& axes = snapshot.experiment->mesh.axes;
    const std::vector<NamedDimensions> arrays = namedDimensions(snapshot);
    const auto isFree = [&](std::size_t axis) {
        return axes[axis].size == 1 && !isPipelineAxis(*snapshot.experiment, axes[axis].name);
    };
    const std::vector<AxisUse> uses = usesOf(*snapshot.experiment, arrays);
    std::vector<const AxisUse*> taken;
    std::vector<std::size_t> left, order;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        if (axes[axis].size > 1)
            taken.push_back(&uses[axis]);
        else if (!uses[axis].names.empty() && isFree(axis))
            left.push_back(axis);
    if (std::all_of(uses.begin(), uses.end(), [](const AxisUse& use) { return use.names.empty(); })) // by the mesh
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            if (isFree(axis))
                order.push_back(axis);
    while (!left.empty()) {
        const auto best = std::max_element(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
            return addedBy(uses[a], taken, arrays) < addedBy(uses[b], taken, arrays);
        });
        taken.push_back(&uses[*best]);
        order.push_back(*best);
        left.erase(best);
    }
    return order;
}

} // namespace shardscope
