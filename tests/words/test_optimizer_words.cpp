// SPDX-License-Identifier: GPL-3.0-or-later
// State is called as the optimizer that keeps it calls it.
#include <QTest>

#include "networks/mlp.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "words/optimizer_words.h"
#include "words/words.h"

using namespace shardscope;

namespace {

TransformerTraining trainedWith(OptimizerKind kind)
{
    TransformerTraining training;
    training.model.layers = 1;
    training.optimizer.kind = kind;
    training.optimizer.adafactor.factoredSize = 64; // some arrays are factored, vectors are not
    return training;
}

} // namespace

class TestOptimizerWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesOfArrays()
    {
        const auto names = [](OptimizerKind kind, Role role) {
            const Result<Program> program = buildTransformer(trainedWith(kind));
            return program ? words::optimizerArrays(*program, role) : QString();
        };
        QCOMPARE(names(OptimizerKind::Adam, Role::Mu), QStringLiteral("mu"));
        QCOMPARE(names(OptimizerKind::Adam, Role::Nu), QStringLiteral("nu"));
        QCOMPARE(names(OptimizerKind::Momentum, Role::Mu), QStringLiteral("trace"));
        QCOMPARE(names(OptimizerKind::Adafactor, Role::Nu), QStringLiteral("v_row, v_col, v"));
        QCOMPARE(words::owner(Owner::Parameters, *buildMlp({})), QStringLiteral("parameters"));
        QCOMPARE(words::owner(Owner::Nu, *buildMlp({})), QStringLiteral("nu"));
        TransformerTraining training = trainedWith(OptimizerKind::Momentum);
        QCOMPARE(words::owner(Owner::Mu, *buildTransformer(training)), QStringLiteral("trace"));
    }

    void namesOfState()
    {
        const auto state = [](OptimizerKind kind) {
            Experiment experiment;
            experiment.model = TransformerModel{ trainedWith(kind) };
            return words::optimizerState(experiment);
        };
        QCOMPARE(state(OptimizerKind::Adam), QStringLiteral("Adam mu, nu"));
        QCOMPARE(state(OptimizerKind::AdamW), QStringLiteral("AdamW mu, nu"));
        QCOMPARE(state(OptimizerKind::Momentum), QStringLiteral("Momentum trace"));
        QCOMPARE(state(OptimizerKind::Adafactor), QStringLiteral("Adafactor v_row, v_col, v"));
        Experiment arrays;
        arrays.model = ArraysModel{};
        QCOMPARE(words::optimizerState(arrays), QStringLiteral("Optimizer state"));
    }
};

REGISTER_TEST(TestOptimizerWords)
#include "test_optimizer_words.moc"
