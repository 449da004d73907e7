// SPDX-License-Identifier: GPL-3.0-or-later
// The painted parts of the memory view.
#pragma once

#include <QWidget>

#include "geometry/memory_layout.h"
#include "schedule/plan.h"
#include "views/theme/theme.h"
#include "views/widgets/canvas.h"
#include "words/shown_memory.h"

namespace shardscope {

/// The bar with its limit and legend. Arrow keys walk the segments, Return picks one.
class MemoryBarWidget : public Canvas {
    Q_OBJECT
public:
    explicit MemoryBarWidget(QWidget* parent = nullptr);

    /// `before`: bytes that were held before the last edit, 0 = not known.
    void setMemory(words::ShownMemory shown, std::int64_t before = 0);
    void setSlice(const words::MemorySlice& slice);
    [[nodiscard]] MemoryBar barLayout() const { return layoutFor(width()); }
    [[nodiscard]] QString legend() const; ///< the texts under the bar

    // One row per owner.
    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(barLayout().segments.size()); }
    [[nodiscard]] QStringList tableHeads() const override
    {
        return { tr("Owner"), tr("Bytes per device"), tr("Biggest tensor") };
    }
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override { return barLayout().segmentAt(point); }
    [[nodiscard]] int tableCurrentRow() const override;
    void tableActivate(int row) override;

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void picked(shardscope::Owner owner);

protected:
    [[nodiscard]] Tip tipAt(QPoint point) const override;
    void hoverAt(std::optional<QPoint> point) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Entry {
        QString text;
        int owner = -1; ///< swatch, -1 = none
    };
    [[nodiscard]] QString segmentText(const MemoryBar::Segment& segment) const;
    [[nodiscard]] bool isLabelled(const MemoryBar& bar, const MemoryBar::Segment& segment) const;
    [[nodiscard]] std::vector<Entry> entries() const { return entriesFor(barLayout()); }
    [[nodiscard]] std::vector<Entry> entriesFor(const MemoryBar& bar) const;
    [[nodiscard]] FlowLayout flowFor(const std::vector<Entry>& entries, int width, bool overLimit) const;
    [[nodiscard]] MemoryBar layoutFor(int width) const;
    void describe();

    words::ShownMemory m_shown;
    std::int64_t m_before = 0;
    words::MemorySlice m_slice;
    int m_hovered = -1;
    int m_current = 0;
};

/// Bytes live while each instruction runs. Arrow keys walk the instructions, Return picks what one computes.
class LiveMemoryPlot : public Canvas {
    Q_OBJECT
public:
    explicit LiveMemoryPlot(QWidget* parent = nullptr);
    void setMemory(words::ShownMemory shown);
    /// A line at the instruction that computes the value of that path; "" for none.
    void setCursor(const std::string& path);
    [[nodiscard]] int cursor() const { return m_cursor; } ///< an instruction, -1 for none
    [[nodiscard]] LiveLine lineLayout() const;
    /// What stands at the lines that are not the curve, and where; an empty place: there is no room.
    struct Name {
        QString text;
        QRectF place;
    };
    [[nodiscard]] Name peakName() const;
    [[nodiscard]] Name limitName() const;
    [[nodiscard]] Name cursorName() const; ///< under the line, among the numbers of the instructions
    // One row per instruction.
    [[nodiscard]] int tableRowCount() const override;
    [[nodiscard]] QStringList tableHeads() const override
    {
        return { tr("Instruction"), tr("Live bytes"), tr("Computes") };
    }
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override { return lineLayout().instructionAt(point); }
    [[nodiscard]] int tableCurrentRow() const override { return m_current; }
    void tableActivate(int row) override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(160), Metrics::scaled(56) }; }
    [[nodiscard]] QSize sizeHint() const override { return { Metrics::scaled(420), Metrics::scaled(110) }; }

Q_SIGNALS:
    void picked(const QString& path); ///< the tensor that the clicked instruction computes

protected:
    [[nodiscard]] Tip tipAt(QPoint point) const override;
    void hoverAt(std::optional<QPoint> point) override;
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] QRect foot() const; ///< of the numbers below the plot
    /// "Instruction 58: 32.1 MiB live", and what it computes on a second line.
    [[nodiscard]] QString instructionText(int instruction) const;
    words::ShownMemory m_shown;
    int m_hovered = -1;
    int m_current = -1; ///< walked to
    int m_cursor = -1;
};

} // namespace shardscope
