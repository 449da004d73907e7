// SPDX-License-Identifier: GPL-3.0-or-later
// A network, and the program in a text that it is printed as, are one: the same collectives and bytes, the same memory
// of a device, the same bits. So are layers one after the other and as a loop.
#include <QTest>

#include <cstring>

#include "analysis/analysed.h"
#include "experiment_file/gallery.h"
#include "pipeline/planned_memory.h"
#include "pipeline/program_collectives.h"
#include "pipeline/stage_results.h"
#include "propagation/propagate_program.h"
#include "propagation/strategy.h"
#include "registered_test.h"
#include "simulate/run/run.h"
#include "stablehlo/print.h"

using namespace shardscope;

namespace {

Experiment galleryExperiment(std::string_view id)
{
    return findExample(id)->experiment;
}

Experiment smallNotebook(std::string_view id)
{
    Experiment experiment = galleryExperiment(id);
    MlpSettings& settings = std::get<MlpModel>(experiment.model).settings;
    settings.layers = 3;
    settings.embed = 32;
    settings.hidden = 64;
    return experiment;
}

/// The program with the sharding of every value, as the window and `propagate` print it, in an experiment of its own.
Experiment exported(const Experiment& experiment)
{
    const SnapshotPtr snapshot = test::analysed(experiment);
    const Result<Program> ready = prepared(*snapshot->annotated, experiment.propagation);
    const PropagatedProgram done =
        propagateProgram(ready.value(), engineStrategy(experiment.propagation), engineOptions(experiment.propagation));
    ProgramModel model;
    model.text = std::make_shared<const std::string>(printStableHlo(done.program));
    Experiment text = experimentOf(std::move(model), "export").value();
    text.hardware = experiment.hardware;
    text.mesh = experiment.mesh;
    text.propagation = experiment.propagation;
    return text;
}

PlannedMemory memoryOf(const SnapshotPtr& snapshot)
{
    return plannedMemory(*plannedProgram(*snapshot).value());
}

/// What is sent, in order: "all_reduce over model, groups of 4: 24576 bytes, 1 times".
QStringList sentBy(const Snapshot& snapshot)
{
    QStringList lines;
    const auto list = collectivesOf(snapshot);
    if (!list)
        return { QStringLiteral("no list") };
    for (const CollectiveEntry& entry : (*list)->entries)
        lines << QStringLiteral("%1 over %2, groups of %3: %4 bytes, %5 times")
                     .arg(QString::fromStdString(std::string(name(entry.kind))),
                         QString::fromStdString(keyOf(entry, CollectiveKey::Axes)))
                     .arg(entry.groupSize)
                     .arg(entry.sentBytes.value())
                     .arg(entry.times);
    return lines;
}

Rational bytesPerStep(const Snapshot& snapshot)
{
    Rational sum;
    const auto list = collectivesOf(snapshot);
    for (const CollectiveEntry& entry : (*list)->entries)
        sum += entry.sentPerStep();
    return sum;
}

std::unique_ptr<Run> runOf(const Snapshot& snapshot, const std::vector<kernels::Array>& arguments)
{
    RunOptions options;
    options.threads = 2;
    options.initial.arrays = arguments;
    auto run = Run::create(plannedProgram(snapshot).value(), options);
    return run ? std::move(*run) : nullptr;
}

bool sameBytes(const kernels::Arrays& a, const kernels::Arrays& b)
{
    if (a.size() != b.size() || a.empty())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].type != b[i].type
            || std::memcmp(a[i].data(), b[i].data(), static_cast<std::size_t>(a[i].type.byteCount())) != 0)
            return false;
    return true;
}

} // namespace

class TestOwnExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theNotebookAtFullSize()
    {
        const Experiment notebook = galleryExperiment("flax-mlp-logical");
        const SnapshotPtr network = test::analysed(notebook), text = test::analysed(exported(notebook));
        QCOMPARE(bytesPerStep(*network), Rational(8'560'640 + 4));
        QCOMPARE(sentBy(*network).size(), 16);
        QCOMPARE(sentBy(*text), sentBy(*network));
        const PlannedMemory ours = memoryOf(network), theirs = memoryOf(text);
        QCOMPARE(theirs.memory.peakBytes, ours.memory.peakBytes);
        // By owner; values on the way that a network gives no name are buffers there, and activations of a text.
        const auto named = [](const PlannedMemory& memory) {
            std::array<std::int64_t, ownerCount> bytes = memory.memory.atPeak;
            bytes[static_cast<std::size_t>(Owner::Activations)] +=
                std::exchange(bytes[static_cast<std::size_t>(Owner::Buffers)], 0);
            return bytes;
        };
        QCOMPARE(named(theirs), named(ours));
        QVERIFY(ours.memory.peakBytes < (std::int64_t{ 32 } << 20) + 200'000);
    }

    void tenSteps_data()
    {
        QTest::addColumn<QString>("id");
        for (const char* id : { "flax-mlp-logical", "flax-mlp-device" })
            QTest::addRow("%s", id) << QString::fromLatin1(id);
    }
    void tenSteps()
    {
        QFETCH(QString, id);
        const Experiment notebook = smallNotebook(id.toStdString());
        const SnapshotPtr network = test::analysed(notebook), text = test::analysed(exported(notebook));
        QCOMPARE(sentBy(*text), sentBy(*network));
        QCOMPARE(memoryOf(text).memory.peakBytes, memoryOf(network).memory.peakBytes);
        const std::vector<kernels::Array> arguments = InitialArrays(*network->program, { 5 }).all();
        const auto ours = runOf(*network, arguments), theirs = runOf(*text, arguments);
        QVERIFY(ours && theirs);
        for (int step = 0; step < 10; ++step) {
            ours->step();
            theirs->step();
        }
        const std::size_t results = network->program->main().results.size();
        QCOMPARE(text->program->main().results.size(), results);
        for (std::size_t r = 0; r < results; ++r)
            QVERIFY2(sameBytes(ours->shardsOfResult(r), theirs->shardsOfResult(r)),
                qPrintable(QStringLiteral("result %1").arg(r)));
    }

    /// The forward pass as a network, as a text, and as a loop in a text over stacked weights.
    void loops()
    {
        Experiment forward = galleryExperiment("flax-mlp-device");
        MlpSettings& settings = std::get<MlpModel>(forward.model).settings;
        settings.trainStep = false;
        const SnapshotPtr network = test::analysed(forward);
        const SnapshotPtr layers = test::analysed(galleryExperiment("flax-mlp-program"));
        const SnapshotPtr loop = test::analysed(galleryExperiment("flax-mlp-scan-program"));
        QCOMPARE(bytesPerStep(*layers), Rational(98'304));
        QCOMPARE(bytesPerStep(*loop), Rational(98'304));
        QCOMPARE((*collectivesOf(*loop))->entries.size(), std::size_t{ 1 });
        QCOMPARE((*collectivesOf(*loop))->entries[0].times, 4);
        // The weights once, one matrix of them as a slice of the stacked arrays, and little else.
        const std::int64_t mib = std::int64_t{ 1 } << 20, little = mib / 8;
        QVERIFY(memoryOf(layers).memory.peakBytes < 8 * mib + little);
        QVERIFY(memoryOf(loop).memory.peakBytes < 9 * mib + little);

        std::vector<kernels::Array> arguments = InitialArrays(*layers->program, { 5, InitialDefaults::ByUse }).all();
        std::vector<kernels::Array> stacked{ arguments[0] };
        for (const std::size_t first : { 1U, 2U }) {
            kernels::Array all = kernels::Array::make(TensorType{ DType::F32, { 4, 1024, 1024 } });
            for (std::size_t layer = 0; layer < 4; ++layer) {
                const kernels::Array& one = arguments[first + 2 * layer];
                const auto bytes = static_cast<std::size_t>(one.type.byteCount());
                std::memcpy(all.data() + layer * bytes, one.data(), bytes);
            }
            stacked.push_back(std::move(all));
        }
        const auto ours = runOf(*layers, arguments), theirs = runOf(*loop, stacked);
        QVERIFY(ours && theirs);
        ours->step();
        theirs->step();
        QVERIFY(sameBytes(ours->shardsOfResult(0), theirs->shardsOfResult(0)));

        { // takes x last
            QCOMPARE(sentBytes(**collectivesOf(*network)).step, Rational(98'304)); // the loss is a scalar more
            std::rotate(arguments.begin(), arguments.begin() + 1, arguments.end());
            const auto built = runOf(*network, arguments);
            QVERIFY(built);
            built->step();
            const std::size_t output = network->program->main().results.size() - 1;
            QVERIFY(sameBytes(ours->shardsOfResult(0), built->shardsOfResult(output)));
        }
    }
};

REGISTER_TEST(TestOwnExport)
#include "test_own_export.moc"
