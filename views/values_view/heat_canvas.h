// SPDX-License-Identifier: GPL-3.0-or-later
// The heat map: the plane that is shown, with the boundaries of its shards or as one panel per device, padding hatched,
// parts that still have to be added up dotted. Arrow keys walk the shards; pointing at one lights its holders.
#pragma once

#include <optional>

#include "views/theme/theme.h"
#include "views/values_view/heat_colours.h"
#include "views/widgets/canvas.h"

namespace shardscope {

class Selection;

class HeatCanvas : public Canvas {
    Q_OBJECT
public:
    explicit HeatCanvas(Selection* selection, QWidget* parent = nullptr);

    /// What is drawn, and how it is read. While nothing can be read, the last picture of the same array stays.
    void setContent(std::optional<ShownValues> shown, ReadSample read, HeatReduction reduction);
    /// The numbers are other ones now.
    void readAgain() { arrange(); }
    [[nodiscard]] const HeatLayout& heatLayout() const { return m_layout; }
    [[nodiscard]] const HeatData& data() const { return m_data; }
    /// Everything about an element: "embed 12, hidden 300: -0.0123, on d1 and d5".
    [[nodiscard]] QString describe(const HeatElement& element) const;
    /// The part that the keys are at, -1 for none.
    [[nodiscard]] std::int64_t currentPart() const { return m_current; }

    // One row per shard that is drawn, or per device.
    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_data.parts.size()); }
    [[nodiscard]] QStringList tableHeads() const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override { return static_cast<int>(m_current); }
    void tableActivate(int row) override { walkTo(row); }

    [[nodiscard]] QSize sizeHint() const override { return { Metrics::scaled(480), Metrics::scaled(300) }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(160), Metrics::scaled(150) }; }

Q_SIGNALS:
    void dataChanged(); ///< another picture
    void pointed(const QString& text); ///< at an element, by pointer or keys; "" for none

protected:
    [[nodiscard]] Tip tipAt(QPoint point) const override;
    void arrange() override;
    void recolour() override { m_images.clear(); }
    void hoverAt(std::optional<QPoint> point) override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    [[nodiscard]] GridMargins margins() const;
    void walkTo(std::int64_t part);
    /// Lights the holders of an element in all views.
    void highlight(std::optional<HeatElement> element);
    [[nodiscard]] std::int64_t shardOf(const HeatElement& element) const;
    [[nodiscard]] QString holdersText(const HeatElement& element) const;
    [[nodiscard]] QString panelTitle(int panel) const;
    [[nodiscard]] QString columnTitle() const;
    void paintPanel(QPainter& painter, int panel, const Theme& theme) const;
    void paintNumbers(QPainter& painter, int panel, const Theme& theme) const;
    void paintBorders(QPainter& painter, const Theme& theme) const;
    void paintHeaders(QPainter& painter, const Theme& theme) const;
    void paintTitles(QPainter& painter, const Theme& theme) const;
    void paintMarks(QPainter& painter, const Theme& theme) const;

    Selection* m_selection;
    std::optional<ShownValues> m_shown;
    ReadSample m_read;
    HeatReduction m_reduction = HeatReduction::Largest;
    HeatLayout m_layout;
    HeatData m_data;
    bool m_readDue = false; ///< once it is visible
    mutable std::vector<QImage> m_images; ///< by panel; made when they are painted
    std::optional<HeatElement> m_highlighted;
    std::int64_t m_current = -1;
};

} // namespace shardscope
