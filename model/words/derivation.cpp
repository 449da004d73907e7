// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/derivation.h"

#include <algorithm>

#include "words/collective_words.h"
#include "words/definitions.h"
#include "words/links.h"
#include "words/origin.h"
#include "words/propagation_steps.h"
#include "words/sentence.h"

namespace shardscope::words {

namespace {

class Deriver {
public:
    Deriver(const Snapshot& snapshot, const Explanation& explanation)
        : m_snapshot(snapshot)
        , m_explanation(explanation)
        , m_value(snapshot.program->value(explanation.value))
        , m_row(snapshot.row(explanation.value))
    {
    }

    std::vector<Text> collectives() const
    {
        std::vector<Text> text;
        for (const CollectiveEntry* const entry : m_explanation.collectives) {
            Sentence s = sentence();
            if (entry->reason && entry->reason->kind == Reason::Kind::ReducedFactor) {
                saySum(s, m_snapshot.program->operation(entry->reason->operation));
                s.say(Words::tr("the %1 along ").arg(counted(entry->groupSize, Noun::Device)));
                s.axes(entry->axes);
                s.say(Words::tr(" must add their partial values. "));
            } else {
                s.append(collectiveCause(*m_snapshot.collectives, *entry));
                s.say(QStringLiteral(" "));
            }
            if (entry->sentBytes == Rational(0))
                s.say(entry->kind == CollectiveKind::AllSlice
                        ? Words::tr("No data is sent: each device drops what it does not need.")
                        : Words::tr("No data is sent."));
            else
                s.say((allSend(*entry) ? Words::tr("Each device sends %1 for this %2 of %3.")
                                       : Words::tr("A device sends at most %1 for this %2 of %3."))
                          .arg(bytes(entry->sentBytes), collective(entry->kind),
                              bytes(static_cast<double>(localBytes(entry->type, entry->before)))));
            text.push_back(s.take());
        }
        return text;
    }

    std::vector<Text> steps() const
    {
        std::vector<Text> text;
        if (m_row) {
            Sentence s = sentence();
            s.say(Words::tr("Global shape "));
            s.code(shape(m_value.type.shape));
            s.say(Words::tr(", in all %1. Each device holds ").arg(bytes(static_cast<double>(m_row->bytesInAll))));
            s.code(shape(m_row->layout.shardShape()));
            s.say(Words::tr(", %1. Different shards: %2, devices: %3, copies of each: %4.")
                      .arg(bytes(static_cast<double>(m_row->bytesPerDevice)), count(m_row->layout.distinctShards()),
                          count(m_snapshot.mesh->deviceCount()), count(m_row->copies)));
            if (const AxisList& partial = m_row->layout.sharding().unreduced; !partial.empty()) {
                s.say(Words::tr(" Along "));
                s.axes(partial);
                s.say(Words::tr(" each device holds a partial sum: the array is what they add up to."));
            }
            text.push_back(s.take());
        }
        for (const DimensionReason& reason : m_explanation.dims) {
            if (reason.kind != DimensionReason::Kind::Propagated)
                continue;
            for (std::size_t i = 0; i <= reason.chain.size(); ++i) {
                const bool isLast = i == reason.chain.size();
                if (const ValueId before = sharedBefore(reason.chain, i, m_explanation.value); before.valid())
                    text.push_back(sharedSharding(*m_snapshot.program, *m_snapshot.mesh, before,
                        isLast ? m_explanation.value : reason.chain[i].from));
                if (!isLast)
                    text.push_back(derivationStep(reason.chain[i], reason));
            }
        }
        return text;
    }

private:
    Sentence sentence() const { return Sentence(*m_snapshot.mesh); }
    QString nameOf(ValueId value) const { return operandName(*m_snapshot.program, value); }

    /// "Layer 0 / y and Layer 0 / W2 are both sharded on hidden, which is summed away: "
    void saySum(Sentence& s, const Operation& operation) const
    {
        const QString summed = summedName(operation);
        if (operation.kind == OpKind::DotGeneral && !summed.isEmpty()) {
            const QString left = nameOf(operation.operands[0]), right = nameOf(operation.operands[1]);
            s.say(left == right ? Words::tr("Both factors, %1, are sharded on ").arg(left)
                                : Words::tr("%1 and %2 are both sharded on ").arg(left, right));
            s.strong(summed);
            s.say(Words::tr(", which is summed away: "));
        } else if (operation.kind == OpKind::Reduce && !summed.isEmpty()) {
            s.say(Words::tr("%1 is sharded on ").arg(nameOf(operation.operands[0])));
            s.strong(summed);
            s.say(Words::tr(", which is summed away: "));
        } else {
            s.say(Words::tr("It is a sum over a sharded dimension: "));
        }
    }

    /// The dimensions that an operation sums over and that are sharded.
    QString summedName(const Operation& operation) const
    {
        const auto nameIn = [&](ValueId value, std::int64_t dimension) -> QString {
            const Value& v = m_snapshot.program->value(value);
            const auto index = static_cast<std::size_t>(dimension);
            return index < v.dimNames.size() ? fromStd(v.dimNames[index]) : QString();
        };
        if (const auto* reduce = std::get_if<ReduceAttributes>(&operation.attributes)) {
            const ValueId operand = operation.operands[0];
            QStringList names;
            for (const std::int64_t d : reduce->dimensions)
                if (product(m_snapshot.propagation->shardings[operand.index].dims[static_cast<std::size_t>(d)].axes)
                    > 1)
                    names << nameIn(operand, d);
            names.removeAll(QString());
            return names.join(Words::tr(" and "));
        }
        const auto* dot = std::get_if<DotGeneralAttributes>(&operation.attributes);
        if (!dot || dot->lhsContracting.empty())
            return {};
        const QString left = nameIn(operation.operands[0], dot->lhsContracting[0]);
        return left.isEmpty() ? nameIn(operation.operands[1], dot->rhsContracting[0]) : left;
    }

    /// "Step 46: model passes the multiply in optimizer/layers.0/W1, from mu of Layer 0 / W1 to its result."
    Text derivationStep(const PropagationStep& step, const DimensionReason& reason) const
    {
        Sentence s = sentence();
        const AxisRef axis = step.axis;
        if (step.seed) {
            const Origin origin(m_snapshot, m_explanation.value, reason);
            const Origin* const one[] = { &origin };
            s.say(Words::tr("Given: ")).append(Origin::request(one));
            return s.take();
        }
        const Program& program = *m_snapshot.program;
        s.fill(Words::tr("%1: "), { { Words::tr("Step %1").arg(step.step), stepLink(step.step) } });
        s.axes(std::span(&axis, 1));
        if (isCallArgument(step)) {
            s.fill(Words::tr(" passes the call, from %1 to %2 (dimension %3)."),
                { { nameOf(step.from), valueLink(program, step.from) },
                    { nameOf(step.to), valueLink(program, step.to) }, { QString::number(step.toDimension) } });
            return s.take();
        }
        if (!step.operation.valid()) {
            s.fill(Words::tr(" is taken over from what the step returns %1 as."),
                { { nameOf(step.to), valueLink(program, step.to) } });
            return s.take();
        }
        const Operation& operation = m_snapshot.program->operation(step.operation);
        const QString scope = fromStd(program.scopes[operation.scope]);
        const Sentence::Part through{ operation.kind == OpKind::Call ? Words::tr("call") : operationName(operation),
            operationLink(program, step.operation) };
        const Sentence::Part from{ partOf(operation, step.from), valueLink(program, step.from) };
        const Sentence::Part to{ partOf(operation, step.to), valueLink(program, step.to) };
        const Sentence::Part dimension{ QString::number(step.toDimension) };
        if (scope.isEmpty())
            s.fill(Words::tr(" passes the %1, from %2 to %3 (dimension %4)."), { through, from, to, dimension });
        else
            s.fill(Words::tr(" passes the %1 in %5, from %2 to %3 (dimension %4)."),
                { through, from, to, dimension, { scope } });
        if (hasOwnRule(program, operation))
            s.say(Words::tr(" The operation has a custom rule."));
        return s.take();
    }

    /// A value as an operation has it: by its name, or as "its result".
    QString partOf(const Operation& operation, ValueId value) const
    {
        if (!m_snapshot.program->value(value).path.empty())
            return nameOf(value);
        const auto result = std::find(operation.results.begin(), operation.results.end(), value);
        if (result != operation.results.end())
            return Words::tr("its result");
        const auto operand = std::find(operation.operands.begin(), operation.operands.end(), value);
        return Words::tr("its operand %1").arg(operand - operation.operands.begin() + 1);
    }

    const Snapshot& m_snapshot;
    const Explanation& m_explanation;
    const Value& m_value;
    const TensorRow* m_row;
};

} // namespace

std::vector<Text> collectiveTexts(const Snapshot& snapshot, const Explanation& explanation)
{
    return Deriver(snapshot, explanation).collectives();
}

std::vector<Text> derivation(const Snapshot& snapshot, const Explanation& explanation)
{
    return Deriver(snapshot, explanation).steps();
}

} // namespace shardscope::words
