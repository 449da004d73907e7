// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/collective_rule.h"

#include <QCoreApplication>
#include <algorithm>

#include "analysis/explain.h"
#include "views/collectives_view/collective_texts.h"
#include "words/links.h"
#include "words/origin.h"
#include "words/rule_names.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

struct CollectiveRule {
    Q_DECLARE_TR_FUNCTIONS(CollectiveRule)
};

words::Text askedBy(
    const Snapshot& snapshot, ValueId value, const ResolvedAnnotation* annotation, const DimensionReason& reason)
{
    using Style = words::Span::Style;
    const auto append = [](words::Text text, const words::Text& more) {
        text.insert(text.end(), more.begin(), more.end());
        return text;
    };
    switch (reason.kind) {
    case DimensionReason::Kind::Rule: {
        const RuleList list{ annotation ? annotation->innerRules : -1 };
        const auto& rules = rulesIn(snapshot.experiment->rules, list);
        if (reason.rule < 0 || static_cast<std::size_t>(reason.rule) >= rules.size())
            return {};
        const QString logical = words::fromStd(rules[static_cast<std::size_t>(reason.rule)].name.name);
        const words::Sentence::Part rule = words::rulePart(snapshot.experiment->rules, { list, reason.rule });
        return append({ { rule.text, Style::Plain, -1, rule.link },
                          { QStringLiteral("  %1 → ").arg(logical), Style::Plain, -1 } },
            axesSpans(*snapshot.mesh, reason.axes));
    }
    case DimensionReason::Kind::DeviceAxes:
        return append(
            { { CollectiveRule::tr("an annotation, "), Style::Plain, -1 } }, axesSpans(*snapshot.mesh, reason.axes));
    case DimensionReason::Kind::Propagated:
        return words::Origin(snapshot, value, reason).shortRequest();
    default:
        return {};
    }
}

} // namespace

words::Text ruleBehind(const CollectiveList& list, const CollectiveEntry& entry, const Snapshot& snapshot)
{
    // Ids of the snapshot's values hold in the list's program, which has further ones after them.
    if (!snapshot.program || !snapshot.propagation || !snapshot.mesh)
        return {};
    const auto concerned = [&](const AxisList& axes) {
        return std::any_of(axes.begin(), axes.end(), [&](const AxisRef& axis) {
            return std::any_of(
                entry.axes.begin(), entry.axes.end(), [&](const AxisRef& other) { return overlaps(axis, other); });
        });
    };
    std::vector<ValueId> values;
    if (entry.reason && entry.reason->kind == Reason::Kind::ReducedFactor && entry.reason->operation.valid())
        for (const ValueId operand : list.program->operation(entry.reason->operation).operands)
            values.push_back(operand);
    values.push_back(entry.value);
    words::Text first;
    for (const ValueId value : values) {
        if (!value.valid() || value.index >= snapshot.propagation->shardings.size())
            continue;
        const auto& dims = snapshot.propagation->shardings[value.index].dims;
        if (std::none_of(dims.begin(), dims.end(), [&](const DimensionSharding& dim) { return concerned(dim.axes); }))
            continue;
        const Explanation explanation = explain(snapshot, value);
        for (const DimensionReason& reason : explanation.dims) {
            if (!concerned(reason.axes))
                continue;
            words::Text text = askedBy(snapshot, value, explanation.annotation, reason);
            if (std::any_of(text.begin(), text.end(), [](const words::Span& span) { return !span.link.isEmpty(); }))
                return text;
            if (first.empty())
                first = std::move(text);
        }
    }
    return first;
}

} // namespace shardscope
