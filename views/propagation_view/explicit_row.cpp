// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/explicit_row.h"

#include <QHeaderView>
#include <QTableView>
#include <algorithm>

#include "program/operation_path.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "words/explicit_words.h"
#include "words/things.h"
#include "words/utf8.h"

namespace shardscope {

namespace {
constexpr int maxRows = 4; ///< shown at once

} // namespace

ExplicitRow::ExplicitRow(Selection* selection, ExplicitModel* model, QTableView* table, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_model(model)
    , m_toggle(new QToolButton(this))
    , m_verdict(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Elided, &Theme::secondary, this))
    , m_detail(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::text, this))
    , m_table(table)
    , m_job(this, [this](ExplicitReportPtr report) { receive(std::move(report)); })
{
    m_toggle->setAutoRaise(true);
    m_toggle->setCheckable(true);
    m_verdict->setTextInteractionFlags(Qt::NoTextInteraction);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_table->setParent(this);
    m_table->setMinimumHeight(0);

    auto* line = hbox({ 4, 0, 8, 0 }, 4, { m_toggle, { m_verdict, 1 } });
    auto* detail = hbox({ 8, 2, 8, 4 }, styleSpacing, { m_detail });
    vbox(this, { 0, 2, 0, 2 }, 0, { line, m_table, detail });
    setTabOrder(m_toggle, m_table);

    connect(m_toggle, &QToolButton::toggled, this, &ExplicitRow::refresh);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ExplicitRow::select);
    // A row that is the current one already is chosen again by a click.
    connect(m_table, &QTableView::clicked, this, &ExplicitRow::select);
    refresh();
}

void ExplicitRow::setSnapshot(const SnapshotPtr& snapshot)
{
    m_snapshot = snapshot && snapshot->propagation ? snapshot : nullptr;
    setVisible(m_snapshot != nullptr);
    if (isVisible())
        ask();
    else
        m_job.cancel();
}

void ExplicitRow::ask()
{
    if (!m_snapshot || m_model->snapshot() == m_snapshot || (m_asked == m_snapshot && m_job.isWorking()))
        return;
    m_asked = m_snapshot;
    m_job.request([snapshot = m_snapshot](const std::stop_token& stop) -> ExplicitReportPtr {
        std::optional<ExplicitReport> report = explicitReport(*snapshot, stop);
        return report ? std::make_shared<const ExplicitReport>(std::move(*report)) : nullptr;
    });
    refresh();
}

void ExplicitRow::receive(ExplicitReportPtr report)
{
    m_filling = true;
    m_model->setReport(m_asked, std::move(report));
    m_filling = false;
    refresh();
}

void ExplicitRow::refresh()
{
    const bool known = m_model->report() && m_model->snapshot() == m_snapshot;
    const bool refuses = known && !m_model->report()->accepts();
    const QString remarks = known ? words::explicitRemarks(*m_model->report()) : QString();
    m_verdict->setText(!known ? tr("JAX's explicit mode: the program is being checked.")
                              : words::explicitVerdict(*m_model->report(), *m_snapshot->program) + QLatin1Char('.'));
    m_verdict->setColour(refuses ? &Theme::warning : &Theme::secondary);
    const bool open = m_toggle->isChecked();
    m_toggle->setEnabled(refuses || !remarks.isEmpty());
    m_toggle->setIcon(icon(open ? QStringLiteral("down") : QStringLiteral("right")));
    m_toggle->setAccessibleName(
        open ? tr("Hide what JAX's explicit mode says") : tr("Show what JAX's explicit mode says"));
    m_toggle->setAccessibleDescription(m_verdict->text());
    m_toggle->setToolTip(tr("In explicit mode every sharding follows from those of the operands, and nothing is "
                            "propagated. Shows what would be refused there, and what was not judged."));
    m_table->setVisible(open && refuses);
    if (open && refuses) {
        const int rows = std::min(m_model->rowCount(), maxRows);
        m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height()
            + rows * m_table->verticalHeader()->defaultSectionSize() + 2 * m_table->frameWidth());
        m_table->setColumnWidth(ExplicitModel::Operation, Metrics::scaled(190));
        m_table->setColumnWidth(ExplicitModel::Reason, Metrics::scaled(320));
    }
    showDetail();
}

void ExplicitRow::showDetail()
{
    const bool known = m_model->report() && m_model->snapshot() == m_snapshot;
    QStringList text;
    if (known && isOpen()) {
        if (const QModelIndex current = m_table->currentIndex(); current.isValid())
            text << m_model->sentences(current.row());
        if (const QString remarks = words::explicitRemarks(*m_model->report()); !remarks.isEmpty())
            text << remarks;
    }
    showText(m_detail, text.join(QLatin1Char('\n')));
}

void ExplicitRow::select()
{
    showDetail();
    const QModelIndex current = m_table->currentIndex();
    if (m_filling || !current.isValid())
        return;
    m_selection->setOperation(
        current.data(ExplicitModel::PathRole).toString(), current.data(ExplicitModel::TensorRole).toString());
}

void ExplicitRow::hideEvent(QHideEvent* event)
{
    m_job.cancel();
    m_asked.reset();
    QWidget::hideEvent(event);
}

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
    return words::shown(refusal(row).diagnostic).inFull();
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
