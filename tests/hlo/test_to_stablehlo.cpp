// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of HLO text are those of the StableHLO text that says the same.
#include <QtTest>

#include "hlo/layers_text.h"
#include "hlo/reading_hlo.h"
#include "hlo/to_stablehlo.h"
#include "program/aliased_results.h"
#include "program/collective_groups.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/verify_findings.h"
#include "registered_test.h"
#include "stablehlo/same_program.h"

using namespace shardscope;
using test::moduleOf;
using test::shown;

namespace {

/// Empty where both texts are the same program, sources and module attributes aside.
QString different(const std::string& hlo, const std::string& stableHlo)
{
    const Result<ReadProgram> read = readProgram(hlo);
    const Result<ReadProgram> wanted = readProgram(stableHlo);
    if (!read || !wanted)
        return shown(read) + shown(wanted);
    if (const auto wrong = verify(read->program); !wrong.empty())
        return shown(wrong.front());
    return QString::fromStdString(difference(wanted->program, read->program, false));
}

const std::string& adder = test::hloAdder;

} // namespace

class TestToStableHlo : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void operations_data();
    void operations();
    void loop();
    void branches();
    void calls();
    void shardings();
    void namesAndPlaces();
    void namesOfElements();
    void unknown();
    void tiles_data();
    void tiles();
    void compiled();
    void collectives();
    void replicasAndPartitions();
    void takenText();
    void largeTuples();
    void namesThatClash();
    void errors();
};

void TestToStableHlo::operations_data()
{
    QTest::addColumn<QString>("hlo");
    QTest::addColumn<QString>("stableHlo");
    const auto add = [](const char* name, const char* hlo, const char* stableHlo) {
        QTest::newRow(name) << QString::fromLatin1(hlo) << QString::fromLatin1(stableHlo);
    };
    // Over %p: f32[8,4]; the last one is returned.
    add("tanh", "f32[8,4] tanh(%p)", "%0 = stablehlo.tanh %p : tensor<8x4xf32>");
    add("broadcast", "f32[8,2,4] broadcast(%p), dimensions={0,2}",
        "%0 = stablehlo.broadcast_in_dim %p, dims = [0, 2] : (tensor<8x4xf32>) -> tensor<8x2x4xf32>");
    add("transpose", "f32[4,8] transpose(%p), dimensions={1,0}",
        "%0 = stablehlo.transpose %p, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>");
    add("reshape", "f32[32] reshape(%p)", "%0 = stablehlo.reshape %p : (tensor<8x4xf32>) -> tensor<32xf32>");
    add("convert", "bf16[8,4] convert(%p)", "%0 = stablehlo.convert %p : (tensor<8x4xf32>) -> tensor<8x4xbf16>");
    add("compare", "pred[8,4] compare(%p, %p), direction=GE",
        "%0 = stablehlo.compare GE, %p, %p, FLOAT : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>");
    add("slice", "f32[4,2] slice(%p), slice={[0:4], [1:4:2]}",
        "%0 = stablehlo.slice %p [0:4, 1:4:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>");
    add("iota", "s32[8,4] iota(), iota_dimension=1", "%0 = stablehlo.iota dim = 1 : tensor<8x4xi32>");
    add("concatenate", "f32[16,4] concatenate(%p, %p), dimensions={0}",
        "%0 = stablehlo.concatenate %p, %p, dim = 0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>");
    add("reverse", "f32[8,4] reverse(%p), dimensions={0}", "%0 = stablehlo.reverse %p, dims = [0] : tensor<8x4xf32>");
    add("dot", "f32[8,8] dot(%p, %p), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
        "%0 = stablehlo.dot_general %p, %p, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> "
        "tensor<8x8xf32>");
    add("dot in batches",
        "f32[8] dot(%p, %p), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0}, "
        "rhs_contracting_dims={1}",
        "%0 = stablehlo.dot_general %p, %p, batching_dims = [0] x [0], contracting_dims = [1] x [1] : "
        "(tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8xf32>");
    add("reduce-precision", "f32[8,4] reduce-precision(%p), exponent_bits=5, mantissa_bits=10",
        "%0 = stablehlo.reduce_precision %p, format = e5m10 : tensor<8x4xf32>");
    add("topk", "(f32[8,2], s32[8,2]) topk(%p), k=2, largest=true",
        "%0:2 = chlo.top_k(%p, k = 2) : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)");
    add("constants", "f32[2,3] constant({ {1, -2.5, 1e-05}, {inf, -inf, 3} })",
        "%0 = stablehlo.constant dense<[[1.0, -2.5, 1.0e-05], [0x7F800000, 0xFF800000, 3.0]]> : tensor<2x3xf32>");
    add("truth", "pred[] constant(true)", "%0 = stablehlo.constant dense<true> : tensor<i1>");
    add("whole numbers", "s32[2] constant({1, /*one*/-7})", "%0 = stablehlo.constant dense<[1, -7]> : tensor<2xi32>");
    add("nothing", "f32[0] constant({})", "%0 = stablehlo.constant dense<> : tensor<0xf32>");
}

void TestToStableHlo::operations()
{
    QFETCH(QString, hlo);
    QFETCH(QString, stableHlo);
    const std::string statement = hlo.toStdString();
    const std::string type =
        stableHlo.mid(stableHlo.lastIndexOf(QLatin1String(stableHlo.contains(QLatin1String("->")) ? "-> " : " : ")) + 3)
            .toStdString();
    const bool isPair = type.front() == '(';
    QCOMPARE(different(
                 "HloModule m\n\nENTRY %main (p: f32[8,4]) -> f32[8] {\n  %p = f32[8,4]{1,0} parameter(0)\n  ROOT %r = "
                     + statement + "\n}\n",
                 "module @m {\n  func.func public @main(%p: tensor<8x4xf32>) -> " + type + " {\n    "
                     + stableHlo.toStdString() + "\n    return " + (isPair ? "%0#0, %0#1 : " : "%0 : ")
                     + (isPair ? type.substr(1, type.size() - 2) : type) + "\n  }\n}\n"),
        QString());
}

void TestToStableHlo::loop()
{
    const std::string hlo =
        "HloModule m\n\n%body (t: (s32[], f32[8])) -> (s32[], f32[8]) {\n  %t = (s32[], f32[8]{0}) parameter(0)\n"
        "  %i = s32[] get-tuple-element(%t), index=0\n  %x = f32[8]{0} get-tuple-element(%t), index=1\n"
        "  %one = s32[] constant(1)\n  %next = s32[] add(%i, %one)\n  %y = f32[8]{0} tanh(%x)\n"
        "  ROOT %r = (s32[], f32[8]{0}) tuple(%next, %y)\n}\n\n"
        "%condition (t: (s32[], f32[8])) -> pred[] {\n  %t = (s32[], f32[8]{0}) parameter(0)\n"
        "  %i = s32[] get-tuple-element(%t), index=0\n  %n = s32[] constant(5)\n"
        "  ROOT %c = pred[] compare(%i, %n), direction=LT\n}\n\n"
        "ENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n  %zero = s32[] constant(0)\n"
        "  %init = (s32[], f32[8]{0}) tuple(%zero, %p)\n"
        "  %w = (s32[], f32[8]{0}) while(%init), condition=%condition, body=%body\n"
        "  ROOT %y = f32[8]{0} get-tuple-element(%w), index=1\n}\n";
    const std::string wanted =
        "module @m {\n  func.func public @main(%p: tensor<8xf32>) -> tensor<8xf32> {\n"
        "    %z = stablehlo.constant dense<0> : tensor<i32>\n"
        "    %w:2 = stablehlo.while(%i = %z, %x = %p) : tensor<i32>, tensor<8xf32>\n     cond {\n"
        "      %n = stablehlo.constant dense<5> : tensor<i32>\n"
        "      %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "      stablehlo.return %c : tensor<i1>\n    } do {\n"
        "      %one = stablehlo.constant dense<1> : tensor<i32>\n      %next = stablehlo.add %i, %one : tensor<i32>\n"
        "      %y = stablehlo.tanh %x : tensor<8xf32>\n      stablehlo.return %next, %y : tensor<i32>, tensor<8xf32>\n "
        "   }\n"
        "    return %w#1 : tensor<8xf32>\n  }\n}\n";
    QCOMPARE(different(hlo, wanted), QString());
}

void TestToStableHlo::branches()
{
    const std::string hlo =
        "HloModule m\n\n%yes (x: f32[8]) -> f32[8] {\n  %x = f32[8] parameter(0)\n  ROOT %r = f32[8] tanh(%x)\n}\n"
        "%no (x: f32[8]) -> f32[8] {\n  ROOT %x = f32[8] parameter(0)\n}\n"
        "ENTRY %main (c: pred[], p: f32[8]) -> f32[8] {\n  %c = pred[] parameter(0)\n  %p = f32[8] parameter(1)\n"
        "  ROOT %r = f32[8] conditional(%c, %p, %p), true_computation=%yes, false_computation=%no\n}\n";
    const std::string wanted =
        "module @m {\n  func.func public @main(%c: tensor<i1>, %p: tensor<8xf32>) -> tensor<8xf32> {\n"
        "    %r = \"stablehlo.if\"(%c) ({\n      %t = stablehlo.tanh %p : tensor<8xf32>\n"
        "      stablehlo.return %t : tensor<8xf32>\n    }, {\n      stablehlo.return %p : tensor<8xf32>\n"
        "    }) : (tensor<i1>) -> tensor<8xf32>\n    return %r : tensor<8xf32>\n  }\n}\n";
    QCOMPARE(different(hlo, wanted), QString());
}

void TestToStableHlo::calls()
{
    // A reduction's computation is its body, a called one a function.
    const std::string hlo = "HloModule m\n\n" + adder
        + "%f (x: f32[8]) -> f32[] {\n  %x = f32[8] parameter(0)\n  %z = f32[] constant(0)\n"
          "  ROOT %r = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n}\n"
          "ENTRY %main (p: f32[8]) -> (f32[], f32[]) {\n  %p = f32[8] parameter(0)\n  %a = f32[] call(%p), "
          "to_apply=%f\n"
          "  %b = f32[] call(%p), to_apply=%f\n  ROOT %t = (f32[], f32[]) tuple(%a, %b)\n}\n";
    const std::string wanted =
        "module @m {\n  func.func public @main(%p: tensor<8xf32>) -> (tensor<f32>, tensor<f32>) {\n"
        "    %a = call @f(%p) : (tensor<8xf32>) -> tensor<f32>\n    %b = call @f(%p) : (tensor<8xf32>) -> tensor<f32>\n"
        "    return %a, %b : tensor<f32>, tensor<f32>\n  }\n"
        "  func.func private @f(%x: tensor<8xf32>) -> tensor<f32> {\n    %z = stablehlo.constant dense<0.0> : "
        "tensor<f32>\n"
        "    %r = \"stablehlo.reduce\"(%x, %z) ({\n    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
        "      %s = stablehlo.add %a, %b : tensor<f32>\n      stablehlo.return %s : tensor<f32>\n"
        "    }) {dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\n"
        "    return %r : tensor<f32>\n  }\n}\n";
    QCOMPARE(different(hlo, wanted), QString());
}

void TestToStableHlo::shardings()
{
    const std::string shardy =
        "HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=2, \"y\"=2]>}}\n\n"
        "ENTRY %main (p: f32[8,4]) -> f32[8,4] {\n"
        "  %p = f32[8,4]{1,0} parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}, "
        "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"x\\\"}, {}]>\"}\n"
        "  %t = f32[8,4]{1,0} tanh(%p)\n"
        "  ROOT %r = f32[8,4]{1,0} custom-call(%t), custom_call_target=\"Sharding\", "
        "sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}, "
        "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, [{}, {\\\"y\\\"}]>]>\"}\n}\n";
    const Result<ReadProgram> read = readProgram(shardy);
    QCOMPARE(shown(read), QString());
    const Program& program = read->program;
    QCOMPARE(program.meshes.size(), std::size_t{ 1 });
    QCOMPARE(program.meshes[0].name, std::string("mesh"));
    QVERIFY(program.shardingOf(program.main().arguments[0]));
    QVERIFY(program.shardingOf(program.main().results[0]));
    QVERIFY(read->warnings.empty());
    // XLA's alone: a mesh is made for them.
    const Result<ReadProgram> plain =
        readProgram("HloModule m, num_partitions=4\n\nENTRY %main (p: f32[8,4]) -> f32[8,4] {\n"
                    "  %p = f32[8,4]{1,0} parameter(0), sharding={devices=[2,2]<=[4]}\n"
                    "  ROOT %r = f32[8,4]{1,0} tanh(%p)\n}\n");
    QCOMPARE(shown(plain), QString());
    QVERIFY(plain->program.shardingOf(plain->program.main().arguments[0]));
    // What stands between the two calls of a manual region is manual without a word.
    const Result<ReadProgram> manual =
        readProgram("HloModule m, num_partitions=4\n\nENTRY %main (p: f32[8,4]) -> f32[8,4] {\n"
                    "  %p = f32[8,4]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}\n"
                    "  %f = f32[2,4]{1,0} custom-call(%p), custom_call_target=\"SPMDFullToShardShape\", "
                    "sharding={manual}\n  %t = f32[2,4]{1,0} tanh(%f), sharding={manual}\n"
                    "  ROOT %r = f32[8,4]{1,0} custom-call(%t), custom_call_target=\"SPMDShardToFullShape\", "
                    "sharding={devices=[4,1]<=[4]}\n}\n");
    QCOMPARE(shown(manual), QString());
    QVERIFY(manual->warnings.empty());
    // A tuple has one for each of its arrays, and instructions in between may have their own.
    const auto tuple = [](const std::string& stated) {
        return readProgram(
            "HloModule m, num_partitions=4\n\nENTRY %main (p: (f32[8,4], f32[4])) -> (f32[8,4], f32[4]) {\n"
            "  %p = (f32[8,4]{1,0}, f32[4]{0}) parameter(0), sharding="
            + stated
            + "\n  %a = f32[8,4]{1,0} get-tuple-element(%p), index=0\n  %b = f32[4]{0} get-tuple-element(%p), "
              "index=1\n  %t = f32[8,4]{1,0} tanh(%a), sharding={devices=[1,4]<=[4]}\n  %n = f32[8,4]{1,0} "
              "negate(%t)\n  ROOT %r = (f32[8,4]{1,0}, f32[4]{0}) tuple(%n, %b), "
              "sharding={{devices=[2,2]<=[4]}, {replicated}}\n}\n");
    };
    const Result<ReadProgram> parts = tuple("{{devices=[4,1]<=[4]}, {devices=[4]<=[4]}}");
    QCOMPARE(shown(parts), QString());
    QVERIFY(parts->warnings.empty());
    const auto textOf = [&](ValueId value) {
        const auto sharding = parts->program.shardingOf(value);
        return sharding ? QString::fromStdString(
                   verification::shardingText(parts->program.meshes[sharding->mesh], sharding->sharding))
                        : QString();
    };
    const Region& main = parts->program.main();
    QCOMPARE(textOf(main.arguments[0]), QStringLiteral("[{axis_0, axis_1}, {}]"));
    QCOMPARE(textOf(main.arguments[1]), QStringLiteral("[{axis_0, axis_1}]"));
    QCOMPARE(textOf(parts->program.operation(main.operations[0]).results[0]), QStringLiteral("[{}, {axis_0, axis_1}]"));
    QVERIFY(
        shown(tuple("{{devices=[4,1]<=[4]}}")).startsWith(QStringLiteral("E194 4:58 what=shardings found=1 wanted=2")));
    // One that is no tuple is that of all arrays.
    const Result<ReadProgram> all = tuple("{replicated}");
    QCOMPARE(shown(all), QString());
    QVERIFY(all->program.shardingOf(all->program.main().arguments[1]));
    // XLA numbers every fifth part. A copy and an element say where their value lies as well, whatever their metadata
    // name.
    std::string types, shardings;
    for (int i = 0; i < 6; ++i) {
        types += (i == 0 ? "" : i == 5 ? ", /*index=5*/" : ", ") + std::string("f32[8]{0}");
        shardings += (i == 0 ? "" : i == 5 ? ", /*index=5*/" : ", ") + std::string("{devices=[4]<=[4]}");
    }
    const Result<ReadProgram> many =
        readProgram("HloModule m, num_partitions=4\n\nENTRY %main (p: f32[8]) -> f32[8] {\n"
                    "  %p = f32[8]{0} parameter(0)\n  %c = ("
            + types + ") custom-call(%p), custom_call_target=\"six\", sharding={" + shardings
            + "}\n  %e = f32[8]{0} get-tuple-element(%c), index=5\n  %k = f32[8]{0} copy(%e), sharding={replicated "
              "metadata={op_name=\"jit(f)/manual/copy\"}}\n  ROOT %r = f32[8]{0} negate(%k)\n}\n");
    QCOMPARE(shown(many), QString());
    const Program& six = many->program;
    const Operation& call = six.operation(six.main().operations[0]);
    QCOMPARE(call.results.size(), std::size_t{ 6 });
    QVERIFY(six.shardingOf(call.results[5]));
    const ValueId negated = six.operation(six.main().operations.back()).operands[0];
    QVERIFY(negated != call.results[5]); // a constraint stands between
}

void TestToStableHlo::namesAndPlaces()
{
    const std::string hlo =
        "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n\nENTRY %main (p: f32[8]) -> f32[8] {\n"
        "  %p.1 = f32[8]{0} parameter(0), metadata={op_name=\"state[\\'w\\']\" source_file=\"f.py\" source_line=3}\n"
        "  %mul.2 = f32[8]{0} multiply(%p.1, %p.1), metadata={op_name=\"jit(f)/mul\" "
        "source_file=\"f.py\" source_line=12}\n"
        "  ROOT %r = f32[8]{0} tanh(%mul.2)\n}\n";
    Result<ReadProgram> read = readProgram(hlo);
    QCOMPARE(shown(read), QString());
    Program& program = read->program;
    const Operation& multiply = program.operation(program.main().operations[0]);
    QCOMPARE(program.sources[multiply.source].line, 5U);
    QCOMPARE(program.sources[multiply.source].column, 4U);
    QCOMPARE(std::string(program.sources[multiply.source].location), std::string("\"jit(f)/mul\"(\"f.py\":12:0)"));
    QCOMPARE(std::string(program.value(program.main().arguments[0]).path), std::string("state['w']"));
    QCOMPARE(hlo.substr(read->names[multiply.results[0].index], 5), std::string("mul.2"));
    const std::vector<AliasedResult> aliased = aliasedResults(MainInterface(program));
    QCOMPARE(aliased.size(), std::size_t{ 1 });
    QCOMPARE(aliased[0].result, std::optional<std::size_t>(0)); // of one result that is no tuple
}

/// What is taken out of a tuple goes by its own name: of an argument, of what a loop carries, of parts that are sent.
void TestToStableHlo::namesOfElements()
{
    const std::string hlo =
        "HloModule m, num_partitions=2, is_scheduled=true\n"
        "%body (t: (s32[], f32[8])) -> (s32[], f32[8]) {\n"
        "  %t = (s32[], f32[8]{0}) parameter(0)\n"
        "  %i = s32[] get-tuple-element(%t), index=0\n  %x = f32[8]{0} get-tuple-element(%t), index=1\n"
        "  %one = s32[] constant(1)\n  %next = s32[] add(%i, %one)\n  %y = f32[8]{0} negate(%x)\n"
        "  ROOT %r = (s32[], f32[8]{0}) tuple(%next, %y)\n}\n"
        "%condition (u: (s32[], f32[8])) -> pred[] {\n  %u = (s32[], f32[8]{0}) parameter(0)\n"
        "  %j = s32[] get-tuple-element(%u), index=0\n  %n = s32[] constant(3)\n"
        "  ROOT %c = pred[] compare(%j, %n), direction=LT\n}\n"
        "ENTRY %main (arg: (f32[8], f32[8])) -> f32[8] {\n"
        "  %arg = (f32[8]{0}, f32[8]{0}) parameter(0)\n"
        "  %a = f32[8]{0} get-tuple-element(%arg), index=0\n  %b = f32[8]{0} get-tuple-element(%arg), index=1\n"
        "  %a2a = (f32[8]{0}, f32[8]{0}) all-to-all(%a, %b), channel_id=1, replica_groups={{0,1}}\n"
        "  %first = f32[8]{0} get-tuple-element(%a2a), index=0\n"
        "  %second = f32[8]{0} get-tuple-element(%a2a), index=1\n"
        "  %both = (f32[8]{0}, f32[8]{0}) tuple(%first, %second)\n"
        "  %again = f32[8]{0} get-tuple-element(%both), index=0\n"
        "  %zero = s32[] constant(0)\n  %start = (s32[], f32[8]{0}) tuple(%zero, %again)\n"
        "  %loop = (s32[], f32[8]{0}) while(%start), condition=%condition, body=%body\n"
        "  %carried = f32[8]{0} get-tuple-element(%loop), index=1\n"
        "  ROOT %sum = f32[8]{0} add(%carried, %second)\n}\n";
    Result<ReadProgram> read = readProgram(hlo);
    QCOMPARE(shown(read), QString());
    declaredName(*read, hlo);
    const Program& program = read->program;
    for (const char* path : { "a", "b", "first", "second", "loop#1", "sum", "i", "x" })
        QVERIFY2(program.find(path).valid(), path);
    for (const char* path : { "arg", "again", "carried", "t", "copy1_of_arg", "copy1_of_t" })
        QVERIFY2(!program.find(path).valid(), path);
    QCOMPARE(program.find("b"), program.main().arguments[1]);
    QCOMPARE(program.value(program.find("second")).type.shape, Shape{ 8 });
}

void TestToStableHlo::unknown()
{
    const Result<ReadProgram> read =
        readProgram(moduleOf("  %p = f32[8] parameter(0)\n  ROOT %q = f32[8] new-thing(%p), k=1"));
    QCOMPARE(shown(read), QString());
    QVERIFY(read->program.operation(read->program.main().operations[0]).kind == OpKind::Opaque);
    QCOMPARE(read->warnings.size(), std::size_t{ 1 });
    QCOMPARE(read->warnings[0].where.line, 5);
}

/// A bitcast between tiles: what lies in a row is one tile after the other.
void TestToStableHlo::tiles_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("type"); // of the argument, "24x256xf32"
    QTest::addColumn<QString>("steps"); // "reshape [3x8x2x128], transpose [0, 2, 1, 3] [3x2x8x128]"; "opaque" for none
    const auto add = [](const char* name, const char* from, const char* to, const char* type, const char* steps) {
        QTest::newRow(name) << QString::fromLatin1(from) << QString::fromLatin1(to) << QString::fromLatin1(type)
                            << QString::fromLatin1(steps);
    };
    add("to tiles side by side", "f32[24,256]{1,0:T(8,128)}", "f32[3,2,8,128]{3,2,1,0:T(8,128)}", "24x256xf32",
        "reshape 3x8x2x128xf32; transpose [0, 2, 1, 3] 3x2x8x128xf32");
    add("from rows", "f32[3,2,8,128]{3,2,1,0}", "f32[24,256]{1,0:T(8,128)S(1)}", "3x2x8x128xf32",
        "transpose [0, 2, 1, 3] 3x8x2x128xf32; reshape 24x256xf32");
    // An order that is not its own inverse.
    add("tiles of three dimensions", "f32[6,32,256]{2,1,0:T(2,8,128)}", "f32[3,4,2,2,8,128]{5,4,3,2,1,0}",
        "6x32x256xf32", "reshape 3x2x4x8x2x128xf32; transpose [0, 2, 4, 1, 3, 5] 3x4x2x2x8x128xf32");
    add("into tiles of three dimensions", "f32[3,4,2,2,8,128]{5,4,3,2,1,0}", "f32[6,32,256]{2,1,0:T(2,8,128)}",
        "3x4x2x2x8x128xf32", "transpose [0, 3, 1, 4, 2, 5] 3x2x4x8x2x128xf32; reshape 6x32x256xf32");
    add("columns in tiles", "f32[256,24]{0,1:T(8,128)}", "f32[3,2,8,128]{3,2,1,0}", "256x24xf32",
        "transpose [1, 0] 24x256xf32; reshape 3x8x2x128xf32; transpose [0, 2, 1, 3] 3x2x8x128xf32");
    add("into columns in tiles", "f32[3,2,8,128]{3,2,1,0}", "f32[256,24]{0,1:T(8,128)}", "3x2x8x128xf32",
        "transpose [0, 2, 1, 3] 3x8x2x128xf32; reshape 24x256xf32; transpose [1, 0] 256x24xf32");
    // The same tiles, or one over the full rows.
    add("the same tiles", "bf16[2,16,256]{2,1,0:T(8,128)(2,1)}", "bf16[1,2,16,256]{3,2,1,0:T(8,128)(2,1)}",
        "2x16x256xbf16", "reshape 1x2x16x256xbf16");
    add("one tile over the rows", "f32[16,128]{1,0:T(8,128)}", "f32[2048]{0:T(1024)}", "16x128xf32",
        "reshape 2048xf32");
    add("nothing changes", "f32[16,256]{1,0:T(8,128)}", "f32[16,256]{1,0:T(8,128)}", "16x256xf32", "");
    // Elements of two rows take turns in each tile, on both sides.
    add("two rows on both sides", "bf16[16,128]{1,0:T(8,128)(2,1)}", "bf16[2048]{0:T(1024)(128)(2,1)}", "16x128xbf16",
        "reshape 2048xbf16");
    add("two rows, tile by tile", "bf16[16,128]{1,0:T(8,128)(2,1)}", "bf16[2,8,128]{2,1,0:T(8,128)(2,1)}",
        "16x128xbf16", "reshape 2x8x128xbf16");
    add("tiles of two rows side by side", "bf16[24,256]{1,0:T(8,128)(2,1)}", "bf16[3,2,8,128]{3,2,1,0:T(8,128)(2,1)}",
        "24x256xbf16", "reshape 3x8x2x128xbf16; transpose [0, 2, 1, 3] 3x2x8x128xbf16");
    add("one row alone", "bf16[1,4096]{1,0:T(2,128)(2,1)}", "bf16[4096]{0}", "1x4096xbf16", "reshape 4096xbf16");
    add("two rows become one", "bf16[8,128]{1,0:T(8,128)(2,1)}", "bf16[1024]{0}", "8x128xbf16", "opaque");
    add("two rows no longer", "bf16[8,128]{1,0:T(8,128)(2,1)}", "bf16[8,128]{1,0:T(8,128)}", "8x128xbf16", "opaque");
    add("four rows", "s8[32,128]{1,0:T(32,128)(4,1)}", "s8[4096]{0:T(4096)(128)(2,1)}", "32x128xi8", "opaque");
    add("other tiles in tiles", "bf16[16,256]{1,0:T(8,128)(2,1)}", "bf16[2,2,8,128]{3,2,1,0:T(8,128)}", "16x256xbf16",
        "opaque");
    add("padding", "f32[10,256]{1,0:T(8,128)}", "f32[20,128]{1,0:T(8,128)}", "10x256xf32", "opaque");
}

void TestToStableHlo::tiles()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, type);
    QFETCH(QString, steps);
    const std::string hlo = "HloModule m\n\nENTRY %main (p: " + from.toStdString() + ") -> " + to.toStdString()
        + " {\n  %p = " + from.toStdString() + " parameter(0)\n  ROOT %q = " + to.toStdString() + " bitcast(%p)\n}\n";
    if (steps == QLatin1String("opaque")) {
        const Result<ReadProgram> read = readProgram(hlo);
        QCOMPARE(shown(read), QString());
        QVERIFY(!read->program.main().operations.empty());
        QCOMPARE(read->program.operation(read->program.main().operations[0]).kind, OpKind::Opaque);
        return;
    }
    QString body, value = QStringLiteral("%p"), now = QStringLiteral("tensor<%1>").arg(type);
    for (const QString& step : steps.split(QStringLiteral("; "), Qt::SkipEmptyParts)) {
        const QString result = QStringLiteral("%%1").arg(body.count(QLatin1Char('\n')));
        const QString next = QStringLiteral("tensor<%1>").arg(step.section(QLatin1Char(' '), -1));
        const QString operation = step.section(QLatin1Char(' '), 0, 0);
        const qsizetype bracket = step.indexOf(QLatin1Char('['));
        const QString dims = bracket < 0
            ? QString()
            : QStringLiteral(", dims = ") + step.mid(bracket, step.indexOf(QLatin1Char(']')) + 1 - bracket);
        body += QStringLiteral("    ") + result + QStringLiteral(" = stablehlo.") + operation + QLatin1Char(' ') + value
            + dims + QStringLiteral(" : (") + now + QStringLiteral(") -> ") + next + QLatin1Char('\n');
        value = result;
        now = next;
    }
    const QString wanted = QStringLiteral("module @m {\n  func.func public @main(%p: tensor<") + type
        + QStringLiteral(">) -> ") + now + QStringLiteral(" {\n") + body + QStringLiteral("    return ") + value
        + QStringLiteral(" : ") + now + QStringLiteral("\n  }\n}\n");
    QCOMPARE(different(hlo, wanted.toStdString()), QString());
}

void TestToStableHlo::compiled()
{
    const Result<ReadProgram> scheduled =
        readProgram("HloModule m, is_scheduled=true\nENTRY %main {\n  ROOT %c = f32[] constant(0)\n}\n");
    QCOMPARE(shown(scheduled), QString());
    QVERIFY(scheduled->partitionedOver == Mesh::create({ { "axis_0", 1 } }).value());
    const Result<ReadProgram> before = readProgram(moduleOf("  ROOT %p = f32[8] parameter(0)"));
    QVERIFY(before && !before->partitionedOver);
    // A mesh that is none, of two axes with one name, says nothing.
    const Result<ReadProgram> odd =
        readProgram("HloModule m, is_scheduled=true, num_partitions=4\nENTRY %main {\n"
                    "  ROOT %p = f32[8] parameter(0), sharding={mesh['x'=2,'x'=2], [{'x'}]}\n}\n");
    QCOMPARE(shown(odd), QString());
    QVERIFY(odd->partitionedOver == Mesh::create({ { "axis_0", 4 } }).value());
    QVERIFY(!odd->partsOf[0].has_value());
    // A fusion is what it calls; a bitcast what its bytes are; what starts is there, and what is waited for comes out.
    const std::string hlo =
        "HloModule m, is_scheduled=true, num_partitions=4\n\n"
        "%fused (a: f32[2,8]) -> f32[2,8] {\n  %a = f32[2,8]{1,0} parameter(0)\n"
        "  ROOT %t = f32[2,8]{1,0} tanh(%a)\n}\n\n"
        "ENTRY %main_spmd (p: f32[2,8]) -> f32[8,8] {\n"
        "  %p = f32[2,8]{1,0} parameter(0), sharding={mesh['data'=2,'model'=2], [{'data','model'}, {}]}\n"
        "  %f = f32[2,8]{1,0} fusion(%p), kind=kLoop, calls=%fused\n"
        "  %s = (f32[2,8]{1,0}, f32[8,8]{1,0}) all-gather-start(%f), channel_id=1, replica_groups=[1,4]<=[4], "
        "dimensions={0}, use_global_device_ids=true\n"
        "  %d = f32[8,8]{1,0} all-gather-done(%s)\n"
        "  ROOT %b = f32[8,8]{0,1} bitcast(%d)\n}\n";
    const std::string wanted =
        "module @m attributes {mhlo.num_partitions = 4 : i32} {\n"
        "  func.func public @main(%p: tensor<2x8xf32>) -> tensor<8x8xf32> {\n    %f = call @fused(%p) : "
        "(tensor<2x8xf32>) -> tensor<2x8xf32>\n"
        "    %d = \"stablehlo.all_gather\"(%f) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : "
        "tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : "
        "(tensor<2x8xf32>) -> tensor<8x8xf32>\n"
        "    %b = stablehlo.transpose %d, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
        "    return %b : tensor<8x8xf32>\n  }\n"
        "  func.func private @fused(%a: tensor<2x8xf32>) -> tensor<2x8xf32> {\n"
        "    %t = stablehlo.tanh %a : tensor<2x8xf32>\n    return %t : tensor<2x8xf32>\n  }\n}\n";
    QCOMPARE(different(hlo, wanted), QString());
    const Result<ReadProgram> read = readProgram(hlo);
    QVERIFY(read->partitionedOver == Mesh::create({ { "data", 2 }, { "model", 2 } }).value());
    QCOMPARE(read->partsOf.size(), std::size_t{ 1 });
    QVERIFY(read->partsOf[0].has_value());
    QCOMPARE(shardCount(read->partsOf[0]->dims[0]), std::int64_t{ 4 });
    QCOMPARE(shardCount(read->partsOf[0]->dims[1]), std::int64_t{ 1 });
}

void TestToStableHlo::collectives()
{
    const auto over = [](const std::string& statements, const std::string& result) {
        return readProgram("HloModule m, is_scheduled=true, num_partitions=8\n\n" + adder + "ENTRY %e (p: f32[4,2]) -> "
            + result + " {\n  %p = f32[4,2]{1,0} parameter(0)\n" + statements + "\n}\n");
    };
    const auto only = [](const Result<ReadProgram>& read, OpKind kind) -> const CollectiveAttributes* {
        if (!read || !verify(read->program).empty())
            return nullptr;
        for (const Operation& operation : read->program.operations)
            if (operation.kind == kind)
                return attributesAs<CollectiveAttributes>(operation.attributes);
        return nullptr;
    };
    // Groups {0,4} {1,5} {2,6} {3,7}: along the first axis of 2 x 4.
    const auto sum = over("  ROOT %r = f32[4,2]{1,0} all-reduce(%p), channel_id=3, replica_groups=[4,2]<=[2,4]T(1,0), "
                          "use_global_device_ids=true, to_apply=%add",
        "f32[4,2]");
    QCOMPARE(shown(sum), QString());
    const CollectiveAttributes* reduced = only(sum, OpKind::AllReduce);
    QVERIFY(reduced);
    QVERIFY(reduced->groups == (std::vector<std::vector<std::int64_t>>{ { 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 } }));
    QVERIFY(sum->partitionedOver == Mesh::create({ { "axis_0", 2 }, { "axis_1", 4 } }).value());
    QCOMPARE(
        shown(over("  ROOT %r = f32[4,2]{1,0} all-reduce(%p), replica_groups=[1,4]<=[4], to_apply=%add", "f32[4,2]"))
            .section(QLatin1Char(' '), 2),
        QStringLiteral("what=groups tiles=4 devices=8"));
    const auto sent =
        over("  ROOT %r = f32[4,2]{1,0} collective-permute(%p), channel_id=1, source_target_pairs={{0,1},{1,0}}",
            "f32[4,2]");
    const CollectiveAttributes* permuted = only(sent, OpKind::CollectivePermute);
    QVERIFY2(permuted, qPrintable(shown(sent)));
    QVERIFY(permuted->groups == (std::vector<std::vector<std::int64_t>>{ { 0, 1 }, { 1, 0 } }));
    // One operand for each device of a group: parts of one array, put together.
    const auto parts =
        over("  %x = (f32[4,2]{1,0}, f32[4,2]{1,0}) all-to-all(%p, %p), channel_id=1, replica_groups=mesh['x'=2,'y'=4] "
             "{'x'}\n  ROOT %r = f32[4,2]{1,0} get-tuple-element(%x), index=1",
            "f32[4,2]");
    const CollectiveAttributes* exchanged = only(parts, OpKind::AllToAll);
    QVERIFY2(exchanged, qPrintable(shown(parts)));
    QCOMPARE(exchanged->splitCount, std::int64_t{ 2 });
    QVERIFY(parts->partitionedOver == Mesh::create({ { "x", 2 }, { "y", 4 } }).value());
}

/// Groups of one text that number replicas, replicas with their partitions, partitions or devices.
void TestToStableHlo::replicasAndPartitions()
{
    using Groups = std::vector<std::vector<std::int32_t>>;
    const Groups ofReplicas{ { 0, 2 }, { 1, 3 }, { 4, 6 }, { 5, 7 } }, halves{ { 0, 1, 2, 3 }, { 4, 5, 6, 7 } };
    const std::vector<std::pair<std::string, Groups>> stated{
        { "all-reduce(%v0), replica_groups={{0,1},{2,3}}, to_apply=%add", ofReplicas },
        { "all-reduce(%v1), channel_id=2, replica_groups={{0,1},{2,3}}, to_apply=%add", halves },
        { "all-to-all(%v2), replica_groups={{0,1},{2,3}}, dimensions={0}", ofReplicas },
        { "all-reduce(%v3), replica_groups={}, to_apply=%add", { { 0, 2, 4, 6 }, { 1, 3, 5, 7 } } },
        { "all-to-all(%v4), channel_id=1, replica_groups={}, dimensions={0}",
            { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 } } },
        { "all-reduce(%v5), channel_id=3, replica_groups={{0,1,2,3},{4,5,6,7}}, use_global_device_ids=true, "
          "to_apply=%add",
            halves },
        { "collective-permute(%v6), source_target_pairs={{2,3},{3,2}}", { { 4, 6 }, { 5, 7 }, { 6, 4 }, { 7, 5 } } },
        { "collective-permute(%v7), channel_id=1, source_target_pairs={{1,0}}",
            { { 1, 0 }, { 3, 2 }, { 5, 4 }, { 7, 6 } } },
    };
    std::string statements = "  %v0 = f32[4,2]{1,0} parameter(0)\n";
    for (std::size_t i = 0; i < stated.size(); ++i)
        statements += std::string(i + 1 == stated.size() ? "  ROOT " : "  ") + "%v" + std::to_string(i + 1)
            + " = f32[4,2]{1,0} " + stated[i].first + '\n';
    for (const char* compiled : { "", ", is_scheduled=true" }) {
        const Result<ReadProgram> read = readProgram("HloModule m, replica_count=4, num_partitions=2"
            + std::string(compiled) + "\n\n" + adder + "ENTRY %e (v0: f32[4,2]) -> f32[4,2] {\n" + statements + "}\n");
        QCOMPARE(shown(read), QString());
        QVERIFY(verify(read->program).empty());
        QVERIFY(verifyCollectiveGroups(read->program).empty());
        const DeviceCounts devices = statedDevices(read->program);
        std::size_t next = 0;
        for (const Operation& operation : read->program.operations) {
            if (!isExchange(operation.kind))
                continue;
            QVERIFY(next < stated.size());
            QVERIFY2(groupsOf(operation, devices) == stated[next].second, stated[next].first.c_str());
            QVERIFY(!wrongGroups(read->program, operation, devices));
            ++next;
        }
        QCOMPARE(next, stated.size());
    }
}

void TestToStableHlo::takenText()
{
    const std::string stableHlo =
        "func.func @main(%p: tensor<8xf32>) -> tensor<8xf32> {\n  return %p : tensor<8xf32>\n}\n";
    for (const std::string& text : { test::layersText(3), stableHlo }) {
        std::string taken = text;
        const Result<ReadProgram> kept = readProgram(text), read = takeProgram(taken);
        QCOMPARE(shown(kept) + shown(read), QString());
        QCOMPARE(QString::fromStdString(difference(kept->program, read->program, false)), QString());
        QVERIFY(kept->program.sources == read->program.sources);
        QVERIFY(kept->partitionedOver == read->partitionedOver && kept->partsOf == read->partsOf);
        QVERIFY(taken.empty() && read->names.empty() && !kept->names.empty());
    }
    // Errors have the places of the text that is gone.
    const std::string wrong = moduleOf("  %p = f32[?] parameter(0)");
    std::string taken = wrong;
    const Result<ReadProgram> kept = readProgram(wrong), read = takeProgram(taken);
    QVERIFY(!shown(kept).isEmpty());
    QCOMPARE(shown(read), shown(kept));
}

void TestToStableHlo::largeTuples()
{
    // One element of each of 20,000: all of it in a time that grows with their number.
    constexpr int count = 20'000;
    std::string shape, names, elements;
    for (int i = 0; i < count; ++i) {
        shape += (i == 0 ? "" : ", ") + std::string("f32[]");
        names += (i == 0 ? "" : ", ") + std::string("%p");
        elements += "  %g" + std::to_string(i) + " = f32[] get-tuple-element(%t), index=" + std::to_string(i) + "\n";
    }
    const std::string text = "HloModule m\n\nENTRY %main (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n  %t = ("
        + shape + ") tuple(" + names + ")\n" + elements + "  ROOT %r = f32[] tanh(%g19999)\n}\n";
    QElapsedTimer timer;
    timer.start();
    const Result<ReadProgram> read = readProgram(text);
    QCOMPARE(shown(read), QString());
    QCOMPARE(read->program.main().operations.size(), std::size_t{ 1 });
    QVERIFY2(timer.elapsed() < 5'000, qPrintable(QString::number(timer.elapsed()))); // were it the square: minutes
}

void TestToStableHlo::namesThatClash()
{
    const std::string text = "HloModule m\n\n%main (a: f32[8]) -> f32[8] {\n  %a = f32[8] parameter(0)\n"
                             "  ROOT %t = f32[8] tanh(%a)\n}\n\n"
                             "%main.called (a: f32[8]) -> f32[8] {\n  %a = f32[8] parameter(0)\n"
                             "  ROOT %t = f32[8] negate(%a)\n}\n\n"
                             "ENTRY %e (p: f32[8]) -> f32[8] {\n  %p = f32[8] parameter(0)\n"
                             "  %x = f32[8] call(%p), to_apply=%main\n"
                             "  ROOT %y = f32[8] call(%x), to_apply=%main.called\n}\n";
    const Result<ReadProgram> read = readProgram(text);
    QCOMPARE(shown(read), QString());
    QCOMPARE(verify(read->program).size(), std::size_t{ 0 });
    QCOMPARE(read->program.functions.size(), std::size_t{ 3 });
    QVERIFY(read->program.functions[1].name != read->program.functions[2].name);
}

void TestToStableHlo::errors()
{
    const auto stated = [](const std::string& statements) { return shown(readProgram(moduleOf(statements))); };
    QCOMPARE(shown(readProgram("HloModule m\nf {\n  ROOT c = f32[] constant(0)\n}\n")).left(8),
        QStringLiteral("E197 4:2")); // where it ends
    QCOMPARE(stated("  %p = f32[8] parameter(0)\n  %q = f32[8,2] broadcast(%p)"),
        QStringLiteral("E195 5:4 op=broadcast attribute=dimensions"));
    QCOMPARE(
        stated("  %p = f32[8] parameter(0)\n  %q = f32[8] while(%p), body=%b").left(8), QStringLiteral("E190 5:3"));
    QCOMPARE(stated("  %p = f32[?] parameter(0)").left(8), QStringLiteral("E192 4:4"));
    // A tuple has the elements that its shape says: none grows by being made of itself again and again.
    QCOMPARE(stated("  %p = f32[8] parameter(0)\n  %t = (f32[8]) tuple(%p, %p)"),
        QStringLiteral("E194 5:4 what=elements found=2 wanted=1 of=tuple"));
    // Groups that only a mesh of 17 axes explains: the collective is named.
    std::string grid, order;
    for (int d = 0; d < 17; ++d) {
        grid += d == 0 ? "2" : ",2";
        order += (d == 0 ? "" : ",") + std::to_string(d < 9 ? 2 * d : 2 * (d - 9) + 1);
    }
    QVERIFY(shown(readProgram("HloModule m, is_scheduled=true, num_partitions=131072\n\n" + adder
                      + "ENTRY %e (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n  ROOT %r = f32[8]{0} "
                        "all-reduce(%p), replica_groups=[512,256]<=["
                      + grid + "]T(" + order + "), to_apply=%add\n}\n"))
                .startsWith(QStringLiteral("E126 11:9 what=mesh axes")));
}

REGISTER_TEST(TestToStableHlo)
#include "test_to_stablehlo.moc"
