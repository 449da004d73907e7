// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/edit_summary.h"

#include "document/edit_preview.h"

namespace shardscope {

EditSummary::EditSummary(Document* document, QObject* parent)
    : QObject(parent)
    , m_document(document)
{
    connect(document, &Document::experimentChanged, this, &EditSummary::forget);
    connect(document, &Document::edited, this, &EditSummary::begin);
    connect(document, &Document::replaced, this, [this] { m_mergeId = 0; });
    connect(document, &Document::snapshotChanged, this, &EditSummary::follow);
}

void EditSummary::forget()
{
    m_waiting = false;
    if (m_text.isEmpty())
        return;
    m_text.clear();
    Q_EMIT changed();
}

void EditSummary::begin(const QString& title, int mergeId)
{
    // The rest of a drag is compared with what was there before it.
    if (mergeId == 0 || mergeId != m_mergeId)
        m_before = m_document->lastGood();
    m_mergeId = mergeId;
    m_title = title;
    m_waiting = true;
}

void EditSummary::follow()
{
    if (!m_waiting || m_document->isStale())
        return;
    m_waiting = false;
    m_text = m_title;
    if (m_before) {
        const EditPreview preview = editPreview(*m_before, *m_document->snapshot());
        m_text = tr("%1: %2", "an edit, what it changes").arg(m_title, preview.sentence());
    }
    Q_EMIT changed();
}

} // namespace shardscope
