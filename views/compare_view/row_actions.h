// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with a row of a table of meshes, variants or runs: each action once, as a button that has a picture,
// in the menu of the row, and by a key of the table.
#pragma once

#include <QKeySequence>
#include <functional>
#include <vector>

class QHBoxLayout;
class QTableView;

namespace shardscope {

struct RowAction {
    const char* id; ///< of its entry in the menu; "" has none
    const char* picture;
    QString name;
    std::function<void()> run;
    QKeySequence key = {}; ///< where the table has the focus, whatever the window does by it elsewhere
    QString shownKey = {}; ///< in the menu, of what the table does by itself
};

/// Adds the buttons to the row of the layout, enabled while a row is current, and below the actions of the menu what
/// copies rows.
void giveRowActions(QTableView* table, QHBoxLayout* buttons, const std::vector<RowAction>& actions);

} // namespace shardscope
