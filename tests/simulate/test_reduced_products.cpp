// SPDX-License-Identifier: GPL-3.0-or-later
// Products, their sums over devices and what is made of these, tile by tile: where that may be done, and that nobody
// can tell by the bits.
#include <QtTest>

#include <algorithm>
#include <cstring>

#include "partition/unsharded.h"
#include "program/step_state.h"
#include "registered_test.h"
#include "simulate/collectives/reduced_product.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/phases.h"
#include "simulate/run/run.h"
#include "simulate/small_mlp.h"
#include "stablehlo/read.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

Phases phasesOf(const Plan& plan, ReplicaMode replicas, const PhaseOptions& options = {})
{
    ReplicaSharing sharing;
    if (replicas == ReplicaMode::Shared)
        sharing = shareReplicas(plan);
    MemoryBudget budget(1e12);
    return preparePhases(plan, sharing, budget, options, {}).value();
}

/// Products of the plan that a run does in tiles.
std::size_t countIn(const Plan& plan, ReplicaMode replicas, const PhaseOptions& options = {})
{
    return phasesOf(plan, replicas, options).reduced.size();
}

/// Those of them with which a product of the backward pass goes along.
std::size_t inputProductsIn(const Plan& plan, ReplicaMode replicas)
{
    const Phases phases = phasesOf(plan, replicas);
    return static_cast<std::size_t>(std::count_if(
        phases.reduced.begin(), phases.reduced.end(), [](const auto& reduced) { return reduced->hasInputProduct(); }));
}

/// Gradients of several tiles, and of several tasks.
MlpSettings largerMlp(DType dtype)
{
    MlpSettings settings = smallMlp(dtype);
    settings.layers = 2;
    settings.embed = 420; // no multiple of a register
    settings.hidden = 640;
    return settings;
}

/// Whether both runs hold the same bytes of these on every device, and hold them.
bool sameBytes(const Run& a, const Run& b, const std::vector<ValueId>& values)
{
    for (const ValueId value : values)
        for (std::int64_t p = 0; p < a.plan().program->mesh->deviceCount(); ++p) {
            const auto mine = a.bytes(value, p), other = b.bytes(value, p);
            if (mine.empty() || !std::equal(mine.begin(), mine.end(), other.begin(), other.end()))
                return false;
        }
    return true;
}

/// Whether three steps of both give the same bits, in the first three results.
bool stepsAgree(Run& a, Run& b)
{
    for (int s = 0; s < 3; ++s) {
        a.step();
        b.step();
        for (std::size_t result = 0; result < 3; ++result) {
            const auto mine = a.gatherResult(result);
            if (mine.empty() || mine != b.gatherResult(result))
                return false;
        }
    }
    return true;
}

/// What a text runs on one device, with that state.
PlanPtr planOfText(const std::string& text, const std::string& state, bool fuse = true)
{
    const auto program = std::make_shared<const Program>(readStableHlo(text).value().program);
    auto parts = std::make_shared<const PartitionedProgram>(unsharded(*program, { 1, 1 }).value());
    auto flat = flatten(program, std::move(parts), parseState(*program, state).value()).value();
    ScheduleOptions options;
    options.fuse = fuse;
    return makePlan(std::make_shared<const FlatProgram>(std::move(flat)), options);
}

/// %x and %dy make a gradient of %w; `middle` stands between that and the new %w, `update` is what is added to it.
std::string updateText(const std::string& middle, const std::string& update)
{
    return "func.func @main(%w: tensor<40x24xf32>, %x: tensor<8x40xf32>, %dy: tensor<8x24xf32>)"
           " -> (tensor<40x24xf32>, tensor<8x40xf32>, tensor<f32>) {\n"
           "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
           "  %half = stablehlo.constant dense<0.5> : tensor<8x40xf32>\n"
           "  %g = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] :"
           " (tensor<8x40xf32>, tensor<8x24xf32>) -> tensor<40x24xf32>\n"
        + middle + "  %new = stablehlo.add %w, " + update
        + " : tensor<40x24xf32>\n"
          "  return %new, %next, %norm : tensor<40x24xf32>, tensor<8x40xf32>, tensor<f32>\n}\n";
}

/// As updateText, with the gradient of %x by the old %w as %next.
std::string backwardText(const std::string& middle)
{
    return "func.func @main(%w: tensor<40x24xf32>, %x: tensor<8x40xf32>, %dy: tensor<8x24xf32>)"
           " -> (tensor<40x24xf32>, tensor<8x40xf32>, tensor<8x40xf32>) {\n"
           "  %half = stablehlo.constant dense<0.5> : tensor<8x40xf32>\n"
           "  %dx = stablehlo.dot_general %dy, %w, contracting_dims = [1] x [1] :"
           " (tensor<8x24xf32>, tensor<40x24xf32>) -> tensor<8x40xf32>\n"
        + middle
        + "  %g = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] :"
          " (tensor<8x40xf32>, tensor<8x24xf32>) -> tensor<40x24xf32>\n"
          "  %new = stablehlo.add %w, %g : tensor<40x24xf32>\n"
          "  return %new, %next, %dx : tensor<40x24xf32>, tensor<8x40xf32>, tensor<8x40xf32>\n}\n";
}

const std::string sumOf =
    "  %norm = stablehlo.reduce(%of init: %zero) applies stablehlo.add across dimensions = [0, 1] :"
    " (tensor<8x40xf32>, tensor<f32>) -> tensor<f32>\n";
const std::string nextX = "  %next = stablehlo.multiply %x, %half : tensor<8x40xf32>\n";
const std::string spread =
    "  %spread = stablehlo.broadcast_in_dim %norm, dims = [] : (tensor<f32>) -> tensor<40x24xf32>\n"
    "  %scaled = stablehlo.multiply %g, %spread : tensor<40x24xf32>\n";

/// Adam's update of %w, whose gradient and so on are `of`; %g is the product, %h another array. What is computed last
/// has the memory of %g, which therefore need not be stored.
std::string adamText(const std::array<const char*, 4>& of)
{
    const auto [gradient, mu, nu, parameter] = of;
    std::string text =
        "func.func @main(%w: tensor<40x24xf32>, %m: tensor<40x24xf32>, %v: tensor<40x24xf32>, %h: tensor<40x24xf32>,"
        " %x: tensor<8x40xf32>, %dy: tensor<8x24xf32>) -> (tensor<40x24xf32>, tensor<40x24xf32>, tensor<40x24xf32>, "
        "tensor<f32>) {\n"
        "  %c = stablehlo.constant dense<0.25> : tensor<40x24xf32>\n"
        "  %g = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] :"
        " (tensor<8x40xf32>, tensor<8x24xf32>) -> tensor<40x24xf32>\n";
    const auto add = [&](const std::string& result, const std::string& operation, const std::string& operands) {
        text += "  " + result + " = stablehlo." + operation + " " + operands + " : tensor<40x24xf32>\n";
    };
    add("%m1", "multiply", mu + std::string(", %c"));
    add("%m2", "multiply", gradient + std::string(", %c"));
    add("%mu", "add", "%m1, %m2");
    add("%v1", "multiply", nu + std::string(", %c"));
    add("%gg", "multiply", gradient + std::string(", ") + gradient);
    add("%v2", "multiply", "%gg, %c");
    add("%nu", "add", "%v1, %v2");
    add("%scaled", "multiply", "%nu, %c");
    add("%root", "sqrt", "%scaled");
    add("%divisor", "add", "%root, %c");
    add("%step", "multiply", "%mu, %c");
    add("%quotient", "divide", "%step, %divisor");
    add("%new", "add", parameter + std::string(", %quotient"));
    return text
        + "  %last = stablehlo.reverse %h, dims = [0] : tensor<40x24xf32>\n"
          "  %again = stablehlo.reverse %last, dims = [1] : tensor<40x24xf32>\n"
          "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "  %sum = stablehlo.reduce(%again init: %zero) applies stablehlo.add across dimensions = [0, 1] :"
          " (tensor<40x24xf32>, tensor<f32>) -> tensor<f32>\n"
          "  return %new, %mu, %nu, %sum :"
          " tensor<40x24xf32>, tensor<40x24xf32>, tensor<40x24xf32>, tensor<f32>\n}\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    return text.replace(text.find(from), from.size(), to);
}

} // namespace

class TestReducedProducts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyGradientOfTheNotebook()
    {
        const auto plan = makePlan(mlpOnDevices(MlpSettings(), makeMesh({ { "data", 2 }, { "model", 4 } })));
        QCOMPARE(countIn(*plan, ReplicaMode::Own), std::size_t(8));
        QCOMPARE(countIn(*plan, ReplicaMode::Shared), std::size_t(8));
        // With each the product with the same matrix, but for the first layer, whose input has no gradient.
        QCOMPARE(inputProductsIn(*plan, ReplicaMode::Own), std::size_t(7));
        QCOMPARE(inputProductsIn(*plan, ReplicaMode::Shared), std::size_t(7));
        const auto unsummed = makePlan(mlpOnDevices(MlpSettings(), makeMesh({ { "data", 1 }, { "model", 8 } })));
        QCOMPARE(countIn(*unsummed, ReplicaMode::Own), std::size_t(8));
        // Not where somebody looks at every operation, nor where the plain kernels are wanted.
        QCOMPARE(countIn(*plan, ReplicaMode::Own, { true, false }), std::size_t(0));
        QCOMPARE(countIn(*plan, ReplicaMode::Own, { false, true }), std::size_t(0));
        // Products of many terms are no faster in tiles.
        MlpSettings large;
        large.batch = 128;
        const auto manyTerms = makePlan(mlpOnDevices(large, makeMesh({ { "data", 2 }, { "model", 4 } })));
        QCOMPARE(countIn(*manyTerms, ReplicaMode::Own), std::size_t(0));
    }

    void sameBits_data()
    {
        QTest::addColumn<QString>("mesh");
        QTest::addColumn<DType>("dtype");
        for (const char* mesh : { "data=1 model=1", "data=2 model=4", "data=8 model=1", "pod=2 data=2 model=2" })
            for (const DType dtype : { DType::F32, DType::F64 })
                QTest::addRow("%s, %s", mesh, dtype == DType::F32 ? "f32" : "f64")
                    << QString::fromLatin1(mesh) << dtype;
    }
    void sameBits()
    {
        QFETCH(QString, mesh);
        QFETCH(DType, dtype);
        const auto program = mlpOnDevices(largerMlp(dtype), makeMesh(axesOf(mesh)));
        const std::vector<ValueId> gradients = gradientsOf(*program->program);
        std::vector<ValueId> state;
        for (const StatePair& pair : program->program->state)
            state.push_back(pair.argument);
        ScheduleOptions separate;
        separate.fuse = false;
        separate.keep = gradients;
        const PlanPtr oneByOne = makePlan(program, separate);
        QCOMPARE(countIn(*oneByOne, ReplicaMode::Own), std::size_t(0));
        auto reference = Run::create(oneByOne, randomInputs(2)).value();
        for (int s = 0; s < 2; ++s)
            reference->step();
        for (const bool keep : { false, true }) {
            ScheduleOptions options;
            if (keep)
                options.keep = gradients;
            const PlanPtr plan = makePlan(program, options);
            QCOMPARE(countIn(*plan, ReplicaMode::Own), std::size_t(4));
            for (const ReducedProductPattern& pattern : findReducedProducts(*plan)) {
                const SlotId product = plan->instructions[pattern.product].results[0];
                for (const ValueId gradient : gradients)
                    if (plan->slotOf[gradient.index] == product)
                        QCOMPARE(pattern.isStored, keep);
            }
            QCOMPARE(inputProductsIn(*plan, ReplicaMode::Own), std::size_t(3));
            for (const ReplicaMode replicas : { ReplicaMode::Own, ReplicaMode::Shared })
                for (const int threads : { 1, 3 }) {
                    if (threads == 1 && keep)
                        continue; // who keeps the gradients does not change who computes them
                    RunOptions run = randomInputs(threads);
                    run.replicas = replicas;
                    auto tiled = Run::create(plan, run).value();
                    for (int s = 0; s < 2; ++s)
                        tiled->step();
                    QVERIFY(sameBytes(*tiled, *reference, state));
                    QCOMPARE(tiled->copiedBytes(), reference->copiedBytes());
                    if (keep)
                        QVERIFY(sameBytes(*tiled, *reference, gradients));
                    for (const ValueId gradient : gradients)
                        QCOMPARE(tiled->bytes(gradient, 0).empty(), !keep);
                }
        }
    }

    void asOneByOne_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("state");
        QTest::addColumn<int>("found");
        QTest::addColumn<int>("taken");
        QTest::addColumn<int>("inputProducts");
        const std::string norm = replaced(sumOf, "%of", "%x");
        const auto row = [](const char* name, const std::string& text, int found, const char* state = "0=0,1=1",
                             int inputProducts = 0) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromLatin1(state) << found
                                << std::min(found, 1) << inputProducts;
        };
        row("the update right after", updateText(nextX + norm, "%g"), 1);
        // The norm of the next x overwrites x before the update can be made.
        row("an operand is overwritten before", updateText(nextX + replaced(sumOf, "%of", "%next") + spread, "%scaled"),
            0);
        row("an operand is read before", updateText(nextX + norm + spread, "%scaled"), 1, "0=0");
        // A sum over the product itself comes first.
        const std::string own =
            "  %norm = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [0, 1] :"
            " (tensor<40x24xf32>, tensor<f32>) -> tensor<f32>\n";
        row("the product is read before", updateText(nextX + own + spread, "%scaled"), 0);
        row("the gradient of the input by the old weights", backwardText(nextX), 1, "0=0", 1);
        row("the next input is made of its gradient",
            backwardText("  %next = stablehlo.multiply %x, %dx : tensor<8x40xf32>\n"), 2, "0=0", 1);
        // What the update needs is made from the input's gradient: they cannot change places.
        row("the update needs the input's gradient",
            replaced(backwardText("  %next = stablehlo.multiply %x, %dx : tensor<8x40xf32>\n"), "dot_general %x",
                "dot_general %next"),
            2, "0=0");
    }
    /// Adam's update in which the product stands for the gradient, for something else, or for two of them.
    void adam_data()
    {
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const std::array<const char*, 4>& of) {
            QTest::newRow(name) << QString::fromStdString(adamText(of));
        };
        row("gradient", { "%g", "%m", "%v", "%w" });
        row("mu", { "%h", "%g", "%v", "%w" });
        row("nu", { "%h", "%m", "%g", "%w" });
        row("parameter", { "%h", "%m", "%v", "%g" });
        row("gradient and mu", { "%g", "%g", "%v", "%w" });
        row("gradient and nu", { "%g", "%m", "%g", "%w" });
        row("gradient and parameter", { "%g", "%m", "%v", "%g" });
    }
    void adam()
    {
        QFETCH(QString, text);
        const char* const state = "0=0,1=1,2=2";
        RunOptions options = randomInputs(2);
        const Shape large{ 40, 24 };
        for (const Shape& shape : { large, large, large, large, Shape{ 8, 40 }, Shape{ 8, 24 } }) {
            kernels::Array array = kernels::Array::make({ DType::F32, shape });
            const auto seed = static_cast<std::int64_t>(options.initial.arrays.size());
            for (std::int64_t i = 0; i < array.count(); ++i)
                array.as<float>()[i] = static_cast<float>((i * (seed + 3)) % 37 + 1) / 7.0F;
            options.initial.arrays.push_back(std::move(array));
        }
        auto tiled = Run::create(planOfText(text.toStdString(), state), options).value();
        auto separate = Run::create(planOfText(text.toStdString(), state, false), options).value();
        QVERIFY(stepsAgree(*tiled, *separate));
    }
    void asOneByOne()
    {
        QFETCH(QString, text);
        QFETCH(QString, state);
        QFETCH(int, found);
        QFETCH(int, taken);
        QFETCH(int, inputProducts);
        const PlanPtr plan = planOfText(text.toStdString(), state.toStdString());
        QCOMPARE(static_cast<int>(findReducedProducts(*plan).size()), found);
        QCOMPARE(static_cast<int>(countIn(*plan, ReplicaMode::Own)), taken);
        QCOMPARE(static_cast<int>(inputProductsIn(*plan, ReplicaMode::Own)), inputProducts);
        RunOptions options = randomInputs(2);
        for (const Shape& shape : { Shape{ 40, 24 }, Shape{ 8, 40 }, Shape{ 8, 24 } }) {
            kernels::Array array = kernels::Array::make({ DType::F32, shape });
            for (std::int64_t i = 0; i < array.count(); ++i)
                array.as<float>()[i] = static_cast<float>(i % 37 - 18) / 7.0F;
            options.initial.arrays.push_back(std::move(array));
        }
        auto tiled = Run::create(plan, options).value();
        auto separate = Run::create(planOfText(text.toStdString(), state.toStdString(), false), options).value();
        QVERIFY(stepsAgree(*tiled, *separate));
    }
};

REGISTER_TEST(TestReducedProducts)
#include "test_reduced_products.moc"
