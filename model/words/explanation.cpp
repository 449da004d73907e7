// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in words.h.
#include <algorithm>
#include <utility>

#include "base/codes.h"
#include "program/roles.h"
#include "words/definitions.h"
#include "words/derivation.h"
#include "words/explained_value.h"
#include "words/links.h"
#include "words/listed.h"
#include "words/manual_words.h"
#include "words/memory_words.h"
#include "words/origin.h"
#include "words/sentence.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

class Explainer : ExplainedValue {
public:
    Explainer(const Snapshot& snapshot, const Explanation& explanation)
        : ExplainedValue(snapshot, explanation)
        , m_value(snapshot.program->value(explanation.value))
        , m_row(snapshot.row(explanation.value))
    {
    }

    /// Of a program that has been partitioned.
    [[nodiscard]] ExplanationText ofOneDevice(Length length) const
    {
        ExplanationText text;
        text.title = fullName();
        const QString held = fromStd(toString(m_value.type));
        Sentence s = sentence();
        if (m_row)
            s.say(Words::tr("Each device holds %1 of it, a part of %2, as ").arg(held, fromStd(toString(m_row->type))))
                .code(fromStd(toColumn(m_row->spec)))
                .say(Words::tr(". The program has been partitioned already, and its text says so."));
        else
            s.say(Words::tr(
                "Each device holds its own %1. The program has been partitioned already: of what array it is a "
                "part its text does not say.")
                      .arg(held));
        text.paragraphs.push_back(s.take());
        if (length == Length::Tip)
            return text;
        if (m_row)
            sayNumberedAxes(text);
        addDefinition(text, length);
        return text;
    }

    ExplanationText write(Length length) const
    {
        ExplanationText text;
        text.title = Words::tr("Why %1 looks like this").arg(fullName());
        text.shortTitle = Words::tr("Why %1").arg(fullName());
        if (!m_snapshot.mesh || !m_snapshot.propagation) {
            text.paragraphs.push_back(
                { { Words::tr("The layout of this tensor cannot be worked out until the problems below are solved."),
                    Span::Style::Plain, -1 } });
            return text;
        }
        if (m_snapshot.isPartitioned())
            return ofOneDevice(length);
        const ManualValues manual(*m_snapshot.program);
        const std::optional<ManualValue> own = manual.of(m_explanation.value);
        if (own) {
            text.paragraphs.push_back(manualText(m_snapshot, m_explanation.value, *own));
            text.decidedBy = manualCauses(m_snapshot, manual, m_explanation.value);
        }
        if (!own || (own->hasOtherAxes() && m_value.type.rank() > 0)) {
            Sentence first = sentence();
            stateShardings(first);
            saySkipped(first);
            sayLostAxes(first);
            sayParts(first);
            sayCopies(first);
            sayList(first);
            text.paragraphs.push_back(first.take());
            addPadding(text);
            if (Text memory = memoryReason(m_snapshot, m_explanation.value); !memory.empty())
                text.paragraphs.push_back(std::move(memory));
            for (ExplanationText::Cause& cause : decidedBy(m_snapshot, m_explanation))
                text.decidedBy.push_back(std::move(cause));
        }
        if (length == Length::Tip)
            return text;
        addDefinition(text, length);
        append(text, collectiveTexts(m_snapshot, m_explanation));
        addProblems(text);
        if (length == Length::Derivation)
            append(text, derivation(m_snapshot, m_explanation));
        return text;
    }

private:
    static void append(ExplanationText& text, std::vector<Text> more)
    {
        text.paragraphs.insert(
            text.paragraphs.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    /// Only the derivation names all of many operands.
    void addDefinition(ExplanationText& text, Length length) const
    {
        const std::size_t most = length == Length::Derivation ? allOperands : fewOperands;
        if (const QString of = definition(*m_snapshot.program, m_explanation.value, most); !of.isEmpty())
            text.paragraphs.push_back({ { Words::tr("%1 is %2.").arg(fullName(), of), Span::Style::Plain, -1 } });
    }
    /// Axes that nobody has named: where they come from, and how long they are.
    void sayNumberedAxes(ExplanationText& text) const
    {
        QStringList axes;
        for (std::size_t d = 0; d < m_row->spec.size(); ++d)
            for (const std::string& name : m_row->spec.axesOf(d))
                if (const auto axis = name.starts_with("axis_") ? m_snapshot.mesh->axisIndex(name) : std::nullopt)
                    axes << Words::tr("%1 has %2", "axis_1 has 8 devices")
                                .arg(fromStd(name), counted(m_snapshot.mesh->axis(*axis).size, Noun::Device));
        if (!axes.isEmpty())
            text.paragraphs.push_back(
                { { Words::tr("%1. XLA keeps groups of devices and not the names of mesh axes, so "
                              "that the axes which the groups need are numbered.")
                        .arg(listed(axes)),
                    Span::Style::Plain, -1 } });
    }
    QString devicesAlong(std::span<const AxisRef> axes) const { return counted(product(axes), Noun::Device); }
    /// Arrays of the optimizer usually have the annotation of their parameter.
    bool hasOptimizerRules() const { return m_explanation.annotation && m_explanation.annotation->hasOptimizerRules; }
    bool isAsParameter() const { return isAnnotatedAsParameter(*m_snapshot.program, m_explanation.value); }
    /// "It is sharded 2 ways along batch and 4 ways along hidden"; `first` says whose the sentence is.
    void startShardings(Sentence& s, std::span<const DimensionReason* const> dims, bool& first) const
    {
        if (std::exchange(first, false))
            s.fill(Words::tr("%1 is sharded "), { self() });
        else
            s.say(Words::tr(" It is sharded "));
        for (std::size_t i = 0; i < dims.size(); ++i) {
            s.between(i, dims.size());
            s.say(Words::tr("%1 ways along ").arg(count(parts(*dims[i]))));
            s.strong(dimensionName(*dims[i]));
        }
    }

    void stateShardings(Sentence& s) const
    {
        bool first = true;
        std::vector<const DimensionReason*> device, propagated;
        for (const DimensionReason& reason : m_explanation.dims) {
            if (parts(reason) == 1) // an axis of one device shards nothing
                continue;
            if (reason.kind == Kind::DeviceAxes) {
                device.push_back(&reason);
            } else if (reason.kind != Kind::Rule) {
                propagated.push_back(&reason);
            } else {
                const DimensionReason* const one[] = { &reason };
                startShardings(s, one, first);
                s.fill(Words::tr(", because %1 maps %2 to "), { ruleName(reason.rule), { logicalName(reason) } });
                s.axes(reason.axes);
                s.say((reason.axes.size() > 1 ? Words::tr(", which together have %1.") : Words::tr(", which has %1."))
                          .arg(devicesAlong(reason.axes)));
            }
        }
        if (!first && hasOptimizerRules())
            s.say(Words::tr(" It has the names of its parameter; rules of its own hold for what the optimizer keeps."));
        else if (!first && isAsParameter())
            s.say(Words::tr(" It is annotated as its parameter is."));
        if (!device.empty())
            sayDeviceAxes(s, device, first);
        sayPropagated(s, propagated, first);
        if (first && m_value.type.rank() == 0) {
            const std::int64_t devices = m_snapshot.mesh->deviceCount();
            s.fill(devices == 1 ? Words::tr("%1 is a single number, which cannot be sharded.")
                                : Words::tr("%1 is a single number, which cannot be sharded: each of the %2 holds it."),
                { self(), { counted(devices, Noun::Device) } });
        } else if (first) {
            s.fill(Words::tr("%1 is not sharded."), { self() });
        }
    }

    void sayDeviceAxes(Sentence& s, const std::vector<const DimensionReason*>& dims, bool& first) const
    {
        startShardings(s, dims, first);
        const bool constraint = m_explanation.annotation && m_explanation.annotation->operation.valid();
        s.say(constraint          ? Words::tr(", because the constraint on it names ")
                : isAsParameter() ? Words::tr(", because it is annotated as its parameter is, with ")
                                  : Words::tr(", because its annotation names "));
        for (std::size_t i = 0; i < dims.size(); ++i) {
            s.between(i, dims.size());
            s.axes(dims[i]->axes);
        }
        s.say(QStringLiteral("."));
    }

    void sayPropagated(Sentence& s, const std::vector<const DimensionReason*>& dims, bool& first) const
    {
        std::vector<Origin> origins;
        origins.reserve(dims.size());
        for (const DimensionReason* reason : dims)
            origins.emplace_back(m_snapshot, m_explanation.value, *reason);
        std::vector<bool> stated(dims.size());
        for (std::size_t i = 0; i < dims.size(); ++i) {
            if (stated[i])
                continue;
            std::vector<const DimensionReason*> together;
            std::vector<const Origin*> alike;
            for (std::size_t k = i; k < dims.size(); ++k)
                if (!stated[k] && origins[k].isLike(origins[i])) {
                    stated[k] = true;
                    together.push_back(dims[k]);
                    alike.push_back(&origins[k]);
                }
            startShardings(s, together, first);
            const QString name = origins[i].alikeName();
            const Text request = Origin::request(alike);
            if (name.isEmpty())
                s.say(request.empty() ? Words::tr(", as what it is computed with is sharded.") : QStringLiteral("."));
            else if (origins[i].relation().isEmpty())
                s.fill(Words::tr(", as %1 is."), { { name, origins[i].link() } });
            else
                s.fill(Words::tr(", as %1 is: %2."), { { name, origins[i].link() }, { origins[i].relation() } });
            if (!request.empty())
                s.say(QStringLiteral(" ")).append(request);
        }
    }

    void saySkipped(Sentence& s) const
    {
        for (const DimensionReason& reason : m_explanation.dims) {
            if (reason.kind == Kind::RulesSkipped && reason.trace) {
                const LogicalRule& skipped = rule(reason.rule);
                const QString axes = texts(skipped.target.axes, fromStd).join(Words::tr(" and "));
                s.fill(Words::tr(" %1 maps %2 to %3, but "),
                    { ruleName(reason.rule, true), { logicalName(reason) }, { axes } });
                s.append(verdictReason(*reason.trace, rules(), declaredNames()));
                s.say(parts(reason) == 1 ? Words::tr(", so ") : QStringLiteral("."));
                if (parts(reason) == 1) {
                    s.strong(dimensionName(reason));
                    s.say(Words::tr(" stays replicated."));
                }
            } else if (reason.kind == Kind::RuleToNull) {
                s.fill(Words::tr(" %1 keeps "), { ruleName(reason.rule, true) });
                s.strong(dimensionName(reason));
                s.say(Words::tr(" replicated."));
            }
        }
    }

    void sayLostAxes(Sentence& s) const
    {
        for (const DimensionReason& reason : m_explanation.dims) {
            const std::vector<LostAxis> all = lostAxes(reason);
            for (std::size_t i = 0; i < all.size(); ++i) {
                s.fill(Words::tr(" %1 maps %2 to %3, %4"),
                    { ruleName(reason.rule, true), { logicalName(reason) }, { all[i].axis }, { all[i].why } });
                if (i + 1 == all.size() && reason.axes.empty()) {
                    s.say(Words::tr(", so "));
                    s.strong(dimensionName(reason));
                    s.say(Words::tr(" stays replicated"));
                }
                s.say(QStringLiteral("."));
            }
        }
    }

    /// Why nothing is sharded along a mesh axis, as the beginning of a sentence.
    Text whyNot(AxisRef axis) const
    {
        Sentence s = sentence();
        const Resolution* resolution = decidingRules();
        const auto index = static_cast<std::size_t>(axis.axis);
        const AxisRef full = fullAxis(*m_snapshot.mesh, index); // rules name no parts
        const std::string& name = m_snapshot.mesh->axis(index).name;
        if (resolution) {
            for (const RuleTrace& trace : resolution->rules) {
                const LogicalRule& asking = rule(static_cast<int>(trace.rule));
                const bool names =
                    std::find(asking.target.axes.begin(), asking.target.axes.end(), name) != asking.target.axes.end();
                const bool skipped = trace.verdict == Verdict::AxisBusy || trace.verdict == Verdict::DimensionSet
                    || trace.verdict == Verdict::BlockedByNull;
                const bool told = std::any_of(m_explanation.dims.begin(), m_explanation.dims.end(), [&](const auto& d) {
                    return d.kind == Kind::RulesSkipped && d.rule == static_cast<int>(trace.rule);
                });
                if (!names || !skipped || told)
                    continue;
                s.fill(Words::tr("%1 maps %2 to "),
                    { ruleName(static_cast<int>(trace.rule), true), { fromStd(asking.name.name) } });
                s.axes(std::span(&full, 1));
                s.say(Words::tr(", but "));
                s.append(verdictReason(trace, rules(), declaredNames()));
                return s.take();
            }
            QStringList unruled;
            for (const DimensionReason& reason : m_explanation.dims)
                if (reason.kind == Kind::NoRule && parts(reason) == 1)
                    unruled << logicalName(reason);
            if (!unruled.isEmpty()) {
                const QString inList = within();
                s.say(inList.isEmpty() ? Words::tr("No rule names ") : Words::tr("No rule %1 names ").arg(inList));
                s.strong(unruled.join(Words::tr(" or ")));
                return s.take();
            }
        }
        const bool declared = !resolution && m_explanation.annotation && m_explanation.annotation->spec;
        s.say(declared && m_explanation.annotation->operation.valid() ? Words::tr("The constraint on it does not name ")
                : declared                                            ? Words::tr("Its annotation does not name ")
                                                                      : Words::tr("Nothing shards it along "));
        s.axes(std::span(&axis, 1));
        return s.take();
    }

    /// Rules of a part of the model stand in the place of those outside.
    void sayList(Sentence& s) const
    {
        if (const Resolution* resolution = decidingRules(); resolution && !list().isOuter())
            s.say(Words::tr(" The rules %1 replace those outside.").arg(within()));
    }

    /// What is still to be added up.
    void sayParts(Sentence& s) const
    {
        if (!m_row || m_row->layout.addends() <= 1)
            return;
        const AxisList& axes = m_row->layout.sharding().unreduced;
        s.say(Words::tr(" Each of the %1 along ").arg(devicesAlong(axes)));
        s.axes(axes);
        s.say(Words::tr(" holds a partial sum: the array is what they add up to."));
    }

    void sayCopies(Sentence& s) const
    {
        if (!m_row || m_row->copies <= 1 || m_value.type.rank() == 0)
            return;
        // Axes for which the reason is the same go together.
        struct Group {
            Text why;
            AxisList axes;
        };
        std::vector<Group> groups;
        for (const AxisRef& axis : m_explanation.copiedAlong) {
            Text why = whyNot(axis);
            const auto same =
                std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return group.why == why; });
            (same == groups.end() ? groups.emplace_back(Group{ std::move(why), {} }) : *same).axes.push_back(axis);
        }
        const double held =
            static_cast<double>(m_row->bytesPerDevice) * static_cast<double>(m_snapshot.mesh->deviceCount());
        const bool parts = m_row->layout.addends() > 1;
        const QString all = bytes(held), full = bytes(static_cast<double>(m_row->bytesInAll));
        for (std::size_t i = 0; i < groups.size(); ++i) {
            s.say(QStringLiteral(" ")).append(groups[i].why);
            s.say(Words::tr(", so each of the %1 along ").arg(devicesAlong(groups[i].axes)));
            s.axes(groups[i].axes);
            s.say(parts ? Words::tr(" holds a copy of its partial sum") : Words::tr(" holds a copy"));
            if (i + 1 < groups.size())
                s.say(QStringLiteral("."));
        }
        s.say((m_row->layout.isUneven() ? Words::tr(": %1, padding included, are held for an array of %2.")
                                        : Words::tr(": %1 are held for an array of %2."))
                  .arg(all, full));
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
            const std::int64_t parts = layout.shardGrid()[d], block = layout.shardShape()[d];
            const std::int64_t size = layout.shape()[d], room = parts * block;
            if (room == size)
                continue;
            const Diagnostic* error = indivisible(d);
            Sentence s = sentence();
            if (error)
                s.code(fromStd(error->id()) + QStringLiteral(": "));
            s.strong(dimensionName(reason));
            s.say(Words::tr(" has size %1, which does not divide by %2 along ")
                      .arg(count(size), counted(parts, Noun::Device)));
            s.axes(reason.axes);
            s.say(Words::tr(": each has room for %1, and %2, %3 of the memory.")
                      .arg(count(block), paddingOf(room - size, room),
                          percent(static_cast<double>(room - size) / static_cast<double>(room))));
            if (error)
                s.say(Words::tr(" No step can run like this. ") + describe(*error).remedy);
            text.paragraphs.push_back(s.take());
        }
    }

    void addProblems(ExplanationText& text) const
    {
        for (const Problem* problem : m_explanation.problems) {
            Diagnostic diagnostic = problem->diagnostic;
            // Said already, with the padding and with the rule that was skipped.
            if (diagnostic.code == Code::Indivisible || diagnostic.code == Code::AtomSplit
                || diagnostic.code == Code::AxisBusy)
                continue;
            // One finding may be about the same tensor of several layers; here it is about this one.
            if (!diagnostic.where.path.empty())
                diagnostic.where.path = m_value.path;
            text.paragraphs.push_back({ { fromStd(diagnostic.id()) + QStringLiteral(": "), Span::Style::Code, -1 },
                { describe(diagnostic).cause + QStringLiteral("."), Span::Style::Plain, -1 } });
        }
    }

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

} // namespace shardscope::words
