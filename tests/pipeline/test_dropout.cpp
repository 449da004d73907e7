// SPDX-License-Identifier: GPL-3.0-or-later
// Dropout on meshes: the same elements are dropped wherever they are computed.
#include <QtTest>

#include <cmath>

#include "pipeline/losses_on_meshes.h"
#include "registered_test.h"

using namespace shardscope;
using test::lossesOn;

namespace {

TransformerTraining dropoutTraining(LayerForm form, RematPolicy remat)
{
    TransformerTraining training = test::smallTraining();
    TransformerSettings& s = training.model;
    s.dropout = 0.25;
    s.attentionDropout = 0.125;
    s.form = form;
    s.remat = remat;
    return training;
}

} // namespace

class TestDropoutOnMeshes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void losses_data()
    {
        QTest::addColumn<int>("form");
        QTest::addColumn<int>("remat");
        QTest::newRow("unrolled") << 0 << 0;
        QTest::newRow("unrolled, full remat") << 0 << 1;
        QTest::newRow("unrolled, dots") << 0 << 2;
        QTest::newRow("scanned") << 1 << 0;
        QTest::newRow("scanned, full remat") << 1 << 1;
    }

    void losses()
    {
        QFETCH(int, form);
        QFETCH(int, remat);
        const TransformerTraining plain = dropoutTraining(LayerForm::Unrolled, RematPolicy::None);
        const TransformerTraining training =
            dropoutTraining(static_cast<LayerForm>(form), static_cast<RematPolicy>(remat));
        for (const auto& [data, model] : { std::pair{ 1, 1 }, { 2, 4 }, { 4, 2 } }) {
            const std::vector<double> expected = lossesOn(training, 1, 1), found = lossesOn(training, data, model);
            for (std::size_t i = 0; i < found.size(); ++i)
                QVERIFY2(std::abs(found[i] - expected[i]) <= 1e-9 * std::abs(expected[i]),
                    qPrintable(QString("%1, on one device %2").arg(found[i], 0, 'g', 17).arg(expected[i], 0, 'g', 17)));
        }
        const std::vector<double> expected = lossesOn(plain, 1, 1), found = lossesOn(training, 2, 4);
        for (std::size_t i = 0; i < found.size(); ++i)
            QVERIFY(std::abs(found[i] - expected[i]) <= 1e-9 * std::abs(expected[i]));
    }

    /// Each step drops other elements, and so does another seed.
    void differs()
    {
        TransformerTraining training = dropoutTraining(LayerForm::Unrolled, RematPolicy::None);
        training.optimizer.learningRate = 0;
        const std::vector<double> losses = lossesOn(training, 2, 4);
        QVERIFY(losses[0] != losses[1] && losses[1] != losses[2]);
        training.model.dropoutSeed = 1;
        QVERIFY(lossesOn(training, 2, 4)[0] != losses[0]);
        training.model.dropout = 0;
        QVERIFY(lossesOn(training, 2, 4)[0] != losses[0]); // probabilities of attention
        training.model.attentionDropout = 0;
        const std::vector<double> all = lossesOn(training, 2, 4);
        QVERIFY(all[0] == all[1]);
    }
};

REGISTER_TEST(TestDropoutOnMeshes)
#include "test_dropout.moc"
