// SPDX-License-Identifier: GPL-3.0-or-later
// How a model's arrays become a table: lines of Python to copy, for Flax Linen, Flax NNX and T5X.
#pragma once

#include <QDialog>
#include <QPlainTextEdit>

class QComboBox;

namespace shardscope {

class TableHelp : public QDialog {
    Q_OBJECT
public:
    explicit TableHelp(QWidget* parent = nullptr);
    [[nodiscard]] QString code() const { return m_code->toPlainText(); }
    void copy();

Q_SIGNALS:
    void openRequested();

private:
    void showCode();
    QComboBox* m_library;
    QPlainTextEdit* m_code;
};

} // namespace shardscope
