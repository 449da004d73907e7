// SPDX-License-Identifier: GPL-3.0-or-later
// An edit that is still in somebody's hand: an axis size being scrubbed, a rule being dragged. Tells what it changes
// against what was before it began, whether the document follows along or the edit is made only when it is dropped.
#pragma once

#include <QObject>
#include <QTimer>
#include <optional>

#include "document/document.h"
#include "views/preview/edit_preview.h"

namespace shardscope {

class EditGesture : public QObject {
    Q_OBJECT
public:
    explicit EditGesture(Document* document, QObject* parent = nullptr);

    /// What is shown now is what is compared with, until end(). `title` names the edit: "data 2 → 8".
    void begin(const QString& title);
    void setTitle(const QString& title);
    /// An edit that is not made yet; worked out beside the window. The document's own edits count otherwise.
    void propose(Experiment after);
    /// Nothing is proposed at the moment: the pointer is over no target.
    void withdraw();
    void end();
    /// An edit without a drag, by keyboard: it stays to be read for a moment.
    void endSoon();

    [[nodiscard]] bool isActive() const { return m_active; }
    [[nodiscard]] bool isHeld() const { return m_active && !m_linger.isActive(); } ///< Esc takes it back
    [[nodiscard]] const QString& title() const { return m_title; }
    /// Absent until it is worked out.
    [[nodiscard]] const std::optional<EditPreview>& preview() const { return m_preview; }

Q_SIGNALS:
    void changed();

private:
    void followDocument();

    Document* m_document;
    EditPreviewer m_previewer;
    QTimer m_linger;
    SnapshotPtr m_before;
    QString m_title;
    std::optional<EditPreview> m_preview;
    bool m_active = false;
    bool m_proposed = false;
};

} // namespace shardscope
