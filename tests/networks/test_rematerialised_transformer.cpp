// SPDX-License-Identifier: GPL-3.0-or-later
// Transformers whose backward pass computes layers again: the same train step, bit for bit.
#include <QtTest>

#include <algorithm>

#include "networks/small_transformers.h"
#include "networks/transformer_training.h"
#include "program/differentiate.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;
using test::Edit;

namespace {

Program trainStepOf(const TransformerSettings& settings, RematPolicy remat, std::int64_t microbatches)
{
    TransformerTraining training;
    training.model = settings;
    training.model.remat = remat;
    training.optimizer.kind = OptimizerKind::Sgd;
    training.microbatches = microbatches;
    return buildTransformer(training).value();
}

/// The arguments of the first step, in the order of main: numbers as drawn for parameters and inputs, zeros elsewhere.
std::vector<Array> firstStep(const Program& program, const TransformerSettings& settings)
{
    const std::vector<Array> drawn = test::drawnArguments(settings);
    std::size_t next = 0;
    std::vector<Array> arguments;
    for (const ValueId id : program.main().arguments) {
        const Value& value = program.value(id);
        if (value.role == Role::Parameter || value.role == Role::Input)
            arguments.push_back(drawn[next++]);
        else
            arguments.emplace_back(static_cast<std::size_t>(value.type.elementCount()));
    }
    return arguments;
}

int countOf(const Program& program, OpKind kind)
{
    return static_cast<int>(std::count_if(program.operations.begin(), program.operations.end(),
        [&](const Operation& operation) { return operation.kind == kind; }));
}

} // namespace

class TestRematerialisedTransformer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameStep_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<int>("microbatches");
        QTest::newRow("Llama") << Edit([](TransformerSettings&) {}) << 1;
        QTest::newRow("GPT-2, two microbatches") << Edit(test::gpt2) << 2;
        QTest::newRow("T5") << Edit(test::t5) << 1;
        QTest::newRow("experts") << Edit(test::mixtral) << 1;
        QTest::newRow("dropout, two microbatches") << Edit([](TransformerSettings& s) { s.dropout = 0.25; }) << 2;
        QTest::newRow("dropout in a loop") << Edit([](TransformerSettings& s) {
            s.dropout = 0.25;
            s.form = LayerForm::Scanned;
        }) << 1;
        QTest::newRow("DeepSeek") << Edit(test::deepSeek) << 1;
        QTest::newRow("a loop over layers, some with a window") << Edit([](TransformerSettings& s) {
            test::gemma3(s);
            s.form = LayerForm::Scanned;
        }) << 1;
        QTest::newRow("a loop over layers") << Edit([](TransformerSettings& s) { s.form = LayerForm::Scanned; }) << 1;
    }

    void sameStep()
    {
        QFETCH(Edit, edit);
        QFETCH(int, microbatches);
        TransformerSettings s = test::edited(edit);
        s.length = 4;
        s.encoderLength = std::min<std::int64_t>(s.encoderLength, 3);
        const Program plain = trainStepOf(s, RematPolicy::None, microbatches);
        QCOMPARE(countOf(plain, OpKind::OptimizationBarrier), 0);
        const std::vector<Array> arguments = firstStep(plain, s);
        const std::vector<Array> expected = test::interpret(plain, arguments);
        for (const RematPolicy policy : { RematPolicy::Full, RematPolicy::Dots, RematPolicy::Gathered }) {
            const Program again = trainStepOf(s, policy, microbatches);
            QVERIFY(verify(again).empty());
            const std::vector<Array> found = test::interpret(again, arguments);
            QCOMPARE(again.main().results.size(), plain.main().results.size());
            for (std::size_t i = 0; i < again.main().results.size(); ++i)
                QCOMPARE(found[again.main().results[i].index], expected[plain.main().results[i].index]);
        }
    }

    /// Full multiplies all of a layer again that derivatives read, Dots only what attention multiplies, Gathered
    /// nothing.
    void products()
    {
        const TransformerSettings s = test::tiny();
        const auto products = [&](RematPolicy policy) {
            return countOf(trainStepOf(s, policy, 1), OpKind::DotGeneral);
        };
        const int plain = products(RematPolicy::None), layers = static_cast<int>(s.layers);
        // query, key, value, logits, context, out, wi_0 and wi_1; derivatives of sums do not read what wo makes
        QCOMPARE(products(RematPolicy::Full), plain + 8 * layers);
        QCOMPARE(products(RematPolicy::Dots), plain + 2 * layers);
        QCOMPARE(products(RematPolicy::Gathered), plain);
    }

    /// All that a layer's backward pass reads of the forward pass stands behind a barrier.
    void barriers()
    {
        const Program program = trainStepOf(test::tiny(), RematPolicy::Full, 1);
        QVERIFY(countOf(program, OpKind::OptimizationBarrier) > 0);
        const auto isOfLayers = [](const std::string& scope) { return scope.find("/layers.") != std::string::npos; };
        for (const Operation& operation : program.operations) {
            const std::string& scope = program.scopes[operation.scope];
            if (!isBackward(scope) || !isOfLayers(scope) || operation.kind == OpKind::OptimizationBarrier)
                continue;
            for (const ValueId operand : operation.operands) {
                const OperationId made = program.value(operand).definition;
                QVERIFY(made.valid());
                QVERIFY2(isBackward(program.scopes[program.operation(made).scope]), scope.c_str());
            }
        }
    }
};

REGISTER_TEST(TestRematerialisedTransformer)
#include "test_rematerialised_transformer.moc"
