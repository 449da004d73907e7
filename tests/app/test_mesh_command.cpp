// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope mesh.
#include <QTest>

#include <algorithm>
#include <numeric>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

QStringList meshArguments(const QString& text)
{
    return QStringLiteral("mesh ").append(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

std::vector<int> idsOf(const QString& arguments)
{
    const Ran ran = runProgram(meshArguments(arguments + QStringLiteral(" --json")));
    return ran.code == 0 ? ran.json().at("mesh").at("device_order").get<std::vector<int>>() : std::vector<int>();
}

} // namespace

class MeshCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void asText()
    {
        const Ran ran = runProgram(meshArguments(QStringLiteral("--devices tpu-v4:4x4x4 --shape data=16,model=4")));
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.error.isEmpty());
        QVERIFY2(ran.out.contains(QStringLiteral("64 devices of kind TPU v4: 16 hosts × 4")), qPrintable(ran.out));
        QVERIFY2(ran.out.contains(QStringLiteral("data = y 4 × z 4, model = x 4.")), qPrintable(ran.out));
        // Model runs along x, data along y and z, z fastest.
        const QStringList lines = ran.out.split(QLatin1Char('\n'));
        const auto header = std::find_if(lines.begin(), lines.end(),
            [](const QString& line) { return line.simplified() == QStringLiteral("data model 0 1 2 3"); });
        QVERIFY2(header != lines.end(), qPrintable(ran.out));
        QCOMPARE((header + 1)->simplified(), QStringLiteral("0 0 1 2 3"));
        QCOMPARE((header + 2)->simplified(), QStringLiteral("1 16 17 18 19"));
        QCOMPARE((header + 6)->simplified(), QStringLiteral("5 20 21 22 23"));
    }

    /// The first cell of the JAX notebook: two cores on each of 2 x 2 chips, ids with x fastest.
    void coordinates()
    {
        const QString machine = QStringLiteral("--devices tpu-v3:2x2 --shape x=2,y=4 --method make --coordinates");
        const Ran text = runProgram(meshArguments(machine));
        QCOMPARE(text.code, 0);
        QVERIFY2(text.out.contains(QStringLiteral("bounds 2 × 2 × 1 × 2 (x, y, z, core)")), qPrintable(text.out));
        const auto json = runProgram(meshArguments(machine + QStringLiteral(" --json"))).json();
        QVERIFY(json.at("machine").at("bounds") == nlohmann::json({ 2, 2, 1, 2 }));
        QCOMPARE(json.at("devices").size(), std::size_t{ 8 });
        for (int id = 0; id < 8; ++id) {
            const int core = id % 2, x = id / 2 % 2, y = id / 4;
            QVERIFY2(text.out.contains(QStringLiteral("TpuDevice(id=%1, process_index=0, coords=(%2,%3,0), "
                                                      "core_on_chip=%4)")
                                           .arg(id)
                                           .arg(x)
                                           .arg(y)
                                           .arg(core)),
                qPrintable(text.out));
            const auto& device = json.at("devices").at(static_cast<std::size_t>(id));
            QVERIFY(device.at("device") == id && device.at("process") == 0 && device.at("core") == core);
            QVERIFY(device.at("coordinates") == nlohmann::json({ x, y, 0 }) && device.at("slice") == 0);
        }
        const auto hosts = runProgram(meshArguments(QStringLiteral("--devices gpu:2x8 --shape 16 --json"))).json();
        QVERIFY(hosts.at("machine").at("bounds") == nlohmann::json({ 2, 8 }));
        QVERIFY(!hosts.contains("devices")); // only where they are asked for
        const Ran many = runProgram(meshArguments(QStringLiteral("--devices cpu:65536 --shape 65536 --coordinates")));
        QVERIFY(many.out.contains(QStringLiteral("CpuDevice(id=63)")));
        QVERIFY(!many.out.contains(QStringLiteral("CpuDevice(id=64)")));
    }

    /// Four hosts of four devices: along replica and data each has rows of its own; along model two read the same.
    void batches()
    {
        const auto layouts = [](const QString& shape) {
            const QString arguments = QStringLiteral("--devices cpu:4x4 --json --shape ") + shape;
            auto all = nlohmann::json::array();
            const auto json = runProgram(meshArguments(arguments)).json();
            for (const auto& host : json.at("hosts"))
                all.push_back(host.value("data_layout", nlohmann::json()));
            return all;
        };
        const auto own = layouts(QStringLiteral("replica=2,data=2,model=4 --batch 32"));
        const auto shared = layouts(QStringLiteral("data=2,model=8 --batch 0"));
        const auto full = layouts(QStringLiteral("x=4,y=4 --batch 30"));
        for (int host = 0; host < 4; ++host) {
            const auto at = static_cast<std::size_t>(host);
            QVERIFY(own.at(at)
                == nlohmann::json({ { "batch_size", 32 }, { "shard_id", host }, { "num_shards", 4 },
                    { "first_host_in_replica_set", true } }));
            QVERIFY(shared.at(at)
                == nlohmann::json({ { "batch_size", 2 }, { "shard_id", host / 2 }, { "num_shards", 2 },
                    { "first_host_in_replica_set", host % 2 == 0 } }));
            QVERIFY(full.at(at)
                == nlohmann::json({ { "batch_size", 30 }, { "shard_id", 0 }, { "num_shards", 1 },
                    { "first_host_in_replica_set", host == 0 } }));
        }
        QVERIFY(layouts(QStringLiteral("data=4,model=4")).at(0).is_null()); // nothing is asked
        const QString text = QStringLiteral("--devices cpu:4x4 --shape data=2,model=8 --batch 32");
        const Ran shown = runProgram(meshArguments(text));
        QVERIFY2(
            shown.out.simplified().contains(QStringLiteral("2 16–31 1 2 yes 3 16–31 1 2 no")), qPrintable(shown.out));
        const Ran odd =
            runProgram(meshArguments(QStringLiteral("--devices cpu:4x4 --shape data=4,model=4 --batch 30")));
        QCOMPARE(odd.code, 2);
        QVERIFY2(odd.error.contains(QStringLiteral("30")), qPrintable(odd.error));
    }

    void largeMeshesAreCutOff()
    {
        const Ran ran = runProgram(meshArguments(QStringLiteral("--devices cpu:65536 --shape 256x256")));
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.contains(QStringLiteral("and 224 more columns")));
        QVERIFY(ran.out.contains(QStringLiteral("and 192 more rows")));
        QVERIFY(ran.out.size() < 40'000);
    }

    void orders_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<std::vector<int>>("ids");
        const auto row = [](const char* arguments, std::vector<int> ids) {
            QTest::newRow(arguments) << QString::fromUtf8(arguments) << std::move(ids);
        };
        row("--devices tpu-v3:2x2 --shape 2x4", { 0, 1, 2, 3, 6, 7, 4, 5 });
        row("--devices tpu-v5e:2x4 --shape x=8", { 0, 1, 2, 3, 7, 6, 5, 4 });
        row("--devices tpu-v5e:4x4 --shape 2x2 --method make", { 0, 1, 5, 4 });
        row("--devices tpu-v6e:2x2 --shape 4 --jax-version 0.4.35", { 0, 2, 1, 3 });
        row("--devices tpu-v4:4x4x4 --shape 8x8x1 --allow-split --method jax", {});
        row("--devices 2*tpu-v4:2x2 --shape data=2,model=2 --dcn-shape data=2", { 0, 1, 2, 3, 4, 5, 6, 7 });
        row("--devices 2*tpu-v4:2x2 --shape data=2,model=2 --dcn-shape model=2", { 0, 1, 4, 5, 2, 3, 6, 7 });
        row("--devices 2*tpu-v4:2x2 --shape 2x2 --dcn-shape 1x2", { 0, 1, 4, 5, 2, 3, 6, 7 });
        row("--devices gpu:2x2 --shape 1x2 --dcn-shape 2x1 --by-host", { 0, 1, 2, 3 });
        row("--devices gpu:2x4 --partitions 8", { 0, 1, 2, 3, 4, 5, 6, 7 });
        row("--devices cpu:2x2 --partitions 4", { 0, 1, 2, 3 });
        row("--devices tpu-v4:2x2x2 --partitions 2 --method t5x", { 0, 2, 1, 3, 4, 6, 5, 7 });
        row("--devices tpu-v4:2x2 --submesh 2,2,1,1", { 0, 2, 1, 3 });
        row("--devices tpu-v4:2x2 --submesh 1x1x1x1 --no-host-tiling", { 0, 2, 1, 3 });
        row("--devices 2*tpu-v4:2x2 --shape 1,2,2 --dcn-shape 2,1,1 --method t5x", { 0, 1, 2, 3, 4, 5, 6, 7 });
        row("--devices tpu-v4:2x2 --shape 2x2 --contiguous", { 0, 1, 2, 3 });
    }
    void orders()
    {
        QFETCH(QString, arguments);
        QFETCH(std::vector<int>, ids);
        std::vector<int> actual = idsOf(arguments);
        QVERIFY(!actual.empty());
        if (!ids.empty())
            QCOMPARE(actual, ids);
        std::sort(actual.begin(), actual.end());
        std::vector<int> all(actual.size());
        std::iota(all.begin(), all.end(), 0);
        if (!arguments.contains(QStringLiteral("make")))
            QCOMPARE(actual, all);
    }

    void asJson()
    {
        const auto json =
            runProgram(meshArguments(QStringLiteral("--devices tpu-v4:4x4x4 --shape data=8,model=8 --allow-split "
                                                    "--json")))
                .json();
        QVERIFY(json.at("format") == "shardscope-mesh");
        QVERIFY(json.at("machine").at("description") == "tpu-v4:4x4x4");
        QVERIFY(json.at("mesh").at("axes").at(1) == "model");
        QVERIFY(json.at("mesh").at("shape").at(1) == 8);
        QVERIFY(json.at("order").at("rule_name") == "split_axes");
        QVERIFY(json.at("order").at("physical_axes").at(1).at("shares") == nlohmann::json::array({ 2, 2 }));
        QVERIFY(json.at("order").at("sentences").size() >= 1);
        QCOMPARE(json.at("hosts").size(), std::size_t{ 16 });

        const auto t5x =
            runProgram(meshArguments(QStringLiteral("--devices tpu-v4:4x4x4 --partitions 4 --json"))).json();
        QVERIFY(t5x.at("order").at("table_partitions") == 4);
        QVERIFY(t5x.at("order").at("submesh") == nlohmann::json::array({ 4, 1, 1, 1 }));
        QVERIFY(t5x.at("order").at("submesh_order") == "z_major_in_yz");
        QVERIFY(t5x.at("mesh").at("axes").at(0) == "data");

        const auto hybrid =
            runProgram(meshArguments(QStringLiteral("--devices 2*tpu-v5e:4x4 --shape 1x16 --dcn-shape 2x1 --json")))
                .json();
        QVERIFY(hybrid.at("order").at("granules") == "slices");
        QVERIFY(hybrid.at("order").at("inside").at("rule_name") == "board_snake");
    }

    /// The line that the help shows, with every method.
    void everyMethodOnOneShape()
    {
        const QString line = QStringLiteral("--devices tpu-v4:4x4x4 --shape data=16,model=4");
        for (const char* method : { "jax", "make", "hybrid", "t5x" }) {
            const Ran ran = runProgram(meshArguments(line + QStringLiteral(" --method ") + QLatin1String(method)));
            QVERIFY2(ran.code == 0, qPrintable(QLatin1String(method) + ran.error));
            QVERIFY2(ran.out.contains(QStringLiteral("Mesh data 16 × model 4")), qPrintable(ran.out));
        }
        // T5X takes the last size as the number of partitions; one slice needs no DCN shape.
        QCOMPARE(idsOf(line + QStringLiteral(" --method t5x")),
            idsOf(QStringLiteral("--devices tpu-v4:4x4x4 --partitions 4")));
        QCOMPARE(idsOf(line + QStringLiteral(" --method hybrid")), idsOf(line));
        const Ran none = runProgram(meshArguments(QStringLiteral("--devices tpu-v4:1x1x1 --shape ()")));
        QCOMPARE(none.code, 0);
        QVERIFY2(none.out.contains(QStringLiteral("There is one device, and no mesh axis")), qPrintable(none.out));
    }

    void hosts()
    {
        const Ran tiled = runProgram(meshArguments(QStringLiteral("--devices tpu-v4:4x4 --submesh 2,1,1,1 --hosts")));
        QCOMPARE(tiled.code, 0);
        QVERIFY2(
            tiled.out.contains(QStringLiteral("host 3: data 6–7 (chunk 3 of 4), all of model")), qPrintable(tiled.out));
        const Ran scattered =
            runProgram(meshArguments(QStringLiteral("--devices tpu-v4:4x4 --submesh 1,1,1,1 --no-host-tiling")));
        QVERIFY2(
            scattered.out.contains(QStringLiteral("4 of 4 hosts are no block of the mesh")), qPrintable(scattered.out));
    }

    void ownList()
    {
        const QString path = writeFile(m_folder, QStringLiteral("board.txt"),
            "kind: TPU v5 lite\n10 0 0 0 0\n11 0 1 0 0\n12 0 0 1 0\n13 0 1 1 0\n");
        QCOMPARE(idsOf(QStringLiteral("--devices @%1 --shape 4").arg(path)), (std::vector<int>{ 10, 11, 13, 12 }));
        const Ran input =
            runProgram(meshArguments(QStringLiteral("--devices @- --shape 2 --json")), "platform: gpu\n3 0\n2 0\n");
        QCOMPARE(input.json().at("mesh").at("device_order").get<std::vector<int>>(), (std::vector<int>{ 2, 3 }));

        const QString twice = writeFile(m_folder, QStringLiteral("twice.txt"), "kind: TPU v4\n1 0 0 0 0\n5 0 0 0 0\n");
        const Ran same = runProgram(meshArguments(QStringLiteral("--devices @%1 --shape 2").arg(twice)));
        QVERIFY2(same.code == 2 && same.error.contains(QStringLiteral("devices 1 and 5 both stand at (0,0,0)")),
            qPrintable(same.error));
        const QString uneven = writeFile(m_folder, QStringLiteral("uneven.txt"), "platform: cpu\n0 0\n1 0\n2 1\n");
        const Ran hosts =
            runProgram(meshArguments(QStringLiteral("--devices @%1 --method t5x --partitions 1").arg(uneven)));
        QVERIFY2(
            hosts.code == 2 && hosts.error.contains(QStringLiteral("3 devices on 2 hosts")), qPrintable(hosts.error));

        const QString wrong = writeFile(m_folder, QStringLiteral("wrong.txt"), "0 0 0 0 0\n1 0 one 0 0\n");
        const Ran ran = runProgram(meshArguments(QStringLiteral("--devices @%1 --shape 2").arg(wrong)));
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.error.contains(QStringLiteral("wrong.txt:2:5: E120")), qPrintable(ran.error));
        QCOMPARE(runProgram(meshArguments(QStringLiteral("--devices @/no/such/file --shape 2"))).code, 2);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("stated");
        const auto row = [](const char* arguments, const char* stated) {
            QTest::newRow(arguments) << QString::fromUtf8(arguments) << QString::fromUtf8(stated);
        };
        row("--devices cpu:8 --shape 3x3", "Shapes that work: ");
        row("--devices tpu-v4:4x4x4 --shape data=2,model=32", "the mesh axis model has size 32");
        row("--devices tpu-v4:4x4x4 --shape data=2,model=32", "Shapes that work: 4x16");
        row("--devices tpu-v5e:2x2x2 --shape 8", "--devices:1:13: E120");
        row("--devices tpu-5e:2x2 --shape 4", "Did you mean “tpu-v5e”?");
        row("--devices cpu:8 --shape data=8,data=1", "--shape:1:8: E114");
        row("--devices cpu:8 --shape 2.5x4", "which is no whole number");
        row("--devices cpu:8 --shape 4x4 --method make", "the machine has only 8");
        row("--devices 2*tpu-v4:2x2 --shape 8 --method make", "Use a hybrid mesh");
        row("--devices 2*tpu-v4:2x2 --shape data=2,model=2 --dcn-shape pod=2", "Known: data, model");
        row("--devices 2*tpu-v4:2x2 --shape 2x2 --dcn-shape 3x1", "DCN shapes that work: 2x1, 1x2.");
        row("--devices 2*tpu-v4:2x2 --shape 2x4 --dcn-shape 2x1", "of slice 0");
        row("--devices cpu:2x4 --shape 4 --dcn-shape 2", "Group them by host");
        row("--devices tpu-v4:4x4 --submesh 3,1,1,1", "Submeshes that work: ");
        row("--devices tpu-v4:4x4 --submesh 2,1", "x, y, z and core");
        row("--devices tpu-v4:4x4 --submesh 0,1,1,1", "an entry of 0");
        row("--devices tpu-v5p:4x4x4 --partitions 4", "there is no default mesh for 4 partitions");
        row("--devices gpu:2x4 --partitions 3", "Partitions that work: 1, 2, 4, 8.");
        row("--devices tpu-v4:4x4x4 --shape 4x16 --contiguous", "Shapes that work: 16x4.");
        // Options that do not belong together.
        row("--devices cpu:8", "--shape");
        row("--shape 8", "--devices");
        row("--devices cpu:8 --shape 8 --method t5x", "T5X makes meshes of two axes");
        row("--devices cpu:8 --method t5x", "--partitions");
        row("--devices cpu:8 --shape 8 --method hybrid", "Group them by host");
        row("--devices cpu:8 --shape 8 --contiguous --method make", "--contiguous");
        row("--devices cpu:8 --partitions 8 --allow-split", "--allow-split");
        row("--devices cpu:8 --shape 8 --method other", "other");
        row("--devices cpu:8 --partitions many", "--partitions");
        row("--devices gpu:2x4 --partitions -9223372036854775808", "is not from 0 to 1048576");
        row("--devices cpu:8 --partitions 2.5", "'2.5' is no whole number");
        row("--devices 2*tpu-v5e:4x4 --shape data=16 --method hybrid", "is needed by --method hybrid on 2 slices");
        row("--devices tpu-v4:4x4x4 --shape data=8,model=4 --method t5x", "T5X makes a mesh of 16x4 out of");
        row("--devices 2*tpu-v5e:4x4 --shape data=16,model=2", "32 devices on 2 slices");
        row("--devices 2*tpu-v5e:4x4 --shape data=16,model=2", "Use a hybrid mesh");
        row("--devices 2*tpu-v4:2x2x2 --method t5x --shape 2x4 --dcn-shape 2x1",
            "three axes, replica, data and model: --shape 1x2x4 --dcn-shape 2x1x1");
        row("--devices tpu-v4:4x4x4 --shape data=2,model=32", "--allow-split lets mesh axes share");
        row("--devices 2*tpu-v5e:4x4 --shape data=2,model=8 --dcn-shape data=2", "Inside a slice these shapes work: ");
    }
    void refuses()
    {
        QFETCH(QString, arguments);
        QFETCH(QString, stated);
        const Ran ran = runProgram(meshArguments(arguments));
        QCOMPARE(ran.code, 2);
        QVERIFY(ran.out.isEmpty());
        QVERIFY2(ran.error.contains(stated), qPrintable(ran.error));
    }

    void refusesInJson()
    {
        const Ran ran = runProgram(meshArguments(QStringLiteral("--devices cpu:8 --shape 3x3 --json")));
        QCOMPARE(ran.code, 2);
        QVERIFY(ran.json().at("problems").at(0).at("code") == "E150");
    }
};

REGISTER_TEST(MeshCommandTest)
#include "test_mesh_command.moc"
