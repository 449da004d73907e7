// SPDX-License-Identifier: GPL-3.0-or-later
// Projection and single steps, on rules made by hand and on the reference's tables.
#include <fstream>

#include <QtTest>
#include <nlohmann/json.hpp>

#include "conformance/factor_tables.h"
#include "propagation/compatible_axes.h"
#include "propagation/notation.h"
#include "propagation/random_program.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;
using nlohmann::json;

namespace {

Mesh meshOf(const char* text)
{
    return notation::parseMesh(text);
}

/// One tensor with one dimension per list of factor sizes.
FactorRule ruleOf(const std::vector<std::vector<std::int64_t>>& dims)
{
    FactorRule rule;
    FactorRule::TensorMapping mapping;
    for (const std::vector<std::int64_t>& sizes : dims) {
        FactorRule::DimensionFactors factors;
        for (const std::int64_t size : sizes) {
            factors.push_back(static_cast<std::int32_t>(rule.factors.size()));
            rule.factors.push_back({ size, FactorKind::PassThrough, false });
        }
        mapping.push_back(factors);
    }
    rule.operands.push_back(mapping);
    return rule;
}

std::string describe(const Mesh& mesh, const TensorProjection& projection)
{
    std::string text;
    for (const auto& factor : projection.factors) {
        text += text.empty() ? "" : " ";
        if (!factor) {
            text += "-";
            continue;
        }
        text += "{" + notation::print(mesh, factor->axes) + "}";
        if (!factor->overflow.empty())
            text += "+{" + notation::print(mesh, factor->overflow) + "}";
        if (factor->closed)
            text += "!";
    }
    return text;
}

using conformance::TableAxes;

} // namespace

class TestSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void projects_data();
    void projects();
    void roundTrip();
    void dropsWhatWouldBeStrided();
    void agreesOnMajorAxes_data();
    void agreesOnMajorAxes();
    void takesPrefixes();
    void basicAgainstAggressive();
    void blockedAndOneWay();
    void sizeOneAxisOnce();
    void referenceTables_data();
    void referenceTables();
};

void TestSteps::projects_data()
{
    QTest::addColumn<QString>("mesh");
    QTest::addColumn<QString>("factors"); // sizes per dimension, "4.2,8"
    QTest::addColumn<QString>("sharding");
    QTest::addColumn<QString>("expected");
    QTest::newRow("one factor takes all") << "a=2 b=3"
                                          << "8"
                                          << "[{a,b,?}]"
                                          << "{a,b}";
    QTest::newRow("axis over two factors") << "a=8"
                                           << "4.2"
                                           << "[{a}]"
                                           << "{a:(1)4}! {a:(4)2}!";
    QTest::newRow("axis per factor") << "a=4 b=2"
                                     << "4.2"
                                     << "[{a,b,?}]"
                                     << "{a} {b}";
    QTest::newRow("major factor not full") << "a=2"
                                           << "4.2"
                                           << "[{a,?}]"
                                           << "{a} {}";
    QTest::newRow("gcd") << "a=6 b=2"
                         << "4.9"
                         << "[{a,b,?}]"
                         << "{a:(1)2}+{a:(2)3,b} {}!";
    QTest::newRow("overflow hides the rest") << "a=3"
                                             << "2.2.2"
                                             << "[{a,?}]"
                                             << "{}+{a} {}! -";
    QTest::newRow("several axes in one factor") << "a=2 b=2 c=5"
                                                << "4.7"
                                                << "[{a,b,c,?}]"
                                                << "{a,b} {c}";
    QTest::newRow("size one is always taken") << "a=1 b=2"
                                              << "2.2"
                                              << "[{b,a,?}]"
                                              << "{b,a} {}";
    QTest::newRow("two dimensions") << "a=2 b=4"
                                    << "2.4,8"
                                    << "[{a},{b,?}]"
                                    << "{a}! {}! {b}";
    QTest::newRow("dimension of size 0") << "a=2"
                                         << "0"
                                         << "[{a,?}]"
                                         << "{a}";
    QTest::newRow("zero factor in front") << "a=2"
                                          << "0.2"
                                          << "[{a,?}]"
                                          << "{a} {}";
}

void TestSteps::projects()
{
    QFETCH(QString, mesh);
    QFETCH(QString, factors);
    QFETCH(QString, sharding);
    QFETCH(QString, expected);
    std::vector<std::vector<std::int64_t>> dims;
    for (const std::string& dim : notation::split(factors.toStdString(), ',')) {
        dims.emplace_back();
        for (const std::string& size : notation::split(dim, '.'))
            dims.back().push_back(std::stoll(size));
    }
    const Mesh m = meshOf(qPrintable(mesh));
    const FactorRule rule = ruleOf(dims);
    const TensorSharding specified = notation::parseSharding(m, sharding.toStdString());
    const TensorProjection projection = project(specified, rule.operands[0], rule);
    QCOMPARE(QString::fromStdString(describe(m, projection)), expected);
    QCOMPARE(notation::print(m, unproject(projection, rule.operands[0], rule)), notation::print(m, specified));
}

void TestSteps::roundTrip()
{
    QVERIFY(test::propertyHolds(100, "unproject(project(s)) == s", [] {
        const auto axisSizes = *rc::gen::container<std::vector<int>>(
            *rc::gen::inRange<std::size_t>(1, 5), rc::gen::element(1, 2, 3, 4, 6, 8, 12));
        std::vector<MeshAxis> axes;
        for (const int size : axisSizes)
            axes.push_back({ std::string(1, static_cast<char>('a' + axes.size())), size });
        const Mesh mesh = Mesh::create(axes).value();
        std::vector<std::vector<std::int64_t>> dims(*rc::gen::inRange<std::size_t>(1, 4));
        for (auto& dim : dims) {
            dim = *rc::gen::container<std::vector<std::int64_t>>(*rc::gen::inRange<std::size_t>(1, 4),
                rc::gen::map(rc::gen::inRange(1, 25), [](int size) { return std::int64_t{ size }; }));
        }
        const FactorRule rule = ruleOf(dims);
        const TensorSharding sharding = random_program::anySharding(mesh, dims.size());
        const TensorProjection projection = project(sharding, rule.operands[0], rule);
        RC_LOG() << notation::print(mesh, sharding) << " as " << describe(mesh, projection);
        RC_ASSERT(unproject(projection, rule.operands[0], rule) == sharding);
        // No part of an axis gets lost or doubled on the way to the factors.
        std::int64_t before = 1;
        std::int64_t after = 1;
        for (const DimensionSharding& dim : sharding.dims)
            before *= product(std::span<const AxisRef>(dim.axes));
        for (const auto& factor : projection.factors) {
            if (factor)
                after *= product(std::span<const AxisRef>(factor->axes))
                    * product(std::span<const AxisRef>(factor->overflow));
        }
        RC_ASSERT(before == after);
    }));
}

void TestSteps::dropsWhatWouldBeStrided()
{
    const Mesh mesh = meshOf("a=2 b=2");
    const FactorRule rule = ruleOf({ { 4, 2 } });
    TensorProjection projection = project(notation::parseSharding(mesh, "[{a,?}]"), rule.operands[0], rule);
    projection.factors[1]->axes = notation::parseAxes(mesh, "b");
    QCOMPARE(notation::print(mesh, unproject(projection, rule.operands[0], rule)), std::string("[{a,?}]"));
    projection.factors[0]->axes = notation::parseAxes(mesh, "a,b");
    projection.factors[1]->axes.clear();
    QCOMPARE(notation::print(mesh, unproject(projection, rule.operands[0], rule)), std::string("[{a,b,?}]"));
}

void TestSteps::agreesOnMajorAxes_data()
{
    QTest::addColumn<QString>("operands"); // lists, separated by blanks; "-" = empty
    QTest::addColumn<QString>("results");
    QTest::addColumn<QString>("both");
    QTest::addColumn<QString>("forward");
    QTest::addColumn<QString>("backward");
    QTest::newRow("longest") << "a a,b"
                             << "-"
                             << "a,b"
                             << "a,b"
                             << "";
    QTest::newRow("result restricts") << "a,b"
                                      << "a,c"
                                      << "a"
                                      << "a"
                                      << "a";
    QTest::newRow("result adds only backward") << "a"
                                               << "a,b"
                                               << "a,b"
                                               << "a"
                                               << "a,b";
    QTest::newRow("frozen by a conflict") << "a,b a,c a,b,d"
                                          << "a,b"
                                          << "a"
                                          << "a"
                                          << "a";
    QTest::newRow("part of an axis grows at the end") << "x:(1)2 x"
                                                      << "-"
                                                      << "x"
                                                      << "x"
                                                      << "";
    QTest::newRow("part of an axis in the middle") << "x:(1)2,a x"
                                                   << "-"
                                                   << "x:(1)2"
                                                   << "x:(1)2"
                                                   << "";
    QTest::newRow("the other way round") << "x x:(1)2,a"
                                         << "-"
                                         << "x:(1)2"
                                         << "x:(1)2"
                                         << "";
    QTest::newRow("shorter part at the end of the other") << "x,a x:(1)2"
                                                          << "-"
                                                          << "x,a"
                                                          << "x,a"
                                                          << "";
    QTest::newRow("parts that cannot coexist") << "a,z:(1)2 a,z:(1)3"
                                               << "-"
                                               << "a"
                                               << "a"
                                               << "";
    QTest::newRow("one way, shorter on the receiving side") << "x"
                                                            << "x:(1)2"
                                                            << "x"
                                                            << "x"
                                                            << "x:(1)2";
}

void TestSteps::agreesOnMajorAxes()
{
    const Mesh mesh = meshOf("a=2 b=2 c=2 d=2 x=4 z=6");
    const auto tensors = [&](const QString& lists) {
        std::vector<TensorProjection> result;
        for (const std::string& list : notation::split(lists.toStdString(), ' ')) {
            FactorSharding sharding;
            if (list != "-")
                sharding.axes = notation::parseAxes(mesh, list);
            result.push_back({ { sharding }, {}, {} });
        }
        return result;
    };
    QFETCH(QString, operands);
    QFETCH(QString, results);
    const ShardingProjection projection{ tensors(operands), tensors(results) };
    for (const auto& [column, direction] : { std::pair{ "both", Direction::Both }, { "forward", Direction::Forward },
             { "backward", Direction::Backward } }) {
        const QString expected = *static_cast<QString*>(QTest::qData(column, QMetaType::QString));
        const AxisList merged = compatibleMajorAxes(projection, 0, direction);
        QVERIFY2(QString::fromStdString(notation::print(mesh, merged)) == expected, column);
    }
    QVERIFY(compatibleMajorAxes(projection, 0, Direction::None).empty());
}

void TestSteps::takesPrefixes()
{
    const Mesh mesh = meshOf("a=2 b=8 c=3");
    const AxisRef b = notation::parseAxis(mesh, "b");
    const auto text = [&](std::optional<AxisRef> ref) { return ref ? toString(mesh, *ref) : std::string("none"); };
    TensorProjection tensor{ { FactorSharding{}, FactorSharding{} }, {}, {} };
    FactorSharding& factor = *tensor.factors[0];

    factor.minorMost = true;
    QCOMPARE(text(prefixWithinFactor(b, tensor, 0, 1, 3)), std::string("b")); // divisible or not
    factor.minorMost = false;
    QCOMPARE(text(prefixWithinFactor(b, tensor, 0, 1, 12)), std::string("b:(1)4"));
    QCOMPARE(text(prefixWithinFactor(b, tensor, 0, 2, 12)), std::string("b:(1)2"));
    QCOMPARE(text(prefixWithinFactor(b, tensor, 0, 5, 12)), std::string("none"));
    QCOMPARE(text(prefixWithinFactor(notation::parseAxis(mesh, "c"), tensor, 0, 1, 8)), std::string("none"));

    factor.closed = true;
    QCOMPARE(text(prefixWithinFactor(b, tensor, 0, 1, 8)), std::string("none"));
    factor.axes = notation::parseAxes(mesh, "b:(1)2");
    QCOMPARE(text(prefixWithinFactor(b, tensor, 0, 1, 8)), std::string("b:(1)2"));
    factor.axes = notation::parseAxes(mesh, "b");
    QCOMPARE(text(prefixWithinFactor(b, tensor, 0, 1, 8)), std::string("b"));
    factor = {};
    factor.minorMost = true;
    tensor.replicated = notation::parseAxes(mesh, "b:(4)2");
    QCOMPARE(text(prefixWithinFactor(b, tensor, 0, 1, 8)), std::string("b:(1)4"));
    tensor.unreduced = notation::parseAxes(mesh, "b:(2)2");
    QCOMPARE(text(prefixWithinFactor(b, tensor, 0, 1, 8)), std::string("b:(1)2"));

    tensor.factors[1]->axes = notation::parseAxes(mesh, "b:(2)2");
    QCOMPARE(text(prefixAcrossFactors(b, tensor, 0)), std::string("b:(1)2"));
    QCOMPARE(text(prefixAcrossFactors(b, tensor, 1)), std::string("b"));
    tensor.factors[1]->overflow = notation::parseAxes(mesh, "b:(1)2");
    QCOMPARE(text(prefixAcrossFactors(b, tensor, 0)), std::string("none"));
}

namespace {

/// C[i,j] = A[i,k] B[k,j].
FactorRule productRule(std::int64_t i, std::int64_t j, std::int64_t k)
{
    FactorRule rule;
    rule.factors = { { i, FactorKind::PassThrough, false }, { j, FactorKind::PassThrough, false },
        { k, FactorKind::Reduction, false } };
    rule.operands = { { { 0 }, { 2 } }, { { 2 }, { 1 } } };
    rule.results = { { { 0 }, { 1 } } };
    return rule;
}

/// Shardings of A, B and C after one step.
std::string stepProduct(const char* a, const char* b, const char* c, const FactorRule& rule, Direction direction,
    UpdatedTensors (*strategy)(ShardingProjection&, const StepContext&))
{
    const Mesh mesh = meshOf("a=2 b=2 one=1");
    const auto of = [&](const char* text, const FactorRule::TensorMapping& mapping) {
        return project(notation::parseSharding(mesh, text), mapping, rule);
    };
    ShardingProjection projection{ { of(a, rule.operands[0]), of(b, rule.operands[1]) }, { of(c, rule.results[0]) } };
    const std::vector<Direction> directions(rule.factors.size(), direction);
    strategy(projection, { rule, directions, false, nullptr });
    const auto text = [&](const TensorProjection& tensor, const FactorRule::TensorMapping& mapping) {
        return notation::print(mesh, unproject(tensor, mapping, rule));
    };
    return text(projection.operands[0], rule.operands[0]) + " " + text(projection.operands[1], rule.operands[1]) + " "
        + text(projection.results[0], rule.results[0]);
}

} // namespace

void TestSteps::basicAgainstAggressive()
{
    const FactorRule rule = productRule(8, 16, 4);
    const char* open = "[{?},{?}]";
    QCOMPARE(stepProduct("[{a,?},{?}]", "[{?},{b,?}]", open, rule, Direction::Both, propagateBasic),
        std::string("[{a,?},{?}] [{?},{b,?}] [{a,?},{b,?}]"));
    // Both want a in C. B has 64 elements and A 32, so j wins where something wins at all.
    QCOMPARE(stepProduct("[{a,?},{?}]", "[{?},{a,?}]", open, rule, Direction::Both, propagateBasic),
        std::string("[{a,?},{?}] [{?},{a,?}] [{?},{?}]"));
    QCOMPARE(stepProduct("[{a,?},{?}]", "[{?},{a,?}]", open, rule, Direction::Both, propagateAggressive),
        std::string("[{a,?},{?}] [{?},{a,?}] [{?},{a,?}]"));
    // A has 2^80 elements, B 2^43: more than 64 bits count are still more.
    constexpr std::int64_t huge = std::int64_t{ 1 } << 40;
    QCOMPARE(stepProduct(
                 "[{a,?},{?}]", "[{?},{a,?}]", open, productRule(huge, 8, huge), Direction::Both, propagateAggressive),
        std::string("[{a,?},{?}] [{?},{a,?}] [{a,?},{?}]"));
    // A tensor that cannot follow stops all others with the basic strategy only.
    QCOMPARE(stepProduct("[{a,?},{b,?}]", "[{},{?}]", open, rule, Direction::Both, propagateBasic),
        std::string("[{a,?},{b,?}] [{},{?}] [{a,?},{?}]"));
    QCOMPARE(stepProduct(open, "[{?},{?}] replicated={a}", "[{a,?},{?}]", rule, Direction::Both, propagateAggressive),
        std::string("[{a,?},{?}] [{?},{?}] replicated={a} [{a,?},{?}]"));
}

void TestSteps::blockedAndOneWay()
{
    FactorRule rule = productRule(8, 8, 8);
    const char* open = "[{?},{?}]";
    for (const auto strategy : { propagateBasic, propagateAggressive }) {
        QCOMPARE(stepProduct("[{a,?},{?}]", open, "[{?},{b,?}]", rule, Direction::Forward, strategy),
            std::string("[{a,?},{?}] [{?},{?}] [{a,?},{b,?}]"));
        QCOMPARE(stepProduct("[{a,?},{?}]", open, "[{?},{b,?}]", rule, Direction::Backward, strategy),
            std::string("[{a,?},{?}] [{?},{b,?}] [{?},{b,?}]"));
        QCOMPARE(stepProduct("[{a,?},{?}]", open, "[{?},{b,?}]", rule, Direction::None, strategy),
            std::string("[{a,?},{?}] [{?},{?}] [{?},{b,?}]"));
    }
    rule.factors[0].blocked = true;
    QCOMPARE(stepProduct("[{a,?},{?}]", open, "[{?},{b,?}]", rule, Direction::Both, propagateAggressive),
        std::string("[{a,?},{?}] [{?},{b,?}] [{?},{b,?}]"));
}

void TestSteps::sizeOneAxisOnce()
{
    const FactorRule rule = productRule(8, 8, 8);
    for (const auto strategy : { propagateBasic, propagateAggressive }) {
        QCOMPARE(stepProduct("[{one,?},{?}]", "[{?},{a,?}]", "[{?},{?}]", rule, Direction::Both, strategy),
            std::string("[{one,?},{?}] [{?},{a,?}] [{one,?},{a,?}]"));
        // C holds it on j already.
        QCOMPARE(stepProduct("[{one,?},{?}]", "[{?},{?}]", "[{},{one}]", rule, Direction::Both, strategy),
            strategy == propagateBasic ? std::string("[{one,?},{?}] [{?},{?}] [{},{one}]")
                                       : std::string("[{one,?},{?}] [{?},{one,?}] [{},{one}]"));
    }
}

void TestSteps::referenceTables_data()
{
    QTest::addColumn<int>("index");
    std::ifstream file(SHARDSCOPE_SOURCE_DIR "/tests/conformance/propagation/factor_propagation_unit.json");
    const json cases = json::parse(file)["cases"];
    QCOMPARE(cases.size(), std::size_t{ 5 });
    for (std::size_t i = 0; i < cases.size(); ++i)
        QTest::newRow(cases[i]["id"].get<std::string>().c_str()) << static_cast<int>(i);
}

void TestSteps::referenceTables()
{
    QFETCH(int, index);
    std::ifstream file(SHARDSCOPE_SOURCE_DIR "/tests/conformance/propagation/factor_propagation_unit.json");
    const json reference = json::parse(file)["cases"][static_cast<std::size_t>(index)];
    TableAxes axes;
    axes.collect(reference["before"]);
    axes.collect(reference["after"]);
    std::optional<Mesh> mesh;
    if (reference["conservative"].get<bool>())
        mesh = axes.mesh();
    const auto factorCount = reference["num_factors"].get<std::size_t>();
    FactorRule rule;
    rule.factors.resize(factorCount);
    const auto tableOf = [&](const json& table) {
        return ShardingProjection{ axes.tensors(table["operands"], factorCount),
            axes.tensors(table["results"], factorCount) };
    };
    ShardingProjection projection = tableOf(reference["before"]);
    const std::vector<Direction> directions(factorCount, Direction::Both);
    const StepContext context{ rule, directions, false, mesh ? &*mesh : nullptr };
    const UpdatedTensors updated = reference["strategy"] == "basic" ? propagateBasic(projection, context)
                                                                    : propagateAggressive(projection, context);
    QVERIFY(projection == tableOf(reference["after"]));
    const auto indices = [](const auto& list) { return std::vector<std::uint32_t>(list.begin(), list.end()); };
    QCOMPARE(indices(updated.operands), reference["updated_operands"].get<std::vector<std::uint32_t>>());
    QCOMPARE(indices(updated.results), reference["updated_results"].get<std::vector<std::uint32_t>>());
}

REGISTER_TEST(TestSteps)
#include "test_steps.moc"
