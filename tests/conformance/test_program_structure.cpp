// SPDX-License-Identifier: GPL-3.0-or-later
// Every program of the reference cases verifies, except those that are wrong on purpose.
#include <QtTest>

#include <QDir>
#include <fstream>

#include "conformance/program_compare.h"
#include "registered_test.h"

using namespace shardscope;
using namespace shardscope::conformance;

class TestProgramStructure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allVerify_data()
    {
        QTest::addColumn<QString>("file");
        const QDir folder(SHARDSCOPE_SOURCE_DIR "/tests/conformance/propagation");
        for (const QString& name : folder.entryList({ "*.json" }))
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }

    void allVerify()
    {
        QFETCH(QString, file);
        const Json json = Json::parse(std::ifstream(file.toStdString()));
        for (const Json& oneCase : json.at("cases")) {
            if (!oneCase.contains("functions") || expectsError(oneCase))
                continue;
            const std::string id = oneCase.at("id").get<std::string>();
            const auto built = buildProgram(oneCase);
            QVERIFY2(built, (id + ": " + (built ? "" : built.error())).c_str());
            const std::vector<Diagnostic> found = verify(built->program);
            QVERIFY2(found.empty(),
                (id + ": " + (found.empty() ? "" : found[0].text("op") + ": " + found[0].text("detail"))).c_str());
            for (const Operation& operation : built->program.operations) { // and has rules that are about its values
                const FactorRule rule = factorRule(built->program, operation);
                QVERIFY2(!rule.exists()
                        || (rule.operands.size() == operation.operands.size()
                            && rule.results.size() == operation.results.size()),
                    (id + ": " + qualifiedName(operation)).c_str());
            }
        }
    }
};

REGISTER_TEST(TestProgramStructure)
#include "test_program_structure.moc"
