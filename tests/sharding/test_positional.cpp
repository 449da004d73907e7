// SPDX-License-Identifier: GPL-3.0-or-later
// Positional shardings against a plain model: sets of devices in a map from coordinates.
#include <QtTest>

#include <map>
#include <set>

#include "registered_test.h"
#include "sharding/generators.h"
#include "sharding/sharding_text.h"

using namespace shardscope;

class TestPositional : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void workedExample();
    void operations();
    void errors_data();
    void errors();
    void layouts();
    void printedLikeNumpy_data();
    void printedLikeNumpy();
    void printedAndRead();
    void declared_data();
    void declared();
    void equality();
};

namespace {

using Coordinates = std::vector<std::int64_t>;
using Model = std::map<Coordinates, std::set<std::int32_t>>;

QString positionalText(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

std::vector<std::int32_t> upTo(std::int32_t count)
{
    std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

Coordinates coordinatesOf(const Shape& shape, std::int64_t cell)
{
    Coordinates result(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        result[d] = cell % shape[d];
        cell /= shape[d];
    }
    return result;
}

Model modelOf(const PositionalSharding& sharding)
{
    Model model;
    for (std::int64_t cell = 0; cell < sharding.cellCount(); ++cell) {
        const std::vector<std::int32_t> ids = sharding.devicesOf(cell);
        model[coordinatesOf(sharding.shape(), cell)] = { ids.begin(), ids.end() };
    }
    return model;
}

std::shared_ptr<const Mesh> meshOf(std::vector<MeshAxis> axes, std::vector<std::int32_t> ids = {})
{
    return std::make_shared<const Mesh>(
        ids.empty() ? *Mesh::create(std::move(axes)) : *Mesh::createOver(std::move(axes), std::move(ids)));
}

} // namespace

void TestPositional::workedExample()
{
    const PositionalSharding row = *PositionalSharding::create(upTo(8), Shape{ 8 }, "tpu");
    const std::vector<std::int64_t> grid{ 2, 4 };
    const PositionalSharding sharding = *row.reshape(grid)->replicate(std::vector<std::int64_t>{ 0 });
    QCOMPARE(sharding.shape(), (Shape{ 1, 4 }));
    QCOMPARE(sharding.devicesOf(1), (std::vector<std::int32_t>{ 1, 5 }));
    QCOMPARE(positionalText(toJax(Sharding(sharding))),
        QString("PositionalSharding([[{TPU 0, 4} {TPU 1, 5} {TPU 2, 6} {TPU 3, 7}]], shape=(1, 4))"));
    QCOMPARE(positionalText(toHlo(*sharding.toHloSharding(2))),
        QString("{devices=[1,4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"));
    const Layout layout = *layoutOf(sharding, std::vector<std::int64_t>{ 8, 8 });
    QCOMPARE(layout.shardShape(), (Shape{ 8, 2 }));
    QCOMPARE(layout.copies(), std::int64_t{ 2 });
    // What a mesh says with a spec.
    const auto mesh = meshOf({ { "a", 2 }, { "b", 4 } });
    const NamedSharding named{ mesh, { { SpecEntry::none(), SpecEntry::axis("b") } } };
    QVERIFY(isEquivalent(Sharding(named), Sharding(sharding), 2));
    QVERIFY(Sharding(named) != Sharding(sharding));
    QVERIFY(!isEquivalent(Sharding(named), Sharding(sharding.withMemoryKind(MemoryKind::PinnedHost)), 2));
}

void TestPositional::operations()
{
    QVERIFY(generators::holds("operations and the model", [] {
        const std::vector<std::int32_t> ids = generators::deviceIds();
        const PositionalSharding sharding = generators::positional(ids);
        const Model model = modelOf(sharding);
        std::set<std::int32_t> all;
        for (const auto& [at, set] : model) {
            RC_ASSERT(static_cast<std::int64_t>(set.size()) == sharding.copies());
            all.insert(set.begin(), set.end());
        }
        RC_ASSERT(all == std::set<std::int32_t>(ids.begin(), ids.end()));
        RC_ASSERT(sharding.cellCount() * sharding.copies() == static_cast<std::int64_t>(ids.size()));

        // transpose: coordinate i of the result is coordinate order[i].
        std::vector<std::int64_t> order(sharding.rank());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
        const PositionalSharding turned = *sharding.transpose(order);
        for (const auto& [at, set] : modelOf(turned)) {
            Coordinates source(at.size());
            for (std::size_t i = 0; i < at.size(); ++i)
                source[static_cast<std::size_t>(order[i])] = at[i];
            RC_ASSERT(model.at(source) == set);
        }
        std::vector<std::int64_t> backwards(order.rbegin(), order.rend());
        std::iota(backwards.rbegin(), backwards.rend(), 0);
        RC_ASSERT(*sharding.transpose() == *sharding.transpose(backwards));

        // replicate: all cells that agree in the other coordinates.
        std::vector<std::int64_t> axes;
        for (std::size_t axis = 0; axis < sharding.rank(); ++axis)
            if (*rc::gen::arbitrary<bool>())
                axes.push_back(static_cast<std::int64_t>(axis));
        const auto isJoined = [&](std::size_t axis) {
            return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
        };
        Model joined;
        for (const auto& [at, set] : model) {
            Coordinates kept;
            for (std::size_t d = 0; d < at.size(); ++d)
                kept.push_back(isJoined(d) ? 0 : at[d]);
            joined[kept].insert(set.begin(), set.end());
        }
        RC_ASSERT(modelOf(*sharding.replicate(axes)) == joined);
        const PositionalSharding without = *sharding.replicate(axes, false);
        RC_ASSERT(without.rank() == sharding.rank() - axes.size());
        for (std::int64_t cell = 0; cell < without.cellCount(); ++cell)
            RC_ASSERT(without.devicesOf(cell) == sharding.replicate(axes)->devicesOf(cell));
        std::vector<std::int64_t> fromTheEnd = axes;
        for (std::int64_t& axis : fromTheEnd)
            axis -= static_cast<std::int64_t>(sharding.rank());
        RC_ASSERT(*sharding.replicate(fromTheEnd) == *sharding.replicate(axes));

        // reshape: row-major order stays; -1 stands for what is left.
        Shape sizes = generators::factors(sharding.cellCount());
        const PositionalSharding reshaped = *sharding.reshape(sizes);
        for (std::int64_t cell = 0; cell < sharding.cellCount(); ++cell)
            RC_ASSERT(reshaped.devicesOf(cell) == sharding.devicesOf(cell));
        RC_ASSERT(reshaped.shape() == sizes);
        sizes[*rc::gen::inRange<std::size_t>(0, sizes.size())] = -1;
        RC_ASSERT(*sharding.reshape(sizes) == reshaped);
    }));
}

void TestPositional::errors_data()
{
    QTest::addColumn<QString>("code"); // behind 8 devices in a row
    QTest::addColumn<QString>("kind");
    QTest::newRow("3 x 2") << ".reshape(3, 2)"
                           << "bad_reshape";
    QTest::newRow("two open sizes") << ".reshape(-1, -1)"
                                    << "bad_reshape";
    QTest::newRow("an open size that is none") << ".reshape(-1, 3)"
                                               << "bad_reshape";
    QTest::newRow("nothing") << ".reshape(0)"
                             << "bad_reshape";
    QTest::newRow("an open size beside nothing") << ".reshape(0, -1)"
                                                 << "bad_reshape";
    QTest::newRow("no such axis") << ".replicate(1)"
                                  << "bad_axis";
    QTest::newRow("no such axis from the end") << ".replicate(-2)"
                                               << "bad_axis";
    QTest::newRow("an axis twice") << ".reshape(2, 4).replicate((0, -2))"
                                   << "bad_axis";
    QTest::newRow("transposed by too few") << ".reshape(2, 4).transpose(1)"
                                           << "bad_axis";
    QTest::newRow("transposed by the same") << ".reshape(2, 4).transpose(1, 1)"
                                            << "bad_axis";
    QTest::newRow("rank 1 for rank 2") << ""
                                       << "rank_mismatch";
    QTest::newRow("12 by 8") << ".reshape(8, 1)"
                             << "not_divisible";
}

void TestPositional::errors()
{
    QFETCH(QString, code);
    QFETCH(QString, kind);
    const auto mesh = meshOf({ { "x", 8 } });
    const Result<Sharding> sharding = parseSharding("PositionalSharding(devices)" + code.toStdString(), mesh);
    const std::vector<std::int64_t> shape{ 12, 4 };
    const Result<Layout> layout =
        sharding ? layoutOf(*sharding, shape) : Result<Layout>(tl::unexpected(sharding.error()));
    QVERIFY(!layout.has_value());
    QCOMPARE(positionalText(layout.error().kind()), kind);
    if (!sharding)
        QVERIFY(sharding.error().where.column > 20);
}

void TestPositional::layouts()
{
    QVERIFY(generators::holds("every cell holds its block, on all of its devices", [] {
        const PositionalSharding sharding = generators::positional(generators::deviceIds());
        const bool full = sharding.isFullyReplicated();
        Shape shape;
        const std::size_t rank = full ? *rc::gen::inRange<std::size_t>(0, 4) : sharding.rank();
        for (std::size_t d = 0; d < rank; ++d)
            shape.push_back((full ? 1 : sharding.shape()[d]) * *rc::gen::inRange<std::int64_t>(0, 4));
        const Layout layout = *layoutOf(sharding, shape);
        for (std::int64_t cell = 0; cell < sharding.cellCount(); ++cell) {
            const Coordinates at = full ? Coordinates(rank) : coordinatesOf(sharding.shape(), cell);
            for (const std::int32_t device : sharding.devicesOf(cell)) {
                const std::vector<IndexRange> ranges = layout.rangesAt(layout.mesh().positionOf(device));
                for (std::size_t d = 0; d < rank; ++d) {
                    const std::int64_t size = shape[d] / (full ? 1 : sharding.shape()[d]);
                    RC_ASSERT(ranges[d].begin == at[d] * size);
                    RC_ASSERT(ranges[d].end == (at[d] + 1) * size);
                }
            }
        }
    }));
}

void TestPositional::printedLikeNumpy_data()
{
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("printed");
    const auto mesh = [](const char* code, const QString& printed) { QTest::newRow(code) << code << printed; };
    mesh("[0, 1]", "PositionalSharding([{CPU 0} {CPU 1}], shape=(2,))");
    // A line is broken before it passes 98 characters.
    mesh("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]",
        "PositionalSharding([{CPU 0} {CPU 1} {CPU 2} {CPU 3} {CPU 4} {CPU 5} {CPU 6} {CPU 7} {CPU 8}\n"
        "                    {CPU 9} {CPU 10}], shape=(11,))");
    mesh("[[0, 1], [2, 3]]",
        "PositionalSharding([[{CPU 0} {CPU 1}]\n"
        "                    [{CPU 2} {CPU 3}]], shape=(2, 2))");
    mesh("[[[0], [1]], [[2], [3]]]",
        "PositionalSharding([[[{CPU 0}]\n"
        "                     [{CPU 1}]]\n"
        "\n"
        "                    [[{CPU 2}]\n"
        "                     [{CPU 3}]]], shape=(2, 2, 1))");
    // A word that does not fit a line by itself stands there all the same.
    mesh("[{10000000, 20000000, 30000000, 40000000, 50000000, 60000000, 70000000, 80000000}, "
         "{10000001, 20000001, 30000001, 40000001, 50000001, 60000001, 70000001, 80000001}]",
        "PositionalSharding([{CPU 10000000, 20000000, 30000000, 40000000, 50000000, 60000000, 70000000, 80000000}\n"
        "                    {CPU 10000001, 20000001, 30000001, 40000001, 50000001, 60000001, 70000001, 80000001}]"
        ", shape=(2,))");
}

void TestPositional::printedLikeNumpy()
{
    QFETCH(QString, code);
    QFETCH(QString, printed);
    const Result<Sharding> sharding = parseSharding("PositionalSharding(" + code.toStdString() + ")");
    QVERIFY(sharding.has_value());
    QCOMPARE(positionalText(toJax(*sharding)), printed);

    // More than 1000 cells: three at each end of an axis.
    const PositionalSharding many = *PositionalSharding::create(upTo(1002), Shape{ 2, 501 });
    QCOMPARE(positionalText(toJax(Sharding(many))),
        QString("PositionalSharding([[{CPU 0} {CPU 1} {CPU 2} ... {CPU 498} {CPU 499} {CPU 500}]\n"
                "                    [{CPU 501} {CPU 502} {CPU 503} ... {CPU 999} {CPU 1000} {CPU 1001}]], "
                "shape=(2, 501))"));
}

void TestPositional::printedAndRead()
{
    QVERIFY(generators::holds("printed and read again", [] {
        const std::vector<std::int32_t> ids = generators::deviceIds();
        const PositionalSharding sharding = generators::positional(ids);
        if (sharding.rank() == 0)
            return; // JAX has no such sharding
        const auto count = static_cast<std::int64_t>(ids.size());
        const std::string printed = toJax(Sharding(sharding));
        const Result<Sharding> read = parseSharding(printed, meshOf({ { "x", count } }, ids));
        RC_ASSERT(read.has_value());
        RC_ASSERT(*read == Sharding(sharding));
        const Result<Sharding> alone = parseSharding(printed);
        RC_ASSERT(toJax(*alone) == printed);
    }));
}

void TestPositional::declared_data()
{
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("result"); // printed, or kind and place
    const auto row = [](const char* code, const char* result) { QTest::newRow(code) << code << result; };
    row("PositionalSharding(devices)", "PositionalSharding([{CPU 3} {CPU 2} {CPU 1} {CPU 0}], shape=(4,))");
    row("PositionalSharding(jax.devices()).T", "PositionalSharding([{CPU 0} {CPU 1} {CPU 2} {CPU 3}], shape=(4,))");
    row("jax.sharding.PositionalSharding(mesh.devices).reshape((4, 1)).T.T.replicate(axis=0, keepdims=False)",
        "PositionalSharding([{CPU 0, 1, 2, 3}], shape=(1,))");
    row("PositionalSharding(mesh.devices).T",
        "PositionalSharding([[{CPU 3} {CPU 1}]\n                    [{CPU 2} {CPU 0}]], shape=(2, 2))");
    row("PositionalSharding([0, 1]).with_memory_kind('pinned_host')",
        "PositionalSharding([{CPU 0} {CPU 1}], memory_kind=pinned_host, shape=(2,))");
    row("PositionalSharding([0, 1, 2, 3]).reshape(2, -1).replicate(None)",
        "PositionalSharding([[{CPU 0, 1, 2, 3}]], shape=(1, 1))");
    row("PositionalSharding([{GPU 2, 0} {GPU 1, 3}], memory_kind=device, shape=(2,))",
        "PositionalSharding([{GPU 0, 2} {GPU 1, 3}], memory_kind=device, shape=(2,))");
    row("PositionalSharding([[0, 1], [2]])", "syntax 1:29");
    row("PositionalSharding([])", "syntax 1:22");
    row("PositionalSharding([0, 0])", "device_twice 1:20");
    row("PositionalSharding([{0, 1} {2}])", "syntax 1:20");
    row("PositionalSharding([{CPU 0} {GPU 1}])", "syntax 1:30");
    row("PositionalSharding([{CPU 0} ... {CPU 9}])", "syntax 1:29");
    row("PositionalSharding([0, 1], shape=(3,))", "syntax 1:34");
    row("PositionalSharding([0, 1], memory_kind=hbm)", "unknown_memory_kind 1:40");
    row("PositionalSharding([0, 1]).reshape", "syntax 1:35");
    row("PositionalSharding([0, 1]).sort()", "syntax 1:28");
    row("PositionalSharding([0, 1]).T.", "syntax 1:28");
    row("PositionalSharding([0, 1]).reshape(2, 'x')", "syntax 1:39");
    row("PositionalSharding([0, 1]).reshape(3)", "bad_reshape 1:28");
    row("PositionalSharding([0, 1]).replicate(0, 1, 2)", "syntax 1:28");
    row("PositionalSharding([0, 1]) x", "syntax 1:28");
}

void TestPositional::declared()
{
    QFETCH(QString, code);
    QFETCH(QString, result);
    const auto mesh = meshOf({ { "x", 2 }, { "y", 2 } }, { 3, 2, 1, 0 });
    const Result<Sharding> sharding = parseSharding(code.toStdString(), mesh);
    const QString found = sharding ? positionalText(toJax(*sharding))
                                   : positionalText(sharding.error().kind())
            + QStringLiteral(" %1:%2").arg(sharding.error().where.line).arg(sharding.error().where.column);
    QCOMPARE(found, result);
}

void TestPositional::equality()
{
    const PositionalSharding a = *PositionalSharding::create({ 0, 1 }, Shape{ 2 });
    QVERIFY(a == *PositionalSharding::create({ 0, 1 }, Shape{ 2 }));
    QVERIFY(!(a == *PositionalSharding::create({ 1, 0 }, Shape{ 2 })));
    QVERIFY(!(a == *PositionalSharding::create({ 0, 1 }, Shape{ 2, 1 })));
    QVERIFY(!(a == a.withMemoryKind(MemoryKind::Device)));
    // A fully replicated one fits arrays of any rank, another one its own rank alone.
    const PositionalSharding full = *a.replicate();
    QVERIFY(layoutOf(full, std::vector<std::int64_t>{ 3, 5, 7 }).has_value());
    QVERIFY(!layoutOf(a, std::vector<std::int64_t>{ 2, 2 }).has_value());
    QVERIFY(!PositionalSharding::create({}, Shape{}).has_value());
    QVERIFY(!PositionalSharding::create({ -1 }, Shape{ 1 }).has_value());
}

REGISTER_TEST(TestPositional)
#include "test_positional.moc"
