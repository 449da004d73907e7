// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/dialects_view/dialects_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QTableView>
#include <algorithm>

#include "experiment/mesh_order.h"
#include "experiment/rule_lists.h"
#include "sharding/text.h"
#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/row_table.h"
#include "words/dialects.h"

namespace shardscope {

namespace {
int indexOf(const RuleSystem& system)
{
    const auto& all = ruleSystems();
    return static_cast<int>(std::find(all.begin(), all.end(), system) - all.begin());
}

const RuleSystem& systemAt(const QComboBox* box)
{
    return ruleSystems()[static_cast<std::size_t>(box->currentIndex())];
}

} // namespace

DialectsView::DialectsView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_model(new DialectsModel(this))
    , m_first(new QComboBox(this))
    , m_second(new QComboBox(this))
    , m_all(new QCheckBox(tr("All arrays"), this))
    , m_count(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
    , m_table(new QTableView(this))
    , m_empty(new EmptyPage(QString(), QString(), this))
{
    for (QComboBox* box : { m_first, m_second }) {
        for (const RuleSystem& system : ruleSystems()) {
            box->addItem(words::systemName(system));
            box->setItemData(box->count() - 1, words::systemEffect(system), Qt::ToolTipRole);
        }
        connect(box, &QComboBox::activated, this, [this] {
            m_chosen = true;
            refresh();
        });
    }
    describe(m_first, tr("First dialect"), tr("By what the rules are read for the first column"));
    describe(m_second, tr("Second dialect"), tr("By what the rules are read for the second column"));
    m_all->setToolTip(tr("Shows arrays with the same spec in both as well"));
    connect(m_all, &QCheckBox::toggled, this, [this](bool all) {
        m_model->setAll(all);
        showCounts();
    });

    auto* head = hbox({ 8, 6, 8, 6 }, 6,
        { m_first, new RoleLabel(tr("against"), RoleLabel::Size::Small, &Theme::secondary, this), m_second, boxSpace(6),
            m_all, boxStretch() });
    m_count->setContentsMargins(8, 0, 8, 4);

    makeRowTable(m_table, m_model, tr("Arrays in two dialects"));
    m_table->setWordWrap(true);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->verticalHeader()->setMinimumSectionSize(Metrics::scaled(22));
    m_table->horizontalHeader()->setSectionsClickable(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);

    vbox(this, { 1, 0, 1, 1 }, 0, { head, m_count, { m_table, 1 }, { m_empty, 1 } });
    setFocusProxy(m_first);

    connect(
        m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
            if (m_following || !current.isValid())
                return;
            m_selection->setTensor(m_model->pathAt(current.row()));
            if (const int rule = current.data(DialectsModel::RuleRole).toInt(); rule >= 0)
                m_selection->setRule(rule);
        });
    connect(selection, &Selection::changed, this, &DialectsView::followSelection);
    connect(document, &Document::experimentChanged, this, [this] {
        if (isVisible()) // else the analysis is soon enough
            refresh();
    });
    connect(document, &Document::snapshotChanged, this, &DialectsView::refresh);
    refresh();
}

void DialectsView::refresh()
{
    const Experiment& now = *m_document->experiment();
    if (!m_chosen) {
        // What the experiment has, against that which most often gives something else.
        const RuleSystem own{ now.rules.dialect, now.rules.version };
        const QSignalBlocker quietFirst(m_first), quietSecond(m_second);
        m_first->setCurrentIndex(indexOf(own));
        m_second->setCurrentIndex(
            indexOf({ isMaxText(own.dialect) ? Dialect::FlaxLinen : Dialect::MaxText, own.version }));
    }
    ComparisonSubject subject;
    subject.rules = now.rules.rules;
    subject.rules.isSequence = true; // what these systems would make of it as a list
    for (const InnerRules& inner : now.rules.inner)
        subject.inner.push_back({ inner.rules.list, true });
    subject.first = systemAt(m_first);
    subject.second = systemAt(m_second);
    if (auto mesh = makeMesh(now.hardware.devices, now.mesh))
        subject.mesh = std::move(*mesh);
    // Where the newest analysis did not come so far, the names are those of the last one that did.
    const SnapshotPtr newest = m_document->snapshot(), good = m_document->lastGood();
    if (const SnapshotPtr& named = newest && newest->annotations ? newest : good)
        subject.arrays = ruledArrays(*named, now.rules);
    m_model->setSubject(std::move(subject));
    showCounts();
    followSelection();
}

void DialectsView::showCounts()
{
    const int arrays = m_model->arrayCount(), differing = m_model->differingCount();
    const QString all = words::counted(arrays, words::Noun::Array);
    const QString figure = arrays == 0 ? QString()
        : differing == 0               ? tr("no difference in %1").arg(all)
        : differing == 1               ? tr("1 of %1 differs").arg(all)
                                       : tr("%1 of %2 differ").arg(words::count(differing), all);
    m_count->setText(figure);
    m_count->setVisible(arrays > 0 && m_model->rowCount() > 0);
    m_table->setVisible(m_model->rowCount() > 0);
    m_empty->setVisible(m_model->rowCount() == 0);
    m_empty->setSentence(arrays == 0
            ? tr("No array is annotated with logical names: rules are not asked, whatever the dialect.")
            : tr("Both dialects give the same specs: no difference in %1.").arg(all));
    sizeTable();
    setKeyFigure(figure);
}

void DialectsView::followSelection()
{
    const int row = m_model->rowOf(m_selection->tensor());
    m_following = true;
    if (row < 0)
        m_table->clearSelection();
    else
        m_table->setCurrentIndex(m_model->index(row, 0));
    m_following = false;
}

void DialectsView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    sizeTable();
}

void DialectsView::showEvent(QShowEvent* event)
{
    DockView::showEvent(event);
    sizeTable();
}

int DialectsView::contentWidth(int column) const
{
    int width = 0;
    for (int row = 0; row < std::min(m_model->rowCount(), 200); ++row) {
        const QModelIndex index = m_model->index(row, column);
        const QVariant face = index.data(Qt::FontRole);
        const QFontMetrics metrics(face.isValid() ? face.value<QFont>() : font());
        width = std::max(width, metrics.horizontalAdvance(index.data().toString()));
    }
    return width + Metrics::scaled(10);
}

/// Specs as wide as they are, as far as that leaves room to say why they differ; rows as high as that needs.
void DialectsView::sizeTable()
{
    if (!isVisible())
        return;
    const int width = m_table->viewport()->width();
    int rest = width;
    for (const int column : { DialectsModel::Array, DialectsModel::First, DialectsModel::Second }) {
        const int wanted = std::max(contentWidth(column), m_table->horizontalHeader()->sectionSizeHint(column));
        const int most = column == DialectsModel::Array ? 36 : 22; // the name tells the rows apart
        m_table->setColumnWidth(column, std::clamp(wanted + 8, width * 12 / 100, width * most / 100));
        rest -= m_table->columnWidth(column);
    }
    m_table->setColumnWidth(DialectsModel::Step, rest);
    m_table->resizeRowsToContents();
    for (int row = 0; row < m_model->rowCount(); ++row)
        m_table->setRowHeight(row, m_table->rowHeight(row) + Metrics::scaled(6));
}

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
        { tr("Array"), [this](int row) { return words::tensorName(m_subject.arrays[at(row)].array.path); } },
        { {}, [this](int row) { return specText(m_rows[at(row)].first); }, Look::Code },
        { {}, [this](int row) { return specText(m_rows[at(row)].second); }, Look::Code },
        { tr("First step that differs"),
            [this](int row) {
                const std::size_t i = at(row);
                return m_rows[i].step ? words::plain(words::differingStep(m_rows[i], m_subject.arrays[i].array,
                           m_subject.rulesOf(i), m_subject.first, m_subject.second))
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
                m_rows.push_back(compareIn(m_subject.first, m_subject.second, m_subject.arrays[i].array,
                    m_subject.rulesOf(i), *m_subject.mesh));
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
    return row < 0 || row >= count() ? QString() : QString::fromStdString(m_subject.arrays[at(row)].array.path);
}

int DialectsModel::rowOf(const QString& path) const
{
    for (int row = 0; row < count(); ++row)
        if (pathAt(row) == path)
            return row;
    return -1;
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
            ? ruleNumber({ m_subject.arrays[at(row)].list, static_cast<int>(step->rule) })
            : -1;
    default:
        return {};
    }
}

} // namespace shardscope
