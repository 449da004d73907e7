// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/runs_pane.h"

#include <QTableView>
#include <algorithm>

#include "views/compare_view/figure_text.h"
#include "views/compare_view/row_actions.h"
#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/row_table.h"
#include "words/timing_words.h"
#include "words/words.h"

namespace shardscope {

namespace {

QString verdictName(const std::optional<CheckVerdict>& verdict)
{
    if (!verdict)
        return QString(noFigure);
    switch (*verdict) {
    case CheckVerdict::Agrees:
        return RunsModel::tr("agrees");
    case CheckVerdict::Differs:
        return RunsModel::tr("differs");
    case CheckVerdict::NotCompared:
        return RunsModel::tr("not finite");
    }
    return {};
}

} // namespace

RunsModel::RunsModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({ { tr("Mesh"), [this](int row) { return run(row).mesh; } },
        { tr("Time"),
            [this](int row) {
                const KeptRun& of = run(row);
                return of.isMedian ? tr("%1, median").arg(words::seconds(of.time))
                                   : words::meanAndDeviation(of.time, of.deviation);
            },
            Look::Number, tr("Mean and standard deviation of a step; of uneven steps the median") },
        { tr("Loss"), [this](int row) { return words::figureText(run(row).loss); }, Look::Number,
            tr("Of the last step") },
        { tr("Reference"), [this](int row) { return verdictName(run(row).agreement); }, Look::Plain,
            tr("Whether a step gives what the program gives on one device") },
        { tr("Peak"), [this](int row) { return words::bytes(static_cast<double>(run(row).peakBytes)); }, Look::Number,
            tr("Memory per device") },
        { tr("Sent"), [this](int row) { return words::bytes(run(row).sentBytes); }, Look::Number,
            tr("Per device and step") },
        { tr("Steps"), [this](int row) { return words::count(run(row).steps); }, Look::Number },
        { tr("Inputs"), [this](int row) { return words::count(m_numbers.at(run(row).inputs)); }, Look::Number,
            tr("The same number for runs that compute the same") } });
}

void RunsModel::setRuns(std::vector<KeptRun> runs)
{
    std::reverse(runs.begin(), runs.end());
    const bool same = std::equal(runs.begin(), runs.end(), m_runs.begin(), m_runs.end(),
        [](const KeptRun& a, const KeptRun& b) { return a.number == b.number; });
    std::unordered_map<std::uint64_t, qint64> numbers; // from the oldest run on
    for (auto each = runs.rbegin(); each != runs.rend(); ++each)
        numbers.try_emplace(each->inputs, static_cast<qint64>(numbers.size()) + 1);
    refill(same, [&] {
        m_runs = std::move(runs);
        m_numbers = std::move(numbers);
    });
}

QVariant RunsModel::cell(int row, int column, int role) const
{
    if (role == Qt::ToolTipRole)
        return plainTip(tr("Run %1 of %2", "number, name of a file")
                            .arg(words::count(static_cast<qint64>(run(row).number)), run(row).name));
    if (role == Qt::ForegroundRole && column == Agreement && run(row).agreement == CheckVerdict::Differs)
        return Theme::current().error;
    return {};
}

RunsPane::RunsPane(RunLog* log, QWidget* parent)
    : QWidget(parent)
    , m_log(log)
    , m_model(new RunsModel(this))
    , m_table(new QTableView)
    , m_message(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::secondary))
    , m_empty(new EmptyPage(tr("No step has run yet. Runs stay here, whatever is edited after them.")))
    , m_job(this, [this](const Checked& checked) { receive(checked); })
{
    makeListTable(m_table, m_model, tr("Runs"));
    connect(m_model, &QAbstractItemModel::modelReset, m_table, &QTableView::resizeColumnsToContents);
    connect(m_model, &QAbstractItemModel::dataChanged, m_table, &QTableView::resizeColumnsToContents);
    m_message->hide();
    auto* buttons = hbox({ 8, 4, 8, 4 }, 4, {});
    giveRowActions(m_table, buttons,
        { { "check", "ok", tr("Compare with the reference"), [this] { checkAgreement(); } },
            { "pin", "pin", tr("Pin as A"), [this] { pinCurrent(); } },
            { "remove", "remove", tr("Remove run"), [this] { remove(); }, QKeySequence(Qt::Key_Delete) } });
    buttons->addStretch();
    vbox(this, {}, 0, { buttons, m_message, { m_table, 1 }, { m_empty, 1 } });
    setFocusProxy(m_table);
    connect(m_log, &RunLog::changed, this, &RunsPane::follow);
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
}

} // namespace shardscope
