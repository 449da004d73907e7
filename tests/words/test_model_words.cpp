// SPDX-License-Identifier: GPL-3.0-or-later
// How far parameters are sharded, and heads and experts that do not spread over devices, in sentences.
#include <QLocale>
#include <QTest>

#include "analysis/analyse.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "registered_test.h"
#include "words/coverage_words.h"
#include "words/links.h"

using namespace shardscope;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{ 1 } << 20;

ParameterCoverage covered(std::int64_t devices, std::vector<ParameterCoverage::Fold> folds)
{
    ParameterCoverage coverage;
    coverage.devices = devices;
    coverage.folds = std::move(folds);
    for (const ParameterCoverage::Fold& fold : coverage.folds) {
        coverage.bytes += fold.bytes;
        coverage.arrays += fold.arrays;
    }
    return coverage;
}

Diagnostic split(const char* name, std::int64_t size, std::vector<std::string> axes, std::int64_t largest)
{
    return { Code::AtomSplit,
        { { "dim", 1 }, { "dim_name", name }, { "size", size }, { "partitions", 16 }, { "axes", std::move(axes) },
            { "largest", largest } },
        {} };
}

} // namespace

class TestModelWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void coverage()
    {
        const ParameterCoverage some = covered(8, { { 8, 6 * mebibyte, 3 }, { 2, mebibyte, 1 }, { 1, mebibyte, 2 } });
        QCOMPARE(words::coverage(some),
            QStringLiteral("6 MiB of 8 MiB of parameters are sharded 8 ways or more, 1 MiB are replicated."));
        QCOMPARE(words::coverageByShards(some),
            QStringList({ QStringLiteral("8 ways: 6 MiB in 3 arrays"), QStringLiteral("2 ways: 1 MiB in 1 array"),
                QStringLiteral("replicated: 1 MiB in 2 arrays") }));
        QCOMPARE(words::coverage(covered(8, { { 4, mebibyte, 1 } })),
            QStringLiteral("1 MiB of 1 MiB of parameters are sharded 4 ways or more, none are replicated."));
        QCOMPARE(words::coverage(covered(1, { { 1, mebibyte, 1 } })),
            QStringLiteral("The one device holds all 1 MiB of parameters."));
        QCOMPARE(words::coverage({}), QStringLiteral("There are no parameters."));
    }

    /// The name leads to the array; why each dimension is replicated follows.
    void replicatedArrays()
    {
        Experiment experiment = builtinExamples().front().make(); // W1 and W2 of four layers, hidden over model
        std::erase_if(experiment.rules.rules.list,
            [](const LogicalRule& rule) { return rule.name == LogicalName::of("hidden"); });
        AnalysisCache cache;
        const SnapshotPtr snapshot = analyse(std::make_shared<const Experiment>(experiment), 1, cache);
        const ParameterCoverage coverage = parameterCoverage(*snapshot);
        QCOMPARE(coverage.replicated.size(), std::size_t(2));
        const words::Text text = words::replicated(*snapshot, coverage.replicated.front());
        const QString plain = words::plain(text);
        QVERIFY2(plain.startsWith(QStringLiteral("layers.*/W1, 4 arrays, 16 MiB; ")), qPrintable(plain));
        QVERIFY2(plain.contains(QStringLiteral("hidden: no rule")), qPrintable(plain));
        QCOMPARE(
            text.front().link, words::valueLink(*snapshot->program, snapshot->program->find("params/layers.0/W1")));
    }

    void atoms()
    {
        const words::ProblemText heads = words::describe(split("kv_heads", 8, { "model" }, 8));
        QVERIFY2(
            heads.cause.contains(QStringLiteral("8 KV heads do not spread evenly over the 16 devices along model")),
            qPrintable(heads.cause));
        QCOMPARE(heads.remedy, QStringLiteral("The next smaller size of model that they spread over: 8."));
        const words::ProblemText experts = words::describe(split("expert", 12, { "data", "expert" }, 12));
        QVERIFY2(experts.cause.contains(QStringLiteral("12 experts")), qPrintable(experts.cause));
        QCOMPARE(experts.remedy, QStringLiteral("The next smaller number of devices that they spread over: 12."));
        QVERIFY(words::describe(split("heads", 12, { "model" }, 12)).cause.contains(QStringLiteral("12 heads")));
    }
};

REGISTER_TEST(TestModelWords)
#include "test_model_words.moc"
