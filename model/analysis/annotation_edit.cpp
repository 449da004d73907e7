// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/annotation_edit.h"

#include <algorithm>

#include "analysis/explain.h"
#include "analysis/parameter_tree.h"
#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment/model_settings.h"
#include "experiment/network_edits.h"
#include "experiment/rule_edits.h"
#include "partition/manual_values.h"
#include "program/over_mesh.h"
#include "sharding/sharding_text.h"

namespace shardscope {

namespace {

/// What is given there now, over the snapshot's mesh: by the experiment, else by the text.
void setDeclared(AnnotationTarget& target, const Snapshot& snapshot, const std::vector<ValueSharding>& shardings)
{
    const Program& source = snapshot.source->program;
    const std::size_t rank = source.value(target.value).type.rank();
    target.declared = TensorSharding::open(rank);
    const auto own = std::find_if(shardings.begin(), shardings.end(),
        [&](const ValueSharding& specified) { return specified.value == target.name; });
    if (own != shardings.end()) {
        target.isDeclared = target.isOwn = true;
        if (Result<TensorSharding> sharding = parseDimensions(own->sharding, *snapshot.mesh);
            sharding && sharding->rank() == rank)
            target.declared = std::move(*sharding);
        return;
    }
    const ProgramSharding* specified = specifiedAt(source, target.place);
    if (!specified || specified->mesh >= source.meshes.size())
        return;
    target.isDeclared = true;
    // Over the mesh of the experiment axes go by their names, as in the text.
    const Mesh& mesh = *source.meshes[specified->mesh].mesh;
    if (Result<TensorSharding> sharding = parseDimensions(dimensionsText(specified->sharding, mesh), *snapshot.mesh);
        sharding && sharding->rank() == rank)
        target.declared = std::move(*sharding);
}

/// Where every value can be given a sharding of its own; `shardings` are those that the experiment gives.
std::vector<AnnotationTarget> targetsOfValue(
    const Snapshot& snapshot, ValueId value, const std::vector<ValueSharding>& shardings)
{
    std::vector<AnnotationTarget> targets;
    const Program& program = snapshot.source->program;
    if (value.index >= program.values.size()) // a copy that was made of a constant
        return targets;
    const auto add = [&](ShardedPlace place, AnnotationTarget::Kind kind) {
        AnnotationTarget target;
        target.kind = kind;
        target.value = value;
        target.place = place;
        target.name = nameOf(program, place);
        if (target.name.empty())
            return;
        setDeclared(target, snapshot, shardings);
        targets.push_back(std::move(target));
    };
    using Kind = AnnotationTarget::Kind;
    const Value& v = program.value(value);
    add({ value, -1 },
        !v.definition.valid()                                                    ? Kind::Input
            : program.operation(v.definition).kind == OpKind::ShardingConstraint ? Kind::Constraint
                                                                                 : Kind::Value);
    const auto& results = program.main().results;
    if (!program.functions.empty())
        for (std::size_t r = 0; r < results.size(); ++r)
            if (results[r] == value)
                add({ value, static_cast<int>(r) }, Kind::Output);
    return targets;
}

/// A parameter of a transformer, or the constrained output of one of its modules, by itself.
std::optional<AnnotationTarget> targetByItself(const Snapshot& snapshot, ValueId value, const TensorSharding& declared)
{
    const TransformerSettings* network = transformerOf(snapshot);
    if (!network)
        return std::nullopt;
    const Value& v = snapshot.program->value(value);
    const std::optional<PartByItself> part = partByItself(*network, v);
    if (!part || (part->isOutput && !part->chosen))
        return std::nullopt;
    AnnotationTarget target;
    target.isOutput = part->isOutput;
    target.isOwn = part->chosen != nullptr;
    target.kind = AnnotationTarget::Kind::Chosen;
    target.value = value;
    target.name = part->path;
    target.declared = declared;
    target.isDeclared = true;
    target.dimNames = v.dimNames;
    return target;
}

/// The full axes of a dimension as a rule or a model has them.
Result<SpecEntry> entryOf(const DimensionSharding& dim, const Mesh& mesh)
{
    if (dim.open || dim.priority >= 0)
        return fail(Code::UnsupportedSharding, { { "form", dim.open ? "open dimension" : "priority" } });
    std::vector<std::string> names;
    for (const AxisRef& ref : dim.axes) {
        if (!isFull(mesh, ref))
            return fail(Code::UnsupportedSharding, { { "form", "part of an axis" } });
        names.push_back(mesh.axis(static_cast<std::size_t>(ref.axis)).name);
    }
    return names.empty()    ? SpecEntry::none()
        : names.size() == 1 ? SpecEntry::axis(std::move(names.front()))
                            : SpecEntry::tuple(std::move(names));
}

} // namespace

std::vector<AnnotationTarget> annotationTargets(const Snapshot& snapshot, ValueId value)
{
    if (!snapshot.program || !snapshot.mesh || !snapshot.annotations || !value.valid() || snapshot.isPartitioned())
        return {};
    if (const auto manual = ManualValues(*snapshot.program).of(value); manual && !manual->hasOtherAxes())
        return {};
    if (const std::vector<ValueSharding>* own = ownShardings(*snapshot.experiment))
        return targetsOfValue(snapshot, value, *own);
    const ResolvedAnnotation* annotation = explain(snapshot, value).annotation;
    if (!annotation)
        return {};
    AnnotationTarget target;
    target.value = value;
    const Value& v = snapshot.program->value(value);
    const std::size_t rank = v.type.rank();
    target.declared = annotation->spec ? toTensorSharding(*annotation->spec, *snapshot.mesh, rank)
                                       : TensorSharding::fullyReplicated(rank);
    target.isDeclared = true;
    std::optional<AnnotationTarget> byItself = targetByItself(snapshot, value, target.declared);
    if (byItself && byItself->isOwn)
        return { std::move(*byItself) };
    target.dimNames.resize(rank);
    if (const auto* logical = std::get_if<LogicalAxes>(&annotation->declared)) {
        target.kind = AnnotationTarget::Kind::Rules;
        target.rules = { annotation->innerRules };
        for (std::size_t d = 0; d < std::min(rank, logical->names.size()); ++d)
            if (logical->names[d].kind == LogicalName::Kind::Name)
                target.dimNames[d] = logical->names[d].name;
    } else if (std::holds_alternative<DeviceAxes>(annotation->declared)) {
        target.kind = AnnotationTarget::Kind::DeviceAxes;
        for (std::size_t d = 0; d < std::min(rank, v.dimNames.size()); ++d)
            target.dimNames[d] = v.dimNames[d];
    } else {
        return {};
    }
    const bool any = std::any_of(
        target.dimNames.begin(), target.dimNames.end(), [](const std::string& name) { return !name.empty(); });
    std::vector<AnnotationTarget> targets;
    if (any)
        targets.push_back(std::move(target));
    if (byItself)
        targets.push_back(std::move(*byItself));
    return targets;
}

Result<Experiment> withAnnotation(
    const Snapshot& snapshot, const AnnotationTarget& target, const TensorSharding& sharding)
{
    if (target.takesAnySharding())
        return withValueSharding(*snapshot.experiment, target.name, dimensionsText(sharding, *snapshot.mesh));
    if (target.kind == AnnotationTarget::Kind::Chosen) {
        DeviceAxes axes;
        for (const DimensionSharding& dim : sharding.dims) {
            SHARDSCOPE_TRY(entry, entryOf(dim, *snapshot.mesh));
            axes.spec.entries.push_back(std::move(*entry));
        }
        return target.isOutput ? withConstraint(*snapshot.experiment, target.name, std::move(axes))
                               : withParameterSpec(*snapshot.experiment, target.name, std::move(axes));
    }
    Experiment after = *snapshot.experiment;
    for (std::size_t d = 0; d < std::min(sharding.rank(), target.declared.rank()); ++d) {
        if (sharding.dims[d] == target.declared.dims[d] || !target.canChange(d))
            continue;
        SHARDSCOPE_TRY(entry, entryOf(sharding.dims[d], *snapshot.mesh));
        SHARDSCOPE_TRY(changed,
            target.kind == AnnotationTarget::Kind::Rules
                ? withNameMapped(after, target.rules, target.dimNames[d], std::move(*entry))
                : withDeviceAxes(after, target.dimNames[d], std::move(*entry)));
        after = std::move(*changed);
    }
    return after;
}

Result<Experiment> withoutOwnSharding(const Snapshot& snapshot, const AnnotationTarget& target)
{
    if (!target.isOwn)
        return fail(Code::InvalidAttribute, { { "op", target.name }, { "wrong", "sharding" } });
    if (target.kind == AnnotationTarget::Kind::Chosen)
        return target.isOutput ? withoutConstraints(*snapshot.experiment, target.name)
                               : withoutParameterSpecs(*snapshot.experiment, target.name);
    return withValueSharding(*snapshot.experiment, target.name, std::nullopt);
}

} // namespace shardscope
