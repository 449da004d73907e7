// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of reference cases: how they are built, and that a comparison notices what is wrong.
#include <QtTest>

#include "conformance/program_compare.h"
#include "registered_test.h"

using namespace shardscope;
using namespace shardscope::conformance;

class TestProgramCase : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void builds();
    void keepsWhatCannotBeStated();
    void comparesShardings_data();
    void comparesShardings();
    void comparesSequences_data();
    void comparesSequences();
    void comparesSignatures();
    void countsFacts();
};

namespace {

// main(a0 [{a},{}]): v0 = add a0, a0; v1 = abs v0; return v1
const char* const caseText = R"({
    "id": "t", "num_checked": 0,
    "meshes": { "m": { "axes": [{"name": "a", "size": 2}, {"name": "b", "size": 4}], "device_ids": null } },
    "functions": [
        { "name": "other", "visibility": "private", "args": [], "results": [],
            "ops": [{"id": 0, "op": "func.return", "operands": [], "result_types": [], "sharding": null}] },
        { "name": "main", "visibility": "public",
          "args": [{"id": "a0", "type": {"kind": "tensor", "shape": [8, null], "dtype": "f32"}, "sharding":
            {"mesh": "m", "dims": [{"axes": [{"name": "a", "pre": null, "size": null}], "open": false, "priority": null},
             {"axes": [], "open": true, "priority": 1}], "replicated": [], "unreduced": []}}],
          "results": [{"type": {"kind": "tensor", "shape": [8, null], "dtype": "f32"}, "sharding": null}],
          "ops": [
            {"id": 0, "op": "stablehlo.add", "operands": ["a0", "a0"], "sharding": null,
             "result_types": [{"kind": "tensor", "shape": [8, null], "dtype": "f32"}]},
            {"id": 1, "op": "stablehlo.abs", "operands": ["v0.0"], "sharding": null, "attrs": {"foo": 3},
             "result_types": [{"kind": "tensor", "shape": [8, null], "dtype": "f32"}]},
            {"id": 2, "op": "func.return", "operands": ["v1.0"], "result_types": [], "sharding": null}] } ],
    "expect": { "functions": { "main": { "args": [{"status": "unchecked", "sharding": null}],
        "results": [{"status": "unchecked", "sharding": null}], "ops": [], "sequence": "none" } } }
})";

Json aCase()
{
    return Json::parse(caseText);
}

CaseResult::Status compare(const Json& oneCase)
{
    const auto built = buildProgram(oneCase);
    if (!built)
        return CaseResult::Status::Unsupported;
    return compareProgram(oneCase, *built, built->program).status;
}

} // namespace

void TestProgramCase::builds()
{
    const auto built = buildProgram(aCase());
    QVERIFY(built.has_value());
    const Program& program = built->program;
    QCOMPARE(program.functions.size(), 2U);
    QCOMPARE(program.functions[0].name, std::string("main"));
    QCOMPARE(program.functions[0].body.index, 0U);
    QVERIFY(!program.functions[1].isPublic);
    QCOMPARE(program.main().operations.size(), 2U);
    const FunctionIds& ids = built->functions.at("main");
    const Operation& add = program.operation(ids.operations.at(0));
    QVERIFY(add.kind == OpKind::Add);
    QCOMPARE(add.operands[1], ids.values.at("a0"));
    QCOMPARE(program.main().results.front(), ids.values.at("v1.0"));
    QCOMPARE(ids.terminators.at(2), program.functions[0].body);
    QCOMPARE(program.value(ids.values.at("v0.0")).type.shape[1], dynamicSize);
    QCOMPARE(shardingText(program, *program.shardingOf(ids.values.at("a0"))), std::string("@m [{a},{?}p1]"));
    QVERIFY(program.shardingOf(ids.values.at("v0.0")) == nullptr);
    const Operation& abs = program.operation(ids.operations.at(1));
    QCOMPARE(program.dictionaries[abs.extra].size(), 1U);
    QCOMPARE(program.dictionaries[abs.extra].front().name, std::string("foo"));
}

void TestProgramCase::keepsWhatCannotBeStated()
{
    Json oneCase = aCase();
    Json& sharding = oneCase["functions"][1]["args"][0]["sharding"];
    sharding["dims"][0]["axes"][0]["name"] = "nowhere";
    auto built = buildProgram(oneCase);
    QVERIFY(built.has_value());
    QCOMPARE(built->program.meshes.size(), 1U);
    QCOMPARE(built->program.meshes.front().invalidAxes.size(), 1U);
    QCOMPARE(built->program.meshes.front().invalidAxes.front().name, std::string("nowhere"));
    sharding["mesh"] = "no_mesh";
    built = buildProgram(oneCase);
    QVERIFY(built.has_value());
    QCOMPARE(built->program.meshes.size(), 2U);
    QVERIFY(built->program.meshes.back().undeclared);
    QCOMPARE(built->program.shardings.front().mesh, 1U);
    oneCase["functions"][1]["ops"][0]["operands"][0] = "v7.0";
    QVERIFY(!buildProgram(oneCase).has_value());
}

void TestProgramCase::comparesShardings_data()
{
    QTest::addColumn<QString>("status");
    QTest::addColumn<QString>("axis");
    QTest::addColumn<bool>("passes");
    QTest::newRow("equal") << "exact"
                           << "a" << true;
    QTest::newRow("another axis") << "exact"
                                  << "b" << false;
    QTest::newRow("none") << "none"
                          << "a" << false;
    QTest::newRow("unchecked") << "unchecked"
                               << "b" << true;
}

void TestProgramCase::comparesShardings()
{
    QFETCH(QString, status);
    QFETCH(QString, axis);
    QFETCH(bool, passes);
    Json oneCase = aCase();
    Json sharding = oneCase["functions"][1]["args"][0]["sharding"];
    sharding["dims"][0]["axes"][0]["name"] = axis.toStdString();
    oneCase["expect"]["functions"]["main"]["args"] = { { { "status", status.toStdString() },
        { "sharding", sharding } } };
    QCOMPARE(compare(oneCase) == CaseResult::Status::Passed, passes);
}

void TestProgramCase::comparesSequences_data()
{
    QTest::addColumn<QString>("ops");
    QTest::addColumn<QString>("sequence");
    QTest::addColumn<bool>("passes");
    const QString add = R"({"match": 0, "op": "stablehlo.add", "operands": ["a0", "a0"], "status": "none"})";
    const QString abs = R"({"match": 1, "op": "stablehlo.abs", "operands": ["v0.0"], "status": "unchecked"})";
    const QString wrong = R"({"match": 1, "op": "stablehlo.abs", "operands": ["a0"], "status": "unchecked"})";
    const QString unsaid = R"({"match": 1, "op": "stablehlo.abs", "operands": ["%x"], "status": "unchecked"})";
    const QString unknown = R"({"match": 7, "op": "stablehlo.abs", "operands": ["v0.0"], "status": "unchecked"})";
    const QString otherEnd = R"({"match": 1, "op": "func.return", "operands": ["v1.0"], "status": "n/a"})";
    const QString made =
        R"({"match": null, "inserted": "n0", "op": "stablehlo.abs", "operands": ["v0.0"], "status": "none"})";
    const QString end = R"({"match": 2, "op": "func.return", "operands": ["v1.0"], "status": "n/a"})";
    const QString madeEnd = R"({"match": 2, "op": "func.return", "operands": ["n0.0"], "status": "n/a"})";
    QTest::newRow("all") << add + "," + abs + "," + end << "exact" << true;
    QTest::newRow("one is missing") << add + "," + end << "exact" << false;
    QTest::newRow("the last is missing") << add + "," + abs << "exact" << false;
    QTest::newRow("some of them") << add + "," + end << "ordered_subset" << true;
    QTest::newRow("another order") << abs + "," + add << "ordered_subset" << false;
    QTest::newRow("another operand") << wrong << "ordered_subset" << false;
    QTest::newRow("an unknown operand") << unsaid << "ordered_subset" << true;
    QTest::newRow("a new one") << made + "," + madeEnd << "ordered_subset" << true;
    QTest::newRow("no operation of the input") << unknown << "ordered_subset" << false;
    QTest::newRow("an operation for the end") << otherEnd << "ordered_subset" << false;
    QTest::newRow("twice") << add + "," + abs + "," + made << "ordered_subset" << false;
}

void TestProgramCase::comparesSequences()
{
    QFETCH(QString, ops);
    QFETCH(QString, sequence);
    QFETCH(bool, passes);
    Json oneCase = aCase();
    Json& expected = oneCase["expect"]["functions"]["main"];
    expected["ops"] = Json::parse("[" + ops.toStdString() + "]");
    expected["sequence"] = sequence.toStdString();
    QCOMPARE(compare(oneCase) == CaseResult::Status::Passed, passes);
    if (!passes)
        return;
    expected["forbidden"] = { { { "text", "stablehlo.sine" }, { "after_expect_op", -1 } } };
    QVERIFY(compare(oneCase) == CaseResult::Status::Passed);
    expected["ops"].erase(0);
    expected["sequence"] = "ordered_subset";
    expected["forbidden"][0]["text"] = "stablehlo.add";
    QVERIFY(compare(oneCase) == CaseResult::Status::Failed);
}

void TestProgramCase::comparesSignatures()
{
    for (const char* list : { "args", "results" }) {
        Json oneCase = aCase();
        QVERIFY(compare(oneCase) == CaseResult::Status::Passed);
        Json& expected = oneCase["expect"]["functions"]["main"][list];
        expected.push_back(expected[0]);
        QVERIFY(compare(oneCase) == CaseResult::Status::Failed);
        expected = Json::array();
        QVERIFY(compare(oneCase) == CaseResult::Status::Failed);
    }
}

void TestProgramCase::countsFacts()
{
    Json oneCase = aCase();
    oneCase["num_checked"] = 1;
    QVERIFY(compare(oneCase) == CaseResult::Status::Failed);
    oneCase["expect"]["functions"]["main"]["args"] = { { { "status", "exact" },
        { "sharding", oneCase["functions"][1]["args"][0]["sharding"] } } };
    QVERIFY(compare(oneCase) == CaseResult::Status::Passed);
    oneCase["expect"]["functions"]["missing"] = oneCase["expect"]["functions"]["main"];
    QVERIFY(compare(oneCase) == CaseResult::Status::Failed);
}

REGISTER_TEST(TestProgramCase)
#include "test_program_case.moc"
