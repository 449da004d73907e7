// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTest>

#include <cmath>

#include "any_transformer.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/json_text.h"
#include "experiment_file/quantity_text.h"
#include "mesh/device_presets.h"
#include "outer_rules.h"
#include "random_properties.h"
#include "registered_test.h"
#include "sharding/sharding_text.h"

using namespace shardscope;

namespace {

/// What a failing read says, for messages.
std::string reasons(const std::vector<Diagnostic>& list)
{
    std::string text;
    for (const Diagnostic& d : list)
        text += std::string(d.id()) + " at " + std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " "
            + d.where.pointer + "\n";
    return text;
}

rc::Gen<std::string> anyText()
{
    return rc::gen::container<std::string>(rc::gen::elementOf(std::string("abz XY\"\\/\n\t\x01{}[],:0")));
}
rc::Gen<std::string> anyName()
{
    return rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("abXY_.-/ \"\\~0"))));
}
rc::Gen<std::vector<std::string>> names(std::size_t count)
{
    return rc::gen::unique<std::vector<std::string>>(count, anyName());
}

SpecEntry anyEntry(const std::vector<std::string>& axes)
{
    switch (*rc::gen::inRange(0, 4)) {
    case 0:
        return SpecEntry::none();
    case 1:
        return SpecEntry::unconstrained();
    case 2:
        return axes.empty() ? SpecEntry::none() : SpecEntry::axis(*rc::gen::elementOf(axes));
    default: {
        const auto count = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(axes.size()) + 1));
        return SpecEntry::tuple({ axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(count) });
    }
    }
}

LogicalName anyLogicalName(const std::string& name)
{
    const int kind = *rc::gen::inRange(0, 5);
    return kind == 0 ? LogicalName::none() : kind == 1 ? LogicalName::unconstrained() : LogicalName::of(name);
}

OrderSetting anyOrder(const std::vector<MeshAxis>& axes)
{
    OrderSetting order;
    order.method = static_cast<OrderMethod>(*rc::gen::inRange(0, 6));
    order.sharePhysicalAxes = *rc::gen::arbitrary<bool>();
    order.contiguousSubmeshes = *rc::gen::arbitrary<bool>();
    order.byHost = *rc::gen::arbitrary<bool>();
    for (const MeshAxis& axis : axes)
        if (*rc::gen::arbitrary<bool>())
            order.dcn.push_back({ axis.name, *rc::gen::inRange<std::int64_t>(1, 9) });
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i)
        order.submesh.push_back(*rc::gen::inRange(0, 9));
    return order;
}

MeshSetting anyMesh()
{
    MeshSetting mesh;
    const auto axes = *names(static_cast<std::size_t>(*rc::gen::inRange(0, 6)));
    std::int64_t product = 1;
    for (const std::string& name : axes) {
        mesh.axes.push_back({ name, *rc::gen::inRange<std::int64_t>(1, 9) });
        product *= mesh.axes.back().size;
    }
    if (*rc::gen::arbitrary<bool>() && product <= 512) {
        std::vector<std::int32_t> order(static_cast<std::size_t>(product));
        for (std::size_t i = 0; i < order.size(); ++i) // rotated, so that it is not the plain order
            order[i] = static_cast<std::int32_t>((i + 1) % order.size());
        mesh.deviceOrder = std::move(order);
    } else if (*rc::gen::arbitrary<bool>()) {
        mesh.order = anyOrder(mesh.axes);
    }
    return mesh;
}

/// A grid of chips, with hosts that may be other than usual.
DeviceSet anyChips()
{
    std::array<std::int32_t, 3> chips{}, hosts{};
    for (std::size_t i = 0; i < 3; ++i) {
        hosts[i] = *rc::gen::inRange(1, 4);
        chips[i] = hosts[i] * *rc::gen::inRange(1, 4);
    }
    return *DeviceSet::ofChips(*rc::gen::element<std::string>("TPU v4", "TPU v5 lite", "own"), chips, hosts,
        *rc::gen::inRange(1, 3), *rc::gen::inRange(1, 4));
}

DeviceSet anyList(const std::string& kind, const std::string& platform)
{
    std::vector<DevicePlace> places(static_cast<std::size_t>(*rc::gen::inRange(1, 9)));
    const auto number = [] { return *rc::gen::inRange(0, 3); };
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = { static_cast<std::int32_t>(places.size() - 1 - i), number(), { number(), number(), number() },
            number(), number() };
    return *DeviceSet::ofList(kind, platform, std::move(places));
}

double anyReal(double limit)
{
    const double part = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, std::int64_t{ 1 } << 53)) / 0x1p53;
    return limit * std::pow(10.0, -*rc::gen::inRange(0, 20)) * part;
}

ModelSetting anyModel(const std::vector<std::string>& axes)
{
    if (*rc::gen::inRange(0, 3) == 0)
        return test::anyTransformer();
    if (*rc::gen::arbitrary<bool>()) {
        ArraysModel model;
        for (const std::string& path : *names(static_cast<std::size_t>(*rc::gen::inRange(0, 4)))) {
            NamedArraySetting array{ path, {}, {}, static_cast<DType>(*rc::gen::inRange(0, 13)) };
            for (const std::string& name : *names(static_cast<std::size_t>(*rc::gen::inRange(0, 8)))) {
                array.names.push_back(anyLogicalName(name));
                array.shape.push_back(*rc::gen::inRange<std::int64_t>(1, 100));
            }
            if (*rc::gen::arbitrary<bool>())
                array.memoryKind = *rc::gen::elementOf(std::vector(memoryKinds().begin(), memoryKinds().end()));
            model.arrays.push_back(array);
        }
        return model;
    }
    MlpSettings s;
    const auto size = rc::gen::inRange<std::int64_t>(1, std::int64_t{ 1 } << 40);
    s.layers = *rc::gen::inRange<std::int64_t>(1, 4097);
    s.batch = *size;
    s.embed = *size;
    s.hidden = *size;
    s.dtype = *rc::gen::element(DType::F32, DType::F64);
    s.loss = *rc::gen::element(LossKind::SumOfOutputs, LossKind::HalfSumOfSquares);
    s.adam = { anyReal(1e6), anyReal(1), anyReal(1), anyReal(1) };
    s.inputGradient = *rc::gen::arbitrary<bool>();
    s.trainStep = *rc::gen::arbitrary<bool>();
    s.initialise = *rc::gen::arbitrary<bool>();
    s.remat = *rc::gen::element(RematPolicy::None, RematPolicy::Full, RematPolicy::Dots, RematPolicy::Gathered);
    s.form = *rc::gen::element(LayerForm::Unrolled, LayerForm::Scanned);
    s.layersAxis = *rc::gen::inRange<std::int64_t>(0, 3);
    if (*rc::gen::arbitrary<bool>())
        s.layersName = *rc::gen::element<std::string>("layers", "data");
    s.axes = *rc::gen::element(MlpSettings::Axes::Device, MlpSettings::Axes::Logical);
    s.yConstraint = *rc::gen::element(MlpSettings::Axes::Device, MlpSettings::Axes::Logical);
    s.deviceAxes.clear();
    for (const char* dimension : { "batch", "embed", "hidden" })
        if (*rc::gen::arbitrary<bool>())
            s.deviceAxes.emplace(dimension, anyEntry(axes));
    return MlpModel{ s };
}

/// A program line by line, with shardings for some of its values: full axes of the mesh, each once.
ProgramModel anyProgram(const MeshSetting& setting)
{
    ProgramModel model;
    if (*rc::gen::arbitrary<bool>())
        model.file = "beside.mlir";
    else
        model.text = std::make_shared<const std::string>("module {\n  \"quoted\"\n}\n");
    const Result<Mesh> mesh = makeMesh(setting);
    for (const char* value : { "arg0", "result12", "7", "f/12#1", "cst_0", "1/do/%6" }) {
        if (!mesh || *rc::gen::arbitrary<bool>())
            continue;
        TensorSharding sharding = TensorSharding::open(static_cast<std::size_t>(*rc::gen::inRange(0, 4)));
        for (DimensionSharding& dim : sharding.dims)
            dim.open = *rc::gen::arbitrary<bool>();
        for (std::size_t axis = 0; axis < mesh->rank() && sharding.rank() > 0; ++axis)
            if (*rc::gen::arbitrary<bool>())
                sharding.dims[axis % sharding.rank()].axes.push_back(fullAxis(*mesh, axis));
        model.shardings.push_back({ value, dimensionsText(sharding, *mesh) });
    }
    return model;
}

Experiment anyExperiment()
{
    Experiment e;
    e.title = *anyText();
    e.notes = *anyText();
    e.hardware.devices.kind = *anyName();
    e.hardware.devices.platform = *rc::gen::element<std::string>("cpu", "gpu", "tpu");
    e.hardware.devices.hosts = *rc::gen::inRange(1, 1025);
    e.hardware.devices.devicesPerHost = *rc::gen::inRange(1, 1025);
    switch (*rc::gen::inRange(0, 6)) {
    case 0:
        e.hardware.devices = anyChips();
        break;
    case 1:
        e.hardware.devices = anyList(e.hardware.devices.kind, e.hardware.devices.platform);
        break;
    case 2:
        e.hardware.devices = *parseDevices(*rc::gen::element<std::string>(
            "tpu-v4:4x4x4", "2*tpu-v5e:4x4", "tpu-v2:8x8", "gpu:4x8", "cpu:8", "3*tpu-v7:2x2x4"));
        break;
    default:
        break;
    }
    e.hardware.memoryPerDevice = *rc::gen::inRange<std::int64_t>(1, std::int64_t{ 1 } << 62);
    e.hardware.iciBytesPerSecond = anyReal(1e15) + 1e-3;
    e.hardware.dcnBytesPerSecond = anyReal(1e12) + 1e-3;
    e.mesh = anyMesh();
    std::vector<std::string> axes;
    for (const MeshAxis& axis : e.mesh.axes)
        axes.push_back(axis.name);
    e.rules.version = *rc::gen::element(FlaxVersion::Year2024, FlaxVersion::Current);
    e.rules.dialect = *rc::gen::element(Dialect::FlaxLinen, Dialect::T5x, Dialect::MaxText);
    e.rules.fallback =
        *rc::gen::element(RulesFallback::AxisIsUnsharded, RulesFallback::RaiseError, RulesFallback::NoConstraint);
    e.rules.boundWhenTraced = *rc::gen::arbitrary<bool>();
    e.rules.constraintMesh = *rc::gen::element(ConstraintMesh::Context, ConstraintMesh::None, ConstraintMesh::Own);
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i)
        e.rules.rules.list.push_back({ anyLogicalName(*anyName()), anyEntry(axes) });
    for (int i = *rc::gen::inRange(-2, 3); i > 0; --i) {
        InnerRules inner{ "part" + std::to_string(i) + *rc::gen::element<std::string>("", "/layer_1", " \"x\""), {} };
        for (int k = *rc::gen::inRange(0, 3); k > 0; --k)
            inner.rules.list.push_back({ anyLogicalName(*anyName()), anyEntry(axes) });
        if (*rc::gen::inRange(0, 4) == 0)
            e.innerNotes.emplace_back("/rules/inner/" + std::to_string(e.rules.inner.size()), "n" + *anyText());
        e.rules.inner.push_back(std::move(inner));
    }
    if (*rc::gen::inRange(0, 3) == 0)
        e.model = anyProgram(e.mesh);
    else
        e.model = anyModel(axes);
    e.propagation.strategy = *rc::gen::element(StrategyChoice::Basic, StrategyChoice::Aggressive,
        StrategyChoice::OperationPriority, StrategyChoice::UserPriority, StrategyChoice::Full);
    e.propagation.conservative = *rc::gen::arbitrary<bool>();
    e.propagation.userPriorities = *rc::gen::arbitrary<bool>();
    e.placement.paramsOnDevices = *rc::gen::arbitrary<bool>();
    e.run.seed = *rc::gen::arbitrary<std::uint64_t>();
    e.run.runs = *rc::gen::inRange<std::int64_t>(1, 1000);
    e.run.loops = *rc::gen::inRange<std::int64_t>(1, 1000);
    e.run.shareReplicas = *rc::gen::arbitrary<bool>();
    for (int i = *rc::gen::inRange(-1, 4); i > 0; --i)
        e.run.initial.push_back({ *rc::gen::element<std::string>("params/**", "arg", "x/\"y\" ~") + std::to_string(i),
            parseInitialValue(*rc::gen::element<std::string>("zeros", "ones", "constant -0.1", "normal 0.02",
                                  "uniform -1 1e300", "fan_in", "xavier", "non_negative", "integers 8", "integers -3 9",
                                  "iota", "numpy_normal 0", "numpy_normal 7 160", "file a b.npz"))
                .value() });
    e.run.state = *rc::gen::element<std::string>("", "none", "0=1", "0=3,7=0");
    for (int i = *rc::gen::inRange(-1, 3); i > 0; --i)
        e.run.roles.push_back({ *rc::gen::element<std::string>("arg", "params/**", "x \"y\"") + std::to_string(i),
            *rc::gen::element(Role::Parameter, Role::Nu, Role::Loss) });
    for (const char* pointer :
        { "/hardware", "/hardware/links", "/mesh", "/placement", "/rules", "/run", "/run/initial", "/run/roles" })
        if (*rc::gen::inRange(0, 4) == 0)
            e.innerNotes.emplace_back(pointer, "n" + *anyText());
    std::sort(e.innerNotes.begin(), e.innerNotes.end()); // as they are read
    e.formatMinor = *rc::gen::inRange(0, 3);
    return e;
}

/// One edit with names that a person may type; the experiment as it is if the edit is refused.
Experiment edited(const Experiment& before)
{
    const auto name = [] {
        return *rc::gen::element<std::string>(
            "P.UNCONSTRAINED", "UNCONSTRAINED", "None", "null", "?", "data", "model", "batch", "hidden", "größe", " ");
    };
    const auto target = [&name] {
        switch (*rc::gen::inRange(0, 4)) {
        case 0:
            return SpecEntry::none();
        case 1:
            return SpecEntry::unconstrained();
        case 2:
            return SpecEntry::axis(name());
        default:
            return SpecEntry::tuple({ name(), name() });
        }
    };
    const auto axis = static_cast<std::size_t>(*rc::gen::inRange(0, 3));
    const auto rule = static_cast<std::size_t>(*rc::gen::inRange(0, 4));
    Result<Experiment> after = before;
    switch (*rc::gen::inRange(0, 6)) {
    case 0:
        after = withAxisAdded(before, name(), *rc::gen::inRange<std::int64_t>(1, 4));
        break;
    case 1:
        after = withAxisRenamed(before, axis, name());
        break;
    case 2:
        after = withRuleInserted(before, rule, { anyLogicalName(name()), target() });
        break;
    case 3:
        after = withRuleReplaced(before, rule, { anyLogicalName(name()), target() });
        break;
    case 4:
        after = withAxisAppendedToRule(before, rule, name());
        break;
    default:
        after = withNameMapped(before, name(), target());
        break;
    }
    return after ? *after : before;
}

const std::string minimal = R"({"format": "sharding-experiment", "version": "1.0"})";

} // namespace

class RoundTripTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void examplesAreTheFilesInResources()
    {
        for (const Example& example : builtinExamples()) {
            const std::string id{ example.id };
            QFile file(QString::fromStdString(SHARDSCOPE_SOURCE_DIR "/resources/examples/" + id + ".json"));
            QVERIFY2(file.open(QIODevice::ReadOnly), id.c_str());
            QCOMPARE(QString::fromStdString(writeExperiment(example.make())), QString::fromUtf8(file.readAll()));
        }
    }

    void schemaIsTheFileInResources()
    {
        QFile file(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/resources/schema/experiment.schema.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromStdString(std::string(experimentSchema())), QString::fromUtf8(file.readAll()));
    }

    void randomExperiments()
    {
        const bool passed =
            test::propertyHolds(100, "reading what was written gives the same experiment and the same bytes", [] {
                const Experiment experiment = anyExperiment();
                const std::string text = writeExperiment(experiment);
                const auto read = readExperiment(text);
                if (!read)
                    RC_FAIL(reasons(read.error()) + text);
                RC_ASSERT(read->experiment == experiment);
                RC_ASSERT(writeExperiment(read->experiment) == text);
                RC_ASSERT(read->warnings.size() == (experiment.formatMinor > 0 ? 1U : 0U));
            });
        QVERIFY(passed);
    }

    /// A program's text in a file of its own is not read here; all else comes back.
    void shardingsOfAProgram()
    {
        const std::string text = R"({ "format": "sharding-experiment", "version": "1.0",
            "mesh": { "axes": [["data", 2]] },
            "model": { "preset": "program", "file": "a.mlir",
                "shardings": { "arg1": "[{data, ?}p0, {}]", "arg0": "[{gone}]" } } })";
        const auto read = readExperiment(text);
        QVERIFY(read.has_value());
        const auto& model = std::get<ProgramModel>(read->experiment.model);
        QCOMPARE(model.shardings.size(), std::size_t{ 2 });
        QCOMPARE(model.shardings[0].value, std::string("arg1"));
        QCOMPARE(model.shardings[0].sharding, std::string("[{data, ?}p0, {}]"));
        QCOMPARE(model.shardings[1].value, std::string("arg0"));
        const std::string declared = writeExperiment(read->experiment);
        QVERIFY(declared.find("    \"shardings\": {\n      \"arg1\": \"[{data, ?}p0, {}]\",\n      \"arg0\": "
                              "\"[{gone}]\"\n    }\n  },")
            != std::string::npos);
        QCOMPARE(writeExperiment(readExperiment(declared)->experiment), declared);
    }

    /// Written only where it says something; keys of later versions within it stay.
    void placement()
    {
        Experiment experiment = builtinExamples().front().make();
        QVERIFY(writeExperiment(experiment).find("placement") == std::string::npos);
        experiment.placement.paramsOnDevices = false;
        QVERIFY(writeExperiment(experiment).find("  \"placement\": {\n    \"params_on_devices\": false\n  },")
            != std::string::npos);
        const std::string later = R"({ "format": "sharding-experiment", "version": "1.0",
            "placement": { "moments_on_devices": false }, "model": { "preset": "arrays", "arrays": [
            { "path": "a", "names": [], "shape": [], "memory_kind": "pinned_host", "memory_tier": 2 }] } })";
        const auto read = readExperiment(later);
        QVERIFY(read.has_value());
        QCOMPARE(read->warnings.size(), std::size_t{ 2 });
        QCOMPARE(read->warnings[0].code, Code::UnknownKey);
        QCOMPARE(read->warnings[0].where.pointer, std::string("/placement/moments_on_devices"));
        const std::string declared = writeExperiment(read->experiment);
        QVERIFY(declared.find("\"moments_on_devices\": false") != std::string::npos);
        QVERIFY(declared.find("\"memory_kind\": \"pinned_host\", \"memory_tier\": 2") != std::string::npos);
        QVERIFY(readExperiment(declared)->experiment == read->experiment);
    }

    void whatEditsAccept()
    {
        QVERIFY(test::propertyHolds(100, "what an edit accepts reads as it was written", [] {
            Experiment experiment = builtinExamples().front().make();
            for (int i = *rc::gen::inRange(1, 8); i > 0; --i)
                experiment = edited(experiment);
            const std::string text = writeExperiment(experiment);
            const auto read = readExperiment(text);
            if (!read)
                RC_FAIL(reasons(read.error()) + text);
            RC_ASSERT(read->experiment == experiment);
        }));
    }

    void manyUnknownKeys()
    {
        ArraysModel model;
        Experiment experiment;
        for (std::size_t i = 0; i < 65'536; ++i) {
            const std::string number = std::to_string(i);
            model.arrays.push_back({ "a" + number, {}, {}, DType::F32 });
            experiment.innerNotes.emplace_back("/model/arrays/" + number, "note " + number);
            experiment.unknownKeys.insert({ "/model/arrays/" + number, "colour", "path", number });
        }
        // And as many in a single object.
        for (std::size_t i = 0; i < 65'536; ++i)
            experiment.unknownKeys.insert(
                { "/run", "k" + std::to_string(i), i == 0 ? "runs" : "k" + std::to_string(i - 1), "1" });
        experiment.model = std::move(model);
        const std::string text = writeExperiment(experiment);
        QVERIFY(text.find(R"({ "path": "a65535", "colour": 65535, "names": [], "shape": [], "dtype": "f32", )"
                          R"("notes": "note 65535" })")
            != std::string::npos);
        QVERIFY(text.find("\"runs\": 7,\n    \"k0\": 1,\n    \"k1\": 1,") != std::string::npos);
        QVERIFY(text.find("\"k65535\": 1,\n    \"loops\": 1") != std::string::npos);
        const auto read = readExperiment(text);
        QVERIFY(read.has_value());
        QCOMPARE(writeExperiment(read->experiment), text);
        std::int64_t counted = 0;
        for (const Diagnostic& warning : read->warnings)
            counted += warning.number("alike");
        QVERIFY(read->warnings.size() <= 2);
        QCOMPARE(counted, 2 * 65'536);
    }

    /// Errors are listed one by one as long as somebody may read them; then they are counted.
    void manyErrors()
    {
        ArraysModel model;
        model.arrays.resize(1'000, { "a", {}, {}, DType::F32 });
        Experiment experiment;
        experiment.model = std::move(model);
        std::string text = writeExperiment(experiment);
        for (std::size_t at = text.find("\"f32\""); at != std::string::npos; at = text.find("\"f32\"", at))
            text.replace(at, 5, "32");
        const auto read = readExperiment(text);
        QVERIFY(!read);
        QVERIFY(read.error().size() <= 50);
        std::int64_t counted = 0;
        for (const Diagnostic& error : read.error())
            counted += std::max<std::int64_t>(error.number("alike"), 1);
        QVERIFY2(counted >= 1'000, qPrintable(QString::number(counted)));
        QVERIFY(read.error().front().where.line > 0);
    }

    void quantities()
    {
        QCOMPARE(printBytes(std::int64_t{ 16 } << 30), "16 GiB");
        QCOMPARE(printBytes(80'000'000'000), "80 GB");
        QCOMPARE(printBytes(1), "1 B");
        QCOMPARE(printBytes((std::int64_t{ 1 } << 62) - 1), "4611686018427387903 B");
        QCOMPARE(parseBytes("1.5 GiB"), std::optional<std::int64_t>(1'610'612'736));
        QCOMPARE(parseBytes("16GiB"), std::optional<std::int64_t>(std::int64_t{ 16 } << 30));
        for (const char* wrong :
            { "", "16", "GiB", "0 B", "-1 B", "0.3 B", "16 GIB", "16 gb", "16  GiB", " 16 GiB", "1e99 B",
                "4611686018427387905 B", "9223372036854775807 TiB", "nan B", "inf B", "16 GiB/s", "1..5 GiB" })
            QVERIFY2(!parseBytes(wrong), wrong);
        QCOMPARE(printBandwidth(45e9), "45 GB/s");
        QCOMPARE(printBandwidth(6e9), "6 GB/s");
        QCOMPARE(printBandwidth(1.5e12), "1.5 TB/s");
        QCOMPARE(printBandwidth(0.25), "0.25 B/s");
        QCOMPARE(parseBandwidth("1 GiB/s"), std::optional<double>(1073741824.0));
        for (const char* wrong :
            { "", "45", "45 GB", "45/s", "0 GB/s", "-1 GB/s", "1e999 GB/s", "1e308 TB/s", "x GB/s" })
            QVERIFY2(!parseBandwidth(wrong), wrong);
        QCOMPARE(printReal(1), "1.0");
        QCOMPARE(printReal(0.001), "0.001");
        QCOMPARE(printReal(1e-8), "1e-8");
        QCOMPARE(printReal(1e20), "1e20");
        QCOMPARE(printReal(1.7976931348623157e308), "1.7976931348623157e308");
        QVERIFY(test::propertyHolds(100, "quantities read as they were printed", [](std::int64_t seed) {
            const auto bytes = 1 + (seed & ((std::int64_t{ 1 } << 61) - 1));
            RC_ASSERT(parseBytes(printBytes(bytes)) == bytes);
            const double bandwidth = static_cast<double>(bytes) / 1024.0;
            RC_ASSERT(parseBandwidth(printBandwidth(bandwidth)) == bandwidth);
        }));
    }

    void defaults()
    {
        const auto read = readExperiment(minimal);
        QVERIFY(read.has_value());
        QVERIFY(read->warnings.empty());
        Experiment expected;
        expected.mesh.axes = { { "data", 2 }, { "model", 4 } };
        QVERIFY(read->experiment == expected);
        QVERIFY(makeMesh(expected.mesh)->deviceCount() == expected.hardware.devices.count());
    }

    /// Devices that a file does not count are as many as the mesh has, on one host.
    void devicesFollowTheMesh()
    {
        const auto devices = [](const std::string& members) {
            const auto read = readExperiment(
                R"({"format": "sharding-experiment", "version": "1.0", "mesh": {"axes": [["data", 4], ["model", 6]]},
                    "hardware": { )"
                + members + " } }");
            return read
                ? std::pair(read->experiment.hardware.devices.hosts, read->experiment.hardware.devices.devicesPerHost)
                : std::pair(-1, -1);
        };
        QVERIFY(devices("") == std::pair(1, 24));
        QVERIFY(devices(R"("device": "h100", "platform": "gpu")") == std::pair(1, 24));
        QVERIFY(devices(R"("hosts": 3)") == std::pair(3, 8));
        QVERIFY(devices(R"("devices_per_host": 4)") == std::pair(6, 4));
        QVERIFY(devices(R"("hosts": 2, "devices_per_host": 4)") == std::pair(2, 4)); // which the mesh does not fit
        QVERIFY(devices(R"("hosts": 5)") == std::pair(5, 4)); // no number of devices per host makes 24
        QVERIFY(devices(R"("devices_per_host": 48)") == std::pair(1, 48));
        QVERIFY(devices(R"("pinned": true)") == std::pair(1, 24));
    }

    void topologies()
    {
        const auto hardware = [](const std::string& members) {
            return readExperiment(
                R"({"format": "sharding-experiment", "version": "1.0", "hardware": { )" + members + " } }");
        };
        const auto cube = hardware(R"("topology": "tpu-v4:4x4x4")");
        QVERIFY(cube.has_value());
        QVERIFY(cube->experiment.hardware.devices == *parseDevices("tpu-v4:4x4x4"));
        QVERIFY(writeExperiment(cube->experiment).find("\"topology\": \"tpu-v4:4x4x4\",\n") != std::string::npos);
        QVERIFY(writeExperiment(cube->experiment).find("devices_per_host") == std::string::npos);
        const auto own = hardware(R"("device": "TPU v4", "platform": "tpu",
            "topology": { "devices": [[1, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0]], "rack": 7 })");
        QVERIFY(own.has_value());
        QCOMPARE(own->experiment.hardware.devices.own.front().id, 1);
        const std::string text = writeExperiment(own->experiment);
        QVERIFY(text.find("[1, 0, 1, 0, 0],\n      [0, 0, 0, 0, 0]") != std::string::npos);
        QVERIFY(text.find("\"rack\": 7") != std::string::npos);
        // What stands beside a topology may agree with it.
        QVERIFY(hardware(R"("hosts": 16, "devices_per_host": 4, "topology": "tpu-v4:4x4x4")").has_value());
    }

    void unknownKeysStayInPlace()
    {
        // As the writer would have it, but for the keys that it does not know.
        std::string text = writeExperiment(builtinExamples().back().make());
        const auto insert = [&](const std::string& after, const std::string& addition) {
            const std::size_t at = text.find(after);
            QVERIFY(at != std::string::npos);
            text.insert(at + after.size(), addition);
        };
        insert("{\n", "  \"$schema\": \"x\",\n");
        insert("\"platform\": \"cpu\",\n",
            "    \"colour\": { \"a\": [1, 2.50, 1E3], \"b\": null },\n    \"size\": \"große\",\n");
        insert("\"links\": { ", "\"fast\": true, ");
        insert("\"dcn\": \"6 GB/s\"", ", \"pcie\": \"1\"");
        insert("\"dtype\": \"f32\"", ", \"note\": -0.0");
        insert("\"arrays\": [", "");
        insert("\"share_replicas\": false", ",\n    \"last\": []");
        const std::size_t end = text.rfind("\n}");
        text.insert(end, ",\n  \"step\": { \"optimizer\": \"lion\" },\n  \"futures\": [{ \"name\": \"4x2\" }]");

        const auto read = readExperiment(text);
        if (!read)
            QFAIL(reasons(read.error()).c_str());
        QCOMPARE(read->warnings.size(), std::size_t{ 9 });
        for (const Diagnostic& warning : read->warnings) {
            QCOMPARE(warning.code, Code::UnknownKey);
            QVERIFY(warning.where.line > 0 && warning.where.column > 0 && !warning.where.pointer.empty());
        }
        QCOMPARE(QString::fromStdString(writeExperiment(read->experiment)), QString::fromStdString(text));

        // An edit elsewhere leaves them alone.
        Experiment edited = read->experiment;
        edited.mesh.axes[0].size = 4;
        std::string expected = text;
        expected.replace(expected.find("[\"X\", 2]"), 8, "[\"X\", 4]");
        QCOMPARE(QString::fromStdString(writeExperiment(edited)), QString::fromStdString(expected));
    }

    /// Rules of parts of the model, with what stands beside them; a file without any says nothing of them.
    void rulesOfParts()
    {
        QVERIFY(writeExperiment(builtinExamples().back().make()).find("inner") == std::string::npos);
        const auto read = readExperiment(R"({"format": "sharding-experiment", "version": "1.0",
  "rules": { "dialect": "penzai", "list": [["batch", "data"]],
    "inner": [ { "within": "decoder/layer_1", "rules": [["mlp", ["data", "model"]], ["embed", null]], "notes": "own" },
               { "colour": 7, "within": "encoder", "rules": [] } ] } })");
        QVERIFY2(read.has_value(), read ? "" : reasons(read.error()).c_str());
        const RulesSetting& rules = read->experiment.rules;
        QCOMPARE(rules.inner.size(), std::size_t{ 2 });
        QCOMPARE(rules.inner[0].within, "decoder/layer_1");
        QCOMPARE(rules.inner[0].rules.list.size(), std::size_t{ 2 });
        QVERIFY(!rules.rules.isSequence && !rules.inner[0].rules.isSequence && !rules.inner[1].rules.isSequence);
        QCOMPARE(read->warnings.size(), std::size_t{ 1 });
        QCOMPARE(read->warnings[0].where.pointer, "/rules/inner/1/colour");
        const std::string text = writeExperiment(read->experiment);
        QVERIFY2(text.find(R"(    "inner": [
      {
        "within": "decoder/layer_1",
        "rules": [
          ["mlp", ["data", "model"]],
          ["embed", null]
        ],
        "notes": "own"
      },
      {
        "colour": 7,
        "within": "encoder",
        "rules": []
      }
    ]
  })") != std::string::npos,
            text.c_str());
        const auto again = readExperiment(text);
        QVERIFY(again && again->experiment == read->experiment && writeExperiment(again->experiment) == text);
    }

    /// Files that say nothing of propagation stay as they are; what stands at the section stays.
    void propagation()
    {
        const auto plain = readExperiment(minimal);
        QVERIFY(plain.has_value());
        QVERIFY(plain->experiment.propagation == PropagationSetting{});
        QVERIFY(writeExperiment(plain->experiment).find("propagation") == std::string::npos);

        const auto read = readExperiment(R"({"format": "sharding-experiment", "version": "1.0",
  "propagation": { "strategy": "op-priority", "conservative": true, "user_priorities": false } })");
        QVERIFY(read.has_value());
        QVERIFY((read->experiment.propagation == PropagationSetting{ StrategyChoice::OperationPriority, true, false }));
        QVERIFY(writeExperiment(read->experiment)
                    .find("  \"propagation\": {\n    \"strategy\": \"op-priority\",\n    \"conservative\": true,\n"
                          "    \"user_priorities\": false\n  },\n  \"run\"")
            != std::string::npos);

        const auto noted = readExperiment(R"({"format": "sharding-experiment", "version": "1.0",
  "propagation": { "notes": "as usual" } })");
        QVERIFY(noted.has_value());
        QVERIFY(writeExperiment(noted->experiment).find("as usual") != std::string::npos);
    }

    void shardingRules()
    {
        const std::string rule = "([i, j])->([i, j]) {i=8, j=4} blocked_propagation={j}";
        const auto read = readExperiment(R"({"format": "sharding-experiment", "version": "1.0",
  "model": { "preset": "program", "text": ["nothing"], "sharding_rules": { "0": ")"
            + rule + R"(", "notes": "own" } } })");
        QVERIFY2(read.has_value(), read ? "" : reasons(read.error()).c_str());
        const auto& model = std::get<ProgramModel>(read->experiment.model);
        QCOMPARE(model.shardingRules, (std::vector<RuleOverride>{ { "0", rule } }));
        const std::string text = writeExperiment(read->experiment);
        const auto again = readExperiment(text);
        QVERIFY(again.has_value());
        QVERIFY(again->experiment == read->experiment);
        QCOMPARE(writeExperiment(again->experiment), text);
        QVERIFY(!read->warnings.size());
    }

    /// Notes that are empty are not written: what stands behind them stands behind what is before them.
    void unknownKeysAfterEmptyNotes()
    {
        const auto read = readExperiment(R"({"format": "sharding-experiment", "version": "1.0",
  "run": { "notes": "", "first": 1, "seed": 3, "notes ": "", "third": 2 } })");
        QVERIFY(read.has_value());
        const std::string text = writeExperiment(read->experiment);
        QVERIFY2(text.find("\"first\"") < text.find("\"seed\""), text.c_str());
        const auto again = readExperiment(text);
        QVERIFY(again.has_value());
        QCOMPARE(writeExperiment(again->experiment), text);
    }

    /// A save writes known keys in its own order, and what is read of that is the same experiment.
    void unknownKeysOfAnotherOrder()
    {
        const auto read = readExperiment(R"({ "format": "sharding-experiment", "version": "1.0",
  "model": { "preset": "transformer", "encoder_layers": 2, "encoder_length": 4, "later": 1, "latest": 2,
    "gated_mlp": false, "scaled_attention": false, "tied": true, "scaled_logits": true } })");
        QVERIFY(read.has_value());
        QCOMPARE(read->experiment.unknownKeys.size(), std::size_t(3));
        const std::string written = writeExperiment(read->experiment);
        const auto again = readExperiment(written);
        QVERIFY(again.has_value() && again->experiment == read->experiment);
        QCOMPARE(writeExperiment(again->experiment), written);
    }

    /// "experts": null is not written: what stood after it comes last, and is the same experiment.
    void unknownKeysAfterWhatIsNotWritten()
    {
        const auto read = readExperiment(R"({ "format": "sharding-experiment", "version": "1.0",
  "model": { "preset": "transformer", "z": 1, "experts": null, "b": 2, "a": 3, "": 4, "layers": 3, "c": 5 } })");
        QVERIFY(read.has_value());
        QCOMPARE(read->experiment.unknownKeys.size(), std::size_t(5));
        const std::string written = writeExperiment(read->experiment);
        QVERIFY2(written.find("\"preset\": \"transformer\",\n    \"z\": 1,\n") != std::string::npos, written.c_str());
        QVERIFY2(written.find("\"layers\": 3,\n    \"c\": 5,\n") != std::string::npos, written.c_str());
        QVERIFY2(
            written.find(",\n    \"b\": 2,\n    \"a\": 3,\n    \"\": 4\n  }") != std::string::npos, written.c_str());
        const auto again = readExperiment(written);
        QVERIFY(again.has_value() && again->experiment == read->experiment);
        QCOMPARE(writeExperiment(again->experiment), written);
        // The value counts, the place does not.
        Experiment other = read->experiment;
        UnknownKey first = *other.unknownKeys.begin();
        other.unknownKeys.erase(other.unknownKeys.begin());
        first.json = "7";
        other.unknownKeys.insert(first);
        QVERIFY(other != read->experiment);
    }

    void unknownKeyNearAKnownOne()
    {
        const auto read = readExperiment(R"({"format": "sharding-experiment", "version": "1.0",
  "hardware": { "platfrom": "tpu" }, "zzz": 1})");
        QVERIFY(read.has_value());
        QCOMPARE(read->warnings.size(), std::size_t{ 2 });
        QCOMPARE(read->warnings[0].text("nearest"), "platform");
        QCOMPARE(read->warnings[0].where.pointer, "/hardware/platfrom");
        QCOMPARE(read->warnings[0].where.line, 2);
        QCOMPARE(read->warnings[0].where.column, 17);
        QVERIFY(!read->warnings[1].arg("nearest"));
        QCOMPARE(read->experiment.hardware.devices.platform, "cpu");
    }

    void commentsAndTrailingCommas()
    {
        const auto commented =
            readExperiment("\xEF\xBB\xBF// first\n{ \"format\": \"sharding-experiment\", /* mid\ndle */\r\n"
                           "  \"version\": \"1.0\", \"title\": \"a // b /* c */\"\n} // last");
        QVERIFY(commented.has_value());
        QCOMPARE(commented->experiment.title, "a // b /* c */");
        QCOMPARE(commented->warnings.size(), std::size_t{ 1 });
        QCOMPARE(commented->warnings[0].code, Code::CommentsLost);
        QCOMPARE(commented->warnings[0].where.line, 1);
        QCOMPARE(commented->warnings[0].where.column, 1);
        QCOMPARE(commented->warnings[0].number("count"), 3);

        const auto commas = readExperiment(R"({ "format": "sharding-experiment", "version": "1.0",
  "mesh": { "axes": [ ["a", 2,], ], }, })");
        QVERIFY(commas.has_value());
        QCOMPARE(commas->experiment.mesh.axes, (std::vector<MeshAxis>{ { "a", 2 } }));
        QCOMPARE(commas->warnings.size(), std::size_t{ 1 });
        QCOMPARE(commas->warnings[0].where.line, 2);
        QCOMPARE(commas->warnings[0].where.column, 30);
        QVERIFY(!readExperiment(R"({ "format": "sharding-experiment",, "version": "1.0" })"));
    }

    void newerMinorVersion()
    {
        const auto read = readExperiment(R"({ "format": "sharding-experiment", "version": "1.7", "speed": 9 })");
        QVERIFY(read.has_value());
        QCOMPARE(read->warnings.size(), std::size_t{ 2 });
        QCOMPARE(read->warnings[0].code, Code::NewerMinorVersion);
        const std::string text = writeExperiment(read->experiment);
        QVERIFY(text.find("\"version\": \"1.7\"") != std::string::npos);
        QVERIFY(text.find("\"speed\": 9") != std::string::npos);
    }

    void largeSizesAreAccepted()
    {
        const auto read = readExperiment(R"({ "format": "sharding-experiment", "version": "1.0",
            "model": { "preset": "mlp", "dims": { "batch": 4000000000, "embed": 1099511627776 } } })");
        QVERIFY(read.has_value());
        QCOMPARE(std::get<MlpModel>(read->experiment.model).settings.batch, 4'000'000'000);
    }

    void everyTruncationIsAnError()
    {
        Experiment experiment = builtinExamples().front().make();
        experiment.title = "größer \"\\\n";
        const std::string text = writeExperiment(experiment);
        QVERIFY(readExperiment(text).has_value());
        for (std::size_t length = 0; length + 1 < text.size(); ++length) { // without its last line end it is whole
            const auto read = readExperiment(std::string_view(text).substr(0, length));
            QVERIFY2(!read.has_value(), std::to_string(length).c_str());
            QCOMPARE(read.error().size(), std::size_t{ 1 });
            QCOMPARE(read.error()[0].code, Code::Syntax);
            QVERIFY(read.error()[0].where.line > 0 && read.error()[0].where.column > 0);
        }
    }

    void changedBytesNeverCrash()
    {
        const std::string text = writeExperiment(builtinExamples().back().make());
        for (std::size_t i = 0; i < text.size(); ++i) {
            for (const char byte : { '\0', '"', ']', '9', '\xC3' }) {
                std::string changed = text;
                changed[i] = byte;
                const auto read = readExperiment(changed);
                if (read) { // whatever was read can be written and read again
                    const auto again = readExperiment(writeExperiment(read->experiment));
                    QVERIFY(again.has_value());
                    QVERIFY(again->experiment == read->experiment);
                } else {
                    QVERIFY(!read.error().empty());
                }
            }
        }
    }
};

REGISTER_TEST(RoundTripTest)
#include "test_round_trip.moc"
