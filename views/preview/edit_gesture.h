// SPDX-License-Identifier: GPL-3.0-or-later
// An edit that is still in somebody's hand: an axis size being scrubbed, a rule being dragged. Tells what it changes
// against what was before it began, whether the document follows along or the edit is made only when it is dropped.
#pragma once

#include <QObject>
#include <QRect>
#include <optional>

#include "document/document.h"
#include "document/edit_preview.h"

namespace shardscope {

class EditGesture : public QObject {
    Q_OBJECT
public:
    explicit EditGesture(Document* document, QObject* parent = nullptr);

    /// What is shown now is what is compared with, until end(). `title` names the edit: "data 2 → 8"; `ghost` is the
    /// name that is dragged, with which the title begins, "" where a control or a row is in the hand.
    void begin(const QString& title, const QString& ghost = {});
    void setTitle(const QString& title);
    /// Where the plate stands, in global pixels: beside this; nothing: beside the pointer.
    void setPlace(std::optional<QRect> beside);
    /// An edit that is not made yet; worked out beside the window. The document's own edits count otherwise.
    void propose(Experiment after);
    /// What is under the pointer cannot be, for this reason.
    void refuse(const QString& reason);
    /// Nothing is proposed at the moment: the pointer is over no target.
    void withdraw();
    void end();

    [[nodiscard]] bool isActive() const { return m_active; }
    [[nodiscard]] const QString& title() const { return m_title; }
    [[nodiscard]] const QString& ghost() const { return m_ghost; }
    [[nodiscard]] const std::optional<QRect>& place() const { return m_place; }
    /// Absent until it is worked out.
    [[nodiscard]] const std::optional<EditPreview>& preview() const { return m_preview; }

Q_SIGNALS:
    void changed();

private:
    void followDocument();

    Document* m_document;
    EditPreviewer m_previewer;
    SnapshotPtr m_before;
    QString m_title, m_ghost;
    std::optional<QRect> m_place;
    std::optional<EditPreview> m_preview;
    bool m_active = false;
    bool m_proposed = false;
};

} // namespace shardscope
