// SPDX-License-Identifier: GPL-3.0-or-later
// No field of a reference case is forgotten, and an expectation that is another one fails: one value of every field
// that is asserted, file by file.
#include <QtTest>

#include <fstream>
#include <map>

#include "conformance/case_fields.h"
#include "registered_test.h"

using namespace shardscope::conformance;

namespace {

Json parsedFile(const QString& path)
{
    std::ifstream stream(path.toStdString(), std::ios::binary);
    return Json::parse(stream);
}

/// The lists of cases of a file, those that count.
std::vector<const Json*> contractCases(const Json& file)
{
    std::vector<const Json*> cases;
    for (const char* list : { "cases", "resolutions" })
        if (file.contains(list))
            for (const Json& oneCase : file.at(list))
                if (oneCase.value("status", "") == "contract")
                    cases.push_back(&oneCase);
    return cases;
}

bool passes(const CheckerRow& checker, const Json& oneCase, const Json& file)
{
    try {
        return checker.check(oneCase, file).status == CaseResult::Status::Passed;
    } catch (const std::exception&) {
        return false;
    }
}

/// Other values in the place of one. Of a number also far ones, since it may be a bound.
std::vector<Json> othersThan(const Json& value)
{
    if (value.is_boolean())
        return { !value.get<bool>() };
    if (value.is_number()) {
        const auto number = value.get<double>();
        if (value.is_number_float())
            return { number + 1, number + 1000003, -number - 1000003 };
        const auto whole = static_cast<std::int64_t>(number);
        return { whole + 1, whole + 1000003, -whole - 1000003 };
    }
    if (value.is_string())
        return { value.get<std::string>() + 'x', 'x' + value.get<std::string>() };
    if (value.is_null())
        return { Json("x"), Json(1), Json::array({ "x" }), Json{ { "x", "x" } } };
    return { Json::array({ "x" }), Json::array({ 1 }), Json{ { "x", "x" } } };
}

/// Whether the checker notices that a leaf of the case is another one.
bool isNoticed(const CheckerRow& checker, const Json& oneCase, const CaseLeaf& leaf, const Json& file)
{
    for (Json& other : othersThan(*leaf.value)) {
        Json changed = oneCase;
        changed[leaf.at] = std::move(other);
        if (!passes(checker, changed, file))
            return true;
    }
    return false;
}

} // namespace

class TestCaseFields : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesAndLeaves();
    void everyFieldIsKnown_data();
    void everyFieldIsKnown();
    void otherExpectationsFail_data();
    void otherExpectationsFail();

private:
    const Json m_table = parsedFile(QStringLiteral(CASES "/fields.json"));
};

void TestCaseFields::namesAndLeaves()
{
    const Json oneCase = Json::parse(R"({"id":"a","n":3,"list":[[1,2],[]],"tree":{"W":{"spec":null,"note":"x"}}})");
    std::vector<std::string> names;
    for (const CaseLeaf& leaf : leavesOf(oneCase)) {
        QVERIFY(oneCase.at(leaf.at) == *leaf.value);
        names.push_back(nameOfPath(leaf.path));
    }
    QCOMPARE(
        names, (std::vector<std::string>{ "id", "list.*", "list.*", "list.*", "n", "tree.W.note", "tree.W.spec" }));
    const auto table = [](const char* own) {
        return Json{ { "about", { "id" } }, { "files", { { "f", Json::parse(own) } } } };
    };
    const CaseFields fields(
        table(R"({"given":["n"],"asserted":["list","tree.*.spec"],"not_asserted":{"for people":["tree"]}})"), "f");
    QVERIFY(!fields.unknownField(oneCase));
    const std::vector<CaseLeaf> leaves = leavesOf(oneCase);
    QVERIFY(fields.of(leaves[1])->use == CaseField::Use::Asserted);
    QVERIFY(fields.of(leaves[5])->use == CaseField::Use::NotAsserted);
    QCOMPARE(fields.of(leaves[5])->reason, std::string("for people"));
    QVERIFY(fields.of(leaves[6])->use == CaseField::Use::Asserted);
    const CaseFields fewer(table(R"({"given":["n"],"asserted":["list","tree.*.spec"],"not_asserted":{}})"), "f");
    QVERIFY(fewer.unknownField(oneCase) == std::string("tree.W.note"));
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, CaseFields(table("{}"), "g"));
    QVERIFY_THROWS_EXCEPTION(
        std::runtime_error, CaseFields(table(R"({"given":["n"],"asserted":["n"],"not_asserted":{}})"), "f"));
}

void TestCaseFields::everyFieldIsKnown_data()
{
    QTest::addColumn<QString>("path");
    for (const char* folder : { "semantics", "cost", "propagation", "partition", "jax" }) {
        const QDir dir(QStringLiteral(CASES "/") + QString::fromLatin1(folder));
        for (const QString& name : dir.entryList({ QStringLiteral("*.json") }))
            if (checkerFor(name.chopped(5).toStdString()))
                QTest::newRow(qPrintable(name.chopped(5))) << dir.filePath(name);
    }
}

/// Every field of every case has a place in the table, and every name of the table has a field.
void TestCaseFields::everyFieldIsKnown()
{
    QFETCH(const QString, path);
    const Json file = parsedFile(path);
    const CaseFields fields(m_table, QFileInfo(path).completeBaseName().toStdString());
    std::map<std::string, int> met;
    for (const Json* oneCase : contractCases(file))
        for (const CaseLeaf& leaf : leavesOf(*oneCase)) {
            const CaseField* field = fields.of(leaf);
            QVERIFY2(field, qPrintable(QString::fromStdString(nameOfPath(leaf.path))));
            ++met[field->name];
        }
    for (const CaseField& field : fields.all())
        QVERIFY2(field.use == CaseField::Use::About || met.contains(field.name), field.name.c_str());
}

void TestCaseFields::otherExpectationsFail_data()
{
    everyFieldIsKnown_data();
}

void TestCaseFields::otherExpectationsFail()
{
    QFETCH(const QString, path);
    constexpr int maximumTries = 3;
    const Json file = parsedFile(path);
    const std::string stem = QFileInfo(path).completeBaseName().toStdString();
    const CheckerRow& checker = *checkerFor(stem);
    const CaseFields fields(m_table, stem);
    std::map<std::string, int> tries;
    std::map<std::string, bool> noticed;
    for (const CaseField& field : fields.all())
        if (field.use == CaseField::Use::Asserted)
            noticed[field.name] = false;
    for (const bool empty : { false, true }) // where all values of a field are empty, those
        for (const Json* oneCase : contractCases(file)) {
            std::optional<bool> isPassed;
            for (const CaseLeaf& leaf : leavesOf(*oneCase)) {
                const CaseField* field = fields.of(leaf);
                const bool isEmpty = leaf.value->is_null() || (leaf.value->is_structured() && leaf.value->empty());
                if (!field || field->use != CaseField::Use::Asserted || noticed[field->name] || isEmpty != empty
                    || tries[field->name] == maximumTries)
                    continue;
                isPassed = isPassed ? isPassed : passes(checker, *oneCase, file);
                if (!*isPassed)
                    break;
                ++tries[field->name];
                noticed[field->name] = isNoticed(checker, *oneCase, leaf, file);
            }
        }
    QStringList unnoticed;
    for (const auto& [name, isNoticed] : noticed)
        if (!isNoticed)
            unnoticed << QString::fromStdString(name);
    QVERIFY2(unnoticed.isEmpty(), qPrintable(unnoticed.join(QStringLiteral(", "))));
}

REGISTER_TEST(TestCaseFields)
#include "test_case_fields.moc"
