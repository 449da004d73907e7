// SPDX-License-Identifier: GPL-3.0-or-later
// The message in the mesh view: a mesh that does not fit the devices, or a size that cannot be, with those that can.
// A part of MeshView, which is declared in mesh_view.h.
#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <algorithm>

#include "base/codes.h"
#include "experiment/edits.h"
#include "views/device_map/device_map.h"
#include "views/mesh_view/mesh_view.h"
#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/things.h"
#include "words/words.h"

namespace shardscope {

std::int64_t MeshView::productOf(const std::vector<MeshAxis>& axes)
{
    std::int64_t product = 1;
    for (const MeshAxis& axis : axes) {
        if (axis.size <= 0 || product > maximumDevices * maximumDevices / axis.size)
            return -1;
        product *= axis.size;
    }
    return product;
}

QString MeshView::message() const
{
    return m_messageBox->isVisibleTo(this) ? m_messageText->text() : QString();
}

void MeshView::showMessage(const Diagnostic* refused)
{
    const Experiment& now = *m_document->experiment();
    std::optional<Diagnostic> shown;
    const std::int64_t product = productOf(now.mesh.axes);
    if (refused)
        shown = *refused;
    else if (product != now.hardware.devices.count())
        shown = Diagnostic{ Code::DevicesMismatch,
            { { "product", product }, { "devices", now.hardware.devices.count() } }, {} };
    m_messageBox->setVisible(shown.has_value());
    while (QLayoutItem* item = m_others->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater(); // it may be the one that was pressed
        delete item;
    }
    if (!shown)
        return;
    if (refused && m_asked)
        offerSizes(m_asked->first, m_asked->second);
    QPalette palette = m_messageBox->palette();
    palette.setColor(QPalette::Window, Theme::current().errorBackground);
    m_messageBox->setPalette(palette);
    const words::ProblemText text = words::shown(*shown);
    m_messageText->setText(QString::fromLatin1(shown->id().data(), static_cast<qsizetype>(shown->id().size()))
        + QLatin1Char(' ') + text.cause);
    m_messageText->setToolTip(plainTip(text.remedy));
    m_fit->setVisible(shown->code == Code::DevicesMismatch);
    Fix inProblems; // by the name that it has there
    inProblems.kind = Fix::Kind::DevicesForMesh;
    inProblems.number = product;
    m_fit->setText(words::fixLabel(inProblems));
    placeMessage();
}

/// Over the map, below the axes: no row and no section moves for a message.
void MeshView::placeMessage()
{
    if (m_messageBox->isHidden())
        return;
    const int room = width() - 2;
    const int wanted = std::max(m_messageBox->heightForWidth(room), m_messageBox->minimumSizeHint().height());
    m_messageBox->setGeometry(1, std::max(0, std::min(m_map->y(), height() - wanted)), room, wanted);
    m_messageBox->raise();
}

bool MeshView::eventFilter(QObject* watched, QEvent* event)
{
    const QEvent::Type type = event->type();
    if (watched == m_messageBox ? type == QEvent::Show || type == QEvent::LayoutRequest
                                : watched == m_map && (type == QEvent::Move || type == QEvent::Resize))
        placeMessage();
    return DockView::eventFilter(watched, event);
}

/// The next sizes that can be, and the size that was asked for with as many devices as that takes.
void MeshView::offerSizes(std::size_t axis, std::int64_t size)
{
    const Experiment& now = *m_document->experiment();
    const auto offer = [this](const QString& text, const QString& tip, auto run) {
        auto* button = new QPushButton(text, m_messageBox);
        button->setProperty("small", true);
        describe(button, tip);
        connect(button, &QPushButton::clicked, this, run);
        m_others->addWidget(button);
        button->show(); // with the message: beside what is visible already, the layout shows it an event later
    };
    const std::vector<std::int64_t> possible = possibleAxisSizes(now, axis, keepsProduct());
    const auto above = std::lower_bound(possible.begin(), possible.end(), size);
    const auto choose = [&](std::int64_t other) {
        offer(words::count(other), tr("%1 = %2").arg(axisName(axis), words::count(other)),
            [this, axis, other] { setSize(axis, other, false); });
    };
    if (above != possible.begin())
        choose(*(above - 1));
    if (above != possible.end())
        choose(*above);
    const auto larger = withAxisSize(now, axis, size, false);
    if (const std::int64_t devices = larger ? productOf(larger->mesh.axes) : -1; devices > 0 && keepsProduct()) {
        const QString text = tr("Use %1").arg(words::counted(devices, words::Noun::Device));
        offer(text, text, [this, axis, size] {
            edit(withAxisSize(*m_document->experiment(), axis, size, false),
                QStringLiteral("%1 = %2").arg(axisName(axis), words::count(size)));
        });
    }
}

} // namespace shardscope
