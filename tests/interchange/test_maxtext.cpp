// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <fstream>
#include <numeric>
#include <sstream>

#include "base/codes.h"
#include "interchange/maxtext_config.h"
#include "interchange/yaml_text.h"
#include "random_properties.h"
#include "registered_test.h"
#include "rules/published_rules.h"
#include "sharding/parse_names.h"
#include "sharding/text.h"
#include "shared_facts.h"

using namespace shardscope;

class TestMaxText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads();
    void realFile();
    void refuses_data();
    void refuses();
    void warns();
    void limits();
    void nulls();
    void splitsOverSlices();
    void slicesAndBack();
    void meshes_data();
    void meshes();
    void refusedMeshes_data();
    void refusedMeshes();
    void hybridOrder();
    void slicesAreMajorAlongEveryAxis();
    void roundTrip();
    void noWordsInMaxText();
};

namespace {

const char* const small = R"(
# a comment
run_name: ""
checkpoint_period: 10_000
mesh_axes: ['data', 'stage', 'fsdp']
logical_axis_rules: [
                      ['activation_batch', ['data', 'fsdp']],
                      # a comment
                      ["embed", 'fsdp'],
                      ['kv', []],
                      ['norm', null],
                      ['embed', ['stage',]],
                  ]
data_sharding: [['data', 'fsdp'], 'stage']
input_data_sharding_logical_axes: ['activation_batch']
dcn_data_parallelism: -1  # worked out
dcn_pipeline_parallelism: 2
ici_fsdp_parallelism: -1
ici_pipeline_parallelism: 1_0
ici_sequence_parallelism: 1
)";

MaxTextConfig configOf(std::vector<MaxTextAxis> axes)
{
    MaxTextConfig config;
    config.axes = std::move(axes);
    return config;
}

QString meshText(const MaxTextMesh& mesh)
{
    QStringList axes;
    for (const MeshAxis& axis : mesh.meshAxes())
        axes << QString::fromStdString(axis.name) + QLatin1Char('=') + QString::number(axis.size);
    return axes.join(QLatin1Char(' ')) + QStringLiteral(" on %1 x %2").arg(mesh.slices).arg(mesh.devicesPerSlice);
}

} // namespace

void TestMaxText::reads()
{
    const Result<ReadMaxText> read = readMaxText(small);
    QVERIFY(read.has_value());
    const MaxTextConfig& config = read->config;
    QCOMPARE(config.axes, (std::vector<MaxTextAxis>{ { "data", 1, -1 }, { "stage", 10, 2 }, { "fsdp", -1, 1 } }));
    QCOMPARE(toPython(config.rules),
        std::string("(('activation_batch', ('data', 'fsdp')), ('embed', 'fsdp'), ('kv', ()), ('norm', None), "
                    "('embed', ('stage',)))"));
    QCOMPARE(toColumn(config.dataSharding), std::string("P((data, fsdp), stage)"));
    QCOMPARE(config.inputNames, std::vector<std::string>{ "activation_batch" });
    QCOMPARE(read->passedOver.size(), 2U);
    QCOMPARE(read->passedOver[1].key, std::string("checkpoint_period"));
    QCOMPARE(read->passedOver[1].line, 4);
    QVERIFY(read->warnings.empty());
}

/// MaxText's own configuration, where it lies beside the project.
void TestMaxText::realFile()
{
    std::ifstream stream(test::sharedFacts() / "interchange/maxtext_base.yml");
    if (!stream)
        QSKIP("MaxText's base.yml is not at hand");
    std::stringstream text;
    text << stream.rdbuf();
    const Result<ReadMaxText> read = readMaxText(text.str());
    QVERIFY(read.has_value());
    QCOMPARE(read->config.axes.size(), 12U);
    QCOMPARE(read->config.axes[1], (MaxTextAxis{ "data", 1, -1 }));
    QCOMPARE(read->config.axes[2], (MaxTextAxis{ "stage", 1, 1 }));
    QCOMPARE(read->config.axes[3], (MaxTextAxis{ "fsdp", -1, 1 }));
    QCOMPARE(read->config.rules.list.size(), 76U);
    QCOMPARE(read->config.dataSharding.size(), 1U);
    QCOMPARE(read->config.dataSharding.axesOf(0).size(), 11U);
    QCOMPARE(read->config.inputNames.size(), 2U);
    QVERIFY(read->passedOver.size() > 500);
    QVERIFY(read->warnings.empty());
    const Result<MaxTextMesh> mesh = resolveMesh(read->config, { 512, 2 });
    QVERIFY(mesh.has_value());
    QCOMPARE(mesh->meshAxes()[1].size, 2);
    QCOMPARE(mesh->meshAxes()[3].size, 256);
    QVERIFY(mesh->deviceOrder.empty());
    const auto spec = [&](const char* names) {
        return toColumn(resolve(*parseNames(names), read->config.rules, FlaxVersion::Current)->spec());
    };
    QCOMPARE(spec("embed,mlp"),
        std::string("P((fsdp, context, context_usp_ulysses, expert), (fsdp_transpose, tensor, tensor_sequence, "
                    "autoregressive))"));
}

void TestMaxText::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("column");
    const auto row = [](const char* what, const char* text, Code code, int line, int column) {
        QTest::newRow(what) << text << static_cast<int>(code) << line << column;
    };
    row("not YAML", "mesh_axes: ['data',\nlogical: [", Code::Syntax, 2, 11);
    row("a tab", "a:\n\tb: 1", Code::Syntax, 2, 1);
    row("a list", "- a\n- b", Code::Syntax, 1, 1);
    row("nothing", "", Code::Syntax, 1, 1);
    row("nothing about sharding", "run_name: 'x'", Code::MissingKey, 1, 1);
    row("a key twice", "mesh_axes: ['x']\nrun: 1\nmesh_axes: ['y']", Code::DuplicateKey, 3, 1);
    row("two documents", "mesh_axes: ['x']\n---\nmesh_axes: ['y']", Code::Syntax, 2, 1);
    row("an alias", "a: &b ['x']\nmesh_axes: *b", Code::Syntax, 2, 12);
    row("axes as text", "mesh_axes: data", Code::WrongType, 1, 12);
    row("an axis as a list", "mesh_axes: ['data', ['x']]", Code::WrongType, 1, 21);
    row("an axis twice", "mesh_axes: ['data', 'x', 'data']", Code::DuplicateAxis, 1, 26);
    row("rules as a mapping", "logical_axis_rules: { batch: data }", Code::RulesType, 1, 21);
    row("a rule of one", "logical_axis_rules: [['a', 'x'], ['b']]", Code::RuleArity, 1, 34);
    row("a rule as text", "logical_axis_rules: ['a']", Code::WrongType, 1, 22);
    row("octal", "mesh_axes: ['x']\nici_x_parallelism: 010", Code::WrongType, 2, 20);
    row("an underscore in front", "mesh_axes: ['x']\nici_x_parallelism: _8", Code::WrongType, 2, 20);
    row("two signs", "mesh_axes: ['x']\nici_x_parallelism: +-1", Code::WrongType, 2, 20);
    row("a rule for null", "logical_axis_rules: [[null, 'x']]", Code::WrongType, 1, 23);
    row("axes in axes", "logical_axis_rules: [['a', [['x']]]]", Code::WrongType, 1, 29);
    row("no number", "mesh_axes: ['x']\nici_x_parallelism: many", Code::WrongType, 2, 20);
    row("a number in quotes", "mesh_axes: ['x']\nici_x_parallelism: '2'", Code::WrongType, 2, 20);
    row("a fraction", "mesh_axes: ['x']\nici_x_parallelism: 2.5", Code::WrongType, 2, 20);
    row("zero", "mesh_axes: ['x']\nici_x_parallelism: 0", Code::OutOfRange, 2, 20);
    row("-2", "mesh_axes: ['x']\ndcn_x_parallelism: -2", Code::OutOfRange, 2, 20);
    row("too large", "mesh_axes: ['x']\ndcn_x_parallelism: 99999999999999999999", Code::OutOfRange, 2, 20);
}

void TestMaxText::refuses()
{
    QFETCH(QString, text);
    QFETCH(int, code);
    QFETCH(int, line);
    QFETCH(int, column);
    const Result<ReadMaxText> read = readMaxText(text.toStdString());
    QVERIFY(!read.has_value());
    QCOMPARE(static_cast<int>(read.error().code), code);
    QCOMPARE(read.error().where.line, line);
    QCOMPARE(read.error().where.column, column);
}

void TestMaxText::warns()
{
    const ReadMaxText read = *readMaxText("mesh_axes: ['data']\n"
                                          "logical_axis_rules: [['a', 'data'],\n  ['b', ['rows', 'data']]]\n"
                                          "ici_tensor_parallelism: 4\nici_fsdp_parallelism: 1\n"
                                          "custom_mesh_and_rule: 'pure-fsdp'\n");
    QStringList warnings;
    for (const Diagnostic& warning : read.warnings)
        warnings << QString::fromUtf8(warning.id().data()) + QStringLiteral(" line %1").arg(warning.where.line);
    QCOMPARE(warnings, (QStringList{ "W217 line 6", "W213 line 4", "W211 line 3" }));
    // Overrides have no mesh of their own; there is nothing to compare with.
    QVERIFY(readMaxText("logical_axis_rules: [['norm', 'fsdp']]\nici_tensor_parallelism: 4")->warnings.empty());
    // The configuration of a run: what differs from base.yml.
    const std::string run = "base_config: 'base.yml'\nici_tensor_parallelism: 4\nper_device_batch_size: 0.5\n";
    const Result<ReadMaxText> over = readMaxText(run);
    QVERIFY(over.has_value());
    QCOMPARE(over->warnings.size(), std::size_t{ 1 });
    QVERIFY(over->warnings[0].code == Code::RulesElsewhere);
    QCOMPARE(over->warnings[0].text("taken"), std::string("base.yml, August 2026"));
    QVERIFY(over->config.rules == findPublishedRules(currentMaxTextRules)->rules);
    QCOMPARE(over->config.axes.size(), std::size_t{ 12 });
    const Result<MaxTextMesh> mesh = resolveMesh(over->config, { 16, 2 });
    QVERIFY(mesh.has_value());
    for (const MaxTextAxis& axis : mesh->axes) {
        QCOMPARE(axis.ici, std::int64_t{ axis.name == "tensor" ? 4 : axis.name == "fsdp" ? 2 : 1 });
        QCOMPARE(axis.dcn, std::int64_t{ axis.name == "data" ? 2 : 1 });
    }
    QVERIFY(!readMaxText(run + "custom_mesh_and_rule: 'pure-fsdp'\n")); // they stand in that file
}

void TestMaxText::limits()
{
    std::string names = "'a0'";
    for (int i = 1; i < 400'000; ++i)
        names += ",'a" + std::to_string(i) + "'";
    for (const std::string& text : { "mesh_axes: [" + names + "]", "logical_axis_rules: [['a', [" + names + "]]]",
             "mesh_axes: ['x']\ndata_sharding: [[" + names + "]]",
             "mesh_axes: ['x']\ninput_data_sharding_logical_axes: [" + names + "]" }) {
        const Result<ReadMaxText> read = readMaxText(text);
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().code, Code::TooLarge);
        QVERIFY(read.error().where.line > 0);
    }
    std::string rules = "mesh_axes: ['x']\nlogical_axis_rules: [";
    for (int i = 0; i < 1'000; ++i)
        rules += "['a', 'y'],";
    const std::vector<Diagnostic> warnings = readMaxText(rules + "]")->warnings;
    QCOMPARE(warnings.size(), 1U);
    QCOMPARE(warnings[0].number("alike"), 1'000);
}

/// The words of YAML 1.1. Python's None is none of them.
void TestMaxText::nulls()
{
    for (const char* null : { "", "~", "null", "Null", "NULL" }) {
        const Result<ReadMaxText> read = readMaxText("logical_axis_rules:\n- - a\n  - " + std::string(null) + "\n");
        QVERIFY(read.has_value());
        QCOMPARE(toPython(read->config.rules), std::string("(('a', None),)"));
    }
    QCOMPARE(toPython(readMaxText("logical_axis_rules: [['a', None]]")->config.rules), std::string("(('a', 'None'),)"));
}

void TestMaxText::splitsOverSlices()
{
    using Axes = std::vector<MaxTextAxis>;
    const std::vector<MeshAxis> axes{ { "data", 2 }, { "fsdp", 4 } };
    QCOMPARE(*splitOverSlices(axes, {}, 1), (Axes{ { "data", 2, 1 }, { "fsdp", 4, 1 } }));
    QCOMPARE(*splitOverSlices(axes, {}, 2), (Axes{ { "data", 1, 2 }, { "fsdp", 4, 1 } }));
    QCOMPARE(*splitOverSlices(axes, {}, 4), (Axes{ { "data", 1, 2 }, { "fsdp", 2, 2 } }));
    QCOMPARE(*splitOverSlices(axes, { 0, 1, 2, 3, 4, 5, 6, 7 }, 2), (Axes{ { "data", 1, 2 }, { "fsdp", 4, 1 } }));
    QCOMPARE(*splitOverSlices(axes, { 0, 1, 4, 5, 2, 3, 6, 7 }, 2), (Axes{ { "data", 2, 1 }, { "fsdp", 2, 2 } }));
    QVERIFY(!splitOverSlices(axes, {}, 3));
    QVERIFY(!splitOverSlices(axes, { 0, 1, 4, 5, 2, 3, 6, 7 }, 1));
    QVERIFY(!splitOverSlices(axes, { 7, 6, 5, 4, 3, 2, 1, 0 }, 2));
    QVERIFY(!splitOverSlices({ { "x", 6 } }, { 0, 3, 1, 4, 2, 5 }, 2));
    // No mesh has these sizes.
    QVERIFY(!splitOverSlices({ { "x", 0 }, { "y", 2 } }, {}, 1));
    QVERIFY(!splitOverSlices({ { "x", -2 }, { "y", -2 } }, {}, 2));
    const std::int64_t large = std::int64_t{ 1 } << 40;
    QVERIFY(!splitOverSlices({ { "x", large }, { "y", large } }, {}, 1));
}

void TestMaxText::slicesAndBack()
{
    QVERIFY(test::propertyHolds(1000, "the sizes of a mesh of slices are found again", [] {
        MaxTextConfig config;
        const char* const names[] = { "a", "b", "c", "d" };
        const int count = *rc::gen::inRange(0, 5);
        for (int i = 0; i < count; ++i)
            config.axes.push_back(
                { names[i], *rc::gen::inRange<std::int64_t>(1, 4), *rc::gen::inRange<std::int64_t>(1, 4) });
        const MaxTextMesh mesh = *resolveMesh(config, {});
        const auto split = splitOverSlices(mesh.meshAxes(), mesh.deviceOrder, mesh.slices);
        RC_ASSERT(split.has_value());
        MaxTextConfig found;
        found.axes = *split;
        const MaxTextMesh again = *resolveMesh(found, {});
        RC_ASSERT(again.meshAxes() == mesh.meshAxes());
        RC_ASSERT(again.slices == mesh.slices);
        RC_ASSERT(again.deviceOrder == mesh.deviceOrder);
    }));
}

void TestMaxText::meshes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("devices"); // 0 = not said
    QTest::addColumn<int>("slices");
    QTest::addColumn<QString>("mesh");
    const auto row = [](const char* what, const char* text, int devices, int slices, const char* mesh) {
        QTest::newRow(what) << text << devices << slices << mesh;
    };
    const char* const usual = "mesh_axes: [data, fsdp]\ndcn_data_parallelism: -1\nici_fsdp_parallelism: -1";
    row("one slice", usual, 256, 1, "data=1 fsdp=256 on 1 x 256");
    row("two slices", usual, 512, 2, "data=2 fsdp=256 on 2 x 256");
    row("slices are one where they are open", usual, 8, 0, "data=1 fsdp=8 on 1 x 8");
    row("nothing open", "mesh_axes: [data, fsdp]\ndcn_data_parallelism: 2\nici_fsdp_parallelism: 4", 0, 0,
        "data=2 fsdp=4 on 2 x 4");
    row("one slice does without dcn", "mesh_axes: [data, fsdp]\ndcn_data_parallelism: 2\nici_fsdp_parallelism: 4", 4, 1,
        "data=1 fsdp=4 on 1 x 4");
    row("both on one axis", "mesh_axes: [data]\ndcn_data_parallelism: 2\nici_data_parallelism: 3", 6, 2,
        "data=6 on 2 x 3");
    row("no axes", "mesh_axes: []", 1, 1, " on 1 x 1");
    row("model is called tensor", "mesh_axes: [model]\nici_tensor_parallelism: 4", 0, 0, "model=4 on 1 x 4");
}

void TestMaxText::meshes()
{
    QFETCH(QString, text);
    QFETCH(int, devices);
    QFETCH(int, slices);
    QFETCH(QString, mesh);
    const auto specified = [](int number) { return number > 0 ? std::optional<std::int64_t>(number) : std::nullopt; };
    const Result<MaxTextMesh> resolved =
        resolveMesh(readMaxText(text.toStdString())->config, { specified(devices), specified(slices) });
    QVERIFY(resolved.has_value());
    QCOMPARE(meshText(*resolved), mesh);
}

void TestMaxText::refusedMeshes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("slices");
    QTest::addColumn<int>("code");
    const auto row = [](const char* what, const char* text, int devices, int slices, Code code) {
        QTest::newRow(what) << text << devices << slices << static_cast<int>(code);
    };
    row("two open", "mesh_axes: [a, b]\nici_a_parallelism: -1\nici_b_parallelism: -1", 8, 1, Code::UnresolvedAxisSize);
    row("open, and no devices", "mesh_axes: [a]\nici_a_parallelism: -1", 0, 1, Code::UnresolvedAxisSize);
    row("does not divide", "mesh_axes: [a, b]\nici_a_parallelism: 3\nici_b_parallelism: -1", 8, 1,
        Code::DevicesMismatch);
    row("too few", "mesh_axes: [a]\nici_a_parallelism: 4", 8, 1, Code::DevicesMismatch);
    row("slices that do not divide", "mesh_axes: [a]\ndcn_a_parallelism: -1", 8, 3, Code::DevicesMismatch);
    row("dcn does not fit", "mesh_axes: [a]\ndcn_a_parallelism: 4", 8, 2, Code::DevicesMismatch);
    row("too many", "mesh_axes: [a, b]\nici_a_parallelism: 1_000_000\nici_b_parallelism: 2", 0, 0, Code::TooLarge);
    row("too many in all", "mesh_axes: [a]\nici_a_parallelism: 1_000_000\ndcn_a_parallelism: 4", 0, 0, Code::TooLarge);
}

void TestMaxText::refusedMeshes()
{
    QFETCH(QString, text);
    QFETCH(int, devices);
    QFETCH(int, slices);
    QFETCH(int, code);
    const auto specified = [](int number) { return number > 0 ? std::optional<std::int64_t>(number) : std::nullopt; };
    const Result<MaxTextMesh> mesh =
        resolveMesh(readMaxText(text.toStdString())->config, { specified(devices), specified(slices) });
    QVERIFY(!mesh.has_value());
    QCOMPARE(static_cast<int>(mesh.error().code), code);
}

void TestMaxText::hybridOrder()
{
    // Slices along the minor axis: position (data 1, fsdp 2) is slice 1, inside it (1, 0), which is device 4 + 2.
    const MaxTextMesh mesh = *resolveMesh(configOf({ { "data", 2, 1 }, { "fsdp", 2, 2 } }), {});
    QCOMPARE(mesh.deviceOrder, (std::vector<std::int32_t>{ 0, 1, 4, 5, 2, 3, 6, 7 }));
    QVERIFY(resolveMesh(configOf({ { "data", 1, 2 }, { "fsdp", 4, 1 } }), {})->deviceOrder.empty());
}

void TestMaxText::slicesAreMajorAlongEveryAxis()
{
    QVERIFY(test::propertyHolds(1000, "a slice is a block of the mesh", [] {
        std::vector<MaxTextAxis> axes;
        for (const char* name : { "a", "b", "c" })
            axes.push_back(
                { name, *rc::gen::element<std::int64_t>(1, 2, 3), *rc::gen::element<std::int64_t>(1, 1, 2) });
        const MaxTextMesh resolved = *resolveMesh(configOf(axes), {});
        const Mesh mesh = *Mesh::create(resolved.meshAxes(), resolved.deviceOrder);
        for (std::int64_t position = 0; position < mesh.deviceCount(); ++position) {
            const std::int64_t slice = mesh.deviceAt(position) / resolved.devicesPerSlice;
            std::int64_t expected = 0;
            for (std::size_t axis = 0; axis < axes.size(); ++axis)
                expected = expected * axes[axis].dcn + mesh.coordinate(position, axis) / axes[axis].ici;
            RC_ASSERT(slice == expected);
        }
    }));
}

void TestMaxText::roundTrip()
{
    QVERIFY(test::propertyHolds(1000, "what is written is read", [] {
        const auto name = [] {
            return *rc::gen::element<std::string>("a", "it's", "x: y", "null", "None", "#", "1", "", "\n\t\x01\x7f",
                "é", "\xc2\x85\xef\xbb\xbf\xe2\x80\xa8", "a\\b\"c", " a ", "\xf0\x9f\x98\x80", std::string(1, '\0'),
                "-", "*x");
        };
        MaxTextConfig config;
        const auto count = [](int most) { return *rc::gen::inRange(0, most); };
        for (int i = count(4); i > 0; --i) {
            const std::string axis = name() + std::to_string(i);
            config.axes.push_back(
                { axis, *rc::gen::element<std::int64_t>(-1, 1, 7), *rc::gen::element<std::int64_t>(-1, 1) });
        }
        const auto entry = [&] {
            SpecEntry target = *rc::gen::element(SpecEntry::none(), SpecEntry::tuple({}), SpecEntry::axis(name()),
                SpecEntry::tuple({ name() }), SpecEntry::tuple({ name(), name() }));
            return target;
        };
        for (int i = count(5); i > 0; --i)
            config.rules.list.push_back({ LogicalName::of(name()), entry(), false, 2 });
        for (int i = count(3); i > 0; --i)
            config.dataSharding.entries.push_back(entry());
        for (int i = count(3); i > 0; --i)
            config.inputNames.push_back(name());
        const std::string text = *writeMaxText(config);
        const Result<ReadMaxText> read = readMaxText(text);
        RC_ASSERT(read.has_value());
        RC_ASSERT(read->config == config);
        RC_ASSERT(read->passedOver.empty());
    }));
}

void TestMaxText::noWordsInMaxText()
{
    const auto code = [](const char* rules) {
        MaxTextConfig config;
        config.rules = *parseRules(rules);
        return writeMaxText(config).error().code;
    };
    QCOMPARE(code("{'a': 'x'}"), Code::RulesType);
    QCOMPARE(code("[('a',)]"), Code::RuleArity);
    QCOMPARE(code("[('a', (('x',),))]"), Code::NestedTuple);
    QCOMPARE(code("[(None, 'x')]"), Code::WrongType);
    QCOMPARE(code("[('a', P.UNCONSTRAINED)]"), Code::WrongType);
    QCOMPARE(quoteYaml("it's"), std::string("'it''s'"));
    QCOMPARE(quoteYaml("a\nb"), std::string("\"a\\x0ab\""));
}

REGISTER_TEST(TestMaxText)
#include "test_maxtext.moc"
