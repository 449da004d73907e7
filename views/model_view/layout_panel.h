// SPDX-License-Identifier: GPL-3.0-or-later
// How parts of a transformer are sharded beside the rules: constraints on the outputs of modules, and specs of single
// parameters. A line to choose one by path, and below all that there are, each with a button that takes it back.
#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

#include "document/document.h"
#include "views/panel/panel.h"

class QBoxLayout;
class QComboBox;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace shardscope {

class LayoutPanel : public QWidget {
    Q_OBJECT
public:
    enum class What : std::uint8_t { Outputs, Parameters };
    explicit LayoutPanel(Document* document, QWidget* parent = nullptr);

    [[nodiscard]] QComboBox* what() const { return m_what; }
    [[nodiscard]] QLineEdit* at() const { return m_at; }
    [[nodiscard]] QLineEdit* axes() const { return m_axes; }
    [[nodiscard]] QList<QWidget*> controls() const; ///< in the order of the tabulator
    [[nodiscard]] QPushButton* button() const { return m_button; }
    /// One per constraint, then one per spec.
    [[nodiscard]] const QList<QToolButton*>& removeButtons() const { return m_removeButtons; }
    /// what was wrong with the last edit; "" for nothing
    [[nodiscard]] QString message() const { return m_message->text(); }

    /// For somebody to say how they are sharded: the field for that gets the focus.
    void begin(What what, const QStringList& globs);
    /// One edit for all of them. `axes` as in parseChosenAxes(); "" takes back what was chosen.
    bool choose(What what, const QStringList& globs, const QString& axes);

private:
    void refresh();
    void addRow(What what, std::size_t index, const ChosenSharding& chosen);
    bool edit(Result<Experiment> after, const QString& text);
    void showWhat();

    Document* m_document;
    QComboBox* m_what;
    QLineEdit* m_at;
    QLineEdit* m_axes;
    QPushButton* m_button;
    RoleLabel* m_message;
    QBoxLayout* m_rows;
    QList<QWidget*> m_shown;
    QList<QToolButton*> m_removeButtons;
};

} // namespace shardscope
