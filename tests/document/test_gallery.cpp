// SPDX-License-Identifier: GPL-3.0-or-later
// Every example of the gallery opens, can be analysed without an error, and gives what its document says.
#include <QFile>
#include <QSet>
#include <QTest>

#include <algorithm>

#include "analysis/host_transfers.h"
#include "document/document.h"
#include "experiment/mesh_order.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/gallery.h"
#include "mesh/device_mesh.h"
#include "mesh/device_presets.h"
#include "pipeline/collective_list.h"
#include "pipeline/memory_placement.h"
#include "registered_test.h"
#include "rules/local_chunker.h"
#include "rules/published_rules.h"
#include "rules/t5x_partitioner.h"
#include "sharding/positional_sharding.h"
#include "sharding/sharding_text.h"
#include "sharding/text.h"
#include "words/words.h"

using namespace shardscope;

namespace {

/// What a document says of one array, or what follows from what it says.
struct Stated {
    const char* section;
    const char* example;
    const char* path;
    const char* spec; ///< in the form of columns
    const char* local; ///< shape on one device
};

constexpr Stated stated[] = {
    // Flax: parallel training.
    { "Output's sharding, kernel", "flax-mlp-device", "params/layers.0/W1", "P(-, model)", "1024x256" },
    { "Output's sharding, W2", "flax-mlp-device", "params/layers.0/W2", "P(model, -)", "256x1024" },
    { "input's sharding", "flax-mlp-device", "x", "P(data, -)", "4x1024" },
    { "Logical axis annotation, kernel", "flax-mlp-logical", "params/layers.3/W1", "P(-, model)", "1024x256" },
    { "Logical axis annotation, W2", "flax-mlp-logical", "params/layers.3/W2", "P(model, -)", "256x1024" },
    { "Logical axis annotation, no rule for layer", "flax-mlp-scan", "params/layers/W1", "P(-, -, model)",
        "4x1024x256" },
    { "Logical axis annotation, no rule for layer", "flax-mlp-scan", "params/layers/W2", "P(-, model, -)",
        "4x256x1024" },
    { "input's sharding", "flax-mlp-scan", "x", "P(data, -)", "4x1024" },
    // flax.linen.spmd.
    { "logical_to_mesh_axes, its example", "rule-lab", "array", "P(X, -, Y, -)", "4x128x2x64" },
    { "_logical_to_mesh_axes: a dimension is set once", "rule-lab-null", "mlp/wi/kernel", "P(-, model)", "1024x1024" },
    { "_logical_to_mesh_axes: a dimension is set once", "rule-lab-null", "norm/scale", "P(-)", "1024" },
    { "_mesh_assignment_free: all of a tuple or none", "rule-lab-tuple", "mlp/wi/kernel",
        "P((fsdp, fsdp_transpose), -)", "256x4096" },
    { "_mesh_assignment_free", "rule-lab-tuple", "attention/query/kernel", "P((fsdp, fsdp_transpose), tensor, -)",
        "256x8x64" },
    { "set_logical_axis_rules, logical_axis_rules", "rule-lab-parts", "encoder/x", "P(data, -)", "8x64" },
    { "logical_axis_rules: outside", "rule-lab-parts", "encoder/layer_0/wi", "P(-, model)", "64x64" },
    { "logical_axis_rules: replaced, not merged", "rule-lab-parts", "decoder/x", "P(-, data)", "16x32" },
    { "logical_axis_rules: inside", "rule-lab-parts", "decoder/layer_0/wi", "P(data, model)", "32x64" },
    { "logical_axis_rules: inside that", "rule-lab-parts", "decoder/layer_1/wi", "P(-, (data, model))", "64x32" },
    // Penzai.
    { "Positional shardings, [33]", "penzai-positional", "ones16", "P((x, y, z))", "2" },
    { "Positional shardings, [35]", "penzai-positional", "reshape_4_2", "P((x, y), z)", "2x4" },
    { "Positional shardings, [37]", "penzai-positional", "reshape_2_4_replicate_0", "P(-, (y, z))", "8x2" },
    { "Positional shardings, [39]", "penzai-positional", "replicate_0", "P(-, -)", "8x8" },
    { "Meshes and named shardings, [41]", "penzai-named-sharding", "foo_bar", "P(foo, bar)", "2x4" },
    { "Meshes and named shardings, [42]", "penzai-named-sharding", "both", "P(-, (bar, foo), -)", "8x1x8" },
    { "Meshes and named shardings, [43]", "penzai-named-sharding", "foo_alone", "P(foo)", "2" },
    { "Automatically building shardings, [53]", "penzai-name-to-name", "one", "P(bar, foo, -)", "2x2x6" },
    { "Automatically building shardings, [53]", "penzai-name-to-name", "two", "P(bar)", "4" },
    { "Automatically building shardings, [53]", "penzai-name-to-name", "three", "P(foo, -)", "1x12" },
    { "Automatically building shardings, [56]", "penzai-matching-names", "one", "P(a, b, -)", "2x2x6" },
    { "Automatically building shardings, [56]", "penzai-matching-names", "two", "P(a)", "4" },
    { "Automatically building shardings, [56]", "penzai-matching-names", "three", "P(b, -)", "1x12" },
    { "Sharding Parameter Initializers, [58]", "penzai-tiny-transformer", "embedder/embeddings", "P(-, devices)",
        "100x8" },
    { "Sharding Parameter Initializers, [58]", "penzai-tiny-transformer", "blocks/1/attention/output/kernel",
        "P(-, -, devices)", "2x16x8" },
    { "Sharding Model Training and Inference, [60]", "penzai-tiny-transformer", "tokens", "P(devices, -)", "2x20" },
    { "Sharding Model Training and Inference, [62]", "penzai-transformer", "decoder/logits", "P(devices, -, -)",
        "2x20x100" },
    { "Adding Sharding Constraints to Models, [64]", "penzai-transformer", "decoder/layers.1/constraint",
        "P(devices, -, -)", "2x20x64" },
    // T5X.
    { "standard_logical_axis_rules(1, 1)", "t5x-a1p1", "encoder/token_embedder/embedding", "P(model, -)", "8032x768" },
    { "standard_logical_axis_rules(2, 1)", "t5x-a2p1", "encoder/layers_0/pre_mlp_layer_norm/scale", "P(model)", "192" },
    { "standard_logical_axis_rules, additional_rules", "t5x-additional-rules", "layers_0/mlp/wi/kernel", "P(-, model)",
        "768x512" },
    { "standard_logical_axis_rules, additional_rules", "t5x-additional-rules", "layers_0/experts/wi/kernel",
        "P(-, model)", "768x512" },
    { "PjitPartitioner: ici [2, 3, 4]", "t5x-replica-data-model", "batch/tokens", "P((replica, data), -)", "16x512" },
    { "get_shard_id: four hosts", "t5x-hosts", "batch/tokens", "P((replica, data), -)", "8x512" },
    // JAX.
    { "Data Sharding, [6]", "jax-data-sharding", "arr", "P(x, y)", "2x2" },
    { "Automatic Parallelism with JIT, [9]", "jax-data-sharding", "f_contract", "P(y)", "2" },
    { "Semi-automated sharding with constraints, [12]", "jax-data-sharding", "f_contract_2", "P(x)", "4" },
    { "Data Sharding, [7]", "jax-memory-kinds", "arr_host", "P(x, y)", "2x2" },
    { "Data Sharding, [7]", "jax-memory-kinds", "arr_dev", "P(x, y)", "2x2" },
    { "Sharding transformation between memory types, [10]", "jax-memory-transfer", "0", "P(x, y)", "2x2" },
    { "Sharding transformation between memory types, [11]", "jax-memory-transfer", "1", "P(x, y)", "2x2" },
    { "Manual parallelism with shard_map, [14]", "jax-shard-map", "x", "P(x)", "4" },
    { "Manual parallelism with shard_map, [15]", "jax-shard-map", "local_sums", "P(x)", "1" },
    { "Manual parallelism with shard_map, [16]", "jax-shard-map", "psum", "P()", "" },
    { "Comparing the three approaches, [19]", "jax-layer", "x", "P(x)", "4" },
    { "Comparing the three approaches, [19]", "jax-layer", "weights", "P(x, -)", "4x4" },
    { "Comparing the three approaches, [21]", "jax-layer", "bias", "P(-)", "4" },
    // Programs in StableHLO's text; paths are the numbers of the text.
    { "Automatic Parallelism with JIT, [8]", "jax-elementwise", "4", "P(x, y)", "2x2" },
    { "Automatic Parallelism with JIT, [9]", "jax-contraction", "0", "P(y)", "2" },
    { "Semi-automated sharding with constraints, [12]", "jax-constrained-contraction", "1", "P(x)", "4" },
    { "Manual parallelism with shard_map, [13]", "jax-shard-map-program", "0#0", "P(x)", "4" },
    { "Manual parallelism with shard_map, [14]", "jax-shard-map-program", "0#1", "P(x)", "4" },
    { "Manual parallelism with shard_map, [15]", "jax-shard-map-program", "0#2", "P(x)", "1" },
    { "Manual parallelism with shard_map, [16]", "jax-shard-map-program", "0#3", "P()", "" },
    { "Comparing the three approaches, [19]", "jax-layer-program", "arg1", "P(x, -)", "4x4" },
    { "Comparing the three approaches, [19]", "jax-layer-program", "2", "P(-)", "4" },
    { "Comparing the three approaches, [20]", "jax-layer-auto", "arg0", "P(x)", "4" },
    { "Comparing the three approaches, [20]", "jax-layer-auto", "arg1", "P(x, -)", "4x4" },
    { "Comparing the three approaches, [21]", "jax-layer-manual", "arg0", "P(x)", "4" },
    { "Comparing the three approaches, [21]", "jax-layer-manual", "0", "P(-)", "4" },
    { "Device annotation, y", "flax-mlp-program", "yc0", "P(data, model)", "4x256" },
    { "Device annotation, z", "flax-mlp-program", "zc0", "P(data, -)", "4x1024" },
    { "Device annotation, input", "flax-mlp-program", "arg0", "P(data, -)", "4x1024" },
    { "Device annotation, kernel", "flax-mlp-program", "arg7", "P(-, model)", "1024x256" },
    { "Device annotation, scanned", "flax-mlp-scan-program", "arg1", "P(-, -, model)", "4x1024x256" },
    // Transformers.
    { "a1p2: heads over model, embed over data", "transformer-t5x",
        "params/decoder/layers.0/self_attention/query/kernel", "P(data, model, -)", "32x2x8" },
    { "a1p2: vocab over model, embed over data", "transformer-t5x", "params/token_embedder/embedding", "P(model, data)",
        "64x32" },
    { "a1p2: batch over data", "transformer-t5x", "tokens", "P(data, -)", "4x32" },
    { "experts over expert, mlp over model", "transformer-experts", "params/decoder/layers.1/mlp/experts/wi_0/kernel",
        "P(expert, -, model)", "2x64x64" },
    { "batch over expert and data", "transformer-experts", "tokens", "P((expert, data), -)", "2x16" },
    // Rules of real projects.
    { "fsdp 4, tensor 8", "maxtext-llama3-8b", "decoder/layers/self_attention/query/kernel", "P(fsdp, -, tensor, -)",
        "1024x32x4x128" },
    { "2 heads are fewer than 4 devices", "trap-indivisible", "attention/key/kernel", "P(data, -, -)", "384x2x64" },
    { "50,257 is odd", "trap-indivisible", "embedding", "P(-, data)", "50257x384" },
};

/// What standard_logical_axis_rules does to a kernel and to an activation of T5 Base, by its two arguments.
struct StandardRules {
    int activations, parameters;
    const char *kernel, *localKernel;
    const char *activation, *localActivation;
};

constexpr StandardRules standardRules[] = {
    { 1, 1, "P(-, model)", "768x512", "P(data, -, -)", "64x512x768" },
    { 2, 1, "P(-, model)", "768x512", "P(data, -, model)", "64x512x192" },
    { 1, 2, "P(data, model)", "384x512", "P(data, -, -)", "64x512x768" },
    { 2, 2, "P(data, model)", "384x512", "P(data, -, model)", "64x512x192" },
};

QString shapeText(const Shape& shape)
{
    QStringList sizes;
    for (const std::int64_t size : shape)
        sizes << QString::number(size);
    return sizes.join(QLatin1Char('x'));
}

Experiment exampleOf(std::string_view id)
{
    const GalleryExample* found = findExample(id);
    if (!found)
        qFatal("no such example");
    return found->experiment;
}

SnapshotPtr analysed(std::string_view id)
{
    AnalysisCache cache;
    return analyse(std::make_shared<const Experiment>(exampleOf(id)), 1, cache);
}

} // namespace

class TestGallery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyExampleIsInAGroup()
    {
        QSet<QString> ids;
        for (const GalleryExample& each : gallery()) {
            const QString id = QString::fromUtf8(each.id.data(), static_cast<qsizetype>(each.id.size()));
            QVERIFY2(!ids.contains(id), qPrintable(id));
            ids << id;
            QVERIFY(std::any_of(exampleGroups().begin(), exampleGroups().end(),
                [&](const ExampleGroup& group) { return group.id == each.group; }));
            QVERIFY2(each.question.ends_with('?'), qPrintable(id));
            QVERIFY2(!each.experiment.title.empty() && !each.experiment.notes.empty(), qPrintable(id));
            QCOMPARE(findExample(each.id), &each);
        }
        QCOMPARE(gallery().size(), resources::exampleFiles().size()); // none is forgotten
        for (const ExampleGroup& group : exampleGroups())
            QVERIFY(std::any_of(gallery().begin(), gallery().end(),
                [&](const GalleryExample& each) { return each.group == group.id; }));
        QVERIFY(!findExample("nothing"));
    }

    void everyExampleOpens_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < gallery().size(); ++i)
            QTest::newRow(std::string(gallery()[i].id).c_str()) << static_cast<int>(i);
    }
    void everyExampleOpens()
    {
        QFETCH(int, index);
        const GalleryExample& each = gallery()[static_cast<std::size_t>(index)];
        // The file is as the program itself writes it, and nothing in it is passed over.
        const auto read = readExperiment(each.text);
        QVERIFY(read.has_value());
        QVERIFY(read->warnings.empty());
        QCOMPARE(QString::fromStdString(writeExperiment(read->experiment)),
            QString::fromUtf8(each.text.data(), static_cast<qsizetype>(each.text.size())));

        Document document;
        const QString path = QStringLiteral(SHARDSCOPE_SOURCE_DIR "/resources/examples/%1.json")
                                 .arg(QString::fromUtf8(each.id.data(), static_cast<qsizetype>(each.id.size())));
        QVERIFY(document.open(path).empty());
        QVERIFY(*document.experiment() == each.experiment);
        document.waitForAnalysis();
        const SnapshotPtr snapshot = document.snapshot();
        for (const Problem& problem : snapshot->problems)
            QVERIFY2(problem.diagnostic.severity() != Severity::Error,
                qPrintable(words::describe(problem.diagnostic).cause));
        QVERIFY(snapshot->laidOut());
        QVERIFY(snapshot->ok()); // whatever its program is made of
    }

    void itGivesWhatTheDocumentSays_data()
    {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Stated& row : stated)
            QTest::addRow("%s: %s, %s", row.example, row.path, row.section) << index++;
    }
    void itGivesWhatTheDocumentSays()
    {
        QFETCH(int, index);
        const Stated& row = stated[index];
        const SnapshotPtr snapshot = analysed(row.example);
        const TensorRow* tensor = snapshot->row(row.path);
        QVERIFY(tensor);
        QCOMPARE(QString::fromStdString(toColumn(tensor->spec)), QString::fromLatin1(row.spec));
        QCOMPARE(shapeText(tensor->layout.shardShape()), QString::fromLatin1(row.local));
    }

    /// The Flax notebook compares the shardings of both forms of its model and prints True.
    void bothFormsOfTheFlaxModelAreEqual()
    {
        const SnapshotPtr device = analysed("flax-mlp-device");
        const SnapshotPtr logical = analysed("flax-mlp-logical");
        QCOMPARE(device->tensors.size(), logical->tensors.size());
        for (std::size_t i = 0; i < device->tensors.size(); ++i) {
            QCOMPARE(device->tensors[i].path, logical->tensors[i].path);
            QVERIFY2(device->tensors[i].spec == logical->tensors[i].spec, device->tensors[i].path.c_str());
        }
    }

    /// The grids of the Penzai notebook: each cell's devices.
    void positionalGrids()
    {
        const SnapshotPtr snapshot = analysed("penzai-positional");
        const auto plain = PositionalSharding::create({ 0, 1, 2, 3, 4, 5, 6, 7 }, { 8 });
        QVERIFY(plain.has_value());
        const auto check = [&](const char* path, const Result<PositionalSharding>& sharding) {
            QVERIFY(sharding.has_value());
            const Layout& layout = snapshot->row(path)->layout;
            const auto expected = layoutOf(*sharding, layout.shape());
            QVERIFY(expected.has_value());
            QVERIFY2(layout.replicaGroups() == expected->replicaGroups(), path);
            QVERIFY2(layout.shardGrid() == expected->shardGrid(), path);
        };
        check("ones16", *plain);
        const std::int64_t fourByTwo[] = { 4, 2 }, twoByFour[] = { 2, 4 };
        check("reshape_4_2", plain->reshape(fourByTwo));
        check("reshape_2_4_replicate_0", plain->reshape(twoByFour)->replicate(std::vector<std::int64_t>{ 0 }));
        check("replicate_0", plain->replicate());
    }

    /// Every parameter of the small transformer is cut 8 ways along embedding, and along nothing else.
    void everyParameterIsCutAlongEmbedding()
    {
        const Experiment experiment = exampleOf("penzai-tiny-transformer");
        const SnapshotPtr snapshot = analysed("penzai-tiny-transformer");
        for (const NamedArraySetting& array : std::get<ArraysModel>(experiment.model).arrays) {
            Shape expected = array.shape;
            for (std::size_t i = 0; i < expected.size(); ++i)
                if (array.names[i].name == "embedding" || array.names[i].name == "batch")
                    expected[i] /= 8;
            QVERIFY2(snapshot->row(array.path)->layout.shardShape() == expected, array.path.c_str());
            QCOMPARE(snapshot->row(array.path)->copies, 1);
        }
    }

    void rulesOfT5x()
    {
        for (const StandardRules& each : standardRules) {
            const std::string id = "t5x-a" + std::to_string(each.activations) + "p" + std::to_string(each.parameters);
            QVERIFY2(exampleOf(id).rules.rules == *t5xStandardRules(each.activations, each.parameters, {}), id.c_str());
            QVERIFY2(exampleOf(id).rules.rules == findPublishedRules(id)->rules, id.c_str());
            const SnapshotPtr snapshot = analysed(id);
            const auto says = [&](const char* path, const char* spec, const char* local) {
                const TensorRow* row = snapshot->row(path);
                return row && toColumn(row->spec) == spec
                    && shapeText(row->layout.shardShape()) == QString::fromLatin1(local);
            };
            QVERIFY2(says("encoder/layers_0/mlp/wi_0/kernel", each.kernel, each.localKernel), id.c_str());
            QVERIFY2(says("activations/layer_input", each.activation, each.localActivation), id.c_str());
        }
        const LogicalRules additional{ { { LogicalName::of("embed"), SpecEntry::axis("data") },
            { LogicalName::of("expert_mlp"), SpecEntry::axis("model") } } };
        QVERIFY(exampleOf("t5x-additional-rules").rules.rules == *t5xStandardRules(1, 1, additional));
        const auto hybrid = hybridRules(*t5xStandardRules(1, 1, {}));
        QVERIFY(exampleOf("t5x-replica-data-model").rules.rules == *hybrid);
        QVERIFY(exampleOf("t5x-hosts").rules.rules == *hybrid);
        // ici_mesh_shape [2, 3, 4]: 24 devices, and the batch in six parts.
        const SnapshotPtr slices = analysed("t5x-replica-data-model");
        QCOMPARE(slices->mesh->deviceCount(), 24);
        QCOMPARE(slices->row("batch/tokens")->layout.distinctShards(), 6);
    }

    /// "For host (replica 0, data 1) we assign shard 1", and so on.
    void hostsAndTheirShards()
    {
        const Experiment experiment = exampleOf("t5x-hosts");
        const auto mesh = makeMesh(experiment.hardware.devices, experiment.mesh);
        QVERIFY(mesh.has_value());
        QCOMPARE(experiment.hardware.devices.hosts, 4);
        std::vector<std::int32_t> hosts;
        for (std::int32_t device = 0; device < 16; ++device)
            hosts.push_back(device / experiment.hardware.devices.devicesPerHost);
        const std::vector<std::string> axes{ "replica", "data" };
        for (std::int32_t host = 0; host < 4; ++host) {
            const auto chunker = LocalChunker::create(*mesh, hosts, host);
            QVERIFY(chunker.has_value());
            QCOMPARE(chunker->chunkId(0), host / 2);
            QCOMPARE(chunker->chunkId(1), host % 2);
            QCOMPARE(*chunker->shardId(axes), host);
        }
    }

    /// The order of the devices is that of jax.make_mesh on the notebook's eight TPU cores.
    void devicesOfTheJaxNotebook()
    {
        const auto set = parseDevices("tpu-v3:2x2");
        QVERIFY(set.has_value());
        const DeviceList list(*set);
        QCOMPARE(set->count(), 8);
        for (const char* id : { "jax-data-sharding", "jax-memory-kinds", "jax-memory-transfer", "jax-elementwise",
                 "jax-contraction", "jax-constrained-contraction", "jax-shard-map", "jax-shard-map-program",
                 "jax-layer", "jax-layer-program", "jax-layer-auto", "jax-layer-manual" }) {
            const Experiment experiment = exampleOf(id);
            MeshShape shape;
            std::vector<std::string> names;
            for (const MeshAxis& axis : experiment.mesh.axes) {
                shape.push_back(axis.size);
                names.push_back(axis.name);
            }
            const auto array = makeMesh(shape, names, list);
            QVERIFY(array.has_value());
            QVERIFY2(array->ids == experiment.mesh.deviceOrder, id);
        }
    }

    /// [7], [10] and [11] print the memory kinds of arrays and of what two functions return.
    void memoriesOfTheJaxNotebook()
    {
        const SnapshotPtr arrays = analysed("jax-memory-kinds");
        const std::string& platform = arrays->experiment->hardware.devices.platform;
        const auto kind = [&](const Snapshot& snapshot, const char* path) {
            return std::string(toString(snapshot.row(path)->memoryKind.value_or(defaultMemoryKind(platform))));
        };
        QCOMPARE(kind(*arrays, "arr_host"), std::string("pinned_host"));
        QCOMPARE(kind(*arrays, "arr_dev"), std::string("device"));
        const auto sharding = [&](const char* path) {
            const TensorRow* row = arrays->row(path);
            return Sharding(NamedSharding{ arrays->mesh, row->spec, *parseMemoryKind(kind(*arrays, path)) });
        };
        // [5] prints the one on devices.
        QCOMPARE(toJax(sharding("arr_dev")),
            std::string("NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=PartitionSpec('x', 'y'), memory_kind=device)"));
        QVERIFY(!(sharding("arr_dev") == sharding("arr_host")));
        QVERIFY(withMemoryKind(sharding("arr_host"), MemoryKind::Device) == sharding("arr_dev"));
        QVERIFY(arrays->row("arr_host")->layout.replicaGroups() == arrays->row("arr_dev")->layout.replicaGroups());

        const SnapshotPtr functions = analysed("jax-memory-transfer");
        QCOMPARE(kind(*functions, "arg0"), std::string("pinned_host"));
        QCOMPARE(kind(*functions, "0"), std::string("device")); // out_dev
        QCOMPARE(kind(*functions, "arg1"), std::string("device"));
        QCOMPARE(kind(*functions, "1"), std::string("pinned_host")); // out_host
        // 4 x 8 f32 in eight parts: each device copies its own.
        const HostTransfers transfers = hostTransfers(*functions);
        QCOMPARE(transfers.list.size(), std::size_t{ 2 });
        QVERIFY(transfers.toDevices == (MemoryTransfer{ 16, 128 }));
        QVERIFY(transfers.toHost == (MemoryTransfer{ 16, 128 }));
        const Result<std::shared_ptr<const CollectiveList>> sent = collectivesOf(*functions);
        QVERIFY(sent && (*sent)->entries.empty());
    }

    void rulesOfMaxText()
    {
        QVERIFY(exampleOf("maxtext-llama3-8b").rules.rules == findPublishedRules("maxtext-base-2023-06")->rules);
        const SnapshotPtr trap = analysed("trap-indivisible");
        const auto silently = std::count_if(trap->problems.begin(), trap->problems.end(),
            [](const Problem& problem) { return problem.diagnostic.id() == "W201"; });
        QVERIFY(silently > 0);
    }
};

REGISTER_TEST(TestGallery)
#include "test_gallery.moc"
