// SPDX-License-Identifier: GPL-3.0-or-later
// What dialects make of a resolved spec, and the published rule sets.
#include <QtTest>

#include <set>

#include "base/codes.h"
#include "random_properties.h"
#include "registered_test.h"
#include "rules/dialect.h"
#include "rules/published_rules.h"
#include "sharding/parse_names.h"
#include "sharding/text.h"

using namespace shardscope;

class TestDialects : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void names();
    void onTheMesh_data();
    void onTheMesh();
    void whatIsLost();
    void axesTwice();
    void maxTextIsAlwaysValid();
    void publishedSets();
    void standardSetsAreT5xs();
    void refusedSets_data();
    void refusedSets();
};

namespace {

const Mesh& dialectMesh()
{
    static const Mesh instance = *Mesh::create({ { "data", 4 }, { "model", 1 }, { "tensor", 2 }, { "expert", 3 } });
    return instance;
}

std::string reasonName(DroppedAxes::Reason reason)
{
    switch (reason) {
    case DroppedAxes::Reason::NotInMesh:
        return "not in mesh";
    case DroppedAxes::Reason::SizeOne:
        return "size one";
    case DroppedAxes::Reason::Indivisible:
        break;
    }
    return "indivisible";
}

} // namespace

void TestDialects::names()
{
    for (const Dialect dialect : { Dialect::FlaxLinen, Dialect::T5x, Dialect::MaxText, Dialect::MaxTextState })
        QCOMPARE(parseDialect(name(dialect)), std::optional(dialect));
    QCOMPARE(parseDialect("flax"), std::optional(Dialect::FlaxLinen));
    QVERIFY(!parseDialect("Flax"));
}

void TestDialects::onTheMesh_data()
{
    QTest::addColumn<QString>("spec");
    QTest::addColumn<QString>("flax");
    QTest::addColumn<QString>("maxText");
    const auto row = [](const char* what, const char* spec, const char* flax, const char* maxText) {
        QTest::newRow(what) << spec << flax << maxText;
    };
    // The shape is [12, 8, 6, 1].
    row("all fit", "P('data', 'tensor', 'expert')", "P(data, tensor, expert)", "P(data, tensor, expert)");
    row("size one", "P('model', None)", "P(model, -)", "P(-, -)");
    row("size one in a tuple", "P(('data', 'model'))", "P((data, model))", "P((data,))");
    row("a tuple of size one", "P(('model',))", "P((model,))", "P(-)");
    row("does not divide", "P(None, None, 'data')", "P(-, -, data)", "P(-, -, -)");
    row("the product does not divide", "P(None, ('data', 'expert'))", "P(-, (data, expert))", "P(-, -)");
    row("not in the mesh", "P('rows', ('rows', 'tensor'))", "P(-, (tensor,))", "P(-, (tensor,))");
    row("nothing to drop", "P(P.UNCONSTRAINED, (), None)", "P(?, (), -)", "P(?, (), -)");
    row("longer than the shape", "P(None, None, None, None, 'data')", "P(-, -, -, -, data)", "P(-, -, -, -, data)");
    row("what is left divides", "P(None, None, ('model', 'tensor'))", "P(-, -, (model, tensor))", "P(-, -, (tensor,))");
}

void TestDialects::onTheMesh()
{
    QFETCH(QString, spec);
    QFETCH(QString, flax);
    QFETCH(QString, maxText);
    const PartitionSpec declared = *parseSpec(spec.toStdString());
    const std::vector<std::int64_t> shape{ 12, 8, 6, 1 };
    const auto result = [&](Dialect dialect) {
        return QString::fromStdString(toColumn(onMesh(declared, dialect, dialectMesh(), shape).spec));
    };
    QCOMPARE(result(Dialect::FlaxLinen), flax);
    QCOMPARE(result(Dialect::T5x), flax);
    QCOMPARE(result(Dialect::MaxTextState), flax);
    QCOMPARE(result(Dialect::MaxText), maxText);
}

void TestDialects::whatIsLost()
{
    const PartitionSpec declared = *parseSpec("P(('rows', 'model', 'data'), 'expert')");
    const std::vector<std::int64_t> shape{ 6, 5 };
    QStringList lost;
    for (const DroppedAxes& dropped : onMesh(declared, Dialect::MaxText, dialectMesh(), shape).dropped)
        for (const std::string& axis : dropped.axes)
            lost << QStringLiteral("%1 %2: %3")
                        .arg(dropped.dimension)
                        .arg(QString::fromStdString(axis), QString::fromStdString(reasonName(dropped.reason)));
    QCOMPARE(lost,
        (QStringList{ "0 rows: not in mesh", "0 model: size one", "0 data: indivisible", "1 expert: indivisible" }));
    const SpecOnMesh unknownShape = onMesh(declared, Dialect::MaxText, dialectMesh(), std::nullopt);
    QCOMPARE(toColumn(unknownShape.spec), std::string("P((data,), expert)"));
    const DroppedAxes last = onMesh(declared, Dialect::MaxText, dialectMesh(), shape).dropped.back();
    QCOMPARE(last.size, std::int64_t{ 5 });
    QCOMPARE(last.partitions, std::int64_t{ 3 });
}

/// A rule may name an axis twice. The spec is kept as it is, and validate() says what is wrong with it.
void TestDialects::axesTwice()
{
    const std::vector<std::string> four(4, "x"); // 65536^4 parts are too many to count
    for (const std::int64_t size : { 2, 3, 65'536 }) {
        const Mesh large = *Mesh::create({ { "x", size } });
        for (const std::vector<std::string>& axes : { four, std::vector<std::string>{ "x", "x" } })
            for (const Dialect dialect : { Dialect::FlaxLinen, Dialect::T5x, Dialect::MaxText }) {
                const std::vector<std::int64_t> shape{ 6 };
                const PartitionSpec declared{ { SpecEntry::tuple(axes) } };
                const SpecOnMesh left = onMesh(declared, dialect, large, shape);
                QCOMPARE(left.spec, declared);
                QVERIFY(left.dropped.empty());
                QCOMPARE(validate(left.spec, large, shape).error().code, Code::AxisUsedTwice);
            }
    }
}

void TestDialects::maxTextIsAlwaysValid()
{
    QVERIFY(test::propertyHolds(2000, "what MaxText leaves can be put on the mesh", [] {
        PartitionSpec spec;
        std::vector<std::int64_t> shape;
        std::vector<std::string> axes{ "data", "model", "tensor", "expert", "rows" };
        const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
        for (std::size_t d = 0; d < rank; ++d) {
            SpecEntry entry = SpecEntry::tuple({});
            for (auto count = *rc::gen::inRange<std::size_t>(0, 3); count > 0 && !axes.empty(); --count) {
                const auto at = *rc::gen::inRange<std::size_t>(0, axes.size());
                entry.axes.push_back(axes[at]);
                axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(at));
            }
            spec.entries.push_back(std::move(entry));
            shape.push_back(*rc::gen::inRange<std::int64_t>(0, 25));
        }
        const SpecOnMesh left = onMesh(spec, Dialect::MaxText, dialectMesh(), shape);
        RC_ASSERT(validate(left.spec, dialectMesh(), shape).has_value());
        // Every axis is either left or lost, once.
        std::multiset<std::string> before, after;
        for (const SpecEntry& entry : spec.entries)
            before.insert(entry.axes.begin(), entry.axes.end());
        for (const SpecEntry& entry : left.spec.entries)
            after.insert(entry.axes.begin(), entry.axes.end());
        for (const DroppedAxes& dropped : left.dropped)
            after.insert(dropped.axes.begin(), dropped.axes.end());
        RC_ASSERT(before == after);
    }));
}

void TestDialects::publishedSets()
{
    for (const std::string_view file : resources::ruleSetFiles()) {
        const auto read = readPublishedRules(file);
        QVERIFY2(read.has_value(), qPrintable(QString::fromStdString(read ? "" : read.error().text("expected"))));
    }
    std::set<std::string> ids;
    for (const PublishedRules& set : publishedRules()) {
        QVERIFY2(ids.insert(set.id).second, set.id.c_str());
        QVERIFY(!set.title.empty() && !set.source.empty() && !set.rules.list.empty());
        QVERIFY(set.overrides.empty() || findPublishedRules(set.overrides));
        for (const LogicalRule& rule : set.rules.list)
            QVERIFY(rule.arity == 2 && !rule.nested);
        QCOMPARE(findPublishedRules(set.id), &set);
    }
    QCOMPARE(ids.size(), 38U);
    const PublishedRules* base = findPublishedRules("maxtext-base-2026-08");
    QVERIFY(base);
    QCOMPARE(base->dialect, Dialect::MaxText);
    QCOMPARE(base->meshAxes.size(), 12U);
    QCOMPARE(base->rules.list.size(), 76U);
    QVERIFY(!findPublishedRules("maxtext"));
}

void TestDialects::standardSetsAreT5xs()
{
    const auto spec = [](const char* id, const char* names) {
        return toColumn(resolve(*parseNames(names), findPublishedRules(id)->rules, FlaxVersion::Current)->spec());
    };
    QCOMPARE(spec("t5x-a1p1", "embed,mlp"), std::string("P(-, model)"));
    QCOMPARE(spec("t5x-a2p1", "batch,embed"), std::string("P(data, model)"));
    QCOMPARE(spec("t5x-a1p2", "embed,mlp"), std::string("P(data, model)"));
    QCOMPARE(spec("t5x-a2p2", "embed,mlp"), std::string("P(data, model)"));
    QCOMPARE(spec("t5x-moe", "batch,expert"), std::string("P((expert, data), -)"));
}

void TestDialects::refusedSets_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("column");
    const auto row = [](const char* text, Code code, int column) {
        QTest::newRow(text) << text << static_cast<int>(code) << column;
    };
    row("{}", Code::Syntax, 1);
    row("[3]", Code::Syntax, 2);
    row("[{\"project\": \"P\"}]", Code::MissingKey, 2);
    row("[{\"id\": 3}]", Code::Syntax, 9);
    row("[{'id': 'a', 'project': 'P', 'title': 'T', 'source': 'S', 'rules': []}]", Code::MissingKey, 2);
    row("[{'id': 'a', 'project': 'P', 'title': 'T', 'source': 'S', 'mesh_axes': [3], 'rules': []}]", Code::Syntax, 73);
    row("[{'id': 'a', 'project': 'P', 'title': 'T', 'source': 'S', 'mesh_axes': []}]", Code::MissingKey, 2);
    row("[] []", Code::Syntax, 4);
}

void TestDialects::refusedSets()
{
    QFETCH(QString, text);
    QFETCH(int, code);
    QFETCH(int, column);
    const auto read = readPublishedRules(text.toStdString());
    QVERIFY(!read.has_value());
    QCOMPARE(static_cast<int>(read.error().code), code);
    QCOMPARE(read.error().where.column, column);
}

REGISTER_TEST(TestDialects)
#include "test_dialects.moc"
