// SPDX-License-Identifier: GPL-3.0-or-later
// Thousands of shards in the grid: tiles per host, the class map, and the way to single shards and back.
#include <QLocale>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include "document/selection.h"
#include "parsed_layout.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "views/panel_fixture.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/appearance.h"
#include "views/theme/theme.h"
#include "views/widgets/shard_colour.h"
#include "views/widgets/zoom_trail.h"

using namespace shardscope;
using test::layoutOf;

namespace {

GridSubject large()
{
    return { layoutOf("data=1024,model=16", "P('data', 'model')", { 4096, 4096 }), { "embed", "heads" }, 4, 8 };
}

} // namespace

class TestGridZoom : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        test::failOnWarnings();
        QLocale::setDefault(QLocale(QLocale::English));
    }

    void zoomLeadsToShardsAndBack()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        GridCanvas canvas(&selection);
        canvas.resize(600, 420);
        canvas.setSubject(large());
        canvas.show();
        QVERIFY(QTest::qWaitForWindowActive(&canvas));
        ZoomTrail trail;
        connect(&canvas, &GridCanvas::zoomChanged, &trail, [&] { trail.setPlaces(canvas.trail()); });
        connect(&trail, &ZoomTrail::chosen, &canvas, &GridCanvas::zoomTo);
        QVERIFY(canvas.canZoomIn() && !canvas.canZoomOut());
        const auto wheel = [&canvas](QPointF at, int turned, Qt::KeyboardModifiers keys) {
            QWheelEvent event(
                at, canvas.mapToGlobal(at), {}, QPoint(0, turned), Qt::NoButton, keys, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(&canvas, &event);
        };
        const GridCell cell{ 0, 18, 8 };
        wheel(canvas.grid().cellRect(cell).center(), 120, Qt::ControlModifier);
        QVERIFY(canvas.grid().detail() >= GridDetail::Name);
        QVERIFY(canvas.grid().rows().shown < 1024);
        QCOMPARE(trail.places().front(), QStringLiteral("16,384 shards"));
        QVERIFY(trail.places().back().startsWith(QStringLiteral("around host ")));
        canvas.zoomIn(cell);
        QVERIFY(canvas.grid().detail() == GridDetail::Full);
        QVERIFY(canvas.grid().shows(cell));
        QVERIFY(!canvas.canZoomIn());
        QCOMPARE(trail.places().back(), QStringLiteral("shard 296"));
        QCOMPARE(trail.places().at(1), QStringLiteral("around host 37"));
        // Its place has its colour, and the pointer finds it.
        const QRect rect = canvas.grid().cellRect(cell);
        QCOMPARE(canvas.grab().toImage().pixel(rect.topLeft() + QPoint(2, 2)),
            shardColour(Theme::current(), large().layout, 296).rgb());
        QTest::mouseMove(&canvas, rect.center());
        QTRY_COMPARE(selection.hoveredGroup().ids(), std::vector<std::int32_t>{ 296 });
        // Keys lead out of the window, which comes along; the wheel moves it.
        canvas.setCurrentCell(cell);
        for (int i = 0; i < 40; ++i)
            QTest::keyClick(&canvas, Qt::Key_Down);
        QCOMPARE(canvas.currentCell(), std::optional(GridCell{ 0, 58, 8 }));
        QVERIFY(canvas.grid().shows(*canvas.currentCell()));
        const std::int64_t first = canvas.grid().rows().first;
        wheel(rect.center(), -120, Qt::NoModifier);
        QCOMPARE(canvas.grid().rows().first, first + 1);
        // Another size keeps what is in sight.
        canvas.resize(640, 460);
        QTRY_VERIFY(canvas.grid().rows().first > 0);
        // Back: by the trail, by keys.
        QTest::mouseClick(trail.findChildren<QToolButton*>().constLast(), Qt::LeftButton);
        QCOMPARE(trail.places().size(), 2);
        QTest::keyClick(&canvas, Qt::Key_Minus);
        QVERIFY(!canvas.canZoomOut());
        QCOMPARE(canvas.grid().rows().shown, 1024);
        QVERIFY(trail.places().isEmpty());
        // Another array begins with the whole of it.
        canvas.zoomIn();
        QVERIFY(canvas.canZoomOut());
        canvas.setSubject(
            GridSubject{ layoutOf("data=64,model=32", "P('data', 'model')", { 640, 512 }), { "a", "b" }, 4, 8 });
        QVERIFY(!canvas.canZoomOut());
    }

    void fewCellsNeedNoZoom()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        GridCanvas canvas(&selection);
        canvas.resize(600, 420);
        canvas.setSubject(
            GridSubject{ layoutOf("data=2,model=4", "P('data', 'model')", { 64, 64 }), { "embed", "hidden" }, 4, 4 });
        QVERIFY(!canvas.canZoomIn());
        canvas.zoomIn();
        QVERIFY(canvas.grid().shows({ 0, 1, 3 }) && canvas.trail().isEmpty());
        canvas.setSubject(std::nullopt);
        canvas.zoomIn();
        canvas.zoomOut();
        QVERIFY(!canvas.canZoomIn() && canvas.trail().isEmpty());
    }
};

REGISTER_TEST(TestGridZoom)
#include "test_grid_zoom.moc"
