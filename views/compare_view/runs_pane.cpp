// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/runs_pane.h"

#include <QHeaderView>
#include <QMenu>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

#include "views/compare_view/row_actions.h"
#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/row_table.h"
#include "words/words.h"

namespace shardscope {

RunsPane::RunsPane(RunLog* log, QWidget* parent)
    : QWidget(parent)
    , m_log(log)
    , m_model(new RunsModel(this))
    , m_table(new QTableView)
    , m_message(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::secondary))
    , m_empty(new EmptyPage(tr("No step has run yet. Runs stay here, whatever is edited after them.")))
    , m_job(this, [this](const Checked& checked) { receive(checked); })
{
    makeRowTable(m_table, m_model, tr("Runs"));
    m_table->setAlternatingRowColors(true);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_message->hide();
    const auto button = [this](const char* picture, const QString& name, const QKeySequence& key, auto run) {
        m_buttons << makeRowButton(m_table, QLatin1String(picture), name, key, run);
        return m_buttons.back();
    };
    auto* buttons = hbox({ 8, 4, 8, 4 }, 4,
        { button("ok", tr("Compare with the reference"), {}, [this] { checkAgreement(); }),
            button("pin", tr("Pin as A"), {}, [this] { pinCurrent(); }),
            button("remove", tr("Remove run"), QKeySequence(Qt::Key_Delete), [this] { remove(); }), boxStretch() });
    vbox(this, {}, 0, { buttons, m_message, { m_table, 1 }, { m_empty, 1 } });
    setFocusProxy(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &RunsPane::enableButtons);
    connect(m_log, &RunLog::changed, this, &RunsPane::follow);
    giveRowMenu(m_table, [this](QMenu& menu, const QModelIndex& row) {
        addMenuAction(menu, "check", tr("Compare with the reference"), [this] { checkAgreement(); });
        addMenuAction(menu, "pin", tr("Pin as A"), [this] { pinCurrent(); });
        addMenuAction(
            menu, "remove", tr("Remove run"), [this] { remove(); }, tr("Del"));
        menu.addSeparator();
        addRowCopyActions(menu, m_table, row);
    });
    follow();
}

const KeptRun* RunsPane::current() const
{
    const int row = m_table->currentIndex().row();
    return row >= 0 && row < m_model->rowCount() ? m_log->run(m_model->run(row).number) : nullptr;
}

void RunsPane::pinCurrent()
{
    if (const KeptRun* run = current())
        Q_EMIT pinRequested(run->experiment, run->name);
}

void RunsPane::checkAgreement()
{
    const KeptRun* run = current();
    if (!run)
        return;
    m_message->setText(tr("A step on one device is compared with a step on the mesh."));
    m_message->show();
    m_job.request([copy = *run](const std::stop_token& stop) { return Checked(copy.number, agreementOf(copy, stop)); });
}

void RunsPane::receive(const Checked& checked)
{
    m_message->setVisible(!checked.second);
    m_message->setText(checked.second ? QString() : words::oneLine(checked.second.error()));
    if (checked.second)
        m_log->setAgreement(checked.first, *checked.second);
}

void RunsPane::remove()
{
    const int row = m_table->currentIndex().row();
    if (const KeptRun* run = current()) {
        m_log->remove(run->number);
        if (m_model->rowCount() > 0)
            m_table->setCurrentIndex(m_model->index(std::min(row, m_model->rowCount() - 1), 0));
    }
}

void RunsPane::enableButtons()
{
    for (QToolButton* each : m_buttons)
        each->setEnabled(current() != nullptr);
}

void RunsPane::follow()
{
    const KeptRun* kept = current();
    const std::uint64_t number = kept ? kept->number : 0;
    m_model->setRuns(m_log->runs());
    const bool any = m_model->rowCount() > 0;
    m_table->setVisible(any);
    m_empty->setVisible(!any);
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->run(row).number == number && m_table->currentIndex().row() != row)
            m_table->setCurrentIndex(m_model->index(row, 0));
    enableButtons();
}

} // namespace shardscope
