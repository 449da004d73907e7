// SPDX-License-Identifier: GPL-3.0-or-later
// The converse of verification: what the other reference cases do something with is legal, and a verifier that rejects
// it is wrong. Programs that a pass rejects are left out: their errors may come from either.
#include <QtTest>

#include <algorithm>
#include <fstream>

#include "conformance/forms.h"
#include "conformance/program_case.h"
#include "program/verify_shardings.h"
#include "registered_test.h"

using namespace shardscope;
using namespace shardscope::conformance;

namespace {

bool isRejected(const Json& oneCase)
{
    for (const auto& [name, function] : oneCase.at("expect").at("functions").items()) {
        const Json diagnostics = function.value("diagnostics", Json());
        if (diagnostics.is_array() && std::find(diagnostics.begin(), diagnostics.end(), "error") != diagnostics.end())
            return true;
    }
    return false;
}

} // namespace

class TestAccepted : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void verifiesWithoutAFinding_data()
    {
        QTest::addColumn<QString>("path");
        int files = 0;
        for (const char* folder : { CASES "/propagation", CASES "/partition" })
            for (const QFileInfo& file : QDir(QString::fromUtf8(folder)).entryInfoList({ QStringLiteral("*.json") })) {
                std::ifstream stream(file.filePath().toStdString(), std::ios::binary);
                const Json json = Json::parse(stream, nullptr, false);
                if (!json.is_object() || !json.contains("cases") || file.baseName() == QLatin1String("verification")
                    || !json["cases"].front().contains("functions"))
                    continue;
                QTest::newRow(qPrintable(file.baseName())) << file.filePath();
                ++files;
            }
        QVERIFY(files >= 4);
    }
    void verifiesWithoutAFinding()
    {
        QFETCH(QString, path);
        std::ifstream stream(path.toStdString(), std::ios::binary);
        const Json file = Json::parse(stream);
        int programs = 0;
        QStringList wrong;
        for (const Json& oneCase : file["cases"]) {
            if (!oneCase.contains("functions") || oneCase.at("status") != "contract" || isRejected(oneCase))
                continue;
            const QString id = QString::fromStdString(oneCase.at("id").get<std::string>());
            const auto built = buildProgram(oneCase);
            if (!built) {
                wrong << id + QStringLiteral(": cannot be built: ") + QString::fromStdString(built.error());
                continue;
            }
            ++programs;
            for (const Diagnostic& found : verifyShardings(built->program))
                wrong << id + QStringLiteral(": ") + QString::fromStdString(conformance::lineOf(found));
        }
        qInfo("%d programs", programs);
        QVERIFY(programs > 0);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }
};

REGISTER_TEST(TestAccepted)
#include "test_accepted.moc"
