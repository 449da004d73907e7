// SPDX-License-Identifier: GPL-3.0-or-later
// The gallery: every example with the question it answers, group by group, and a search over them.
#pragma once

#include <QDialog>

class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace shardscope {

class RoleLabel;
class SearchField;

class ExamplesDialog : public QDialog {
    Q_OBJECT
public:
    explicit ExamplesDialog(QWidget* parent = nullptr);

    /// Its first size, within what a screen has.
    void fitScreen(const QRect& available);
    /// Makes that one current; "" or one that there is not: the first.
    void select(const QString& id);
    [[nodiscard]] QString current() const; ///< id of the example that Open would open; "" where nothing is found
    [[nodiscard]] SearchField* searchField() const { return m_search; }
    [[nodiscard]] QTreeWidget* list() const { return m_list; }
    [[nodiscard]] QPushButton* openButton() const { return m_open; }

Q_SIGNALS:
    void openRequested(const QString& id); ///< whoever opens it hides the dialog
    void fileRequested(); ///< a file of one's own instead

private:
    void filter(const QString& text);
    void showCurrent();
    void open();
    SearchField* m_search;
    QTreeWidget* m_list;
    RoleLabel* m_notes;
    QPushButton* m_open;
};

} // namespace shardscope
