// SPDX-License-Identifier: GPL-3.0-or-later
// Where the parts of what devices hold stand in a bar, and what is alive in a curve.
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/flow_layout.h"
#include "geometry/memory_layout.h"
#include "registered_test.h"

using namespace shardscope;

class TestMemoryLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bar_data()
    {
        QTest::addColumn<QList<qint64>>("bytes");
        QTest::addColumn<qint64>("limit");
        QTest::addColumn<bool>("broken");
        QTest::addColumn<bool>("overLimit");
        QTest::addColumn<int>("segments");
        const qint64 mib = 1 << 20;
        QTest::newRow("far limit") << QList<qint64>{ 8 * mib, 8 * mib, 8 * mib, 8 * mib, 20480, 0 } << 16384 * mib
                                   << true << false << 5;
        QTest::newRow("near limit") << QList<qint64>{ 8 * mib, 0, 0, 0, 8 * mib, 0 } << 40 * mib << false << false << 2;
        QTest::newRow("four times is near")
            << QList<qint64>{ 8 * mib, 0, 0, 0, 0, 0 } << 32 * mib << false << false << 1;
        QTest::newRow("over") << QList<qint64>{ 64 * mib, 0, 0, 0, 1, 1 } << 32 * mib << false << true << 3;
        QTest::newRow("no limit") << QList<qint64>{ 1, 1, 1, 1, 1, 1 } << qint64{ 0 } << false << false << 6;
        QTest::newRow("nothing") << QList<qint64>{ 0, 0, 0, 0, 0, 0 } << mib << true << false << 0;
    }
    void bar()
    {
        QFETCH(QList<qint64>, bytes);
        QFETCH(qint64, limit);
        std::array<std::int64_t, ownerCount> owners{};
        std::copy(bytes.begin(), bytes.end(), owners.begin());
        const QRect area(10, 5, 600, 28);
        const MemoryBar bar = MemoryBar::make(owners, limit, area);
        QTEST(bar.broken, "broken");
        QTEST(bar.overLimit, "overLimit");
        QTEST(static_cast<int>(bar.segments.size()), "segments");

        int x = area.left();
        for (std::size_t i = 0; i < bar.segments.size(); ++i) {
            const MemoryBar::Segment& segment = bar.segments[i];
            QCOMPARE(segment.rect.left(), x); // one behind the other, no gap
            QVERIFY(segment.rect.width() >= 3);
            QCOMPARE(segment.bytes, owners[static_cast<std::size_t>(segment.owner)]);
            QCOMPARE(bar.segmentAt(segment.rect.center()), static_cast<int>(i));
            x += segment.rect.width();
        }
        QVERIFY(x <= area.left() + area.width());
        QCOMPARE(bar.segmentAt({ 0, 0 }), -1);
        if (limit > 0) {
            QVERIFY(bar.limitX <= area.left() + area.width());
            QCOMPARE(bar.overLimit, bar.limitX < x);
            if (bar.broken)
                QVERIFY(x < bar.breakX && bar.breakX < bar.limitX);
        }
        // In proportion, to a pixel, where nothing had to be widened.
        if (bar.segments.size() == 2)
            QVERIFY(std::abs(bar.segments[0].rect.width() - bar.segments[1].rect.width()) <= 1);
    }

    /// Owners that are drawn wider than their share take that from all others, not from the largest one.
    void narrowOwnersLeaveTheOthersInProportion()
    {
        for (const int width : { 18, 19, 40, 62, 300 }) {
            const MemoryBar bar = MemoryBar::make({ 1000, 1000, 1, 1, 1, 1 }, 0, QRect(10, 5, width, 28));
            QCOMPARE(bar.segments.size(), std::size_t{ 6 });
            int x = 10;
            for (const MemoryBar::Segment& segment : bar.segments) {
                QCOMPARE(segment.rect.left(), x);
                QVERIFY(segment.rect.width() >= 3);
                x += segment.rect.width();
            }
            QCOMPARE(x, 10 + width);
            QVERIFY(std::abs(bar.segments[0].rect.width() - bar.segments[1].rect.width()) <= 1);
        }
        // Twice as many bytes are twice as wide, beside an owner of 3 px.
        const MemoryBar bar = MemoryBar::make({ 2000, 1000, 1000, 1 }, 0, QRect(0, 0, 203, 10));
        QCOMPARE(bar.segments[0].rect.width(), 100);
        QCOMPARE(bar.segments[1].rect.width(), 50);
        QCOMPARE(bar.segments[2].rect.width(), 50);
        QCOMPARE(bar.segments[3].rect.width(), 3);
    }

    /// What was held before the last edit stands in the bar, on one scale with what is held now.
    void whatWasThereBefore()
    {
        const QRect area(10, 5, 600, 28);
        constexpr std::int64_t mib = 1 << 20, limit = 16'384 * mib;
        const auto make = [&](std::int64_t now, std::int64_t before) {
            return MemoryBar::make({ now }, limit, area, before);
        };
        const MemoryBar alone = make(32 * mib, 0), grown = make(64 * mib, 32 * mib), fallen = make(16 * mib, 32 * mib);
        const int full = alone.segments.front().rect.width();
        QCOMPARE(alone.beforeX, -1);
        QCOMPARE(make(32 * mib, 32 * mib).beforeX, -1);
        QCOMPARE(grown.segments.front().rect.width(), full);
        QCOMPARE(grown.beforeX, area.left() + full / 2);
        QCOMPARE(fallen.segments.front().rect.width(), full / 2);
        QCOMPARE(fallen.beforeX, area.left() + full);
        // Within reach of the limit the scale is that of the limit.
        const MemoryBar near = MemoryBar::make({ 20 }, 40, area, 30);
        QCOMPARE(near.segments.front().rect.width(), (area.width() - 2) / 2);
        QCOMPARE(near.beforeX, area.left() + static_cast<int>(std::lround(0.75 * (area.width() - 2))));
    }

    void flow()
    {
        const std::vector<int> widths{ 100, 50, 200, 500 };
        const FlowLayout flow = FlowLayout::make(widths, 300, 20, 10);
        QCOMPARE(flow.items[0], QRect(0, 0, 100, 20));
        QCOMPARE(flow.items[1], QRect(110, 0, 50, 20));
        QCOMPARE(flow.items[2], QRect(0, 20, 200, 20));
        QCOMPARE(flow.items[3], QRect(0, 40, 300, 20)); // never wider than there is room
        QCOMPARE(flow.height, 60);
        QCOMPARE(FlowLayout::make({}, 300, 20, 10).height, 0);
    }

    void liveLine()
    {
        MemorySummary memory;
        memory.live = { 100, 100, 400, 200 };
        memory.peakBytes = 400;
        memory.peakInstruction = 2;
        const LiveLine line = LiveLine::make(memory, QRect(20, 10, 400, 90));
        QCOMPARE(line.corners.size(), 8U);
        QCOMPARE(line.corners.front().x(), 20.0);
        QCOMPARE(line.corners.back().x(), 420.0);
        for (std::size_t i = 1; i < line.corners.size(); ++i)
            QVERIFY(line.corners[i].x() >= line.corners[i - 1].x());
        QCOMPARE(line.peak, QPointF(220, line.y(400)));
        QVERIFY(line.y(400) > 10 && line.y(400) < line.y(100));
        QCOMPARE(line.y(0), 100.0);
        QCOMPARE(line.middleOf(0), 70.0);
        // The text about the peak stands over the middle of its step, and not beyond the edges of the plot.
        QCOMPARE(line.overPeak({ 60, 8 }, 4), QRectF(240, line.y(400) - 12, 60, 8));
        QCOMPARE(line.overPeak({ 390, 8 }, 4).right(), 420.0);
        QCOMPARE(line.instructionAt({ 20, 50 }), 0);
        QCOMPARE(line.instructionAt({ 221, 50 }), 2);
        QCOMPARE(line.instructionAt({ 419, 50 }), 3);
        QCOMPARE(line.instructionAt({ 5, 50 }), -1);
        QVERIFY(LiveLine::make({}, QRect(0, 0, 10, 10)).corners.empty());
        // A limit that is near or exceeded has its place; one far away would press the line together.
        QVERIFY(!line.showsLimit && !LiveLine::make(memory, line.plot, 1'000).showsLimit);
        QCOMPARE(LiveLine::make(memory, line.plot, 1'000).top, line.top);
        const LiveLine near = LiveLine::make(memory, line.plot, 500), over = LiveLine::make(memory, line.plot, 300);
        QVERIFY(near.showsLimit && near.y(500) > near.plot.top());
        QVERIFY(over.showsLimit && over.y(300) > over.y(400));
        QCOMPARE(over.top, line.top);

        // Far more of them than pixels: as many corners as can be seen, and nothing that stands out is lost.
        memory.live.assign(100'000, 100);
        memory.live[70'000] = 400;
        memory.live[20'000] = 0;
        memory.peakInstruction = 70'000;
        const LiveLine dense = LiveLine::make(memory, QRect(20, 10, 400, 90));
        QCOMPARE(dense.instructions, 100'000U);
        QCOMPARE(dense.corners.size(), 3'200U);
        QCOMPARE(dense.corners.front().x(), 20.0);
        QCOMPARE(dense.corners.back().x(), 420.0);
        QCOMPARE(dense.peak, QPointF(300, dense.y(400)));
        const auto byHeight = [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); };
        const auto [top, bottom] = std::minmax_element(dense.corners.begin(), dense.corners.end(), byHeight);
        QCOMPARE(top->y(), dense.y(400));
        QVERIFY(std::abs(top->x() - 300) <= 0.5);
        QCOMPARE(bottom->y(), dense.y(0));
        QVERIFY(std::abs(bottom->x() - 100) <= 0.5);
        for (std::size_t i = 1; i < dense.corners.size(); ++i)
            QVERIFY(dense.corners[i].x() >= dense.corners[i - 1].x());
    }
};

REGISTER_TEST(TestMemoryLayout)
#include "test_memory_layout.moc"
