// SPDX-License-Identifier: GPL-3.0-or-later
// Where bars, arrows, points, rows of rules, slots and cards stand.
#include <QTest>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "geometry/cards_layout.h"
#include "geometry/exchange_layout.h"
#include "geometry/scatter_layout.h"
#include "geometry/slots_layout.h"
#include "geometry/sums_layout.h"
#include "geometry/trace_layout.h"
#include "registered_test.h"

using namespace shardscope;

class TestPaintedLayouts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void barsHaveTheLengthOfTheirShares()
    {
        const SumsLayout layout = SumsLayout::make({ 1, 0.5, 0.0001, 0 }, 200, 22, 40);
        QCOMPARE(layout.rows.size(), std::size_t(4));
        QCOMPARE(layout.height(), 88);
        const int full = layout.rows[0].bar.width();
        QVERIFY(full > 100);
        QVERIFY(std::abs(layout.rows[1].bar.width() - full / 2) <= 1);
        QCOMPARE(layout.rows[2].bar.width(), 2); // something is sent, and is seen
        QVERIFY(layout.rows[3].bar.isEmpty());
        for (std::size_t i = 0; i < layout.rows.size(); ++i) {
            const SumsLayout::Row& row = layout.rows[i];
            QVERIFY(row.row.contains(row.name) && row.row.contains(row.figure));
            QVERIFY(!row.name.intersects(row.figure) && !row.bar.intersects(row.figure));
            QCOMPARE(layout.rowAt(row.row.center()), static_cast<int>(i));
        }
        QCOMPARE(layout.rowAt({ 10, 100 }), -1);
        QCOMPARE(SumsLayout::make({}, 200, 22, 40).height(), 0);
        // Too narrow for anything: no negative sizes.
        for (const SumsLayout::Row& row : SumsLayout::make({ 0.5 }, 10, 22, 40).rows)
            QVERIFY(row.name.width() >= 0 && row.figure.width() >= 0 && row.bar.width() >= 0);
    }

    void gridsStandBesideEachOtherWhereThereIsRoom()
    {
        const ExchangeSizes sizes;
        for (const QSize area : { QSize(900, 500), QSize(470, 200), QSize(300, 700), QSize(240, 100) }) {
            const ExchangeLayout layout = ExchangeLayout::make(area, sizes);
            QCOMPARE(layout.beside, ExchangeLayout::isBeside(area.width(), sizes));
            const QRect parts[] = { layout.beforeHead, layout.beforeGrid, layout.band, layout.afterHead,
                layout.afterGrid };
            for (std::size_t a = 0; a < std::size(parts); ++a) {
                QVERIFY(QRect(0, 0, area.width(), 10000).contains(parts[a]));
                for (std::size_t b = 0; b < a; ++b)
                    QVERIFY(!parts[a].intersects(parts[b]));
            }
            QCOMPARE(layout.beforeGrid.size(), layout.afterGrid.size());
            QVERIFY(layout.beforeGrid.height() >= sizes.minimumGridHeight);
            QCOMPARE(layout.arrows.size(), std::size_t(layout.beside ? 1 : 2));
            for (const ExchangeLayout::Arrow& arrow : layout.arrows)
                for (const QRect& part : parts)
                    QVERIFY(!part.contains(arrow.head[0]) || !part.contains(arrow.shaft.p1()));
        }
        QVERIFY(ExchangeLayout::make({ 900, 500 }, sizes).beside);
        QVERIFY(!ExchangeLayout::make({ 300, 700 }, sizes).beside);
    }

    void bothGridsSpanTheSameDimensions()
    {
        // An all-to-all from the first dimension to the last of three: both are drawn, before and after.
        const MeshPtr mesh = std::make_shared<const Mesh>(*Mesh::create({ { "x", 4 } }));
        TensorSharding before = TensorSharding::fullyReplicated(3), after = before;
        before.dims[0].axes = { fullAxis(*mesh, 0) };
        after.dims[2].axes = { fullAxis(*mesh, 0) };
        const Shape shape{ 8, 16, 32 };
        const GridLayout::Choice choice =
            ExchangeLayout::commonChoice(Layout(mesh, before, shape), Layout(mesh, after, shape));
        QCOMPARE(choice.rows, 0);
        QCOMPARE(choice.columns, 2);
    }

    void geometryOfTheTrace()
    {
        const TraceSizes sizes;
        const TraceLayout wide(4, 4, 1200, sizes);
        QVERIFY(wide.showsReasons);
        QCOMPARE(wide.dimensionWidth, 108);
        QCOMPARE(wide.size.width(), 1200);
        QCOMPARE(wide.row(1).height(), 48);
        QCOMPARE(wide.ruleAt(wide.row(2).center()), std::optional(2));
        QVERIFY(!wide.ruleAt({ 10, 10 }));
        QVERIFY(!wide.ruleAt(wide.result.center()));
        QVERIFY(wide.cell(1, 2).contains(wide.chip(wide.cell(1, 2))));
        const TraceLayout narrow(4, 4, 300, sizes);
        QVERIFY(!narrow.showsReasons);
        QCOMPARE(narrow.dimensionWidth, sizes.narrowDimension);
        QCOMPARE(narrow.size.width(), narrow.minimumWidth);
        for (int d = 1; d < 4; ++d)
            QVERIFY(!narrow.cell(0, d).intersects(narrow.cell(0, d - 1)));
    }

    void slotsWrap()
    {
        const SlotsLayout::Caption captions[] = { { GridPlace::Rows, 30 }, { GridPlace::Columns, 40 },
            { GridPlace::Nest, 30 }, { GridPlace::Fold, 30 } };
        const SlotsLayout::Item items[] = { { GridPlace::Columns, 60 }, { GridPlace::Rows, 80 },
            { GridPlace::Fold, 50 }, { GridPlace::Fold, 50 } };
        const int all = SlotsLayout::widthInOneRow(captions, items, 18);
        const SlotsLayout oneRow = SlotsLayout::make(captions, items, all, 18);
        QCOMPARE(oneRow.frames.size(), 4U);
        QCOMPARE(oneRow.chips.size(), 4U);
        QCOMPARE(oneRow.chips.front().item, 1); // from slot to slot
        QCOMPARE(oneRow.frames.back().frame.right() + 1, all);
        // From the width of the widest slot on no chip is narrower than it should be.
        const int widest = SlotsLayout::widthOfWidest(captions, items, 18);
        const auto narrowed = [&](int width) {
            const SlotsLayout layout = SlotsLayout::make(captions, items, width, 18);
            return std::any_of(layout.chips.begin(), layout.chips.end(), [&](const SlotsLayout::Chip& chip) {
                return chip.rect.width() < items[static_cast<std::size_t>(chip.item)].width;
            });
        };
        QVERIFY(!narrowed(widest) && narrowed(widest - 1));
        for (int width = 40; width < all; width += 7) {
            const SlotsLayout layout = SlotsLayout::make(captions, items, width, 18);
            QVERIFY(layout.height > oneRow.height);
            for (const SlotsLayout::Chip& chip : layout.chips) {
                const auto frame = std::find_if(layout.frames.begin(), layout.frames.end(),
                    [&](const auto& slot) { return slot.place == items[static_cast<std::size_t>(chip.item)].place; });
                QVERIFY(frame->frame.right() < width);
                if (width >= 130)
                    QVERIFY(frame->frame.contains(chip.rect));
                QVERIFY(layout.placeAt(frame->frame.center()) == frame->place);
            }
        }
        QCOMPARE(oneRow.chipAt(oneRow.chips[2].rect.center()), 2);
        QCOMPARE(oneRow.chipAt({ -1, -1 }), -1);
    }

    void cardsStandInGroups()
    {
        CardsLayout::Sizes sizes;
        const std::array counts{ 3, 0, 1 };
        const int width = 2 * sizes.margin + 2 * sizes.minimumWidth + sizes.gap;
        const CardsLayout layout = CardsLayout::make(counts, width, sizes);
        QCOMPARE(layout.columns, 2);
        QCOMPARE(layout.cards.size(), std::size_t{ 4 });
        QCOMPARE(layout.groups.size(), std::size_t{ 2 }); // none without cards
        QCOMPARE(layout.groups[1].first, 3);
        for (std::size_t i = 0; i < layout.cards.size(); ++i) {
            QCOMPARE(layout.cards[i].size(), QSize(sizes.minimumWidth, sizes.height));
            QVERIFY(layout.cards[i].right() < width && layout.cards[i].bottom() < layout.height);
            QCOMPARE(layout.cardAt(layout.cards[i].center()), static_cast<int>(i));
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(!layout.cards[i].intersects(layout.cards[j]));
            for (const CardsLayout::Group& group : layout.groups)
                QVERIFY(!layout.cards[i].intersects(group.heading));
        }
        QCOMPARE(layout.cardAt(layout.groups[0].heading.center()), -1);
        // 0 1
        // 2
        // 3, under another heading
        QCOMPARE(layout.stepped(0, 1, 0), 1);
        QCOMPARE(layout.stepped(0, -1, 0), 0);
        QCOMPARE(layout.stepped(1, 0, 1), 2);
        QCOMPARE(layout.stepped(2, 0, 1), 3);
        QCOMPARE(layout.stepped(3, 0, 1), 3);
        QCOMPARE(layout.stepped(3, 0, -1), 2);
        QCOMPARE(layout.stepped(2, 0, -1), 0);
        QCOMPARE(layout.stepped(-1, 0, 1), 0);
        QCOMPARE(CardsLayout::make({}, width, sizes).stepped(-1, 0, 1), -1);
        // A narrow one has one column, and a wide one no wider cards than it may have.
        QCOMPARE(CardsLayout::make(counts, 100, sizes).columns, 1);
        const CardsLayout wide = CardsLayout::make(counts, 4000, sizes);
        QVERIFY(wide.cards[0].width() <= sizes.maximumWidth);
    }

    void meshesAsPoints()
    {
        const auto mesh = [](std::int64_t data, std::int64_t sent, std::int64_t state, bool front) {
            MeshFigures figures{ { { "data", data } }, state, {}, Rational(sent), {}, {} };
            if (!front)
                figures.dominatedBy = 0;
            return figures;
        };
        const QRectF area(100, 100, 300, 200);
        std::vector<MeshFigures> meshes{ mesh(1, 7, 255, true), mesh(2, 63, 31, true), mesh(4, 63, 255, false) };
        meshes.push_back({ { { "data", 8 } }, {}, {}, {}, {}, {} }); // has no place
        const ScatterLayout layout = ScatterLayout::make(area, meshes);
        QCOMPARE(layout.dots.size(), std::size_t{ 3 });
        QCOMPARE(layout.dots[0].at, area.topLeft());
        QCOMPARE(layout.dots[1].at, area.bottomRight());
        QCOMPARE(layout.dots[2].at, area.topRight());
        QCOMPARE(layout.front, (QList<QPointF>{ area.topLeft(), area.topRight(), area.bottomRight() }));
        QCOMPARE(layout.dotAt({ 395, 104 }, 12), 2);
        QCOMPARE(layout.dotAt({ 250, 200 }, 12), -1);
        // The axes say what stands at their ends; names stand on nothing, and not on the line.
        QCOMPARE(layout.sent.bytesAt(0), 7.0);
        QCOMPARE(layout.state.bytesAt(1), 255.0);
        const QRectF inside = area.adjusted(-10, -20, 10, 20);
        const std::vector<QRectF> names = layout.labelPlaces(inside, std::vector<QSizeF>(3, QSizeF(80, 12)));
        for (const QRectF& name : names) {
            QVERIFY(!name.isNull() && inside.contains(name));
            for (qsizetype i = 1; i < layout.front.size(); ++i)
                QVERIFY(
                    !name.intersects(QRectF(layout.front[i - 1], layout.front[i]).normalized().adjusted(-1, -1, 1, 1)));
            for (const QRectF& other : names)
                QVERIFY(&other == &name || !other.intersects(name));
        }
        // Where there is room for one name alone, it is that of the dot which is asked for.
        const ScatterLayout same = ScatterLayout::make(area, { mesh(1, 7, 255, false), mesh(2, 7, 255, false) });
        const QPointF at = same.dots[0].at;
        const QRectF narrow(at.x(), at.y() - 8, 100, 16);
        for (const std::size_t first : { std::size_t{ 0 }, std::size_t{ 1 } }) {
            const auto places = same.labelPlaces(narrow, std::vector<QSizeF>(2, QSizeF(80, 12)), first);
            QVERIFY(!places[first].isNull() && places[1 - first].isNull());
        }
        // What differs by a ten thousandth lies in one place, and not in opposite corners.
        const ScatterLayout alike = ScatterLayout::make(
            area, { mesh(1, 1'000'000, 2'000'000'000, true), mesh(2, 4'000'000, 1'999'800'000, true) });
        QVERIFY(std::abs(alike.dots[0].at.y() - alike.dots[1].at.y()) < 1);
        QCOMPARE(alike.dots[1].at.x() - alike.dots[0].at.x(), area.width());
        // Nothing is less than nothing, and no figure is a part of a byte.
        const ScatterLayout silent = ScatterLayout::make(area, { mesh(1, 0, 255, true), mesh(2, 0, 31, true) });
        QCOMPARE(silent.dots[0].at.x(), area.left());
        QCOMPARE(silent.sent.bytesAt(1), 0.0);
        // Who sends nothing stands apart: the others are as far from each other as their numbers.
        const ScatterLayout beside = ScatterLayout::make(
            area, { mesh(1, 0, 255, true), mesh(2, 1'000'000, 31, true), mesh(4, 4'000'000, 31, false) });
        QCOMPARE(beside.dots[0].at.x(), area.left());
        QCOMPARE(beside.dots[1].at.x(), area.left() + 0.15 * area.width());
        QCOMPARE(beside.dots[2].at.x(), area.right());
        QCOMPARE(beside.sent.bytesAt(0), 0.0);
        QCOMPARE(beside.sent.bytesAt(0.15), 1'000'000.0);
        // One alone lies in the middle.
        QCOMPARE(ScatterLayout::make(area, { meshes[0] }).dots[0].at, area.center());
    }
};

REGISTER_TEST(TestPaintedLayouts)
#include "test_painted_layouts.moc"
