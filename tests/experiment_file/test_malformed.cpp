// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>

#include "base/codes.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/json_text.h"
#include "malformed_cases.h"
#include "registered_test.h"

using namespace shardscope;

class MalformedTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void place_data()
    {
        QTest::addColumn<int>("index");
        const auto all = malformed::cases();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].name.c_str()) << static_cast<int>(i);
    }
    void place()
    {
        QFETCH(int, index);
        const malformed::Case row = malformed::cases()[static_cast<std::size_t>(index)];
        const auto read = readExperiment(row.text());
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().size(), std::size_t{ 1 });
        const Diagnostic& d = read.error()[0];
        QCOMPARE(
            QString::fromStdString(std::string(d.id())), QString::fromStdString(std::string(codeRow(row.code).id)));
        QCOMPARE(d.where.line, row.line());
        QCOMPARE(d.where.column, row.column());
        QCOMPARE(QString::fromStdString(d.where.pointer), QString::fromStdString(row.pointer));
    }

    void whatWouldBeRight()
    {
        const auto error = [](const std::string& part) { return readExperiment(malformed::with(part)).error().at(0); };
        QCOMPARE(error(R"("hardware": { "platform": "tpuu" })").text("nearest"), "tpu");
        QCOMPARE(error(R"("rules": { "fallback": "raise_eror" })").text("nearest"), "raise_error");
        const Diagnostic unknown = error(R"("model": { "preset": "convolution" })");
        QVERIFY(!unknown.arg("nearest"));
        QCOMPARE(unknown.list("known"), (std::vector<std::string>{ "mlp", "arrays", "program", "transformer" }));
        QCOMPARE(unknown.text("value"), "convolution");
        const Diagnostic type = error(R"("run": { "loops": "many" })");
        QCOMPARE(type.text("key"), "loops");
        QCOMPARE(type.text("expected"), "a whole number");
        QCOMPARE(type.text("found"), "the string \"many\"");
        const Diagnostic range = error(R"("run": { "runs": 5000000000 })");
        QCOMPARE(range.text("value"), "5000000000");
        QCOMPARE(range.number("min"), 1);
        QCOMPARE(range.number("max"), 1'000'000);
        QCOMPARE(error(R"("a": [1 2])").text("expected"), ", or ]");
        QCOMPARE(error(R"("a": [1 2])").text("found"), "2");
    }

    void allErrorsAreCollected()
    {
        const auto read = readExperiment(malformed::with(R"("run": { "runs": 0, "loops": "x" },
            "hardware": { "platform": "abacus", "hosts": -1, "hosts": 2 },
            "rules": { "list": [ ["a"], ["b", 3], ["c", "x"] ] })"));
        QVERIFY(!read.has_value());
        std::vector<std::string> ids;
        for (const Diagnostic& d : read.error())
            ids.emplace_back(d.id());
        QCOMPARE(ids, (std::vector<std::string>{ "E125", "E122", "E124", "E125", "E121", "E109", "E122" }));
        QVERIFY(std::is_sorted(read.error().begin(), read.error().end(),
            [](const auto& a, const auto& b) { return a.where.line < b.where.line; }));
    }

    void atMostFifty()
    {
        std::string list;
        for (int i = 0; i < 200; ++i)
            list += "1,";
        const auto read = readExperiment(malformed::rules(list));
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().size(), std::size_t{ 50 });
    }

    void pointers()
    {
        const auto parsed = parseJson(R"({ "a/b": [1, { "~": "x" }], "c": {} })");
        QVERIFY(parsed.complete);
        QCOMPARE(findNode(parsed.root, ""), &parsed.root);
        QCOMPARE(findNode(parsed.root, "/a~1b/1/~0")->text, "x");
        QCOMPARE(findNode(parsed.root, "/a~1b/0")->text, "1");
        QCOMPARE(findNode(parsed.root, "/c")->at.column, 34);
        for (const char* none : { "/", "/a", "/a~1b/2", "/a~1b/x", "/c/d", "/a~1b/0/0" })
            QVERIFY2(!findNode(parsed.root, none), none);
    }

    void limits()
    {
        const auto parsed = parseJson("[1, 2, 3]", { .bytes = 8, .depth = 64, .values = 10 });
        QVERIFY(!parsed.complete);
        QCOMPARE(parsed.errors.at(0).code, Code::TooLarge);
        QCOMPARE(parseJson("[1, 2, 3]", { .bytes = 9, .depth = 1, .values = 3 }).errors.at(0).text("what"), "values");
        QVERIFY(parseJson("[1, 2, 3]", { .bytes = 9, .depth = 1, .values = 4 }).complete);
        QVERIFY(!parseJson("[[1]]", { .bytes = 9, .depth = 1, .values = 4 }).complete);

        const std::string large((std::size_t{ 64 } << 20) + 1, ' ');
        const auto read = readExperiment(large);
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().at(0).code, Code::TooLarge);
    }
};

REGISTER_TEST(MalformedTest)
#include "test_malformed.moc"
