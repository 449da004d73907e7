// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/stale_ribbon.h"

#include <QPainter>

#include "document/document.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "words/words.h"

namespace shardscope {

StaleRibbon::StaleRibbon(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    hide();
    // An analysis that takes less than this passes unnoticed.
    m_patience.setSingleShot(true);
    m_patience.setInterval(300);
    connect(&m_patience, &QTimer::timeout, this, &StaleRibbon::refresh);
    connect(document, &Document::staleChanged, this, [this] {
        if (m_document->isStale())
            m_patience.start();
        else
            refresh();
    });
    connect(document, &Document::snapshotChanged, this, &StaleRibbon::refresh);
}

void StaleRibbon::refresh()
{
    const SnapshotPtr snapshot = m_document->snapshot();
    m_error = snapshot && !snapshot->ok() && !m_document->isStale();
    QString text;
    if (m_error && m_document->lastGood()) {
        text = tr("stale: shows the last state without errors");
        if (!snapshot->problems.empty())
            text += QStringLiteral(". ")
                + QString::fromLatin1(snapshot->problems.front().diagnostic.id().data(),
                    static_cast<qsizetype>(snapshot->problems.front().diagnostic.id().size()))
                + QLatin1Char(' ') + words::describe(snapshot->problems.front().diagnostic).cause;
    } else if (m_document->isStale() && m_document->lastGood() && !m_patience.isActive()) {
        text = tr("stale: the analysis is running");
    }
    if (text == m_text)
        return;
    m_text = text;
    setAccessibleName(text);
    setToolTip(text);
    setVisible(!text.isEmpty());
    update();
}

QSize StaleRibbon::sizeHint() const
{
    return { Metrics::scaled(80), Metrics::scaled(18) };
}

void StaleRibbon::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), m_error ? theme.errorBackground : theme.border);
    int x = 8;
    if (m_error) {
        painter.drawPixmap(
            x, (height() - 12) / 2, iconPixmap(QStringLiteral("error"), 12, theme.error, devicePixelRatioF()));
        x += 16;
    }
    painter.setFont(Metrics::small());
    painter.setPen(m_error ? theme.error : theme.text);
    const QFontMetrics metrics(painter.font());
    painter.drawText(QRect(x, 0, width() - x - 4, height()), Qt::AlignLeft | Qt::AlignVCenter,
        metrics.elidedText(m_text, Qt::ElideRight, width() - x - 4));
}

} // namespace shardscope
