// SPDX-License-Identifier: GPL-3.0-or-later
// What the newest edit of a document changed, in one line, once that is worked out: "data 2 → 4: 8 weights change, 32 →
// 64 MiB per device". A drag is one edit. Undoing, redoing or opening something else takes the line back.
#pragma once

#include <QObject>

#include "document/document.h"

namespace shardscope {

class ToldEdit : public QObject {
    Q_OBJECT
public:
    explicit ToldEdit(Document* document, QObject* parent = nullptr);
    /// "" where nothing is to be told.
    [[nodiscard]] const QString& text() const { return m_text; }
    /// The name of the edit alone: "data 2 → 4".
    [[nodiscard]] const QString& title() const { return m_title; }
    void forget(); ///< it was told long enough

Q_SIGNALS:
    void changed();

private:
    void begin(const QString& title, int mergeId);
    void follow();

    Document* m_document;
    SnapshotPtr m_before; ///< what was shown before the edit
    QString m_title, m_text;
    int m_mergeId = 0;
    bool m_waiting = false; ///< for the analysis
};

} // namespace shardscope
