// SPDX-License-Identifier: GPL-3.0-or-later
// One collective as a picture: what the devices hold before it, what is exchanged among whom, what they hold after it.
#pragma once

#include <QLine>
#include <QRect>
#include <QSize>
#include <QWidget>
#include <array>

#include "document/selection.h"
#include "geometry/exchange_layout.h"
#include "views/collectives_view/collectives_model.h"
#include "views/theme/theme.h"

namespace shardscope {

class ExchangeBand;
class GridCanvas;
class RoleLabel;
class SpanLine;

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
    bool m_hasSheets = false; ///< addends one behind the other, before
    double m_aspect = 1; ///< of the array, width : height, as a grid would draw it
    int m_axis = -1; ///< whose colour the exchange has
};

} // namespace shardscope
