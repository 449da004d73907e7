// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gallery/examples_dialog.h"

#include <QHeaderView>
#include <QPushButton>
#include <QScreen>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <algorithm>
#include <iterator>

#include "experiment_file/gallery.h"
#include "views/panel/panel.h"
#include "views/theme/style.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/search_field.h"
#include "words/utf8.h"

namespace shardscope {
namespace {
constexpr int idRole = Qt::UserRole;

QString idOf(const QTreeWidgetItem* item)
{
    return item ? item->data(0, idRole).toString() : QString();
}

} // namespace

ExamplesDialog::ExamplesDialog(QWidget* parent)
    : QDialog(parent)
    , m_search(new SearchField(QStringLiteral("search"), tr("Search examples…"), tr("Search examples")))
    , m_list(new QTreeWidget(this))
    , m_notes(new RoleLabel(RoleLabel::Size::Normal, &Theme::secondary, this))
    , m_open(new QPushButton(tr("&Open example"), this))
{
    setWindowTitle(tr("Examples"));
    auto* head = new RoleLabel(tr("Start with an example"), RoleLabel::Size::Title, &Theme::text, this);
    auto* what = new RoleLabel(tr("Each one asks a question. What is opened is a copy: change it as you like."),
        RoleLabel::Size::Normal, &Theme::secondary, this);
    what->setWordWrap(true);

    m_list->setColumnCount(2);
    m_list->setHeaderLabels({ tr("Question"), tr("Example") });
    m_list->setAccessibleName(tr("Examples"));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->setExpandsOnDoubleClick(false);
    m_list->setItemsExpandable(false);
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->header()->setStretchLastSection(true);
    for (const ExampleGroup& group : exampleGroups()) {
        auto* top = new QTreeWidgetItem(m_list, { words::fromStd(group.title) });
        top->setFlags(Qt::ItemIsEnabled);
        top->setFont(0, Metrics::semibold());
        top->setFirstColumnSpanned(true);
        for (const GalleryExample& example : gallery()) {
            if (example.group != group.id)
                continue;
            const QString question = words::fromStd(example.question), title = words::fromStd(example.experiment.title);
            auto* item = new QTreeWidgetItem(top, { question, title });
            item->setData(0, idRole, words::fromStd(example.id));
            item->setToolTip(0, plainTip(question));
            item->setToolTip(1, plainTip(title));
        }
    }
    m_list->expandAll();

    m_notes->setWordWrap(true);
    m_notes->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_notes->setMinimumHeight(3 * QFontMetrics(font()).lineSpacing());
    auto* file = new QPushButton(tr("Open a &file…"), this);
    auto* close = new QPushButton(tr("Close"), this);
    setPrimary(m_open);
    m_open->setDefault(true);
    file->setAutoDefault(false);
    close->setAutoDefault(false);
    auto* foot = hbox({}, styleSpacing, { file, boxStretch(), close, m_open });
    vbox(this, { 12, 12, 12, 12 }, 8, { head, what, m_search, { m_list, 1 }, m_notes, foot });

    connect(m_search, &QLineEdit::textChanged, this, &ExamplesDialog::filter);
    connect(m_search, &SearchField::downRequested, m_list, [this] { m_list->setFocus(Qt::OtherFocusReason); });
    connect(m_search, &SearchField::nextRequested, this, &ExamplesDialog::open);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &ExamplesDialog::showCurrent);
    connect(m_list, &QTreeWidget::itemActivated, this, &ExamplesDialog::open);
    connect(m_open, &QPushButton::clicked, this, &ExamplesDialog::open);
    connect(file, &QPushButton::clicked, this, &ExamplesDialog::fileRequested);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    QWidget* const order[] = { m_search, m_list, file, close, m_open };
    for (std::size_t i = 1; i < std::size(order); ++i)
        setTabOrder(order[i - 1], order[i]);
    m_search->setFocus();
    fitScreen(screen()->availableGeometry());
    select(QString());
}

void ExamplesDialog::fitScreen(const QRect& available)
{
    const QSize frame(Metrics::scaled(8), Metrics::scaled(42));
    resize(QSize(Metrics::scaled(820), Metrics::scaled(600)).boundedTo(available.size() - frame));
    m_list->header()->resizeSection(0, width() * 3 / 5);
}

void ExamplesDialog::select(const QString& id)
{
    QTreeWidgetItem* first = nullptr;
    for (QTreeWidgetItemIterator item(m_list, QTreeWidgetItemIterator::NotHidden); *item; ++item) {
        if (idOf(*item).isEmpty())
            continue;
        first = first ? first : *item;
        if (idOf(*item) != id)
            continue;
        first = *item;
        break;
    }
    m_list->setCurrentItem(first);
    if (first) {
        m_list->scrollToItem(first->parent()); // with the name of its group where there is room
        m_list->scrollToItem(first);
    }
    showCurrent();
}

QString ExamplesDialog::current() const
{
    const QTreeWidgetItem* item = m_list->currentItem();
    return item && !item->isHidden() ? idOf(item) : QString();
}

void ExamplesDialog::filter(const QString& text)
{
    const QStringList wanted = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        QTreeWidgetItem* group = m_list->topLevelItem(i);
        bool any = false;
        for (int j = 0; j < group->childCount(); ++j) {
            QTreeWidgetItem* item = group->child(j);
            const GalleryExample* example = findExample(std::string_view(idOf(item).toStdString()));
            const QString all = QStringList{ item->text(0), item->text(1), group->text(0), idOf(item),
                example ? words::fromStd(example->experiment.notes) : QString() }
                                    .join(QLatin1Char('\n'));
            const bool found = std::all_of(wanted.begin(), wanted.end(),
                [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
            item->setHidden(!found);
            any = any || found;
        }
        group->setHidden(!any);
    }
    select(current());
}

void ExamplesDialog::showCurrent()
{
    const QString id = current();
    const GalleryExample* example = findExample(std::string_view(id.toStdString()));
    m_notes->setText(example ? words::fromStd(example->experiment.notes)
                             : tr("No example has these words. Clear the search to see all of them."));
    m_open->setEnabled(example);
}

void ExamplesDialog::open()
{
    const QString id = current();
    if (id.isEmpty() || !isVisible()) // a key may reach the list and the button
        return;
    Q_EMIT openRequested(id);
}

} // namespace shardscope
