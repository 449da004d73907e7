// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/manual_words.h"

#include "program/op_row.h"
#include "program/other_attributes.h"
#include "words/collective_texts.h"
#include "words/definitions.h"
#include "words/links.h"
#include "words/listed.h"
#include "words/propagation_steps.h"
#include "words/sentence.h"

namespace shardscope::words {

namespace {

Sentence::Part named(const Program& program, ValueId value)
{
    return { operandName(program, value), valueLink(program, value), Span::Style::Code };
}

Sentence::Part named(const Program& program, OperationId operation)
{
    return { operationName(program.operation(operation)), operationLink(program, operation) };
}

/// Why the arrays differ along the axis.
void sayDifference(Sentence& s, const Program& program, const ManualValues& values, ValueId value, std::size_t axis)
{
    const OperationId own = program.value(value).definition;
    const auto* collective =
        own.valid() ? attributesAs<CollectiveAttributes>(program.operation(own).attributes) : nullptr;
    if (collective) {
        const OpKind kind = program.operation(own).kind;
        const GroupAxes groups = axesOfGroups(*collective, *values.of(value)->mesh, kind);
        const bool isAlong = contains(groups.axes, axis);
        if (isAlong && kind == OpKind::AllReduce && !groups.full)
            return void(s.fill(Words::tr("the groups of %1 are not all devices along it"), { named(program, own) }));
        if (isAlong && kind == OpKind::AllGather && groups.full)
            return void(s.fill(
                Words::tr("%1 gives all devices the same, but to JAX it stays varying"), { named(program, own) }));
    }
    const ValueId origin = values.origin(value, axis);
    const OperationId maker = program.value(origin).definition;
    if (maker.valid())
        s.fill(Words::tr("%1 does not give all devices the same"), { named(program, maker) });
    else if (origin == value)
        s.say(Words::tr("what comes in is sharded along it"));
    else
        s.fill(Words::tr("as %1, which it is computed from"), { named(program, origin) });
}

} // namespace

Text manualText(const Snapshot& snapshot, ValueId value, const ManualValue& own)
{
    const Program& program = *snapshot.program;
    Sentence s(*snapshot.mesh);
    s.fill(Words::tr("%1 is in the body of a %2 over %3: every device has an array of its own, %4."),
        { { operandName(program, value), {}, Span::Style::Code },
            { Words::tr("manual computation"), operationLink(program, own.computation) },
            { listed(namesOf(*own.mesh, axesIn(own.manual, *own.mesh))) },
            { fromStd(toString(program.value(value).type)), {}, Span::Style::Code } });
    return s.take();
}

std::vector<ExplanationText::Cause> manualCauses(const Snapshot& snapshot, const ManualValues& values, ValueId value)
{
    const Program& program = *snapshot.program;
    std::vector<ExplanationText::Cause> causes;
    const std::optional<ManualValue> own = values.of(value);
    if (!own)
        return causes;
    for (const AxisRef& ref : axesIn(own->manual, *own->mesh)) {
        const auto axis = static_cast<std::size_t>(ref.axis);
        ExplanationText::Cause& cause = causes.emplace_back();
        cause.subject = Words::tr("along %1", "a mesh axis").arg(fromStd(own->mesh->axis(axis).name));
        Sentence s(*snapshot.mesh);
        if (contains(own->varying, axis)) {
            sayDifference(s, program, values, value, axis);
            cause.outcome = Words::tr("varying");
        } else {
            if (const OperationId sum = values.sum(value, axis); sum.valid())
                s.fill(Words::tr("%1 gives all devices the same"), { named(program, sum) });
            else
                s.say(Words::tr("nothing that it is computed from differs"));
            cause.outcome = Words::tr("the same");
        }
        cause.reason = s.take();
    }
    return causes;
}

} // namespace shardscope::words
