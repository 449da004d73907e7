// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a list of arrays and of the mapping of their names; T5X' partitioner over an experiment.
#include <QTest>

#include "base/codes.h"
#include "experiment/array_edits.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment/t5x_rules.h"
#include "registered_test.h"
#include "sharding/text.h"

using namespace shardscope;

namespace {

LogicalNames names(std::initializer_list<const char*> words)
{
    LogicalNames result;
    for (const char* word : words)
        result.push_back(word ? LogicalName::of(word) : LogicalName::none());
    return result;
}

NamedArraySetting array(const char* path, LogicalNames axes, Shape shape)
{
    NamedArraySetting made;
    made.path = path;
    made.names = std::move(axes);
    made.shape = std::move(shape);
    return made;
}

Experiment notebook()
{
    Experiment experiment;
    experiment.mesh.axes = { { "foo", 4 }, { "bar", 2 } };
    experiment.rules.rules = *parseRules("[('a', 'bar'), ('b', 'foo')]");
    experiment.rules.rules.isSequence = false;
    experiment.model = ArraysModel{ { array("one", names({ "a", "b", "c" }), { 4, 8, 6 }),
        array("two", names({ "a" }), { 8 }), array("three", names({ "b", nullptr }), { 4, 12 }) } };
    return experiment;
}

Experiment mlp()
{
    return builtinExamples().front().make();
}

const std::vector<NamedArraySetting>& listOf(const Experiment& experiment)
{
    return std::get<ArraysModel>(experiment.model).arrays;
}

std::string rulesOf(const Experiment& experiment)
{
    return toPython(experiment.rules.rules);
}

std::vector<std::string> pathsOf(const Experiment& experiment)
{
    std::vector<std::string> paths;
    for (const NamedArraySetting& each : listOf(experiment))
        paths.push_back(each.path);
    return paths;
}

} // namespace

class TestArrayEdits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void arraysComeAndGo()
    {
        const Experiment before = notebook();
        const Result<Experiment> added = withArrayAdded(before, array("group/four", names({ nullptr, "d" }), { 3, 5 }));
        QVERIFY(added.has_value());
        QCOMPARE(pathsOf(*added), (std::vector<std::string>{ "one", "two", "three", "group/four" }));
        QCOMPARE(pathsOf(*withArrayRemoved(*added, 1)), (std::vector<std::string>{ "one", "three", "group/four" }));
        const Result<Experiment> replaced = withArrayReplaced(before, 1, array("2", names({ "b" }), { 16 }));
        QCOMPARE(listOf(*replaced)[1].path, std::string("2"));
        QVERIFY(listOf(*replaced)[1].shape == Shape{ 16 });
        QVERIFY(listOf(*replaced)[0] == listOf(before)[0] && listOf(*replaced)[2] == listOf(before)[2]);
        // A scalar and an array in its own place are arrays, too.
        QVERIFY(withArrayAdded(before, array("scalar", {}, {})).has_value());
        QVERIFY(withArrayReplaced(before, 0, array("one", names({ "a" }), { 2 })).has_value());
    }

    void whatIsRefused_data()
    {
        QTest::addColumn<NamedArraySetting>("array");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, NamedArraySetting wrong, Code code) {
            QTest::newRow(name) << wrong << static_cast<int>(code);
        };
        row("path in use", array("two", names({ "a" }), { 8 }), Code::InvalidAttribute);
        row("no path", array("", names({ "a" }), { 8 }), Code::WrongType);
        row("path of control characters", array("a\nb", names({ "a" }), { 8 }), Code::WrongType);
        row("name twice", array("new", names({ "a", "a" }), { 8, 8 }), Code::DuplicateDimension);
        row("empty name", array("new", names({ "" }), { 8 }), Code::WrongType);
        row("reserved name", array("new", names({ "P.UNCONSTRAINED" }), { 8 }), Code::WrongType);
        row("fewer sizes", array("new", names({ "a", "b" }), { 8 }), Code::InvalidAttribute);
        row("size 0", array("new", names({ "a" }), { 0 }), Code::OutOfRange);
        row("negative size", array("new", names({ "a" }), { -1 }), Code::OutOfRange);
        row("size beyond files", array("new", names({ "a" }), { (std::int64_t{ 1 } << 40) + 1 }), Code::OutOfRange);
        row("too many bytes", array("new", names({ "a", "b" }), { std::int64_t{ 1 } << 40, std::int64_t{ 1 } << 40 }),
            Code::TooLarge);
        row("rank 17", array("new", LogicalNames(17), Shape(17, 1)), Code::TooLarge);
        NamedArraySetting small = array("new", names({ "a" }), { 8 });
        small.dtype = DType::F8E4M3FN;
        row("a type that lists have not", small, Code::UnknownValue);
    }
    void whatIsRefused()
    {
        QFETCH(NamedArraySetting, array);
        QFETCH(int, code);
        const Experiment before = notebook();
        const Result<Experiment> added = withArrayAdded(before, array);
        QVERIFY(!added.has_value());
        QCOMPARE(static_cast<int>(added.error().code), code);
        const Result<Experiment> replaced = withArrayReplaced(before, 0, array);
        QVERIFY(!replaced.has_value());
        QCOMPARE(static_cast<int>(replaced.error().code), code);
    }

    void onlyOfLists()
    {
        QCOMPARE(withArrayAdded(mlp(), array("a", {}, {})).error().code, Code::UnknownValue);
        QCOMPARE(withArrayRemoved(mlp(), 0).error().code, Code::UnknownValue);
        QCOMPARE(withArrayRemoved(notebook(), 3).error().code, Code::OutOfRange);
        QCOMPARE(withArrayReplaced(notebook(), 7, array("a", {}, {})).error().code, Code::OutOfRange);
    }

    /// Notes and keys of other versions stay with their array.
    void notesFollow()
    {
        Experiment before = notebook();
        before.innerNotes = { { "/model", "of the model" }, { "/model/arrays/0", "of one" },
            { "/model/arrays/1", "of two" }, { "/model/arrays/2", "of three" } };
        before.unknownKeys = { { "/model/arrays/1", "colour", "shape", "\"red\"" },
            { "/model/arrays/2", "colour", "shape", "\"blue\"" } };
        const Experiment after = *withArrayRemoved(before, 1);
        using Notes = std::vector<std::pair<std::string, std::string>>;
        QVERIFY(after.innerNotes
            == (Notes{
                { "/model", "of the model" }, { "/model/arrays/0", "of one" }, { "/model/arrays/1", "of three" } }));
        QCOMPARE(after.unknownKeys.size(), std::size_t{ 1 });
        QCOMPARE(after.unknownKeys.begin()->pointer, std::string("/model/arrays/1"));
        QCOMPARE(after.unknownKeys.begin()->json, std::string("\"blue\""));
    }

    /// Parameters and inputs of a network, with the names that its rules are for, resolve as they did there.
    void networksAsLists()
    {
        const Experiment before = mlp();
        const Program program = buildProgram(before)->program;
        const Experiment after = *withListOfArrays(before, program);
        QCOMPARE(listOf(after).size(), std::size_t{ 9 }); // four layers of W1 and W2, and x
        QCOMPARE(listOf(after).front().path, std::string("params/layers.0/W1"));
        QVERIFY(listOf(after).front().names == names({ "embed", "hidden" }));
        QCOMPARE(listOf(after).back().path, std::string("x"));
        QVERIFY(listOf(after).back().names == names({ "batch", "embed" }));
        QVERIFY(after.rules == before.rules && after.mesh == before.mesh);
        QVERIFY(buildProgram(after).has_value());
        // Written mesh axes are told apart from what rules give.
        Experiment device = before;
        std::get<MlpModel>(device.model).settings.axes = MlpSettings::Axes::Device;
        const std::vector<ProgramArray> arrays = arraysOf(buildProgram(device)->program);
        QVERIFY(arrays.front().declared.has_value());
        QCOMPARE(toColumn(*arrays.front().declared), std::string("P(-, model)"));
        QVERIFY(arrays.front().array.names == names({ "embed", "hidden" }));
        QVERIFY(!arraysOf(program).front().declared.has_value());
    }

    void mapping()
    {
        const Experiment before = notebook();
        QCOMPARE(rulesOf(*withNameMappedTo(before, "c", { "foo", "bar" })),
            std::string("{'a': 'bar', 'b': 'foo', 'c': ('foo', 'bar')}"));
        QCOMPARE(rulesOf(*withNameMappedTo(before, "a", { "foo" })), std::string("{'a': 'foo', 'b': 'foo'}"));
        QCOMPARE(rulesOf(*withNameMappedTo(before, "a", {})), std::string("{'b': 'foo'}"));
        QCOMPARE(withNameMappedTo(before, "a", { "foo", "foo" }).error().code, Code::AxisUsedTwice);
        QCOMPARE(withNameMappedTo(before, "a", { "" }).error().code, Code::WrongType);
        // In a list of rules later ones of the name are fallbacks and stay; a mapping has one place for a name.
        Experiment several = before;
        several.rules.rules = *parseRules("[('a', 'bar'), ('b', 'foo'), ('a', 'foo')]");
        QCOMPARE(rulesOf(*withNameMappedTo(several, "a", { "foo" })),
            std::string("(('a', 'foo'), ('b', 'foo'), ('a', 'foo'))"));
        several.rules.rules.isSequence = false;
        QCOMPARE(rulesOf(*withNameMappedTo(several, "a", { "foo" })), std::string("{'a': 'foo', 'b': 'foo'}"));
    }

    void namesAsMeshAxes()
    {
        Experiment before = notebook();
        before.mesh.axes = { { "b", 4 }, { "a", 2 }, { "unused", 1 } };
        QCOMPARE(rulesOf(*withNamesAsMeshAxes(before, listOf(before))), std::string("{'a': 'a', 'b': 'b'}"));
        before.mesh.axes = { { "z", 8 } };
        QVERIFY(*withNamesAsMeshAxes(before, listOf(before)) == before);
    }

    void partitionerOfAnExperiment()
    {
        Experiment experiment = notebook();
        QVERIFY(!t5xPartitioner(experiment).has_value()); // a mapping
        experiment.rules.rules = *parseRules("[('batch', 'data'), ('mlp', 'model'), ('batch', None)]");
        QVERIFY(!t5xPartitioner(experiment).has_value()); // Flax
        experiment.rules.dialect = Dialect::T5x;
        experiment.mesh.axes = { { "data", 4 }, { "model", 2 } };
        QCOMPARE((*t5xPartitioner(experiment))->dataAxis, SpecEntry::axis("data"));
        QVERIFY(!rewritesBatch(experiment));
        QVERIFY(*withPartitionerRules(experiment) == experiment);
        experiment.mesh.axes = { { "replica", 2 }, { "data", 2 }, { "model", 2 } };
        QVERIFY(rewritesBatch(experiment));
        const Experiment after = *withPartitionerRules(experiment);
        QCOMPARE(rulesOf(after),
            std::string("(('batch', ('replica', 'data')), ('mlp', 'model'), ('batch', ('replica', 'data')))"));
        QVERIFY(!rewritesBatch(after));
        QCOMPARE((*t5xPartitioner(after))->dataAxis, SpecEntry::tuple({ "replica", "data" }));
        QCOMPARE((*t5xPartitioner(after))->dataParts(*makeMesh(after.mesh)), std::int64_t{ 4 });
        experiment.rules.rules = *parseRules("[('batch',)]");
        QCOMPARE((*t5xPartitioner(experiment)).error().code, Code::RuleArity);
        QVERIFY(!rewritesBatch(experiment));
        QCOMPARE(withPartitionerRules(experiment).error().code, Code::RuleArity);
    }
};

REGISTER_TEST(TestArrayEdits)
#include "test_array_edits.moc"
