// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/explain.h"

#include <algorithm>

#include "pipeline/collective_list.h"
#include "pipeline/tensor_rows.h"

namespace shardscope {

namespace {

const ResolvedAnnotation* annotationOf(const Snapshot& snapshot, ValueId value)
{
    const Annotations& annotations = *snapshot.annotations;
    for (const ResolvedAnnotation& annotation : annotations.arguments)
        if (annotation.value == value)
            return &annotation; // of main; arguments of bodies have none
    for (const ResolvedAnnotation& annotation : annotations.constraints)
        if (annotation.value == value)
            return &annotation;
    for (const ResolvedAnnotation& annotation : annotations.results)
        if (annotation.value == value && annotation.spec)
            return &annotation;
    return nullptr;
}

/// Whether the dimension is sharded as the annotation says, so that it is the reason. An entry left to propagation
/// decides nothing, and a value may have got other axes than its annotation names (a result that is resharded on
/// return).
bool decides(const Snapshot& snapshot, const ResolvedAnnotation& annotation, const DimensionReason& reason)
{
    if (!snapshot.propagation)
        return true;
    const TensorSharding wanted =
        toTensorSharding(*annotation.spec, *snapshot.mesh, snapshot.program->value(annotation.value).type.rank());
    const DimensionSharding& dim = wanted.dims[reason.dimension];
    return !dim.open && dim.axes == reason.axes;
}

DimensionReason reasonOf(const Snapshot& snapshot, const Explanation& explanation, std::size_t dimension)
{
    using Kind = DimensionReason::Kind;
    const Value& value = snapshot.program->value(explanation.value);
    DimensionReason reason;
    reason.dimension = dimension;
    if (dimension < value.dimNames.size())
        reason.name = value.dimNames[dimension];
    if (snapshot.propagation)
        reason.axes = heldSharding(snapshot, explanation.value).dims[dimension].axes;

    const ResolvedAnnotation* annotation = explanation.annotation;
    if (annotation && annotation->spec && decides(snapshot, *annotation, reason)) {
        if (annotation->resolution && dimension < annotation->resolution->dims.size()) {
            const DimensionTrace& trace = annotation->resolution->dims[dimension];
            reason.rule = trace.rule;
            switch (trace.outcome) {
            case DimensionOutcome::SetByRule:
                reason.kind = Kind::Rule;
                break;
            case DimensionOutcome::SetToNullByRule:
                reason.kind = Kind::RuleToNull;
                break;
            case DimensionOutcome::NoRule:
                reason.kind = Kind::NoRule;
                break;
            case DimensionOutcome::AllRulesSkipped:
                reason.kind = Kind::RulesSkipped;
                if (trace.rule >= 0)
                    reason.trace = annotation->resolution->rules[static_cast<std::size_t>(trace.rule)];
                break;
            case DimensionOutcome::Unnamed:
            case DimensionOutcome::Unconstrained:
                reason.kind = Kind::Unannotated;
                break;
            }
            return reason;
        }
        reason.kind = reason.axes.empty() ? Kind::DeviceUnsharded : Kind::DeviceAxes;
        return reason;
    }
    if (snapshot.propagation && !reason.axes.empty()) {
        reason.kind = Kind::Propagated;
        reason.chain = provenance(*snapshot.propagation, explanation.value, dimension, reason.axes.front());
    }
    return reason;
}

} // namespace

Explanation explain(const Snapshot& snapshot, ValueId value)
{
    Explanation explanation;
    explanation.value = value;
    if (!snapshot.program || !snapshot.annotations || !value.valid())
        return explanation;
    explanation.annotation = annotationOf(snapshot, value);
    const std::size_t rank = snapshot.program->value(value).type.rank();
    for (std::size_t dimension = 0; dimension < rank; ++dimension)
        explanation.dims.push_back(reasonOf(snapshot, explanation, dimension));

    if (snapshot.propagation)
        explanation.copiedAlong = replicatedAxes(heldSharding(snapshot, value), *snapshot.mesh);
    if (snapshot.collectives) {
        const std::vector<ValueId> forms = sameValue(*snapshot.program, value);
        for (const CollectiveEntry& entry : snapshot.collectives->entries)
            if (std::find(forms.begin(), forms.end(), entry.value) != forms.end())
                explanation.collectives.push_back(&entry);
    }
    for (const Problem& problem : snapshot.problems)
        if (std::find(problem.values.begin(), problem.values.end(), value) != problem.values.end())
            explanation.problems.push_back(&problem);
    return explanation;
}

} // namespace shardscope
