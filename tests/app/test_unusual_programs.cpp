// SPDX-License-Identifier: GPL-3.0-or-later
// Small legal programs with what few programs have: every command takes them or says why not, and the numbers that
// devices come to are those that one computes by hand.
#include <QDir>
#include <QTest>

#include <sys/resource.h>

#include <cmath>
#include <functional>
#include <map>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

using Json = nlohmann::json;
using Matrix = std::vector<std::vector<double>>;

QString programFile(const QString& name)
{
    return QStringLiteral(SHARDSCOPE_SOURCE_DIR "/tests/app/programs/") + name + QStringLiteral(".mlir");
}

/// rows x columns numbers, by place.
Matrix matrix(int rows, int columns, const std::function<double(int, int)>& element)
{
    Matrix made(static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < columns; ++k)
            made[static_cast<std::size_t>(i)].push_back(element(i, k));
    return made;
}
/// Small whole numbers and their halves, which no sum rounds.
Matrix numbers(int rows, int columns, int from)
{
    return matrix(rows, columns, [=](int i, int k) { return ((from + 7 * i + 3 * k) % 11 - 5) / 2.0; });
}
Matrix matrixProduct(const Matrix& a, const Matrix& b)
{
    return matrix(static_cast<int>(a.size()), static_cast<int>(b[0].size()), [&](int i, int k) {
        double matrixSum = 0;
        for (std::size_t j = 0; j < b.size(); ++j)
            matrixSum += a[static_cast<std::size_t>(i)][j] * b[j][static_cast<std::size_t>(k)];
        return matrixSum;
    });
}
Matrix map(const Matrix& a, const std::function<double(double)>& f)
{
    Matrix made = a;
    for (std::vector<double>& row : made)
        for (double& element : row)
            element = f(element);
    return made;
}

struct Numbers {
    Json inputs, results;
};

const Matrix a48 = numbers(4, 8, 1), b84 = numbers(8, 4, 2), a44 = numbers(4, 4, 3), a88 = numbers(8, 8, 4),
             b88 = numbers(8, 8, 5), a42 = numbers(4, 2, 6), b24 = numbers(2, 4, 7), a82 = numbers(8, 2, 8);
double negated(double x)
{
    return -x;
}
Matrix matrixSum(const Matrix& a, const Matrix& b)
{
    return matrix(static_cast<int>(a.size()), static_cast<int>(a[0].size()), [&](int i, int k) {
        return a[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)]
            + b[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
    });
}

/// What goes in and what comes out, by the name of the program.
std::map<QString, Numbers> knownNumbers()
{
    const Matrix dot = matrixProduct(a48, b84), c42 = numbers(4, 2, 9), d24 = numbers(2, 4, 10);
    const Matrix table = a82, updates = numbers(4, 2, 1);
    Matrix gathered{ table[7], table[0], table[4] }, scattered = c42;
    const std::vector<int> rows{ 3, 1, 3, 0 };
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t k = 0; k < 2; ++k)
            scattered[static_cast<std::size_t>(rows[i])][k] += updates[i][k];
    std::vector<double> greatest;
    for (const std::vector<double>& row : a48)
        greatest.push_back(*std::max_element(row.begin(), row.end()));
    std::vector<double> ofRange;
    Json sorted = Json::array(), places = Json::array(), ascending = Json::array(), ascendingPlaces = Json::array();
    Matrix keys = matrix(8, 4, [](int i, int k) { return (i + 3 * k) % 4 + 0.5; });
    Json numbered = Json::array();
    for (int i = 0; i < 8; ++i) {
        std::vector<std::pair<double, int>> row;
        numbered.push_back({ 0, 1, 2, 3 });
        for (int k = 0; k < 4; ++k)
            row.emplace_back(keys[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)], k);
        std::sort(row.begin(), row.end());
        Json up = Json::array(), upPlaces = Json::array(), down = Json::array(), downPlaces = Json::array();
        for (int k = 0; k < 4; ++k) {
            up.push_back(row[static_cast<std::size_t>(k)].first);
            upPlaces.push_back(row[static_cast<std::size_t>(k)].second);
            down.push_back(row[static_cast<std::size_t>(3 - k)].first);
            downPlaces.push_back(row[static_cast<std::size_t>(3 - k)].second);
        }
        ascending.push_back(up);
        ascendingPlaces.push_back(upPlaces);
        sorted.push_back(down);
        places.push_back(downPlaces);
    }
    const auto doubled = [](const Matrix& m) { return map(m, [](double x) { return 2 * x; }); };
    const Matrix a84 = numbers(8, 4, 2), big = numbers(64, 64, 3), otherAttributes = numbers(32, 32, 5);
    std::vector<double> columns(4, 0); // sums
    Matrix paired; // rows of shards that add up
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t k = 0; k < 4; ++k)
            columns[k] += a84[i][k];
    for (std::size_t i = 0; i < 4; ++i) {
        paired.emplace_back();
        for (std::size_t k = 0; k < 4; ++k)
            paired.back().push_back(-a84[i][k] - a84[i + 4][k]);
    }
    const Matrix m44 = numbers(4, 4, 1), m42 = numbers(4, 2, 2);
    const Matrix a168 = numbers(16, 8, 1), b168 = numbers(16, 8, 2), square = numbers(16, 16, 1);
    const Matrix a126 = numbers(12, 6, 1), b126 = numbers(12, 6, 2), v24 = numbers(2, 4, 3), b616 = numbers(6, 16, 3);
    const Matrix e48 = numbers(4, 8, 1), r64 = numbers(6, 4, 1);
    const Json three = Json::array({ e48, e48, e48 });
    const std::vector<Matrix> cube(16, square), m246{ numbers(4, 6, 1), numbers(4, 6, 2) };
    const auto at = [](const Matrix& m, int i, int k) {
        return m[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
    };
    const auto reshaped = [&](const Matrix& m, int count, int to) {
        const int from = static_cast<int>(m[0].size());
        return matrix(count, to, [&](int i, int k) { return at(m, (i * to + k) / from, (i * to + k) % from); });
    };
    const auto rowSum = [&](int i) { return at(a84, i, 0) + at(a84, i, 1) + at(a84, i, 2) + at(a84, i, 3); };
    std::vector<double> doubledRows(8, 0), line;
    for (std::size_t i = 0; i < 8; ++i)
        for (const double x : a88[i])
            doubledRows[i] += 2 * x;
    for (const std::vector<double>& row : a84)
        line.insert(line.end(), row.begin(), row.end());
    const Matrix a816 = numbers(8, 16, 1);
    std::vector<double> sumAndSquare(16, 0), least(16, 9); // the second branch; the maximum of what is negated
    for (std::size_t k = 0; k < 16; ++k) {
        double greatestSquare = 0;
        for (const std::vector<double>& row : a816) {
            sumAndSquare[k] += row[k];
            greatestSquare = std::max(greatestSquare, row[k] * row[k]);
            least[k] = std::min(least[k], row[k]);
        }
        sumAndSquare[k] += greatestSquare;
        least[k] = -least[k];
    }
    Matrix lines = m246[0]; // 2x4x6 as 8x6
    lines.insert(lines.end(), m246[1].begin(), m246[1].end());
    return {
        { "two_meshes_other_sizes", { { a88, b88 }, { map(a88, negated), map(b88, negated) } } },
        { "two_meshes_other_names",
            { { a168, b168 },
                { matrixSum(a168, b168),
                    matrixProduct(a168, matrix(8, 16, [&](int i, int k) { return at(b168, k, i); })) } } },
        { "two_meshes_no_common_sizes",
            { { a126, b126 }, { matrix(12, 6, [&](int i, int k) { return at(a126, i, k) * at(b126, i, k); }) } } },
        { "composite_in_manual",
            { { a84 }, { matrix(8, 4, [&](int i, int k) { return at(a84, i, k) - rowSum(i); }) } } },
        { "manual_in_manual_free", { { otherAttributes }, { doubled(otherAttributes) } } },
        { "manual_on_other_mesh", { { a88 }, { map(a88, negated) } } },
        { "shards_with_values_of_outside",
            { { a84, 0.5, v24 },
                { matrix(8, 4, [&](int i, int k) { return 2 * at(a84, i, k) + 0.5 + at(v24, i % 2, k) + i % 2; }) } } },
        { "earlier_broadcast", { { e48 }, Json::array({ Json::array({ three, three }) }) } },
        { "earlier_operations", { { a48, b84 }, { dot, Matrix{ a48[3], a48[0], a48[3] }, dot } } },
        { "call_several_results", { { a88 }, { doubled(a88), a88, doubledRows } } },
        { "reshards_reused", { { a84 }, { matrix(4, 8, [&](int i, int k) { return at(a84, k, i); }), line, a84 } } },
        { "reshards_that_borrow", { { cube, b616, square }, { cube, b616, square, square } } },
        { "reshape_overflow", { { m246, r64 }, { lines, reshaped(r64, 3, 8), reshaped(r64, 2, 12) } } },
        { "barriers_in_sums",
            { { square, square }, { matrixProduct(square, square), matrixProduct(square, square) } } },
        { "broadcast_from_root",
            { { a84 }, { Matrix{ a84[4], a84[5], a84[2], a84[3], a84[4], a84[5], a84[2], a84[3] } } } },
        { "branches_that_send", { { 1, a816 }, { sumAndSquare, least } } },
        { "first_mesh_unused", { { a88 }, { map(a88, negated) } } },
        { "mesh_named_without_axes", { { a88, b88 }, { matrixSum(a88, b88) } } },
        { "mesh_of_other_function", { { a88 }, { map(a88, negated) } } },
        { "two_meshes_other_devices", { { a42, c42 }, { matrixSum(a42, c42), map(c42, negated) } } },
        { "two_meshes_other_axis_order", { { a82, numbers(8, 2, 1) }, { matrixSum(a82, numbers(8, 2, 1)) } } },
        { "composite_product", { { a42, b24, c42, d24 }, { matrixProduct(a42, b24), matrixProduct(c42, d24) } } },
        { "composite_in_composite", { { a84 }, { map(a84, [](double x) { return 27 * x; }), doubled(a84) } } },
        { "manual_all_slice", { { big }, { map(big, negated) } } },
        { "manual_open_outside", { { a48 }, { map(a48, negated) } } },
        { "manual_constraint_inside", { { a48 }, { map(doubled(a48), negated) } } },
        { "manual_collectives", { { a48 }, { doubled(a48) } } },
        { "manual_sums", { { m44, m42 }, { matrixProduct(m44, m42), matrixProduct(m44, m42) } } },
        { "manual_sum_in_function", { { a84 }, { columns } } },
        { "manual_sum_other_order", { { a84 }, { paired } } },
        { "manual_in_manual", { { { 1, 20, 300, 4000 } }, { { 4321 }, { -1, -20, -300, -4000 } } } },
        { "manual_priorities",
            { { otherAttributes, otherAttributes }, { matrixSum(doubled(otherAttributes), otherAttributes) } } },
        { "dot_reduce_scatter", { { a48, b84 }, { dot } } },
        { "dot_several_sums",
            { { a48, b84 }, { map(dot, [](double x) { return std::tanh(x); }), dot, map(dot, negated), dot } } },
        { "dot_sum_after_moves", { { a48, b84 }, { dot, dot } } },
        { "dot_sum_in_two_steps", { { a48, b84 }, { dot } } },
        { "reduce_max_sum", { { a48 }, { greatest } } },
        { "gather_sum", { { table, { { 7 }, { 0 }, { 4 } } }, { gathered, map(table, negated) } } },
        { "scatter_sum", { { c42, { { 3 }, { 1 }, { 3 }, { 0 } }, updates }, { scattered } } },
        { "tuple_hlo_sharding", { { keys, numbered }, { sorted, places } } },
        { "tuple_hlo_sharding_counts", { { keys, numbered }, { sorted, places, ascending, ascendingPlaces } } },
    };
}

/// Programs that are refused where they are partitioned, with what is said of them.
const std::map<QString, QStringList>& refused()
{
    static const std::map<QString, QStringList> texts{
        { "three_meshes", { "E413", "b is sharded", "@second", "@third", "8 and 4 devices" } },
        { "shards_with_sharded_of_outside",
            { "E144", "stablehlo.custom_call begins or ends a computation on shards" } },
        { "single_device", { "E144", "stablehlo.add", "device 1 alone", "single_dev_1" } },
        { "sum_of_replicated", { "E144", "sdy.all_reduce", "not partial along y" } },
        { "sum_after_nonlinear", { "E144", "sdy.all_reduce", "not partial along x" } },
        { "sum_of_other_kind", { "E144", "sdy.all_reduce", "along x by max", "partial by sum" } },
    };
    return texts;
}

/// Of the processor, which others do not lengthen.
qint64 millisecondsOfChildren()
{
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * qint64{ 1000 }
    + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

bool isNear(const Json& found, const Json& wanted)
{
    if (found.is_array() != wanted.is_array() || (found.is_array() && found.size() != wanted.size()))
        return false;
    if (!found.is_array())
        return std::abs(found.get<double>() - wanted.get<double>()) <= 1e-5;
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!isNear(found[i], wanted[i]))
            return false;
    return true;
}

} // namespace

class UnusualProgramsTest : public QObject {
    Q_OBJECT

private:
    static void addPrograms()
    {
        QTest::addColumn<QString>("name");
        const QStringList files =
            QDir(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/tests/app/programs")).entryList({ QStringLiteral("*.mlir") });
        QVERIFY(files.size() > 25);
        for (const QString& file : files)
            QTest::newRow(qPrintable(file)) << QFileInfo(file).baseName();
    }
    static Ran run(const QString& name, const QStringList& more = {})
    {
        const auto known = knownNumbers();
        const auto numbers = known.find(name);
        QStringList arguments{ QStringLiteral("run"), programFile(name), QStringLiteral("--values"),
            QStringLiteral("--json") };
        QByteArray input;
        if (numbers != known.end()) {
            arguments << QStringLiteral("--inputs") << QStringLiteral("-");
            input = QByteArray::fromStdString(numbers->second.inputs.dump());
        }
        return runProgram(arguments + more, input);
    }

private Q_SLOTS:
    void everyCommand_data() { addPrograms(); }
    /// Exits, and not with an error of the program; what cannot be partitioned says so everywhere.
    void everyCommand()
    {
        QFETCH(QString, name);
        const auto reason = refused().find(name);
        for (const char* command : { "verify", "show", "propagate", "partition", "comms", "run" }) {
            const Ran ran = runProgram({ QLatin1String(command), programFile(name) });
            const QString all = QLatin1String(command) + QStringLiteral(":\n") + ran.out + ran.error;
            const bool partitions = QLatin1String(command) == QLatin1String("partition")
                || QLatin1String(command) == QLatin1String("comms") || QLatin1String(command) == QLatin1String("run");
            QVERIFY2(ran.code >= 0 && ran.code <= 2, qPrintable(all));
            if (reason == refused().end()) {
                QVERIFY2(ran.code == 0, qPrintable(all));
                continue;
            }
            if (!partitions)
                continue;
            QVERIFY2(ran.code != 0, qPrintable(all));
            QVERIFY2(!all.contains(QLatin1String("agree")), qPrintable(all));
            for (const QString& part : reason->second)
                QVERIFY2(all.contains(part), qPrintable(part + QStringLiteral(" in ") + all));
            QVERIFY2(!ran.out.contains(QStringLiteral("it runs")), qPrintable(all)); // as if it had no mesh
        }
    }

    void numbersByHand_data() { addPrograms(); }
    void numbersByHand()
    {
        QFETCH(QString, name);
        const auto known = knownNumbers();
        const auto wanted = known.find(name);
        if (wanted == known.end())
            QVERIFY2(refused().contains(name) || name == QLatin1String("composite"), "nobody knows its numbers");
        const Ran ran = run(name);
        const Json json = ran.json();
        if (refused().contains(name)) {
            QVERIFY(!json.contains("check") || json.at("check").at("passed") != true);
            return;
        }
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        QVERIFY(json.at("check").at("passed") == true);
        for (std::size_t i = 0; wanted != known.end() && i < wanted->second.results.size(); ++i)
            QVERIFY2(isNear(json.at("results").at(i).at("value"), wanted->second.results[i]),
                qPrintable(QString::fromStdString(
                    json.at("results").at(i).at("value").dump() + " instead of " + wanted->second.results[i].dump())));
    }

    /// The mesh that is used decides how many devices there are, in every command.
    void unusedMeshesDoNotCount()
    {
        for (const char* name : { "first_mesh_unused", "mesh_named_without_axes", "mesh_of_other_function" }) {
            const QString file = programFile(QLatin1String(name));
            QCOMPARE(run(QLatin1String(name)).json().at("device_count").get<int>(), 8);
            const Ran partitioned = runProgram({ QStringLiteral("partition"), file });
            QVERIFY2(partitioned.out.contains(QStringLiteral("on 8 devices")), qPrintable(partitioned.out));
            const Ran shown = runProgram({ QStringLiteral("show"), file });
            QVERIFY2(shown.out.contains(QStringLiteral("8 devices")), qPrintable(shown.out));
        }
    }

    /// Composites are still there, over what devices hold, and axes went through them.
    void compositesStay()
    {
        const Ran propagated = runProgram({ QStringLiteral("propagate"), programFile(QStringLiteral("composite")) });
        for (const char* part :
            { "stablehlo.composite \"my.gelu\" %arg0 {decomposition = @my.gelu.impl, sdy.sharding = "
              "#sdy.sharding_per_value<[<@mesh, [{\"x\", ?}, {?}]>]>}",
                "stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\", ?}, {?}]>]>}" })
            QVERIFY2(propagated.out.contains(QLatin1String(part)), qPrintable(propagated.out));
        const Ran partitioned = runProgram({ QStringLiteral("partition"), programFile(QStringLiteral("composite")) });
        QVERIFY2(
            partitioned.out.contains(QStringLiteral("stablehlo.composite \"my.gelu\"")), qPrintable(partitioned.out));
        QVERIFY2(partitioned.out.contains(QStringLiteral("stablehlo.tanh %arg0 : tensor<4x4xf32>")),
            qPrintable(partitioned.out));
        QVERIFY(!partitioned.out.contains(QStringLiteral("all_gather")));
        const Ran twice = runProgram({ QStringLiteral("partition"), programFile(QStringLiteral("composite_product")) });
        QCOMPARE(twice.out.count(QStringLiteral("stablehlo.composite \"my.product\"")), 2);
        QVERIFY2(twice.out.contains(QStringLiteral("version = 3")), qPrintable(twice.out));
    }

    /// Branches send 96, 192 and 0 B, and 96 B are sent after them: one branch runs.
    void theBranchThatSendsMostCounts()
    {
        const QString file = programFile(QStringLiteral("branches_that_send"));
        const Json list = runProgram({ QStringLiteral("comms"), file, QStringLiteral("--json") }).json();
        QCOMPARE(list.at("sent_bytes").get<int>(), 288);
        QCOMPARE(list.at("sums").at("by_axes").at(0).at("sent_bytes").get<int>(), 288);
        std::vector<bool> counted, conditional;
        for (const Json& entry : list.at("collectives")) {
            counted.push_back(entry.at("in_sums").get<bool>());
            conditional.push_back(entry.at("conditional").get<bool>());
        }
        QCOMPARE(counted, (std::vector<bool>{ false, true, true, true }));
        QCOMPARE(conditional, (std::vector<bool>{ true, true, true, false }));
        for (const char* command : { "comms", "partition" }) {
            const Ran ran = runProgram({ QLatin1String(command), file });
            QVERIFY2(ran.out.contains(QStringLiteral("A device sends at most 288 B per step.")), qPrintable(ran.out));
        }
        const std::map<int, int> sent{ { 0, 192 }, { 1, 288 }, { 2, 96 } };
        for (const auto& [branch, bytes] : sent) {
            const Json ran = runProgram({ QStringLiteral("run"), file, QStringLiteral("--json"),
                                            QStringLiteral("--init"), QStringLiteral("which=constant %1").arg(branch) })
                                 .json();
            QCOMPARE(ran.at("exchanged").at(0).at("sent_bytes").get<int>(), bytes);
        }
    }

    /// One reduce_scatter finishes the product: nothing is added up twice.
    void sumsAreFinishedOnce()
    {
        const Ran scattered =
            runProgram({ QStringLiteral("partition"), programFile(QStringLiteral("dot_reduce_scatter")) });
        QCOMPARE(scattered.out.count(QStringLiteral("\"stablehlo.reduce_scatter\"")), 1);
        QVERIFY2(!scattered.out.contains(QStringLiteral("all_reduce")), qPrintable(scattered.out));
        const Ran several =
            runProgram({ QStringLiteral("partition"), programFile(QStringLiteral("dot_several_sums")) });
        QCOMPARE(several.out.count(QStringLiteral("\"stablehlo.all_reduce\"")), 1);
    }

    /// A sharding for each result of a sort: nothing is gathered to sort rows that lie on one device each.
    void tuplesShardEachResult()
    {
        const Ran ran = runProgram({ QStringLiteral("partition"), programFile(QStringLiteral("tuple_hlo_sharding")) });
        QVERIFY2(ran.out.contains(QStringLiteral("on 4 devices")), qPrintable(ran.out));
        QVERIFY2(ran.out.contains(QStringLiteral("(tensor<2x4xf32>, tensor<2x4xi32>)")), qPrintable(ran.out));
        const Ran counted =
            runProgram({ QStringLiteral("verify"), programFile(QStringLiteral("tuple_hlo_sharding_counts")) });
        QVERIFY2((counted.out + counted.error).contains(QStringLiteral("3 shardings and there are 2 results")),
            qPrintable(counted.out + counted.error));
    }

    /// b goes along columns first, as the result asks without a priority, and reaches the second operand. Along rows of
    /// the first one it waits for its round, and c for the one after that.
    void freeAxesOfManualComputationsWait()
    {
        const Ran ran = runProgram({ QStringLiteral("propagate"), programFile(QStringLiteral("manual_priorities")) });
        QCOMPARE(ran.code, 0);
        for (const char* part : { "in_shardings=[<@mesh, [{\"a\", \"b\"}, {?}]>, <@mesh, [{\"a\", ?}, {\"b\", ?}]>]",
                 "%5 = stablehlo.add %arg2, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {\"b\", "
                 "?}]>]>}",
                 "%0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"a\", \"b\", ?}, "
                 "{?}]>]>}" })
            QVERIFY2(ran.out.contains(QLatin1String(part)), qPrintable(ran.out));
    }

    /// What a device runs has no shardings, in no form.
    void devicesHaveNoShardings()
    {
        const Ran ran = runProgram({ QStringLiteral("partition"), programFile(QStringLiteral("tuple_hlo_sharding")) });
        QVERIFY2(!ran.out.contains(QStringLiteral("mhlo.sharding")), qPrintable(ran.out));
    }

    /// Programs of many functions, calls or moves take time with their number, not with its square.
    void timeGrowsWithTheSize_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<int>("count");
        QTest::newRow("shardings of functions") << QStringLiteral("verify") << 10000;
        QTest::newRow("calls over two meshes") << QStringLiteral("comms") << 3000;
        QTest::newRow("moved elements") << QStringLiteral("run") << 7500;
    }
    void timeGrowsWithTheSize()
    {
        QFETCH(QString, command);
        QFETCH(int, count);
        const auto functions = [](int number) {
            const QByteArray four = "tensor<4xf32> {mhlo.sharding = \"{devices=[4]<=[4]}\"}";
            QByteArray text;
            for (int i = 0; i < number; ++i)
                text += "func.func " + (i == 0 ? "@main" : "private @f" + QByteArray::number(i)) + "(%a: " + four
                    + ") -> (" + four + ") {\n return %a : tensor<4xf32>\n}\n";
            return text;
        };
        const auto calls = [](int number) {
            QByteArray text = "sdy.mesh @a = <[\"x\"=4]>\nsdy.mesh @b = <[\"y\"=2, \"x\"=2]>\n"
                              "func.func @main(%v0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@a, [{\"x\"}]>}) -> "
                              "tensor<4xf32> {\n";
            for (int i = 0; i < number; ++i)
                text += " %v" + QByteArray::number(i + 1) + " = func.call @f" + QByteArray::number(i) + "(%v"
                    + QByteArray::number(i) + ") : (tensor<4xf32>) -> tensor<4xf32>\n";
            text += " return %v" + QByteArray::number(number) + " : tensor<4xf32>\n}\n";
            for (int i = 0; i < number; ++i)
                text += "func.func private @f" + QByteArray::number(i)
                    + "(%a: tensor<4xf32>) -> tensor<4xf32> {\n return %a : tensor<4xf32>\n}\n";
            return text;
        };
        const auto moves = [](int number) {
            QByteArray text = "func.func @main(%v0: tensor<2xi32>, %c: tensor<2xi32>) -> tensor<2xi1> {\n";
            for (int i = 0; i < number; ++i) {
                const QByteArray next = QByteArray::number(i + 1);
                text += " %v" + next + " = stablehlo.reverse %v" + QByteArray::number(i)
                    + ", dims = [0] : tensor<2xi32>\n %e" + next + " = stablehlo.compare EQ, %v" + next
                    + ", %c : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>\n";
            }
            return text + " return %e" + QByteArray::number(number) + " : tensor<2xi1>\n}\n";
        };
        const QTemporaryDir folder;
        const auto milliseconds = [&](int number) {
            const QByteArray text = command == QLatin1String("verify") ? functions(number)
                : command == QLatin1String("comms")                    ? calls(number)
                                                                       : moves(number);
            const QString file = writeFile(folder, QStringLiteral("many.mlir"), text);
            const qint64 before = millisecondsOfChildren();
            const Ran ran = runProgram({ command, file });
            return ran.code == 0 ? millisecondsOfChildren() - before : qint64{ 1 } << 40;
        };
        // Four times the program takes about four times the processor, and sixteen times if the time grows by the
        // square.
        const qint64 once = milliseconds(count), four = milliseconds(4 * count);
        QVERIFY2(four < 12 * once, qPrintable(QStringLiteral("%1 ms and %2 ms").arg(once).arg(four)));
        QVERIFY(once > 0);
    }

    /// A tuple that does not close is an error at its place.
    void tuplesClose()
    {
        QFile file(programFile(QStringLiteral("tuple_hlo_sharding")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        const QByteArray tuple = "{{devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}}";
        QVERIFY(text.contains(tuple));
        const QTemporaryDir folder;
        for (const char* other : { "{{", "{{{{{{", "{{devices=[4,1]<=[4]}", "{{devices=[4,1]<=[4]}, {replicated}",
                 "{{{devices=[4,1]<=[4]}, {replicated}}" }) {
            const Ran ran = runProgram({ QStringLiteral("verify"),
                writeFile(folder, QStringLiteral("tuple.mlir"), QByteArray(text).replace(tuple, other)) });
            QVERIFY2(ran.code == 2 && (ran.out + ran.error).contains(QStringLiteral("E120")),
                qPrintable(QLatin1String(other) + ran.out + ran.error));
        }
    }

    /// What shards an argument that nothing annotates is the constraint that it goes into.
    void aConstraintIsNoAnnotation()
    {
        const Ran constrained = runProgram({ QStringLiteral("explain"), QStringLiteral("jax-layer-auto"),
            QStringLiteral("--tensor"), QStringLiteral("arg1") });
        QCOMPARE(constrained.code, 0);
        QVERIFY2(constrained.out.contains(QStringLiteral("The constraint on")), qPrintable(constrained.out));
        QVERIFY2(!constrained.out.contains(QStringLiteral("annotation of")), qPrintable(constrained.out));
        const Ran annotated = runProgram({ QStringLiteral("explain"), QStringLiteral("flax-mlp-program"),
            QStringLiteral("--tensor"), QStringLiteral("arg1") });
        QVERIFY2(annotated.out.contains(QStringLiteral("The annotation of")), qPrintable(annotated.out));
    }
};

REGISTER_TEST(UnusualProgramsTest)
#include "test_unusual_programs.moc"
