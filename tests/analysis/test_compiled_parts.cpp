// SPDX-License-Identifier: GPL-3.0-or-later
// Layers compiled each by itself.
#include <QtTest>

#include "analysis/analysed.h"
#include "analysis/compiled_parts.h"
#include "base/codes.h"
#include "pipeline/collective_list.h"
#include "registered_test.h"

using namespace shardscope;

class TestCompiledParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void layersThatAreTheSameAreCompiledOnce()
    {
        AnalysisCache cache;
        const auto experiment = std::make_shared<const Experiment>(test::example("flax-mlp-logical"));
        const SnapshotPtr snapshot = analyse(experiment, 1, cache);
        const auto parts = compiledParts(*snapshot, "layers.*", cache).value();
        QCOMPARE(parts.size(), std::size_t{ 4 });
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const CompiledPart& part = parts[i];
            QCOMPARE(part.name, "layers." + std::to_string(i));
            QVERIFY(part.errors.empty());
            QCOMPARE(part.arguments, 3); // the input and two matrices
            QVERIFY(part.results >= 1);
            QCOMPARE(part.sameAs, i == 0 ? -1 : 0);
            QCOMPARE(part.isHit, i != 0);
            // z is the sum over four devices of [4, 1024] numbers: 2 * 3/4 of their bytes.
            QVERIFY(part.sentBytes == Rational(24'576));
        }
        const auto compiledAgain = compiledParts(*snapshot, "layers.*", cache).value();
        for (const CompiledPart& again : compiledAgain)
            QVERIFY(again.isHit);
        QVERIFY(parts[0].seconds() > 0);
        const auto backward = compiledParts(*snapshot, "backward/layers.*", cache).value();
        QVERIFY(backward.size() >= 4);
        for (const CompiledPart& part : backward)
            QVERIFY2(part.errors.empty(), part.name.c_str());
    }

    /// Scopes that there are not; and who does not wait.
    void whatCannotBe()
    {
        AnalysisCache cache;
        const auto experiment = std::make_shared<const Experiment>(test::example("flax-mlp-logical"));
        const SnapshotPtr snapshot = analyse(experiment, 1, cache);
        const auto none = compiledParts(*snapshot, "layer", cache);
        QVERIFY(!none && none.error().code == Code::UnknownValue);
        const auto deeper = compiledParts(*snapshot, "layers.*/mlp", cache);
        QVERIFY(!deeper);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(compiledParts(*snapshot, "layers.*", cache, stop.get_token()).value().size() <= 4);
    }
};

REGISTER_TEST(TestCompiledParts)
#include "test_compiled_parts.moc"
