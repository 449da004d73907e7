// SPDX-License-Identifier: GPL-3.0-or-later
// Devices, orders and hosts in sentences.
#include <QLocale>
#include <QTest>

#include "analysis/analyse.h"
#include "experiment/builtin.h"
#include "experiment/mesh_order.h"
#include "mesh/device_presets.h"
#include "registered_test.h"
#include "words/device_list.h"
#include "words/topology_words.h"

using namespace shardscope;

class TestTopologyWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsOfDevices()
    {
        QCOMPARE(words::deviceRanges({}), QString());
        QCOMPARE(words::deviceRanges({ 5 }), QStringLiteral("d5"));
        QCOMPARE(words::deviceRanges({ 3, 1, 2, 0 }), QStringLiteral("d0–d3"));
        QCOMPARE(words::deviceRanges({ 8, 9, 0, 1, 5 }), QStringLiteral("d0–d1, d5, d8–d9"));
        std::vector<std::int32_t> even;
        for (std::int32_t id = 0; id < 64; id += 2)
            even.push_back(id);
        QCOMPARE(words::deviceRanges(even), QStringLiteral("d0, d2, …, d62"));
    }

    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void facts()
    {
        const auto said = [](const char* text) { return words::deviceFacts(*parseDevices(text)); };
        QCOMPARE(said("tpu-v4:4x4x4"), QStringLiteral("64 chips, 64 devices, 16 hosts of 2 × 2 × 1, 1 slice"));
        QCOMPARE(said("tpu-v2:2x2"), QStringLiteral("4 chips, 8 devices, 1 host of 2 × 2 × 1, 1 slice"));
        QCOMPARE(said("2*tpu-v5e:4x4"), QStringLiteral("32 chips, 32 devices, 8 hosts of 2 × 2 × 1, 2 slices"));
        QCOMPARE(said("gpu:4x8"), QStringLiteral("32 devices, 4 hosts of 8"));
        const DeviceSet own = *DeviceSet::ofList("own", "cpu", { { 0, 0, {}, 0, 0 }, { 1, 1, {}, 0, 0 } });
        QCOMPARE(words::deviceFacts(own), QStringLiteral("2 devices of an own list, 2 hosts"));
    }

    void wraps()
    {
        const auto said = [](const char* text) { return words::wrapText(*parseDevices(text)); };
        QVERIFY(said("tpu-v4:4x4x4").startsWith(QStringLiteral("x, y and z wrap around")));
        QVERIFY(said("tpu-v5e:4x16").startsWith(QStringLiteral("y wraps around")));
        QVERIFY(said("tpu-v4:2x2x1").startsWith(QStringLiteral("No direction wraps around")));
    }

    void steps()
    {
        const auto said = [](const AxisSteps& steps, bool slices = true) {
            return words::axisSteps(QStringLiteral("model"), steps, slices);
        };
        QCOMPARE(said({ 4, 16, 1, 1, false }),
            QStringLiteral("model: 4 devices to a group, a ring: every step is one link at most, the way back too."));
        QCOMPARE(said({ 4, 16, 1, 3, false }),
            QStringLiteral(
                "model: 4 devices to a group, a line: every step is one link at most, the way back is 3 links."));
        QCOMPARE(said({ 16, 4, 2, 2, false }),
            QStringLiteral("model: 16 devices to a group; the longest step is 2 links, the way back 2 links."));
        QVERIFY(said({ 2, 4, {}, {}, true }).contains(QStringLiteral("between slices")));
        QVERIFY(said({ 2, 4, {}, {}, true }, false).contains(QStringLiteral("between hosts")));
        QVERIFY(said({ 2, 4, {}, {}, false }, false).endsWith(QStringLiteral("inside a host.")));
        QVERIFY(said({ 2, 4, 0, 0, false }).endsWith(QStringLiteral("on one chip.")));
        QVERIFY(said({ 1, 4, 0, 0, false }).contains(QStringLiteral("a single device")));
    }

    /// Every order has a name of its own, and a reason.
    void orders()
    {
        Experiment experiment = builtinExamples().front().make();
        experiment.hardware.devices = *parseDevices("tpu-v4:2x2x2");
        QStringList names, reasons;
        for (int method = 0; method <= static_cast<int>(OrderMethod::Hybrid); ++method) {
            experiment.mesh.order.method = static_cast<OrderMethod>(method);
            const Result<OrderedMesh> ordered = orderedMesh(experiment.hardware.devices, experiment.mesh);
            QVERIFY(ordered.has_value());
            names << words::orderName(experiment.mesh);
            const QString reason = words::orderReason(experiment.mesh, ordered->reason).join(QLatin1Char(' '));
            QVERIFY2(reason.endsWith(QLatin1Char('.')), qPrintable(reason));
        }
        experiment.mesh.deviceOrder = { 7, 6, 5, 4, 3, 2, 1, 0 };
        names << words::orderName(experiment.mesh);
        QCOMPARE(names.removeDuplicates(), 0);
        QCOMPARE(words::orderReason(experiment.mesh, {}).size(), 1);
    }

    void hosts()
    {
        Experiment experiment = builtinExamples().front().make();
        AnalysisCache cache;
        const auto snapshot = analyse(std::make_shared<const Experiment>(experiment), 1, cache);
        const HostIndex index(snapshot);
        const HostShare chunks = index.of(1);
        const QString title = words::hostTitle(index, chunks);
        QVERIFY2(title.startsWith(QStringLiteral("Host 1: data 1")), qPrintable(title));
        QVERIFY2(title.contains(QStringLiteral("d4")), qPrintable(title));
        // Parameters are not cut along data: host 0 has the same chunks.
        QVERIFY2(words::hostWrites(chunks).startsWith(QStringLiteral("It writes nothing")),
            qPrintable(words::hostWrites(chunks)));
        QVERIFY(words::hostWrites(index.of(0)).startsWith(QStringLiteral("It writes 96 MiB of the 96 MiB")));
        QCOMPARE(words::hostAddresses(index, chunks),
            QStringLiteral("It addresses 4 of the 8 devices: arrays that lie on all of them are not fully addressable "
                           "there."));
        QCOMPARE(words::hostBatch(*index.batch(1)),
            QStringLiteral("Of the batch of 8 rows it reads rows 4–7, part 2 of 2 along data."));
    }
};

REGISTER_TEST(TestTopologyWords)
#include "test_topology_words.moc"
