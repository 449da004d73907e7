// SPDX-License-Identifier: GPL-3.0-or-later
// Tables, the report and the JAX code of an experiment say what its analysis says.
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "analysis/analyse.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "interchange/csv_text.h"
#include "interchange/maxtext_config.h"
#include "pipeline/collective_list.h"
#include "pipeline/planned_memory.h"
#include "registered_test.h"
#include "report/experiment_report.h"
#include "report/exports.h"
#include "report/jax_code.h"
#include "report/maxtext_code.h"
#include "report/python_code.h"
#include "report/report_table.h"
#include "sharding/text.h"
#include "shared_facts.h"

using namespace shardscope;

namespace {

SnapshotPtr analysed(std::string_view example)
{
    AnalysisCache cache;
    return analyse(std::make_shared<const Experiment>(findExample(example)->experiment), 1, cache);
}

std::vector<std::vector<std::string>> readBack(const std::string& csv)
{
    std::vector<std::vector<std::string>> rows;
    CsvReader reader(csv);
    for (;;) {
        const Result<CsvRecord> record = reader.next();
        if (!record)
            qFatal("the table is no CSV");
        if (record->empty())
            break;
        std::vector<std::string>& row = rows.emplace_back();
        for (const CsvField& field : *record)
            row.push_back(field.text);
    }
    return rows;
}

std::size_t columnOf(const ReportTable& table, std::string_view key)
{
    const auto found = std::find_if(
        table.columns.begin(), table.columns.end(), [key](const ReportColumn& column) { return column.key == key; });
    return static_cast<std::size_t>(found - table.columns.begin());
}

/// "P('data', None)": what the code has for an argument, in a line of its own or in that of its layers; "" for nothing.
std::string specInCode(const std::string& code, const std::string& path)
{
    const std::string sharding = "NamedSharding(mesh, ";
    const auto specOf = [&](const std::string& line) {
        const std::size_t begin = line.find(sharding) + sharding.size();
        const std::size_t end =
            std::min({ line.find(", memory_kind", begin), line.find(") for i in", begin), line.rfind("),") });
        return line.substr(begin, end - begin);
    };
    const std::string own = "    \"" + path + "\": " + sharding;
    if (const std::size_t at = code.find(own); at != std::string::npos)
        return specOf(code.substr(at, code.find('\n', at) - at));
    static const QRegularExpression layer(QStringLiteral("\\.(\\d+)(?=/|$)"));
    const QRegularExpressionMatch found = layer.match(QString::fromStdString(path));
    if (!found.hasMatch())
        return {};
    const std::string key = "    **{f\"" + path.substr(0, static_cast<std::size_t>(found.capturedStart(1))) + "{i}"
        + path.substr(static_cast<std::size_t>(found.capturedEnd(1))) + "\": " + sharding;
    for (std::size_t at = code.find(key); at != std::string::npos; at = code.find(key, at + 1)) {
        const std::string line = code.substr(at, code.find('\n', at) - at);
        const std::string range = line.substr(line.rfind("range(") + 6);
        const std::size_t comma = range.find(", ");
        const bool isFrom = comma < range.find(')');
        const int first = isFrom ? std::stoi(range) : 0, end = std::stoi(isFrom ? range.substr(comma + 2) : range);
        if (const int number = found.captured(1).toInt(); first <= number && number < end)
            return specOf(line);
    }
    return {};
}

} // namespace

class ReportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tablesAreReadBack_data()
    {
        QTest::addColumn<QString>("example");
        for (const GalleryExample& each : gallery())
            QTest::newRow(std::string(each.id).c_str()) << QString::fromStdString(std::string(each.id));
    }
    void tablesAreReadBack()
    {
        QFETCH(QString, example);
        const SnapshotPtr snapshot = analysed(example.toStdString());
        for (std::size_t i = 0; i < reportSubjectNames().size(); ++i) {
            const ReportTable table = reportTable(*snapshot, static_cast<ReportSubject>(i));
            const auto rows = readBack(toCsv(table));
            QCOMPARE(rows.size(), table.rows.size() + 1);
            for (std::size_t r = 0; r < table.rows.size(); ++r) {
                QCOMPARE(table.rows[r].size(), table.columns.size());
                QCOMPARE(rows[r + 1].size(), table.columns.size());
                for (std::size_t c = 0; c < table.columns.size(); ++c)
                    QCOMPARE(rows[r + 1][c], table.rows[r][c].value);
            }
            // One line per row, a head and the dashes; every line has as many dividers as any other.
            QStringList lines = toMarkdown(table).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
            if (table.rows.empty()) {
                QCOMPARE(lines.size(), 1);
                continue;
            }
            QCOMPARE(lines.size(), static_cast<qsizetype>(table.rows.size() + 2));
            const auto shown = std::count_if(table.columns.begin(), table.columns.end(),
                [](const ReportColumn& column) { return !column.title.isEmpty(); });
            for (QString& line : lines)
                QCOMPARE(line.remove(QStringLiteral("\\|")).count(QLatin1Char('|')), shown + 1);
            // As plain text every cell stands below its heading.
            const QStringList plain = toText(table).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
            QCOMPARE(plain.size(), static_cast<qsizetype>(table.rows.size() + 1));
            qsizetype begin = 0;
            for (std::size_t c = 0; c < table.columns.size(); ++c) {
                if (table.columns[c].title.isEmpty())
                    continue;
                qsizetype width = table.columns[c].title.size();
                for (const auto& row : table.rows)
                    width = std::max(width, row[c].shown.size());
                QCOMPARE(plain.front().mid(begin, width).trimmed(), table.columns[c].title);
                for (std::size_t r = 0; r < table.rows.size(); ++r)
                    QCOMPARE(plain[static_cast<qsizetype>(r + 1)].mid(begin, width).trimmed(),
                        table.rows[r][c].shown.trimmed());
                begin += width + 2;
            }
        }
    }

    /// A line break in a cell ends no line of the table, and what divides cells of Markdown no cell.
    void cellsStayOnOneLine()
    {
        const ReportTable table{ QStringLiteral("T"),
            { { "a", QStringLiteral("A") }, { "hidden", {} }, { "b", QStringLiteral("B"), true } },
            { { { "x", QStringLiteral("x\ny|z") }, { "h", QStringLiteral("h") }, { "12", QStringLiteral("12") } } } };
        QCOMPARE(toText(table), QStringLiteral("A       B\nx y|z  12\n"));
        QCOMPARE(toMarkdown(table), QStringLiteral("| A | B |\n| --- | --: |\n| x y\\|z | 12 |\n"));
    }

    void numbersAreThoseOfTheAnalysis()
    {
        const SnapshotPtr snapshot = analysed("flax-mlp-logical");
        const ReportTable tensors = reportTable(*snapshot, ReportSubject::Tensors);
        std::int64_t bytes = 0, expected = 0;
        for (const auto& row : tensors.rows)
            bytes += std::stoll(row[columnOf(tensors, "bytes_per_device")].value);
        for (const TensorRow& row : snapshot->tensors)
            expected += row.bytesPerDevice;
        QCOMPARE(bytes, expected);

        const ReportTable collectives = reportTable(*snapshot, ReportSubject::Collectives);
        std::int64_t sent = 0;
        for (const auto& row : collectives.rows)
            sent += std::stoll(row[columnOf(collectives, "sent_bytes_per_step")].value);
        // Of the notebook's step: without the scalar loss 8,560,640, which costs 4 more for the sum over "data".
        QCOMPARE(sent, 8'560'640 + 4);

        const ReportTable memory = reportTable(*snapshot, ReportSubject::Memory);
        std::int64_t parts = 0;
        for (std::size_t i = 0; i + 1 < memory.rows.size(); ++i)
            parts += std::stoll(memory.rows[i][1].value);
        QCOMPARE(std::to_string(parts), memory.rows.back()[1].value);
    }

    /// Every argument with a path and a spec stands in the code, and its spec reads back as one that shards as the one
    /// that it has: the same but for axes of size 1 and tuples of one.
    void codeHasTheSpecs_data() { tablesAreReadBack_data(); }
    void codeHasTheSpecs()
    {
        QFETCH(QString, example);
        const SnapshotPtr snapshot = analysed(example.toStdString());
        const std::string code = jaxCode(*snapshot);
        if (!snapshot->annotations)
            return;
        for (const ResolvedAnnotation& annotation : snapshot->annotations->arguments) {
            const Value& value = snapshot->program->value(annotation.value);
            if (!annotation.spec || value.path.empty())
                continue;
            const std::string spec = specInCode(code, *value.path);
            QVERIFY2(!spec.empty(), value.path->c_str());
            const auto read = parseSpec(spec);
            QVERIFY2(read, spec.c_str());
            const Mesh& mesh = *snapshot->mesh;
            QCOMPARE(toHlo(*read, mesh, read->size()), toHlo(*annotation.spec, mesh, annotation.spec->size()));
            QCOMPARE(toJax(canonical(*read)), toJax(*read));
            for (const SpecEntry& entry : read->entries)
                for (const std::string& axis : entry.axes)
                    QVERIFY(std::any_of(mesh.axes().begin(), mesh.axes().end(),
                        [&axis](const MeshAxis& each) { return each.name == axis && each.size > 1; }));
        }
    }

    /// Layers that are alike are one line; of two each has its own.
    void layersInCode()
    {
        Experiment experiment = findExample("flax-mlp-logical")->experiment;
        AnalysisCache cache;
        const auto codeOf = [&cache](const Experiment& of) {
            return jaxCode(*analyse(std::make_shared<const Experiment>(of), 1, cache));
        };
        const std::string four = codeOf(experiment);
        QVERIFY2(
            four.find("    **{f\"params/layers.{i}/W1\": NamedSharding(mesh, P(None, 'model')) for i in range(4)},\n")
                != std::string::npos,
            four.c_str());
        QVERIFY(four.find("layers.0/W1") == std::string::npos);
        std::get<MlpModel>(experiment.model).settings.layers = 2;
        const std::string two = codeOf(experiment);
        QVERIFY(two.find("**{") == std::string::npos);
        QVERIFY(two.find("    \"params/layers.1/W1\": NamedSharding(mesh, P(None, 'model')),\n") != std::string::npos);
    }

    void meshesInCode()
    {
        Experiment experiment = findExample("flax-mlp-logical")->experiment;
        AnalysisCache cache;
        const auto codeOf = [&cache](Experiment of) {
            return jaxCode(*analyse(std::make_shared<const Experiment>(std::move(of)), 1, cache));
        };
        const std::string plain = codeOf(experiment);
        QVERIFY(plain.find("mesh = jax.make_mesh((2, 4), (\"data\", \"model\"), axis_types=(AxisType.Auto,) * 2)")
            != std::string::npos);
        QVERIFY(plain.find("\nrules = (\n    ('batch', 'data'),\n    ('hidden', 'model'),\n)\n") != std::string::npos);
        QVERIFY(plain.find("numpy") == std::string::npos);
        experiment.mesh.deviceOrder = { 0, 2, 4, 6, 1, 3, 5, 7 };
        const std::string ordered = codeOf(experiment);
        QVERIFY(ordered.find("import numpy as np") != std::string::npos);
        QVERIFY(ordered.find("for i in (0, 2, 4, 6, 1, 3, 5, 7,)") != std::string::npos);
        QVERIFY(ordered.find("reshape((2, 4))") != std::string::npos);
    }

    /// A name that a text has with escapes in it: neither a string nor a comment ends within it.
    void namesInCode()
    {
        using namespace std::string_view_literals;
        QCOMPARE(quotedPython("a\"b\\c"), std::string("\"a\\\"b\\\\c\""));
        QCOMPARE(quotedPython("a\r\n\0"sv), std::string(R"("a\x0d\n\x00")"));
        QCOMPARE(quotedPython("größe"), std::string("\"größe\""));
        QCOMPARE(pythonComment("x\rimport os"), std::string("  # x import os"));
    }

    /// Rules that decide nothing, axes of size 1 and tuples of one axis are left out, and that is said.
    void codeIsShort()
    {
        Experiment experiment = findExample("flax-mlp-logical")->experiment;
        experiment.mesh.axes = { { "pod", 1 }, { "data", 2 }, { "model", 4 } };
        experiment.rules.rules.list = {
            { LogicalName::of("batch"), SpecEntry::tuple({ "pod", "data" }) },
            { LogicalName::of("nobody"), SpecEntry::axis("model") },
            { LogicalName::of("hidden"), SpecEntry::tuple({ "model" }) },
        };
        AnalysisCache cache;
        const std::string code = jaxCode(*analyse(std::make_shared<const Experiment>(experiment), 1, cache));
        const auto has = [&code](const char* text) { return code.find(text) != std::string::npos; };
        QVERIFY(has("jax.make_mesh((1, 2, 4), (\"pod\", \"data\", \"model\")"));
        QVERIFY(has("# shardings below leave out mesh axes of size 1, which shard nothing: pod\n"));
        QVERIFY(has("# 1 of 3 rules, which decide nothing here, are left out\n"
                    "rules = (\n    ('batch', ('pod', 'data')),\n    ('hidden', ('model',)),\n)\n"));
        QVERIFY(has("\"x\": NamedSharding(mesh, P('data', None)),"));
        QVERIFY(has("f\"params/layers.{i}/W1\": NamedSharding(mesh, P(None, 'model')) for i in range(4)},"));
        QVERIFY(!has("UNCONSTRAINED"));

        // Rules of a part of the model stand beside the others.
        experiment.rules.inner = { { "layers.1",
            LogicalRules{ { { LogicalName::of("hidden"), SpecEntry::axis("data") } } } } };
        const std::string parts = jaxCode(*analyse(std::make_shared<const Experiment>(experiment), 1, cache));
        QVERIFY2(parts.find("layers.1, in place of the others\ninner_rules_1 = (\n    ('hidden', 'data'),\n)\n")
                != std::string::npos,
            parts.c_str());
    }

    /// JAX takes what is written: parts of axes are axes of the mesh, and where shards would be of unequal sizes a
    /// comment says so.
    void codeIsForJax()
    {
        const auto codeOf = [](const char* text) {
            const auto experiment = experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text) }, "text");
            AnalysisCache cache;
            return experiment ? jaxCode(*analyse(std::make_shared<const Experiment>(*experiment), 1, cache))
                              : std::string();
        };
        const std::string parts = codeOf(R"(sdy.mesh @m = <["x"=8, "y"=2, "z"=3]>
func.func @main(%a: tensor<16x16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2}, {"x":(4)2, "y"}, {"z"}]>}) -> (tensor<16x16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {}, {}]>}) {
  %0 = stablehlo.negate %a : tensor<16x16x3xf32>
  return %0 : tensor<16x16x3xf32>
})");
        const auto has = [](const std::string& code, const char* text) {
            QVERIFY2(code.find(text) != std::string::npos,
                qPrintable(QString::fromLatin1(text) + QStringLiteral(" in ") + QString::fromStdString(code)));
        };
        has(parts, "of the mesh x is x_1, x_2 and x_3\n");
        has(parts,
            "jax.make_mesh((2, 2, 2, 2, 3), (\"x_1\", \"x_2\", \"x_3\", \"y\", \"z\"), axis_types=(AxisType.Auto,) * "
            "5)");
        has(parts, "NamedSharding(mesh, P('x_1', ('x_3', 'y'), 'z')),  # a\n");
        has(parts, "NamedSharding(mesh, P(('y', 'x_1', 'x_2', 'x_3'), None, None)),");
        QVERIFY(parts.find(":(") == std::string::npos && parts.find("unequal") == std::string::npos);
        const std::string uneven = codeOf(R"(sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<10xf32> {
  %0 = stablehlo.negate %a : tensor<10xf32>
  return %0 : tensor<10xf32>
})");
        has(uneven, "P('x')),  # a; JAX refuses shards of unequal sizes\n");
        QVERIFY(uneven.find("donate") == std::string::npos);
        const std::string donated = codeOf(R"(sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<8xf32>, %c: tensor<8xf32> {jax.buffer_donor = true}) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
})");
        has(donated, "of jax.jit()\ndonate_argnums = (0, 2,)\n");
    }

    /// What is written for MaxText reads back as the mesh and the rules of the experiment.
    void maxTextReadsBack()
    {
        for (const char* example :
            { "maxtext-llama3-8b", "transformer-t5x", "transformer-experts", "flax-mlp-logical" }) {
            const SnapshotPtr snapshot = analysed(example);
            const Result<ReadMaxText> read = readMaxText(maxTextCode(*snapshot, MaxTextStyle::Yaml));
            QVERIFY2(read, example);
            QCOMPARE(read->config.rules.list, snapshot->experiment->rules.rules.list);
            std::vector<MeshAxis> axes;
            for (const MaxTextAxis& axis : read->config.axes)
                axes.push_back({ axis.name, axis.ici * axis.dcn });
            QCOMPARE(axes, snapshot->experiment->mesh.axes);
        }
    }

    void maxTextOfATransformer()
    {
        Experiment experiment = findExample("transformer-t5x")->experiment;
        auto& training = std::get<TransformerModel>(experiment.model).settings;
        experiment.hardware.devices = DeviceSet::ofHosts("any", "gpu", 2, 4);
        experiment.mesh.axes = { { "data", 2 }, { "fsdp", 4 } };
        training.model.batch = 32;
        training.microbatches = 2;
        training.model.remat = RematPolicy::Full;
        training.model.computeDtype = DType::BF16;
        training.optimizer.kind = OptimizerKind::AdamW;
        AnalysisCache cache;
        const auto codeOf = [&](MaxTextStyle style) {
            return maxTextCode(*analyse(std::make_shared<const Experiment>(experiment), 1, cache), style);
        };
        const std::string yaml = codeOf(MaxTextStyle::Yaml), flags = codeOf(MaxTextStyle::Flags);
        // Hosts are what is between slices: "data" is there.
        for (const char* line : { "hardware: 'gpu'", "dcn_data_parallelism: 2", "ici_data_parallelism: 1",
                 "ici_fsdp_parallelism: 4", "per_device_batch_size: 2", "gradient_accumulation_steps: 2",
                 "remat_policy: 'full'", "dtype: 'bfloat16'", "weight_dtype: 'float32'", "opt_type: 'adamw'" })
            QVERIFY2(yaml.find('\n' + std::string(line) + '\n') != std::string::npos, (line + ('\n' + yaml)).c_str());
        for (const char* line : { "hardware=gpu", "dcn_data_parallelism=2", "ici_fsdp_parallelism=4",
                 "per_device_batch_size=2", "remat_policy=full" })
            QVERIFY2(
                flags.find("\n  " + std::string(line) + '\n') != std::string::npos, (line + ('\n' + flags)).c_str());
        QVERIFY(flags.find("  logical_axis_rules") == std::string::npos);

        // What has no key is named, and an axis that MaxText does not know is one of them.
        experiment.mesh.axes = { { "data", 2 }, { "mine", 4 } };
        training.optimizer.kind = OptimizerKind::Adafactor;
        training.model.remat = RematPolicy::None;
        const std::string other = codeOf(MaxTextStyle::Yaml);
        for (const char* part : { "#   the mesh axis mine: base.yml has no ici_mine_parallelism\n",
                 "#   remat: ", "#   the optimizer: ", "\nici_fsdp_parallelism: 1\n" })
            QVERIFY2(other.find(part) != std::string::npos, (part + ('\n' + other)).c_str());
        for (const char* key : { "\nici_mine_parallelism", "\ndcn_mine_parallelism" })
            QVERIFY2(other.find(key) == std::string::npos, other.c_str());
        QVERIFY2(other.find("mesh_axes: ['data', 'mine']\n") != std::string::npos, other.c_str());
        QVERIFY(other.find("\nremat_policy:") == std::string::npos && other.find("\nopt_type:") == std::string::npos);

        // Nothing in a title or a platform ends a comment.
        experiment.title = "one\rtwo: 2\nthree: 3";
        experiment.hardware.devices.platform = "other\nfour: 4";
        const std::string titled = codeOf(MaxTextStyle::Yaml);
        QVERIFY2(titled.starts_with("# one two: 2 three: 3, in MaxText's keys"), titled.c_str());
        QVERIFY2(titled.find("the platform other four: 4\n") != std::string::npos, titled.c_str());
    }

    /// Rules with names that MaxText's model does not have shard nothing there, and an axis of T5X has another key.
    void maxTextWithOtherNames()
    {
        const std::string t5x = maxTextCode(*analysed("transformer-t5x"), MaxTextStyle::Yaml);
        for (const char* part : { "#   these names of rules, with which MaxText's model annotates nothing: batch, ",
                 "joined_kv, relpos_buckets, abspos_buckets", "#   rules for activation_batch, ",
                 "#   the mesh axis model, whose sizes are those of ici_tensor_parallelism and "
                 "dcn_tensor_parallelism\n" })
            QVERIFY2(t5x.find(part) != std::string::npos, (part + ('\n' + t5x)).c_str());
        const std::string own = maxTextCode(*analysed("maxtext-llama3-8b"), MaxTextStyle::Yaml);
        QVERIFY2(own.find("annotates nothing") == std::string::npos && own.find("whose sizes") == std::string::npos,
            own.c_str());
        QCOMPARE(
            namesUnknownToMaxText({ { { LogicalName::of("mine"), SpecEntry::none() },
                { LogicalName::of("embed"), SpecEntry::none() }, { LogicalName::of("mine"), SpecEntry::none() } } }),
            std::vector<std::string>{ "mine" });
    }

    /// No key is made up: all stand in MaxText's own configuration, where it lies beside the project.
    void keysOfMaxText()
    {
        std::ifstream stream(test::sharedFacts() / "interchange/maxtext_base.yml");
        if (!stream)
            QSKIP("MaxText's base.yml is not at hand");
        const auto keysOf = [](std::istream& text) {
            std::set<std::string> keys;
            for (std::string line; std::getline(text, line);)
                if (const std::size_t end = line.find_first_of(": #");
                    end != 0 && end < line.size() && line[end] == ':')
                    keys.insert(line.substr(0, end));
            return keys;
        };
        const std::set<std::string> known = keysOf(stream);
        QVERIFY(known.size() > 500);
        for (const char* example : { "maxtext-llama3-8b", "transformer-t5x", "transformer-experts" }) {
            Experiment experiment = findExample(example)->experiment;
            experiment.placement.paramsOnDevices = false;
            if (auto* transformer = std::get_if<TransformerModel>(&experiment.model)) {
                transformer->settings.model.form = LayerForm::Scanned;
                transformer->settings.model.remat = RematPolicy::Full;
                transformer->settings.optimizer.kind = OptimizerKind::AdamW;
                transformer->settings.optimizer.stateDtype = DType::BF16;
            }
            AnalysisCache cache;
            std::istringstream text(
                maxTextCode(*analyse(std::make_shared<const Experiment>(experiment), 1, cache), MaxTextStyle::Yaml));
            const std::set<std::string> written = keysOf(text);
            QVERIFY(written.contains("mesh_axes") && written.contains("parameter_memory_host_offload"));
            for (const std::string& key : written)
                QVERIFY2(known.contains(key), key.c_str());
        }
    }

    /// Every view in every form: what it is called and what it gives belong together.
    void viewsByName()
    {
        const SnapshotPtr snapshot = analysed("flax-mlp-logical");
        QVERIFY(!findExportedView("nothing"));
        for (const ExportedView& view : exportedViews()) {
            QCOMPARE(findExportedView(view.id), &view);
            for (const std::string& form : view.forms)
                QVERIFY2(!exportedText(*snapshot, view, form).empty(), view.id.c_str());
        }
        for (std::size_t i = 0; i < reportSubjectNames().size(); ++i) {
            const ExportedView* view = findExportedView(reportSubjectNames()[i]);
            QVERIFY(view);
            QCOMPARE(
                exportedText(*snapshot, *view, "csv"), toCsv(reportTable(*snapshot, static_cast<ReportSubject>(i))));
        }
        QCOMPARE(exportedText(*snapshot, *findExportedView("code"), "py"), jaxCode(*snapshot));
        QCOMPARE(
            exportedText(*snapshot, *findExportedView("maxtext"), "sh"), maxTextCode(*snapshot, MaxTextStyle::Flags));
    }

    void aReportHasItsParts()
    {
        const SnapshotPtr snapshot = analysed("flax-mlp-logical");
        const QString page = experimentReport(*snapshot);
        QVERIFY(page.startsWith(QStringLiteral("# ") + QString::fromStdString(snapshot->experiment->title)));
        for (const char* part : { "## Mesh", "## Rules", "## Memory", "## Collectives", "## Tensors", "## Problems",
                 "## JAX", "```python" })
            QVERIFY2(page.contains(QLatin1String(part)), part);
        QVERIFY(page.contains(QStringLiteral("W206")));
        // Arrays alone have no collectives to speak of, and an experiment in error still has its problems.
        Experiment wrong = findExample("flax-mlp-logical")->experiment;
        wrong.mesh.axes[0].size = 3;
        AnalysisCache cache;
        const QString broken =
            experimentReport(*analyse(std::make_shared<const Experiment>(std::move(wrong)), 1, cache));
        QVERIFY(broken.contains(QStringLiteral("E1")));
        QVERIFY(!broken.contains(QStringLiteral("## JAX")) || broken.contains(QStringLiteral("```python")));
    }
};

REGISTER_TEST(ReportTest)
#include "test_report.moc"
