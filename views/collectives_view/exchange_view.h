// SPDX-License-Identifier: GPL-3.0-or-later
// One collective as a picture: what the devices hold before it, what is exchanged among whom, what they hold after it.
#pragma once

#include <QLine>
#include <QRect>
#include <QSize>
#include <QWidget>
#include <array>

#include "document/selection.h"
#include "views/collectives_view/collectives_model.h"
#include "views/shard_grid_view/grid_layout.h"
#include "views/theme/theme.h"

namespace shardscope {

class ExchangeBand;
class GridCanvas;
class RoleLabel;
class SpanLine;

// Where the array before a collective, the collective, and the array after it are drawn: beside each other where both
// grids have room, else above each other. Without a window.
/// Of everything that has a size of its own.
struct ExchangeSizes {
    int headHeight = 34; ///< of the two lines over a grid
    /// Of the second one, which says what a device holds there: as many lines as the longer of both takes.
    int holdingHeight = 17;
    int bandHeight = 40; ///< of what is said about the collective
    int leastGridWidth = 220, leastGridHeight = 120;
    int arrow = 24; ///< room for an arrow between the grids
    int gap = 4;
};

struct ExchangeLayout {
    /// A stem and the triangle at its end.
    struct Arrow {
        QLine stem;
        std::array<QPoint, 3> head;
    };
    bool beside = true;
    QRect beforeHead, beforeGrid, band, afterHead, afterGrid;
    std::vector<Arrow> arrows; ///< beside each other one, from grid to grid; else into the band and out of it

    static ExchangeLayout make(QSize area, const ExchangeSizes& sizes);
    static bool isBeside(int width, const ExchangeSizes& sizes);
    /// Lower, the grids have less than the least height.
    static int leastHeight(int width, const ExchangeSizes& sizes);
    /// Which dimensions span both grids: the two that are sharded most in either.
    static GridLayout::Choice commonChoice(const Layout& before, const Layout& after);
};

class ExchangeView : public QWidget {
    Q_OBJECT
public:
    explicit ExchangeView(Selection* selection, QWidget* parent = nullptr);

    /// `named`: by whose name the value goes, which has the names of its dimensions; may be invalid.
    void show(const CollectiveList& list, const CollectiveEntry& entry, ValueId named, const Snapshot& snapshot);
    using QWidget::show;
    void clear();
    [[nodiscard]] GridCanvas* before() const { return m_before.grid; }
    [[nodiscard]] GridCanvas* after() const { return m_after.grid; }
    [[nodiscard]] const ExchangeLayout& exchange() const { return m_layout; }

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(150), 0 }; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent*) override { arrange(); }
    void changeEvent(QEvent* event) override;

private:
    struct Side {
        RoleLabel* name; ///< "Before"
        SpanLine* array;
        RoleLabel* holding;
        GridCanvas* grid;
    };
    Side makeSide(const QString& name, const QString& gridName, Selection* selection);
    [[nodiscard]] ExchangeSizes sizes(int width) const;
    void arrange();

    Side m_before, m_after;
    ExchangeBand* m_band;
    ExchangeLayout m_layout;
    double m_aspect = 1; ///< of the array, width : height, as a grid would draw it
    int m_axis = -1; ///< whose colour the exchange has
};

} // namespace shardscope
