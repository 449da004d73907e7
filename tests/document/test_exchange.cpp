// SPDX-License-Identifier: GPL-3.0-or-later
// Rules and tables from other programs: read, taken into an experiment, written again.
#include <QTest>

#include "base/codes.h"
#include "document/atomic_file.h"
#include "document/document.h"
#include "document/exchange.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/gallery.h"
#include "registered_test.h"
#include "words/words.h"

using namespace shardscope;

namespace {

Experiment exampleExperiment(std::string_view id)
{
    const GalleryExample* found = findExample(id);
    if (!found)
        qFatal("no such example");
    return found->experiment;
}

constexpr RulesForm forms[] = { RulesForm::Flax, RulesForm::T5x, RulesForm::MaxText, RulesForm::Json };

} // namespace

class TestExchange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formsAreToldByTheirText_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("rules");
        QTest::addColumn<int>("dialect"); // -1: the text does not say
        const int maxText = static_cast<int>(Dialect::MaxText);
        QTest::newRow("flax") << "rules = (\n    ('batch', 'data'),\n    ('embed', None),\n)\n" << 2 << -1;
        QTest::newRow("t5x with a comment") << "# from a gin file\nlogical_axis_rules = [('batch', 'data')]" << 1 << -1;
        QTest::newRow("annotated") << "logical_axis_rules: Rules = (('batch', 'data'),)" << 1 << -1;
        QTest::newRow("json") << R"([["batch", "data"], ["embed", null], ["mlp", ["a", "b"]]])" << 3 << -1;
        QTest::newRow("yaml")
            << "mesh_axes: ['data']\nlogical_axis_rules: [\n  ['batch', ['data']],\n  ['norm', 'data'],\n]\nsteps: 10\n"
            << 2 << maxText;
        QTest::newRow("experiment") << QString::fromStdString(writeExperiment(exampleExperiment("t5x-a1p1"))) << 13
                                    << static_cast<int>(Dialect::T5x);
        QTest::newRow("no rules at all") << "()" << 0 << -1;
    }
    void formsAreToldByTheirText()
    {
        QFETCH(QString, text);
        QFETCH(int, rules);
        QFETCH(int, dialect);
        const ReadRules read = readRules(text.toStdString(), "there");
        QVERIFY2(read.has_value(), read ? "" : qPrintable(words::oneLine(read.error().front())));
        QCOMPARE(static_cast<int>(read->rules.list.size()), rules);
        QCOMPARE(read->dialect ? static_cast<int>(*read->dialect) : -1, dialect);
    }

    void whatIsWrongHasItsPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::newRow("python") << "rules = (\n  ('batch', 'data'),\n  ('embed' 'model'),\n)" << 3 << 12;
        QTest::newRow("yaml") << "logical_axis_rules: [\n  ['batch', 'data'],\n  ['embed', {a: b}],\n]\n" << 3 << 13;
        QTest::newRow("not rules") << "hello" << 1 << 1;
    }
    void whatIsWrongHasItsPlace()
    {
        QFETCH(QString, text);
        QFETCH(int, line);
        QFETCH(int, column);
        const ReadRules read = readRules(text.toStdString(), "there");
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().front().where.file, std::string("there"));
        QCOMPARE(read.error().front().where.line, line);
        QCOMPARE(read.error().front().where.column, column);
    }

    /// Rules that Flax would refuse when it walks them are refused when they are read; nothing is half taken.
    void whatNoExperimentCanHold_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("code");
        QTest::newRow("three parts") << "[('batch', 'data', 'model')]" << static_cast<int>(Code::RuleArity);
        QTest::newRow("twice") << "[('batch', ('data', 'data'))]" << static_cast<int>(Code::AxisUsedTwice);
        QTest::newRow("nested") << "[('batch', ('data', ('model',)))]" << static_cast<int>(Code::NestedTuple);
        QTest::newRow("mapping") << "{'batch': 'data'}" << static_cast<int>(Code::RulesType);
    }
    void whatNoExperimentCanHold()
    {
        QFETCH(QString, text);
        QFETCH(int, code);
        const ReadRules read = readRules(text.toStdString(), "there");
        QVERIFY(!read.has_value());
        QCOMPARE(static_cast<int>(read.error().front().code), code);
        QVERIFY(!words::describe(read.error().front()).cause.isEmpty());
    }

    void everySetSurvivesEveryForm()
    {
        for (const PublishedRules& set : publishedRules()) {
            const Experiment with = withRules(exampleExperiment("flax-mlp-logical"), {}, rulesOf(set));
            QVERIFY(with.rules.dialect == set.dialect);
            for (const RulesForm form : forms) {
                const auto text = rulesAsText(with, form);
                QVERIFY2(text.has_value(), set.id.c_str());
                const ReadRules back = readRules(*text, "there");
                QVERIFY2(back.has_value(), set.id.c_str());
                QVERIFY2(back->rules == set.rules, set.id.c_str());
            }
        }
    }

    void whatAFormHasNoWordFor()
    {
        Experiment experiment = exampleExperiment("rule-lab");
        experiment.rules.rules.list[0].target = SpecEntry::unconstrained();
        QVERIFY(rulesAsText(experiment, RulesForm::Flax).has_value());
        QVERIFY(readRules(*rulesAsText(experiment, RulesForm::Flax), "there")->rules == experiment.rules.rules);
        QVERIFY(rulesAsText(experiment, RulesForm::Json).error().code == Code::WrongType);
        QVERIFY(rulesAsText(experiment, RulesForm::MaxText).error().code == Code::WrongType);
    }

    void namesWithLineBreaksAreEscaped()
    {
        Experiment experiment = exampleExperiment("rule-lab");
        experiment.rules.rules.list[0].name = LogicalName::of("two\nlines");
        const auto text = rulesAsText(experiment, RulesForm::Json);
        QVERIFY(text.has_value());
        const ReadRules back = readRules(*text, "there");
        QVERIFY(back.has_value());
        QVERIFY(back->rules == experiment.rules.rules);
    }

    void additionalRulesFollowAfter()
    {
        const Experiment lab = exampleExperiment("rule-lab");
        const PublishedRules& set = *findPublishedRules("t5x-a1p1");
        const Experiment after = withRules(lab, {}, rulesOf(set), true);
        QVERIFY(after.rules.rules == *t5xStandardRules(1, 1, lab.rules.rules));
        QVERIFY(after.mesh == lab.mesh);
        QVERIFY(after.rules.fallback == lab.rules.fallback);
    }

    void axesThatTheMeshLacks()
    {
        const Experiment lab =
            withRules(exampleExperiment("rule-lab"), {}, rulesOf(*findPublishedRules("maxtext-base-2023-06")));
        QCOMPARE(missingAxes(lab), (std::vector<std::string>{ "data", "fsdp", "tensor" }));
        const auto with = withMissingAxes(lab);
        QVERIFY(with.has_value());
        QVERIFY(missingAxes(*with).empty());
        QCOMPARE(with->mesh.axes.size(), std::size_t{ 6 });
        QCOMPARE(makeMesh(with->mesh)->deviceCount(), makeMesh(lab.mesh)->deviceCount());
        QVERIFY(missingAxes(exampleExperiment("rule-lab")).empty());
    }

    void tablesAreToldFromExperiments()
    {
        QVERIFY(looksLikeTable("path,shape\nw,8x8\n", "/tmp/model.csv"));
        QVERIFY(looksLikeTable(R"([{"path": "w", "shape": [8]}])", "model.json"));
        QVERIFY(looksLikeTable(R"({"w": {"shape": [8], "names": ["embed"]}})", "model.json"));
        QVERIFY(!looksLikeTable(writeExperiment(exampleExperiment("rule-lab")), "lab.json"));
        QVERIFY(!looksLikeTable("{ broken", "lab.json"));
        QVERIFY(!looksLikeTable("", "lab.json"));
    }

    void aTableBecomesAnExperiment()
    {
        const Experiment present = exampleExperiment("flax-mlp-logical");
        const auto table =
            openTable("path,shape,dtype,names\nmlp/wi,1024x4096,bfloat16,\"embed,hidden\"\nstep,,int32,\n", "model.csv",
                "model", present);
        QVERIFY(table.has_value());
        QVERIFY(table->experiment.mesh == present.mesh);
        QVERIFY(table->experiment.rules == present.rules);
        QVERIFY(table->experiment.hardware == present.hardware);
        QCOMPARE(table->experiment.title, std::string("model"));
        const auto& arrays = std::get<ArraysModel>(table->experiment.model).arrays;
        QCOMPARE(arrays.size(), std::size_t{ 2 });
        QCOMPARE(arrays[0].shape, (Shape{ 1024, 4096 }));
        // It can be saved and opened again, and its arrays are laid out by the rules.
        const auto read = readExperiment(writeExperiment(table->experiment));
        QVERIFY(read.has_value() && read->experiment == table->experiment);
        Document document;
        document.setExperiment(table->experiment, {});
        document.waitForAnalysis();
        QCOMPARE(document.snapshot()->row("mlp/wi")->layout.shardShape(), (Shape{ 1024, 1024 }));

        const auto wrong = openTable("path,shape\na,abc\nb,0\n", "model.csv", "model", present);
        QVERIFY(!wrong.has_value());
        QCOMPARE(wrong.error().size(), std::size_t{ 2 });
        QCOMPARE(wrong.error()[0].where.line, 2);
        QCOMPARE(wrong.error()[1].where.line, 3);
        QCOMPARE(wrong.error()[1].where.file, std::string("model.csv"));
    }

    void filesAreWrittenFullOrNotAtAll()
    {
        QVERIFY(readFile(QStringLiteral("/nowhere/at/all")).error().code == Code::Unreadable);
        QVERIFY(readFile(QStringLiteral("/")).error().code == Code::Unreadable);
        QVERIFY(writeAtomically(QStringLiteral("/nowhere/at/all"), "text").error().code == Code::Unwritable);
        // A device is not replaced by a file.
        QVERIFY(writeAtomically(QStringLiteral("/dev/full"), "text").error().code == Code::Unwritable);
        QVERIFY(!QFileInfo(QStringLiteral("/dev/full")).isFile());
        QVERIFY(writeAtomically(QStringLiteral("/dev/null"), "text").has_value());
        QVERIFY(!QFileInfo(QStringLiteral("/dev/null")).isFile());
    }
};

REGISTER_TEST(TestExchange)
#include "test_exchange.moc"
