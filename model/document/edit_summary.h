// SPDX-License-Identifier: GPL-3.0-or-later
// The latest edit of a document in one line, once its analysis is done: "data 2 → 4: 8 weights change, 32 → 64 MiB per
// device". All steps of a drag are one edit. Undo, redo and opening something else clear the line.
#pragma once

#include <QObject>

#include "document/document.h"

namespace shardscope {

class EditSummary : public QObject {
    Q_OBJECT
public:
    explicit EditSummary(Document* document, QObject* parent = nullptr);
    /// Empty if there was no edit, its analysis is not done, or forget() was called.
    [[nodiscard]] const QString& text() const { return m_text; }
    /// The name of the edit alone: "data 2 → 4".
    [[nodiscard]] const QString& title() const { return m_title; }
    void forget(); ///< clears text()

Q_SIGNALS:
    void changed();

private:
    void begin(const QString& title, int mergeId);
    void follow();

    Document* m_document;
    SnapshotPtr m_before; ///< the last good snapshot before the edit
    QString m_title, m_text;
    int m_mergeId = 0;
    bool m_waiting = false; ///< for the analysis
};

} // namespace shardscope
