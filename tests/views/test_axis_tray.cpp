// SPDX-License-Identifier: GPL-3.0-or-later
// The axis tray: every dimension of an array of any rank has its place in the grid, and goes to another one by mouse
// and by keyboard.
#include <QAccessible>
#include <QLineEdit>
#include <QMenu>
#include <QSlider>
#include <QTest>
#include <algorithm>
#include <random>

#include "experiment/edits.h"
#include "panel_fixture.h"
#include "parsed_layout.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "views/shard_grid_view/dimension_slots.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/shard_grid_view/grid_tray.h"
#include "views/sharding_lab/form_row.h"
#include "views/sharding_lab/forms_panel.h"
#include "views/sharding_lab/result_panel.h"
#include "views/sharding_lab/sharding_lab_view.h"
#include "views/theme/appearance.h"
#include "views/theme/theme.h"
#include "views/widgets/chip.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::layoutOf;

namespace {

/// Five dimensions, four of them sharded, none evenly but the first.
Layout rankFive()
{
    return layoutOf("a=2,b=3,c=4,d=2", "P('a', 'b', None, 'c', 'd')", { 4, 8, 5, 10, 7 });
}

/// The tray over the grid whose dimensions it places, both in one window.
struct TrayInWindow {
    explicit TrayInWindow(ThemeChoice theme)
        : appearance(theme)
    {
    }
    Appearance appearance;
    Selection selection;
    QWidget window;
    GridCanvas canvas{ &selection, &window };
    GridTray tray{ &canvas, &window };
};

void typeText(QLineEdit* edit, const QString& text)
{
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, text);
}

constexpr GridPlace everyPlace[] = { GridPlace::Rows, GridPlace::Columns, GridPlace::Nest, GridPlace::Multiples,
    GridPlace::Slider, GridPlace::Fold };

} // namespace

class TestAxisTray : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        // The offscreen platform says that it has no keyboard to grab for the list of slots.
        QTest::failOnWarning(QRegularExpression(
            QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise|grabbing the keyboard))")));
    }

    /// Wherever the dimensions go: over all blocks of the sliders every shard has one cell.
    void everyShardHasOneCell()
    {
        std::mt19937 random(7);
        const auto pick = [&random](std::size_t count) { return static_cast<int>(random() % count); };
        for (const Layout& layout : { rankFive(), layoutOf("a=2,b=2,c=2", "P('a', 'b', 'c')", { 4, 4, 4 }),
                 layoutOf("a=2,b=2,c=2,d=2", "P('d', 'c', 'b', 'a')", { 4, 6, 8, 10 }) }) {
            GridLayout::Choice choice = GridLayout::defaultChoice(layout);
            for (int turn = 0; turn < 60; ++turn) {
                if (const auto moved = GridLayout::moved(
                        layout, choice, pick(layout.shape().size()), everyPlace[pick(std::size(everyPlace))]))
                    choice = *moved;
                QVERIFY(choice.rows >= 0 && choice.columns >= 0 && choice.rows != choice.columns);
                std::vector<int> seen(static_cast<std::size_t>(layout.distinctShards()), 0);
                std::int64_t slide = 0, slides = 1;
                for (; slide < slides; ++slide) {
                    const GridLayout first(layout, choice, { 900, 700 }, {});
                    choice = first.choiceAt(choice, slide);
                    const GridLayout grid(layout, choice, { 900, 700 }, {});
                    slides = grid.slides();
                    QCOMPARE(grid.slide(), slide);
                    QCOMPARE(grid.panelsInAll(), static_cast<std::int64_t>(grid.panels().size()));
                    int covered = 0, area = 0;
                    for (int panel = 0; panel < static_cast<int>(grid.panels().size()); ++panel) {
                        const QRect full = grid.panels()[static_cast<std::size_t>(panel)];
                        area += full.width() * full.height();
                        for (std::int64_t row = 0; row < grid.rows().parts; ++row)
                            for (std::int64_t column = 0; column < grid.columns().parts; ++column) {
                                const GridCell cell{ panel, row, column };
                                const std::int64_t shard = grid.shardOf(cell);
                                ++seen.at(static_cast<std::size_t>(shard));
                                QCOMPARE(grid.cellOf(shard), std::optional(cell));
                                const QRect rect = grid.cellRect(cell);
                                QCOMPARE(grid.cellAt(rect.center()), std::optional(cell));
                                covered += rect.width() * rect.height();
                                // The block along the columns is the one that the column stands for.
                                const auto at = static_cast<std::size_t>(grid.columns().dimension);
                                QCOMPARE(layout.rangesOfShard(shard)[at].begin,
                                    std::min(
                                        column / grid.columns().inner * grid.columns().block, grid.columns().size));
                            }
                        for (const QRect& part : grid.padding(full))
                            QVERIFY(full.contains(part) && !part.isEmpty());
                    }
                    QCOMPARE(covered, area);
                }
                QVERIFY(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
                choice = GridLayout(layout, choice, { 900, 700 }, {}).choiceAt(choice, 0);
            }
        }
    }

    void whatGoesWhere()
    {
        const Layout layout = layoutOf("a=2,b=4", "P(None, 'a', None, 'b')", { 3, 4, 5, 8 });
        const GridLayout::Choice start = GridLayout::defaultChoice(layout);
        QCOMPARE(start.rows, 1);
        QCOMPARE(start.columns, 3);
        const auto place = [&](const GridLayout::Choice& choice, int d) {
            return GridLayout::placeOf(layout, choice, d);
        };
        QVERIFY(place(start, 0) == GridPlace::Fold && place(start, 2) == GridPlace::Fold);
        // What is not cut has but one block.
        for (const GridPlace no : { GridPlace::Nest, GridPlace::Multiples, GridPlace::Slider })
            QVERIFY(!GridLayout::moved(layout, start, 0, no));
        // A cut dimension that leaves the rows lets the last uncut one in, and does not fold.
        QVERIFY(!GridLayout::moved(layout, start, 1, GridPlace::Fold));
        const auto nested = GridLayout::moved(layout, start, 1, GridPlace::Nest);
        QVERIFY(nested && nested->rows == 2 && nested->columns == 3);
        QVERIFY(place(*nested, 1) == GridPlace::Nest);
        const GridLayout grid(layout, *nested, { 600, 400 }, {});
        QCOMPARE(grid.columns().parts, 8);
        QCOMPARE(grid.columns().inner, 2);
        QCOMPARE(grid.columns().blocks(), 4);
        QCOMPARE(grid.columns().nested, std::vector<int>{ 1 });
        // Swapped where both span the panel.
        const auto swapped = GridLayout::moved(layout, start, 1, GridPlace::Columns);
        QVERIFY(swapped && swapped->rows == 3 && swapped->columns == 1);
        // Something has to span the panel.
        const Layout two = layoutOf("a=2,b=4", "P('a', 'b')", { 4, 8 });
        for (const GridPlace no : { GridPlace::Nest, GridPlace::Multiples, GridPlace::Slider, GridPlace::Fold })
            QVERIFY(!GridLayout::moved(two, GridLayout::defaultChoice(two), 0, no));
        const Layout one = layoutOf("a=2", "P('a')", { 4 });
        QVERIFY(!GridLayout::moved(one, GridLayout::defaultChoice(one), 0, GridPlace::Rows));
    }

    /// What would be more panels than can be looked at is on a slider from the start: all of it can be reached.
    void manyBlocksAreOnASlider()
    {
        const Layout layout = layoutOf("a=16,b=16,c=16,d=8", "P('a', 'b', 'c', 'd')", { 64, 64, 64, 64 });
        const GridLayout grid(layout, GridLayout::defaultChoice(layout), { 900, 700 }, {});
        QVERIFY(grid.panelsInAll() <= GridLayout::maximumPanels);
        QCOMPARE(grid.slides() * grid.panelsInAll(), 16 * 8);
    }

    void nestedCellsEndOneByOne()
    {
        // Columns: 10 in 4 blocks of 3, the last one with 1; two cells in each.
        const Layout layout = layoutOf("a=2,b=4", "P('a', None, 'b')", { 4, 4, 10 });
        GridLayout::Choice choice{ 1, 2 };
        choice.others = { GridPlace::Nest, GridPlace::Nest, GridPlace::Nest };
        const GridLayout grid(layout, choice, { 800, 400 }, {});
        const QRect panel = grid.panels().front();
        QVERIFY(grid.rightPadding(panel).isEmpty());
        const std::vector<QRect> parts = grid.padding(panel);
        QCOMPARE(parts.size(), 2U);
        for (int i = 0; i < 2; ++i) {
            const QRect cell = grid.cellRect({ 0, 0, 6 + i });
            QCOMPARE(parts[static_cast<std::size_t>(i)].right(), cell.right());
            QCOMPARE(parts[static_cast<std::size_t>(i)].left(), cell.left() + cell.width() / 3);
        }
    }

    /// An array of rank 4 in the laboratory, all of it by keyboard.
    void rankFourByKeyboard()
    {
        test::Fixture fixture;
        Appearance appearance(ThemeChoice::Light);
        Experiment experiment = *fixture.document.experiment();
        experiment.mesh = { { { "a", 2 }, { "b", 2 }, { "c", 2 } }, {} };
        fixture.document.edit(experiment, QStringLiteral("mesh"));
        ShardingLabView view(&fixture.document, &fixture.selection);
        view.resize(1000, 640);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        typeText(view.forms()->row(ShardingForm::Spec)->edit(), QStringLiteral("P('a', 'b', None, 'c')"));
        typeText(test::named<QLineEdit>(view.forms(), u"Shape"_s), QStringLiteral("4, 6, 8, 10"));
        QVERIFY(!view.state().isStale());
        GridCanvas* canvas = view.results()->canvas();
        DimensionSlots* slots = view.results()->tray()->findChild<DimensionSlots*>();
        QVERIFY(slots->isVisible());
        QCOMPARE(slots->chips().size(), 4U);
        const auto placeOf = [&](int d) { return slots->chips()[static_cast<std::size_t>(d)].place; };
        QVERIFY(placeOf(0) == GridPlace::Rows && placeOf(1) == GridPlace::Columns);
        QVERIFY(placeOf(2) == GridPlace::Fold && placeOf(3) == GridPlace::Multiples);
        QCOMPARE(canvas->grid().panels().size(), 2U);

        slots->setFocus(Qt::TabFocusReason);
        QTest::keyClick(slots, Qt::Key_Home);
        QCOMPARE(slots->currentDimension(), 0);
        QTest::keyClick(slots, Qt::Key_Right);
        QTest::keyClick(slots, Qt::Key_Right);
        QCOMPARE(slots->currentDimension(), 3);
        QTest::keyClick(slots, Qt::Key_Right, Qt::AltModifier);
        QVERIFY(placeOf(3) == GridPlace::Slider);
        QCOMPARE(slots->currentDimension(), 3); // the keys stay at what they moved
        QCOMPARE(canvas->grid().panels().size(), 1U);
        const std::vector<QSlider*> sliders = view.results()->tray()->sliders();
        QCOMPARE(sliders.size(), 1U);
        QCOMPARE(sliders[0]->maximum(), 1);
        QVERIFY(sliders[0]->accessibleName().contains(QStringLiteral("dimension 3")));

        // The cell is the same one, the shard another.
        const GridCell cell{ 0, 1, 1 };
        canvas->setCurrentCell(cell);
        const std::int64_t shard = canvas->grid().shardOf(cell);
        const QString stated = canvas->accessibleDescription();
        sliders[0]->setFocus(Qt::TabFocusReason);
        QTest::keyClick(sliders[0], Qt::Key_Right);
        QCOMPARE(canvas->grid().slideOf(3), 1);
        QCOMPARE(canvas->grid().shardOf(cell), shard + 1);
        QCOMPARE(canvas->currentCell(), std::optional(cell));
        QVERIFY(canvas->accessibleDescription() != stated);
        canvas->setFocus();
        QTest::keyClick(canvas, Qt::Key_PageUp);
        QCOMPARE(sliders[0]->value(), 0);
        QTest::keyClick(canvas, Qt::Key_PageUp); // there is nothing before it
        QCOMPARE(sliders[0]->value(), 0);
        QTest::keyClick(canvas, Qt::Key_PageDown);
        QCOMPARE(sliders[0]->value(), 1);

        // Nested: four columns of cells in two blocks.
        slots->setFocus(Qt::TabFocusReason);
        QTest::keyClick(slots, Qt::Key_Left, Qt::AltModifier);
        QTest::keyClick(slots, Qt::Key_Left, Qt::AltModifier);
        QVERIFY(placeOf(3) == GridPlace::Nest);
        QVERIFY(view.results()->tray()->sliders().empty());
        QCOMPARE(canvas->grid().columns().parts, 4);
        QVERIFY(!view.grab().isNull());
        canvas->setFocus();
        canvas->setCurrentCell(GridCell{});
        QTest::keyClick(canvas, Qt::Key_Right);
        QCOMPARE(canvas->grid().shardOf(*canvas->currentCell()), 1); // the next block of dimension 3
        QTest::keyClick(canvas, Qt::Key_Right);
        QCOMPARE(canvas->grid().shardOf(*canvas->currentCell()), 2); // the next one of dimension 1

        // The uncut one as rows: what stood there goes where that came from, as far as it can.
        slots->setFocus(Qt::TabFocusReason);
        QTest::keyClick(slots, Qt::Key_End);
        QCOMPARE(slots->currentDimension(), 2);
        QTest::keyClick(slots, Qt::Key_Return);
        auto* menu = slots->findChild<QMenu*>();
        QTRY_VERIFY(menu && menu->isVisible());
        QCOMPARE(menu->actions().size(), 6);
        for (QAction* action : menu->actions())
            QCOMPARE(action->isEnabled(),
                action->text() == QStringLiteral("Rows") || action->text() == QStringLiteral("Columns")
                    || action->text() == QStringLiteral("Fold"));
        menu->actions().front()->trigger();
        menu->close();
        QVERIFY(placeOf(2) == GridPlace::Rows && placeOf(0) == GridPlace::Multiples);
        QCOMPARE(canvas->grid().rows().parts, 1);

        QAccessibleTableInterface* table = QAccessible::queryAccessibleInterface(slots)->tableInterface();
        QVERIFY(table);
        QCOMPARE(table->rowCount(), 4);
        QCOMPARE(table->cellAt(0, 0)->text(QAccessible::Name), QStringLiteral("dimension 2"));
        QCOMPARE(table->cellAt(0, 1)->text(QAccessible::Name), QStringLiteral("Rows"));
    }

    /// Axes that shard a dimension together are told apart by their numbers.
    void marksOfSeveralAxes()
    {
        const GridSubject subject{ layoutOf("a=2,b=2,c=2", "P(('a', 'c'), None)", { 8, 6 }), { "rows", "columns" }, 4,
            8 };
        using Marks = std::vector<std::pair<QString, int>>;
        QVERIFY((subject.axisMarks(0) == Marks{ { QStringLiteral("@a"), 0 }, { QStringLiteral(", c"), 2 } }));
        QVERIFY(subject.axisMarks(1).empty());
        QCOMPARE(subject.axesOf(0), QStringLiteral("@a, c"));
        QCOMPARE(subject.axesOf(1), QString());
    }

    /// Names have room for their axes, before the label of the colours has any.
    void namesKeepTheirAxes()
    {
        TrayInWindow shown(ThemeChoice::Light);
        auto& [appearance, selection, window, canvas, tray] = shown;
        canvas.setSubject(
            GridSubject{ layoutOf("data=2,model=4", "P('data', 'model')", { 8, 16 }), { "rows", "columns" }, 4, 8 });
        tray.follow();
        window.resize(900, 300);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        DimensionSlots* slots = tray.findChild<DimensionSlots*>();
        const auto narrowed = [&] {
            const auto& chips = slots->slotsLayout().chips;
            return std::any_of(chips.begin(), chips.end(), [&](const SlotsLayout::Chip& chip) {
                const QString& text = slots->chips()[static_cast<std::size_t>(chip.item)].text;
                return chip.rect.width() < std::min(chipSize(text).width(), Metrics::scaled(160));
            });
        };
        const int margins = 2 * 8;
        for (int width = 700; width >= slots->widthForNames() + margins; width -= 10) {
            tray.resize(width, 100);
            QTRY_VERIFY2(slots->width() <= width - margins && !narrowed(), qPrintable(QString::number(width)));
        }
    }

    void dragged()
    {
        TrayInWindow shown(ThemeChoice::Dark);
        auto& [appearance, selection, window, canvas, tray] = shown;
        window.resize(900, 700);
        tray.setGeometry(0, 0, 900, 100);
        canvas.setGeometry(0, 100, 900, 600);
        canvas.setSubject(GridSubject{
            layoutOf("a=2,b=2,c=2", "P('a', 'b', 'c')", { 4, 6, 8 }), { "layers", "embed", "hidden" }, 4, 8 });
        tray.follow();
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        DimensionSlots* slots = tray.findChild<DimensionSlots*>();
        const auto chip = [&](int dimension) {
            for (const SlotsLayout::Chip& each : slots->slotsLayout().chips)
                if (each.item == dimension)
                    return each.rect.center();
            return QPoint();
        };
        const auto frame = [&](GridPlace place) {
            for (const SlotsLayout::Slot& slot : slots->slotsLayout().frames)
                if (slot.place == place)
                    return slot.frame.center();
            return QPoint();
        };
        const auto drag = [&](QPoint from, QPoint to) {
            QTest::mousePress(slots, Qt::LeftButton, Qt::NoModifier, from);
            QTest::mouseMove(slots, from + QPoint(12, 0));
            QTest::mouseMove(slots, to);
            QVERIFY(!slots->grab().isNull());
            QTest::mouseRelease(slots, Qt::LeftButton, Qt::NoModifier, to);
        };
        QVERIFY(slots->chips()[2].place == GridPlace::Multiples);
        drag(chip(2), frame(GridPlace::Rows));
        QVERIFY(slots->chips()[2].place == GridPlace::Rows && slots->chips()[0].place == GridPlace::Multiples);
        // It is sharded: nothing happens, and the reason is said.
        QTest::mousePress(slots, Qt::LeftButton, Qt::NoModifier, chip(0));
        QTest::mouseMove(slots, chip(0) + QPoint(12, 0));
        QCOMPARE(slots->refusal(), QString());
        QTest::mouseMove(slots, frame(GridPlace::Fold));
        QCOMPARE(slots->refusal(), QStringLiteral("layers is sharded: what is folded has one block"));
        QCOMPARE(slots->cursor().shape(), Qt::ForbiddenCursor);
        QVERIFY(!slots->grab().isNull());
        QTest::mouseRelease(slots, Qt::LeftButton, Qt::NoModifier, frame(GridPlace::Fold));
        QCOMPARE(slots->refusal(), QString());
        QVERIFY(slots->chips()[0].place == GridPlace::Multiples);
        drag(chip(0), frame(GridPlace::Nest));
        QVERIFY(slots->chips()[0].place == GridPlace::Nest);
        QVERIFY(!window.grab().isNull());
    }
};

REGISTER_TEST(TestAxisTray)
#include "test_axis_tray.moc"
