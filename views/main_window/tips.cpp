// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/tips.h"

#include <QApplication>

#include "document/document.h"
#include "experiment/edits.h"
#include "views/explain_view/explain_view.h"
#include "views/main_window/settings.h"
#include "views/mesh_view/mesh_view.h"
#include "views/widgets/tip_strip.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr char dragTip[] = "tip-drag-an-axis", whyTip[] = "tip-see-why";

/// Another name for an axis is no other mesh.
std::vector<std::int64_t> sizesOf(const Experiment& experiment)
{
    std::vector<std::int64_t> sizes;
    for (const MeshAxis& axis : experiment.mesh.axes)
        sizes.push_back(axis.size);
    return sizes;
}

} // namespace

Tips::Tips(Document* document, Settings* settings, MeshView* mesh, ExplainView* explain, QObject* parent)
    : QObject(parent)
    , m_document(document)
    , m_settings(settings)
    , m_mesh(mesh)
    , m_explain(explain)
    , m_opened(sizesOf(*document->experiment()))
{
    connect(document, &Document::replaced, this, [this] {
        m_opened.clear();
        m_changed = false;
    });
    connect(document, &Document::experimentChanged, this, &Tips::follow);
    connect(document, &Document::snapshotChanged, this, &Tips::follow);
    connect(m_mesh->tip(), &TipStrip::closed, this, [this] { finish(dragTip); });
    connect(m_explain->tip(), &TipStrip::closed, this, [this] { finish(whyTip); });
    // Who goes to Explain while the tip is there has followed it.
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* now) {
        if (now && !m_explain->tip()->isHidden() && m_explain->isAncestorOf(now)
            && !m_explain->tip()->isAncestorOf(now))
            finish(whyTip);
    });
    follow();
}

void Tips::finish(const char* tip)
{
    m_settings->dismiss(QLatin1String(tip));
    follow();
}

void Tips::restart()
{
    for (const char* tip : { dragTip, whyTip })
        m_settings->takeBack(QLatin1String(tip));
    m_opened.clear();
    m_changed = false;
    follow();
}

void Tips::follow()
{
    const std::vector<std::int64_t> sizes = sizesOf(*m_document->experiment());
    if (m_opened.empty())
        m_opened = sizes;
    if (!m_changed && sizes != m_opened) {
        m_changed = true;
        m_settings->dismiss(QLatin1String(dragTip));
    }
    const bool laidOut = m_document->snapshot() && m_document->snapshot()->laidOut();
    if (laidOut && !m_changed && !m_settings->isDismissed(QLatin1String(dragTip)))
        showFirst();
    else
        m_mesh->tip()->hide();
    if (laidOut && m_changed && !m_settings->isDismissed(QLatin1String(whyTip)))
        m_explain->tip()->say(tr("See why"),
            tr("Explain says in words what decides about the selected array. Click another array or shard to ask about "
               "that one."),
            tr("tip %1 of %2").arg(2).arg(2));
    else
        m_explain->tip()->hide();
}

void Tips::showFirst()
{
    const Experiment& now = *m_document->experiment();
    const std::optional<std::size_t> drag = axisToHalve(now);
    if (!drag) {
        m_mesh->tip()->hide();
        return;
    }
    const MeshAxis& axis = now.mesh.axes[*drag];
    m_mesh->tip()->say(tr("Drag %1 from %2 to %3")
                           .arg(words::fromStd(axis.name), words::count(axis.size), words::count(axis.size / 2)),
        tr("The shards and the memory of each device change at once. Ctrl+Z takes it back."),
        tr("tip %1 of %2").arg(1).arg(2));
}

} // namespace shardscope
