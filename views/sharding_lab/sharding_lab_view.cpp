// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sharding_lab/sharding_lab_view.h"

#include <QPushButton>

#include "experiment/mesh_order.h"
#include "views/panel/panel.h"
#include "views/sharding_lab/form_row.h"
#include "views/sharding_lab/forms_panel.h"
#include "views/sharding_lab/result_panel.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/low_room.h"
#include "views/widgets/two_sides.h"
#include "words/lab_words.h"
#include "words/words.h"

namespace shardscope {
namespace {

/// For the two sides beside each other.
int leastHeight()
{
    return Metrics::scaled(340);
}

} // namespace

ShardingLabView::ShardingLabView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent)
    , m_notice(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::warning, this))
    , m_forms(new FormsPanel(&m_state, this))
    , m_results(new ResultPanel(&m_state, selection, this))
    , m_sides(new TwoSides(m_forms, tr("Forms"), new LowRoom(m_results), tr("Result"), this))
{
    m_sides->setRoomForBoth(Metrics::scaled(860), leastHeight()); // forms are long lines, a grid has a head
    m_notice->setContentsMargins(8, 3, 8, 3);
    m_notice->hide();
    vbox(this, { 1, 0, 1, 1 }, 0, { m_notice, { m_sides, 1 } });
    setFocusProxy(m_forms->row(ShardingForm::Spec)->focusProxy());

    connect(m_forms, &FormsPanel::changed, this, [this] {
        m_touched = true;
        refresh();
    });
    connect(m_forms, &FormsPanel::fromTensorRequested, this, &ShardingLabView::takeSelectedTensor);
    connect(m_results, &ResultPanel::changed, this, &ShardingLabView::refresh);
    connect(document, &Document::experimentChanged, this, &ShardingLabView::followMesh);
    connect(document, &Document::snapshotChanged, this, &ShardingLabView::followSelection);
    connect(selection, &Selection::changed, this, &ShardingLabView::followSelection);
    followMesh();
    followSelection();
}

void ShardingLabView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_after)
        followMesh();
}

void ShardingLabView::resizeEvent(QResizeEvent* event)
{
    DockView::resizeEvent(event);
    m_results->setFiguresBeside(height() < leastHeight() && width() >= Metrics::scaled(560));
}

void ShardingLabView::followMesh()
{
    // An edit of a large mesh is no work for a dock that nobody sees.
    const bool shown = isVisible() || !m_state.result();
    m_after = !shown;
    if (!shown)
        return;
    const Experiment& experiment = *m_document->experiment();
    Result<Mesh> mesh = makeMesh(experiment.hardware.devices, experiment.mesh);
    m_notice->setVisible(!mesh);
    if (!mesh) {
        m_notice->setText(tr("The mesh cannot be used, so the laboratory keeps the last one. %1")
                              .arg(lab::problemText(mesh.error())));
        return;
    }
    const DeviceSet& devices = experiment.hardware.devices;
    const LabDevices& now = m_state.devices();
    if (m_state.result() && *mesh == *now.mesh && now.places && now.places->set() == devices)
        return;
    const LabStart start = labStart(*mesh);
    m_state.setDevices({ std::make_shared<const Mesh>(std::move(*mesh)), devices.platform, devices.devicesPerHost,
        std::make_shared<const DevicePlaces>(devices) });
    if (!m_touched)
        m_state.setArray(start.shape, DType::F32, {}, start.spec);
    refresh();
}

void ShardingLabView::followSelection()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const TensorRow* row = snapshot ? snapshot->row(m_selection->tensor().toStdString()) : nullptr;
    m_forms->fromTensorButton()->setEnabled(row != nullptr);
    m_forms->fromTensorButton()->setText(
        row ? tr("From %1", "a tensor").arg(words::tensorName(row->path)) : tr("From selected tensor"));
}

void ShardingLabView::takeSelectedTensor()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const TensorRow* row = snapshot ? snapshot->row(m_selection->tensor().toStdString()) : nullptr;
    if (!row)
        return;
    m_touched = true;
    m_state.setArray(row->type.shape, row->type.dtype, row->dimNames, row->spec);
    m_state.setMemoryKind(row->memoryKind);
    refresh();
}

void ShardingLabView::refresh()
{
    m_forms->refresh();
    m_results->refresh();
    const std::optional<LabResult>& result = m_state.result();
    setKeyFigure(result
            ? QStringLiteral("%1 → %2").arg(words::shape(result->shape), words::shape(result->layout.shardShape()))
            : QString());
}

} // namespace shardscope
