// SPDX-License-Identifier: GPL-3.0-or-later
// The shard grid: geometry and hit test against the layout's own arithmetic, pictures by state, keys, and the table
// that screen readers get.
#include <QAccessible>
#include <QLabel>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <set>
#include <tuple>

#include "document/selection.h"
#include "experiment_file/gallery.h"
#include "parsed_layout.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "views/device_map/device_colours.h"
#include "views/device_map/device_map.h"
#include "views/mesh_view/mesh_view.h"
#include "views/panel_fixture.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/theme/appearance.h"
#include "views/theme/theme.h"
#include "views/widgets/shard_colour.h"
#include "views/widgets/span_line.h"
#include "words/words.h"

using namespace shardscope;
using test::layoutOf;

namespace {

MeshPtr meshOf(const char* text)
{
    auto mesh = parseMesh(text);
    return mesh ? std::make_shared<const Mesh>(std::move(*mesh)) : nullptr;
}

GridLayout gridOf(const Layout& layout, QSize area = { 400, 300 }, const GridMargins& margins = {})
{
    return { layout, GridLayout::defaultChoice(layout), area, margins };
}

/// Distinct colours of a picture, those of at least `least` pixels.
int coloursIn(const QImage& image, int least)
{
    QHash<QRgb, int> counts;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ++counts[image.pixel(x, y)];
    int colours = 0;
    for (const int count : counts)
        colours += count >= least;
    return colours;
}

} // namespace

class TestShardGrid : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }

    void tooLittleRoomForAllPanels_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("smallest") << QSize(220, 140);
        QTest::newRow("flat") << QSize(700, 90);
        QTest::newRow("narrow") << QSize(60, 600);
        QTest::newRow("next to nothing") << QSize(20, 20);
        QTest::newRow("nothing") << QSize(1, 1);
    }
    void tooLittleRoomForAllPanels()
    {
        QFETCH(QSize, size);
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        GridCanvas canvas(&selection);
        canvas.setMinimumSize(1, 1);
        for (const int panels : { 16, 64, 128 }) {
            const QByteArray mesh = "a=" + QByteArray::number(panels) + ",b=16,c=16";
            const Layout layout = layoutOf(mesh.constData(), "P('a', 'b', 'c')", { 1024, 256, 256 });
            canvas.resize(800, 600);
            canvas.setSubject(GridSubject{ layout, { "layers", "embed", "hidden" }, 4, 8 });
            canvas.setChoice({ 1, 2 });
            // The last panel of the roomy arrangement may not be there in the narrow one.
            canvas.setCurrentCell(GridCell{ static_cast<int>(canvas.grid().panels().size()) - 1, 15, 15 });
            canvas.resize(size);
            QVERIFY(!canvas.grab().isNull());
            for (const QRect& panel : canvas.grid().panels())
                QVERIFY(!panel.isEmpty());
            QVERIFY(
                !canvas.currentCell() || canvas.currentCell()->panel < static_cast<int>(canvas.grid().panels().size()));
            QVERIFY(static_cast<std::int64_t>(canvas.grid().panels().size()) <= canvas.grid().panelsInAll());
            // With room there are as many as ever.
            const GridLayout roomy(layout, { 1, 2 }, { 800, 600 }, {});
            QCOMPARE(static_cast<int>(roomy.panels().size()), std::min(panels, GridLayout::maximumPanels));
        }
    }

    void neighboursDifferInColour_data()
    {
        QTest::addColumn<QByteArray>("mesh");
        QTest::newRow("8 in a row") << QByteArray("a=1,b=8");
        QTest::newRow("4 x 8") << QByteArray("a=4,b=8");
        QTest::newRow("8 x 8") << QByteArray("a=8,b=8");
        QTest::newRow("16 x 4") << QByteArray("a=16,b=4");
        QTest::newRow("1 x 64") << QByteArray("a=1,b=64");
        QTest::newRow("16 x 32") << QByteArray("a=16,b=32");
    }
    void neighboursDifferInColour()
    {
        QFETCH(QByteArray, mesh);
        const Layout layout = layoutOf(mesh.constData(), "P('a', 'b')", { 64, 64 });
        const GridLayout grid = gridOf(layout);
        for (const Theme* theme : { &Theme::light(), &Theme::darkTheme() }) {
            const auto colour = [&](std::int64_t row, std::int64_t column) {
                return shardColour(*theme, layout, grid.shardOf({ 0, row, column }));
            };
            for (std::int64_t row = 0; row < grid.rows().parts; ++row) {
                for (std::int64_t column = 0; column < grid.columns().parts; ++column) {
                    if (row > 0)
                        QVERIFY(colour(row, column) != colour(row - 1, column));
                    if (column > 0)
                        QVERIFY(colour(row, column) != colour(row, column - 1));
                }
            }
        }
    }

    /// Up to 64 shards, no two look the same, whatever they are cut by.
    void noTwoShardsLookTheSame_data()
    {
        QTest::addColumn<QByteArray>("mesh");
        QTest::addColumn<bool>("corners");
        for (const char* mesh : { "a=3,b=3,c=1", "a=16,b=2,c=1", "a=2,b=16,c=1", "a=1,b=32,c=1", "a=4,b=4,c=2" })
            QTest::newRow(mesh) << QByteArray(mesh) << false;
        for (const char* mesh : { "a=16,b=4,c=1", "a=4,b=4,c=4", "a=8,b=8,c=1", "a=64,b=1,c=1", "a=5,b=5,c=2",
                 "a=3,b=3,c=7", "a=2,b=2,c=16", "a=1,b=9,c=7" })
            QTest::newRow(mesh) << QByteArray(mesh) << true;
    }
    void noTwoShardsLookTheSame()
    {
        QFETCH(QByteArray, mesh);
        QFETCH(bool, corners);
        const Layout layout = layoutOf(mesh.constData(), "P('a', 'b', 'c')", { 64, 64, 64 });
        std::set<std::tuple<std::int64_t, std::int64_t, int>> seen;
        bool marked = false;
        for (std::int64_t shard = 0; shard < layout.distinctShards(); ++shard) {
            const ShardMark mark = shardMark(layout, shard);
            QVERIFY(mark.hue >= 0 && mark.hue < 8 && mark.lightness >= 0 && mark.lightness < 4);
            QVERIFY(mark.motif >= 0 && mark.motif < 16);
            QVERIFY2(seen.emplace(mark.hue, mark.lightness, mark.motif).second, qPrintable(QString::number(shard)));
            marked = marked || mark.motif > 0;
        }
        QCOMPARE(marked, corners);
        QCOMPARE(hasMotifs(layout), corners);
    }

    void wordsOfACell()
    {
        const GridSubject subject{ layoutOf("data=2,model=4", "P(None, 'model')", { 1024, 1024 }),
            { "embed", "hidden" }, 4, 4 };
        const CellText text = describeCell(subject, 1);
        QCOMPARE(text.ranges, QStringLiteral("embed 0–1023, hidden 256–511"));
        QVERIFY2(text.holding.contains(QStringLiteral("d1 and d5")), qPrintable(text.holding));
        QVERIFY2(text.holding.contains(QStringLiteral("1 MiB")), qPrintable(text.holding));
        QVERIFY(text.copies.contains(QStringLiteral("data")));
        QCOMPARE(subject.copyAxes(), QStringList{ QStringLiteral("data") });
        // A part of an axis shards the array, and the other part copies it.
        TensorSharding ofPart = TensorSharding::fullyReplicated(2);
        ofPart.dims[0].axes = { AxisRef{ 1, 1, 2 } };
        const MeshPtr mesh = std::make_shared<const Mesh>(subject.layout.mesh());
        const GridSubject parts{ { mesh, ofPart, { 8, 8 } }, {}, 4, 4 };
        QCOMPARE(describeCell(parts, 0).copies, QStringLiteral("Copies along data, model:(2)2."));
        QVERIFY(!subject.isFull());
        QCOMPARE(subject.shortName(0), QStringLiteral("embed"));
        const GridSubject unnamed{ subject.layout, { "", "hidden" }, 4, 4 };
        QCOMPARE(unnamed.dimensionName(0), QStringLiteral("dimension 0"));
        QCOMPARE(unnamed.shortName(0), QStringLiteral("dim 0"));
        QCOMPARE(unnamed.shortName(1), QStringLiteral("hidden"));

        const GridSubject uneven{ layoutOf("data=2,model=4", "P('model', None)", { 10, 64 }), { "rows", "cols" }, 4,
            4 };
        QVERIFY(describeCell(uneven, 0).padding.isEmpty());
        QVERIFY(describeCell(uneven, 3).padding.contains(QStringLiteral("2")));
        QVERIFY(describeCell(uneven, 3).ranges.startsWith(QStringLiteral("rows 9–9"))
            || describeCell(uneven, 3).ranges.startsWith(QStringLiteral("rows 9,")));
    }

    /// A number whose first digits are cut off is another number: ranges have their room, or blocks are counted.
    void numbersOfRowsAreWhole()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        GridCanvas canvas(&selection);
        for (const int width : { 600, 300, 250, 224 }) {
            canvas.resize(width, 220);
            canvas.setSubject(GridSubject{
                layoutOf("data=8,model=4", "P('model', 'data')", { 128256, 4096 }), { "vocab", "embed" }, 2, 32 });
            const QImage image = canvas.grab().toImage();
            for (int y = 60; y < image.height() - 60; ++y)
                for (int x = 0; x < 4; ++x)
                    QVERIFY2(image.pixelColor(x, y) == Theme::current().base,
                        qPrintable(QStringLiteral("%1: %2, %3").arg(width).arg(x).arg(y)));
        }
    }

    /// Of two panels both have names, or neither: "d199" takes more room than "d99".
    void panelsHaveNamesTogether()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        GridCanvas canvas(&selection);
        canvas.setSubject(GridSubject{
            layoutOf("a=2,b=10,c=10", "P('a', 'b', 'c')", { 2, 1000, 1000 }), { "one", "two", "three" }, 4, 200 });
        canvas.setChoice({ 1, 2 });
        canvas.setColour(ColourBy::Host); // of one colour, without marks
        bool areBare = false, areNamed = false;
        for (int width = 500; width <= 1400; width += 4) {
            canvas.resize(width, 620);
            const QImage image = canvas.grab().toImage();
            if (canvas.grid().detail() < GridDetail::Name)
                continue;
            QCOMPARE(canvas.grid().panels().size(), std::size_t{ 2 });
            const auto hasName = [&](int panel) {
                const QRect cell = canvas.grid().cellRect({ panel, 5, 5 }).adjusted(3, 3, -4, -4);
                for (int y = cell.top(); y <= cell.bottom(); ++y)
                    for (int x = cell.left(); x <= cell.right(); ++x)
                        if (image.pixel(x, y) != image.pixel(cell.topLeft()))
                            return true;
                return false;
            };
            QVERIFY2(hasName(0) == hasName(1), qPrintable(QString::number(width)));
            (hasName(0) ? areNamed : areBare) = true;
        }
        QVERIFY(areBare && areNamed);
    }

    void cellsOfDifferentStateLookDifferent()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        GridCanvas canvas(&selection);
        canvas.resize(600, 420);
        const auto picture = [&canvas](GridSubject subject) {
            canvas.setSubject(std::move(subject));
            return canvas.grab().toImage();
        };
        const std::vector<std::string> names{ "embed", "hidden" };
        const QImage copied = picture({ layoutOf("data=2,model=4", "P(None, 'model')", { 64, 64 }), names, 4, 4 });
        const QImage once = picture({ layoutOf("model=4", "P(None, 'model')", { 64, 64 }), names, 4, 4 });
        const QImage full = picture({ layoutOf("data=2,model=4", "P()", { 64, 64 }), names, 4, 4 });
        QVERIFY(copied != once);
        QVERIFY(coloursIn(copied, 500) > coloursIn(once, 500)); // the stripes add a tone per shard
        for (int i = 0; i < 4; ++i) {
            const QRgb tint = Theme::light().shards[static_cast<std::size_t>(i)].rgb();
            bool found = false;
            for (int x = 0; x < once.width() && !found; ++x)
                found = once.pixel(x, 200) == tint;
            QVERIFY2(found, qPrintable(QString::number(i)));
        }
        QVERIFY(full != copied);

        // Partial sums: the same mesh axis unreduced instead of copied.
        const MeshPtr mesh = meshOf("data=2,model=4");
        TensorSharding partial = toTensorSharding(*parseSpec("P('data', None)"), *mesh, 2);
        partial.unreduced = { fullAxis(*mesh, 1) };
        const GridSubject sums{ Layout(mesh, partial, { 8, 64 }), names, 4, 4 };
        QCOMPARE(sums.layout.addends(), 4);
        QVERIFY(picture(sums) != picture({ layoutOf("data=2,model=4", "P('data', None)", { 8, 64 }), names, 4, 4 }));
        // Four addends on eight devices: each part is held twice, and counts once.
        TensorSharding everywhere = TensorSharding::fullyReplicated(2);
        everywhere.unreduced = { fullAxis(*mesh, 1) };
        const GridSubject twice{ Layout(mesh, everywhere, { 8, 64 }), names, 4, 4 };
        QCOMPARE(addendsOfOneCopy(twice.layout, DeviceGroup::holders(twice.layout, 0)),
            (std::vector<std::int32_t>{ 0, 1, 2, 3 }));
        QVERIFY(describeCell(twice, 0).holding.contains(QStringLiteral("one of 4 partial sums")));
        // Thousands of devices take the picture's time, not theirs.
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!picture({ layoutOf("data=1024,model=1024", "P('data', 'model')", { 65536, 65536 }), names, 4, 8 })
                     .isNull());
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
    }

    void partsAreDrawnBeforeTheirSum()
    {
        test::Fixture fixture;
        fixture.selection.setTensor(QStringLiteral("layers.0/z"));
        ShardGridView view(&fixture.document, &fixture.selection);
        view.resize(600, 420);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* before = view.findChild<QToolButton*>(QStringLiteral("beforeTheSum"));
        QVERIFY(before && before->isVisible());
        QCOMPARE(view.canvas()->subject()->layout.addends(), 1);
        QCOMPARE(view.canvas()->subject()->layout.copies(), 4);
        before->setChecked(true);
        QCOMPARE(view.canvas()->subject()->layout.addends(), 4);
        QCOMPARE(view.canvas()->subject()->layout.copies(), 1);
        fixture.selection.setTensor(QStringLiteral("params/layers.0/W1"));
        QVERIFY(!before->isVisible());
    }

    void paddedArraysAreDrawn()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        experiment.mesh.axes = { { "data", 4 }, { "model", 2 } };
        std::get<MlpModel>(experiment.model).settings.batch = 10;
        test::Fixture fixture(experiment);
        QVERIFY(!fixture.snapshot().ok());
        fixture.selection.setTensor(QStringLiteral("x"));
        ShardGridView view(&fixture.document, &fixture.selection);
        view.resize(600, 420);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const GridCanvas& canvas = *view.canvas();
        QVERIFY(canvas.subject().has_value());
        QVERIFY(canvas.subject()->layout.shardShape() == Shape({ 3, 1024 }));
        const auto stated = [&view](const QString& part) {
            const auto labels = view.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                [&](const QLabel* label) { return label->isVisible() && label->text().contains(part); });
        };
        QVERIFY(stated(QStringLiteral("2 of 12 are padding")));
        QVERIFY(stated(QStringLiteral("no step can run")));
        // The last third of the last shard is hatched: it has none of the shard's colour.
        const QImage picture = view.canvas()->grab().toImage();
        const QRect panel = canvas.grid().panels().front();
        const QRect padding = canvas.grid().bottomPadding(panel);
        QVERIFY(!padding.isEmpty());
        const QRgb tint = Theme::current().shards[3].rgb();
        int coloured = 0, hatched = 0;
        for (int x = padding.left() + 2; x < padding.right() / 3; ++x)
            for (int y = padding.top() + 1; y < padding.bottom(); ++y) {
                coloured += picture.pixel(x, y) == tint;
                hatched += picture.pixel(x, y) != Theme::current().alternateRow.rgb();
            }
        QCOMPARE(coloured, 0);
        QVERIFY(hatched > 0);

        // An array that divides has nothing to say.
        fixture.selection.setTensor(QStringLiteral("params/layers.0/W1"));
        QVERIFY(!stated(QStringLiteral("no step can run")));
    }

    /// A shard with several holders has the colours of all of them.
    void holdersHaveTheirColours()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture f;
        f.selection.setTensor(QStringLiteral("params/layers.0/W1"));
        ShardGridView view(&f.document, &f.selection);
        view.resize(700, 500);
        view.show();
        GridCanvas* canvas = view.canvas();
        const GridCell cell{ 0, 0, 1 };
        QVERIFY(canvas->coloursIn(cell).empty());
        const Theme& theme = Theme::current();
        const QRect rect = canvas->grid().cellRect(cell);
        QVERIFY(rect.width() > 30);
        const auto colours = [&] {
            const QImage image = canvas->grab().toImage();
            std::set<QRgb> found;
            for (int x = rect.left() + 2; x < rect.right() - 2; ++x)
                found.insert(image.pixel(x, rect.top() + 6));
            return found;
        };
        canvas->setColour(ColourBy::Device);
        QCOMPARE(canvas->coloursIn(cell), (std::vector<std::int32_t>{ 1, 5 }));
        std::set<QRgb> found = colours();
        QVERIFY(found.contains(theme.shard(1, 8).rgb()) && found.contains(theme.shard(5, 8).rgb()));
        canvas->setColour(ColourBy::Host);
        QCOMPARE(canvas->coloursIn(cell), (std::vector<std::int32_t>{ 0, 1 }));
        found = colours();
        QVERIFY(found.contains(theme.shard(0, 8).rgb()) && found.contains(theme.shard(1, 8).rgb()));
        // The map of the mesh has the same colours, when they are chosen over the grid.
        MeshView mesh(&f.document, &f.selection);
        QVERIFY(mesh.map()->fillsOfArray(theme) == fillsByShard(theme, *mesh.map()->array()));
        canvas->chooseColour(ColourBy::Device);
        const DeviceFills fills = mesh.map()->fillsOfArray(theme);
        QCOMPARE(fills.colours[5], theme.shard(5, 8).rgb());
        canvas->chooseColour(ColourBy::Host);
        QCOMPARE(mesh.map()->fillsOfArray(theme).colours[5], theme.shard(1, 8).rgb());
        canvas->chooseColour(ColourBy::Shard);
    }

    /// Where devices stand along an axis, what they hold and how long they are busy, in grid and map alike.
    void coloursTellCoordinatesBytesAndTimes()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture f;
        f.selection.setTensor(QStringLiteral("params/layers.0/W1"));
        ShardGridView view(&f.document, &f.selection);
        view.resize(700, 500);
        view.show();
        MeshView mesh(&f.document, &f.selection);
        GridCanvas* canvas = view.canvas();
        const Theme& theme = Theme::current();
        const GridCell cell{ 0, 0, 1 }; // of d1 and d5
        const auto mapped = [&](std::int32_t device) {
            return mesh.map()->fillsOfArray(theme).colours[static_cast<std::size_t>(device)];
        };
        canvas->chooseColour(ColourBy::Coordinate);
        QCOMPARE(canvas->grades().names, (QStringList{ QStringLiteral("data 0"), QStringLiteral("data 1") }));
        QCOMPARE(canvas->coloursIn(cell), (std::vector<std::int32_t>{ 0, 1 }));
        QCOMPARE(mapped(5), canvas->grades().colours[1]);
        // The selected axis is the one that counts.
        f.selection.setMeshAxis(QStringLiteral("model"));
        QCOMPARE(canvas->grades().title, QStringLiteral("Along model"));
        QCOMPARE(canvas->coloursIn(cell), std::vector<std::int32_t>{ 1 });
        QCOMPARE(mapped(5), mapped(1));
        QVERIFY(mapped(5) != mapped(4));

        canvas->chooseColour(ColourBy::Bytes);
        QCOMPARE(canvas->grades().names, QStringList{ QStringLiteral("1 MiB") });
        // Before a step has run colours are those of shards, and the legend says why.
        canvas->chooseColour(ColourBy::Time);
        QVERIFY(canvas->grades().isEmpty());
        QCOMPARE(canvas->grades().title, QStringLiteral("No step has run yet"));
        QVERIFY(canvas->coloursIn(cell).empty());
        QVERIFY(mesh.map()->fillsOfArray(theme) == fillsByShard(theme, *mesh.map()->array()));
        const std::vector<double> seconds{ 1, 2, 1, 1, 1, 2, 1, 3 };
        canvas->setSeconds(seconds);
        mesh.map()->setSeconds(seconds);
        QCOMPARE(canvas->grades().names.size(), 3);
        QCOMPARE(canvas->coloursIn(cell), std::vector<std::int32_t>{ 1 });
        QCOMPARE(mapped(7), canvas->grades().colours[2]);
        QCOMPARE(mapped(0), mapped(4));
        canvas->chooseColour(ColourBy::Shard);

        // What is padding is not held, and many different numbers are four steps.
        const Layout uneven = layoutOf("x=6", "P('x')", { 32 });
        const ColouredGrades held = gradesOf(ColourBy::Bytes, theme, uneven, 4, {}, {});
        QCOMPARE(held.names, (QStringList{ QStringLiteral("8 B"), QStringLiteral("24 B") }));
        QCOMPARE(held.groups, (std::vector<std::int32_t>{ 1, 1, 1, 1, 1, 0 }));
        const std::vector<double> all{ 1, 2, 3, 4, 5, 9 };
        const ColouredGrades busy = gradesOf(ColourBy::Time, theme, uneven, 4, {}, all);
        QCOMPARE(busy.groups, (std::vector<std::int32_t>{ 0, 0, 1, 1, 2, 3 }));
        QCOMPARE(busy.colours.size(), 4U);
    }

    void hoverAndKeysSpeakThroughTheSelection()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        GridCanvas canvas(&selection);
        canvas.resize(600, 420);
        canvas.setSubject(
            GridSubject{ layoutOf("data=2,model=4", "P(None, 'model')", { 64, 64 }), { "embed", "hidden" }, 4, 4 });
        canvas.show();
        QVERIFY(QTest::qWaitForWindowExposed(&canvas));
        QTest::mouseMove(&canvas, canvas.grid().cellRect({ 0, 0, 1 }).center());
        QTRY_COMPARE(selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 1, 5 }));
        QTest::mouseClick(&canvas, Qt::LeftButton, Qt::NoModifier, canvas.grid().cellRect({ 0, 0, 2 }).center());
        QCOMPARE(selection.devices(), (std::vector<std::int32_t>{ 2, 6 }));
        QTest::mouseClick(&canvas, Qt::LeftButton, Qt::ControlModifier, canvas.grid().cellRect({ 0, 0, 3 }).center());
        QCOMPARE(selection.devices(), (std::vector<std::int32_t>{ 2, 3, 6, 7 }));
        QTest::keyClick(&canvas, Qt::Key_Left);
        QTest::keyClick(&canvas, Qt::Key_Left);
        QCOMPARE(canvas.currentCell(), std::optional(GridCell{ 0, 0, 1 }));
        QTest::keyClick(&canvas, Qt::Key_Return);
        QCOMPARE(selection.devices(), (std::vector<std::int32_t>{ 1, 5 }));
        QTest::keyClick(&canvas, Qt::Key_Escape);
        QVERIFY(selection.devices().empty());
        QVERIFY(!canvas.currentCell());
    }

    void theFocusTakesItsLightAlong()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        QWidget window;
        GridCanvas canvas(&selection, &window);
        QWidget other(&window);
        other.setFocusPolicy(Qt::StrongFocus);
        window.resize(640, 460);
        canvas.resize(600, 420);
        const GridSubject columns{ layoutOf("data=2,model=4", "P(None, 'model')", { 64, 64 }), { "embed", "hidden" }, 4,
            4 };
        canvas.setSubject(columns);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_End);
        QCOMPARE(selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 3, 7 }));
        other.setFocus();
        QVERIFY(selection.hoveredGroup().ids().empty());
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_Left);
        QVERIFY(!selection.hoveredGroup().ids().empty());
        // Another array: nobody points at what it is now.
        canvas.setSubject(
            GridSubject{ layoutOf("data=2,model=4", "P('data', None)", { 64, 64 }), { "batch", "hidden" }, 4, 4 });
        QVERIFY(selection.hoveredGroup().ids().empty());
    }

    void partsAreNoDevices()
    {
        // Two parts on eight devices: what is said counts the parts.
        const Layout layout = layoutOf("data=2,model=4", "P('data', None)", { 7, 64 });
        TensorRow row;
        row.type.shape = layout.shape();
        row.dimNames = { "batch", "hidden" };
        row.layout = layout;
        QCOMPARE(words::padding(row), QStringList{ QStringLiteral("batch: 7 in 2 shards, 1 of 8 is padding") });
        QCOMPARE(listDevices(DeviceGroup::holders(layoutOf("data=16,model=4", "P(None, 'model')", { 64, 64 }), 1)),
            QStringLiteral("16 devices (d1, d5, …, d61)"));
        QCOMPARE(listDevices(DeviceGroup::holders(layoutOf("data=16", "P()", { 64 }), 0)),
            QStringLiteral("d0 … d15, 16 devices"));
    }

    void theHeadingNamesTheMemory()
    {
        test::Fixture fixture(findExample("jax-memory-kinds")->experiment);
        ShardGridView view(&fixture.document, &fixture.selection);
        const auto heading = [&view] {
            QStringList texts;
            for (const SpanLine* line : view.findChildren<SpanLine*>())
                texts << words::plain(line->text());
            return texts.join(QLatin1Char('\n'));
        };
        fixture.selection.setTensor(QStringLiteral("arr_host"));
        QVERIFY2(heading().contains(QStringLiteral("P(x, y) → [2, 2], in pinned_host memory")), qPrintable(heading()));
        fixture.selection.setTensor(QStringLiteral("arr_dev"));
        QVERIFY2(!heading().contains(QStringLiteral("memory")), qPrintable(heading()));
    }

    /// Four panels of 4 x 4 shards: two and two with cells for names, not four slivers in true proportions.
    void panelsHaveRoomForNames()
    {
        const Layout layout = layoutOf("data=4,seq=4,model=4", "P('data', None, 'seq', 'model')", { 32, 12, 16, 64 });
        const GridLayout grid(layout, GridLayout::defaultChoice(layout), { 520, 330 }, { 40, 40, 18, 28 });
        QCOMPARE(grid.panels().size(), std::size_t{ 4 });
        QCOMPARE(grid.panels()[2].left(), grid.panels()[0].left());
        const QRect cell = grid.cellRect({ 3, 2, 1 });
        QVERIFY2(cell.width() >= 36 && cell.height() >= 15, qPrintable(QString::number(cell.width())));
        QVERIFY(QRect(0, 0, 520, 330).contains(grid.panels().back()));
        QCOMPARE(grid.cellAt(cell.center()), std::optional(GridCell{ 3, 2, 1 }));
        // Where there is no room for names, proportions are true.
        const GridLayout small(layout, GridLayout::defaultChoice(layout), { 300, 120 }, { 40, 40, 18, 28 });
        QVERIFY(!small.isClamped());
    }

    void screenReadersGetATable()
    {
        Selection selection;
        GridCanvas canvas(&selection);
        canvas.resize(600, 420);
        canvas.setSubject(
            GridSubject{ layoutOf("data=2,model=4", "P('data', 'model')", { 64, 64 }), { "embed", "hidden" }, 4, 4 });
        QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(&canvas);
        QVERIFY(interface);
        QCOMPARE(interface->role(), QAccessible::Table);
        QAccessibleTableInterface* table = interface->tableInterface();
        QVERIFY(table);
        QCOMPARE(table->rowCount(), 2);
        QCOMPARE(table->columnCount(), 4);
        QAccessibleInterface* cell = table->cellAt(1, 2);
        QVERIFY(cell && cell->isValid());
        QCOMPARE(cell->text(QAccessible::Name), QStringLiteral("shard row 1 column 2, embed 32–63, hidden 32–47"));
        QVERIFY(cell->text(QAccessible::Description).contains(QStringLiteral("d6")));
        QCOMPARE(interface->indexOfChild(cell), 6);
        QCOMPARE(interface->child(6), cell);
        QVERIFY(!table->cellAt(2, 0));
    }
};

REGISTER_TEST(TestShardGrid)
#include "test_shard_grid.moc"
