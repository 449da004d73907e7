// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar: figures, and messages of what has just happened.
#pragma once

#include <QString>
#include <QTimer>
#include <QToolButton>
#include <QWidget>
#include <span>

#include "base/diagnostics.h"
#include "document/edit_summary.h"
#include "views/panel/panel.h"

namespace shardscope {

class Document;
class EditPlate;

/// A figure of the status bar that leads somewhere, with a thin line behind it.
class StatusButton : public QToolButton {
    Q_OBJECT
public:
    explicit StatusButton(QWidget* parent = nullptr);
    /// `tip` says where a click leads; it is the accessible description, the text the name.
    void setFigure(const QString& text, const QString& tip);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void apply();
    bool m_applying = false;
};

/// The figures of the status bar.
struct StatusText {
    QString problems; ///< "1 error, 2 warnings"; "No problems"
    int errors = 0, warnings = 0;
    QString solved; ///< "Not solved" where there are errors, else empty
    QString devices; ///< "8 devices"
    QString operations; ///< "40 ops, 15 collectives"
    QString sent; ///< "Sent 8.16 MiB per step: 8.00 data, 0.16 model"
    QString sentShort; ///< "Sent 8.16 MiB per step"
    QString hardware; ///< "generic-cpu"
    QString saved; ///< "Unsaved changes"
};
/// `messages` are problems of another kind that stand beside those of the analysis.
[[nodiscard]] StatusText statusText(const Document& document, std::span<const Diagnostic> messages = {});

/// Messages: a file was saved, or what an edit changed, with a button that undoes it. They disappear after a few
/// seconds.
class StatusMessage : public QWidget {
    Q_OBJECT
public:
    /// During a drag `plate` shows what it would change; the message of the edit appears after the drop.
    StatusMessage(Document* document, const EditPlate* plate, QWidget* parent = nullptr);
    void say(const QString& text);
    [[nodiscard]] QString text() const { return m_text->text(); }

private:
    void put(const QString& text, bool isEdit);
    void tell();

    EditSummary m_edit;
    const EditPlate* m_plate;
    RoleLabel* m_text;
    QToolButton* m_undo;
    QTimer m_time;
};

} // namespace shardscope
