// SPDX-License-Identifier: GPL-3.0-or-later
// What one device holds at the peak of the step, by owner, and what lies in host memory, apart from that; or, in the
// Timeline, the bytes live over the step. Its key figure is "32.0 MiB per device".
#pragma once

#include "views/panel/dock_view.h"
#include "words/shown_memory.h"

class QBoxLayout;
class QCheckBox;

namespace shardscope {

class EmptyPage;
class LiveMemoryPlot;
class MemoryBarWidget;
class RoleLabel;

class MemoryView : public DockView {
    Q_OBJECT
public:
    enum class Shows : std::uint8_t {
        Peak, ///< the bar of the peak, what is largest, and where parameters are kept
        OverTime ///< the curve over the step alone
    };
    MemoryView(Document* document, Selection* selection, Shows shows = Shows::Peak, QWidget* parent = nullptr);

    [[nodiscard]] MemoryBarWidget* bar() const { return m_bar; }
    [[nodiscard]] LiveMemoryPlot* plot() const { return m_plot; }
    /// Keeps parameters in host memory.
    [[nodiscard]] QCheckBox* onHost() const { return m_onHost; }
    /// Of all that is told of the peak.
    [[nodiscard]] int contentHeight(int width) const;
    /// "Largest: w 4 MiB; x 16 KiB": all that are named where there is room for them.
    [[nodiscard]] QString largestText() const { return words::ShownMemory::largest(m_named, maximumNamed); }
    /// "8 MiB per device on the host, 8 MiB in, 8 MiB back": what lies there, and what moves in a step; "" for nothing.
    [[nodiscard]] QString hostText() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showSnapshot();
    /// Why there is nothing to draw, and what is known all the same.
    [[nodiscard]] QString whyNothing() const;
    void followSelection();
    static constexpr std::size_t maximumNamed = 12; ///< of the largest arrays
    /// Both texts of the head in one line.
    [[nodiscard]] bool fitsHead(int width) const;
    void placePlot();
    void fitLargest();
    void showPlacement();

    Shows m_shows;
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
    words::ShownMemory m_shown; ///< empty where nothing is planned
    std::vector<words::ShownMemory::Named> m_named; ///< of it
    std::int64_t m_peak = 0; ///< bytes of what is there, 0 where nothing is planned
    std::int64_t m_before = 0; ///< bytes at the peak before the last edit, 0 = not known
    std::int64_t m_beforeDrag = 0; ///< the same before the edit that may go on with a drag
    int m_mergeId = 0; ///< of the last drag
    bool m_isAnother = false; ///< nothing of this experiment was shown yet
};

} // namespace shardscope
