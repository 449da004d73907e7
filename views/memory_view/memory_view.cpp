// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory_view/memory_view.h"

#include <QCheckBox>
#include <algorithm>
#include <utility>

#include "analysis/host_transfers.h"
#include "experiment/edits.h"
#include "pipeline/memory_placement.h"
#include "schedule/plan.h"
#include "views/memory_view/memory_widgets.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/theme/text_width.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "words/memory_words.h"
#include "words/words.h"

namespace shardscope {

QString MemoryView::whyNothing() const
{
    const SnapshotPtr snapshot = picturedSnapshot(*m_document);
    if (!snapshot)
        return tr("The experiment is being analysed.");
    const std::optional<Obstacle> obstacle = obstacleOf(*m_document);
    if (!snapshot->laidOut() || !obstacle)
        return obstacle ? obstacle->stepText() : tr("Peak memory is unknown until a step can run.");
    std::int64_t bytes = 0;
    bool padded = false;
    for (const TensorRow& row : snapshot->tensors)
        if (!snapshot->program->value(row.value).definition.valid() && !isOnHost(*snapshot, row)) {
            bytes = saturatingSum(bytes, row.bytesPerDevice);
            padded = padded || row.layout.isUneven();
        }
    const QString held = words::bytes(static_cast<double>(bytes));
    if (snapshot->errorCount() == 0 || snapshot->notPlanned) {
        const HostMemory onHost = hostMemory(*snapshot);
        if (snapshot->notPlanned && snapshot->tensors.empty()) // nobody knows of its arrays
            return tr("Peak memory is unknown: %1.").arg(words::describe(*snapshot->notPlanned).cause);
        const QString taken = onHost.arrays == 0
            ? tr("The inputs of this program take %1 on each device.").arg(held)
            : tr("The inputs of this program take %1 on each device, and %2 per device on the host.")
                  .arg(held, words::bytes(static_cast<double>(onHost.bytesPerDevice)));
        return snapshot->notPlanned
            ? tr("%1 Peak memory is unknown: %2.").arg(taken, words::describe(*snapshot->notPlanned).cause)
            : taken;
    }
    const QString id =
        snapshot->problems.empty() ? QString() : QString::fromLatin1(snapshot->problems.front().diagnostic.id().data());
    return (padded ? tr("A step begins with %1 on each device, padding included. Peak memory is unknown until %2 is "
                        "fixed.")
                   : tr("A step begins with %1 on each device. Peak memory is unknown until %2 is fixed."))
        .arg(held, id.isEmpty() ? tr("the problem") : id);
}

MemoryView::MemoryView(Document* document, Selection* selection, Shows shows, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_shows(shows)
    , m_when(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Elided, &Theme::secondary))
    , m_sum(new RoleLabel(RoleLabel::Size::Semibold, RoleLabel::Elided))
    , m_bar(new MemoryBarWidget)
    , m_plot(new LiveMemoryPlot)
    , m_content(new QWidget)
    , m_place(new QWidget)
    , m_onHost(new QCheckBox(tr("Parameters on the host")))
    , m_host(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Elided, &Theme::secondary))
    , m_largest(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Elided, &Theme::secondary))
    , m_empty(new EmptyPage(QString()))
{
    m_head = new QBoxLayout(QBoxLayout::LeftToRight);
    m_head->setContentsMargins(2, 0, 2, 0);
    m_head->addWidget(m_when, 1);
    m_head->addWidget(m_sum);
    m_largest->setContentsMargins(2, 0, 2, 0);
    vbox(m_content, { 6, 6, 6, 6 }, 4, { m_head, m_bar, m_largest, { m_plot, 1 }, boxStretch() });
    m_onHost->setAccessibleName(tr("Keep parameters in host memory"));
    m_onHost->setToolTip(plainTip(tr("As T5X's params_on_devices=False: parameters rest in pinned host memory, and the "
                                     "devices copy them in when a step reads them.")));
    m_host->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    hbox(m_place, { 8, 0, 8, 4 }, 12, { m_onHost, { m_host, 1 } });
    vbox(this, {}, 0,
        { new StaleRibbon(document, nullptr, StaleRibbon::Shows::Previews), { m_content, 1 }, { m_empty, 1 },
            m_place });
    connect(m_onHost, &QCheckBox::clicked, this, [this](bool onHost) {
        m_document->edit(withParamsOnDevices(*m_document->experiment(), !onHost),
            onHost ? tr("Parameters on the host") : tr("Parameters on the devices"));
        showPlacement(); // an edit that was refused changes nothing
    });
    connect(m_document, &Document::experimentChanged, this, [this] {
        // The bar is compared with what was there before the last edit, a drag being one.
        m_beforeDrag = m_before;
        const bool another = std::exchange(m_isAnother, false);
        m_before = another ? 0 : m_peak;
        showPlacement();
    });
    connect(m_document, &Document::edited, this, [this](const QString&, int mergeId) {
        if (mergeId != 0 && std::exchange(m_mergeId, mergeId) == mergeId)
            m_before = m_beforeDrag;
    });
    connect(m_document, &Document::snapshotChanged, this, &MemoryView::showSnapshot);
    connect(m_document, &Document::previewChanged, this, &MemoryView::showSnapshot);
    connect(m_document, &Document::replaced, this, [this] {
        m_isAnother = true;
        showSnapshot();
    });
    connect(m_selection, &Selection::changed, this, &MemoryView::followSelection);
    connect(m_bar, &MemoryBarWidget::picked, this, [this](Owner owner) {
        if (const QString path = m_shown.largest(owner).path; !path.isEmpty())
            m_selection->setTensor(path);
    });
    connect(m_plot, &LiveMemoryPlot::picked, m_selection, &Selection::setTensor);
    m_bar->setVisible(shows == Shows::Peak);
    setFocusProxy(shows == Shows::Peak ? static_cast<QWidget*>(m_bar) : m_plot);
    showSnapshot();
}

void MemoryView::fitLargest()
{
    // As many as there is room for: the rest is counted, and stands in the tip.
    const int room = width() - 2 * Metrics::scaled(10);
    QString text;
    for (std::size_t count = maximumNamed; count > 0; --count) {
        text = words::ShownMemory::largest(m_named, count);
        if (textWidth(m_largest->font(), text) <= room)
            break;
    }
    m_largest->setText(text);
    m_largest->setToolTip(text == largestText() ? QString() : plainTip(largestText()));
    m_largest->setAccessibleDescription(largestText());
}

void MemoryView::showSnapshot()
{
    if (const SnapshotPtr snapshot = picturedSnapshot(*m_document); !snapshot || !snapshot->plan) {
        m_shown = {};
        m_named.clear();
    } else if (m_shown.snapshot != snapshot) {
        m_shown = { snapshot, std::make_shared<const PlannedMemory>(plannedMemory(*snapshot->plan)) };
        m_named = m_shows == Shows::Peak ? m_shown.named() : std::vector<words::ShownMemory::Named>();
    }
    const words::ShownMemory& shown = m_shown;
    const MemorySummary* memory = shown.memory();
    if (!memory)
        m_empty->setSentence(whyNothing());
    m_content->setVisible(memory != nullptr);
    m_empty->setVisible(memory == nullptr);
    // A preview is compared with what is there.
    const bool preview = m_document->preview() != nullptr;
    m_bar->setMemory(shown, !memory ? 0 : preview ? m_peak : m_before);
    if (!preview)
        m_peak = memory ? memory->peakBytes : 0;
    m_plot->setMemory(shown);
    words::PeakFigure figure;
    if (memory) {
        const std::int64_t limit = shown.snapshot->experiment->hardware.memoryPerDevice;
        figure = words::peakFigure(memory->peakBytes, limit);
        m_sum->setText(words::peakOfLimit(memory->peakBytes, limit));
        m_sum->setColour(figure.isTooMuch ? &Theme::error : &Theme::text);
        m_when->setText(shown.instructions() == 0 ? tr("Held all the time")
                                                  : tr("Peak %1", "at instruction ...").arg(shown.peakWords()));
        QStringList notes{ m_when->text(),
            tr("As the plan of a step has it, by how long every value is needed. %1 are reserved for it.")
                .arg(words::bytes(static_cast<double>(memory->arenaBytes))) };
        if (const QString without = words::peakWithoutKept(*memory); !without.isEmpty())
            notes << without;
        if (shown.planned->dependsOnData)
            notes << tr("Which branches run is known by a run alone: this is the case with the highest peak.");
        if (m_shows == Shows::Peak)
            notes << largestText();
        m_content->setToolTip(plainTip(notes.join(QLatin1Char('\n'))));
        m_sum->setAccessibleDescription(notes.join(QLatin1Char(' ')));
    }
    fitLargest();
    followSelection();
    showPlacement();
    placePlot();
    setKeyFigure(figure.text, figure.isTooMuch);
}

QString MemoryView::hostText() const
{
    const SnapshotPtr snapshot = picturedSnapshot(*m_document);
    if (!snapshot || !snapshot->laidOut())
        return {};
    const HostMemory memory = hostMemory(*snapshot);
    const HostTransfers transfers = hostTransfers(*snapshot);
    QStringList parts;
    if (memory.arrays > 0)
        parts << tr("%1 per device on the host").arg(words::bytes(static_cast<double>(memory.bytesPerDevice)));
    if (const MemoryTransfer& in = transfers.toDevices; in.bytesPerDevice > 0)
        parts << tr("%1 in", "copied to the device").arg(words::bytes(static_cast<double>(in.bytesPerDevice)));
    if (const MemoryTransfer& back = transfers.toHost; back.bytesPerDevice > 0)
        parts << tr("%1 back", "copied to the host").arg(words::bytes(static_cast<double>(back.bytesPerDevice)));
    return parts.join(tr(", "));
}

void MemoryView::showPlacement()
{
    const Experiment& experiment = *m_document->experiment();
    const SnapshotPtr snapshot = picturedSnapshot(*m_document);
    const bool chosenHere =
        !snapshot || !snapshot->program || (programMemory(*snapshot).saysNothing() && !snapshot->isPartitioned());
    m_onHost->setChecked(!experiment.placement.paramsOnDevices);
    const QString text = hostText();
    m_host->setText(text);
    m_onHost->setVisible(chosenHere);
    // A page in its place needs the room.
    m_place->setVisible(m_shows == Shows::Peak && (chosenHere || !text.isEmpty()) && m_content->isVisibleTo(this));
    QStringList lines;
    if (snapshot && snapshot->laidOut()) {
        const HostTransfers transfers = hostTransfers(*snapshot);
        lines << words::hostMemoryText(hostMemory(*snapshot));
        if (!transfers.empty())
            lines << tr("In a step %1; nothing of that passes between devices.").arg(words::transferSummary(transfers))
                  << words::transferLines(*snapshot, transfers);
    }
    lines.removeAll(QString());
    m_host->setToolTip(lines.isEmpty() ? QString() : plainTip(lines.join(QLatin1Char('\n'))));
    m_host->setAccessibleDescription(lines.join(QLatin1Char(' ')));
}

void MemoryView::followSelection()
{
    const SnapshotPtr snapshot = picturedSnapshot(*m_document);
    const TensorRow* row = snapshot ? snapshot->row(m_selection->tensor().toStdString()) : nullptr;
    m_bar->setSlice(row ? m_shown.sliceOf(*row) : words::MemorySlice{});
    if (m_shows == Shows::OverTime)
        m_plot->setCursor(m_selection->tensor().toStdString());
}

bool MemoryView::fitsHead(int width) const
{
    return m_when->sizeHint().width() + m_sum->sizeHint().width() + Metrics::scaled(28) <= width;
}

int MemoryView::contentHeight(int width) const
{
    const QMargins around = m_content->layout()->contentsMargins();
    const int spacing = m_content->layout()->spacing();
    int height = around.top() + m_when->sizeHint().height() * (fitsHead(width) ? 1 : 2) + spacing
        + m_bar->heightForWidth(std::max(width - around.left() - around.right(), 1)) + around.bottom();
    if (!m_largest->text().isEmpty())
        height += spacing + m_largest->sizeHint().height();
    if (m_place->isVisibleTo(this))
        height += m_place->sizeHint().height();
    return height;
}

void MemoryView::placePlot()
{
    const bool hasLine = m_shown.memory() && !m_shown.memory()->live.empty();
    m_plot->setVisible(hasLine && m_shows == Shows::OverTime);
    // Where the two texts of the head do not fit side by side, the sum goes first and the moment below it, unless that
    // takes the room of the legend. What is largest is told where there is still more.
    const QMargins around = m_content->layout()->contentsMargins();
    const int spacing = m_content->layout()->spacing(), line = m_when->sizeHint().height();
    int spare = height() - around.top() - around.bottom() - line;
    if (m_place->isVisibleTo(this))
        spare -= m_place->sizeHint().height();
    if (m_shows == Shows::Peak)
        spare -= spacing + m_bar->heightForWidth(std::max(width() - around.left() - around.right(), 1));
    const bool beside = spare < line || fitsHead(width());
    m_head->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::BottomToTop);
    m_head->setSpacing(beside ? 12 : 0);
    m_sum->setAlignment((beside ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (!beside)
        spare -= line;
    m_largest->setVisible(
        m_shows == Shows::Peak && !m_largest->text().isEmpty() && spare >= spacing + m_largest->sizeHint().height());
}

void MemoryView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitLargest();
    placePlot();
}

} // namespace shardscope
