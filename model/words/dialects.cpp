// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/dialects.h"

#include "rules/published_rules.h"
#include "sharding/text.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

Span strong(const QString& text)
{
    return { text, Span::Style::Strong, -1 };
}
Span say(const QString& text)
{
    return { text, Span::Style::Plain, -1 };
}
Span axes(const std::vector<std::string>& names)
{
    return { texts(names, &fromStd).join(Words::tr(" and ")), Span::Style::Axis, -1 };
}

QString namedDimension(const NamedShape& array, std::size_t dimension)
{
    if (dimension < array.names.size() && array.names[dimension].kind == LogicalName::Kind::Name)
        return fromStd(array.names[dimension].name);
    return Words::tr("dimension %1").arg(dimension);
}

void append(Text& text, Text more)
{
    text.insert(text.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Text errorStep(const ArrayInDialects& compared, const DifferingStep& step, const QString& failing)
{
    const SystemResult& failed = step.bySecond ? compared.second : compared.first;
    return { strong(failing), say(Words::tr(" gives no spec: ")),
        say(failed.error ? describe(*failed.error).cause : QString()) };
}

/// What rule `step.rule` does in both: "Rule 2 fires in A: batch is sharded along X. In B X already shards length (rule
/// 1)."
Text ruleStep(const ArrayInDialects& compared, const NamedShape& array, const LogicalRules& rules,
    const DifferingStep& step, const QString& first, const QString& second)
{
    const RuleTrace& a = compared.first.resolution->rules[step.rule];
    const RuleTrace& b = compared.second.resolution->rules[step.rule];
    const bool inFirst = a.verdict == Verdict::Applied;
    Text text{ say(Words::tr("Rule %1 fires in ").arg(step.rule + 1)), strong(inFirst ? first : second),
        say(QStringLiteral(": ")) };
    append(text, verdictReason(inFirst ? a : b, rules, array.names));
    text.push_back(say(Words::tr(". In ")));
    text.push_back(strong(inFirst ? second : first));
    text.push_back(say(QStringLiteral(" ")));
    append(text, verdictReason(inFirst ? b : a, rules, array.names));
    text.push_back(say(QStringLiteral(".")));
    return text;
}

Text dropStep(const NamedShape& array, const DifferingStep& step, const QString& system)
{
    const DroppedAxes& dropped = *step.dropped;
    Text text{ strong(system), say(Words::tr(" drops ")), axes(dropped.axes), say(Words::tr(" from ")),
        strong(namedDimension(array, dropped.dimension)) };
    if (dropped.reason == DroppedAxes::Reason::SizeOne)
        text.push_back(say(dropped.axes.size() == 1
                ? Words::tr(", which has 1 device: the array is sharded the same, its spec is written otherwise.")
                : Words::tr(
                    ", which have 1 device each: the array is sharded the same, its spec is written otherwise.")));
    else
        text.push_back(say(Words::tr(": %1 does not divide by %2, so the dimension stays replicated.")
                               .arg(count(dropped.size), count(dropped.partitions))));
    return text;
}

} // namespace

QString systemName(const RuleSystem& system)
{
    const bool old = system.version == FlaxVersion::Year2024;
    switch (system.dialect) {
    case Dialect::FlaxLinen:
        return old ? Words::tr("Flax 2024") : Words::tr("Flax current");
    case Dialect::T5x:
        return old ? Words::tr("T5X 2024") : Words::tr("T5X current");
    case Dialect::MaxText:
        return old ? Words::tr("MaxText 2024") : Words::tr("MaxText current");
    case Dialect::MaxTextState:
        return old ? Words::tr("MaxText state 2024") : Words::tr("MaxText state current");
    }
    return {};
}

QString mappingName()
{
    return Words::tr("Penzai");
}

QString mappingEffect()
{
    return Words::tr(
        "The rules are a mapping without order: every name takes the mesh axes that it is mapped to. A mesh "
        "axis twice in an array is an error, and so is one that the mesh lacks. Dimensions without a name "
        "in front of the named ones take the entries of those, as in Penzai.");
}

QString systemEffect(const RuleSystem& system)
{
    QString effect;
    switch (system.dialect) {
    case Dialect::FlaxLinen:
        effect = Words::tr("Rules are walked in order, and the spec is taken as it is: a dimension that does not "
                           "divide is an error.");
        break;
    case Dialect::T5x:
        effect = Words::tr("T5X resolves as Flax does. Over replica, data and model its partitioner writes (replica, "
                           "data) into every rule for batch: the menu of the rules does the same.");
        break;
    case Dialect::MaxText:
        effect = Words::tr("As MaxText constrains activations: as Flax, then mesh axes with 1 device are dropped, and "
                           "so are axes that a dimension does not divide by: it stays replicated without a word.");
        break;
    case Dialect::MaxTextState:
        effect = Words::tr("As MaxText shards the arrays of its train state: as Flax, and mesh axes with 1 device stay "
                           "in the spec.");
        break;
    }
    effect += QLatin1Char(' ');
    effect += system.version == FlaxVersion::Year2024
        ? Words::tr(
            "As Flax was in 2024: a rule for None takes the first dimension without a name, and logical constraints do "
            "nothing on CPUs.")
        : Words::tr("As Flax is now: it leaves dimensions without a name alone, and logical constraints count on "
                    "CPUs, too.");
    return effect;
}

QString batchAxes(const Partitioner& partitioner, const Mesh* mesh)
{
    const QStringList names = texts(partitioner.dataAxis.axes, fromStd);
    if (names.isEmpty())
        return Words::tr("T5X' partitioner: no rule maps batch to a mesh axis, so that every host reads all of it.");
    const QString axes = names.join(Words::tr(" and "));
    if (!mesh)
        return Words::tr("T5X' partitioner splits the batch along %1.").arg(axes);
    const std::int64_t parts = partitioner.dataParts(*mesh);
    return parts == 1 ? Words::tr("T5X' partitioner splits the batch along %1: one part on this mesh.").arg(axes)
                      : Words::tr("T5X' partitioner splits the batch along %1, into %2 parts.").arg(axes, count(parts));
}

QString fallbackName(RulesFallback fallback)
{
    switch (fallback) {
    case RulesFallback::AxisIsUnsharded:
        return Words::tr("unsharded");
    case RulesFallback::RaiseError:
        return Words::tr("error");
    case RulesFallback::NoConstraint:
        return Words::tr("no constraint");
    }
    return {};
}

QString constraintMeshName(ConstraintMesh mesh)
{
    switch (mesh) {
    case ConstraintMesh::None:
        return Words::tr("None: values are left alone");
    case ConstraintMesh::Own:
        return Words::tr("One handed to the constraint");
    case ConstraintMesh::Context:
        break;
    }
    return Words::tr("That of “with mesh:” around the step");
}

QString fallbackEffect(RulesFallback fallback)
{
    switch (fallback) {
    case RulesFallback::AxisIsUnsharded:
        return Words::tr(
            "A constraint leaves a dimension replicated if no rule matched it. Annotations of parameters are "
            "always read so.");
    case RulesFallback::RaiseError:
        return Words::tr("A constraint with a dimension that no rule matched is an error: the model cannot be traced.");
    case RulesFallback::NoConstraint:
        return Words::tr("A constraint with a dimension that no rule matched does nothing at all: the value is left "
                         "to propagation.");
    }
    return {};
}

QString namesUnknownToMaxText(const std::vector<std::string>& names)
{
    return Words::tr("MaxText's model annotates nothing with these names of rules: %1. Its own are those of shardscope "
                     "rules %2.")
        .arg(texts(names, &fromStd).join(Words::tr(", ")), fromStd(currentMaxTextRules));
}

Text differingStep(const ArrayInDialects& compared, const NamedShape& array, const LogicalRules& rules,
    const RuleSystem& first, const RuleSystem& second)
{
    if (!compared.step)
        return {};
    const DifferingStep& step = *compared.step;
    const QString firstName = systemName(first), secondName = systemName(second);
    const QString& acting = step.bySecond ? secondName : firstName;
    switch (step.kind) {
    case DifferingStep::Kind::Failure:
        return errorStep(compared, step, acting);
    case DifferingStep::Kind::Rule:
        return ruleStep(compared, array, rules, step, firstName, secondName);
    case DifferingStep::Kind::Dropped:
        return dropStep(array, step, acting);
    case DifferingStep::Kind::Dimension:
        return { strong(namedDimension(array, step.dimension)),
            say(Words::tr(" has no name that a rule could match: one of them leaves it replicated, the other to "
                          "propagation.")) };
    }
    return {};
}

QString elsewhere(const RuleSystem& own, const NamedShape& array, const LogicalRules& rules, const Mesh& mesh)
{
    QStringList same, other;
    for (const RuleSystem& system : ruleSystems()) {
        // One thing changed at a time: another version of Flax below it, or another dialect.
        if (system == own || (system.dialect != own.dialect && system.version != own.version))
            continue;
        const ArrayInDialects compared = compareIn(own, system, array, rules, mesh);
        if (!compared.step)
            same << systemName(system);
        else
            other << QStringLiteral("%1 %2").arg(systemName(system),
                compared.second.spec ? fromStd(toColumn(*compared.second.spec)) : Words::tr("an error"));
    }
    if (!same.isEmpty())
        other << Words::tr("the same in %1").arg(same.join(QStringLiteral(", ")));
    return other.isEmpty() ? QString() : Words::tr("Elsewhere: %1").arg(other.join(QStringLiteral("; ")));
}

} // namespace shardscope::words
