// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/why_not.h"

#include "program/custom_calls.h"
#include "program/known_operations.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "words/definitions.h"
#include "words/links.h"
#include "words/propagation_steps.h"
#include "words/sentence.h"
#include "words/strategy_words.h"

namespace shardscope::words {

namespace {

/// What holds the axis up; %1 is the value that does.
QString reasonPattern(BlockReason reason)
{
    switch (reason) {
    case BlockReason::Replicated:
        return Words::tr("%1 is written to be copied along it");
    case BlockReason::Unreduced:
        return Words::tr("%1 holds partial sums along it");
    case BlockReason::Closed:
        return Words::tr("the sharding of %1 is closed there, so propagation may not add to it");
    case BlockReason::UsedByFactor:
        return Words::tr("%1 is sharded along it in another dimension already");
    case BlockReason::Divisibility:
        return Words::tr("what is left of the dimension of %1 does not divide by it");
    case BlockReason::Overflow:
        return Words::tr("%1 is sharded along more axes there than the operation can pass on");
    case BlockReason::Blocked:
        return Words::tr("the operation lets nothing pass along this dimension");
    case BlockReason::Direction:
        return Words::tr("the operation lets axes pass in the other direction only");
    case BlockReason::MeshMismatch:
        return Words::tr("%1 is sharded over another mesh");
    case BlockReason::MinorFactorNotFull:
        return Words::tr("a larger part of the dimension of %1 stands in front of it and is not sharded to the end");
    case BlockReason::FrozenBy:
        return Words::tr("%1 is sharded along other axes in its place");
    case BlockReason::NoRule:
    case BlockReason::Summed:
        break; // said by themselves
    }
    return {};
}

/// Operations and custom calls that nobody here knows.
bool isUnknown(const Operation& operation)
{
    if (const auto* call = attributesAs<CustomCallAttributes>(operation.attributes))
        return customCallFamily(call->target) == CustomCallFamily::Unknown;
    return operation.kind == OpKind::Opaque && !knownOperation(qualifiedName(operation));
}

/// "custom_call @Foo", since its name alone says little.
QString passerName(const Program& program, OperationId id)
{
    const Operation& operation = program.operation(id);
    const auto* call = attributesAs<CustomCallAttributes>(operation.attributes);
    return call ? operationName(operation) + QStringLiteral(" @") + fromStd(call->target) : operationName(operation);
}

} // namespace

Text whyNot(const Program& program, const Mesh& mesh, ValueId value, const AbsentAxis& absent)
{
    Sentence s(mesh);
    const AxisRef axis = absent.axis;
    s.axes(std::span(&axis, 1)).say(Words::tr(" does not shard "));
    s.strong(dimensionName(program, value, absent.dimension));
    if (!absent.blocker) {
        s.say(Words::tr(": no neighbour is sharded along it, so propagation brings nothing."));
        return s.take();
    }
    const Blocker& blocker = *absent.blocker;
    const auto named = [&](ValueId id) -> Sentence::Part {
        if (!id.valid())
            return { Words::tr("what main is declared to return") };
        return { operandName(program, id), valueLink(program, id) };
    };
    if (blocker.reason == BlockReason::NoRule) {
        s.fill(Words::tr(": %1 is sharded along it, but %2 passes no axes on, since "),
            { named(blocker.from),
                { passerName(program, blocker.operation), operationLink(program, blocker.operation) } });
        s.say(isUnknown(program.operation(blocker.operation))
                ? Words::tr("nothing is known of how its results depend on its operands.")
                : Words::tr("it has no sharding rule."));
        return s.take();
    }
    if (blocker.reason == BlockReason::Summed) {
        s.fill(
            Words::tr(": it shards the dimension of %1 that %2 sums over, and ends there: each device along it holds "
                      "partial sums."),
            { named(blocker.from),
                { operationName(program.operation(blocker.operation)), operationLink(program, blocker.operation) } });
        return s.take();
    }
    if (blocker.operation.valid())
        s.fill(Words::tr(": %1 would bring it from %2, but "),
            { { operationName(program.operation(blocker.operation)), operationLink(program, blocker.operation) },
                named(blocker.from) });
    else
        s.fill(Words::tr(": it would come over from %1, but "), { named(blocker.from) });
    if (!(blocker.axis == axis)) {
        const AxisRef before = blocker.axis;
        s.axes(std::span(&before, 1)).say(Words::tr(", which comes first, is held up: "));
    }
    s.fill(reasonPattern(blocker.reason), { named(blocker.value) });
    // In a program that was read the notation is Shardy's.
    if (blocker.reason == BlockReason::Closed && !program.meshes.empty())
        s.say(Words::tr(". Written open, {?}, it would take it"));
    s.say(QStringLiteral("."));
    return s.take();
}

std::vector<Text> whyNot(const Program& program, const Mesh& mesh, ValueId value, const std::vector<AbsentAxis>& absent)
{
    std::vector<Text> sentences;
    std::vector<bool> stated(absent.size());
    for (std::size_t i = 0; i < absent.size(); ++i) {
        if (absent[i].blocker) {
            sentences.push_back(whyNot(program, mesh, value, absent[i]));
            continue;
        }
        if (stated[i])
            continue;
        std::vector<std::size_t> dimensions;
        for (std::size_t k = i; k < absent.size(); ++k)
            if (!absent[k].blocker && absent[k].axis == absent[i].axis) {
                stated[k] = true;
                dimensions.push_back(absent[k].dimension);
            }
        Sentence s(mesh);
        s.fill(Words::tr("No neighbour of %1 "), { { operandName(program, value), {}, Span::Style::Code } });
        // Which dimensions, where others have reasons of their own.
        if (dimensions.size() < program.value(value).type.rank()) {
            s.say(Words::tr("on ", "a dimension"));
            for (std::size_t d = 0; d < dimensions.size(); ++d) {
                if (d > 0)
                    s.say(d + 1 == dimensions.size() ? Words::tr(" or ") : QStringLiteral(", "));
                s.strong(dimensionName(program, value, dimensions[d]));
            }
            s.say(QStringLiteral(" "));
        }
        s.say(Words::tr("is sharded along "));
        const AxisRef axis = absent[i].axis;
        s.axes(std::span(&axis, 1)).say(Words::tr(", so propagation brings nothing."));
        sentences.push_back(s.take());
    }
    return sentences;
}

} // namespace shardscope::words
