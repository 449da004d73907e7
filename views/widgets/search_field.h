// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

namespace shardscope {

/// A line above what it searches or filters. Return asks for the next match (with Shift for the one before), Down goes
/// to what is searched, Escape empties the line before it means anything else.
class SearchField : public QLineEdit {
    Q_OBJECT
public:
    /// The icon "search" or "filter" stands in front. The placeholder is the tool tip, too, until there is another one.
    SearchField(const QString& iconName, const QString& placeholder, const QString& accessibleName);

Q_SIGNALS:
    void nextRequested(int step); ///< 1 or -1
    void downRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    using QLineEdit::setPlaceholderText; // it follows the width
    QString m_hint; ///< its first word where there is no room for all of it
};

} // namespace shardscope
