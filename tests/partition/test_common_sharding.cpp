// SPDX-License-Identifier: GPL-3.0-or-later
// The sharding in which single operations are executed, against Shardy's explicit reshards, and rules of our own.
#include <fstream>

#include <QtTest>
#include <nlohmann/json.hpp>

#include "partition/axis_text.h"
#include "partition/common_sharding.h"
#include "registered_test.h"

using namespace shardscope;
using nlohmann::json;

namespace {

json readCases()
{
    std::ifstream stream(SHARDSCOPE_SOURCE_DIR "/tests/partition/single_operations.json");
    return json::parse(stream).at("cases");
}

Mesh meshOfCase(const json& axes)
{
    std::vector<MeshAxis> list;
    for (const json& axis : axes)
        list.push_back({ axis[0].get<std::string>(), axis[1].get<std::int64_t>() });
    return Mesh::create(std::move(list)).value();
}

TensorType typeOf(const json& tensor, DType dtype = DType::F32)
{
    Shape shape;
    for (const json& size : tensor.at("shape"))
        shape.push_back(size.get<std::int64_t>());
    return { dtype, shape };
}

Dimensions dimensionsOf(const json& list)
{
    Dimensions dimensions;
    for (const json& dimension : list)
        dimensions.push_back(dimension.get<std::int64_t>());
    return dimensions;
}

Attributes attributesOf(const json& c, OpKind kind)
{
    switch (kind) {
    case OpKind::DotGeneral: {
        DotGeneralAttributes dot;
        dot.lhsContracting = dimensionsOf(c.at("contracting")[0]);
        dot.rhsContracting = dimensionsOf(c.at("contracting")[1]);
        if (c.contains("batching")) {
            dot.lhsBatch = dimensionsOf(c.at("batching")[0]);
            dot.rhsBatch = dimensionsOf(c.at("batching")[1]);
        }
        return dot;
    }
    case OpKind::Transpose:
        return TransposeAttributes{ dimensionsOf(c.at("dims")) };
    case OpKind::BroadcastInDim:
        return BroadcastAttributes{ dimensionsOf(c.at("dims")) };
    case OpKind::Reduce:
        return ReduceAttributes{ dimensionsOf(c.at("dims")), ReduceKind::Sum };
    default:
        return {};
    }
}

struct Around {
    TensorSharding sharding;
    TensorType type;
};

CommonSharding choose(
    const FactorRule& rule, const std::vector<Around>& operands, const Around& result, bool ofReshape = false)
{
    std::vector<TensorInOperation> tensors;
    for (const Around& operand : operands)
        tensors.push_back({ &operand.sharding, operand.type.elementCount() });
    const TensorInOperation last{ &result.sharding, result.type.elementCount() };
    return commonSharding(rule, tensors, std::span(&last, 1), ofReshape);
}

} // namespace

class TestCommonSharding : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reference_data()
    {
        QTest::addColumn<int>("index");
        const json cases = readCases();
        QVERIFY(cases.size() >= 70);
        for (std::size_t i = 0; i < cases.size(); ++i)
            QTest::addRow("%s/%zu", cases[i].at("id").get<std::string>().c_str(), i) << static_cast<int>(i);
    }
    void reference()
    {
        QFETCH(int, index);
        static const json cases = readCases();
        const json& c = cases[static_cast<std::size_t>(index)];
        const Mesh mesh = meshOfCase(c.at("mesh"));
        const OpKind kind = parseOpKind(c.at("op").get<std::string>()).value();
        std::vector<Around> operands;
        std::vector<TensorType> types;
        for (const json& operand : c.at("operands")) {
            const bool predicate = kind == OpKind::Select && operands.empty();
            operands.push_back({ shardingFromText(mesh, operand.at("sharding").get<AxisTexts>()),
                typeOf(operand, predicate ? DType::Pred : DType::F32) });
            types.push_back(operands.back().type);
        }
        const Around result{ shardingFromText(mesh, c.at("result").at("sharding").get<AxisTexts>()),
            typeOf(c.at("result")) };
        const Attributes attributes = attributesOf(c, kind);
        const FactorRule rule = opRow(kind).factors(types, result.type, attributes);
        const CommonSharding common = choose(rule, operands, result, kind == OpKind::Reshape);

        std::string ours;
        std::string reference;
        const json& wanted = c.at("want_operands");
        for (std::size_t i = 0; i < operands.size(); ++i) {
            ours += joined(toText(mesh, common.operands[i])) + ' ';
            reference += joined(wanted[i].get<AxisTexts>()) + ' ';
        }
        if (c.contains("want_result")) {
            ours += "-> " + joined(toText(mesh, common.results[0]));
            reference += "-> " + joined(c.at("want_result").get<AxisTexts>());
        }
        if (c.contains("want_all_reduce")) {
            ours += " all_reduce " + joined({ toText(mesh, common.partial) });
            reference += " all_reduce " + joined({ c.at("want_all_reduce").get<std::vector<std::string>>() });
        }
        QVERIFY2(ours == reference, ("\nours:      " + ours + "\nreference: " + reference).c_str());
    }

    void sizesBeyondNumbers()
    {
        // Two tensors of 2^62 elements want x for the dimension, one wants y: together they weigh more than one.
        const TensorType huge{ DType::Pred, { std::int64_t{ 1 } << 62 } };
        const Mesh mesh = *Mesh::create({ { "x", 2 }, { "y", 2 } });
        const auto sharded = [&](std::size_t axis) {
            TensorSharding sharding = TensorSharding::fullyReplicated(1);
            sharding.dims[0].axes.push_back(fullAxis(mesh, axis));
            return Around{ sharding, huge };
        };
        const std::array types{ huge, huge };
        const FactorRule rule = opRow(OpKind::Or).factors(types, huge, {});
        const CommonSharding common = choose(rule, { sharded(0), sharded(0) }, sharded(1));
        QVERIFY(!common.compatible);
        QCOMPARE(common.factors[0].front(), fullAxis(mesh, 0));
    }
};

REGISTER_TEST(TestCommonSharding)
#include "test_common_sharding.moc"
