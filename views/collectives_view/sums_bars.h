// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of collectives as bars, the largest first: which share of the bytes a kind, a set of axes or a layer sends. A
// click shows those alone, another one all again; arrow keys choose a bar, Space or Return clicks it.
#pragma once

#include <QPoint>
#include <QRect>
#include <QSize>
#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "geometry/sums_layout.h"
#include "views/theme/theme.h"
#include "views/widgets/canvas.h"

namespace shardscope {

struct SumBar {
    std::string key;
    QString name;
    int axis = -1; ///< mesh axis whose colour the bar has
    double share = 0; ///< of all bytes, 0 … 1
    QString figure; ///< "98 %"
    QString more; ///< "8 collectives, 8 MiB per step"
    bool operator==(const SumBar&) const = default;
};

class SumsBars : public Canvas {
    Q_OBJECT
public:
    explicit SumsBars(QWidget* parent = nullptr);
    void setBars(std::vector<SumBar> bars, const std::optional<std::string>& chosen);
    [[nodiscard]] const std::vector<SumBar>& bars() const { return m_bars; }

    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_bars.size()); }
    [[nodiscard]] QStringList tableHeads() const override
    {
        return { accessibleName(), tr("Share of the bytes"), tr("Sum") };
    }
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override { return m_layout.rows[static_cast<std::size_t>(row)].row; }
    [[nodiscard]] int tableRowAt(QPoint point) const override { return m_layout.rowAt(point); }
    [[nodiscard]] int tableCurrentRow() const override { return m_current; }
    void tableActivate(int row) override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(96), sizeHint().height() }; }

Q_SIGNALS:
    /// A bar was clicked; `chosen` is false where that gives all back.
    void toggled(const std::string& key, bool chosen);
    void currentMoved(const QRect& row); ///< to be kept in sight

protected:
    [[nodiscard]] Tip tipAt(QPoint point) const override;
    void arrange() override;
    void hoverAt(std::optional<QPoint> point) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    void setCurrent(int row);
    std::vector<SumBar> m_bars;
    std::optional<std::string> m_chosen;
    SumsLayout m_layout;
    int m_current = -1, m_hovered = -1;
};

} // namespace shardscope
