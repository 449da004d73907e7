// SPDX-License-Identifier: GPL-3.0-or-later
// One field over the window that finds everything by its name: commands, views, tensors, operations, mesh axes, rules,
// examples, problems. Return does or shows what is current, Escape goes back to where the keyboard was.
#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>
#include <QString>
#include <QTableView>
#include <functional>
#include <vector>

#include "base/name_index.h"
#include "views/widgets/column_model.h"

class QAction;
class QMenuBar;

namespace shardscope {

class Document;
class RoleLabel;
class SearchField;
class Selection;
struct Problem;

/// What can be found by its name: one kind of things, as a list that is asked for what it needs.
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

/// Commands of the menu bar that can be given now, each once, but for those of `except`.
[[nodiscard]] PaletteSource commandSource(const QMenuBar* menus, const QList<QAction*>& except = {});
struct PaletteView {
    QString id, name;
    QString menu; ///< under which it is found in the menus, "View › Go to"
};
[[nodiscard]] PaletteSource viewSource(const QList<PaletteView>& views, const PaletteTargets& targets);
/// What the newest analysis has, and the examples. They refer to what the document holds at this moment.
[[nodiscard]] std::vector<PaletteSource> documentSources(
    const Document& document, Selection* selection, const PaletteTargets& targets);

/// What was found, the best first.
class PaletteModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column : std::uint8_t { Name, Beside, Kind };
    static constexpr std::size_t maximumRows = 200;

    explicit PaletteModel(QObject* parent = nullptr);
    void setSources(std::vector<PaletteSource> sources);
    void find(const QString& query);
    void choose(int row) const;
    [[nodiscard]] int count() const override { return static_cast<int>(m_found.size()); }

protected:
    [[nodiscard]] QVariant cell(int item, int column, int role) const override;

private:
    struct Item {
        std::uint32_t source = 0;
        std::int32_t number = 0; ///< within its source
    };
    [[nodiscard]] const Item& at(int row) const { return m_items[m_found[static_cast<std::size_t>(row)]]; }
    [[nodiscard]] const PaletteSource& sourceOf(int row) const { return m_sources[at(row).source]; }
    std::vector<PaletteSource> m_sources;
    std::vector<Item> m_items;
    NameIndex m_index;
    std::vector<std::uint32_t> m_found;
};

class CommandPalette : public QFrame {
    Q_OBJECT
public:
    explicit CommandPalette(QWidget* window);

    /// Above the window's other contents, with the keyboard.
    void open(std::vector<PaletteSource> sources);
    [[nodiscard]] SearchField* field() const { return m_field; }
    [[nodiscard]] QTableView* list() const { return m_list; }
    [[nodiscard]] PaletteModel* model() { return &m_model; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void find(const QString& query);
    void choose(const QModelIndex& index);
    void leave(); ///< the keyboard goes back to where it was
    void place();
    QWidget* m_window;
    PaletteModel m_model;
    SearchField* m_field;
    QTableView* m_list;
    RoleLabel* m_none;
    QPointer<QWidget> m_before; ///< had the keyboard
};

} // namespace shardscope
