// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "random_properties.h"
#include "registered_test.h"
#include "sharding/generators.h"
#include "sharding/text.h"

using namespace shardscope;

class TestText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void forms_data();
    void forms();
    void meshes();
    void shardyOfShardings();
    void arrays();
    void hloMeansTheLayout();
    void grids();
    void gridsOfHigherRank();
    void gridsStayBounded();
};

namespace {

const Mesh& sample()
{
    static const Mesh mesh = *Mesh::create({ { "d", 2 }, { "b", 2 }, { "one", 1 }, { "c", 4 } });
    return mesh;
}

std::vector<std::int64_t> numbers(const QString& list)
{
    std::vector<std::int64_t> result;
    for (const QString& item : list.split(',', Qt::SkipEmptyParts))
        result.push_back(item.toLongLong());
    return result;
}

/// The positions of a transposed iota, in row-major order of the transposed dimensions.
std::vector<std::int64_t> transposedIota(const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& perm)
{
    std::vector<std::int64_t> strides(dims.size(), 1);
    for (std::size_t i = dims.size(); i-- > 1;)
        strides[i - 1] = strides[i] * dims[i];
    std::vector<std::int64_t> positions{ 0 };
    for (const std::int64_t p : perm) {
        const auto dim = static_cast<std::size_t>(p);
        std::vector<std::int64_t> next;
        for (const std::int64_t position : positions)
            for (std::int64_t i = 0; i < dims[dim]; ++i)
                next.push_back(position + i * strides[dim]);
        positions = std::move(next);
    }
    return positions;
}

Layout layoutOf(std::vector<MeshAxis> axes, const char* spec, Shape shape)
{
    const auto mesh = std::make_shared<const Mesh>(*Mesh::create(std::move(axes)));
    return { mesh, toTensorSharding(*parseSpec(spec), *mesh, shape.size()), shape };
}

QString drawn(const Layout& layout, const GridTextOptions& options = {})
{
    QStringList lines;
    for (const std::string& line : toGridText(layout, options))
        lines.append(QString::fromStdString(line));
    return lines.join('\n');
}

} // namespace

void TestText::forms_data()
{
    QTest::addColumn<QString>("declared");
    QTest::addColumn<QString>("jax");
    QTest::addColumn<QString>("column");
    QTest::addColumn<QString>("hlo");
    QTest::addColumn<QString>("shardy");
    const auto row = [](const char* declared, const char* jax, const char* column, const char* hlo,
                         const char* shardy) { QTest::newRow(declared) << declared << jax << column << hlo << shardy; };
    // On d=2, b=2, one=1, c=4, for arrays of rank 3.
    row("P()", "P()", "P()", "{replicated}", "<@mesh, [{}, {}, {}]>");
    row("P(None, ('d','b'), 'c')", "P(None, ('d', 'b'), 'c')", "P(-, (d, b), c)", "{devices=[1,4,4]<=[16]}",
        "<@mesh, [{}, {\"d\", \"b\"}, {\"c\"}]>");
    row("P('c', ('d',))", "P('c', ('d',))", "P(c, (d,))", "{devices=[4,2,1,2]<=[4,4]T(1,0) last_tile_dim_replicate}",
        "<@mesh, [{\"c\"}, {\"d\"}, {}]>");
    row("P(('b','d'), None, ())", "P(('b', 'd'), None, ())", "P((b, d), -, ())",
        "{devices=[4,1,1,4]<=[2,2,4]T(1,0,2) last_tile_dim_replicate}", "<@mesh, [{\"b\", \"d\"}, {}, {}]>");
    row("P('one', UNCONSTRAINED)", "P('one', UNCONSTRAINED)", "P(one, ?)", "{replicated}",
        "<@mesh, [{\"one\"}, {?}, {}]>");
    row("P(('one','b'))", "P(('one', 'b'))", "P((one, b))",
        "{devices=[2,1,1,8]<=[2,2,4]T(1,0,2) last_tile_dim_replicate}", "<@mesh, [{\"one\", \"b\"}, {}, {}]>");
}

void TestText::forms()
{
    QFETCH(QString, declared);
    QFETCH(QString, jax);
    QFETCH(QString, column);
    QFETCH(QString, hlo);
    QFETCH(QString, shardy);
    const PartitionSpec spec = *parseSpec(declared.toStdString());
    QCOMPARE(QString::fromStdString(toJax(spec)), jax);
    // Python prints a tuple of one entry with its comma.
    const QString longForm = "PartitionSpec" + jax.mid(1, jax.size() - 2) + (spec.size() == 1 ? ",)" : ")");
    QCOMPARE(QString::fromStdString(toJax(spec, false)), longForm);
    QCOMPARE(QString::fromStdString(toColumn(spec)), column);
    QCOMPARE(QString::fromStdString(toHlo(spec, sample(), 3)), hlo);
    QCOMPARE(QString::fromStdString(toShardy(spec, 3)), shardy);
}

void TestText::meshes()
{
    QCOMPARE(toJax(sample()), std::string("Mesh('d': 2, 'b': 2, 'one': 1, 'c': 4)"));
    QCOMPARE(toShardy(sample()), std::string("<[\"d\"=2, \"b\"=2, \"one\"=1, \"c\"=4]>"));
    QCOMPARE(
        toJax(*Mesh::create({ { "it's", 1 }, { "a\\b\n", 1 } })), std::string("Mesh(\"it's\": 1, 'a\\\\b\\n': 1)"));
    QCOMPARE(toShardy(*Mesh::create({ { "a\"b", 1 } })), std::string("<[\"a\\22b\"=1]>"));
}

void TestText::shardyOfShardings()
{
    TensorSharding sharding = TensorSharding::open(2);
    sharding.dims[0].axes = { fullAxis(sample(), 0), { 3, 1, 2 } };
    sharding.dims[0].priority = 1;
    sharding.dims[1].open = false;
    sharding.replicated = { fullAxis(sample(), 1) };
    sharding.unreduced = { { 3, 2, 2 } };
    QCOMPARE(toShardy(sharding, sample()),
        std::string(R"(<@mesh, [{"d", "c":(1)2, ?}p1, {}], replicated={"b"}, unreduced={"c":(2)2}>)"));
    QCOMPARE(toShardy(TensorSharding::open(1), sample()), std::string("<@mesh, [{?}]>"));
    QCOMPARE(toJax(toPartitionSpec(sharding, sample())), std::string("P(('d', 'c:(1)2'), None)"));
}

void TestText::arrays()
{
    const std::vector<std::int64_t> shape{ 1024, 1024 };
    const TensorSharding sharding = toTensorSharding(*parseSpec("P(('d', 'b'), 'c')"), sample(), 2);
    QCOMPARE(describeArray("f32", shape, { "embed", "hidden" }, sharding, sample()),
        std::string("f32[embed 1024@(d,b), hidden 1024@c]"));
    TensorSharding partial = TensorSharding::open(2);
    partial.unreduced = { fullAxis(sample(), 3) };
    QCOMPARE(describeArray("f64", shape, {}, partial, sample()), std::string("f64[1024, 1024]{U:c}"));
    QCOMPARE(describeArray("s32", {}, {}, {}, sample()), std::string("s32[]"));
}

void TestText::hloMeansTheLayout()
{
    // Read the text back by its own rules: tile number i of the tile dimensions holds the i-th of the positions.
    const QRegularExpression form(QRegularExpression::anchoredPattern(
        R"(\{devices=\[([\d,]+)\]<=\[([\d,]+)\](T\(([\d,]+)\))?( last_tile_dim_replicate)?\})"));
    const bool holds = test::propertyHolds(2000, "HLO text and layout agree", [&] {
        const MeshPtr mesh = generators::mesh();
        const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 5);
        const PartitionSpec spec = generators::spec(*mesh, rank);
        const Layout layout(mesh, toTensorSharding(spec, *mesh, rank), Shape(rank, 144 * 9));
        const std::string text = toHlo(spec, *mesh, rank);
        if (text == "{replicated}") {
            RC_ASSERT(layout.distinctShards() == 1);
            return;
        }
        const QRegularExpressionMatch parts = form.match(QString::fromStdString(text));
        RC_ASSERT(parts.hasMatch());
        const bool replicated = !parts.captured(5).isEmpty();
        const std::vector<std::int64_t> tile = numbers(parts.captured(1));
        const std::vector<std::int64_t> dims = numbers(parts.captured(2));
        std::vector<std::int64_t> perm = numbers(parts.captured(4));
        if (perm.empty())
            for (std::size_t i = 0; i < dims.size(); ++i)
                perm.push_back(static_cast<std::int64_t>(i));
        RC_ASSERT(perm.size() == dims.size());
        RC_ASSERT(tile.size() == rank + (replicated ? 1 : 0));
        for (std::size_t d = 0; d < rank; ++d)
            RC_ASSERT(tile[d] == layout.shardGrid()[d]);
        const std::vector<std::int64_t> positions = transposedIota(dims, perm);
        RC_ASSERT(static_cast<std::int64_t>(positions.size()) == mesh->deviceCount());
        const std::int64_t copies = replicated ? tile.back() : 1;
        RC_ASSERT(copies == layout.copies());
        for (std::size_t i = 0; i < positions.size(); ++i)
            RC_ASSERT(layout.shardAt(positions[i]) == static_cast<std::int64_t>(i) / copies);
    });
    QVERIFY(holds);
}

void TestText::grids()
{
    GridTextOptions half;
    half.scale = 0.5;
    half.platform = "gpu";
    QCOMPARE(drawn(layoutOf({ { "x", 2 }, { "y", 2 } }, "P('x', 'y')", Shape{ 4, 4 }), half),
        QString("┌───────┬───────┐\n"
                "│ GPU 0 │ GPU 1 │\n"
                "├───────┼───────┤\n"
                "│ GPU 2 │ GPU 3 │\n"
                "└───────┴───────┘"));
    // A blank that cannot be halved goes right and below.
    QCOMPARE(drawn(layoutOf({ { "x", 2 }, { "y", 2 } }, "P(None, 'y')", Shape{ 4, 4 }), half),
        QString("┌───────┬───────┐\n"
                "│       │       │\n"
                "│GPU 0,2│GPU 1,3│\n"
                "│       │       │\n"
                "│       │       │\n"
                "└───────┴───────┘"));
    QCOMPARE(drawn(layoutOf({ { "x", 2 } }, "P('x')", Shape{ 8 })),
        QString("┌───────┬───────┐\n"
                "│ CPU 0 │ CPU 1 │\n"
                "└───────┴───────┘"));
    // A label that is wider than the cell widens its column, in all rows.
    QCOMPARE(drawn(layoutOf({ { "x", 2 }, { "y", 8 } }, "P('x')", Shape{ 16, 1 }), half),
        QString("┌─────────────────────────┐\n"
                "│   GPU 0,1,2,3,4,5,6,7   │\n"
                "├─────────────────────────┤\n"
                "│GPU 8,9,10,11,12,13,14,15│\n"
                "└─────────────────────────┘"));
}

void TestText::gridsOfHigherRank()
{
    const QString text = drawn(layoutOf({ { "x", 2 }, { "y", 2 } }, "P('x', None, 'y')", Shape{ 6, 4, 4 }));
    const QStringList lines = text.split('\n');
    QCOMPARE(lines.first(), QString("[0:3, :, :]"));
    QVERIFY(lines.contains("[3:6, :, :]"));
    QVERIFY(lines.filter("CPU").first().contains(QRegularExpression("CPU 0 *│ *CPU 1")));
    QCOMPARE(text.count("CPU"), 4);
    QCOMPARE(lines.filter(QRegularExpression("^┌")).size(), 2);
    // One grid, without a heading, where no leading dimension is cut, and for a scalar.
    QVERIFY(drawn(layoutOf({ { "y", 2 } }, "P(None, None, 'y')", Shape{ 6, 4, 4 })).startsWith("┌"));
    QCOMPARE(drawn(layoutOf({ { "y", 2 } }, "P()", Shape{})).count("CPU 0,1"), 1);
}

void TestText::gridsStayBounded()
{
    const QString replicated = drawn(layoutOf({ { "x", 65536 } }, "P()", Shape{ 4, 4 }));
    QVERIFY(replicated.contains("(65536 devices)"));
    for (const QString& line : replicated.split('\n'))
        QVERIFY(line.size() <= 80);
    const QString sharded = drawn(layoutOf({ { "x", 256 }, { "y", 256 } }, "P('x', 'y')", Shape{ 256, 256 }));
    QVERIFY(sharded.contains("(192 more rows)") && sharded.contains("(192 more columns)"));
    const QString stacked = drawn(layoutOf({ { "x", 4096 } }, "P('x')", Shape{ 4096, 1, 1 }));
    QVERIFY(stacked.endsWith("(4032 more grids)"));
    // Shapes that would ask for cells of any width.
    for (const Shape& shape :
        { Shape{ 1, std::int64_t{ 1 } << 60 }, Shape{ std::int64_t{ 1 } << 60, 1 }, Shape{ 0, 0 }, Shape{ 0 } })
        for (const QString& line : drawn(layoutOf({ { "x", 2 } }, "P()", shape)).split('\n'))
            QVERIFY(line.size() <= 80);
}

REGISTER_TEST(TestText)
#include "test_text.moc"
