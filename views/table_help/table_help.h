// SPDX-License-Identifier: GPL-3.0-or-later
// The pane that shows how a model's arrays become a table: a few lines of Python to copy, for Flax Linen, Flax NNX and
// T5X.
#pragma once

#include <QDialog>

class QComboBox;
class QPlainTextEdit;

namespace shardscope {

class TableHelp : public QDialog {
    Q_OBJECT
public:
    explicit TableHelp(QWidget* parent = nullptr);
    [[nodiscard]] QString code() const;
    void copy();

Q_SIGNALS:
    void openRequested();

private:
    void showCode();
    QComboBox* m_library;
    QPlainTextEdit* m_code;
};

} // namespace shardscope
