// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/variants_pane.h"

#include <QDir>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

#include "analysis/analyse.h"
#include "analysis/change.h"
#include "document/program_file.h"
#include "experiment/variant_edits.h"
#include "experiment_file/variants.h"
#include "views/compare_view/row_actions.h"
#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/row_table.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

VariantFigures figuresOfVariant(const Experiment& experiment, const Variant& variant, const FileSource& files,
    AnalysisCache& cache, const std::stop_token& stop)
{
    VariantFigures figures;
    auto applied = applyVariant(experiment, variant, files);
    if (!applied) {
        figures.problem = words::oneLine(applied.error().front());
        return figures;
    }
    const SnapshotPtr snapshot =
        analyse(std::make_shared<const Experiment>(std::move(applied->experiment)), 1, cache, stop);
    if (!snapshot)
        return figures;
    if (snapshot->mesh)
        figures.mesh = words::meshSizes(*snapshot->mesh);
    if (snapshot->laidOut())
        figures.stateBytes = stateBytes(*snapshot);
    if (snapshot->ok())
        figures.sentBytes = snapshot->sent.step;
    if (snapshot->errorCount() > 0)
        figures.problem = words::oneLine(snapshot->problems.front().diagnostic);
    return figures;
}

} // namespace

QString errorLines(const std::vector<Diagnostic>& errors)
{
    constexpr qsizetype most = 3;
    QStringList lines;
    for (const Diagnostic& error : errors)
        lines << words::oneLine(error);
    if (lines.size() > most)
        lines = lines.mid(0, most) << VariantsPane::tr("and %1 more").arg(words::count(lines.size() - most));
    return lines.join(QLatin1Char('\n'));
}

FileSource filesOfDocument(const Document& document)
{
    const QString path = document.filePath();
    return filesBeside(path.isEmpty() ? QDir::current().filePath(QString()) : path);
}

VariantsPane::VariantsPane(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_model(new VariantsModel(this))
    , m_table(new QTableView)
    , m_keep(new QPushButton(tr("Keep as variant")))
    , m_message(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::error))
    , m_empty(new EmptyPage(tr("No variants yet: what is open now can be kept as one, with what it changes.")))
    , m_cache(std::make_shared<AnalysisCache>())
    , m_job(this, [this](std::vector<VariantFigures> figures) { m_model->setFigures(std::move(figures)); })
{
    makeRowTable(m_table, m_model, tr("Variants"));
    m_table->setAlternatingRowColors(true);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setToolTip(tr("Return opens the variant, F2 renames it, Delete removes it."));
    m_keep->setProperty("small", true);
    m_keep->setToolTip(tr("Keeps what B changes of A; without A, its mesh"));
    m_message->hide();

    const auto button = [this](const char* picture, const QString& name, const QKeySequence& key, auto run) {
        m_rowButtons << makeRowButton(m_table, QLatin1String(picture), name, key, run);
        return m_rowButtons.back();
    };
    auto* buttons = hbox({ 8, 4, 8, 4 }, 4,
        { button("open", tr("Open as B"), {}, [this] { open(); }),
            button("pin", tr("Pin as A"), {},
                [this] {
                    if (current() >= 0)
                        Q_EMIT pinRequested(current());
                }),
            button("copy", tr("Duplicate"), QKeySequence(Qt::CTRL | Qt::Key_D), [this] { duplicate(); }),
            button("edit", tr("Rename"), QKeySequence(Qt::Key_F2), [this] { rename(); }),
            button("up", tr("Move up"), QKeySequence(Qt::ALT | Qt::Key_Up), [this] { move(-1); }),
            button("down", tr("Move down"), QKeySequence(Qt::ALT | Qt::Key_Down), [this] { move(1); }),
            button("remove", tr("Delete"), QKeySequence(Qt::Key_Delete), [this] { remove(); }), boxStretch() });
    vbox(this, {}, 0, { buttons, m_message, { m_table, 1 }, { m_empty, 1 } });
    setFocusProxy(m_table);

    m_delay.setSingleShot(true);
    m_delay.setInterval(300); // not while somebody drags
    connect(&m_delay, &QTimer::timeout, this, &VariantsPane::requestFigures);
    connect(m_keep, &QPushButton::clicked, this, &VariantsPane::keep);
    connect(m_table, &QTableView::activated, this, &VariantsPane::open);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &VariantsPane::enableButtons);
    connect(m_model, &VariantsModel::renameRequested, this, [this](int row, const QString& name) {
        m_document->edit(
            withVariantRenamed(*m_document->experiment(), static_cast<std::size_t>(row), name.toStdString()),
            tr("rename variant"));
    });
    connect(m_document, &Document::experimentChanged, this, &VariantsPane::follow);
    giveRowMenu(m_table, [this](QMenu& menu, const QModelIndex& row) {
        addMenuAction(
            menu, "open", tr("Open as B"), [this] { open(); }, tr("Return"));
        addMenuAction(menu, "pin", tr("Pin as A"), [this] { Q_EMIT pinRequested(current()); });
        addMenuAction(
            menu, "duplicate", tr("Duplicate"), [this] { duplicate(); }, tr("Ctrl+D"));
        addMenuAction(
            menu, "rename", tr("Rename"), [this] { rename(); }, tr("F2"));
        addMenuAction(
            menu, "remove", tr("Delete"), [this] { remove(); }, tr("Del"));
        menu.addSeparator();
        addRowCopyActions(menu, m_table, row);
    });
    follow();
}

void VariantsPane::setCurrent(int row)
{
    if (row >= 0 && row < m_model->rowCount())
        m_table->setCurrentIndex(m_model->index(row, VariantsModel::Name));
    enableButtons();
}

void VariantsPane::enableButtons()
{
    for (QToolButton* each : m_rowButtons)
        each->setEnabled(current() >= 0);
}

void VariantsPane::showErrors(const std::vector<Diagnostic>& errors)
{
    m_message->setText(errorLines(errors));
    m_message->setVisible(!errors.empty());
}

void VariantsPane::keep()
{
    const Experiment& now = *m_document->experiment();
    QStringList sizes;
    const bool withOnes = now.mesh.axes.size() <= 3; // as words::meshSizes()
    for (const MeshAxis& axis : now.mesh.axes)
        if (withOnes || axis.size > 1)
            sizes << QString::number(axis.size);
    const std::string wished =
        sizes.isEmpty() ? tr("variant").toStdString() : sizes.join(QLatin1Char('x')).toStdString();
    Variant variant{ freeVariantName(now, wished), keptPatch(now, m_comparedWith.get()) };
    const QString text = tr("keep variant %1").arg(words::fromStd(variant.name));
    if (m_document->edit(withVariantAdded(now, std::move(variant)), text))
        setCurrent(m_model->rowCount() - 1);
}

void VariantsPane::duplicate()
{
    const int row = current();
    if (row >= 0
        && m_document->edit(
            withVariantDuplicated(*m_document->experiment(), static_cast<std::size_t>(row)), tr("duplicate variant")))
        setCurrent(row + 1);
}

void VariantsPane::rename()
{
    if (current() < 0)
        return;
    setCurrent(current());
    m_table->edit(m_table->currentIndex());
}

void VariantsPane::move(int step)
{
    const int row = current(), next = row + step;
    if (row < 0 || next < 0 || next >= m_model->rowCount())
        return;
    if (m_document->edit(
            withVariantMoved(*m_document->experiment(), static_cast<std::size_t>(row), static_cast<std::size_t>(next)),
            tr("move variant")))
        setCurrent(next);
}

void VariantsPane::remove()
{
    const int row = current();
    if (row < 0)
        return;
    if (m_document->edit(withVariantRemoved(*m_document->experiment(), static_cast<std::size_t>(row)),
            tr("delete variant %1").arg(words::fromStd(m_model->variants()[static_cast<std::size_t>(row)].name))))
        setCurrent(std::min(row, m_model->rowCount() - 1));
}

void VariantsPane::open()
{
    const int row = current();
    if (row < 0)
        return;
    const ExperimentPtr now = m_document->experiment();
    auto opened = withVariantOpened(*now, static_cast<std::size_t>(row), filesOfDocument(*m_document));
    showErrors(opened ? std::vector<Diagnostic>() : opened.error());
    if (opened)
        m_document->edit(std::move(*opened),
            tr("open variant %1").arg(words::fromStd(now->variants[static_cast<std::size_t>(row)].name)));
}

void VariantsPane::follow()
{
    const int row = current();
    if (m_document->experiment()->variants != m_model->variants())
        m_job.cancel(); // its figures would come to other rows
    m_model->setVariants(m_document->experiment()->variants);
    const bool any = m_model->rowCount() > 0;
    m_table->setVisible(any);
    m_empty->setVisible(!any);
    if (!any)
        showErrors({});
    setCurrent(std::min(row, m_model->rowCount() - 1));
    if (any && isVisible())
        m_delay.start();
}

void VariantsPane::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_model->rowCount() > 0)
        m_delay.start();
}

void VariantsPane::requestFigures()
{
    m_job.request([experiment = m_document->experiment(), files = filesOfDocument(*m_document), cache = m_cache](
                      const std::stop_token& stop) {
        std::vector<VariantFigures> all;
        for (const Variant& variant : experiment->variants) {
            if (stop.stop_requested())
                break;
            all.push_back(figuresOfVariant(*experiment, variant, files, *cache, stop));
        }
        return all;
    });
}

} // namespace shardscope
