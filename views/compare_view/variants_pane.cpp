// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/variants_pane.h"

#include <QDir>
#include <QPushButton>
#include <QTableView>
#include <algorithm>

#include "document/program_file.h"
#include "experiment/variant_edits.h"
#include "views/compare_view/figure_text.h"
#include "views/compare_view/row_actions.h"
#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/row_table.h"
#include "words/comparison_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

QString errorLines(const std::vector<Diagnostic>& errors)
{
    constexpr qsizetype most = 3;
    QStringList lines = words::texts(errors, words::oneLine);
    if (lines.size() > most)
        lines = lines.mid(0, most) << VariantsPane::tr("and %1 more").arg(words::count(lines.size() - most));
    return lines.join(QLatin1Char('\n'));
}

FileSource filesOfDocument(const Document& document)
{
    const QString path = document.filePath();
    return filesBeside(path.isEmpty() ? QDir::current().filePath(QString()) : path);
}

VariantsModel::VariantsModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    const auto figure = [this](auto text) {
        return [this, text](int row) {
            const VariantFigures* figures = figuresOf(row);
            return figures ? text(*figures) : QString(noFigure);
        };
    };
    setColumns({ { tr("Variant"), [this](int row) { return words::fromStd(at(row).name); } },
        { tr("Mesh"), figure([](const VariantFigures& f) { return f.mesh ? words::meshSizes(*f.mesh) : QString(); }) },
        { tr("State and gradients"), figure([](const VariantFigures& f) { return bytesOrDash(f.stateBytes); }),
            Look::Number, tr("Parameters, gradients and moments per device") },
        { tr("Sent"), figure([](const VariantFigures& f) { return bytesOrDash(f.sentBytes); }), Look::Number,
            tr("Per device and step") },
        { tr("Changes"),
            [this](int row) {
                const auto textOf = [](const PatchedSetting& each) {
                    return tr("%1 %2", "place in the file, what stands there")
                        .arg(words::fromStd(each.pointer), words::settingValue(each.value, "/" + each.pointer));
                };
                return words::texts(patchedSettings(at(row)), textOf).join(tr(", "));
            },
            Look::Plain, tr("What it says in place of the experiment") } });
}

void VariantsModel::setVariants(std::vector<Variant> variants)
{
    if (variants == m_variants)
        return;
    std::vector<VariantFigures> figures; // of those that stay
    for (const Variant& variant : variants) {
        const auto same = std::find(m_variants.begin(), m_variants.end(), variant);
        const VariantFigures* known =
            same == m_variants.end() ? nullptr : figuresOf(static_cast<int>(same - m_variants.begin()));
        figures.push_back(known ? *known : VariantFigures());
    }
    refill(variants.size() == m_variants.size(), [&] {
        m_variants = std::move(variants);
        m_figures = std::move(figures);
    });
}

void VariantsModel::setFigures(std::vector<VariantFigures> figures)
{
    if (figures != m_figures)
        refill(true, [&] { m_figures = std::move(figures); });
}

const VariantFigures* VariantsModel::figuresOf(int row) const
{
    const auto place = static_cast<std::size_t>(row);
    return place < m_figures.size() ? &m_figures[place] : nullptr;
}

QString VariantsModel::problem(int row) const
{
    const VariantFigures* figures = figuresOf(row);
    return figures && figures->problem ? words::oneLine(*figures->problem) : QString();
}

QVariant VariantsModel::cell(int row, int column, int role) const
{
    switch (role) {
    case Qt::ToolTipRole: {
        const QString wrong = problem(row);
        return plainTip(wrong.isEmpty() ? words::fromStd(at(row).patch) : wrong);
    }
    case Qt::ForegroundRole:
        if (!problem(row).isEmpty())
            return Theme::current().error;
        return column == Changes ? QVariant(Theme::current().secondary) : QVariant();
    case Qt::AccessibleDescriptionRole:
        return problem(row);
    default:
        return {};
    }
}

bool VariantsModel::edit(int row, int, const QString& typed)
{
    // The edit of the document brings other variants here.
    Q_EMIT renameRequested(row, typed);
    return true;
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
    makeListTable(m_table, m_model, tr("Variants"));
    connect(m_model, &QAbstractItemModel::modelReset, m_table, &QTableView::resizeColumnsToContents);
    connect(m_model, &QAbstractItemModel::dataChanged, m_table, &QTableView::resizeColumnsToContents);
    m_table->setToolTip(tr("Return opens the variant, F2 renames it, Delete removes it."));
    m_keep->setProperty("small", true);
    m_keep->setToolTip(tr("Keeps what B changes of A; without A, its mesh"));
    m_message->hide();

    auto* buttons = hbox({ 8, 4, 8, 4 }, 4, {});
    giveRowActions(m_table, buttons,
        { { "open", "open", tr("Open as B"), [this] { open(); }, {}, tr("Return") },
            { "pin", "pin", tr("Pin as A"),
                [this] {
                    if (current() >= 0)
                        Q_EMIT pinRequested(current());
                } },
            { "duplicate", "copy", tr("Duplicate"), [this] { duplicate(); }, QKeySequence(Qt::CTRL | Qt::Key_D) },
            { "rename", "edit", tr("Rename"), [this] { rename(); }, QKeySequence(Qt::Key_F2) },
            { "", "up", tr("Move up"), [this] { move(-1); }, QKeySequence(Qt::ALT | Qt::Key_Up) },
            { "", "down", tr("Move down"), [this] { move(1); }, QKeySequence(Qt::ALT | Qt::Key_Down) },
            { "remove", "remove", tr("Delete"), [this] { remove(); }, QKeySequence(Qt::Key_Delete) } });
    buttons->addStretch();
    vbox(this, {}, 0, { buttons, m_message, { m_table, 1 }, { m_empty, 1 } });
    setFocusProxy(m_table);

    m_delay.setSingleShot(true);
    m_delay.setInterval(300); // not while somebody drags
    connect(&m_delay, &QTimer::timeout, this, &VariantsPane::requestFigures);
    connect(m_keep, &QPushButton::clicked, this, &VariantsPane::keep);
    connect(m_table, &QTableView::activated, this, &VariantsPane::open);
    connect(m_model, &VariantsModel::renameRequested, this, [this](int row, const QString& name) {
        m_document->edit(
            withVariantRenamed(*m_document->experiment(), static_cast<std::size_t>(row), name.toStdString()),
            tr("rename variant"));
    });
    connect(m_document, &Document::experimentChanged, this, &VariantsPane::follow);
    follow();
}

void VariantsPane::setCurrent(int row)
{
    if (row >= 0 && row < m_model->rowCount())
        m_table->setCurrentIndex(m_model->index(row, VariantsModel::Name));
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
    editCell(m_table, m_table->currentIndex());
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
            all.push_back(variantFigures(*experiment, variant, files, *cache, stop));
        }
        return all;
    });
}

} // namespace shardscope
