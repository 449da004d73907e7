// SPDX-License-Identifier: GPL-3.0-or-later
// Of what every device runs: the mesh that it was partitioned over, and of which arrays its arguments are shards.
#include <QTest>

#include "program/explaining_mesh.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "stablehlo/reading.h"

using namespace shardscope;

namespace {

constexpr const char* oneFloat = "tensor<f32>";

/// all_reduce of a [4, 2] over groups of 8 partitions, with further attributes of the module and of the argument.
Program summed(
    const std::string& groups, const std::string& ofModule = {}, const std::string& ofArgument = {}, int replicas = 1)
{
    const std::string text = "module attributes {mhlo.num_partitions = " + std::to_string(8 / replicas)
        + " : i32, mhlo.num_replicas = " + std::to_string(replicas) + " : i32" + ofModule
        + "} {\n  func.func public @main(%a: tensor<4x2xf32>" + ofArgument + ") -> tensor<4x2xf32> {\n"
        + "    %0 = \"stablehlo.all_reduce\"(%a) <{"
        + (replicas > 1 ? std::string()
                        : std::string("channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
                                      "use_global_device_ids, "))
        + "replica_groups = dense<" + groups + ">}> ({\n    ^bb0(%x: " + oneFloat + ", %y: " + oneFloat
        + "):\n      %s = stablehlo.add %x, %y : " + oneFloat + "\n      stablehlo.return %s : " + oneFloat
        + "\n    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>\n    return %0 : tensor<4x2xf32>\n  }\n}\n";
    const Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        qFatal("%s", qPrintable(test::shown(read.error()) + QString::fromStdString('\n' + text)));
    return read->program;
}

std::string axesOf(const Program& program)
{
    std::string text;
    const Mesh mesh = explainingMesh(program);
    for (const MeshAxis& axis : mesh.axes())
        text += (text.empty() ? "" : ",") + axis.name + '=' + std::to_string(axis.size);
    for (const std::int32_t device : mesh.deviceOrder())
        text += ' ' + std::to_string(device);
    return text;
}

constexpr const char* alongRows = "[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64";
constexpr const char* alongColumns = "[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64";
constexpr const char* odd = "[[0, 5], [1, 4], [2, 7], [3, 6]]> : tensor<4x2xi64";

} // namespace

class TestExplainingMesh : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void groups()
    {
        QCOMPARE(axesOf(summed(alongRows)), "axis_0=2,axis_1=4");
        QCOMPARE(axesOf(summed(alongColumns)), "axis_0=2,axis_1=4");
        QCOMPARE(axesOf(summed("[[0, 2], [1, 3], [4, 6], [5, 7]]> : tensor<4x2xi64")), "axis_0=2,axis_1=2,axis_2=2");
        QCOMPARE(axesOf(summed(odd)), "axis_0=8"); // of no mesh in rows
        QVERIFY(isPartitioned(summed(alongRows)));
    }

    /// Replicas without a channel: each partition has groups of its own.
    void replicas()
    {
        QCOMPARE(axesOf(summed("[[0, 1], [2, 3]]> : tensor<2x2xi64", {}, {}, 4)), "axis_0=2,axis_1=2,axis_2=2");
    }

    void statedMeshes()
    {
        const auto stated = [](const char* groups, const std::string& mesh) {
            return axesOf(summed(groups, ", shardscope.mesh = " + mesh));
        };
        QCOMPARE(stated(alongRows, "\"data=2,model=4\""), "data=2,model=4");
        QCOMPARE(stated(alongRows, "\"a=2,b=2,c=2\""), "a=2,b=2,c=2"); // finer than the groups need
        QCOMPARE(stated(alongRows, "\"x=8\""), "x=8"); // of which the groups are parts
        QCOMPARE(stated(odd, "\"data=2,model=4\""), "data=2,model=4"); // of no mesh
        QCOMPARE(stated(alongRows, "\"data=2,model=2\""), "axis_0=2,axis_1=4"); // of fewer devices
        for (const char* none : { "\"\"", "\"data\"", "\"data=0,model=4\"", "\"data=2,data=4\"", "3 : i32" })
            QCOMPARE(stated(alongRows, none), "axis_0=2,axis_1=4");
    }

    void orders()
    {
        const auto ordered = [](const char* groups, const std::string& order) {
            return axesOf(summed(groups, ", shardscope.mesh = \"data=2,model=4\", shardscope.device_order = " + order));
        };
        constexpr const char* rotated = "[[0, 6], [1, 7], [2, 4], [3, 5]]> : tensor<4x2xi64";
        QCOMPARE(ordered(rotated, "\"0,1,2,3,6,7,4,5\""), "data=2,model=4 0 1 2 3 6 7 4 5");
        for (const char* none : { "\"\"", "\"0,1,2\"", "\"0,1,2,3,6,7,4,4\"", "\"0,1,2,3,6,7,4,x\"" })
            QCOMPARE(ordered(rotated, none), axesOf(summed(rotated)));
        QVERIFY(axesOf(summed(rotated)) != ordered(rotated, "\"0,1,2,3,6,7,4,5\""));
    }

    /// What is stated and does not count is told: the mesh, or else single shardings.
    void unused()
    {
        const auto told = [](const std::string& ofModule, const std::string& ofArgument) {
            const Program program = summed(alongRows, ofModule, ofArgument);
            const Mesh mesh = explainingMesh(program);
            std::string all;
            for (const Diagnostic& warning : unusedLabels(program, mesh, statedParts(program, mesh)))
                all += warning.text("op") + ' ' + warning.text("attribute") + ';';
            return all;
        };
        const std::string mesh = ", shardscope.mesh = \"data=2,model=4\"",
                          right = " {shardscope.sharding = \"[{model}, {}]\"}";
        QCOMPARE(told(mesh, right), "");
        QCOMPARE(told("", ""), "");
        QCOMPARE(told(", shardscope.mesh = \"data=4,model=4\"", right), "module shardscope.mesh;");
        QCOMPARE(told(mesh, " {shardscope.sharding = \"[{rows}, {}]\"}"), "argument 0 shardscope.sharding;");
        QCOMPARE(told(mesh + ", shardscope.device_order = \"0,1\"", right), "module shardscope.mesh;");
    }

    void parts()
    {
        const Mesh mesh = *Mesh::create({ { "data", 2 }, { "model", 4 } });
        const auto part = [&](const std::string& sharding) {
            const auto all = statedParts(summed(alongRows, {}, " {shardscope.sharding = " + sharding + "}"), mesh);
            return all.size() == 1 && all[0] ? toColumn(toPartitionSpec(*all[0], mesh)) : std::string("nothing");
        };
        QCOMPARE(part("\"[{model}, {}]\""), "P(model, -)");
        QCOMPARE(part("\"[{}, {}]\""), "P(-, -)");
        QCOMPARE(part("\"[{data, model}, {}]\""), "P((data, model), -)");
        for (const char* none :
            { "\"[{model}]\"", "\"[{rows}, {}]\"", "\"[{model}, {model}]\"", "\"model\"", "1 : i32" })
            QCOMPARE(part(none), "nothing");
        QVERIFY(!statedParts(summed(alongRows), mesh)[0].has_value());
    }
};

REGISTER_TEST(TestExplainingMesh)
#include "test_explaining_mesh.moc"
