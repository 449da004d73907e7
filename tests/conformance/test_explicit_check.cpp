// SPDX-License-Identifier: GPL-3.0-or-later
// JAX's explicit mode as a check of every program of the reference cases: it comes to an end, twice the same.
#include <QtTest>

#include <QDir>
#include <fstream>

#include "analysis/analyse.h"
#include "analysis/explicit_check.h"
#include "conformance/program_case.h"
#include "experiment/builtin.h"
#include "registered_test.h"
#include "stablehlo/print.h"

using namespace shardscope;
using namespace shardscope::conformance;

namespace {

SnapshotPtr laidOut(const std::string& text)
{
    Result<Experiment> made =
        experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text), {}, {} }, "case");
    if (!made)
        return nullptr;
    AnalysisCache cache;
    return analyse(std::make_shared<const Experiment>(std::move(*made)), 1, cache);
}

} // namespace

class TestExplicitCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyProgram_data()
    {
        QTest::addColumn<QString>("file");
        const QDir folder(SHARDSCOPE_SOURCE_DIR "/tests/conformance/propagation");
        for (const QString& name : folder.entryList({ "*.json" }))
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }

    void everyProgram()
    {
        QFETCH(QString, file);
        const Json json = Json::parse(std::ifstream(file.toStdString()));
        for (const Json& oneCase : json.at("cases")) {
            if (!oneCase.contains("functions"))
                continue;
            const std::string id = oneCase.at("id").get<std::string>();
            const auto built = buildProgram(oneCase);
            QVERIFY2(built, id.c_str());
            const SnapshotPtr snapshot = laidOut(printStableHlo(built->program));
            const std::optional<ExplicitReport> report = snapshot ? explicitReport(*snapshot) : std::nullopt;
            if (!report)
                continue; // what is illegal is not laid out
            const std::optional<ExplicitReport> again = explicitReport(*snapshot);
            QVERIFY2(again && again->refusals.size() == report->refusals.size() && again->unjudged == report->unjudged
                    && again->accepted == report->accepted,
                id.c_str());
            for (std::size_t i = 0; i < report->refusals.size(); ++i) {
                const ExplicitRefusal& refusal = report->refusals[i];
                QVERIFY2(refusal.diagnostic == again->refusals[i].diagnostic, id.c_str());
                QVERIFY2(
                    refusal.problem != ExplicitProblem::None && !refusal.diagnostic.text("wrong").empty(), id.c_str());
                QVERIFY2(refusal.operation.valid()
                        ? refusal.operation.index < snapshot->program->operations.size()
                        : refusal.problem == ExplicitProblem::NotDivisible && refusal.diagnostic.arg("argument"),
                    id.c_str());
            }
            m_checked += 1;
            m_refused += static_cast<int>(report->refusals.size());
        }
    }

    /// There is something to look at.
    void cleanupTestCase() { QVERIFY2(m_checked > 500 && m_refused > 20, qPrintable(QString::number(m_checked))); }

private:
    int m_checked = 0, m_refused = 0;
};

REGISTER_TEST(TestExplicitCheck)
#include "test_explicit_check.moc"
