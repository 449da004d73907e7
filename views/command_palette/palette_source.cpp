// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/command_palette/palette_source.h"

#include <QAction>
#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <algorithm>

#include "document/document.h"
#include "document/selection.h"
#include "experiment_file/gallery.h"
#include "program/op_row.h"
#include "program/operation_path.h"
#include "sharding/text.h"
#include "words/spec_text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

using namespace Qt::StringLiterals;
using words::fromStd;

namespace {

QString inPalette(const char* text)
{
    return QCoreApplication::translate("CommandPalette", text);
}

/// Without the mark of its key, and without a key behind a tab.
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
    const QString keys = own.isEmpty() ? action.text().section(u'\t', 1) : own; // the control's that does it
    return keys.isEmpty() ? menus : menus + u" · "_s + keys;
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
