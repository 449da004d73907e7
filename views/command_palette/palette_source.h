// SPDX-License-Identifier: GPL-3.0-or-later
// What can be found by its name: one kind of things, as a list that is asked for what it needs.
#pragma once

#include <QList>
#include <QString>
#include <functional>
#include <vector>

class QAction;
class QMenuBar;

namespace shardscope {

class Document;
class Selection;
struct Problem;

struct PaletteSource {
    QString kind; ///< "Tensor"
    int count = 0;
    std::function<QString(int)> name; ///< "params/layers.0/W1"
    std::function<QString(int)> beside; ///< what tells it from others: a spec, the menu, a shortcut
    std::function<void(int)> choose;
};

/// Where things lead that are chosen.
struct PaletteTargets {
    std::function<void(const QString& view)> present; ///< shows a view, by its id
    std::function<void(const QString& example)> openExample;
    std::function<void(const Problem& problem)> reveal; ///< where a problem lies
};

/// Commands that can be given now, with their menus and shortcuts: what the menu bar has, each once. Those of `except`
/// are left out.
[[nodiscard]] PaletteSource commandSource(const QMenuBar* menus, const QList<QAction*>& except = {});
struct PaletteView {
    QString id, name;
    QString menu; ///< under which it is found in the menus, "View › Go to"
};
[[nodiscard]] PaletteSource viewSource(const QList<PaletteView>& views, const PaletteTargets& targets);
/// Tensors, operations, mesh axes, rules and problems of the newest analysis, and the examples. They refer to what the
/// document holds at this moment.
[[nodiscard]] std::vector<PaletteSource> documentSources(
    const Document& document, Selection* selection, const PaletteTargets& targets);

} // namespace shardscope
