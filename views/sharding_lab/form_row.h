// SPDX-License-Identifier: GPL-3.0-or-later
// One text form of a sharding: its name, its text to be edited, and below it what is wrong with it.
#pragma once

#include <QWidget>
#include <optional>

#include "base/diagnostics.h"
#include "views/panel/panel.h"
#include "views/theme/theme.h"

class QLineEdit;
class QToolButton;

namespace shardscope {

class OverflowLabel;

/// Shows where a text cannot be read: the part around the place, with a line under the word that stands there.
class CaretLine : public QWidget {
    Q_OBJECT
public:
    explicit CaretLine(QWidget* parent = nullptr);
    /// Line and column count from 1; 0 hides it.
    void setPlace(const QString& text, int line, int column);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(60), sizeHint().height() }; }

Q_SIGNALS:
    void clicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    QString m_text;
    int m_line = 0, m_column = 0;
};

class FormRow : public QWidget {
    Q_OBJECT
public:
    explicit FormRow(const QString& name, const QString& tip, QWidget* parent = nullptr);

    [[nodiscard]] QLineEdit* edit() const { return m_edit; }
    [[nodiscard]] QToolButton* copyButton() const { return m_copy; }
    /// Puts a text there, unless it is the one that is being typed. `whyEmpty` stands in place of no text.
    void setText(const QString& text, const QString& whyEmpty);
    /// What is wrong with the text; nothing: it is right.
    void setProblem(const std::optional<Diagnostic>& problem);
    [[nodiscard]] QString problem() const { return m_problem->text(); }
    /// The others are derived from this row.
    void setSource(bool source);
    /// The text belongs to an earlier state.
    void setStale(bool stale);
    /// Width of the names, so that rows stand under each other.
    void setNameWidth(int width) { m_name->setFixedWidth(width); }
    [[nodiscard]] int nameWidth() const { return m_name->sizeHint().width(); }
    /// Below the line, where that has no room for all of the text: the text over several lines.
    [[nodiscard]] const OverflowLabel* overflow() const { return m_full; }

Q_SIGNALS:
    void edited(const QString& text);
    void copyRequested();
    void escaped();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// Characters; lists of thousands of devices are copied, not read.
    static constexpr qsizetype maxShown = 480;
    void showAll();
    /// Whether the line has room for the text where it and the button beside it are so wide.
    [[nodiscard]] bool fits(int width) const;
    RoleLabel* m_name;
    QLineEdit* m_edit;
    QToolButton* m_copy;
    CaretLine* m_caret;
    RoleLabel* m_problem;
    OverflowLabel* m_full;
    QString m_text; ///< as it is printed, with its line ends
    std::optional<Diagnostic> m_diagnostic;
    QString m_tip;
};

} // namespace shardscope
