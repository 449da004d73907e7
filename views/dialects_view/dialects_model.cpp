// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/dialects_view/dialects_model.h"

#include "experiment/rule_lists.h"
#include "sharding/text.h"
#include "views/theme/theme.h"
#include "words/dialects.h"

namespace shardscope {

namespace {

QString specText(const SystemResult& result)
{
    return result.spec ? QString::fromStdString(toColumn(*result.spec)) : DialectsModel::tr("error");
}

} // namespace

DialectsModel::DialectsModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({
        { tr("Array"), [this](int row) { return words::tensorName(m_subject.arrays[at(row)].path); } },
        { {}, [this](int row) { return specText(m_rows[at(row)].first); }, Look::Code },
        { {}, [this](int row) { return specText(m_rows[at(row)].second); }, Look::Code },
        { tr("First step that differs"),
            [this](int row) {
                const std::size_t i = at(row);
                return m_rows[i].step ? words::plain(words::differingStep(
                           m_rows[i], m_subject.arrays[i], m_subject.rulesOf(i), m_subject.first, m_subject.second))
                                      : tr("the same");
            } },
    });
}

void DialectsModel::setSubject(ComparisonSubject subject)
{
    refill(false, [&] {
        m_subject = std::move(subject);
        setTitle(First, words::systemName(m_subject.first));
        setTitle(Second, words::systemName(m_subject.second));
        m_rows.clear();
        m_differing = 0;
        if (m_subject.mesh)
            for (std::size_t i = 0; i < m_subject.arrays.size(); ++i) {
                m_rows.push_back(compareIn(
                    m_subject.first, m_subject.second, m_subject.arrays[i], m_subject.rulesOf(i), *m_subject.mesh));
                m_differing += m_rows.back().step ? 1 : 0;
            }
        choose();
    });
}

void DialectsModel::setAll(bool all)
{
    if (all != m_all)
        refill(false, [&] {
            m_all = all;
            choose();
        });
}

void DialectsModel::choose()
{
    m_shown.clear();
    for (int i = 0; i < arrayCount(); ++i)
        if (m_all || m_rows[static_cast<std::size_t>(i)].step)
            m_shown.push_back(i);
}

QString DialectsModel::pathAt(int row) const
{
    return row < 0 || row >= count() ? QString() : QString::fromStdString(m_subject.arrays[at(row)].path);
}

int DialectsModel::rowOf(const QString& path) const
{
    for (int row = 0; row < count(); ++row)
        if (pathAt(row) == path)
            return row;
    return -1;
}

int DialectsModel::count() const
{
    return static_cast<int>(m_shown.size());
}

QVariant DialectsModel::cell(int row, int column, int role) const
{
    const std::optional<DifferingStep>& step = m_rows[at(row)].step;
    switch (role) {
    case Qt::ToolTipRole:
        return text(row, column);
    case Qt::ForegroundRole:
        return step ? QVariant() : QVariant(Theme::current().secondary);
    case RuleRole:
        return step && step->kind == DifferingStep::Kind::Rule
            ? ruleNumber({ { m_subject.listOf(at(row)) }, static_cast<int>(step->rule) })
            : -1;
    default:
        return {};
    }
}

} // namespace shardscope
