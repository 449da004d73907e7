// SPDX-License-Identifier: GPL-3.0-or-later
// Where the parts of programs are drawn, without a window.
#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <map>
#include <set>

#include "program_graph.h"
#include "random_cases.h"
#include "registered_test.h"
#include "stablehlo/read.h"
#include "transformer_program.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Graph;
using test::mlp;
using test::randomProgram;

namespace {

QString boxesOf(const GraphLevel& level)
{
    const QRectF frame(QPointF(), level.size);
    for (std::size_t i = 0; i < level.items.size(); ++i) {
        const GraphItem& a = level.items[i];
        if (!frame.contains(a.rect) || !level.layerRects[static_cast<std::size_t>(a.layer)].contains(a.rect))
            return u"an item out of its frame"_s;
        if (i > 0 && level.items[i - 1].layer > a.layer)
            return u"items %1 and %2 out of order"_s.arg(i - 1).arg(i);
        for (std::size_t k = 0; k < i; ++k)
            if (level.items[k].rect.intersects(a.rect))
                return u"items %1 and %2"_s.arg(k).arg(i);
    }
    return {};
}

QString edgesOf(const GraphLevel& level)
{
    for (const GraphEdge& edge : level.edges) {
        const GraphItem &from = level.item(edge.from), &to = level.item(edge.to);
        const QPointF first = edge.points.front(), last = edge.points.back();
        if (from.layer >= to.layer)
            return u"an edge that goes back"_s;
        if (first.x() != from.rect.right() || first.y() < from.rect.top() || first.y() > from.rect.bottom())
            return u"an edge that does not start at its box"_s;
        if (last.x() != to.rect.left() || last.y() < to.rect.top() || last.y() > to.rect.bottom())
            return u"an edge that does not end at its box"_s;
        if (edge.points.size() % 2 != 0)
            return u"an edge without an end"_s;
        // Straight stretches pass beside the boxes; only those between rows run back.
        for (std::size_t i = 1; i < edge.points.size(); ++i) {
            const QPointF a = edge.points[i - 1], b = edge.points[i];
            if (!QRectF(QPointF(), level.size).adjusted(-1, -1, 1, 1).contains(b))
                return u"an edge out of its frame"_s;
            if (a.x() != b.x() && a.y() != b.y()) {
                if (b.x() < a.x())
                    return u"an edge that turns back"_s;
                continue;
            }
            const QRectF way = QRectF(a, b).normalized();
            for (const GraphItem& item : level.items)
                if (&item != &from && &item != &to
                    && item.rect.adjusted(1, 1, -1, -1).intersects(way.adjusted(-0.1, -0.1, 0.1, 0.1)))
                    return u"an edge through a box"_s;
        }
    }
    return {};
}

/// Every value that flows from one visible item to another one is drawn: as an edge between them, or as an edge from a
/// drawing of the value.
QString flowsOf(const Graph& graph)
{
    const Program& program = *graph.program;
    std::map<int, std::set<std::pair<int, int>>> edges; // level: from item, to item
    std::map<int, std::map<int, std::set<std::uint32_t>>> drawn; // level, item: values drawn above it
    graph.forEachLevel([&](int part, const GraphLevel& level) {
        for (const GraphEdge& edge : level.edges) {
            edges[part].insert({ edge.from, edge.to });
            if (level.item(edge.from).kind == GraphItem::Kind::Value)
                drawn[part][edge.to].insert(level.item(edge.from).value.index);
        }
    });
    const auto wayUp = [&](OperationId id) { // the levels and items that an operation stands in, innermost first
        std::vector<GraphPlace> way;
        for (int at = graph.outline->partOfOperation[id.index]; at > 0; at = graph.outline->part(at).parent)
            if (graph.layout.level(graph.outline->part(at).parent))
                way.push_back(graph.layout.placeOf(at));
        return way;
    };
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        const auto users = wayUp(OperationId(i));
        for (const ValueId operand : program.operations[i].operands) {
            const auto& specified = program.main().arguments;
            const bool ofBody = !program.value(operand).definition.valid()
                && std::find(specified.begin(), specified.end(), operand) == specified.end();
            const OperationId definition = program.value(operand).definition;
            const auto sources = definition.valid() ? wayUp(definition) : std::vector<GraphPlace>();
            for (std::size_t k = 0; k < (ofBody ? std::min<std::size_t>(1, users.size()) : users.size()); ++k) {
                const GraphPlace user = users[k];
                const auto source = std::find_if(
                    sources.begin(), sources.end(), [&](const GraphPlace& place) { return place.level == user.level; });
                const int part = graph.layout.item(user).part;
                if (source == sources.end()) {
                    // From outside: drawn beside the operation itself.
                    if (graph.outline->part(part).kind == PartKind::Operation
                        && !drawn[user.level][user.item].contains(operand.index))
                        return u"%1 is not drawn above operation %2"_s.arg(operand.index).arg(i);
                    continue;
                }
                if (source->item == user.item)
                    break; // within one folded part, or higher up the same
                if (!edges[user.level].contains({ source->item, user.item }) && drawn[user.level][user.item].empty())
                    return u"value %1 does not come to operation %2"_s.arg(operand.index).arg(i);
                break;
            }
        }
    }
    return {};
}

} // namespace

class TestProgramLayout : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingOverlapsAndEdgesMeetTheirBoxes_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < test::randomCases(24); ++seed)
            QTest::addRow("%d", seed) << seed;
    }
    void nothingOverlapsAndEdgesMeetTheirBoxes()
    {
        QFETCH(int, seed);
        Graph graph(seed == 0 ? mlp()
                : seed == 1   ? test::transformerProgram(3)
                : seed == 2   ? test::transformerProgram(4, false)
                              : randomProgram(static_cast<unsigned>(seed), 20 + 12 * seed));
        for (int state = 0; state < 4; ++state) {
            if (state == 0)
                graph.layout.openFirst();
            else if (state == 1)
                graph.openAll();
            else
                graph.openSome(static_cast<unsigned>(seed * 7 + state));
            graph.forEachLevel([&](int part, const GraphLevel& level) {
                QVERIFY2(boxesOf(level).isEmpty(), qPrintable(boxesOf(level)));
                QVERIFY2(edgesOf(level).isEmpty(), qPrintable(edgesOf(level)));
                if (part != 0) { // a frame is as large as its place
                    const GraphPlace place = graph.layout.placeOf(part);
                    QCOMPARE(graph.layout.rect(place), QRectF(graph.layout.origin(part), level.size));
                }
            });
            QVERIFY2(flowsOf(graph).isEmpty(), qPrintable(flowsOf(graph)));
        }
    }

    /// A body in which most of the program stands is open at first, a small one is not.
    void whatIsOpenAtFirst()
    {
        const auto opens = [](int outside, int inside) {
            const auto negated = [](const std::string& value, int times) {
                std::string text;
                for (int i = 0; i < times; ++i)
                    text += "  %" + value + std::to_string(i + 1) + " = stablehlo.negate %" + value + std::to_string(i)
                        + " : tensor<4xf32>\n";
                return text;
            };
            const std::string text =
                "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%o0: tensor<4xf32>) -> tensor<8xf32> {\n"
                + negated("o", outside) + "  %0 = sdy.manual_computation(%o" + std::to_string(outside)
                + ") in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} "
                  "(%i0: tensor<4xf32>) {\n"
                + negated("i", inside) + "  sdy.return %i" + std::to_string(inside)
                + " : tensor<4xf32>\n  } : (tensor<4xf32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
            auto read = readStableHlo(text);
            if (!read)
                qFatal("not read");
            Graph graph(std::move(read->program));
            graph.layout.openFirst();
            for (std::size_t i = 0; i < graph.program->operations.size(); ++i)
                if (graph.program->operations[i].kind == OpKind::ManualComputation)
                    return graph.layout.isOpen(graph.outline->partOfOperation[i]);
            qFatal("no body");
        };
        QVERIFY(opens(1, 10));
        QVERIFY(!opens(10, 2));
    }

    void foldingMovesOnlyWhatStandsAround()
    {
        Graph graph(mlp());
        graph.layout.openFirst();
        const int inner = graph.outline->part(0).children.front();
        const GraphLevel before = *graph.layout.level(inner);
        const int optimizer = graph.outline->part(0).children.back();
        QVERIFY(!graph.layout.isOpen(optimizer));
        graph.layout.setOpen(optimizer, true);
        QVERIFY(graph.layout.level(optimizer));
        const GraphLevel& after = *graph.layout.level(inner);
        QCOMPARE(after.size, before.size);
        for (std::size_t i = 0; i < before.items.size(); ++i)
            QCOMPARE(after.items[i].rect, before.items[i].rect);
        graph.layout.setOpen(optimizer, false);
        QVERIFY(!graph.layout.level(optimizer));
        graph.layout.setOpen(inner, false);
        QVERIFY(!graph.layout.level(inner));
        QCOMPARE(graph.layout.placeOf(graph.outline->part(inner).children.front()), graph.layout.placeOf(inner));
    }

    void theSameProgramIsDrawnTheSame()
    {
        Graph one(test::transformerProgram(3)), two(test::transformerProgram(3));
        one.openAll();
        two.openAll();
        int levels = 0;
        one.forEachLevel([&](int part, const GraphLevel& level) {
            const GraphLevel& other = *two.layout.level(part);
            QCOMPARE(other.items.size(), level.items.size());
            for (std::size_t i = 0; i < level.items.size(); ++i)
                QCOMPARE(other.items[i].rect, level.items[i].rect);
            for (std::size_t i = 0; i < level.edges.size(); ++i)
                QVERIFY(other.edges[i].points == level.edges[i].points);
            ++levels;
        });
        QVERIFY(levels > 10);
    }

    void aSmallEditLeavesTheRestInOrder()
    {
        // One more operation at the end: all others keep layer and neighbours.
        const auto build = [](bool more) {
            Builder builder("b");
            const TensorType type{ DType::F32, { 8 } };
            ValueId x = builder.argument(type, "x", Role::Input);
            for (int i = 0; i < 12; ++i) {
                const ValueId left = builder.unary(OpKind::Tanh, x), right = builder.unary(OpKind::Sine, x);
                x = builder.binary(OpKind::Add, left, right);
            }
            builder.result(more ? builder.unary(OpKind::Cosine, x) : x);
            return std::move(builder).finish();
        };
        Graph without(build(false)), with(build(true));
        without.openAll();
        with.openAll();
        const auto order = [](const Graph& graph, std::size_t count) {
            std::vector<std::pair<int, std::uint32_t>> found; // layer, operation
            const auto visit = [&](const auto& self, int part) -> void {
                for (const GraphItem& item : graph.layout.level(part)->items)
                    if (item.part >= 0 && graph.outline->isContainer(item.part))
                        self(self, item.part);
                    else if (item.part >= 0 && found.size() < count)
                        found.emplace_back(item.layer, graph.outline->part(item.part).operation.index);
            };
            visit(visit, 0);
            return found;
        };
        const std::size_t count = without.program->operations.size();
        QVERIFY(order(without, count) == order(with, count));
    }

    void chainsAreStraight()
    {
        Builder builder("chain");
        ValueId x = builder.argument({ DType::F32, { 8 } }, "x", Role::Input);
        for (const OpKind kind : { OpKind::Tanh, OpKind::Sine, OpKind::Cosine, OpKind::Abs, OpKind::Sqrt })
            x = builder.binary(OpKind::Add, builder.unary(kind, x), builder.constant({ DType::F32, { 8 } }, 1));
        builder.result(x);
        Graph graph(std::move(builder).finish(), 1e6); // one row
        graph.openAll();
        std::set<double> middles;
        for (const GraphItem& item : graph.layout.level(0)->items)
            if (item.part >= 0
                && graph.program->operation(graph.outline->part(item.part).operation).kind != OpKind::Constant)
                middles.insert(item.rect.center().y());
        QVERIFY2(*middles.rbegin() - *middles.begin() <= 2, "the main line bends");
    }

    void whatIsAtAPoint()
    {
        Graph graph(test::transformerProgram(2));
        graph.openAll();
        int checked = 0;
        for (const GraphPlace& place : graph.layout.places()) {
            const QRectF rect = graph.layout.rect(place);
            const int part = graph.layout.item(place).part;
            const bool open = part >= 0 && graph.layout.isOpen(part);
            QCOMPARE(graph.layout.at(open ? rect.topLeft() + QPointF(3, 3) : rect.center()), place);
            ++checked;
        }
        QVERIFY(checked > 300);
        QVERIFY(!graph.layout.at({ -5, -5 }).valid());
        QVERIFY(!graph.layout.at({ 1, 1 }).valid()); // the margin
    }

    void arrowKeysReachEverything_data()
    {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < 5; ++kind)
            QTest::addRow("%d", kind) << kind;
    }
    void arrowKeysReachEverything()
    {
        QFETCH(int, kind);
        Graph graph(kind == 0 ? mlp()
                : kind == 1   ? test::transformerProgram(2)
                              : randomProgram(static_cast<unsigned>(kind), 80));
        graph.openAll();
        std::vector<GraphPlace> waiting{ graph.layout.neighbour({}, GraphDirection::Right) };
        std::set<std::pair<int, int>> reached{ { waiting.front().level, waiting.front().item } };
        while (!waiting.empty()) {
            const GraphPlace at = waiting.back();
            waiting.pop_back();
            for (const GraphDirection direction :
                { GraphDirection::Up, GraphDirection::Down, GraphDirection::Left, GraphDirection::Right }) {
                const GraphPlace next = graph.layout.neighbour(at, direction);
                QVERIFY(next.valid());
                if (reached.insert({ next.level, next.item }).second)
                    waiting.push_back(next);
            }
        }
        QStringList missed;
        for (const GraphPlace& place : graph.layout.places())
            if (!reached.contains({ place.level, place.item }))
                missed << u"%1:%2"_s.arg(place.level).arg(place.item);
        QVERIFY2(missed.isEmpty(), qPrintable(missed.join(u' ')));
    }

    void bodiesAndFunctions()
    {
        // while with a condition and a body; a second function that main calls.
        Program program;
        program.name = "module";
        const auto value = [&](TensorType type) {
            Value added;
            added.type = std::move(type);
            program.values.push_back(added);
            return ValueId(program.values.size() - 1);
        };
        const TensorType number{ DType::F32, {} };
        const auto add = [&](Region& region, OpKind kind, std::initializer_list<ValueId> operands) {
            Operation operation;
            operation.kind = kind;
            for (const ValueId operand : operands)
                operation.operands.push_back(operand);
            const ValueId result = value(number);
            operation.results.push_back(result);
            const OperationId id(program.operations.size());
            program.values[result.index].definition = id;
            program.operations.push_back(operation);
            region.operations.push_back(id);
            return result;
        };
        Region main, condition, body, helper;
        const ValueId x = value(number), c = value(number), b = value(number), h = value(number);
        main.arguments = { x };
        condition.arguments = { c };
        body.arguments = { b };
        helper.arguments = { h };
        const ValueId outer = add(main, OpKind::Tanh, { x });
        const ValueId loop = add(main, OpKind::While, { x });
        program.operations.back().regions = { RegionId(1), RegionId(2) };
        main.results = { add(main, OpKind::Sine, { loop }) };
        condition.results = { add(condition, OpKind::Negate, { c }) };
        body.results = { add(body, OpKind::Add, { b, outer }) }; // reads what stands outside
        helper.results = { add(helper, OpKind::Abs, { h }) };
        program.regions = { main, condition, body, helper };
        program.functions = { { "main", true, RegionId(0), {}, {}, {}, 0, {}, 0, {} },
            { "helper", false, RegionId(3), {}, {}, {}, 0, {}, 0, {} } };
        program.scopes = { "" };

        Graph graph(std::move(program));
        QCOMPARE(graph.lines().join(u'\n'),
            u"main | 5 ops\n"
            "  while | 3 ops\n"
            "    condition | 1 op\n"
            "    body | 1 op\n"
            "helper | 1 op"_s);
        graph.openAll();
        graph.forEachLevel([&](int, const GraphLevel& level) {
            QVERIFY2(boxesOf(level).isEmpty(), qPrintable(boxesOf(level)));
            QVERIFY2(edgesOf(level).isEmpty(), qPrintable(edgesOf(level)));
        });
        QVERIFY2(flowsOf(graph).isEmpty(), qPrintable(flowsOf(graph)));
        // In main tanh leads to the loop whose body reads it.
        const int inMain = graph.outline->part(0).children.front();
        const GraphLevel& level = *graph.layout.level(inMain);
        const auto itemOf = [&](std::uint32_t operation) {
            return graph.layout.placeOf(graph.outline->partOfOperation[operation]).item;
        };
        QVERIFY(std::any_of(level.edges.begin(), level.edges.end(),
            [&](const GraphEdge& edge) { return edge.from == itemOf(0) && edge.to == itemOf(1); }));
    }

    void thirtyThousandOperations()
    {
        for (const bool scoped : { true, false }) {
            QElapsedTimer timer;
            Program program = test::transformerProgram(142, scoped);
            QVERIFY2(program.operations.size() >= 30'000, qPrintable(QString::number(program.operations.size())));
            timer.start();
            Graph graph(std::move(program));
            graph.layout.openFirst();
            const qint64 opened = timer.restart();
            QVERIFY(graph.layout.places().size() < 400); // folded at first
            graph.openAll();
            const qint64 unfolded = timer.elapsed();
            QVERIFY2(opened < 2000, qPrintable(u"%1 ms"_s.arg(opened)));
            QVERIFY2(unfolded < 6000, qPrintable(u"%1 ms"_s.arg(unfolded)));
            QVERIFY(graph.layout.places().size() > 30'000);
            int levels = 0;
            graph.forEachLevel([&](int, const GraphLevel& level) {
                QVERIFY2(boxesOf(level).isEmpty(), qPrintable(boxesOf(level)));
                ++levels;
            });
            QVERIFY(levels > 100);
        }
    }
};

REGISTER_TEST(TestProgramLayout)
#include "test_program_layout.moc"
