// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/after_analysis.h"

#include <QGuiApplication>
#include <utility>

#include "views/widgets/notice_strip.h"

namespace shardscope {

namespace {

constexpr int stripDelay = 300; ///< milliseconds

} // namespace

AfterAnalysis::AfterAnalysis(Document* document, NoticeStrip* strip, QObject* parent)
    : QObject(parent)
    , m_document(document)
    , m_strip(strip)
{
    m_delay.setSingleShot(true);
    m_delay.setInterval(stripDelay);
    connect(&m_delay, &QTimer::timeout, this, &AfterAnalysis::showStrip);
    connect(m_document, &Document::snapshotChanged, this, &AfterAnalysis::follow, Qt::QueuedConnection);
    connect(m_document, &Document::replaced, this, &AfterAnalysis::cancel);
    connect(m_strip, &NoticeStrip::closed, this, &AfterAnalysis::cancel);
}

void AfterAnalysis::run(const QString& what, std::function<void()> work)
{
    if (!m_document->isStale() && m_waiting.empty()) {
        work();
        return;
    }
    m_waiting.push_back({ what, std::move(work) });
    if (m_strip->isHidden())
        m_delay.start();
    else
        showStrip();
}

void AfterAnalysis::cancel()
{
    m_delay.stop();
    m_strip->dismiss();
    for (const Waiting& each : std::exchange(m_waiting, {}))
        Q_EMIT dropped(each.what);
}

void AfterAnalysis::finish()
{
    if (m_waiting.empty())
        return;
    QGuiApplication::setOverrideCursor(Qt::WaitCursor);
    m_document->waitForAnalysis();
    QGuiApplication::restoreOverrideCursor();
    follow();
}

void AfterAnalysis::follow()
{
    if (m_waiting.empty() || m_document->isStale())
        return;
    m_delay.stop();
    m_strip->dismiss(); // and is in no picture
    for (const Waiting& each : std::exchange(m_waiting, {}))
        each.work();
}

void AfterAnalysis::showStrip()
{
    QStringList names;
    for (const Waiting& each : m_waiting)
        names << each.what;
    m_strip->say(Severity::Info, tr("Waiting to write %1", "names of files").arg(names.join(tr(", "))),
        tr("The last edit is still being analysed. Its results are written as soon as they are there."),
        { { tr("Cancel"), [this] { cancel(); } } });
}

} // namespace shardscope
