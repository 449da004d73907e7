// SPDX-License-Identifier: GPL-3.0-or-later
// The order of devices in an analysis: groups, texts, slow links, failures with their fixes; and what hosts have of it.
#include <QTest>

#include <algorithm>
#include <set>

#include "analysis/analyse.h"
#include "analysis/analysed.h"
#include "analysis/fixes.h"
#include "analysis/host_share.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "mesh/device_presets.h"
#include "registered_test.h"
#include "sharding/text.h"

using namespace shardscope;
using test::analysed;

namespace {

Experiment on(const char* devices, std::vector<MeshAxis> axes, OrderMethod method)
{
    Experiment experiment = builtinExamples().front().make();
    experiment.hardware.devices = *parseDevices(devices);
    experiment.mesh.axes = std::move(axes);
    experiment.mesh.order.method = method;
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.batch = 256;
    settings.layers = 2;
    return experiment;
}

const Problem* find(const Snapshot& snapshot, Code code)
{
    const auto found = std::find_if(snapshot.problems.begin(), snapshot.problems.end(),
        [code](const Problem& problem) { return problem.diagnostic.code == code; });
    return found == snapshot.problems.end() ? nullptr : &*found;
}

} // namespace

class TestDeviceOrder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shardsFollowTheOrder()
    {
        const SnapshotPtr snapshot =
            analysed(on("tpu-v4:4x4x4", { { "data", 16 }, { "model", 4 } }, OrderMethod::CreateDeviceMesh));
        QVERIFY(snapshot->ok());
        QCOMPARE(snapshot->orderReason->rule, OrderRule::FullAxes);
        const TensorRow* weight = snapshot->row("params/layers.0/W1");
        QVERIFY(weight);
        // W1 is sharded along model, which is x: devices at x = 1 hold the second quarter.
        for (const std::int32_t device : weight->layout.holders(1))
            QCOMPARE(snapshot->experiment->hardware.devices.place(device).coordinates[0], 1);
        QCOMPARE(weight->layout.holders(1).size(), std::size_t{ 16 });
    }

    void failuresHaveFixesThatWork_data()
    {
        QTest::addColumn<QString>("devices");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("model");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const char* devices, int data, int model, OrderMethod method, Code code) {
            QTest::newRow(name) << QString::fromLatin1(devices) << data << model << static_cast<int>(method)
                                << static_cast<int>(code);
        };
        row("no assignment", "tpu-v4:4x4x4", 8, 8, OrderMethod::CreateDeviceMesh, Code::NoAxisAssignment);
        row("no assignment of make_mesh", "tpu-v4:4x4x4", 8, 8, OrderMethod::MakeMesh, Code::NoAxisAssignment);
        row("two slices", "2*tpu-v4:4x4x4", 32, 4, OrderMethod::MakeMesh, Code::MultiSlice);
        row("slices of CPUs", "cpu:2x4", 2, 4, OrderMethod::Hybrid, Code::MissingGranuleAttribute);
        row("T5X on CPUs", "cpu:2x4", 4, 2, OrderMethod::T5x, Code::OrderShape);
        row("T5X without a row", "tpu-v4:4x4x4", 1, 64, OrderMethod::T5x, Code::NoDefaultMesh);
    }
    void failuresHaveFixesThatWork()
    {
        QFETCH(QString, devices);
        QFETCH(int, data);
        QFETCH(int, model);
        QFETCH(int, method);
        QFETCH(int, code);
        const Experiment experiment =
            on(qPrintable(devices), { { "data", data }, { "model", model } }, static_cast<OrderMethod>(method));
        const SnapshotPtr snapshot = analysed(experiment);
        const Problem* problem = find(*snapshot, static_cast<Code>(code));
        QVERIFY2(
            problem, snapshot->problems.empty() ? "no problem" : snapshot->problems.front().diagnostic.id().data());
        QCOMPARE(problem->diagnostic.where.pointer, std::string("/mesh/device_order"));
        QVERIFY(!problem->fixes.empty());
        for (const Fix& fix : problem->fixes) {
            const Result<Experiment> mended = applyFix(experiment, fix);
            QVERIFY(mended.has_value());
            QVERIFY(!find(*analysed(*mended), static_cast<Code>(code)));
            QVERIFY(analysed(*mended)->mesh);
        }
    }

    /// The submesh and the sizes of the axes change together: a tile's places are the last axis.
    void submeshesThatDivideAreOffered()
    {
        Experiment experiment = on("tpu-v4:4x4x4", { { "data", 16 }, { "model", 4 } }, OrderMethod::T5x);
        experiment.mesh.order.submesh = { 3, 2, 1, 1 };
        const SnapshotPtr snapshot = analysed(experiment);
        const Problem* problem = find(*snapshot, Code::SubmeshNotFactor);
        QVERIFY(problem);
        int submeshes = 0;
        for (const Fix& fix : problem->fixes) {
            const Result<Experiment> mended = applyFix(experiment, fix);
            QVERIFY(mended.has_value());
            QVERIFY(analysed(*mended)->mesh);
            if (fix.kind != Fix::Kind::SetSubmesh)
                continue;
            ++submeshes;
            std::int64_t places = 1;
            for (const std::int32_t size : mended->mesh.order.submesh)
                places *= size;
            QCOMPARE(mended->mesh.axes[1].size, places);
            QCOMPARE(mended->mesh.axes[0].size, 64 / places);
        }
        QCOMPARE(submeshes, 2);
    }

    void slicesAlongAxesAreOffered()
    {
        Experiment experiment = on("2*tpu-v5e:4x4", { { "data", 8 }, { "model", 4 } }, OrderMethod::Hybrid);
        experiment.mesh.order.dcn = { { "data", 1 }, { "model", 1 } };
        const SnapshotPtr snapshot = analysed(experiment);
        const Problem* problem = find(*snapshot, Code::GranuleCountMismatch);
        QVERIFY(problem);
        int offered = 0;
        for (const Fix& fix : problem->fixes) {
            const Result<Experiment> mended = applyFix(experiment, fix);
            QVERIFY(mended.has_value());
            QVERIFY(analysed(*mended)->mesh);
            if (fix.kind == Fix::Kind::SetDcnShape) {
                ++offered;
                QCOMPARE(mended->mesh.order.dcn.size(), std::size_t{ 2 });
                QCOMPARE(mended->mesh.order.dcn[0].size * mended->mesh.order.dcn[1].size, 2);
            }
        }
        QVERIFY(offered >= 1);
    }

    void slowLinksAreThoseBetweenSlices()
    {
        // One slice of 16 hosts: ICI everywhere. Two: the axis that leaves them is slow.
        const Experiment one = on("tpu-v4:4x4x4", { { "model", 4 }, { "data", 16 } }, OrderMethod::CreateDeviceMesh);
        QVERIFY(!find(*analysed(one), Code::SlowLinkCollective));
        const Experiment two = on("2*tpu-v4:2x2x4", { { "model", 4 }, { "data", 8 } }, OrderMethod::Hybrid);
        const SnapshotPtr snapshot = analysed(two);
        const Problem* slow = find(*snapshot, Code::SlowLinkCollective);
        QVERIFY(slow);
        QCOMPARE(slow->diagnostic.text("axis"), std::string("model"));
        QCOMPARE(slow->diagnostic.number("slices"), 2);
    }

    /// An array with a batch is what hosts read: it is split over them, and no checkpoint holds it.
    void batchOfArrays()
    {
        Experiment experiment;
        experiment.hardware.devices = DeviceSet::ofHosts("generic-tpu", "tpu", 4, 4);
        experiment.mesh.axes = { { "replica", 2 }, { "data", 2 }, { "model", 4 } };
        experiment.rules.rules = *parseRules("[('batch', ('replica', 'data')), ('mlp', 'model')]");
        const auto names = [](const char* first, const char* second) {
            return LogicalNames{ LogicalName::of(first), LogicalName::of(second) };
        };
        experiment.model = ArraysModel{ { { "batch/tokens", names("batch", "length"), { 32, 512 }, DType::I32 },
            { "wi/kernel", names("embed", "mlp"), { 768, 2048 }, DType::F32 } } };
        const HostIndex index(analysed(experiment));
        for (std::size_t host = 0; host < 4; ++host) {
            const auto batch = index.batch(host);
            QVERIFY(batch && batch->layout);
            QCOMPARE(batch->rows, 32);
            QCOMPARE(batch->range().begin, static_cast<std::int64_t>(host) * 8);
            QCOMPARE(batch->range().end, static_cast<std::int64_t>(host) * 8 + 8);
            const HostShare share = index.of(host);
            QCOMPARE(share.state, 768 * 2048 * 4);
            for (std::size_t row = 0; row < index.snapshot().tensors.size(); ++row)
                QCOMPARE(index.array(share, row).inCheckpoint, index.snapshot().tensors[row].role == Role::Parameter);
        }
    }

    void chunksOfHosts()
    {
        // 16 hosts of 2 x 2 x 1 chips: along model (x) a host has 2 of 4, along data (y, z) 2 of 16.
        const auto snapshot = analysed(on("tpu-v4:4x4x4", { { "data", 16 }, { "model", 4 } }, OrderMethod::RowMajor));
        QVERIFY(snapshot->ok());
        const HostIndex index(snapshot);
        QCOMPARE(index.blocks().size(), std::size_t{ 16 });
        std::vector<std::int64_t> declared(snapshot->tensors.size());
        std::int64_t all = 0;
        std::set<std::pair<std::int64_t, std::int64_t>> batches;
        for (std::size_t host = 0; host < 16; ++host) {
            const HostShare chunks = index.of(host);
            QVERIFY(chunks.chunker.has_value());
            QCOMPARE(chunks.devices.size(), std::size_t{ 4 });
            for (std::size_t row = 0; row < snapshot->tensors.size(); ++row) {
                const HostArray array = index.array(chunks, row);
                QCOMPARE(array.row, row);
                QVERIFY(array.chunk.has_value());
                QCOMPARE(array.writer == chunks.host, array.chunk->writes());
                if (array.chunk->writes())
                    declared[array.row] += array.bytes;
                // The writer holds the same chunk.
                const HostArray written = index.array(index.of(static_cast<std::size_t>(*array.writer)), row);
                QCOMPARE(written.chunk->slice, array.chunk->slice);
                QVERIFY(written.chunk->writes());
            }
            all += chunks.written;
            const auto batch = index.batch(host);
            QVERIFY(batch && batch->layout);
            batches.emplace(batch->range().begin, batch->range().end);
        }
        std::int64_t state = 0;
        for (std::size_t row = 0; row < snapshot->tensors.size(); ++row)
            QCOMPARE(declared[row], snapshot->tensors[row].bytesInAll); // every byte once
        state = index.of(0).state;
        QVERIFY(state > 0);
        QCOMPARE(all, state);
        QCOMPARE(batches.size(), std::size_t{ 8 }); // two hosts side by side along model read the same rows
        QCOMPARE(batches.begin()->first, 0);
        QCOMPARE(batches.rbegin()->second, 256);
    }

    void scatteredHostsHaveNoChunks()
    {
        Experiment experiment = on("cpu:2x4", { { "data", 2 }, { "model", 4 } }, OrderMethod::RowMajor);
        experiment.mesh.deviceOrder = { 0, 4, 1, 5, 6, 2, 7, 3 };
        const HostIndex index(analysed(experiment));
        QCOMPARE(index.blocks().size(), std::size_t{ 2 });
        const HostShare chunks = index.of(1);
        QVERIFY(!chunks.chunker);
        QCOMPARE(chunks.chunker.error().code, Code::LocalDevicesNotContiguous);
        // But its devices hold shards.
        for (std::size_t row = 0; row < index.snapshot().tensors.size(); ++row) {
            const HostArray array = index.array(chunks, row);
            const TensorRow& tensor = index.snapshot().tensors[row];
            QVERIFY(!array.chunk && !array.writer);
            std::set<std::int64_t> held;
            for (const std::int64_t position : { 1, 3, 4, 6 }) // where 4, 5, 6, 7 stand
                held.insert(tensor.layout.shardAt(position));
            QCOMPARE(std::set<std::int64_t>(array.shards.begin(), array.shards.end()), held);
            QCOMPARE(array.bytes, static_cast<std::int64_t>(held.size()) * tensor.bytesPerDevice);
        }
        QVERIFY(chunks.state > 0 && chunks.written == 0);
        QCOMPARE(chunks.devices, (std::vector<std::int32_t>{ 4, 5, 6, 7 }));
    }

    void oneHostHoldsEveryShard()
    {
        // Two axes shard a dimension, which gives no chunk; all devices are of one host.
        Experiment experiment = on("cpu:8", { { "data", 2 }, { "model", 4 } }, OrderMethod::RowMajor);
        experiment.rules.rules = *parseRules("[('wide', ('data', 'model'))]");
        experiment.model = ArraysModel{
            { { "kernel", { LogicalName::of("narrow"), LogicalName::of("wide") }, { 8, 64 }, DType::F32 } }
        };
        const HostIndex index(analysed(experiment));
        QCOMPARE(index.blocks().size(), std::size_t{ 1 });
        const HostArray array = index.array(index.of(0), 0);
        QVERIFY(!array.chunk);
        QCOMPARE(array.shards, (std::vector<std::int64_t>{ 0, 1, 2, 3, 4, 5, 6, 7 }));
        QCOMPARE(array.bytes, 8 * 64 * 4);
    }
};

REGISTER_TEST(TestDeviceOrder)
#include "test_device_order.moc"
