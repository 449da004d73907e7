// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/command_palette/command_palette.h"

#include <QAction>
#include <QApplication>
#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMenuBar>
#include <algorithm>
#include <utility>

#include "document/document.h"
#include "document/selection.h"
#include "experiment_file/gallery.h"
#include "program/op_row.h"
#include "program/operation_path.h"
#include "sharding/text.h"
#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/row_table.h"
#include "views/widgets/search_field.h"
#include "words/spec_text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// As NameIndex compares them.
std::string searchedForm(const QString& text)
{
    return text.toLower().toStdString();
}

} // namespace

PaletteModel::PaletteModel(QObject* parent)
    : ColumnModel(parent)
{
    setColumns({
        { tr("Name"), [this](int row) { return sourceOf(row).name(at(row).number); } },
        { tr("More"), [this](int row) { return sourceOf(row).beside(at(row).number); } },
        { tr("Kind"), [this](int row) { return sourceOf(row).kind; } },
    });
}

void PaletteModel::setSources(std::vector<PaletteSource> sources)
{
    refill(false, [&] {
        m_sources = std::move(sources);
        m_items.clear();
        m_found.clear();
        m_index = {};
        for (std::size_t s = 0; s < m_sources.size(); ++s)
            for (int i = 0; i < m_sources[s].count; ++i) {
                m_items.push_back({ static_cast<std::uint32_t>(s), i });
                m_index.add(searchedForm(m_sources[s].name(i)),
                    searchedForm(m_sources[s].kind + QLatin1Char(' ') + m_sources[s].beside(i)));
            }
    });
}

void PaletteModel::find(const QString& query)
{
    refill(false, [&] { m_found = m_index.find(searchedForm(query), maximumRows); });
}

void PaletteModel::choose(int row) const
{
    if (row < 0 || row >= count())
        return;
    const auto chosen = sourceOf(row).choose; // what it does may fill this list anew
    chosen(at(row).number);
}

QVariant PaletteModel::cell(int item, int column, int role) const
{
    if (role == Qt::ForegroundRole && column != Name)
        return Theme::current().secondary;
    if (role == Qt::ToolTipRole)
        return plainTip(text(item, column));
    return ColumnModel::cell(item, column, role);
}

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window)
    , m_window(window)
    , m_field(new SearchField(
          QStringLiteral("search"), tr("Commands, views, tensors, rules, examples…"), tr("Find anything by its name")))
    , m_list(new QTableView(this))
    , m_none(new RoleLabel(tr("Nothing has that name."), RoleLabel::Size::Normal, &Theme::secondary, this))
{
    setObjectName(QStringLiteral("commandPalette"));
    setAccessibleName(tr("Command palette"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    makeRowTable(m_list, &m_model, tr("What was found"));
    m_list->horizontalHeader()->hide();
    m_list->setFocusPolicy(Qt::NoFocus); // the field keeps the keyboard and hands on the arrows
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_none->setAlignment(Qt::AlignCenter);
    vbox(this, { 8, 8, 8, 8 }, 8, { m_field, { m_list, 1 }, m_none });
    hide();
    m_field->installEventFilter(this);
    m_window->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::find);
    connect(m_list, &QTableView::clicked, this, &CommandPalette::choose);
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* now) {
        if (isVisible() && now && now != m_field && !isAncestorOf(now))
            hide();
    });
}

void CommandPalette::open(std::vector<PaletteSource> sources)
{
    if (!isVisible())
        m_before = QApplication::focusWidget();
    m_model.setSources(std::move(sources));
    m_field->clear();
    find({});
    place();
    show();
    raise();
    m_field->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::find(const QString& query)
{
    m_model.find(query);
    m_list->setVisible(m_model.count() > 0);
    m_none->setVisible(m_model.count() == 0);
    m_list->selectRow(0);
    m_list->scrollToTop();
}

void CommandPalette::choose(const QModelIndex& index)
{
    if (!index.isValid())
        return;
    leave();
    m_model.choose(index.row());
}

void CommandPalette::leave()
{
    hide();
    if (m_before && m_before->isVisible())
        m_before->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::place()
{
    const int width = std::min(Metrics::scaled(680), m_window->width() - Metrics::scaled(32));
    const int height = std::min(Metrics::scaled(420), m_window->height() - Metrics::scaled(96));
    setGeometry((m_window->width() - width) / 2, Metrics::scaled(64), width, height);
    const int inside = width - Metrics::scaled(36);
    m_list->setColumnWidth(PaletteModel::Name, inside * 54 / 100);
    m_list->setColumnWidth(PaletteModel::Beside, inside * 31 / 100);
    m_list->setColumnWidth(PaletteModel::Kind, inside * 15 / 100);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_window) {
        if (event->type() == QEvent::Resize && isVisible())
            place();
        return false;
    }
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return false;
    auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        if (event->type() == QEvent::KeyPress)
            QApplication::sendEvent(m_list, event);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (event->type() == QEvent::KeyPress)
            choose(m_list->currentIndex());
        break;
    case Qt::Key_Escape:
        if (event->type() == QEvent::KeyPress)
            leave();
        break;
    default:
        return false;
    }
    event->accept(); // no shortcut of the window takes it
    return true;
}

using namespace Qt::StringLiterals;
using words::fromStd;

namespace {

QString inPalette(const char* text)
{
    return QCoreApplication::translate("CommandPalette", text);
}

/// Without the mark of its key, and without a key after a tab.
QString plainTitle(const QString& text)
{
    QString plain = text.section(u'\t', 0, 0);
    plain.replace(u"&&"_s, u"\x1"_s).remove(u'&').replace(u'\x1', u'&');
    return plain;
}

struct MenuCommand {
    QPointer<QAction> action; ///< menus that are filled when they open drop theirs
    QString title, beside; ///< "Dark", "View › Theme"
};

QString placeOf(const QAction& action, const QString& menus)
{
    const QString own = action.shortcut().toString(QKeySequence::NativeText);
    const QString shortcut = own.isEmpty() ? action.text().section(u'\t', 1) : own; // the control's that does it
    return shortcut.isEmpty() ? menus : menus + u" · "_s + shortcut;
}

void collectCommands(
    const QList<QAction*>& actions, const QString& menus, const QList<QAction*>& except, QList<MenuCommand>& found)
{
    for (QAction* action : actions) {
        if (action->isSeparator() || !action->isVisible() || !action->isEnabled())
            continue;
        if (QMenu* menu = action->menu()) {
            Q_EMIT menu->aboutToShow(); // menus that are filled when they open
            collectCommands(menu->actions(),
                menus.isEmpty() ? plainTitle(menu->title()) : menus + u" › "_s + plainTitle(menu->title()), except,
                found);
            continue;
        }
        const bool isThere = std::any_of(
            found.begin(), found.end(), [action](const MenuCommand& known) { return known.action == action; });
        if (!isThere && !except.contains(action))
            found.push_back({ action, plainTitle(action->text()), placeOf(*action, menus) });
    }
}

int sizeOf(std::size_t count)
{
    return static_cast<int>(count);
}

PaletteSource tensorSource(const SnapshotPtr& snapshot, Selection* selection, const PaletteTargets& targets)
{
    const auto row = [snapshot](int i) -> const TensorRow& { return snapshot->tensors[static_cast<std::size_t>(i)]; };
    return { inPalette(QT_TRANSLATE_NOOP("CommandPalette", "Tensor")), sizeOf(snapshot->tensors.size()),
        [row](int i) { return fromStd(row(i).path); }, [row](int i) { return words::specText(row(i)); },
        [row, selection, targets](int i) {
            selection->setTensor(fromStd(row(i).path));
            targets.present(u"grid"_s);
        } };
}

PaletteSource operationSource(const SnapshotPtr& snapshot, Selection* selection, const PaletteTargets& targets)
{
    const SourcePtr source = snapshot->source;
    const ProgramPtr program = source ? ProgramPtr(source, &source->program) : nullptr;
    return { inPalette(QT_TRANSLATE_NOOP("CommandPalette", "Operation")),
        program ? sizeOf(program->operations.size()) : 0,
        [program](int i) { return fromStd(operationPath(*program, OperationId(static_cast<std::size_t>(i)))); },
        [program](int i) { return fromStd(name(program->operations[static_cast<std::size_t>(i)].kind)); },
        [program, selection, targets](int i) {
            const OperationId id(static_cast<std::size_t>(i));
            const auto& results = program->operation(id).results;
            const QString tensor = results.empty() ? QString() : fromStd(std::string(program->value(results[0]).path));
            selection->setOperation(fromStd(operationPath(*program, id)), tensor);
            targets.present(u"program"_s);
        } };
}

PaletteSource axisSource(const Document& document, Selection* selection, const PaletteTargets& targets)
{
    const ExperimentPtr experiment = document.experiment();
    const auto axis = [experiment](
                          int i) -> const MeshAxis& { return experiment->mesh.axes[static_cast<std::size_t>(i)]; };
    return { inPalette(QT_TRANSLATE_NOOP("CommandPalette", "Mesh axis")), sizeOf(experiment->mesh.axes.size()),
        [axis](int i) { return fromStd(axis(i).name); },
        [axis](int i) { return words::counted(axis(i).size, words::Noun::Device); },
        [axis, selection, targets](int i) {
            selection->setMeshAxis(fromStd(axis(i).name));
            targets.present(u"mesh"_s);
        } };
}

PaletteSource ruleSource(const Document& document, Selection* selection, const PaletteTargets& targets)
{
    const ExperimentPtr experiment = document.experiment();
    const auto rule = [experiment](int i) -> const LogicalRule& {
        return experiment->rules.rules.list[static_cast<std::size_t>(i)];
    };
    return { inPalette(QT_TRANSLATE_NOOP("CommandPalette", "Rule")), sizeOf(experiment->rules.rules.list.size()),
        [rule](int i) {
            const LogicalName& name = rule(i).name;
            return name.kind == LogicalName::Kind::Name ? fromStd(name.name) : u"None"_s;
        },
        [rule](int i) {
            return inPalette(QT_TRANSLATE_NOOP("CommandPalette", "rule %1: %2"))
                .arg(i + 1)
                .arg(fromStd(toColumn(PartitionSpec({ rule(i).target }))));
        },
        [selection, targets](int i) {
            selection->setRule(i);
            targets.present(u"rules"_s);
        } };
}

PaletteSource problemSource(const SnapshotPtr& snapshot, const PaletteTargets& targets)
{
    const auto problem = [snapshot](
                             int i) -> const Problem& { return snapshot->problems[static_cast<std::size_t>(i)]; };
    return { inPalette(QT_TRANSLATE_NOOP("CommandPalette", "Problem")), sizeOf(snapshot->problems.size()),
        [problem](int i) { return words::oneLine(problem(i).diagnostic); },
        [problem](int i) { return fromStd(problem(i).diagnostic.id()); },
        [problem, targets](int i) { targets.reveal(problem(i)); } };
}

PaletteSource exampleSource(const PaletteTargets& targets)
{
    const auto example = [](int i) -> const GalleryExample& { return gallery()[static_cast<std::size_t>(i)]; };
    return { inPalette(QT_TRANSLATE_NOOP("CommandPalette", "Example")), sizeOf(gallery().size()),
        [example](int i) { return fromStd(example(i).question); },
        [example](int i) { return fromStd(example(i).experiment.title); },
        [example, targets](int i) { targets.openExample(fromStd(example(i).id)); } };
}

} // namespace

PaletteSource commandSource(const QMenuBar* menus, const QList<QAction*>& except)
{
    QList<MenuCommand> found;
    collectCommands(menus->actions(), {}, except, found);
    return { inPalette(QT_TRANSLATE_NOOP("CommandPalette", "Command")), sizeOf(static_cast<std::size_t>(found.size())),
        [found](int i) { return found[i].title; }, [found](int i) { return found[i].beside; },
        [found](int i) {
            if (QAction* action = found[i].action)
                action->trigger();
        } };
}

PaletteSource viewSource(const QList<PaletteView>& views, const PaletteTargets& targets)
{
    return { inPalette(QT_TRANSLATE_NOOP("CommandPalette", "View")), sizeOf(static_cast<std::size_t>(views.size())),
        [views](int i) { return views[i].name; }, [views](int i) { return views[i].menu; },
        [views, targets](int i) { targets.present(views[i].id); } };
}

std::vector<PaletteSource> documentSources(
    const Document& document, Selection* selection, const PaletteTargets& targets)
{
    std::vector<PaletteSource> sources;
    if (const SnapshotPtr snapshot = document.snapshot())
        sources.push_back(problemSource(snapshot, targets));
    sources.push_back(axisSource(document, selection, targets));
    sources.push_back(ruleSource(document, selection, targets));
    if (const SnapshotPtr snapshot = document.lastGood())
        sources.push_back(tensorSource(snapshot, selection, targets));
    sources.push_back(exampleSource(targets));
    if (const SnapshotPtr snapshot = document.lastGood())
        sources.push_back(operationSource(snapshot, selection, targets));
    return sources;
}

} // namespace shardscope
