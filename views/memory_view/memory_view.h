// SPDX-License-Identifier: GPL-3.0-or-later
// The Memory dock: what one device holds at the peak of the step, by owner, and the bytes live over the step;
// and what lies in host memory, apart from that. Of a program in a text that takes partitioning: it is planned beside
// the window, while the dock can be seen.
#pragma once

#include <QWidget>

#include "document/document.h"
#include "document/selection.h"
#include "views/memory_view/shown_memory.h"
#include "views/widgets/latest_job.h"

class QBoxLayout;
class QCheckBox;

namespace shardscope {

class EmptyPage;
class LiveMemoryPlot;
class MemoryBarWidget;
class RoleLabel;

class MemoryView : public QWidget {
    Q_OBJECT
public:
    MemoryView(Document* document, Selection* selection, QWidget* parent = nullptr);

    /// "32.0 MiB per device", for the dock's title.
    [[nodiscard]] QString keyFigure() const { return m_keyFigure; }
    [[nodiscard]] MemoryBarWidget* bar() const { return m_bar; }
    [[nodiscard]] LiveMemoryPlot* plot() const { return m_plot; }
    /// Keeps parameters in host memory.
    [[nodiscard]] QCheckBox* onHost() const { return m_onHost; }
    /// What is held of a program in a text is being planned.
    [[nodiscard]] bool isWorking() const { return isVisible() && m_job.isWorking(); }
    /// "Largest: w 4 MiB; x 16 KiB", of a program in a text.
    [[nodiscard]] QString largestText() const;
    /// "8 MiB per device on the host, 8 MiB in, 8 MiB back": what lies there, and what moves in a step; "" for nothing.
    [[nodiscard]] QString hostText() const;

Q_SIGNALS:
    void keyFigureChanged();

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Planned for a snapshot; without a value where that failed, or was stopped.
    struct Planned {
        SnapshotPtr snapshot;
        std::shared_ptr<const PlannedMemory> memory;
        std::optional<Error> error;
    };
    using PlannedPtr = std::shared_ptr<const Planned>;
    void showSnapshot();
    [[nodiscard]] ShownMemory shown() const;
    /// Why there is nothing to draw, and what is known all the same.
    [[nodiscard]] QString whyNothing() const;
    void plan();
    void followSelection();
    void placePlot();
    void showPlacement();

    Document* m_document;
    Selection* m_selection;
    QBoxLayout* m_head = nullptr;
    RoleLabel* m_when;
    RoleLabel* m_sum;
    MemoryBarWidget* m_bar;
    LiveMemoryPlot* m_plot;
    QWidget* m_content;
    QWidget* m_place;
    QCheckBox* m_onHost;
    RoleLabel* m_host;
    RoleLabel* m_largest;
    EmptyPage* m_empty;
    QString m_keyFigure;
    PlannedPtr m_planned; ///< of the newest snapshot, or an earlier one of the same document
    SnapshotPtr m_wanted; ///< what the job is at work for
    LatestJob<PlannedPtr> m_job;
};

} // namespace shardscope
