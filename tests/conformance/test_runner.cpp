// SPDX-License-Identifier: GPL-3.0-or-later
// The runner itself: what it counts, and that nothing wrong looks right.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "registered_test.h"

class TestRunner : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runs_data();
    void runs();
    void severalFiles();
    void parametersOfNetworks();
    void maximumOfUnsupportedCases();

private:
    QString write(const QString& name, const QByteArray& content);
    QTemporaryDir m_folder;
};

namespace {

struct Exit {
    int exitCode = -1;
    QStringList lines;
    QString errors;
};

Exit runner(const QStringList& arguments)
{
    QProcess process;
    process.start(SHARDSCOPE_BINARY "_conformance", arguments);
    Exit outcome;
    if (!process.waitForFinished() || process.exitStatus() != QProcess::NormalExit)
        return outcome;
    outcome.exitCode = process.exitCode();
    outcome.lines = QString::fromUtf8(process.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
    outcome.errors = QString::fromUtf8(process.readAllStandardError());
    return outcome;
}

// One case of t5x_standard_rules that is right, and one whose expectation is wrong.
const QByteArray good = R"({"id":"good","status":"contract","activation_partitioning_dims":3,)"
                        R"("parameter_partitioning_dims":1,"additional_rules":null,"error":"unsupported_dims"})";
const QByteArray bad = R"({"id":"bad","status":"contract","activation_partitioning_dims":3,)"
                       R"("parameter_partitioning_dims":1,"additional_rules":null,"expected":[["batch","data"]]})";
const QByteArray advisory = R"({"id":"hint","status":"advisory"})";

QByteArray cases(const QList<QByteArray>& list)
{
    return "{\"cases\":[" + list.join(',') + "]}";
}

} // namespace

QString TestRunner::write(const QString& name, const QByteArray& content)
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        return {};
    return file.fileName();
}

void TestRunner::runs_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("counts");
    QTest::addColumn<QString>("verbose");
    const QString file = "t5x_standard_rules.json";
    QTest::newRow("passes") << file << cases({ good, advisory }) << 0 << "1 passed, 0 failed, 0 unsupported, 1 advisory"
                            << "";
    QTest::newRow("fails") << file << cases({ good, bad }) << 1 << "1 passed, 1 failed, 0 unsupported, 0 advisory"
                           << "  bad: failed: /error: expected nothing, got \"unsupported_dims\"";
    QTest::newRow("under another name") << "more-t5x_standard_rules.2.json" << cases({ bad }) << 1
                                        << "0 passed, 1 failed, 0 unsupported, 0 advisory"
                                        << "  bad: failed: ";
    QTest::newRow("a field is missing") << file << cases({ R"({"id":"half","status":"contract"})" }) << 1
                                        << "0 passed, 1 failed, 0 unsupported, 0 advisory"
                                        << "  half: failed: the case cannot be read: ";
    QTest::newRow("a kind that is not known")
        << "flax_constraint_gate.json" << cases({ R"({"id":"new","status":"contract","kind":"surprise"})" }) << 0
        << "0 passed, 0 failed, 1 unsupported, 0 advisory"
        << "  new: unsupported: kind surprise";
    QTest::newRow("a status that is not known")
        << file << cases({ R"({"id":"odd"})" }) << 0 << "0 passed, 0 failed, 1 unsupported, 0 advisory"
        << "  odd: unsupported: ";
    QTest::newRow("a name that is not known")
        << "surprise.json" << cases({ good }) << 2 << "0 passed, 0 failed, 1 unsupported, 0 advisory"
        << "";
    QTest::newRow("no contract case") << file << cases({ advisory }) << 2
                                      << "0 passed, 0 failed, 0 unsupported, 1 advisory"
                                      << "";
    QTest::newRow("no cases") << file << QByteArray("{}") << 2 << ""
                              << "";
    QTest::newRow("not JSON") << file << cases({ good }).chopped(1) << 2 << ""
                              << "";
    QTest::newRow("a case that is no object") << file << cases({ "3" }) << 2 << ""
                                              << "";
}

void TestRunner::runs()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(int, exitCode);
    QFETCH(QString, counts);
    QFETCH(QString, verbose);
    const QString path = write(name, content);
    QVERIFY(!path.isEmpty());
    const Exit outcome = runner({ "--verbose", path });
    QCOMPARE(outcome.exitCode, exitCode);
    QCOMPARE(outcome.errors.isEmpty(), exitCode != 2);
    if (!counts.isEmpty())
        QVERIFY2(outcome.lines.contains(QFileInfo(path).completeBaseName() + ": " + counts),
            qPrintable(outcome.lines.join('\n')));
    if (!verbose.isEmpty())
        QVERIFY2(outcome.lines.first().startsWith(verbose), qPrintable(outcome.lines.first()));
    QVERIFY(outcome.lines.last().endsWith(" skipped"));
}

void TestRunner::severalFiles()
{
    const QString right = write("t5x_standard_rules.json", cases({ good }));
    const QString wrong = write("t5x_standard_rules_2.json", cases({ bad, good }));
    const Exit both = runner({ right, wrong });
    QCOMPARE(both.exitCode, 1);
    QCOMPARE(both.lines,
        (QStringList{ "t5x_standard_rules: 1 passed, 0 failed, 0 unsupported, 0 advisory",
            "t5x_standard_rules_2: 1 passed, 1 failed, 0 unsupported, 0 advisory", "2 passed, 1 failed, 0 skipped" }));
    // A file that cannot be read does not hide the others, nor they it.
    const Exit missing = runner({ m_folder.filePath("absent.json"), right });
    QCOMPARE(missing.exitCode, 2);
    QCOMPARE(missing.lines.last(), QString("1 passed, 0 failed, 0 skipped"));
    QCOMPARE(runner({ m_folder.path() }).exitCode, 2);
    QCOMPARE(runner({}).exitCode, 2);
    QCOMPARE(runner({ "--loud", right }).exitCode, 2);
}

/// More unsupported cases than the table beside them allows fail; fewer are said.
void TestRunner::parametersOfNetworks()
{
    const auto rules = [&](const QByteArray& resolution) {
        return write("rules.json",
            R"({"cases":[{"id":"set","status":"advisory","mesh_axes":["data","model"],"rules":[["embed",["data"]],)"
            R"(["mlp",["model"]]]}],"resolutions":[)"
                + resolution + "]}");
    };
    const QByteArray kernel = R"({"id":"a","status":"contract","rule_set":"set","logical_axes":["embed","mlp"],)"
                              R"("expected_spec":[["data"],["model"]]})";
    const QByteArray foreign = R"({"id":"b","status":"contract","rule_set":"set","logical_axes":["mlp","mlp2"],)"
                               R"("expected_spec":[["model"],null]})";
    const Exit both = runner({ rules(kernel + ',' + foreign) });
    QCOMPARE(both.exitCode, 0);
    QCOMPARE(both.lines,
        (QStringList{ "rules: 2 passed, 0 failed, 0 unsupported, 1 advisory",
            "rules: parameters of networks met 1 of 2 expected specs", "2 passed, 0 failed, 0 skipped" }));
}

void TestRunner::maximumOfUnsupportedCases()
{
    const QByteArray unknown = R"({"id":"new","status":"contract","kind":"surprise"})";
    QVERIFY(QDir(m_folder.path()).mkpath("cases"));
    const auto run = [&](const QByteArray& table) {
        write("unsupported.json", table);
        const Exit outcome = runner({ write("cases/flax_constraint_gate.json", cases({ unknown, unknown })) });
        QFile::remove(m_folder.filePath("unsupported.json"));
        return outcome;
    };
    const Exit fits = run(R"({"maximum":{"flax_constraint_gate":2}})");
    QCOMPARE(fits.exitCode, 0);
    QCOMPARE(fits.lines.size(), 2);
    const Exit more = run(R"({"maximum":{"flax_constraint_gate":1}})");
    QCOMPARE(more.exitCode, 1);
    QCOMPARE(
        more.lines.at(1), QString("flax_constraint_gate: 2 unsupported cases, which is more than the maximum of 1"));
    QCOMPARE(run(R"({"maximum":{"another_file":5}})").exitCode, 1);
    const Exit fewer = run(R"({"maximum":{"flax_constraint_gate":5}})");
    QCOMPARE(fewer.exitCode, 0);
    QCOMPARE(
        fewer.lines.at(1), QString("flax_constraint_gate: the maximum of 5 unsupported cases can be lowered to 2"));
    QCOMPARE(run("{}").exitCode, 2);
    // Without a table the command line says it.
    const QString path = write("cases/flax_constraint_gate.json", cases({ unknown, unknown }));
    QCOMPARE(runner({ path }).exitCode, 0);
    QCOMPARE(runner({ "--maximum-unsupported", "2", path }).exitCode, 0);
    QCOMPARE(runner({ "--maximum-unsupported", "1", path }).exitCode, 1);
    QCOMPARE(runner({ "--maximum-unsupported", "some", path }).exitCode, 2);
}

REGISTER_TEST(TestRunner)
#include "test_runner.moc"
