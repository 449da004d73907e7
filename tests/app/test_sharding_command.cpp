// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope sharding, as a process.
#include <QTest>

#include <algorithm>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

Ran sharding(const char* spec, const char* shape, const QStringList& more = {})
{
    return runProgram(QStringList{ QStringLiteral("sharding"), QStringLiteral("--spec"), QString::fromUtf8(spec),
                          QStringLiteral("--shape"), QString::fromUtf8(shape) }
        + more);
}

const QStringList mesh{ QStringLiteral("--mesh"), QStringLiteral("x=2,y=4") };

QStringList onMesh(const char* more)
{
    return mesh + QString::fromUtf8(more).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

} // namespace

class ShardingCommandTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everything()
    {
        const Ran ran = sharding("P('x', None)", "8,16", mesh);
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.error.isEmpty());
        const QStringList lines = ran.out.split(QLatin1Char('\n'));
        QCOMPARE(lines[0], QStringLiteral("Mesh     x 2 × y 4: 8 devices, cpu"));
        QCOMPARE(lines[1], QStringLiteral("Array    [8, 16] in 2 shards of [4, 16], 4 copies of each"));
        QCOMPARE(lines[2], QStringLiteral("Memory   unpinned_host (the default)"));
        for (const char* form : { "Spec    PartitionSpec('x', None)",
                 "JAX     NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x', None))",
                 "HLO V2  {devices=[2,1,4]<=[8] last_tile_dim_replicate}",
                 "HLO V1  {devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}", "Shardy  <@mesh, [{\"x\"}, {}]>" })
            QVERIFY2(lines.contains(QString::fromUtf8(form)), form);
        QVERIFY(lines.contains(QStringLiteral("    1  4–7, 0–15  4, 5, 6, 7")));
        QVERIFY(ran.out.contains(QStringLiteral("CPU 0,1,2,3")));
        QVERIFY(ran.out.endsWith(QStringLiteral("┘\n")));
    }

    void forms_data()
    {
        QTest::addColumn<QString>("spec");
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("out");
        const auto row = [](const char* spec, const char* options, const char* out) {
            QTest::newRow(QByteArray(spec) + " " + options) << spec << options << out;
        };
        row("P('x', None)", "--hlo", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}\n");
        row("P('x', None)", "--hlo=v1", "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}\n");
        row("P('x', None)", "--sdy", "<@mesh, [{\"x\"}, {}]>\n");
        row("P('x')", "--jax --memory-kind pinned_host",
            "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x',), memory_kind=pinned_host)\n");
        row("P('x')", "--jax --jax-version current",
            "NamedSharding(mesh=Mesh('x': 2, 'y': 4, axis_types=(Auto, Auto)), spec=P('x',))\n");
        row("{devices=[4,2]<=[2,4]T(1,0)}", "--sdy", "<@mesh, [{\"y\"}, {\"x\"}]>\n");
        row("{devices=[2,4]0,1,2,3,4,5,6,7}", "--hlo", "{devices=[2,4]<=[8]}\n");
        row("#sdy.sharding<@mesh, [{\"y\":(1)2}, {\"x\", ?}]>", "--sdy --hlo --jax",
            "GSPMDSharding({devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate})\n"
            "{devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}\n"
            "<@mesh, [{\"y\":(1)2}, {\"x\", ?}]>\n");
        row("<@mesh, [{\"y\"}, {}]>", "--jax",
            "NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('y', None))\n");
        row("PositionalSharding(mesh.devices).replicate(0)", "--sdy", "<@mesh, [{}, {\"y\"}]>\n");
        row("PositionalSharding(devices).reshape(2, 4).replicate(axis=0)", "--jax",
            "PositionalSharding([[{CPU 0, 4} {CPU 1, 5} {CPU 2, 6} {CPU 3, 7}]], shape=(1, 4))\n");
        row("P(None, 'y')", "--grid --platform gpu",
            "┌───────┬───────┬───────┬───────┐\n"
            "│       │       │       │       │\n"
            "│       │       │       │       │\n"
            "│       │       │       │       │\n"
            "│       │       │       │       │\n"
            "│GPU 0,4│GPU 1,5│GPU 2,6│GPU 3,7│\n"
            "│       │       │       │       │\n"
            "│       │       │       │       │\n"
            "│       │       │       │       │\n"
            "│       │       │       │       │\n"
            "└───────┴───────┴───────┴───────┘\n");
    }
    void forms()
    {
        QFETCH(QString, spec);
        QFETCH(QString, options);
        QFETCH(QString, out);
        // What one prints another reads: --jax first, --hlo, --sdy last, whatever the order asked for.
        const Ran ran = sharding(spec.toUtf8(), "8,8", onMesh(options.toUtf8()));
        QCOMPARE(ran.error, QString());
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.out, out);
    }

    void linesOfGrids()
    {
        const char* const grid = "PositionalSharding([[{CPU 0} {CPU 1}]\n                    [{CPU 2} {CPU 3}]])";
        const Ran table = sharding(grid, "8,16", {});
        QCOMPARE(table.code, 0);
        QVERIFY2(!table.out.contains(QStringLiteral("\\x0a")), qPrintable(table.out));
        QVERIFY2(table.out.contains(QStringLiteral("JAX     PositionalSharding([[{CPU 0} {CPU 1}]\n"
                                                   "                            [{CPU 2} {CPU 3}]], shape=(2, 2))")),
            qPrintable(table.out));
        const Ran alone = sharding(grid, "8,16", { QStringLiteral("--jax") });
        QCOMPARE(alone.out.count(QLatin1Char('\n')), 2);
        // What was printed is read again.
        QCOMPARE(
            sharding(alone.out.trimmed().toUtf8().constData(), "8,16", { QStringLiteral("--jax") }).out, alone.out);
        QVERIFY2(table.out.contains(QStringLiteral("Spec    none: without --mesh there are no axis names")),
            qPrintable(table.out));
        const Ran cells = sharding("PositionalSharding([[{CPU 0, 1} {CPU 2}]])", "8,16", {});
        QVERIFY2(cells.code == 2 && cells.error.contains(QStringLiteral("2 in the first one and 1 in cell 2")),
            qPrintable(cells.error));
    }

    /// What a sharding by position does to the dimensions of a named array.
    void namedDimensions()
    {
        const char* const grid = "PositionalSharding([[{CPU 0, 2} {CPU 1, 3}]])";
        const QStringList names{ QStringLiteral("--names"), QStringLiteral("foo,bar") };
        const Ran told = sharding(grid, "4,4", names);
        QVERIFY2(
            told.out.contains(QStringLiteral("Names    foo replicated, bar sharded 2 ways\n")), qPrintable(told.out));
        const auto json = sharding(grid, "4,4", names + QStringList{ QStringLiteral("--json") }).json();
        QVERIFY(json.at("names") == nlohmann::json({ "foo", "bar" }));
        const Ran partly = sharding(grid, "4,4", { QStringLiteral("--names"), QStringLiteral("None,bar") });
        QVERIFY(partly.out.contains(QStringLiteral("dimension 0 replicated, bar sharded 2 ways")));
        QVERIFY(!sharding(grid, "4,4", {}).out.contains(QStringLiteral("Names")));
        QCOMPARE(sharding(grid, "4,4,1", names).code, 2); // two names for three dimensions
    }

    /// Shardy text with its mesh inline, partial sums as the current JAX writes them, manual subgroups.
    void formsOfOthers()
    {
        const Ran shardy = sharding("<mesh<[\"a\"=2, \"b\"=4]>, [{\"a\"}, {\"b\"}]>", "8,16", {});
        QVERIFY2(shardy.code == 0 && shardy.out.contains(QStringLiteral("Mesh     a 2 × b 4: 8 devices")),
            qPrintable(shardy.out + shardy.error));
        const QStringList current{ QStringLiteral("--jax-version"), QStringLiteral("current") };
        const Ran partial = sharding("P('x', unreduced={'y'})", "8,16", mesh + current);
        QVERIFY2(partial.code == 0 && partial.out.contains(QStringLiteral("Spec    P('x', None, unreduced={'y'})")),
            qPrintable(partial.out + partial.error));
        QVERIFY2(
            partial.out.contains(QStringLiteral("<@mesh, [{\"x\"}, {}], unreduced={\"y\"}>")), qPrintable(partial.out));
        // What is printed as JAX' own object says the same, and is read again.
        const QString object = partial.out.section(QStringLiteral("JAX     "), 1).section(QLatin1Char('\n'), 0, 0);
        QVERIFY2(object.startsWith(QStringLiteral("NamedSharding(mesh=Mesh(")), qPrintable(partial.out));
        QVERIFY2(object.endsWith(QStringLiteral("spec=P('x', None, unreduced={'y'}))")), qPrintable(object));
        const Ran again = sharding(object.toUtf8(), "8,16", mesh + current);
        QVERIFY2(again.code == 0 && again.out == partial.out, qPrintable(again.out + again.error));
        for (const char* wrong :
            { "NamedSharding(mesh=m, spec=P('x', unreduced={'x'}))", "NamedSharding(mesh=m, spec=P('x', unreduced=3))",
                "NamedSharding(mesh=m, spec=P('x', unreduced={'y'})",
                "NamedSharding(mesh=m, spec=P('x', unreduced={'y'", "NamedSharding(mesh=m, spec=P(unreduced={'z'}))" })
            QCOMPARE(sharding(wrong, "8,16", mesh).code, 2);
        QVERIFY(sharding("P('x', unreduced={'x'})", "8,16", mesh).error.contains(QStringLiteral("E106")));
        for (const char* reduced : { "P('x', reduced={'y'})", "P('x', unreduced={'y'}, reduced={'z'})",
                 "NamedSharding(mesh=m, spec=P('x', reduced={'y'}))" }) {
            const Ran refused = sharding(reduced, "8,16", mesh);
            QVERIFY2(refused.code == 2 && refused.error.contains(QStringLiteral("“reduced” says nothing of who holds")),
                qPrintable(refused.error));
        }
        QVERIFY(sharding("P('x', unreduced={'z'})", "8,16", mesh).error.contains(QStringLiteral("E104")));
        QVERIFY(sharding("P('x', unreduced=3)", "8,16", mesh).error.contains(QStringLiteral("E120")));
        const char* const manual = "{devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}";
        const Ran text = sharding(manual, "8,16", {});
        QVERIFY2(text.code == 0 && text.out.contains(QString::fromUtf8(manual)), qPrintable(text.out + text.error));
        QVERIFY2(text.out.contains(QStringLiteral("the program shards the array itself")), qPrintable(text.out));
        QVERIFY(sharding(manual, "8,16", { QStringLiteral("--grid") }).code == 2);
        QVERIFY(sharding(manual, "8,16", { QStringLiteral("--json") }).json().contains("not_laid_out"));
        const Ran maximal = sharding("{maximal device=3}", "8,16", mesh);
        QVERIFY2(maximal.out.contains(QStringLiteral("one copy: all of it on device 3")), qPrintable(maximal.out));
    }

    void withoutMesh()
    {
        const auto hlo = sharding("{devices=[2,2]3,2,1,0}", "4,4", { QStringLiteral("--json") }).json();
        QVERIFY(hlo.at("device_count") == 4);
        QVERIFY(hlo.at("forms").at("shardy").is_null());
        QVERIFY(hlo.at("replica_groups") == nlohmann::json::parse("[[3],[2],[1],[0]]"));
        const Ran positional =
            sharding("PositionalSharding([{TPU 0, 2} {TPU 1, 3}], shape=(2,))", "6", { QStringLiteral("--grid") });
        QCOMPARE(positional.out, QStringLiteral("┌───────┬───────┐\n│TPU 0,2│TPU 1,3│\n└───────┴───────┘\n"));
    }

    void json()
    {
        const Ran ran = sharding("P(('y', 'x'))", "(16,)", onMesh("--json --memory-kind device"));
        QCOMPARE(ran.code, 0);
        const auto json = ran.json();
        QVERIFY(json.at("format") == "shardscope-sharding");
        QVERIFY(json.at("shard_shape") == nlohmann::json::array({ 2 }));
        QVERIFY(json.at("shards") == 8 && json.at("copies") == 1 && json.at("memory_kind") == "device");
        QVERIFY(json.at("forms").at("hlo_v2") == "{devices=[8]<=[2,4]T(1,0)}");
        QVERIFY(json.at("index").size() == 8);
        QVERIFY(json.at("index")[4] == nlohmann::json::parse("[4, [[2, 4]]]"));
        QVERIFY(json.at("replica_groups")[1] == nlohmann::json::array({ 4 }));
        QVERIFY(json.at("is_fully_replicated") == false);
        QVERIFY(json.at("cells")
            == nlohmann::json::parse(R"([["CPU 0", "CPU 4", "CPU 1", "CPU 5", "CPU 2", "CPU 6", "CPU 3", "CPU 7"]])"));
        const auto copies = sharding("P('y', None)", "8,16", onMesh("--json --platform gpu")).json();
        QVERIFY(copies.at("cells") == nlohmann::json::parse(R"([["GPU 0,4"], ["GPU 1,5"], ["GPU 2,6"], ["GPU 3,7"]])"));
        QVERIFY(!sharding("P('x')", "8,4,4", onMesh("--json")).json().contains("cells")); // no one grid shows it
        const auto failed = sharding("P('w')", "16", onMesh("--json")).json();
        QVERIFY(failed.at("problems")[0].at("kind") == "unknown_axis");
    }

    void uneven()
    {
        const Ran refused = sharding("P('y', 'x')", "5,3", mesh);
        QCOMPARE(refused.code, 2);
        QVERIFY(refused.out.isEmpty());
        QVERIFY(refused.error.contains(QStringLiteral("E101")) && refused.error.contains(QLatin1Char('8')));
        const Ran padded = sharding("P('y', 'x')", "5,3", onMesh("--uneven"));
        QCOMPARE(padded.code, 0);
        QVERIFY(padded.out.contains(QStringLiteral("in 8 shards of [2, 2], one copy")));
        QVERIFY(padded.out.contains(QStringLiteral("Padding  17 elements on all devices, at most 4 in a shard")));
        // The compiler's own forms may be uneven.
        QVERIFY(sharding("{devices=[4,2]<=[8]}", "5,3", mesh).out.contains(QStringLiteral("Padding  17 elements")));
    }

    void badInput_data()
    {
        QTest::addColumn<QString>("spec");
        QTest::addColumn<QString>("shape");
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("stated");
        const auto row = [](const char* spec, const char* shape, const char* options, const char* stated) {
            QTest::newRow(QByteArray(spec) + " " + shape + " " + options) << spec << shape << options << stated;
        };
        row("P('x', 3)", "8,8", "--mesh x=2", "--spec:1:8: E120");
        row("P('w')", "8", "--mesh x=2", "E104");
        for (const char* twice : { "P('x', 'x')", "P(('x', 'x'))" })
            for (const char* options : { "--mesh x=2", "--mesh y=2", "" })
                row(twice, "8,8", options, "--spec:1:1: E106");
        row("NamedSharding(Mesh('x': 2), P('x', 'x'))", "8,8", "", "--spec:1:29: E106");
        row("P('x', None)", "8", "--mesh x=2", "E107");
        row("P('x')", "8", "", "E412");
        row("P('x')", "8", "--mesh x=two", "--mesh:1:3: E120");
        row("P('x')", "8", "--mesh x=0", "--mesh:1:1: E115");
        row("P('x')", "8;8", "--mesh x=2", "--shape:1:2: E120");
        row("P('x')", "-8", "--mesh x=2", "--shape:1:1: E125");
        row("P('x')", "99999999999999999999", "--mesh x=2", "--shape:1:1: E125");
        row("P('x')", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "--mesh x=2", "E126");
        row("P('x')", "8", "--mesh x=2 --memory-kind hbm", "E404");
        row("P('x')", "8", "--mesh x=2 --platform gpu --memory-kind unpinned_host", "E404");
        row("{devices=[2]<=[3]}", "8", "", "--spec:1:10: E405");
        row("{devices=[2]<=[2]}", "8,8", "", "E401");
        row("{devices=[2]<=[2]}", "8", "--mesh x=4", "E406");
        row("{manual}", "8", "--mesh x=4", "E410");
        row("{{replicated}, {replicated}}", "8", "--mesh x=4", "E410");
        row("PositionalSharding([0, 1])", "8,8", "", "E401");
        row("PositionalSharding([0, 1]).reshape(3)", "8", "", "--spec:1:28: E402");
        row("<@mesh, [{\"x\":(1)3}]>", "8", "--mesh x=4", "--spec:1:11: E414");
        row("{devices=[8]0,1,2,3,5,4,6,7}", "8", "--mesh x=8 --sdy", "E411");
        row("{devices=[2,4]<=[8]}", "8,8", "--mesh x=8 --hlo=v3", "");
        row("P()", "8", "--mesh x=8 --platform abacus", "");
    }
    void badInput()
    {
        QFETCH(QString, spec);
        QFETCH(QString, shape);
        QFETCH(QString, options);
        QFETCH(QString, stated);
        const Ran ran = sharding(spec.toUtf8(), shape.toUtf8(), options.split(QLatin1Char(' '), Qt::SkipEmptyParts));
        QCOMPARE(ran.code, 2);
        QVERIFY(ran.out.isEmpty());
        QVERIFY(!ran.error.isEmpty());
        QVERIFY2(ran.error.contains(stated), qPrintable(ran.error));
    }

    void manyDevices()
    {
        const QStringList large{ QStringLiteral("--mesh"), QStringLiteral("pod=16,data=64,model=64") };
        const Ran ran = sharding("P(('model', 'pod'), 'data')", "8192,8192", large);
        QCOMPARE(ran.code, 0);
        QVERIFY(
            ran.out.contains(QStringLiteral("65,536 devices")) || ran.out.contains(QStringLiteral("65536 devices")));
        QVERIFY(ran.out.contains(QStringLiteral("see --hlo=v1")));
        const auto lines = ran.out.split(QLatin1Char('\n'));
        QVERIFY(lines.size() < 400);
        for (const QString& line : lines)
            QVERIFY(line.size() < 1000);
        QCOMPARE(sharding("P()", "()", large + QStringList{ QStringLiteral("--hlo") }).out,
            QStringLiteral("{replicated}\n"));
    }
};

REGISTER_TEST(ShardingCommandTest)
#include "test_sharding_command.moc"
