// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start_page/left_changes.h"

#include <utility>

#include "document/document.h"
#include "views/widgets/notice_strip.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

QString titleOf(const Experiment& experiment)
{
    return experiment.title.empty() ? LeftChanges::tr("Untitled") : words::fromStd(experiment.title);
}

} // namespace

LeftChanges::LeftChanges(Document* document, NoticeStrip* strip, QObject* parent)
    : QObject(parent)
    , m_document(document)
    , m_strip(strip)
    , m_began(document->experiment())
{
    connect(document, &Document::replaced, this, [this] { m_opening = true; });
    connect(document, &Document::experimentChanged, this, &LeftChanges::follow);
}

bool LeftChanges::canKeep() const
{
    return m_document->isModified() && m_document->filePath().isEmpty();
}

void LeftChanges::keep()
{
    if (!canKeep())
        return;
    m_kept.insert(m_kept.begin(), Kept{ m_began, m_document->experiment(), m_document->sourceName() });
    m_news = true;
}

QStringList LeftChanges::titles() const
{
    QStringList list;
    for (const Kept& each : m_kept)
        list << titleOf(*each.now);
    return list;
}

void LeftChanges::goBack(int place)
{
    if (place < 0 || place >= static_cast<int>(m_kept.size()))
        return;
    if (!canKeep() && m_mayLeave && !m_mayLeave())
        return;
    const Kept wanted = m_kept[static_cast<std::size_t>(place)];
    m_kept.erase(m_kept.begin() + place);
    keep();
    m_document->setExperiment(*wanted.began, QString(), wanted.source);
    m_document->edit(Experiment(*wanted.now), tr("changes from before"));
}

void LeftChanges::follow()
{
    if (!std::exchange(m_opening, false))
        return;
    m_began = m_document->experiment();
    m_strip->dismiss();
    if (!std::exchange(m_news, false) || m_kept.empty())
        return;
    m_strip->say(Severity::Info, QString(),
        tr("Your changes of %1 are kept until the window is closed.").arg(titleOf(*m_kept.front().now)),
        { { tr("Back to my changes"), [this] { goBack(0); } } });
}

} // namespace shardscope
