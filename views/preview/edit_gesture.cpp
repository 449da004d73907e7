// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/preview/edit_gesture.h"

#include <utility>

namespace shardscope {

EditGesture::EditGesture(Document* document, QObject* parent)
    : QObject(parent)
    , m_document(document)
{
    connect(document, &Document::snapshotChanged, this, &EditGesture::followDocument);
    connect(&m_previewer, &EditPreviewer::ready, this, [this](const EditPreview& preview) {
        if (!m_active || !m_proposed)
            return;
        m_preview = preview;
        Q_EMIT changed();
    });
}

void EditGesture::begin(const QString& title, const QString& ghost)
{
    m_previewer.cancel();
    m_active = true;
    m_proposed = false;
    m_before = m_document->lastGood();
    m_preview.reset();
    m_place.reset();
    m_title = title;
    m_ghost = ghost;
    Q_EMIT changed();
}

void EditGesture::setTitle(const QString& title)
{
    if (std::exchange(m_title, title) != title && m_active)
        Q_EMIT changed();
}

void EditGesture::setPlace(std::optional<QRect> beside)
{
    if (std::exchange(m_place, beside) != beside && m_active)
        Q_EMIT changed();
}

void EditGesture::propose(Experiment after)
{
    m_proposed = true;
    m_previewer.request(m_before, std::move(after));
}

void EditGesture::refuse(const QString& reason)
{
    m_previewer.cancel();
    m_proposed = true; // no result of the document's takes its place
    m_preview = EditPreview();
    m_preview->problem = reason;
    if (m_active)
        Q_EMIT changed();
}

void EditGesture::withdraw()
{
    m_previewer.cancel();
    m_proposed = false;
    if (std::exchange(m_preview, std::nullopt))
        Q_EMIT changed();
}

void EditGesture::end()
{
    m_previewer.cancel();
    m_before.reset();
    m_preview.reset();
    m_proposed = false;
    if (std::exchange(m_active, false))
        Q_EMIT changed();
}

void EditGesture::followDocument()
{
    // The last figures stay until those of the newest state are known.
    if (!m_active || m_proposed || !m_before || m_document->isStale())
        return;
    m_preview = editPreview(*m_before, *m_document->snapshot());
    Q_EMIT changed();
}

} // namespace shardscope
