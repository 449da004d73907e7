// SPDX-License-Identifier: GPL-3.0-or-later
// JAX's explicit mode as a check: one program per rule, accepted and refused, worked out by hand; and all examples.
#include <QTest>

#include "analysis/analyse.h"
#include "analysis/analysed.h"
#include "analysis/explicit_check.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "registered_test.h"

using namespace shardscope;
using test::analysed;

namespace {

std::int64_t unjudgedIn(const ExplicitReport& report)
{
    std::int64_t sum = 0;
    for (const auto& [name, count] : report.unjudged)
        sum += count;
    return sum;
}

SnapshotPtr laidOutText(const std::string& text)
{
    Result<Experiment> made =
        experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text), {} }, "program");
    if (!made)
        qFatal("not read");
    return analysed(std::move(*made));
}

struct Argument {
    const char* name;
    const char* type; ///< "8x4xf32"
    const char* dims; ///< "[{\"x\"}, {}]"; "" for none
};

/// main over x=2, y=2 with these arguments and lines; it returns `result` of a type.
std::string program(
    std::initializer_list<Argument> arguments, const std::string& body, const char* result, const char* type)
{
    std::string text = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\nfunc.func @main(";
    for (const Argument& each : arguments) {
        text += (text.ends_with('(') ? "%" : ", %") + std::string(each.name) + ": tensor<" + each.type + ">";
        if (*each.dims != 0)
            text += std::string(" {sdy.sharding = #sdy.sharding<@mesh, ") + each.dims + ">}";
    }
    return text + ") -> tensor<" + type + "> {\n" + body + "  return %" + result + " : tensor<" + type + ">\n}\n";
}

/// "accepted", or the kinds of all refusals with the lines that they stand in: "pad_sharded_dim:3".
QString stated(const ExplicitReport& report)
{
    QStringList all;
    for (const ExplicitRefusal& refusal : report.refusals)
        all << QString::fromStdString(refusal.diagnostic.text("wrong")) + QLatin1Char(':')
                + QString::number(refusal.diagnostic.where.line);
    return all.isEmpty() ? QStringLiteral("accepted") : all.join(QLatin1Char(' '));
}

ExplicitReport reportOf(const std::string& text)
{
    const SnapshotPtr snapshot = laidOutText(text);
    const std::optional<ExplicitReport> report = explicitReport(*snapshot);
    if (!report)
        qFatal("nothing propagated:\n%s", text.c_str());
    return *report;
}

constexpr const char* fullText = "";
constexpr const char* rows = "[{\"x\"}, {}]";
constexpr const char* columns = "[{}, {\"x\"}]";
constexpr const char* rowsY = "[{\"y\"}, {}]";
constexpr const char* columnsY = "[{}, {\"y\"}]";
constexpr const char* partialX = "[{}, {}], unreduced={\"x\"}";
constexpr const char* partialY = "[{}, {}], unreduced={\"y\"}";

std::string binary(const char* op, const char* a, const char* b)
{
    return program({ { "a", "8x4xf32", a }, { "b", "8x4xf32", b } },
        std::string("  %0 = stablehlo.") + op + " %a, %b : tensor<8x4xf32>\n", "0", "8x4xf32");
}
std::string unary(const char* op, const char* a)
{
    return program(
        { { "a", "8x4xf32", a } }, std::string("  %0 = stablehlo.") + op + " %a : tensor<8x4xf32>\n", "0", "8x4xf32");
}
std::string dot(const char* a, const char* b, const char* out = "")
{
    const std::string attribute =
        *out == 0 ? std::string() : std::string(" {sdy.sharding = #sdy.sharding_per_value<[<@mesh, ") + out + ">]>}";
    return program({ { "a", "8x4xf32", a }, { "b", "4x8xf32", b } },
        "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]" + attribute
            + " : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>\n",
        "0", "8x8xf32");
}
/// One operation on a, from a type to another.
std::string onto(const char* a, const std::string& operation, const char* from, const char* to)
{
    return program({ { "a", from, a } },
        "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = " + operation + "\n", "0", to);
}

} // namespace

class TestExplicitMode : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rules_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("verdict");
        const auto row = [](const char* name, const std::string& text, const char* verdict) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromLatin1(verdict);
        };
        // Elementwise: a dimension is cut alike, or in one operand only.
        row("add alike", binary("add", rows, rows), "accepted");
        row("add one whole", binary("add", rows, fullText), "accepted");
        row("add both ways", binary("add", rows, columnsY), "accepted");
        row("add otherwise", binary("add", rows, rowsY), "operands_sharded_differently:3");
        row("add twice", binary("multiply", rows, columns), "result_mentions_axis_twice:3");
        row("compare and select",
            program({ { "a", "8x4xf32", rows }, { "b", "8x4xf32", columnsY } },
                "  %0 = stablehlo.compare LT, %a, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>\n"
                "  %1 = stablehlo.select %0, %a, %b : tensor<8x4xi1>, tensor<8x4xf32>\n",
                "1", "8x4xf32"),
            "accepted");
        row("convert",
            onto(rows, "stablehlo.convert %a : (tensor<8x4xf32>) -> tensor<8x4xbf16>", "8x4xf32", "8x4xbf16"),
            "accepted");
        // Pieces are of one size: JAX takes no others across its boundary, and its types have none. It is said once.
        row("uneven argument",
            program({ { "a", "7x4xf32", rows } }, "  %0 = stablehlo.negate %a : tensor<7x4xf32>\n", "0", "7x4xf32"),
            "not_divisible:0");
        row("uneven result",
            program({ { "a", "7x4xf32", "" } },
                "  %0 = stablehlo.negate %a : tensor<7x4xf32>\n"
                "  %1 = sdy.sharding_constraint %0 <@mesh, [{\"x\"}, {}]> : tensor<7x4xf32>\n"
                "  %2 = stablehlo.negate %1 : tensor<7x4xf32>\n",
                "2", "7x4xf32"),
            "not_divisible:4");
        // Products.
        row("rows times whole", dot(rows, fullText), "accepted");
        row("one side of what is added up", dot(columns, fullText), "accepted");
        row("fsdp", dot(rows, rows), "accepted"); // x cuts rows of one, and of the other what is added up
        row("both sides", dot(columns, rows), "contracting_dims_both_sharded:3");
        row("both sides, other axes", dot(columns, rowsY), "contracting_dims_both_sharded:3");
        row("both sides, told", dot(columns, rows, "[{}, {}]"), "accepted");
        row("rows and columns", dot(rows, columns), "result_mentions_axis_twice:3");
        row("rows and columns, told", dot(rows, columns, "[{\"x\"}, {}]"), "accepted");
        row("rows and other columns", dot(rows, columnsY), "accepted");
        row("left unreduced", dot(columns, rows, "[{}, {}], unreduced={\"x\"}"), "accepted");
        row("left unreduced, one side", dot(columns, fullText, "[{}, {}], unreduced={\"x\"}"),
            "contracting_dims_not_identical:3");
        row("left unreduced, other axes", dot(rows, fullText, "[{\"x\"}, {}], unreduced={\"y\"}"),
            "unreduced_axes_not_contracted:3");
        for (const bool alike : { true, false })
            row(alike ? "batch alike" : "batch otherwise",
                program({ { "a", "4x8x2xf32", "[{\"x\"}, {}, {}]" },
                            { "b", "4x2x8xf32", alike ? "[{\"x\"}, {}, {}]" : "" } },
                    "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
                    "(tensor<4x8x2xf32>, tensor<4x2x8xf32>) -> tensor<4x8x8xf32>\n",
                    "0", "4x8x8xf32"),
                alike ? "accepted" : "batch_dims_sharded_differently:3");
        // Broadcasts, transposes: what is cut goes along; new dimensions are replicated.
        row("broadcast",
            program({ { "a", "8xf32", "[{\"x\"}]" }, { "b", "4x8xf32", columns } },
                "  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>\n"
                "  %1 = stablehlo.add %0, %b : tensor<4x8xf32>\n",
                "1", "4x8xf32"),
            "accepted");
        row("broadcast against rows",
            program({ { "a", "8xf32", "[{\"x\"}]" }, { "b", "4x8xf32", rows } },
                "  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>\n"
                "  %1 = stablehlo.add %0, %b : tensor<4x8xf32>\n",
                "1", "4x8xf32"),
            "result_mentions_axis_twice:4");
        for (const bool turned : { true, false })
            row(turned ? "transpose" : "transpose against rows",
                program({ { "a", "8x4xf32", rows }, { "b", "4x8xf32", turned ? columns : rows } },
                    "  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>\n"
                    "  %1 = stablehlo.add %0, %b : tensor<4x8xf32>\n",
                    "1", "4x8xf32"),
                turned ? "accepted" : "result_mentions_axis_twice:4");
        row("iota is whole",
            program({ { "a", "8x4xf32", rows } },
                "  %0 = stablehlo.iota dim = 0 : tensor<8x4xf32>\n  %1 = stablehlo.add %0, %a : tensor<8x4xf32>\n", "1",
                "8x4xf32"),
            "accepted");
        // Reductions: what is kept stays cut.
        for (const bool kept : { true, false })
            row(kept ? "reduce" : "reduce against the other axis",
                program(
                    { { "a", "8x4xf32", "[{\"x\"}, {\"y\"}]" }, { "b", "8xf32", kept ? "[{\"x\"}]" : "[{\"y\"}]" } },
                    "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
                    "  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : "
                    "(tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>\n"
                    "  %1 = stablehlo.add %0, %b : tensor<8xf32>\n",
                    "1", "8xf32"),
                kept ? "accepted" : "operands_sharded_differently:5");
        for (const bool right : { true, false })
            row(right ? "reduce left unreduced" : "reduce left unreduced over another axis",
                onto(columns,
                    std::string("stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] "
                                "{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={\"")
                        + (right ? "x" : "y") + "\"}>]>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>",
                    "8x4xf32", "8xf32"),
                right ? "accepted" : "unreduced_axes_not_reduced:4");
        // Reshapes: the first of the parts carries the axes.
        row("split",
            onto(rows, "stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<4x2x4xf32>", "8x4xf32", "4x2x4xf32"),
            "accepted");
        row("merge behind",
            onto(columns, "stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<32xf32>", "8x4xf32", "32xf32"),
            "reshape_needs_out_sharding:4");
        row("merge all",
            onto("[{\"x\"}, {\"y\"}]", "stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<32xf32>", "8x4xf32",
                "32xf32"),
            "accepted");
        row("two at once",
            onto(fullText, "stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<4x2x2x2xf32>", "8x4xf32", "4x2x2x2xf32"),
            "reshape_needs_out_sharding:4");
        row("two at once, told",
            onto(fullText,
                "stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}, {}, {}]>]>} : "
                "(tensor<8x4xf32>) -> tensor<4x2x2x2xf32>",
                "8x4xf32", "4x2x2x2xf32"),
            "accepted");
        // Padding, slices, parts put together.
        row("pad what is whole",
            onto(rows,
                "stablehlo.pad %a, %c, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<8x4xf32>, "
                "tensor<f32>) -> tensor<8x6xf32>",
                "8x4xf32", "8x6xf32"),
            "accepted");
        for (const bool divides : { true, false })
            row(divides ? "pad to what divides" : "pad to what does not",
                onto(rows,
                    std::string("stablehlo.pad %a, %c, low = [") + (divides ? "2" : "1")
                        + ", 0], high = [0, 0], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<"
                        + (divides ? "10" : "9") + "x4xf32>",
                    "8x4xf32", divides ? "10x4xf32" : "9x4xf32"),
                divides ? "accepted" : "pad_sharded_dim:4");
        row("slice to what divides",
            onto(rows, "stablehlo.slice %a [1:5, 0:3] : (tensor<8x4xf32>) -> tensor<4x3xf32>", "8x4xf32", "4x3xf32"),
            "accepted");
        row("slice to what does not",
            onto(rows, "stablehlo.slice %a [0:3, 0:4] : (tensor<8x4xf32>) -> tensor<3x4xf32>", "8x4xf32", "3x4xf32"),
            "slice_of_sharded_dim:4");
        row("reverse", onto(rows, "stablehlo.reverse %a, dims = [0] : tensor<8x4xf32>", "8x4xf32", "8x4xf32"),
            "accepted");
        for (const char* other : { rows, fullText })
            row(other == rows ? "concatenate alike" : "concatenate otherwise",
                program({ { "a", "8x4xf32", rows }, { "b", "8x4xf32", other } },
                    "  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> "
                    "tensor<16x4xf32>\n",
                    "0", "16x4xf32"),
                other == rows ? "accepted" : "operands_sharded_differently:3");
        for (const char* other : { rows, fullText })
            row(other == rows ? "select alike" : "select otherwise",
                program({ { "p", "i1", "" }, { "a", "8x4xf32", rows }, { "b", "8x4xf32", other } },
                    "  %0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<8x4xf32>\n", "0", "8x4xf32"),
                other == rows ? "accepted" : "operands_sharded_differently:3");
        row("select a spread scalar",
            program({ { "p", "i1", "" }, { "a", "8x4xf32", rows }, { "s", "f32", "" } },
                "  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x4xf32>\n"
                "  %1 = stablehlo.select %p, %a, %0 : tensor<i1>, tensor<8x4xf32>\n",
                "1", "8x4xf32"),
            "accepted");
        row("select a constant",
            program({ { "p", "i1", "" }, { "a", "8x4xf32", rows } },
                "  %0 = stablehlo.constant dense<0.0> : tensor<8x4xf32>\n"
                "  %1 = stablehlo.select %p, %a, %0 : tensor<i1>, tensor<8x4xf32>\n",
                "1", "8x4xf32"),
            "accepted");
        for (const char* dimension : { "0", "1" })
            row(*dimension == '0' ? "sort along the shards" : "sort within the shards",
                onto(rows,
                    std::string("\"stablehlo.sort\"(%a) <{dimension = ") + dimension
                        + " : i64}> ({\n  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    %s = stablehlo.compare LT, %p, "
                          "%q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %s : tensor<i1>\n  }) : "
                          "(tensor<8x4xf32>) -> tensor<8x4xf32>",
                    "8x4xf32", "8x4xf32"),
                *dimension == '0' ? "sort_along_sharded_dim:4" : "accepted");
        // What is taken keeps the sharding of the slices; where it is taken nothing may be sharded.
        const auto take = [](const char* from, const char* places) {
            return program({ { "a", "8x4xf32", from }, { "i", "6x1xi32", places } },
                "  %0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
                "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, "
                "4>}> : (tensor<8x4xf32>, tensor<6x1xi32>) -> tensor<6x4xf32>\n",
                "0", "6x4xf32");
        };
        row("take in full", take(columns, ""), "accepted");
        row("take from shards", take(rows, ""), "gather_needs_out_sharding:3");
        row("take at sharded places", take(columns, rowsY), "gather_at_sharded_places:3");
        row("take twice", take(columns, rows), "result_mentions_axis_twice:3");
        // Cumulative sums.
        for (const char* sharded : { columns, rows })
            row(sharded == rows ? "cumulative along the cut" : "cumulative across the cut",
                onto(sharded,
                    "\"stablehlo.reduce_window\"(%a, %c) <{window_dimensions = array<i64: 8, 1>, padding = dense<[[7, "
                    "0], "
                    "[0, 0]]> : tensor<2x2xi64>}> ({\n  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    %s = "
                    "stablehlo.add "
                    "%p, %q : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : (tensor<8x4xf32>, "
                    "tensor<f32>) "
                    "-> tensor<8x4xf32>",
                    "8x4xf32", "8x4xf32"),
                sharded == rows ? "cumulative_op_on_sharded_dim:4" : "accepted");
        // Partial sums.
        row("unreduced alike", binary("add", partialX, partialX), "accepted");
        row("unreduced otherwise", binary("add", partialX, partialY), "unreduced_axes_differ:3");
        row("unreduced and whole", binary("add", partialX, fullText), "unreduced_axes_differ:3");
        row("unreduced times", binary("multiply", partialX, fullText), "mul_needs_reduced_operand:3");
        row("unreduced below", binary("divide", fullText, partialX), "unreduced_denominator:3");
        row("unreduced and not linear", unary("tanh", partialX), "no_unreduced_rule:3");
        row("product of unreduced", dot(partialX, fullText), "operand_unreduced:3");
        row("reshape of unreduced",
            onto(partialX, "stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<32xf32>", "8x4xf32", "32xf32"),
            "accepted");
        row("reshape that adds up",
            onto(partialX,
                "stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : "
                "(tensor<8x4xf32>) -> tensor<32xf32>",
                "8x4xf32", "32xf32"),
            "reshape_drops_unreduced:4");
        row("reshape that parts",
            onto(fullText,
                "stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], "
                "unreduced={\"x\"}>]>} : (tensor<8x4xf32>) -> tensor<32xf32>",
                "8x4xf32", "32xf32"),
            "reshape_adds_unreduced:4");
        // A reshard may do everything, and sets what follows.
        row("reshard before",
            program({ { "a", "8x4xf32", rows }, { "b", "8x4xf32", rowsY } },
                "  %0 = sdy.reshard %a <@mesh, [{\"y\"}, {}]> : tensor<8x4xf32>\n"
                "  %1 = stablehlo.add %0, %b : tensor<8x4xf32>\n",
                "1", "8x4xf32"),
            "accepted");
        row("constraint before",
            program({ { "a", "8x4xf32", rowsY }, { "b", "8x4xf32", rowsY } },
                "  %0 = sdy.sharding_constraint %a <@mesh, [{\"x\"}, {}]> : tensor<8x4xf32>\n"
                "  %1 = stablehlo.add %0, %b : tensor<8x4xf32>\n",
                "1", "8x4xf32"),
            "operands_sharded_differently:4");
    }
    void rules()
    {
        QFETCH(QString, text);
        QTEST(stated(reportOf(text.toStdString())), "verdict");
    }

    /// What contradicts what, and what would help.
    void findingsSayWhatToWrite()
    {
        const ExplicitReport sides = reportOf(dot(columns, rows));
        const Diagnostic& open = sides.refusals.front().diagnostic;
        QCOMPARE(open.code, Code::ExplicitMode);
        QCOMPARE(open.text("op"), std::string("dot_general"));
        QCOMPARE(open.text("first"), std::string("a"));
        QCOMPARE(open.text("first_spec"), std::string("P(None, 'x')"));
        QCOMPARE(open.text("second_spec"), std::string("P('x', None)"));
        QCOMPARE(open.text("out"), std::string("P(None, None)"));
        QCOMPARE(open.where.path, std::string("0"));
        QCOMPARE(open.where.column, 3);

        const ExplicitReport batch = reportOf(
            program({ { "a", "4x8x2xf32", "[{\"x\"}, {}, {}]" }, { "b", "4x2x8xf32", "[{\"y\"}, {}, {\"x\"}]" } },
                "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
                "(tensor<4x8x2xf32>, tensor<4x2x8xf32>) -> tensor<4x8x8xf32>\n",
                "0", "4x8x8xf32"));
        QCOMPARE(batch.refusals.front().diagnostic.text("mend"), std::string("b"));
        // x is needed for the batch, and leaves the columns.
        QCOMPARE(batch.refusals.front().diagnostic.text("mend_spec"), std::string("P('x', None, None)"));

        const ExplicitReport padded = reportOf(onto("[{\"x\"}, {\"y\"}]",
            "stablehlo.pad %a, %c, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> "
            "tensor<9x4xf32>",
            "8x4xf32", "9x4xf32"));
        QCOMPARE(padded.refusals.front().diagnostic.text("mend_spec"), std::string("P(None, 'y')"));
    }

    /// Behind a refusal goes on what propagation decided: its users are not refused for it.
    void oneCauseIsStatedOnce()
    {
        const ExplicitReport report = reportOf(program({ { "a", "8x4xf32", rows }, { "b", "8x4xf32", rowsY } },
            "  %0 = stablehlo.add %a, %b : tensor<8x4xf32>\n"
            "  %1 = stablehlo.tanh %0 : tensor<8x4xf32>\n"
            "  %2 = stablehlo.multiply %1, %0 : tensor<8x4xf32>\n",
            "2", "8x4xf32"));
        QCOMPARE(stated(report), QStringLiteral("operands_sharded_differently:3"));
        QCOMPARE(report.accepted, std::int64_t{ 2 });
    }

    /// What is refused in a function is not said again where that is called.
    void causesInFunctions()
    {
        const std::string body = "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
                                 "  %0 = stablehlo.pad %a, %c, low = [1, 0], high = [0, 0], interior = [0, 0] : "
                                 "(tensor<8x4xf32>, tensor<f32>) -> tensor<9x4xf32>\n";
        const std::string text =
            program({ { "a", "8x4xf32", rows } }, "  %0 = func.call @pad(%a) : (tensor<8x4xf32>) -> tensor<9x4xf32>\n",
                "0", "9x4xf32")
            + "func.func private @pad(%a: tensor<8x4xf32>) -> tensor<9x4xf32> {\n" + body
            + "  return %0 : tensor<9x4xf32>\n}\n";
        QCOMPARE(stated(reportOf(text)), QStringLiteral("pad_sharded_dim:8"));
    }

    void whatHasNoRuleIsCounted()
    {
        const ExplicitReport report = reportOf(program({ { "a", "8x4xf32", rows } },
            "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
            "  %0 = stablehlo.dynamic_update_slice %a, %a, %i, %i : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<i32>, "
            "tensor<i32>) -> tensor<8x4xf32>\n"
            "  %1 = stablehlo.dynamic_update_slice %0, %a, %i, %i : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<i32>, "
            "tensor<i32>) -> tensor<8x4xf32>\n"
            "  %2 = stablehlo.slice %1 [0:4, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>\n"
            "  %3 = stablehlo.cholesky %2, lower = true : tensor<4x4xf32>\n",
            "3", "4x4xf32"));
        QCOMPARE(stated(report), QStringLiteral("accepted"));
        QCOMPARE(report.unjudged.size(), std::size_t{ 2 });
        QCOMPARE(report.unjudged[0], (std::pair<std::string, std::int64_t>{ "stablehlo.dynamic_update_slice", 2 }));
        QCOMPARE(report.unjudged[1], (std::pair<std::string, std::int64_t>{ "stablehlo.cholesky", 1 }));
        QCOMPARE(unjudgedIn(report), std::int64_t{ 3 });
        QVERIFY(report.accepted > 0);
    }

    void resultsHaveTypes()
    {
        const ExplicitReport report = reportOf(dot(rows, columnsY));
        QCOMPARE(report.results.size(), std::size_t{ 1 });
        QVERIFY(report.results[0] && report.results[0]->rank() == 2);
        QCOMPARE(report.results[0]->dims[0].axes.front().axis, 0);
        QCOMPARE(report.results[0]->dims[1].axes.front().axis, 1);
    }

    /// A constraint that says what is so anyway moves nothing.
    void constraintsThatMove()
    {
        const ExplicitReport report = reportOf(program({ { "a", "8x4xf32", rows } },
            "  %0 = sdy.sharding_constraint %a <@mesh, [{\"x\"}, {}]> : tensor<8x4xf32>\n"
            "  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {\"x\"}]> : tensor<8x4xf32>\n",
            "1", "8x4xf32"));
        QCOMPARE(report.resharded, std::int64_t{ 1 });
    }

    void loopsKeepTheirTypes_data()
    {
        QTest::addColumn<QString>("constraint");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("kept") << QStringLiteral("[{\"x\"}, {}]") << QStringLiteral("accepted");
        QTest::newRow("changed") << QStringLiteral("[{}, {\"x\"}]") << QStringLiteral("carry_type_mismatch:4");
    }
    void loopsKeepTheirTypes()
    {
        QFETCH(QString, constraint);
        const ExplicitReport report = reportOf(program({ { "a", "8x4xf32", rows } },
            "  %n = stablehlo.constant dense<3> : tensor<i32>\n"
            "  %w:2 = stablehlo.while(%i = %n, %v = %a) : tensor<i32>, tensor<8x4xf32>\n"
            "   cond {\n"
            "    %p = stablehlo.compare GT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "    stablehlo.return %p : tensor<i1>\n"
            "  } do {\n"
            "    %t = stablehlo.tanh %v : tensor<8x4xf32>\n"
            "    %u = sdy.sharding_constraint %t <@mesh, "
                + constraint.toStdString()
                + "> : tensor<8x4xf32>\n"
                  "    stablehlo.return %i, %u : tensor<i32>, tensor<8x4xf32>\n"
                  "  }\n",
            "w#1", "8x4xf32"));
        QTEST(stated(report), "verdict");
        if (!report.accepts())
            QCOMPARE(report.refusals.front().diagnostic.number("dim"), std::int64_t{ 1 });
    }

    void branchesAgree_data()
    {
        QTest::addColumn<QString>("other");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("alike") << QString::fromLatin1(rows) << QStringLiteral("accepted");
        QTest::newRow("otherwise") << QString::fromLatin1(rowsY) << QStringLiteral("branch_types_differ:3");
    }
    void branchesAgree()
    {
        QFETCH(QString, other);
        const ExplicitReport report =
            reportOf(program({ { "p", "i1", "" }, { "a", "8x4xf32", rows }, { "b", "8x4xf32", qPrintable(other) } },
                "  %0 = \"stablehlo.if\"(%p) ({\n"
                "    stablehlo.return %a : tensor<8x4xf32>\n"
                "  }, {\n"
                "    stablehlo.return %b : tensor<8x4xf32>\n"
                "  }) : (tensor<i1>) -> tensor<8x4xf32>\n",
                "0", "8x4xf32"));
        QTEST(stated(report), "verdict");
    }

    /// A function is looked at with the shardings that it is called with, and an operation of it refused once.
    void functionsAsTheyAreCalled()
    {
        const auto calls = [](const char* b) {
            return program({ { "a", "8x4xf32", rows }, { "b", "8x4xf32", b } },
                       "  %0 = call @sum(%a, %a) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>\n"
                       "  %1 = call @sum(%0, %b) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>\n"
                       "  %2 = call @sum(%0, %b) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>\n",
                       "2", "8x4xf32")
                + "func.func private @sum(%s: tensor<8x4xf32>, %t: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
                  "  %0 = stablehlo.add %s, %t : tensor<8x4xf32>\n  return %0 : tensor<8x4xf32>\n}\n";
        };
        QCOMPARE(stated(reportOf(calls(fullText))), QStringLiteral("accepted"));
        QCOMPARE(stated(reportOf(calls(rowsY))), QStringLiteral("operands_sharded_differently:9"));
    }

    /// What differentiation made has no author who could have said more: JAX says it.
    void differentiationIsNotJudged()
    {
        const auto text = [](const char* location) {
            return program({ { "a", "8x4xf32", columns }, { "b", "4x8xf32", rows } },
                std::string("  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
                            "tensor<4x8xf32>) -> tensor<8x8xf32> loc(\"")
                    + location + "\")\n",
                "0", "8x8xf32");
        };
        const ExplicitReport backward = reportOf(text("jit(step)/transpose(jvp(main))/dot_general"));
        QCOMPARE(stated(backward), QStringLiteral("accepted"));
        QCOMPARE(backward.differentiated, std::int64_t{ 1 });
        QCOMPARE(stated(reportOf(text("jit(step)/jvp(main)/dot_general"))),
            QStringLiteral("contracting_dims_both_sharded:3"));
    }

    /// Two layers of relu(x W1) W2 with W1 cut by columns and W2 by rows: the second product adds up over what both
    /// sides cut.
    void trainStep()
    {
        for (const Example& example : builtinExamples()) {
            const SnapshotPtr snapshot = analysed(example.make());
            const std::optional<ExplicitReport> report = explicitReport(*snapshot);
            QVERIFY2(report, example.id.data());
            if (example.id == "rule-lab") {
                QVERIFY(report->accepts());
                continue;
            }
            QVERIFY2(!report->accepts(), example.id.data());
            for (const ExplicitRefusal& refusal : report->refusals) {
                const Operation& operation = snapshot->program->operation(refusal.operation);
                QCOMPARE(operation.kind, OpKind::DotGeneral);
                QCOMPARE(refusal.problem, ExplicitProblem::ContractedBothSharded);
            }
            const auto& mlp = std::get<MlpModel>(snapshot->experiment->model);
            QCOMPARE(report->refusals.size(), static_cast<std::size_t>(mlp.settings.layers));
            QVERIFY(report->differentiated > 0);
        }
    }

    void nothingWithoutPropagationAndWhenStopped()
    {
        QVERIFY(!explicitReport(Snapshot()));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!explicitReport(*laidOutText(binary("add", rows, rows)), stop.get_token()));
    }

    /// Operations on another mesh have no type here.
    void otherMeshesAreNotJudged()
    {
        const std::string text =
            "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\nsdy.mesh @other = <[\"z\"=4]>\n"
            "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, %b: "
            "tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{\"z\"}]>}) -> tensor<8xf32> {\n"
            "  %0 = stablehlo.add %a, %b : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
        const ExplicitReport report = reportOf(text);
        QVERIFY(report.accepts());
        QCOMPARE(unjudgedIn(report), std::int64_t{ 1 });
    }
};

REGISTER_TEST(TestExplicitMode)
#include "test_explicit_mode.moc"
