// SPDX-License-Identifier: GPL-3.0-or-later
// What devices hold, as numbers and as a heat map.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "document/atomic_file.h"
#include "experiment_file/gallery.h"
#include "interchange/npy.h"
#include "mesh/mesh.h"
#include "program/operation_path.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "sharding/tensor_sharding.h"
#include "views/panel/panel.h"
#include "views/panel_fixture.h"
#include "views/theme/theme.h"
#include "views/values_view/heat_canvas.h"
#include "views/values_view/heat_legend.h"
#include "views/values_view/heat_page.h"
#include "views/values_view/initial_choice.h"
#include "views/values_view/numbers_model.h"
#include "views/values_view/plane_bar.h"
#include "views/values_view/sends_widget.h"
#include "views/values_view/step_bar.h"
#include "views/values_view/values_view.h"
#include "views/widgets/segmented_bar.h"
#include "views/widgets/step_player.h"
#include "words/run_words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Fixture;

namespace {

MeshPtr valuesMesh(std::vector<MeshAxis> axes)
{
    return std::make_shared<const Mesh>(Mesh::create(std::move(axes)).value());
}

ShownValues shownOf(const Layout& layout)
{
    ShownValues shown;
    shown.subject = GridSubject{ layout, {}, 4 };
    shown.takeDefaultPlane();
    return shown;
}

/// f32[shape], cut along the first dimension over an axis x of `parts`.
ShownValues rowsCut(std::int64_t parts, const Shape& shape)
{
    const MeshPtr mesh = valuesMesh({ { "x", parts } });
    TensorSharding sharding = TensorSharding::fullyReplicated(shape.size());
    sharding.dims[0].axes = { AxisRef{ 0, 1, static_cast<std::int32_t>(parts) } };
    return shownOf({ mesh, sharding, shape });
}

/// Element [r, c] of the array is 1000 r + c; of a shard its local one, and 100,000 times its position more.
ReadSample numbered(const ShownValues& shown, std::int64_t* reads = nullptr)
{
    return [rank = shown.rank(), reads](std::int64_t position, const Sample& sample, std::span<double> out) {
        std::size_t next = 0;
        const std::vector<std::int64_t> one{ 0 };
        const auto& rows = rank >= 2 ? sample.indices[rank - 2] : one;
        const auto& columns = rank >= 1 ? sample.indices[rank - 1] : one;
        for (const std::int64_t row : rows)
            for (const std::int64_t column : columns)
                out[next++] = static_cast<double>(std::max<std::int64_t>(position, 0) * 100'000 + 1000 * row + column);
        if (reads)
            *reads += static_cast<std::int64_t>(sample.count());
        return true;
    };
}

/// The notebook's network, small enough for a step in no time.
Experiment smallNetwork()
{
    Experiment experiment = test::example("flax-mlp-logical");
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.layers = 2;
    settings.embed = 24;
    settings.hidden = 40;
    return experiment;
}

const QString weight = QStringLiteral("params/layers.0/W1");

struct ViewFixture : Fixture {
    RunController controller{ &document };
    ValuesView view{ &document, &selection, &controller };

    explicit ViewFixture(Experiment experiment = smallNetwork())
        : Fixture(std::move(experiment))
    {
        view.resize(700, 460);
        view.show();
        static_cast<void>(QTest::qWaitForWindowExposed(&view));
    }
    void step()
    {
        const qint64 before = controller.stepsDone();
        controller.runStep();
        QTRY_VERIFY(controller.stepsDone() == before + 1 && controller.state() == RunController::State::Idle);
    }
    [[nodiscard]] QString emptyText() const
    {
        const auto* label = view.emptyPage()->findChild<RoleLabel*>();
        return view.emptyPage()->isVisible() ? label->text() : QString();
    }
    [[nodiscard]] double global(std::int64_t row, std::int64_t column)
    {
        double value = 0;
        const ValueId id = controller.begun().plan->program->program->find(selection.tensor().toStdString());
        controller.read([&](const ValueReader& reader) {
            readGlobal(reader, id, Sample{ { { row }, { column } } }, { &value, 1 });
        });
        return value;
    }
};

SegmentedBar* contentBar(const ValuesView& view)
{
    return test::named<SegmentedBar>(&view, u"Values or differences"_s);
}

SegmentedBar* extentBar(const ValuesView& view)
{
    return test::named<SegmentedBar>(&view, u"Indices of the array or of a device"_s);
}

SegmentedBar* formBar(const ValuesView& view)
{
    return test::named<SegmentedBar>(&view, u"Heat map or numbers"_s);
}

} // namespace

class TestValues : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void pixelsAndParts()
    {
        for (const int length : { 1, 7, 100, 333 })
            for (const std::int64_t parts : { 1, 2, 7, 100, 1000 })
                for (int pixel = 0; pixel < length; ++pixel) {
                    const std::int64_t part = partAt(pixel, length, parts);
                    QVERIFY(pixelEdge(length, part, parts) <= pixel);
                    if (part + 1 < parts)
                        QVERIFY(pixelEdge(length, part + 1, parts) > pixel);
                }
    }

    void aPlaneOfFourDimensions()
    {
        const MeshPtr mesh = valuesMesh({ { "x", 2 } });
        TensorSharding sharding = TensorSharding::fullyReplicated(4);
        sharding.dims[1].axes = { AxisRef{ 0, 1, 2 } };
        ShownValues shown = shownOf({ mesh, sharding, { 3, 4, 5, 6 } });
        QCOMPARE(shown.rows, 2);
        QCOMPARE(shown.columns, 3);
        shown.index = Shape{ 2, 3, 0, 0 };
        QVERIFY(shown.indexAt(1, 5) == (Shape{ 2, 3, 1, 5 }));
        QCOMPARE(shown.shardAt(-1, 0, 0), 1);
        shown.local = true;
        shown.index = Shape{ 2, 1, 0, 0 };
        QVERIFY(*shown.globalIndexAt(1, 4, 0) == (Shape{ 2, 3, 4, 0 }));
        QCOMPARE(shown.size(1), 2);
        // Rows and columns the other way round are turned.
        shown.local = false;
        std::swap(shown.rows, shown.columns);
        std::vector<double> numbers;
        QVERIFY(readPlane(shown, numbered(shown), -1, { 4, 5 }, { 0, 1, 2 }, numbers));
        QVERIFY(numbers == (std::vector<double>{ 4, 1004, 2004, 5, 1005, 2005 }));
    }

    void elementsWhereTheyAreDrawn()
    {
        // 7 rows over 4 devices: 2, 2, 2 and 1 with a row of padding.
        ShownValues shown = rowsCut(4, { 7, 8 });
        HeatLayout global(shown, { 400, 400 }, {});
        QCOMPARE(global.panels().size(), 1U);
        QCOMPARE(global.rows(), 8);
        QCOMPARE(global.validRows(0), 7);
        QCOMPARE(global.partCount(), 4);
        QCOMPARE(global.padding(0).size(), 1U);
        const QRect panel = global.panels().front();
        const auto last = global.elementAt(panel.bottomRight());
        QVERIFY(last && *last == (HeatElement{ 0, 7, 7 }) && global.isPadding(*last));
        QVERIFY(!global.elementAt(panel.bottomRight() + QPoint(1, 1)));
        for (const HeatElement& element : { HeatElement{ 0, 0, 0 }, HeatElement{ 0, 6, 7 }, HeatElement{ 0, 3, 2 } }) {
            QVERIFY(global.elementAt(global.rectOf(element).center()) == element);
            QCOMPARE(global.partOf(element), element.row / 2);
            QVERIFY(global.partRect(global.partOf(element)).contains(global.rectOf(element)));
        }
        shown.local = true;
        shown.positions = { 0, 3 };
        HeatLayout local(shown, { 400, 400 }, {});
        QCOMPARE(local.panels().size(), 2U);
        QCOMPARE(local.rows(), 2);
        QCOMPARE(local.position(1), 3);
        QCOMPARE(local.validRows(1), 1);
        QVERIFY(local.padding(0).empty());
        QCOMPARE(local.padding(1).size(), 1U);
        QVERIFY(local.isPadding({ 1, 1, 0 }));
    }

    void pointsOfAnAxis()
    {
        const HeatAxis large = heatAxis(100, 1000, 1000, 1, 4);
        QCOMPARE(large.points(), 100U);
        QCOMPARE(large.indices.size(), 400U);
        QVERIFY(std::set<std::int64_t>(large.indices.begin(), large.indices.end()).size() == 400);
        QVERIFY(std::is_sorted(large.indices.begin(), large.indices.end()));
        const HeatAxis all = heatAxis(100, 1000, 1000, 1, 10);
        QCOMPARE(all.indices.size(), 1000U);
        const HeatAxis small = heatAxis(100, 3, 2, 1, 10);
        QCOMPARE(small.points(), 3U);
        QCOMPARE(small.indices.size(), 2U); // the third is padding
        QCOMPARE(small.pointOfPixel.front(), 0);
        QCOMPARE(small.pointOfPixel.back(), 2);
        const HeatAxis coarse = heatAxis(100, 1000, 1000, 8, 1);
        QCOMPARE(coarse.points(), 13U);
        QCOMPARE(coarse.indices.size(), 13U);
    }

    void readsAreBounded()
    {
        const ShownValues shown = rowsCut(4, { 4096, 4096 });
        const HeatLayout layout(shown, { 600, 600 }, {});
        std::int64_t reads = 0;
        const auto some = readHeat(shown, layout, numbered(shown, &reads), HeatReduction::Largest, 2, 10'000);
        QVERIFY(reads <= 10'000);
        QVERIFY(reads > 2'000);
        QCOMPARE(some->all.read, reads);
        QVERIFY(!some->isComplete());
        QCOMPARE(some->elements, 4096 * 4096);
        QVERIFY(heatNote(*some, HeatReduction::Largest).contains(u"16,777,216"_s));
        const ShownValues small = rowsCut(4, { 300, 200 });
        const auto all =
            readHeat(small, HeatLayout(small, { 90, 90 }, {}), numbered(small), HeatReduction::Largest, 1, 60'000);
        QVERIFY(all->isComplete());
        QCOMPARE(all->all.largest, 299'199.0);
        QCOMPARE(all->all.smallest, 0.0);
        QCOMPARE(all->parts.size(), 4U);
        QCOMPARE(all->parts[1].smallest, 75'000.0);
        // What cannot be read is not drawn.
        QVERIFY(!readHeat(
            small, HeatLayout(small, { 90, 90 }, {}),
            [](std::int64_t, const Sample&, std::span<double>) { return false; }, HeatReduction::Mean));
    }

    void whatIsNotFiniteIsCountedAndSeen()
    {
        const ShownValues shown = rowsCut(2, { 4, 4 });
        const double infinite = std::numeric_limits<double>::infinity();
        const ReadSample read = [&](std::int64_t, const Sample& sample, std::span<double> out) {
            std::size_t next = 0;
            for (const std::int64_t row : sample.indices[0])
                for (const std::int64_t column : sample.indices[1]) {
                    const std::int64_t i = 4 * row + column;
                    out[next++] = i == 3 ? std::nan("") : i == 5 ? infinite : i == 10 ? -infinite : i == 0 ? -2 : 1;
                }
            return true;
        };
        const HeatLayout layout(shown, { 200, 200 }, {});
        const auto data = readHeat(shown, layout, read, HeatReduction::Largest);
        QCOMPARE(data->all.notNumbers, 1);
        QCOMPARE(data->all.infinite, 1);
        QCOMPARE(data->all.minusInfinite, 1);
        QCOMPARE(data->all.magnitude(), 2.0);
        const Theme& theme = Theme::light();
        const QImage image = heatImage(data->panels.front(), data->all.magnitude(), theme);
        const auto colour = [&](int row, int column) {
            const QPoint at = layout.rectOf({ 0, row, column }).center() - layout.panels().front().topLeft();
            return image.pixelColor(at);
        };
        QCOMPARE(colour(0, 3), theme.text);
        QCOMPARE(colour(0, 0), heatNegative(theme)); // the largest magnitude has the full colour
        QVERIFY(colour(0, 1) != colour(0, 0));
        const QRect inf = layout.rectOf({ 0, 1, 1 }).translated(-layout.panels().front().topLeft());
        std::set<QRgb> colours;
        for (int y = inf.top(); y <= inf.bottom(); ++y)
            for (int x = inf.left(); x <= inf.right(); ++x)
                colours.insert(image.pixel(x, y));
        QVERIFY(colours == (std::set<QRgb>{ theme.text.rgb(), heatPositive(theme).rgb() }));
        HeatLegend legend;
        legend.setContent(data->all, DType::F32, false, false);
        QCOMPARE(legend.marks(), (QStringList{ u"NaN 1"_s, u"∞ 1"_s, u"−∞ 1"_s }));
        QVERIFY(legend.accessibleName().contains(u"NaN 1"_s));
    }

    /// Below the bar of colours no number lies on another: 0 goes where there is no room for it.
    void numbersOfTheLegendStandApart()
    {
        HeatSummary summary;
        summary.read = 2;
        summary.smallest = -0.16336;
        summary.largest = 0.125;
        HeatLegend legend;
        legend.setContent(summary, DType::F32, false, false);
        for (const bool column : { false, true }) {
            legend.setColumn(column);
            for (int width = legend.minimumSizeHint().width(); width <= 500; width += 20) {
                legend.resize(width, legend.sizeHint().height());
                const auto numbers = legend.numbers();
                QVERIFY2(numbers.size() >= 2, qPrintable(QString::number(width)));
                for (std::size_t i = 1; i < numbers.size(); ++i)
                    QVERIFY2(numbers[i - 1].place.right() < numbers[i].place.left(), qPrintable(numbers[i].text));
                QVERIFY(legend.rect().contains(numbers.front().place) && legend.rect().contains(numbers.back().place));
            }
            QCOMPARE(legend.numbers().size(), std::size_t{ 3 });
        }
    }

    void severalElementsInOnePoint()
    {
        const ShownValues shown = rowsCut(1, { 2, 2 });
        const ReadSample read = [](std::int64_t, const Sample&, std::span<double> out) {
            const double values[] = { 1, -3, 2, 2 };
            std::copy(std::begin(values), std::end(values), out.begin());
            return true;
        };
        const HeatLayout layout(shown, { 1, 1 }, {});
        QCOMPARE(layout.panels().front().size(), QSize(1, 1));
        QCOMPARE(readHeat(shown, layout, read, HeatReduction::Largest)->panels[0].points, std::vector<double>{ -3 });
        QCOMPARE(readHeat(shown, layout, read, HeatReduction::Mean)->panels[0].points, std::vector<double>{ 0.5 });
    }

    void numbersAreReadWhereTheyAreExaminedAt()
    {
        const ShownValues shown = rowsCut(4, { 10'000, 5'000 });
        NumbersModel model;
        model.setContent(shown, numbered(shown));
        QCOMPARE(model.rowCount(), 10'000);
        QCOMPARE(model.columnCount(), 5'000);
        QCOMPARE(model.index(1234, 4321).data().toString(), u"1.2383e+06"_s);
        QCOMPARE(model.index(1, 2).data().toString(), u"1,002"_s);
        QVERIFY(model.elementsRead() <= 4 * 32 * 16);
        QCOMPARE(model.index(2500, 0).data(NumbersModel::TopBorder).toInt(), 0); // cut by axis 0
        QCOMPARE(model.index(2501, 0).data(NumbersModel::TopBorder).toInt(), -1);
        QCOMPARE(model.index(0, 1).data(NumbersModel::LeftBorder).toInt(), -1);
        QVERIFY(model.index(2499, 0).data(Qt::BackgroundRole) != model.index(2500, 0).data(Qt::BackgroundRole));
        QVERIFY(model.index(2500, 3).data(Qt::AccessibleTextRole).toString().endsWith(u"on d1"_s));
    }

    void numbersOfDevices()
    {
        ShownValues shown = rowsCut(4, { 7, 3 });
        shown.local = true;
        shown.positions = { 0, 1, 2, 3 };
        NumbersModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setContent(shown, numbered(shown));
        QCOMPARE(model.rowCount(), 8);
        QCOMPARE(model.headerData(6, Qt::Vertical, Qt::DisplayRole).toString(), u"d3: 0"_s);
        QCOMPARE(model.index(6, 2).data().toString(), u"3e+05"_s);
        QCOMPARE(model.index(7, 2).data().toString(), u"pad"_s);
        QVERIFY(model.index(7, 2).data(Qt::AccessibleTextRole).toString().contains(u"padding"_s));
        QCOMPARE(model.index(6, 0).data(NumbersModel::TopBorder).toInt(), -2);
        // Of the full array, what a device does not hold is left out.
        shown.local = false;
        shown.positions = { 2 };
        model.setContent(shown, numbered(shown));
        QCOMPARE(model.firstHeld(), model.index(4, 0));
        QCOMPARE(model.index(3, 0).data().toString(), QString());
        QCOMPARE(model.index(4, 1).data().toString(), u"4,001"_s);
    }

    void anArrayWithoutDimensions()
    {
        const ShownValues shown = shownOf({ valuesMesh({ { "x", 2 } }), TensorSharding::fullyReplicated(0), {} });
        NumbersModel model;
        model.setContent(shown, numbered(shown));
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.columnCount(), 1);
        QCOMPARE(model.index(0, 0).data().toString(), u"0"_s);
        const HeatLayout layout(shown, { 300, 200 }, {});
        QCOMPARE(layout.panels().size(), 1U);
        QVERIFY(readHeat(shown, layout, numbered(shown), HeatReduction::Largest)->isComplete());
    }

    /// Nothing is read of an array with a dimension of size 0, whether that is a row, a column or the plane.
    void anArrayWithoutElements()
    {
        const MeshPtr mesh = valuesMesh({ { "x", 2 } });
        for (const Shape& shape : { Shape{ 0 }, Shape{ 0, 4 }, Shape{ 4, 0 }, Shape{ 0, 4, 4 }, Shape{ 4, 0, 4 } })
            for (const bool local : { false, true }) {
                ShownValues shown = shownOf({ mesh, TensorSharding::fullyReplicated(shape.size()), shape });
                shown.local = local;
                if (local)
                    shown.positions = { 0, 1 };
                QVERIFY(shown.isEmpty());
                std::int64_t reads = 0;
                const HeatLayout layout(shown, { 300, 200 }, {});
                QVERIFY(layout.panels().empty());
                QCOMPARE(layout.partCount(), 0);
                QVERIFY(!layout.elementAt({ 50, 50 }));
                const auto heat = readHeat(shown, layout, numbered(shown, &reads), HeatReduction::Largest);
                QVERIFY(heat && heat->panels.empty() && heat->elements == 0);
                NumbersModel model;
                model.setContent(shown, numbered(shown, &reads));
                QCOMPARE(model.rowCount() * model.columnCount(), 0);
                QVERIFY(!model.firstHeld().isValid());
                QCOMPARE(reads, 0);
            }
        QVERIFY(!rowsCut(2, { 4, 4 }).isEmpty());
    }

    void anArrayWithoutElementsInTheView()
    {
        ViewFixture fixture(
            *experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<0x4xf32>, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<0x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.negate %a : tensor<0x4xf32>
  %1 = stablehlo.negate %b : tensor<8x4xf32>
  return %0, %1 : tensor<0x4xf32>, tensor<8x4xf32>
})") },
                "layer"));
        const Program& program = *fixture.snapshot().program;
        const auto argument = [&](std::size_t number) {
            return QString::fromStdString(program.value(program.main().arguments[number]).path);
        };
        fixture.selection.setTensor(argument(1));
        fixture.step();
        QCOMPARE(fixture.emptyText(), QString());
        for (const int form : { 0, 1 }) {
            formBar(fixture.view)->setCurrent(form);
            fixture.selection.setTensor(argument(0));
            QVERIFY(fixture.emptyText().contains(u"no elements"_s));
            QVERIFY(!fixture.view.emptyPage()->hasButton());
            fixture.view.grab();
            fixture.selection.setTensor(argument(1));
            QCOMPARE(fixture.emptyText(), QString());
        }
    }

    void wordsOfNumbers()
    {
        QCOMPARE(valueText(0.25, DType::F32, false), u"0.25"_s);
        QCOMPARE(valueText(0.25, DType::F32, true), u"+0.25"_s);
        QCOMPARE(valueText(1234567, DType::I32, false), u"1,234,567"_s);
        QCOMPARE(valueText(1, DType::Pred, false), u"true"_s);
        QCOMPARE(valueText(std::nan(""), DType::F32, false), u"NaN"_s);
        QCOMPARE(valueText(-std::numeric_limits<double>::infinity(), DType::F32, false), u"−∞"_s);
    }

    void partsAreStatedToBeParts()
    {
        const MeshPtr mesh = valuesMesh({ { "x", 2 }, { "y", 2 } });
        TensorSharding sharding = TensorSharding::fullyReplicated(2);
        sharding.unreduced = { AxisRef{ 1, 1, 2 } };
        ShownValues shown = shownOf({ mesh, sharding, { 4, 4 } });
        TensorRow row;
        QVERIFY(shown.notes(row).join(u' ').contains(
            u"2 values still have to be added up over y, and 2 devices hold each of them"_s));
        shown.local = true;
        shown.positions = { 0, 1, 2, 3 };
        QVERIFY(shown.notes(row).join(u' ').contains(u"one partial value"_s));
        QVERIFY(words::notHeld(Held::NotKept, "params/layers.0/W1").contains(u"Layer 0 / W1"_s));
        QVERIFY(words::notHeld(Held::Yes, "x").isEmpty());
    }

    void emptyUntilThereAreNumbers()
    {
        ViewFixture fixture;
        QVERIFY(fixture.emptyText().contains(u"Choose a tensor"_s));
        fixture.selection.setTensor(weight);
        QVERIFY(fixture.emptyText().contains(u"No step has run"_s));
        auto* button = fixture.view.emptyPage()->findChild<QPushButton*>();
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE(fixture.controller.stepsDone(), 1);
        QTRY_VERIFY(fixture.emptyText().isEmpty());
        QCOMPARE(fixture.view.keyFigure(), u"Layer 0 / W1, step 1"_s);
        // Another plan has not run yet.
        fixture.controller.reset();
        QVERIFY(fixture.emptyText().contains(u"No step has run"_s));
    }

    void heatMapOfAWeight()
    {
        ViewFixture fixture;
        fixture.selection.setTensor(weight);
        fixture.step();
        HeatCanvas* canvas = fixture.view.findChild<HeatPage*>()->canvas();
        QTRY_VERIFY(!canvas->data().panels.empty());
        QCOMPARE(canvas->heatLayout().partCount(), 4); // hidden over model
        QCOMPARE(canvas->data().elements, 24 * 40);
        QVERIFY(canvas->data().isComplete());
        QCOMPARE(canvas->tableRowCount(), 4);
        QCOMPARE(canvas->tableText(1, 1), u"d1 and d5"_s);
        // Pointing at an element lights its holders and says its number.
        const HeatElement element{ 0, 3, 25 };
        // The page has just come in sight: where the element is counts once it stays there.
        QPoint at;
        const auto place = [&] { return canvas->heatLayout().rectOf(element).center(); };
        QTRY_COMPARE(std::exchange(at, place()), place());
        QSignalSpy pointed(canvas, &HeatCanvas::pointed);
        QTest::mouseMove(canvas, at);
        QTRY_COMPARE(fixture.selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 2, 6 }));
        const QString stated =
            u"[embed 3, hidden 25] = %1 on d2 and d6"_s.arg(valueText(fixture.global(3, 25), DType::F32, false));
        QTRY_COMPARE(pointed.last().front().toString(), stated);
        // Every step has other numbers.
        const std::vector<double> before = canvas->data().panels.front().points;
        fixture.step();
        QVERIFY(canvas->data().panels.front().points != before);
        // By keyboard.
        QTest::keyClick(canvas, Qt::Key_Home);
        QTest::keyClick(canvas, Qt::Key_Right);
        QCOMPARE(canvas->currentPart(), 1);
        QCOMPARE(fixture.selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 1, 5 }));
        QTest::keyClick(canvas, Qt::Key_Escape);
        QCOMPARE(canvas->currentPart(), -1);
    }

    void devicesSideBySide()
    {
        ViewFixture fixture;
        fixture.selection.setTensor(weight);
        fixture.step();
        extentBar(fixture.view)->setCurrent(1);
        HeatCanvas* canvas = fixture.view.findChild<HeatPage*>()->canvas();
        QCOMPARE(canvas->heatLayout().panels().size(), 8U);
        QCOMPARE(canvas->data().parts.size(), 8U);
        QCOMPARE(canvas->data().parts[1].largest, canvas->data().parts[5].largest); // copies
        QVERIFY(canvas->data().parts[1].largest != canvas->data().parts[2].largest);
        // One selected anywhere is shown alone.
        fixture.selection.setDevices({ 6 });
        QCOMPARE(fixture.view.devices()->currentText(), u"Device 6"_s);
        QCOMPARE(canvas->heatLayout().panels().size(), 1U);
        QCOMPARE(canvas->heatLayout().position(0), 6);
        fixture.view.devices()->setCurrentIndex(0);
        QVERIFY(fixture.selection.deviceGroup().empty());
        QCOMPARE(canvas->heatLayout().panels().size(), 8U);
    }

    void numbersOfAWeight()
    {
        ViewFixture fixture;
        fixture.selection.setTensor(weight);
        fixture.step();
        formBar(fixture.view)->setCurrent(1);
        QVERIFY(fixture.view.table()->isVisible());
        NumbersModel* numbers = fixture.view.numbers();
        QCOMPARE(numbers->rowCount(), 24);
        QCOMPARE(numbers->columnCount(), 40);
        QCOMPARE(numbers->index(7, 33).data().toString(), valueText(fixture.global(7, 33), DType::F32, false));
        fixture.view.table()->setCurrentIndex(numbers->index(7, 33));
        fixture.step();
        QCOMPARE(fixture.view.table()->currentIndex(), numbers->index(7, 33));
        QCOMPARE(numbers->index(7, 33).data().toString(), valueText(fixture.global(7, 33), DType::F32, false));
        extentBar(fixture.view)->setCurrent(1);
        QCOMPARE(numbers->rowCount(), 8 * 24);
        QCOMPARE(numbers->columnCount(), 10);
        fixture.selection.setTensor(QStringLiteral("loss"));
        QCOMPARE(numbers->rowCount(), 8);
    }

    void differencesAreMeasured()
    {
        HeatSummary differences;
        QCOMPARE(differenceNote(differences, 2, {}, DType::F32), QString());
        QVERIFY(!agreesWithReference(differences, 1));
        differences.add(0);
        QCOMPARE(differenceNote(differences, 0, {}, DType::F32), QString());
        QCOMPARE(differenceNote(differences, 2, {}, DType::F32), u"No difference in what was read."_s);
        QCOMPARE(differenceNote(differences, 0, 0, DType::F32), u"No difference in what was read."_s);
        QVERIFY(!agreesWithReference(differences, {}));
        QCOMPARE(agreesWithReference(differences, 0), std::optional(true));
        for (const double each : { -3.0, 4.0, 0.0 })
            differences.add(each); // 25 in four squares
        QCOMPARE(differences.rootMeanSquare(), 2.5);
        QString note = differenceNote(differences, 8, 5, DType::F32);
        QVERIFY2(note.startsWith(u"Largest difference "_s), qPrintable(note));
        QVERIFY2(note.endsWith(u"where values reach 8: 0.5 of that. Their root mean square is 2.5, and up to 5 counts "
                               "as rounding."_s),
            qPrintable(note));
        QCOMPARE(agreesWithReference(differences, 2.5), std::optional(true));
        QCOMPARE(agreesWithReference(differences, 2.4), std::optional(false));
        QVERIFY(!differenceNote(differences, 8, {}, DType::F32).contains(u"rounding"_s)); // from the start
        // What is finite on one side alone is no rounding.
        differences.add(std::numeric_limits<double>::infinity());
        QCOMPARE(agreesWithReference(differences, 5), std::optional(false));
        note = differenceNote(differences, 8, 5, DType::F32);
        QVERIFY2(note.endsWith(u"Not finite on one side alone: 1."_s), qPrintable(note));
    }

    void differencesFromTheReference()
    {
        ViewFixture fixture;
        fixture.selection.setTensor(weight);
        fixture.step();
        fixture.step();
        contentBar(fixture.view)->setCurrent(1);
        HeatCanvas* canvas = fixture.view.findChild<HeatPage*>()->canvas();
        QTRY_VERIFY(!fixture.view.isWorking() && canvas->isVisible());
        QVERIFY(canvas->data().isComplete());
        QVERIFY(canvas->data().all.magnitude() < 1e-4); // roundings only, and yet not the weights themselves
        const QString note = fixture.view.findChild<HeatPage*>()->note();
        QVERIFY2(note.startsWith(u"Largest difference "_s) || note.startsWith(u"No difference "_s), qPrintable(note));
        // The verdict stands before it; differences from the start have none.
        QCOMPARE(fixture.view.findChild<HeatPage*>()->verdict(), u"Agrees:"_s);
        QVERIFY(test::shows(&fixture.view, u"Agrees:"_s));
        contentBar(fixture.view)->setCurrent(2);
        QTRY_COMPARE(fixture.view.findChild<HeatPage*>()->verdict(), QString());
        contentBar(fixture.view)->setCurrent(1);
        QTRY_COMPARE(fixture.view.findChild<HeatPage*>()->verdict(), u"Agrees:"_s);
        extentBar(fixture.view)->setCurrent(1);
        QTRY_COMPARE(canvas->heatLayout().panels().size(), 8U);
        QVERIFY(canvas->data().all.magnitude() < 1e-4);
        // After the next step it is compared with the next one of the reference.
        fixture.step();
        QTRY_VERIFY(!fixture.view.isWorking() && canvas->isVisible());
        QVERIFY(canvas->data().all.magnitude() < 1e-4);
        contentBar(fixture.view)->setCurrent(0);
        QVERIFY(canvas->data().all.magnitude() > 1e-2);
    }

    void differencesFromTheStart()
    {
        ViewFixture fixture;
        fixture.selection.setTensor(weight);
        fixture.step();
        fixture.step();
        contentBar(fixture.view)->setCurrent(2);
        HeatCanvas* canvas = fixture.view.findChild<HeatPage*>()->canvas();
        QTRY_VERIFY(!fixture.view.isWorking() && canvas->isVisible());
        const auto begun = fixture.controller.begun();
        const StepReplay replay(begun.plan->program, *begun.initial);
        const ValueId value = begun.plan->program->program->find(weight.toStdString());
        const StepReplay::Array start = replay.start(value).value();
        // The weights of a hidden unit that relu holds at zero do not move.
        const auto movedAt = [&](int column) {
            return fixture.global(7, column) - (*start)[static_cast<std::size_t>(7 * 40 + column)];
        };
        int column = 39;
        while (column > 0 && movedAt(column) == 0)
            --column;
        const double moved = movedAt(column);
        QVERIFY(moved != 0);
        QVERIFY(canvas->data().all.magnitude() >= std::abs(moved));
        formBar(fixture.view)->setCurrent(1);
        NumbersModel* numbers = fixture.view.numbers();
        QCOMPARE(numbers->index(7, column).data().toString(), valueText(moved, DType::F32, true));
        // On each device: rows 24 to 47 are those of the second one, which holds columns 10 to 19.
        extentBar(fixture.view)->setCurrent(1);
        QTRY_COMPARE(numbers->rowCount(), 8 * 24);
        QCOMPARE(numbers->index(24 + 7, 3).data().toString(),
            valueText(fixture.global(7, 13) - (*start)[7 * 40 + 13], DType::F32, true));
        // The reference is another one, and what a step computes has none at the start.
        contentBar(fixture.view)->setCurrent(1);
        QTRY_VERIFY(!fixture.view.isWorking() && fixture.view.table()->isVisible());
        QVERIFY(std::abs(numbers->index(24 + 7, 3).data().toString().toDouble()) < 1e-4);
        contentBar(fixture.view)->setCurrent(2);
        fixture.selection.setTensor(QStringLiteral("loss"));
        QTRY_VERIFY(fixture.emptyText().contains(u"is computed in the step"_s));
        QTest::mouseClick(fixture.view.emptyPage()->findChild<QPushButton*>(), Qt::LeftButton);
        QCOMPARE(contentBar(fixture.view)->current(), 0);
        QVERIFY(fixture.emptyText().isEmpty());
    }

    void initialValuesAreChosen()
    {
        ViewFixture f;
        f.selection.setTensor(weight);
        InitialChoice* const choice = f.view.findChild<InitialChoice*>();
        QVERIFY(choice->isVisible()); // before the first step as well
        QCOMPARE(choice->box()->currentText(), u"default: xavier"_s);
        QVERIFY(choice->box()->findText(u"normal 0.02"_s) > 0 && choice->box()->findText(u"integers 8"_s) < 0);
        f.step();
        choice->choose(u"constant 0.25"_s);
        QCOMPARE(f.document.undoStack()->count(), 1);
        QCOMPARE(f.document.experiment()->run.initial.size(), std::size_t{ 1 });
        QTRY_VERIFY(f.controller.stepsDone() == 1 && f.controller.state() == RunController::State::Idle
            && std::fabs(f.global(3, 5) - 0.25) < 0.01); // the step has changed it a little
        QCOMPARE(choice->box()->currentText(), u"constant 0.25"_s);
        // The reference begins with the same.
        contentBar(f.view)->setCurrent(1);
        QTRY_VERIFY(!f.view.isWorking() && f.view.findChild<HeatPage*>()->isVisible());
        contentBar(f.view)->setCurrent(0);

        QSignalSpy refused(&f.document, &Document::editRefused);
        for (const QString& wrong : { u"normal"_s, u"zeroes"_s, u"integers 8"_s, u"integers 0"_s })
            choice->choose(wrong);
        QCOMPARE(refused.count(), 4);
        QCOMPARE(f.document.undoStack()->count(), 1);

        // Written out, by keyboard.
        choice->box()->setFocus();
        choice->box()->lineEdit()->selectAll();
        QTest::keyClicks(choice->box()->lineEdit(), u"normal 0.5"_s);
        QTest::keyClick(choice->box()->lineEdit(), Qt::Key_Return);
        QCOMPARE(toString(f.document.experiment()->run.initial.front().value), std::string("normal 0.5"));
        f.document.undoStack()->undo();
        f.document.waitForAnalysis();
        QTRY_COMPARE(choice->box()->currentText(), u"constant 0.25"_s);
        f.document.undoStack()->undo();
        f.document.waitForAnalysis();
        QVERIFY(f.document.experiment()->run.initial.empty());
        QTRY_COMPARE(choice->box()->currentText(), u"default: xavier"_s);
        f.selection.setTensor(u"layers.0/y"_s);
        QVERIFY(!choice->isVisible());
    }

    void initialValuesComeFromAFile()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"w.npy"_s);
        const std::vector<float> numbers(24 * 40, 0.5F);
        const TensorType type{ DType::F32, { 24, 40 } };
        QVERIFY(writeAtomically(path, writeNpy(type, reinterpret_cast<const std::byte*>(numbers.data()))).has_value());
        ViewFixture f;
        f.selection.setTensor(weight);
        f.step();
        f.view.findChild<InitialChoice*>()->chooseFile(path);
        QTRY_VERIFY(f.controller.stepsDone() == 1 && f.controller.state() == RunController::State::Idle
            && std::fabs(f.global(3, 5) - 0.5) < 0.01);
        // Of another shape: the run says so.
        QVERIFY(writeAtomically(
            path, writeNpy({ DType::F32, { 40, 24 } }, reinterpret_cast<const std::byte*>(numbers.data())))
                    .has_value());
        QSignalSpy failed(&f.controller, &RunController::failed);
        f.selection.setTensor(u"params/layers.1/W1"_s);
        f.view.findChild<InitialChoice*>()->chooseFile(path);
        QTRY_COMPARE(failed.count(), 1);
        QTRY_VERIFY(f.emptyText().contains(u"40"_s));
    }

    void initialValuesOfAProgram()
    {
        ViewFixture f(
            *experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.sqrt %a : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
})") },
                "layer"));
        f.step();
        const SnapshotPtr snapshot = f.document.lastGood();
        const std::string path = snapshot->program->value(snapshot->program->main().arguments.front()).path;
        f.selection.setTensor(QString::fromStdString(path));
        InitialChoice* const choice = f.view.findChild<InitialChoice*>();
        QVERIFY(choice->isVisible());
        QCOMPARE(choice->box()->currentText(), u"default: non_negative"_s);
        choice->choose(u"zeros"_s);
        QTRY_VERIFY(!f.document.isStale() && f.controller.canRead() && f.view.findChild<HeatPage*>()->isVisible());
        QCOMPARE(choice->box()->currentText(), u"zeros"_s);
        QCOMPARE(f.view.findChild<HeatPage*>()->canvas()->data().all.magnitude(), 0.0);
    }

    void nextStepIsChosen()
    {
        ViewFixture f(
            *experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
    -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = stablehlo.add %a, %a : tensor<8x16xf32>
  %1 = stablehlo.tanh %a : tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
})") },
                "layer"));
        const SnapshotPtr snapshot = f.document.lastGood();
        const Value& argument = snapshot->program->value(snapshot->program->main().arguments.front());
        QVERIFY(argument.role == Role::Parameter);
        f.selection.setTensor(QString::fromStdString(argument.path));
        NextStepChoice* const choice = f.view.findChild<NextStepChoice*>();
        QVERIFY(choice->isVisible() && choice->box()->isEnabled());
        QCOMPARE(choice->box()->currentText(), u"result 0 (guess by order)"_s);
        const auto next = [&] {
            choice->box()->setFocus();
            QTest::keyClick(choice->box(), Qt::Key_Down);
            f.document.waitForAnalysis();
        };
        next();
        QCOMPARE(f.document.experiment()->run.state, std::string("0=1"));
        QTRY_COMPARE(choice->box()->currentText(), u"result 1 (chosen by you)"_s);
        next();
        QCOMPARE(f.document.experiment()->run.state, std::string("none"));
        f.document.undoStack()->undo();
        f.document.undoStack()->undo();
        f.document.waitForAnalysis();
        QVERIFY(f.document.experiment()->run.state.empty());
        QTRY_COMPARE(choice->box()->currentText(), u"result 0 (guess by order)"_s);
    }

    void nextStepOfANetwork()
    {
        ViewFixture f;
        f.selection.setTensor(weight);
        NextStepChoice* const choice = f.view.findChild<NextStepChoice*>();
        QVERIFY(choice->isVisible() && !choice->box()->isEnabled());
        QVERIFY(choice->box()->currentText().contains(u"the network's own"_s));
    }

    void aStepOfAProgram()
    {
        // What is contracted is cut, so that the devices add up.
        ViewFixture fixture(
            *experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.logistic %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
})") },
                "layer"));
        const Program& program = *fixture.snapshot().program;
        const auto pathOf = [&](ValueId value) { return QString::fromStdString(program.value(value).path); };
        const QString argument = pathOf(program.main().arguments.front());
        const QString result = pathOf(program.main().results.front());
        fixture.selection.setTensor(result);
        QVERIFY(fixture.emptyText().contains(u"No step has run"_s));
        QTest::mouseClick(fixture.view.emptyPage()->findChild<QPushButton*>(), Qt::LeftButton);
        QTRY_VERIFY(fixture.controller.canRead());
        QCOMPARE(fixture.emptyText(), QString());
        QVERIFY(fixture.view.keyFigure().endsWith(u", step 1"_s));
        HeatCanvas* canvas = fixture.view.findChild<HeatPage*>()->canvas();
        QTRY_VERIFY(canvas->data().isComplete() && canvas->data().elements > 0);
        const double magnitude = canvas->data().all.magnitude();
        QVERIFY(magnitude > 0.1);
        contentBar(fixture.view)->setCurrent(1);
        QTRY_VERIFY(!fixture.view.isWorking() && canvas->isVisible());
        QVERIFY(canvas->data().isComplete() && canvas->data().elements > 0);
        QVERIFY(canvas->data().all.magnitude() < 1e-4 * magnitude);
        contentBar(fixture.view)->setCurrent(0);
        fixture.selection.setTensor(argument);
        QVERIFY(fixture.emptyText().isEmpty());
        QVERIFY(canvas->data().elements > 0);
    }

    void aProgramIsSteppedThrough()
    {
        // The sum over y comes between the product and what is computed from it; the acosh of it is no number.
        ViewFixture fixture(
            *experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = chlo.acosh %0 : tensor<8x4xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
})") },
                "layer"));
        const Program& program = *fixture.snapshot().program;
        const auto pathOf = [&](ValueId value) { return QString::fromStdString(program.value(value).path); };
        const ValueId result = program.main().results.front(),
                      product = program.operation(program.value(result).definition).operands.front();
        StepBar* bar = fixture.view.stepBar();
        QVERIFY(bar->isHidden());
        fixture.selection.setTensor(pathOf(result));
        fixture.step();
        QVERIFY(!bar->isHidden());
        QCOMPARE(bar->count(), 0); // nobody has asked for single operations
        bar->button()->click();
        QVERIFY(fixture.view.isWorking() && bar->text().contains(u"taken again"_s));
        QTRY_VERIFY(!fixture.view.isWorking());
        QCOMPARE(bar->count(), 3); // the product, the sum of its parts, the acosh
        QCOMPARE(bar->step(), 3);
        HeatCanvas* canvas = fixture.view.findChild<HeatPage*>()->canvas();
        QTRY_VERIFY(canvas->data().isComplete() && canvas->data().elements > 0);

        // After the product devices hold parts of it that are still to be added up.
        bar->player()->go(1);
        QVERIFY(bar->text().contains(u"1 of 3"_s) && bar->text().contains(u"dot_general"_s));
        QVERIFY(fixture.view.notice().contains(u"Partial"_s));
        QVERIFY(!bar->exchange()->subject());
        QCOMPARE(fixture.selection.operation(),
            QString::fromStdString(operationPath(program, program.value(product).definition)));
        QTRY_VERIFY(canvas->data().isComplete() && canvas->data().elements > 0);
        const double parts = canvas->data().all.magnitude();

        // The sum goes between the four devices of a group; two groups of eight devices are drawn.
        bar->player()->go(2);
        QVERIFY(bar->text().contains(u"all_reduce"_s));
        QVERIFY(bar->exchange()->subject());
        QCOMPARE(bar->exchange()->subject()->devices.size(), std::size_t{ 8 });
        QCOMPARE(bar->exchange()->subject()->sends.size(), std::size_t{ 2 * 4 * 4 });
        QCOMPARE(bar->exchange()->layoutNow().arrows.size(), std::size_t{ 32 });
        QVERIFY(!fixture.view.notice().contains(u"Partial"_s));
        QTRY_VERIFY(canvas->data().isComplete() && canvas->data().elements > 0);
        QVERIFY(std::abs(canvas->data().all.magnitude() - parts) < 1e-4 * parts); // the global view added them up
        contentBar(fixture.view)->setCurrent(1);
        QTRY_VERIFY(canvas->data().isComplete() && canvas->data().elements > 0);
        QVERIFY(canvas->data().all.magnitude() < 1e-4 * parts);
        contentBar(fixture.view)->setCurrent(0);

        // A tensor that is selected is shown as it is by then.
        fixture.selection.setTensor(pathOf(result));
        QVERIFY(fixture.emptyText().contains(u"is computed by operation 3"_s));
        fixture.selection.setTensor(pathOf(product));
        QCOMPARE(fixture.emptyText(), QString());
        bar->player()->go(0);
        QVERIFY(fixture.emptyText().contains(u"is computed by operation"_s));

        QVERIFY(!bar->warning()->isHidden());
        QCOMPARE(bar->warning()->text(), u"First NaN"_s);
        QVERIFY(bar->warning()->toolTip().contains(u"acosh"_s));
        bar->warning()->click();
        QCOMPARE(bar->step(), 3);
        QVERIFY(bar->text().contains(u"acosh"_s));

        // The operation that is selected elsewhere is where the player stands; keys go on from there.
        fixture.selection.setOperation(
            QString::fromStdString(operationPath(program, program.value(product).definition)), pathOf(product));
        QCOMPARE(bar->step(), 1);
        QVERIFY(bar->text().contains(u"dot_general"_s));
        QCOMPARE(bar->player()->position(), u"step 1 / 3"_s);
        QTest::keyClick(bar->player(), Qt::Key_End);
        QCOMPARE(bar->step(), 3);
        QCOMPARE(fixture.selection.operation(),
            QString::fromStdString(operationPath(program, program.value(result).definition)));
        QTest::keyClick(bar->player(), Qt::Key_BracketLeft);
        QCOMPARE(bar->step(), 2);
        QTest::keyClick(bar->player(), Qt::Key_Home);
        QCOMPARE(bar->step(), 0);
        QTest::keyClick(bar->player(), Qt::Key_Space);
        QVERIFY(bar->player()->isPlaying());
        bar->setOn(false);
        QVERIFY(!bar->player()->isPlaying());
    }

    /// Every step of a network can be looked at on the way, as of any program.
    void aStepOfANetworkOperationByOperation()
    {
        ViewFixture f;
        f.selection.setTensor(weight);
        f.step();
        f.step();
        const double after = f.global(3, 5);
        StepBar* const bar = f.view.stepBar();
        bar->setOn(true);
        QTRY_VERIFY(!f.view.isWorking());
        QVERIFY2(bar->count() > 40, qPrintable(bar->text()));
        QVERIFY(bar->warning()->isHidden());
        formBar(f.view)->setCurrent(1);
        const NumbersModel* const numbers = f.view.numbers();
        const auto shown = [&] { return numbers->index(3, 5).data().toString(); };
        QCOMPARE(shown(), valueText(after, DType::F32, false)); // at the end: what the devices hold
        // Before the first operation of the second step: what the first one left.
        bar->player()->go(0);
        f.controller.reset();
        QVERIFY(bar->isHidden());
        f.step();
        const double first = f.global(3, 5);
        QVERIFY(first != after);
        f.step();
        QTRY_VERIFY(!f.view.isWorking() && bar->count() > 40);
        QCOMPARE(bar->step(), 0); // where it stood
        QCOMPARE(shown(), valueText(first, DType::F32, false));
        contentBar(f.view)->setCurrent(1);
        QTRY_VERIFY(!f.view.isWorking() && f.view.table()->isVisible());
        QVERIFY(std::abs(numbers->index(3, 5).data().toString().toDouble()) < 1e-4);

        // An operation on the way, with its difference from the reference.
        const int product = 1 + [&] {
            for (int step = 0; step < bar->count(); ++step) {
                bar->player()->go(step + 1);
                if (bar->text().contains(u"dot_general"_s))
                    return step;
            }
            return -1;
        }();
        QVERIFY(product > 0);
        QTRY_VERIFY(f.view.table()->isVisible());
        contentBar(f.view)->setCurrent(0);
        QVERIFY(numbers->index(0, 0).data().toString() != u"…"_s);
        // One that is not kept to the end is there in the step.
        bar->setOn(false);
        QCOMPARE(bar->count(), 0);
        const Program& program = *f.snapshot().program;
        QString gone;
        f.controller.read([&](const ValueReader& reader) {
            for (const TensorRow& row : f.snapshot().tensors)
                if (gone.isEmpty() && reader.held(row.value) == Held::NotKept
                    && program.value(row.value).definition.valid() && row.path.ends_with("/h"))
                    gone = QString::fromStdString(row.path);
        });
        QVERIFY(!gone.isEmpty());
        f.selection.setTensor(gone);
        QVERIFY(!f.emptyText().isEmpty());
        QTest::mouseClick(f.view.emptyPage()->findChild<QPushButton*>(), Qt::LeftButton);
        QVERIFY(bar->isOn());
        QTRY_VERIFY(!f.view.isWorking());
        QTRY_VERIFY2(f.emptyText().isEmpty(), qPrintable(gone + u" at "_s + bar->text() + u": "_s + f.emptyText()));
    }

    /// The same train step as a network and as the text that JAX printed of it.
    void aTrainStepInAText()
    {
        ViewFixture f(findExample("flax-mlp-scan-program")->experiment);
        const Program& program = *f.snapshot().program;
        QVERIFY(!program.main().arguments.empty());
        f.selection.setTensor(QString::fromStdString(program.value(program.main().arguments.front()).path));
        f.step();
        HeatCanvas* const canvas = f.view.findChild<HeatPage*>()->canvas();
        QTRY_VERIFY(canvas->isVisible() && canvas->data().elements > 0);
        contentBar(f.view)->setCurrent(1);
        QTRY_VERIFY_WITH_TIMEOUT(!f.view.isWorking() && canvas->isVisible(), 60'000);
        QVERIFY(canvas->data().all.magnitude() < 1e-3);
    }

    /// A loop without an end is stopped by its trips, and by whoever does not want to wait for that.
    void aLoopWithoutEndIsStopped()
    {
        const auto endless = [](const char* type) {
            return QByteArray(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: TYPE {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> TYPE {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %forever = stablehlo.while(%i = %a) : TYPE
   cond {
    stablehlo.return %t : tensor<i1>
  } do {
    %p = stablehlo.dot_general %i, %i, contracting_dims = [1] x [0] : (TYPE, TYPE) -> TYPE
    %n = stablehlo.tanh %p : TYPE
    stablehlo.return %n : TYPE
  }
  return %forever : TYPE
})")
                .replace("TYPE", type)
                .toStdString();
        };
        const auto experiment = [&](const char* type) {
            return *experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(endless(type)) }, "endless");
        };
        ViewFixture quick(experiment("tensor<2x2xf32>"));
        quick.selection.setTensor(u"a"_s);
        QTest::mouseClick(quick.view.emptyPage()->findChild<QPushButton*>(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(quick.controller.state() == RunController::State::Idle, 60'000);
        QVERIFY2(
            quick.emptyText().contains(u"The loop %forever in line 4 has not ended"_s), qPrintable(quick.emptyText()));

        ViewFixture slow(experiment("tensor<512x512xf32>"));
        slow.selection.setTensor(u"a"_s);
        auto* button = slow.view.emptyPage()->findChild<QPushButton*>();
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(slow.controller.state() == RunController::State::Stepping);
        QTest::qWait(50);
        QCOMPARE(button->text(), u"Stop"_s);
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE(slow.controller.state(), RunController::State::Idle);
        QVERIFY2(slow.emptyText().contains(u"No step has run yet"_s), qPrintable(slow.emptyText()));
    }

    void whileStepsRun()
    {
        ViewFixture fixture;
        fixture.selection.setTensor(weight);
        fixture.step();
        HeatCanvas* canvas = fixture.view.findChild<HeatPage*>()->canvas();
        QTRY_VERIFY(!canvas->data().panels.empty());
        fixture.controller.runContinuously();
        QVERIFY(fixture.view.notice().contains(u"running"_s));
        QVERIFY(!canvas->data().panels.empty()); // the numbers before it stay
        int called = 0;
        QVERIFY(!fixture.controller.read([&](const ValueReader&) { ++called; }));
        QCOMPARE(called, 0);
        fixture.selection.setTensor(QStringLiteral("params/layers.1/W2")); // of which nothing was read
        QVERIFY(canvas->data().panels.empty());
        formBar(fixture.view)->setCurrent(1);
        QCOMPARE(fixture.view.numbers()->index(0, 0).data().toString(), u"…"_s);
        fixture.controller.stop();
        QTRY_COMPARE(fixture.controller.state(), RunController::State::Idle);
        QVERIFY(!fixture.view.notice().contains(u"running"_s));
        QVERIFY(fixture.view.numbers()->index(0, 0).data().toString() != u"…"_s);
    }

    void aPlaneIsChosen()
    {
        PlaneBar bar;
        ShownValues shown = shownOf({ valuesMesh({ { "x", 2 } }), TensorSharding::fullyReplicated(3), { 3, 4, 5 } });
        bar.setShown(shown);
        QSignalSpy chosen(&bar, &PlaneBar::planeChosen);
        bar.findChild<QSpinBox*>()->setValue(2);
        QCOMPARE(chosen.count(), 1);
        QVERIFY(chosen[0][2].value<Shape>() == (Shape{ 2, 0, 0 }));
        // A dimension that stands elsewhere changes places.
        const auto combos = bar.findChildren<QComboBox*>();
        Q_EMIT combos[0]->activated(2);
        QCOMPARE(chosen[1][0].toInt(), 2);
        QCOMPARE(chosen[1][1].toInt(), 1);
        Q_EMIT combos[0]->activated(0);
        QCOMPARE(chosen[2][0].toInt(), 0);
        QCOMPARE(chosen[2][1].toInt(), 2);
    }
};

REGISTER_TEST(TestValues)
#include "test_values.moc"
