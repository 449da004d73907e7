// SPDX-License-Identifier: GPL-3.0-or-later
// Real programs, where they lie beside the project: read, printed, read again; nothing may be lost.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>

#include <map>

#include "base/codes.h"
#include "program/op_row.h"
#include "registered_test.h"
#include "shared_facts.h"
#include "stablehlo/read_all.h"
#include "stablehlo/reading.h"

using namespace shardscope;

namespace {

/// Empty where the facts do not lie beside the project.
QString found()
{
    const std::filesystem::path facts = test::sharedFacts();
    return facts.empty() ? QString() : QString::fromStdString((facts / "stablehlo").string());
}

/// Operations of a text by name, found line by line without any knowledge of the language.
std::map<QString, int> countInText(const QString& text)
{
    static const QRegularExpression statement(QStringLiteral(
        "^\\s*(?:%[\\w:#, %-]+=\\s*)?(?:\"([a-z_]+\\.[\\w.]+)\"\\(|([a-z_]+\\.[\\w.]+|call)(?=[ (<])(?!\\s*=))"));
    std::map<QString, int> counts;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        const QRegularExpressionMatch match = statement.match(line);
        if (!match.hasMatch())
            continue;
        QString name = match.captured(1).isEmpty() ? match.captured(2) : match.captured(1);
        if (name == QLatin1String("call"))
            name = QStringLiteral("func.call");
        if (name == QLatin1String("arith.constant"))
            name = QStringLiteral("stablehlo.constant"); // the same, in the words of another dialect
        if (name != QLatin1String("func.func") && name != QLatin1String("sdy.mesh")
            && !name.endsWith(QLatin1String(".return")))
            ++counts[name];
    }
    return counts;
}

void count(const Program& program, std::map<QString, int>& counts)
{
    for (const Region& region : program.regions)
        for (const OperationId id : region.operations)
            ++counts[QString::fromStdString(qualifiedName(program.operation(id)))];
}

} // namespace

class TestFacts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (found().isEmpty())
            QSKIP("The folder shared/facts does not lie beside the project: nothing is checked.");
    }
    void files_data();
    void files();
    void shardings();
};

void TestFacts::files_data()
{
    QTest::addColumn<QString>("path");
    const QString root = found();
    QDirIterator files(root, { QStringLiteral("*.mlir") }, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        QTest::newRow(qPrintable(path.mid(root.size() + 1))) << path;
    }
}

void TestFacts::files()
{
    QFETCH(QString, path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    const Result<std::vector<ReadProgram>> read =
        test::readAllStableHlo({ text.constData(), static_cast<std::size_t>(text.size()) });
    QVERIFY2(read, qPrintable(test::shown(read)));
    QVERIFY(!read->empty());
    std::map<QString, int> counts;
    for (const ReadProgram& one : *read) {
        count(one.program, counts);
        const QString wrong = test::wayRound(one.program);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        for (const Diagnostic& warning : one.warnings) {
            qInfo("not supported: %s", qPrintable(test::shown(warning)));
            QVERIFY(warning.code != Code::OpaqueOperation);
        }
        for (const Operation& operation : one.program.operations)
            QVERIFY(one.program.sources[operation.source].line > 0);
    }
    const std::map<QString, int> wanted = countInText(QString::fromUtf8(text));
    for (const auto& [name, number] : wanted)
        QVERIFY2(counts[name] == number,
            qPrintable(QStringLiteral("%1: %2 read, %3 in the text").arg(name).arg(counts[name]).arg(number)));
    for (const auto& [name, number] : counts)
        QVERIFY2(wanted.contains(name) && wanted.at(name) == number, qPrintable(name));
}

/// Shardings in the text arrive at the values.
void TestFacts::shardings()
{
    const QString root = found();
    for (const char* folder : { "from_jax", "sharded" }) {
        QDirIterator files(root + QLatin1Char('/') + QLatin1String(folder), { QStringLiteral("*.mlir") }, QDir::Files);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            const auto read = test::readAllStableHlo({ text.constData(), static_cast<std::size_t>(text.size()) });
            QVERIFY(read);
            const bool says = text.contains("{sdy.sharding =") || text.contains(" sdy.sharding =")
                || text.contains("mhlo.sharding = \"{devices=[2") || text.contains("mhlo.sharding = \"{devices=[8");
            std::size_t shardings = 0;
            for (const ReadProgram& one : *read)
                shardings += one.program.shardings.size();
            QVERIFY2(!says || shardings > 0, qPrintable(file.fileName()));
            // None of Shardy's is lost, whether it stands there by itself or in the string of another attribute.
            qsizetype printed = 0;
            for (const ReadProgram& one : *read)
                printed += QByteArray::fromStdString(printStableHlo(one.program)).count("sdy.sharding = ");
            QVERIFY2(printed >= text.count("sdy.sharding = "),
                qPrintable(QStringLiteral("%1: %2 of %3")
                               .arg(file.fileName())
                               .arg(printed)
                               .arg(text.count("sdy.sharding = "))));
        }
    }
}

REGISTER_TEST(TestFacts)
#include "test_facts.moc"
