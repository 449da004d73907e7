// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/words.h"

#include <algorithm>

#include "words/tr.h"

namespace shardscope::words {

namespace {

/// Builds a Text piece by piece.
class Sentence {
public:
    explicit Sentence(const Mesh& mesh)
        : m_mesh(&mesh)
    {
    }
    Sentence& say(const QString& text)
    {
        m_text.push_back({ text, Span::Style::Plain, -1 });
        return *this;
    }
    Sentence& strong(const QString& text)
    {
        m_text.push_back({ text, Span::Style::Strong, -1 });
        return *this;
    }
    Sentence& code(const QString& text)
    {
        m_text.push_back({ text, Span::Style::Code, -1 });
        return *this;
    }
    Sentence& axes(std::span<const AxisRef> list)
    {
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i > 0)
                say(i + 1 == list.size() ? Words::tr(" and ") : QStringLiteral(", "));
            m_text.push_back({ fromStd(toString(*m_mesh, list[i])), Span::Style::Axis, list[i].axis });
        }
        return *this;
    }
    [[nodiscard]] bool empty() const { return m_text.empty(); }
    [[nodiscard]] Text take() { return std::move(m_text); }

private:
    const Mesh* m_mesh;
    Text m_text;
};

class Explainer {
public:
    Explainer(const Snapshot& snapshot, const Explanation& explanation)
        : m_snapshot(snapshot)
        , m_explanation(explanation)
        , m_value(snapshot.program->value(explanation.value))
        , m_row(snapshot.row(explanation.value))
    {
    }

    ExplanationText write(Length length) const
    {
        ExplanationText text;
        text.title = Words::tr("Why %1 looks like this").arg(shortName());
        if (!m_snapshot.mesh || !m_snapshot.propagation) {
            text.paragraphs.push_back(
                { { Words::tr("The layout of this tensor cannot be worked out until the problems below are solved."),
                    Span::Style::Plain, -1 } });
            return text;
        }
        Sentence first = sentence();
        sayCuts(first);
        sayCopies(first);
        text.paragraphs.push_back(first.take());
        addPadding(text);
        for (const DimensionReason& reason : m_explanation.dims)
            text.decidedBy.push_back(cause(reason));
        if (length == Length::Tip)
            return text;
        addCollectives(text);
        for (const Problem* problem : m_explanation.problems) {
            if (problem->diagnostic.code == Code::Indivisible)
                continue; // said with the padding
            const ProblemText described = describe(problem->diagnostic);
            text.paragraphs.push_back(
                { { fromStd(problem->diagnostic.id()) + QStringLiteral(": "), Span::Style::Code, -1 },
                    { described.cause + QStringLiteral("."), Span::Style::Plain, -1 } });
        }
        if (length == Length::Derivation)
            addDerivation(text);
        return text;
    }

private:
    using Kind = DimensionReason::Kind;

    Sentence sentence() const { return Sentence(*m_snapshot.mesh); }
    const LogicalRule& rule(int index) const
    {
        return m_snapshot.experiment->rules.rules.list[static_cast<std::size_t>(index)];
    }
    QString shortName() const
    {
        const QString name = tensorName(m_value.path);
        const qsizetype slash = name.lastIndexOf(QLatin1String(" / "));
        return name.startsWith(QLatin1String("Layer ")) && slash >= 0 ? name.mid(slash + 3) : name;
    }
    QString dimensionName(const DimensionReason& reason) const
    {
        return reason.name.empty() ? Words::tr("dimension %1").arg(reason.dimension) : fromStd(reason.name);
    }
    std::int64_t pieces(const DimensionReason& reason) const { return product(reason.axes); }
    const Operation* lastOperation(const DimensionReason& reason) const
    {
        for (std::size_t i = reason.chain.size(); i-- > 0;)
            if (reason.chain[i].operation.valid())
                return &m_snapshot.program->operation(reason.chain[i].operation);
        return nullptr;
    }
    /// The named value nearest to the tensor on the way that an axis came.
    QString origin(const DimensionReason& reason) const
    {
        for (std::size_t i = reason.chain.size(); i-- > 0;) {
            const PropagationStep& step = reason.chain[i];
            const ValueId from = step.from.valid() ? step.from : step.to;
            if (from == m_explanation.value)
                continue;
            const std::string& path = m_snapshot.program->value(from).path;
            if (!path.empty())
                return tensorName(path);
        }
        return {};
    }

    void sayCuts(Sentence& s) const
    {
        bool first = true;
        for (const DimensionReason& reason : m_explanation.dims) {
            if (pieces(reason) == 1) // an axis of one device cuts nothing
                continue;
            if (first)
                s.say(Words::tr("%1 is cut %2 ways along ").arg(shortName(), count(pieces(reason))));
            else
                s.say(Words::tr(" It is cut %1 ways along ").arg(count(pieces(reason))));
            first = false;
            s.strong(dimensionName(reason));
            switch (reason.kind) {
            case Kind::Rule:
                s.say(Words::tr(", because rule %1 maps %2 to ").arg(reason.rule + 1).arg(dimensionName(reason)));
                s.axes(reason.axes);
                s.say(Words::tr(", which has %1 devices.").arg(count(pieces(reason))));
                break;
            case Kind::DeviceAxes:
                s.say(Words::tr(", because the model itself names "));
                s.axes(reason.axes);
                s.say(Words::tr(" there."));
                break;
            default: {
                const QString from = origin(reason);
                s.say(Words::tr(": "));
                s.axes(reason.axes);
                if (from.isEmpty())
                    s.say(Words::tr(" came along from the values that it is computed with."));
                else
                    s.say(Words::tr(" came along from %1.").arg(from));
            }
            }
        }
        if (first && m_value.type.rank() == 0)
            s.say(Words::tr("%1 is a single number.").arg(shortName()));
        else if (first)
            s.say(Words::tr("%1 is not cut.").arg(shortName()));
        for (const DimensionReason& reason : m_explanation.dims) {
            if (reason.kind == Kind::RulesSkipped && reason.trace && reason.trace->verdict == Verdict::AxisBusy) {
                s.say(Words::tr(" Rule %1 asks to cut ").arg(reason.rule + 1));
                s.strong(dimensionName(reason));
                s.say(Words::tr(" along %1; rule %2 already cut another dimension along it, so it stays whole.")
                          .arg(fromStd(reason.trace->busyAxis))
                          .arg(reason.trace->byRule + 1));
            } else if (reason.kind == Kind::RuleToNull) {
                s.say(Words::tr(" Rule %1 keeps ").arg(reason.rule + 1));
                s.strong(dimensionName(reason));
                s.say(Words::tr(" whole."));
            }
        }
    }

    void sayCopies(Sentence& s) const
    {
        if (!m_row || m_row->copies <= 1)
            return;
        QStringList unruled;
        for (const DimensionReason& reason : m_explanation.dims)
            if (reason.kind == Kind::NoRule)
                unruled << dimensionName(reason);
        const double held = static_cast<double>(m_row->bytesPerDevice)
            * static_cast<double>(m_snapshot.mesh->deviceCount()) / static_cast<double>(m_row->layout.addends());
        s.say(QStringLiteral(" "));
        if (!unruled.isEmpty()) {
            s.say(Words::tr("No rule names "));
            s.strong(unruled.join(Words::tr(" or ")));
            s.say(Words::tr(", so every device along "));
        } else {
            s.say(Words::tr("Nothing cuts it along "));
            s.axes(m_explanation.copiedAlong);
            s.say(Words::tr(", so every device along "));
        }
        s.axes(m_explanation.copiedAlong);
        s.say((m_row->layout.isUneven() ? Words::tr(" holds a copy: %1, padding included, are held for an array of %2.")
                                        : Words::tr(" holds a copy: %1 are held for an array of %2."))
                  .arg(bytes(held), bytes(static_cast<double>(m_row->bytesInAll))));
    }

    /// What the annotation of the tensor gets wrong about a dimension, null for nothing.
    const Diagnostic* indivisible(std::size_t dimension) const
    {
        const ResolvedAnnotation* annotation = m_explanation.annotation;
        if (!annotation || !annotation->indivisible())
            return nullptr;
        if (annotation->problem->where.dimension == static_cast<int>(dimension))
            return &*annotation->problem;
        for (const Diagnostic& further : annotation->alsoIndivisible)
            if (further.where.dimension == static_cast<int>(dimension))
                return &further;
        return nullptr;
    }

    void addPadding(ExplanationText& text) const
    {
        if (!m_row)
            return;
        const Layout& layout = m_row->layout;
        for (const DimensionReason& reason : m_explanation.dims) {
            const std::size_t d = reason.dimension;
            const std::int64_t pieces = layout.shardGrid()[d], block = layout.shardShape()[d];
            const std::int64_t size = layout.shape()[d], room = pieces * block;
            if (room == size)
                continue;
            const Diagnostic* error = indivisible(d);
            Sentence s = sentence();
            if (error)
                s.code(fromStd(error->id()) + QStringLiteral(": "));
            s.strong(dimensionName(reason));
            s.say(
                Words::tr(" has size %1, which does not divide by %2 devices along ").arg(count(size), count(pieces)));
            s.axes(reason.axes);
            s.say(Words::tr(": each has room for %1, and %2, %3 of the memory.")
                      .arg(count(block), paddingOf(room - size, room),
                          percent(static_cast<double>(room - size) / static_cast<double>(room))));
            if (error)
                s.say(Words::tr(" No step can run like this. ") + describe(*error).remedy);
            text.paragraphs.push_back(s.take());
        }
    }

    void addCollectives(ExplanationText& text) const
    {
        for (const DeviceOpId id : m_explanation.collectives) {
            const DeviceOp& op = m_snapshot.deviceProgram->ops[id.index];
            const Collective& exchange = *op.collective();
            const AxisList axes = axesOf(exchange);
            const std::int64_t group = product(axes);
            Sentence s = sentence();
            if (op.reason && op.reason->kind == Reason::Kind::ReducedFactor) {
                const Operation& operation = m_snapshot.program->operation(op.reason->operation);
                const QString summed = summedName(operation);
                if (operation.kind == OpKind::DotGeneral && !summed.isEmpty()) {
                    s.say(Words::tr("Both factors of the product are cut on "));
                    s.strong(summed);
                    s.say(Words::tr(", and %1 is summed away; ").arg(summed));
                } else {
                    s.say(Words::tr("It is a sum over a cut dimension; "));
                }
                s.say(Words::tr("the %1 devices along ").arg(count(group)));
                s.axes(axes);
                s.say(Words::tr(" must add their parts. "));
            } else {
                s.say(Words::tr("It has to be cut in another way for what comes next. "));
            }
            const double local =
                static_cast<double>(m_snapshot.deviceProgram->value(op.operands[0]).localType.byteCount());
            s.say(Words::tr("Each device sends %1 for this %2 of %3.")
                      .arg(bytes(exchange.sentBytes), collective(exchange.kind), bytes(local)));
            text.paragraphs.push_back(s.take());
        }
    }

    QString summedName(const Operation& operation) const
    {
        const auto* dot = std::get_if<DotGeneralAttributes>(&operation.attributes);
        if (!dot || dot->lhsContracting.empty())
            return {};
        const auto name = [&](ValueId value, std::int64_t dimension) -> QString {
            const Value& v = m_snapshot.program->value(value);
            const auto index = static_cast<std::size_t>(dimension);
            return index < v.dimNames.size() ? fromStd(v.dimNames[index]) : QString();
        };
        const QString left = name(operation.operands[0], dot->lhsContracting[0]);
        return left.isEmpty() ? name(operation.operands[1], dot->rhsContracting[0]) : left;
    }

    ExplanationText::Cause cause(const DimensionReason& reason) const
    {
        ExplanationText::Cause cause;
        cause.subject = dimensionName(reason);
        Sentence s = sentence();
        switch (reason.kind) {
        case Kind::Rule:
            s.say(Words::tr("rule %1  %2 → ").arg(reason.rule + 1).arg(fromStd(rule(reason.rule).name.name)));
            s.axes(reason.axes);
            cause.outcome = Words::tr("applied");
            break;
        case Kind::RuleToNull:
            s.say(Words::tr("rule %1  %2 → None").arg(reason.rule + 1).arg(fromStd(rule(reason.rule).name.name)));
            cause.outcome = Words::tr("left whole");
            break;
        case Kind::NoRule:
            s.say(Words::tr("no rule; no match means unsharded"));
            cause.outcome = Words::tr("left whole");
            break;
        case Kind::RulesSkipped:
            s.say(Words::tr("rule %1 was skipped").arg(reason.rule + 1));
            cause.outcome = Words::tr("left whole");
            break;
        case Kind::DeviceAxes:
            s.say(Words::tr("written in the model: "));
            s.axes(reason.axes);
            cause.outcome = Words::tr("applied");
            break;
        case Kind::Propagated: {
            const QString from = origin(reason);
            s.axes(reason.axes);
            s.say(from.isEmpty() ? Words::tr(" propagated") : Words::tr(" from %1").arg(from));
            cause.outcome = Words::tr("propagated");
            break;
        }
        case Kind::Unannotated:
            s.say(Words::tr("nothing asks for a cut"));
            cause.outcome = Words::tr("left whole");
            break;
        }
        cause.reason = s.take();
        return cause;
    }

    void addDerivation(ExplanationText& text) const
    {
        if (m_row) {
            Sentence s = sentence();
            s.say(Words::tr("Global shape "));
            s.code(shape(m_value.type.shape));
            s.say(Words::tr(", in all %1. Each device holds ").arg(bytes(static_cast<double>(m_row->bytesInAll))));
            s.code(shape(m_row->layout.shardShape()));
            s.say(Words::tr(", %1. Different shards: %2, devices: %3, copies of each: %4.")
                      .arg(bytes(static_cast<double>(m_row->bytesPerDevice)), count(m_row->layout.distinctShards()),
                          count(m_snapshot.mesh->deviceCount()), count(m_row->copies)));
            text.paragraphs.push_back(s.take());
        }
        for (const DimensionReason& reason : m_explanation.dims) {
            for (const PropagationStep& step : reason.chain) {
                Sentence s = sentence();
                const AxisRef axis = step.axis;
                s.axes(std::span(&axis, 1));
                if (step.seed) {
                    s.say(Words::tr(" was given for %1").arg(nameOf(step.to)));
                } else if (step.operation.valid()) {
                    s.say(Words::tr(" went from %1 to %2 through %3")
                              .arg(nameOf(step.from), nameOf(step.to),
                                  fromStd(opRow(m_snapshot.program->operation(step.operation).kind).name)));
                } else {
                    s.say(Words::tr(" went from %1 to %2").arg(nameOf(step.from), nameOf(step.to)));
                }
                s.say(Words::tr(" (dimension %1, step %2).").arg(step.toDimension).arg(step.step));
                text.paragraphs.push_back(s.take());
            }
        }
    }
    QString nameOf(ValueId value) const
    {
        if (!value.valid())
            return {};
        const std::string& path = m_snapshot.program->value(value).path;
        if (!path.empty())
            return tensorName(path);
        const Value& v = m_snapshot.program->value(value);
        const QString op = v.definition.valid() ? fromStd(opRow(m_snapshot.program->operation(v.definition).kind).name)
                                                : Words::tr("an argument");
        return QStringLiteral("%") + QString::number(value.index) + QStringLiteral(" (") + op + QStringLiteral(")");
    }

    const Snapshot& m_snapshot;
    const Explanation& m_explanation;
    const Value& m_value;
    const TensorRow* m_row;
};

} // namespace

ExplanationText explanation(const Snapshot& snapshot, const Explanation& explanation, Length length)
{
    if (!snapshot.program || !explanation.value.valid())
        return {};
    return Explainer(snapshot, explanation).write(length);
}

WhatIfText whatIf(const Snapshot& snapshot, const WhatIf& whatIf)
{
    WhatIfText text;
    if (whatIf.kind == WhatIf::Kind::MapName) {
        const auto axis = snapshot.mesh->axisIndex(whatIf.axis);
        text.change = { { fromStd(whatIf.name) + QStringLiteral(" → "), Span::Style::Plain, -1 },
            { fromStd(whatIf.axis), Span::Style::Axis, axis ? static_cast<int>(*axis) : -1 } };
    } else {
        QStringList sizes;
        for (const std::int64_t size : whatIf.sizes)
            sizes << count(size);
        text.change = { { Words::tr("mesh %1").arg(sizes.join(QStringLiteral(" × "))), Span::Style::Plain, -1 } };
    }
    QStringList consequences;
    const std::int64_t difference = whatIf.bytesPerDeviceAfter - whatIf.bytesPerDeviceBefore;
    if (difference == 0)
        consequences << Words::tr("the same %1 per device").arg(bytes(static_cast<double>(whatIf.bytesPerDeviceAfter)));
    else
        consequences << Words::tr("each device holds %1 of it instead of %2")
                            .arg(bytes(static_cast<double>(whatIf.bytesPerDeviceAfter)),
                                bytes(static_cast<double>(whatIf.bytesPerDeviceBefore)));
    if (!(whatIf.sentBefore == whatIf.sentAfter))
        consequences << Words::tr("sent %1 → %2 per step").arg(bytes(whatIf.sentBefore), bytes(whatIf.sentAfter));
    if (whatIf.stateBytesAfter != whatIf.stateBytesBefore)
        consequences << Words::tr("parameters to moments %1 → %2")
                            .arg(bytes(static_cast<double>(whatIf.stateBytesBefore)),
                                bytes(static_cast<double>(whatIf.stateBytesAfter)));
    text.consequence = consequences.join(QStringLiteral("; "));
    return text;
}

} // namespace shardscope::words
