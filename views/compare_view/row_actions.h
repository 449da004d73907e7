// SPDX-License-Identifier: GPL-3.0-or-later
// What the tables of variants and runs share: a button that has a picture, and a key of the table that does the same.
#pragma once

#include <QKeySequence>
#include <functional>

class QTableView;
class QToolButton;

namespace shardscope {

/// A button for the current row of the table; `key` does the same where the table has the focus, whatever the window
/// does by it elsewhere. It may be empty.
[[nodiscard]] QToolButton* makeRowButton(QTableView* table, const QString& picture, const QString& name,
    const QKeySequence& key, const std::function<void()>& run);

} // namespace shardscope
