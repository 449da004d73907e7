// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/explained_value.h"

#include <algorithm>

#include "words/definitions.h"
#include "words/listed.h"
#include "words/rule_names.h"

namespace shardscope::words {

RuleList ExplainedValue::list() const
{
    return { m_explanation.annotation ? m_explanation.annotation->innerRules : -1 };
}

LogicalRules ExplainedValue::rules() const
{
    return readableRules(m_snapshot.experiment->rules, list());
}

const LogicalRule& ExplainedValue::rule(int index) const
{
    return rulesIn(m_snapshot.experiment->rules, list())[static_cast<std::size_t>(index)];
}

QString ExplainedValue::fullName() const
{
    return operandName(*m_snapshot.program, m_explanation.value);
}

Sentence::Part ExplainedValue::ruleName(int index, bool first) const
{
    return rulePart(m_snapshot.experiment->rules, { list(), index }, first);
}

QString ExplainedValue::within() const
{
    return withinText(m_snapshot.experiment->rules, list());
}

QString ExplainedValue::dimensionName(const DimensionReason& reason) const
{
    return reason.name.empty() ? Words::tr("dimension %1").arg(reason.dimension) : fromStd(reason.name);
}

QString ExplainedValue::logicalName(const DimensionReason& reason) const
{
    const LogicalNames names = m_explanation.annotation ? declaredNames() : LogicalNames();
    const auto d = static_cast<std::size_t>(reason.dimension);
    return d < names.size() && names[d].kind == LogicalName::Kind::Name ? fromStd(names[d].name)
                                                                        : dimensionName(reason);
}

std::int64_t ExplainedValue::parts(const DimensionReason& reason) const
{
    return product(reason.axes);
}

const Resolution* ExplainedValue::decidingRules() const
{
    const ResolvedAnnotation* annotation = m_explanation.annotation;
    return annotation && annotation->spec && annotation->resolution ? &*annotation->resolution : nullptr;
}

LogicalNames ExplainedValue::declaredNames() const
{
    const auto* logical = std::get_if<LogicalAxes>(&m_explanation.annotation->declared);
    return logical ? logical->names : LogicalNames();
}

std::vector<ExplainedValue::LostAxis> ExplainedValue::lostAxes(const DimensionReason& reason) const
{
    std::vector<LostAxis> lost;
    QStringList ones;
    if (reason.kind != Kind::Rule || !m_explanation.annotation)
        return lost;
    for (const std::string& axis : rule(reason.rule).target.axes) {
        const auto index = m_snapshot.mesh->axisIndex(axis);
        if (!index) {
            const std::string meant = nearestName(axis, m_snapshot.mesh->axisNames());
            lost.push_back({ fromStd(axis),
                meant.empty() ? Words::tr("which the mesh lacks")
                              : Words::tr("which the mesh lacks (it has %1)").arg(fromStd(meant)) });
            continue;
        }
        for (const DroppedAxes& dropped : m_explanation.annotation->dropped)
            if (dropped.dimension == reason.dimension
                && std::find(dropped.axes.begin(), dropped.axes.end(), axis) != dropped.axes.end()
                && dropped.reason != DroppedAxes::Reason::NotInMesh) {
                std::int64_t divisor = 1;
                for (const std::string& each : dropped.axes)
                    if (const auto at = m_snapshot.mesh->axisIndex(each))
                        divisor *= m_snapshot.mesh->size(*at);
                if (dropped.reason == DroppedAxes::Reason::SizeOne)
                    ones << fromStd(axis);
                else
                    lost.push_back({ fromStd(axis),
                        Words::tr("but %1 is not divisible by %2").arg(count(dropped.size), count(divisor)) });
            }
    }
    if (ones.size() == 1)
        lost.push_back({ ones.front(), Words::tr("which has size 1 and shards nothing") });
    else if (!ones.isEmpty())
        lost.push_back({ listed(ones), Words::tr("which have size 1 and shard nothing") });
    return lost;
}

} // namespace shardscope::words
