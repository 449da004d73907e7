// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/explicit_model.h"

#include "program/operation_path.h"
#include "words/explicit_words.h"
#include "words/things.h"
#include "words/utf8.h"

namespace shardscope {

ExplicitModel::ExplicitModel(QObject* parent)
    : ColumnModel(parent)
{
    setColumns({
        { tr("Operation"), [this](int row) { return words::explicitTitle(refusal(row), *m_snapshot->program); } },
        { tr("Why it is refused"), [this](int row) { return words::explicitReason(refusal(row).diagnostic); } },
        { tr("What to write"), [this](int row) { return words::shown(refusal(row).diagnostic).remedy; } },
    });
}

void ExplicitModel::setReport(SnapshotPtr snapshot, ExplicitReportPtr report)
{
    refill(false, [&] {
        m_snapshot = std::move(snapshot);
        m_report = std::move(report);
    });
}

const ExplicitRefusal& ExplicitModel::refusal(int row) const
{
    return m_report->refusals[static_cast<std::size_t>(row)];
}

QString ExplicitModel::sentences(int row) const
{
    const words::ProblemText text = words::shown(refusal(row).diagnostic);
    return text.cause + QStringLiteral(". ") + text.remedy;
}

int ExplicitModel::count() const
{
    return m_report ? static_cast<int>(m_report->refusals.size()) : 0;
}

QVariant ExplicitModel::cell(int row, int, int role) const
{
    const ExplicitRefusal& at = refusal(row);
    const std::string path =
        at.operation.valid() ? operationPath(*m_snapshot->program, at.operation) : at.diagnostic.where.path;
    switch (role) {
    case Qt::ToolTipRole:
        return sentences(row);
    case PathRole:
        return words::fromStd(path);
    case TensorRole:
        return path.starts_with('%') ? QString() : words::fromStd(path);
    default:
        return {};
    }
}

} // namespace shardscope
