// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/meshes_pane.h"

#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <algorithm>

#include "views/compare_view/figure_text.h"
#include "views/compare_view/mesh_scatter.h"
#include "views/compare_view/row_actions.h"
#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/row_table.h"
#include "views/widgets/segmented_bar.h"
#include "words/mesh_search_words.h"
#include "words/words.h"

namespace shardscope {

MeshesModel::MeshesModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({ { tr("Mesh"), [this](int row) { return words::meshNames(mesh(row).axes); } },
        { tr("State and gradients"), [this](int row) { return bytesOrDash(mesh(row).stateBytes); }, Look::Number,
            tr("Parameters, gradients and moments per device") },
        { tr("Peak"), [this](int row) { return bytesOrDash(mesh(row).peakBytes); }, Look::Number,
            tr("Most memory of a device in a step") },
        { tr("Sent"), [this](int row) { return bytesOrDash(mesh(row).sentBytes); }, Look::Number,
            tr("Per device and step") },
        { tr("Verdict"), [this](int row) { return words::meshVerdict(m_meshes, static_cast<std::size_t>(row)); },
            Look::Plain, tr("On the front: none of the others sends less and holds less") } });
}

void MeshesModel::setMeshes(std::vector<MeshFigures> meshes)
{
    const bool same = std::equal(meshes.begin(), meshes.end(), m_meshes.begin(), m_meshes.end(),
        [](const MeshFigures& a, const MeshFigures& b) { return a.axes == b.axes; });
    refill(same, [&] { m_meshes = std::move(meshes); });
}

void MeshesModel::setOpen(const std::vector<MeshAxis>& axes)
{
    if (axes != m_open)
        refill(true, [&] { m_open = axes; });
}

QVariant MeshesModel::cell(int row, int column, int role) const
{
    switch (role) {
    case Qt::FontRole:
        return isOpen(row) ? QVariant(Metrics::semibold()) : QVariant();
    case Qt::ForegroundRole:
        if (mesh(row).problem && column == Verdict)
            return Theme::current().error;
        return column == Verdict && !mesh(row).isFront() ? QVariant(Theme::current().secondary) : QVariant();
    case Qt::ToolTipRole:
        return plainTip(text(row, Mesh) + u'\n' + reason(row));
    case Qt::AccessibleDescriptionRole:
        if (column == Verdict && reason(row) != text(row, Verdict))
            return reason(row);
        return isOpen(row) ? tr("open now") : QString();
    default:
        return {};
    }
}

QString MeshesModel::reason(int row) const
{
    return words::meshReason(m_meshes, static_cast<std::size_t>(row));
}

BatchesModel::BatchesModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({ { tr("Batch"), [this](int row) { return words::count(batch(row).batch); }, Look::Number },
        { tr("Sends least"),
            [this](int row) {
                if (const auto& least = batch(row).least)
                    return words::meshNames(m_compared[*least].axes);
                return batch(row).problem ? tr("none", "no mesh can be used") : QString(noFigure);
            } },
        { tr("Sent"), [this](int row) { return bytesOrDash(batch(row).sentLeast); }, Look::Number,
            tr("Per device and step, on that mesh") },
        { tr("Sent by B"), [this](int row) { return bytesOrDash(batch(row).sentNow); }, Look::Number,
            tr("Per device and step, on the mesh that is open") } });
}

void BatchesModel::setFound(const FoundMeshes& found)
{
    const bool same = std::equal(found.batches.begin(), found.batches.end(), m_batches.begin(), m_batches.end(),
        [](const BatchFigures& a, const BatchFigures& b) { return a.batch == b.batch; });
    refill(same, [&] {
        m_compared = found.compared;
        m_batches = found.batches;
        m_tried = words::meshesOfBatches(found);
    });
}

QString BatchesModel::sentence() const
{
    QStringList sentences = words::batchProblems(m_batches, m_compared);
    sentences << words::batchSensitivity(m_batches, m_compared) << m_tried;
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' ')).trimmed();
}

QVariant BatchesModel::cell(int row, int column, int role) const
{
    const bool isReason = column == Least && !batch(row).least && batch(row).problem;
    if (isReason && role == Qt::ForegroundRole)
        return Theme::current().error;
    if (isReason && role == Qt::AccessibleDescriptionRole)
        return words::batchProblem(batch(row), m_compared);
    if (column == SentNow && batch(row).problemNow) {
        if (role == Qt::ForegroundRole)
            return Theme::current().error;
        if (role == Qt::ToolTipRole)
            return plainTip(words::sentNow(batch(row)));
        if (role == Qt::AccessibleDescriptionRole)
            return words::sentNow(batch(row));
    }
    if (column == Least && role == Qt::ToolTipRole) // its column may be too narrow for it
        return plainTip(isReason ? words::batchProblem(batch(row), m_compared) : text(row, Least));
    return {};
}

MeshesPane::MeshesPane(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_model(new MeshesModel(this))
    , m_batches(new BatchesModel(this))
    , m_table(new QTableView)
    , m_scatter(new MeshScatter)
    , m_parts(new SegmentedBar({ tr("Table"), tr("Chart"), tr("Batches") }))
    , m_batchTable(new QTableView)
    , m_search(new QPushButton(tr("Search meshes")))
    , m_count(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary))
    , m_verdict(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary))
    , m_sentence(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped))
    , m_empty(new EmptyPage(QString()))
    , m_cache(std::make_shared<AnalysisCache>())
    , m_job(this, [this](FoundMeshes found) { receive(std::move(found)); })
{
    makeListTable(m_table, m_model, tr("Meshes of as many devices"));
    makeListTable(m_batchTable, m_batches, tr("Sensitivity to batch"));
    for (QTableView* table : { m_table, m_batchTable }) {
        table->horizontalHeader()->setStretchLastSection(false);
        table->horizontalHeader()->setMinimumSectionSize(Metrics::scaled(40));
        table->setMinimumHeight(Metrics::scaled(44));
    }
    // The last column has what the others leave; all of it stands below the table. What is sent on the two meshes stays
    // side by side.
    m_table->horizontalHeader()->setSectionResizeMode(MeshesModel::Verdict, QHeaderView::Stretch);
    m_batchTable->horizontalHeader()->setSectionResizeMode(BatchesModel::Least, QHeaderView::Stretch);
    m_table->setToolTip(tr("Return opens the mesh in place of the one that is open."));
    m_search->setProperty("small", true);
    m_search->setToolTip(tr("Lays the experiment out on every mesh of as many devices"));
    m_count->setElided(true);

    auto* buttons = hbox({ 8, 4, 8, 4 }, 4, { m_search });
    giveRowActions(m_table, buttons,
        { { "open", "open", tr("Open as B"), [this] { open(); }, {}, tr("Return") },
            { "pin", "pin", tr("Pin as A"), [this] { pin(); } } });
    buttons->addWidget(m_count, 1);
    buttons->addWidget(m_parts);
    describe(m_parts, tr("What is shown of the meshes"),
        tr("The meshes as a table, as points by what they send and hold, or what is best as the batch grows"));
    auto* words = vbox({ 8, 6, 8, 4 }, 0, { m_sentence });
    m_verdict->setContentsMargins(8, 4, 8, 4);
    m_verdict->setAccessibleName(tr("What is said of the mesh"));
    vbox(this, {}, 0,
        { buttons, { m_table, 3 }, m_verdict, { m_scatter, 3 }, words, { m_batchTable, 2 }, { m_empty, 1 } });

    m_delay.setSingleShot(true);
    m_delay.setInterval(300); // not while somebody drags
    connect(&m_delay, &QTimer::timeout, this, &MeshesPane::search);
    connect(m_search, &QPushButton::clicked, this, [this] {
        if (m_job.isWorking())
            cancel();
        else
            search();
    });
    connect(m_table, &QTableView::activated, this, &MeshesPane::open);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &MeshesPane::showState);
    connect(m_parts, &SegmentedBar::currentChanged, this, &MeshesPane::showParts);
    connect(m_scatter, &MeshScatter::picked, this,
        [this](int mesh) { m_table->setCurrentIndex(m_model->index(mesh, MeshesModel::Mesh)); });
    connect(m_document, &Document::snapshotChanged, this, &MeshesPane::follow);
    connect(m_document, &Document::replaced, this, [this] { // its axes may be others
        clear();
        showState();
    });
    showState();
}

/// So that a search in the background is over before anybody waits for it.
std::size_t MeshesPane::ways() const
{
    const SnapshotPtr snapshot = m_document->snapshot();
    return snapshot ? meshesToTry(*snapshot).size() : otherMeshes(m_document->experiment()->mesh).size();
}

bool MeshesPane::isSmall() const
{
    constexpr std::size_t most = 20'000; // arrays, on all meshes
    const SnapshotPtr snapshot = m_document->snapshot();
    return snapshot && snapshot->tensors.size() * ways() <= most;
}

void MeshesPane::search()
{
    m_delay.stop();
    m_of = m_document->experiment();
    m_job.request([experiment = m_of, cache = m_cache](
                      const std::stop_token& stop) { return findMeshes(*experiment, *cache, stop); });
    showState();
}

void MeshesPane::cancel()
{
    m_job.cancel();
    m_of = nullptr;
    showState();
}

void MeshesPane::receive(FoundMeshes found)
{
    const auto wasCurrent = current() < 0 ? std::nullopt : std::optional(m_model->mesh(current()).axes);
    m_batches->setFound(found);
    m_model->setMeshes(std::move(found.meshes));
    for (QTableView* table : { m_table, m_batchTable })
        table->resizeColumnsToContents();
    // What is sorted by what it sends stands elsewhere after an edit.
    const std::vector<MeshFigures>& meshes = m_model->meshes();
    const auto again = std::find_if(
        meshes.begin(), meshes.end(), [&wasCurrent](const MeshFigures& mesh) { return mesh.axes == wasCurrent; });
    m_table->setCurrentIndex(
        m_model->index(again == meshes.end() ? -1 : static_cast<int>(again - meshes.begin()), MeshesModel::Mesh));
    showState();
    QMetaObject::invokeMethod(this, &MeshesPane::showOpen, Qt::QueuedConnection); // once the table has its height
}

/// As near to the top of the list as that allows. Of a row that is chosen the table itself takes care.
void MeshesPane::showOpen()
{
    if (current() >= 0)
        return;
    m_table->scrollToTop();
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->isOpen(row))
            m_table->scrollTo(m_model->index(row, MeshesModel::Mesh));
}

void MeshesPane::open()
{
    if (const int row = current(); row >= 0)
        m_document->edit(onMesh(*m_document->experiment(), m_model->mesh(row).axes),
            tr("mesh %1").arg(words::meshNames(m_model->mesh(row).axes)));
}

void MeshesPane::pin()
{
    const int row = current();
    if (row < 0)
        return;
    if (Result<Experiment> pinned = onMesh(*m_document->experiment(), m_model->mesh(row).axes))
        Q_EMIT pinRequested(
            std::make_shared<const Experiment>(std::move(*pinned)), words::meshNames(m_model->mesh(row).axes));
}

void MeshesPane::follow()
{
    const bool isOther = m_document->experiment() != m_of;
    if (isOther && m_job.isWorking()) { // nobody wants it any more
        m_job.cancel();
        m_of = nullptr;
    }
    if (!isVisible())
        return;
    if (!isOther) {
        showState();
        return;
    }
    if (isSmall() && ways() > 1) {
        m_delay.start(); // what is there stays until then
    } else {
        clear();
    }
    showState();
}

void MeshesPane::clear()
{
    m_delay.stop();
    m_job.cancel();
    m_of = nullptr;
    m_batches->setFound({});
    m_model->setMeshes({});
}

void MeshesPane::showParts()
{
    const bool any = m_model->rowCount() > 0, hasDots = m_scatter->tableRowCount() > 1,
               hasBatches = m_batches->rowCount() > 0;
    const bool isLow = height() < Metrics::scaled(540);
    m_parts->setVisible(any && isLow && (hasDots || hasBatches));
    const auto shows = [&](int part) { return any && (!isLow || m_parts->current() == part); };
    m_table->setVisible(shows(0) || (shows(1) && !hasDots) || (shows(2) && !hasBatches));
    m_verdict->setVisible(!m_verdict->text().isEmpty() && !(isLow && shows(2) && hasBatches));
    m_scatter->setVisible(shows(1) && hasDots);
    m_sentence->setVisible(shows(2) && !m_sentence->text().isEmpty());
    m_batchTable->setVisible(shows(2) && hasBatches);
    // The keyboard does not go to what is hidden.
    for (QWidget* part : std::initializer_list<QWidget*>{ m_search, m_batchTable, m_scatter, m_table })
        if (!part->isHidden())
            setFocusProxy(part);
    // Room below the last row would be missing in the plot, and in the other table.
    for (QTableView* table : { m_table, m_batchTable }) {
        const int rows = table->horizontalHeader()->sizeHint().height() + table->verticalHeader()->length();
        table->setMaximumHeight(m_scatter->isVisibleTo(this)
                ? std::max(rows + table->horizontalScrollBar()->sizeHint().height(), table->minimumHeight())
                : QWIDGETSIZE_MAX);
    }
}

void MeshesPane::showState()
{
    const MeshSetting& mesh = m_document->experiment()->mesh;
    const std::size_t ways = this->ways();
    const bool any = m_model->rowCount() > 0;
    m_model->setOpen(mesh.axes);
    m_scatter->setMeshes(m_model->meshes(), mesh.axes);
    m_scatter->setCurrentMesh(current());
    int told = current();
    for (int row = 0; row < m_model->rowCount() && told < 0; ++row)
        if (m_model->isOpen(row))
            told = row;
    m_verdict->setText(told < 0 ? QString()
                                : tr("%1: %2", "a mesh, what is said of it")
                                      .arg(words::meshNames(m_model->mesh(told).axes),
                                          m_model->index(told, MeshesModel::Verdict).data().toString()));
    m_sentence->setText(m_batches->sentence());
    showParts();
    m_empty->setVisible(!any);
    m_empty->setSentence(ways == 0 ? tr("There are too many other meshes to try all of them.")
            : ways == 1
            ? tr("There is no other mesh of as many devices.")
            : tr("The experiment on each of the %1 meshes of as many devices: what a device holds and sends.")
                  .arg(words::count(static_cast<qint64>(ways))));
    m_search->setText(m_job.isWorking() ? tr("Cancel") : any ? tr("Search again") : tr("Search meshes"));
    m_search->setEnabled(ways > 1);
    m_count->setText(m_job.isWorking() ? tr("Trying %1 meshes…").arg(words::count(static_cast<qint64>(ways)))
            : any                      ? tr("%1 meshes").arg(words::count(m_model->rowCount()))
                                       : QString());
}

} // namespace shardscope
