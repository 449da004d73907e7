// SPDX-License-Identifier: GPL-3.0-or-later
// Where the shards of an array stand in a grid.
#include <QTest>
#include <algorithm>
#include <optional>

#include "geometry/grid_layout.h"
#include "parsed_layout.h"
#include "registered_test.h"

using namespace shardscope;
using test::layoutOf;

namespace {

GridLayout gridOf(const Layout& layout, QSize area = { 400, 300 }, const GridMargins& margins = {})
{
    return { layout, GridLayout::defaultChoice(layout), area, margins };
}

} // namespace

class TestGridLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyShardHasItsCell_data()
    {
        QTest::addColumn<QByteArray>("mesh");
        QTest::addColumn<QByteArray>("spec");
        QTest::addColumn<QList<qint64>>("shape");
        QTest::addColumn<int>("panels");
        QTest::newRow("columns") << QByteArray("data=2,model=4") << QByteArray("P(None, 'model')")
                                 << QList<qint64>{ 1024, 1024 } << 1;
        QTest::newRow("both") << QByteArray("data=2,model=4") << QByteArray("P('data', 'model')")
                              << QList<qint64>{ 8, 1024 } << 1;
        QTest::newRow("one dimension") << QByteArray("data=8") << QByteArray("P('data')") << QList<qint64>{ 64 } << 1;
        QTest::newRow("scalar") << QByteArray("data=8") << QByteArray("P()") << QList<qint64>{} << 1;
        QTest::newRow("uneven") << QByteArray("data=2,model=4") << QByteArray("P('model', None)")
                                << QList<qint64>{ 10, 64 } << 1;
        QTest::newRow("three cuts") << QByteArray("a=2,b=4,c=3") << QByteArray("P('a', 'b', 'c')")
                                    << QList<qint64>{ 4, 8, 9 } << 2;
        QTest::newRow("two axes on one") << QByteArray("pod=2,data=2,model=2")
                                         << QByteArray("P(('pod', 'data'), 'model')") << QList<qint64>{ 8, 6 } << 1;
        QTest::newRow("rank 4") << QByteArray("a=2,b=2") << QByteArray("P(None, 'a', None, 'b')")
                                << QList<qint64>{ 3, 4, 5, 6 } << 1;
    }
    void everyShardHasItsCell()
    {
        QFETCH(QByteArray, mesh);
        QFETCH(QByteArray, spec);
        QFETCH(QList<qint64>, shape);
        QFETCH(int, panels);
        const Layout layout = layoutOf(mesh.constData(), spec.constData(), Shape(shape.begin(), shape.end()));
        const GridLayout grid = gridOf(layout);
        QCOMPARE(static_cast<int>(grid.panels().size()), panels);
        std::vector<bool> seen(static_cast<std::size_t>(layout.distinctShards()), false);
        int covered = 0;
        for (int panel = 0; panel < panels; ++panel) {
            for (std::int64_t row = 0; row < grid.rows().parts; ++row) {
                for (std::int64_t column = 0; column < grid.columns().parts; ++column) {
                    const GridCell cell{ panel, row, column };
                    const std::int64_t shard = grid.shardOf(cell);
                    QVERIFY(shard >= 0 && shard < layout.distinctShards());
                    QVERIFY(!seen[static_cast<std::size_t>(shard)]);
                    seen[static_cast<std::size_t>(shard)] = true;
                    QCOMPARE(grid.cellOf(shard), std::optional(cell));
                    const QRect rect = grid.cellRect(cell);
                    QCOMPARE(grid.cellAt(rect.topLeft()), std::optional(cell));
                    QCOMPARE(grid.cellAt(rect.bottomRight()), std::optional(cell));
                    covered += rect.width() * rect.height();
                    // The ranges that the layout computes are those that the cell's place stands for.
                    const std::vector<IndexRange> ranges = layout.rangesOfShard(shard);
                    if (grid.columns().dimension >= 0)
                        QCOMPARE(ranges[static_cast<std::size_t>(grid.columns().dimension)].begin,
                            std::min(column * grid.columns().block, grid.columns().size));
                }
            }
        }
        QVERIFY(std::all_of(seen.begin(), seen.end(), [](bool s) { return s; }));
        // Cells tile their panels without gap or overlap.
        int area = 0;
        for (const QRect& panel : grid.panels())
            area += panel.width() * panel.height();
        QCOMPARE(covered, area);
        QVERIFY(!grid.cellAt({ -1, -1 }));
    }

    void proportionsAreTrueUntilTheyAreClamped()
    {
        const GridLayout square = gridOf(layoutOf("data=2,model=4", "P(None, 'model')", { 1024, 1024 }));
        QCOMPARE(square.panels().front().width(), square.panels().front().height());
        QVERIFY(!square.isClamped());
        const GridLayout flat = gridOf(layoutOf("data=2,model=4", "P('data', None)", { 8, 1024 }));
        QVERIFY(flat.isClamped());
        QCOMPARE(flat.trueAspect(), 128.0);
        QCOMPARE(flat.drawnAspect(), 4.0);
        const GridLayout tall = gridOf(layoutOf("data=2", "P('data', None)", { 4096, 2 }));
        QCOMPARE(tall.drawnAspect(), 0.25);
        // Too long for its proportions anyway, it is wide enough for what is said of its shards.
        const GridLayout long4 =
            gridOf(layoutOf("fsdp=4,tensor=2", "P('tensor', 'fsdp')", { 128256, 4096 }), { 900, 220 });
        QVERIFY(long4.isClamped());
        QCOMPARE(long4.detail(), GridDetail::Full);
        QVERIFY(long4.panels().front().width() <= long4.panels().front().height() + 4 && long4.drawnAspect() > 0.9);
        // With more columns than that has names for it goes on to be wider, so that all of them are named.
        const Layout many = layoutOf("data=8,model=4", "P('model', 'data')", { 128256, 4096 });
        for (const int height : { 90, 160, 220, 400 }) {
            const GridLayout all = gridOf(many, { 900, height });
            QVERIFY2(all.panels().front().width() >= 8 * 36 - 8, qPrintable(QString::number(height)));
        }
        // A high array in little height gets the width of names; with more height its proportions are true.
        const Layout high = layoutOf("data=2,model=4", "P('model', 'data')", { 256, 64 });
        const GridLayout low = gridOf(high, { 900, 110 });
        QVERIFY(low.isClamped());
        QVERIFY2(low.detail() >= GridDetail::Name, qPrintable(QString::number(low.panels().front().width())));
        QVERIFY(!gridOf(high, { 900, 400 }).isClamped());
        // Sixteen rows of a flat array are high enough for names, since there is room below.
        const GridLayout rows = gridOf(layoutOf("data=16,model=4", "P('data', 'model')", { 1024, 4096 }));
        QCOMPARE(rows.trueAspect(), 4.0);
        QVERIFY(rows.drawnAspect() < 4.0);
        QVERIFY(rows.detail() >= GridDetail::Name);
        QVERIFY(tall.panels().front().height() <= 300);
    }

    void paddingLiesAfterTheArray()
    {
        // ceil(10 / 4) = 3 rows each: 2 of 12 are padding.
        const GridLayout grid = gridOf(layoutOf("data=2,model=4", "P('model', None)", { 10, 12 }), { 1200, 1200 });
        const QRect panel = grid.panels().front();
        QCOMPARE(panel.height(), 1200);
        QCOMPARE(grid.bottomPadding(panel), QRect(panel.left(), 1000, panel.width(), 200));
        QVERIFY(grid.rightPadding(panel).isEmpty());
        QVERIFY(grid.rows().padded() && !grid.columns().padded());
        // 2 of 1024 would be less than a pixel: it is seen all the same.
        const GridLayout thin = gridOf(layoutOf("model=4", "P(None, 'model')", { 1024, 1022 }), { 240, 240 });
        const QRect strip = thin.rightPadding(thin.panels().front());
        QCOMPARE(strip.width(), 5);
        QCOMPARE(strip.right(), thin.panels().front().right());
        const GridLayout narrow = gridOf(layoutOf("model=64", "P(None, 'model')", { 1024, 1022 }), { 240, 240 });
        QVERIFY(narrow.rightPadding(narrow.panels().front()).width() < 3);
    }

    void edgesOfMoreElementsThanPixelsCount()
    {
        constexpr std::int64_t many = std::int64_t{ 1 } << 62;
        QCOMPARE(pixelEdge(1000, 0, many), 0);
        QCOMPARE(pixelEdge(1000, many / 2, many), 500);
        QCOMPARE(pixelEdge(1000, many, many), 1000);
        QCOMPARE(pixelEdge(1000, 3, 4), 750);
        QCOMPARE(pixelEdge(1000, 1, 0), 1000); // no parts: as one
        // The last of two blocks ends one element after the array.
        const GridLayout grid = gridOf(layoutOf("x=2", "P('x')", { many / 2 - 1 }), { 400, 400 });
        const QRect panel = grid.panels().front();
        QVERIFY(panel.contains(grid.rightPadding(panel)));
        QVERIFY(grid.rightPadding(panel).width() <= 5);
    }

    void detailFollowsTheSizeOfCells()
    {
        const auto detail = [](const char* mesh, QSize area) {
            return gridOf(layoutOf(mesh, "P('a', 'b')", { 16384, 16384 }), area).detail();
        };
        QCOMPARE(detail("a=2,b=4", { 400, 400 }), GridDetail::Full);
        QCOMPARE(detail("a=16,b=8", { 260, 260 }), GridDetail::Name);
        QCOMPARE(detail("a=16,b=16", { 320, 320 }), GridDetail::Marks);
        QCOMPARE(detail("a=64,b=64", { 320, 320 }), GridDetail::Colour);
        QCOMPARE(detail("a=1024,b=1024", { 320, 320 }), GridDetail::Raster);
        const GridLayout many = gridOf(layoutOf("a=1024,b=1024", "P('a', 'b')", { 16384, 16384 }), { 320, 320 });
        QCOMPARE(many.rowsPerTile(), 32); // 10 px; 16 rows would be 5
        QCOMPARE(many.columnsPerTile(), 32);
        const GridLayout few = gridOf(layoutOf("a=2,b=4", "P('a', 'b')", { 16384, 16384 }));
        QCOMPARE(few.rowsPerTile(), 1);
    }

    void panelsStopAtALimit()
    {
        const GridLayout grid = gridOf(layoutOf("a=128,b=2,c=2", "P('a', 'b', 'c')", { 128, 2, 2 }), { 800, 600 });
        // The most cut dimensions span the panel; the third counts them.
        QCOMPARE(grid.rows().dimension, 0);
        QCOMPARE(grid.panelsInAll(), 2);
        const Layout layout = layoutOf("a=128,b=2,c=2", "P('a', 'b', 'c')", { 128, 2, 2 });
        const GridLayout other(layout, { 1, 2 }, { 800, 600 }, {});
        QCOMPARE(other.panelsInAll(), 128);
        QCOMPARE(static_cast<int>(other.panels().size()), GridLayout::maximumPanels);
        QVERIFY(!other.cellOf(layout.distinctShards() - 1)); // beyond the last panel drawn
    }

    void tilesAreHostsOrBlocksOfThem()
    {
        const Layout layout = layoutOf("data=1024,model=16", "P('data', 'model')", { 4096, 4096 });
        const auto choice = GridLayout::defaultChoice(layout);
        const HostTile host = GridLayout::hostTile(layout, choice, 8);
        QCOMPARE(host, (HostTile{ 1, 8 }));
        QCOMPARE(GridLayout::hostTile(layout, choice, 32), (HostTile{ 2, 16 }));
        QCOMPARE(GridLayout::hostTile(layout, choice, 24), HostTile{}); // one and a half rows
        QCOMPARE(GridLayout::hostTile(layout, choice, 1), HostTile{});
        // 12 columns: the second host has the last four of one row and the first four of the next one.
        const Layout twelve = layoutOf("data=1024,model=12", "P('data', 'model')", { 4096, 4080 });
        QCOMPARE(GridLayout::hostTile(twelve, GridLayout::defaultChoice(twelve), 8), HostTile{});
        QCOMPARE(GridLayout::hostTile(twelve, GridLayout::defaultChoice(twelve), 4), (HostTile{ 1, 4 }));
        // 1,024 rows on 300 pixels: no host can be told from the next one; on 2,048 one with two rows can.
        const GridLayout small(layout, choice, { 300, 300 }, {}, {}, host);
        QVERIFY(small.detail() == GridDetail::Raster);
        QVERIFY(small.rowsPerTile() > 1 && small.columnsPerTile() == 8);
        const GridLayout tall(layout, choice, { 2'048, 2'048 }, {}, {}, { 2, 16 });
        QVERIFY(tall.detail() == GridDetail::Raster);
        QCOMPARE(tall.rowsPerTile(), 2);
        QCOMPARE(tall.columnsPerTile(), 16);
    }

    void aWindowShowsItsCellsAlone()
    {
        const Layout layout = layoutOf("data=64,model=32", "P('data', 'model')", { 630, 512 });
        const auto choice = GridLayout::defaultChoice(layout);
        for (const GridDetail wanted : { GridDetail::Name, GridDetail::Full })
            for (const GridCell& around : { GridCell{ 0, 0, 0 }, GridCell{ 0, 30, 15 }, GridCell{ 0, 63, 31 } }) {
                const GridWindow window = GridLayout::windowAround(layout, choice, { 600, 400 }, {}, wanted, around);
                const GridLayout grid(layout, choice, { 600, 400 }, {}, window);
                QVERIFY(grid.detail() >= wanted);
                QVERIFY(grid.shows(around));
                int covered = 0;
                for (std::int64_t row = 0; row < 64; ++row)
                    for (std::int64_t column = 0; column < 32; ++column) {
                        const GridCell cell{ 0, row, column };
                        QCOMPARE(grid.cellOf(grid.shardOf(cell)).has_value(), grid.shows(cell));
                        if (!grid.shows(cell))
                            continue;
                        const QRect rect = grid.cellRect(cell);
                        QCOMPARE(grid.cellAt(rect.center()), std::optional(cell));
                        QCOMPARE(grid.cellAt(rect.topLeft()), std::optional(cell));
                        covered += rect.width() * rect.height();
                    }
                const QRect panel = grid.panels().front();
                QCOMPARE(covered, panel.width() * panel.height());
                // 630 rows in 64 parts of 10: the last one is padding, and only there is it drawn.
                QCOMPARE(grid.bottomPadding(panel).isEmpty(), grid.rows().end() < 64);
            }
    }
};

REGISTER_TEST(TestGridLayout)
#include "test_grid_layout.moc"
