// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/run_words.h"

#include <algorithm>

#include "program/op_row.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

QString device(std::int64_t id)
{
    const auto number = static_cast<std::int32_t>(id);
    return devices({ &number, 1 });
}

/// `begins`: a sentence.
QString elementOf(const QString& value, const Shape& index, bool begins)
{
    if (!value.isEmpty())
        return index.empty() ? value : value + shape(index);
    if (index.empty())
        return begins ? Words::tr("An unnamed value") : Words::tr("an unnamed value");
    return (begins ? Words::tr("An unnamed value at %1") : Words::tr("an unnamed value at %1")).arg(shape(index));
}

bool argumentsHoldNonFinite(const RecordedStep& step)
{
    return std::any_of(step.arguments.begin(), step.arguments.end(), [](const RecordedArray& argument) {
        return std::any_of(argument.shards.begin(), argument.shards.end(), [](const kernels::Array& shard) {
            return firstNonFinite(shard, NonFiniteKind::NotANumber) >= 0
                || firstNonFinite(shard, NonFiniteKind::Infinity) >= 0;
        });
    });
}

} // namespace

QString operationPlace(const Program& program, OperationId operation)
{
    const Operation& op = program.operation(operation);
    const QString name = fromStd(qualifiedName(op));
    const std::uint32_t line = op.source < program.sources.size() ? program.sources[op.source].line : 0;
    if (line > 0)
        return Words::tr("%1 in line %2").arg(name, QString::number(line));
    const QString scope = op.scope < program.scopes.size() ? fromStd(program.scopes[op.scope]) : QString();
    return scope.isEmpty() ? name : Words::tr("%1 in %2", "an operation, a module").arg(name, scope);
}

QStringList firstDifference(const Program& program, const ValueCheck& first)
{
    const OperationId by = program.value(first.value).definition;
    if (!by.valid())
        return {};
    QStringList lines{
        Words::tr("It is the first value that differs; %1 computes it.").arg(operationPlace(program, by))
    };
    if (first.copiesDiffer && program.operation(by).kind == OpKind::ManualComputation)
        lines << Words::tr(
            "A manual computation says by its out_shardings which devices return the same. Sum or gather over the "
            "axes along which its result differs, or name them there.");
    return lines;
}

QString nonFinite(const Program& program, const NonFinite& found, Runs runs, const QString& value, const Shape& index)
{
    const bool nan = found.kind == NonFiniteKind::NotANumber;
    const QString what = nan ? QStringLiteral("NaN") : Words::tr("infinity");
    const QString element = elementOf(value, index, !found.operation.valid() || !found.produced);
    if (!found.operation.valid())
        return Words::tr("%1 is %2 as it is given.").arg(element, what);
    const QString place = operationPlace(program, found.operation);
    if (!found.produced)
        return Words::tr("%1 is %2: %3 says so.").arg(element, what, place);
    const QString where =
        runs == Runs::Devices ? Words::tr("%1 of the shard on %2").arg(element, device(found.device)) : element;
    return nan ? Words::tr("The first NaN is %1: %2 makes it of operands without NaN.").arg(where, place)
               : Words::tr("The first infinity is %1: %2 makes it of finite operands.").arg(where, place);
}

QString nonFinite(const RecordedStep& step, const RecordedStep::FirstNonFinite& first)
{
    const Program& program = step.device().program;
    const Program& specified = *step.program->program;
    const ValueId value = program.operation(first.found.operation).results[first.found.index];
    const std::string path = value.index < specified.values.size() ? *specified.value(value).path : std::string();
    Shape index = program.value(value).type.shape;
    std::int64_t left = first.found.element;
    for (std::size_t d = index.size(); d-- > 0;) {
        const std::int64_t extent = std::max<std::int64_t>(index[d], 1);
        index[d] = left % extent;
        left /= extent;
    }
    return nonFinite(program, first.found, Runs::Devices,
        path.empty() ? QString() : QLatin1Char('%') + QString::fromStdString(path), index);
}

QString nonFiniteStep(std::int64_t number, const Result<RecordedStepPtr>& recorded)
{
    const QString step = count(number);
    if (!recorded)
        return Words::tr("Step %1 could not be taken again: %2.").arg(step, describe(recorded.error()).cause);
    if (*recorded && (*recorded)->nonFinite.empty() && argumentsHoldNonFinite(**recorded))
        return Words::tr("No operation of step %1 gives it: its arguments hold it.").arg(step);
    if (!*recorded || (*recorded)->nonFinite.empty())
        return Words::tr("No operation of step %1 makes NaN or infinity of finite operands.").arg(step);
    return Words::tr("Step %1: %2", "12, a sentence").arg(step, nonFinite(**recorded, (*recorded)->nonFinite.front()));
}

QString notHeld(Held held, const std::string& path)
{
    switch (held) {
    case Held::NoStep:
        return Words::tr("The last step was stopped before its end, so what the devices hold means nothing.");
    case Held::NoMemory:
        return Words::tr("%1 has no memory of its own: it is made where it is needed, and never stored. Choose "
                         "the tensor that is computed from it.")
            .arg(tensorName(path));
    case Held::NotKept:
        return Words::tr(
            "%1 is not kept to the end of the step. Parameters, gradients, optimizer state and results are.")
            .arg(tensorName(path));
    case Held::Yes:
        break;
    }
    return {};
}

} // namespace shardscope::words
