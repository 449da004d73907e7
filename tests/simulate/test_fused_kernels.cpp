// SPDX-License-Identifier: GPL-3.0-or-later
// Chains of elementwise operations block by block against the separate kernels, bit by bit.
#include <QtTest>

#include "random_cases.h"
#include "registered_test.h"
#include "simulate/kernel_fixture.h"
#include "simulate/kernels/fused.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

/// How a smaller array may be read: its elements one after the other or each several times, or in rows of it that come
/// several times.
SmallVector<FusedInstruction::Dimension, 4> randomRepeats(std::mt19937& random, std::int64_t elements)
{
    const auto upTo = [&](std::int64_t most) {
        return 1
            + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(std::clamp<std::int64_t>(most, 1, 70)));
    };
    const std::int64_t rows = upTo(elements), columns = upTo(elements / rows);
    switch (random() % 4) {
    case 0:
        return { { rows, 1 } };
    case 1:
        return { { rows, 1 }, { upTo(70), 0 } };
    case 2:
        return { { rows, columns }, { upTo(70), 0 }, { columns, 1 } };
    default:
        return { { rows, columns }, { upTo(70), 0 }, { columns, 1 }, { upTo(70), 0 } };
    }
}

std::int64_t placeOf(const FusedInstruction::Input& input, std::int64_t element)
{
    if (input.scalar)
        return 0;
    if (input.repeats.empty())
        return element;
    std::int64_t place = 0;
    for (std::size_t d = input.repeats.size(); d-- > 0; element /= input.repeats[d].extent)
        place += element % input.repeats[d].extent * input.repeats[d].stride;
    return place;
}

/// Random chains of steps on slots of one type, some inputs scalar, some constant, some broadcast.
FusedInstruction randomChain(std::mt19937& random, DType dtype, std::int64_t elements, std::uint32_t& slots)
{
    FusedInstruction chain;
    chain.elements = elements;
    std::vector<bool> scalar;
    const auto inputs = 2 + random() % 4;
    for (std::size_t i = 0; i < inputs; ++i) {
        FusedInstruction::Input input;
        input.dtype = dtype;
        const auto what = random() % 6;
        if (what == 0)
            input.constant = 0.25;
        else {
            input.slot = SlotId(slots++);
            input.scalar = what == 1 && i > 0;
            if (what == 5 && i > 0)
                input.repeats = randomRepeats(random, elements);
        }
        scalar.push_back(what <= 1);
        chain.inputs.push_back(input);
    }
    const auto steps = 1 + random() % 8;
    for (std::size_t s = 0; s < steps; ++s) {
        FusedInstruction::Step step;
        constexpr OpKind kinds[] = { OpKind::Add, OpKind::Multiply, OpKind::Subtract, OpKind::Maximum, OpKind::Negate,
            OpKind::Abs };
        step.kind = kinds[random() % 6];
        step.dtype = dtype;
        const auto any = [&] { return static_cast<std::int16_t>(random() % (inputs + s)); };
        step.a = any();
        if (opRow(step.kind).operandCount == 2)
            step.b = any();
        chain.steps.push_back(step);
    }
    for (std::size_t r = inputs; r < inputs + steps; ++r)
        if (r + 1 == inputs + steps || random() % 4 == 0)
            chain.outputs.push_back({ SlotId(slots++), static_cast<std::int16_t>(r) });
    return chain;
}

/// Step by step over full arrays, by the kernels themselves: what fusing may not change.
std::vector<std::vector<std::byte>> separately(const FusedInstruction& chain, const KernelSet& kernels,
    const std::vector<std::vector<std::byte>>& slots, DType dtype)
{
    std::vector<std::vector<std::byte>> registers;
    const auto bytes = static_cast<std::size_t>(chain.elements * byteSize(dtype));
    for (const auto& input : chain.inputs) {
        registers.emplace_back(bytes);
        for (std::int64_t i = 0; i < chain.elements; ++i)
            storeElement(dtype, registers.back().data(), i,
                input.slot.valid() ? loadElement(dtype, slots[input.slot.index].data(), placeOf(input, i))
                                   : input.constant);
    }
    for (const auto& step : chain.steps) {
        std::vector<std::byte> out(bytes);
        const auto* b = step.b < 0 ? nullptr : registers[static_cast<std::size_t>(step.b)].data();
        kernels.elementwise({ step.kind, step.comparison, dtype, dtype, 0 })(
            out.data(), registers[static_cast<std::size_t>(step.a)].data(), b, nullptr, chain.elements);
        registers.push_back(std::move(out));
    }
    return registers;
}

} // namespace

class TestFusedKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fusedBlocks();
    void fusedInPlace();
    void adamPattern();
    void adamOfProducts();
};

void TestFusedKernels::fusedBlocks()
{
    std::mt19937 random(19);
    for (int round = 0; round < test::randomCases(100); ++round) {
        const DType dtype = round % 2 == 0 ? DType::F32 : DType::F64;
        const auto elements = static_cast<std::int64_t>(round % 10 == 0 ? 1 : 1 + random() % 9000);
        std::uint32_t count = 0;
        const FusedInstruction chain = randomChain(random, dtype, elements, count);
        std::vector<std::vector<std::byte>> slots(
            count, std::vector<std::byte>(static_cast<std::size_t>(elements * 8)));
        for (auto& slot : slots)
            for (std::int64_t i = 0; i < elements; ++i)
                storeElement(dtype, slot.data(), i, drawn(random, dtype));
        for (const InstructionSet set : availableSets()) {
            const auto kernel = FusedKernel::compile(chain, kernelSet(set));
            QVERIFY(kernel.has_value());
            std::vector<std::byte> scratch(static_cast<std::size_t>(kernel->scratchBytes()));
            std::vector<std::byte*> addresses;
            for (auto& slot : slots)
                addresses.push_back(slot.data());
            const auto expected = separately(chain, kernelSet(set), slots, dtype);
            kernel->run(addresses.data(), scratch.data());
            for (const auto& output : chain.outputs)
                QVERIFY(
                    std::memcmp(slots[output.slot.index].data(), expected[static_cast<std::size_t>(output.reg)].data(),
                        static_cast<std::size_t>(elements * byteSize(dtype)))
                    == 0);
        }
    }
}

// Adam's form: several outputs, each over one of the inputs.
void TestFusedKernels::fusedInPlace()
{
    std::mt19937 random(23);
    for (int round = 0; round < test::randomCases(100); ++round) {
        const auto elements = static_cast<std::int64_t>(1 + random() % 5000);
        std::uint32_t count = 0;
        FusedInstruction chain = randomChain(random, DType::F32, elements, count);
        std::vector<SlotId> targets;
        for (const auto& input : chain.inputs)
            if (input.slot.valid() && !input.scalar && input.repeats.empty())
                targets.push_back(input.slot);
        std::shuffle(targets.begin(), targets.end(), random);
        for (std::size_t o = 0; o < chain.outputs.size() && o < targets.size(); ++o)
            chain.outputs[o].slot = targets[o];
        std::vector<std::vector<std::byte>> slots(
            count, std::vector<std::byte>(static_cast<std::size_t>(elements * 4)));
        for (auto& slot : slots)
            for (std::int64_t i = 0; i < elements; ++i)
                storeElement(DType::F32, slot.data(), i, drawn(random, DType::F32));
        const auto expected = separately(chain, kernelSet(), slots, DType::F32);
        const auto kernel = FusedKernel::compile(chain, kernelSet());
        QVERIFY(kernel.has_value());
        std::vector<std::byte> scratch(static_cast<std::size_t>(kernel->scratchBytes()));
        std::vector<std::byte*> addresses;
        for (auto& slot : slots)
            addresses.push_back(slot.data());
        kernel->run(addresses.data(), scratch.data());
        for (const auto& output : chain.outputs)
            QVERIFY(std::memcmp(slots[output.slot.index].data(), expected[static_cast<std::size_t>(output.reg)].data(),
                        static_cast<std::size_t>(elements * 4))
                == 0);
    }
}

// The kernel for Adam's update against the blocks, bit by bit: factors and addends in any order, in place or not.
void TestFusedKernels::adamPattern()
{
    std::mt19937 random(27);
    for (int round = 0; round < test::randomCases(200); ++round) {
        const DType dtype = round % 2 == 0 ? DType::F32 : DType::F64;
        FusedInstruction chain;
        chain.elements = static_cast<std::int64_t>(1 + random() % 300);
        const auto input = [&](SlotId slot, double constant, bool scalar) {
            chain.inputs.push_back({ slot, constant, dtype, scalar, {} });
            return static_cast<std::int16_t>(chain.inputs.size() - 1);
        };
        const std::int16_t p = input(SlotId(0), 0, false), mu = input(SlotId(1), 0, false);
        const std::int16_t nu = input(SlotId(2), 0, false), g = input(SlotId(3), 0, false);
        const std::int16_t scale = input(SlotId(4), 0, true), step = input(SlotId(5), 0, true);
        const std::int16_t b1 = input({}, 0.9, true), c1 = input({}, 0.1, true);
        const std::int16_t b2 = input({}, 0.999, true), c2 = input({}, 0.001, true), eps = input({}, 1e-8, true);
        const auto make = [&](OpKind kind, std::int16_t a, std::int16_t b = -1) {
            if (random() % 2 == 0 && (kind == OpKind::Add || kind == OpKind::Multiply))
                std::swap(a, b);
            FusedInstruction::Step made;
            made.kind = kind;
            made.dtype = dtype;
            made.a = a;
            made.b = b;
            chain.steps.push_back(made);
            return static_cast<std::int16_t>(chain.inputs.size() + chain.steps.size() - 1);
        };
        const std::int16_t oldMu = make(OpKind::Multiply, mu, b1);
        const std::int16_t newMu = make(OpKind::Add, oldMu, make(OpKind::Multiply, g, c1));
        const std::int16_t oldNu = make(OpKind::Multiply, nu, b2);
        const std::int16_t newNu = make(OpKind::Add, oldNu, make(OpKind::Multiply, make(OpKind::Multiply, g, g), c2));
        const std::int16_t root = make(OpKind::Sqrt, make(OpKind::Multiply, newNu, scale));
        const std::int16_t divisor = make(OpKind::Add, root, eps);
        const std::int16_t quotient = make(OpKind::Divide, make(OpKind::Multiply, newMu, step), divisor);
        const std::int16_t newP = make(OpKind::Add, p, quotient);
        const bool inPlace = round % 3 != 0;
        chain.outputs = { { SlotId(inPlace ? 1U : 6U), newMu }, { SlotId(inPlace ? 2U : 7U), newNu },
            { SlotId(inPlace ? 0U : 8U), newP } };
        const bool spoiled = round % 10 == 9; // something else is asked for as well: no pattern
        if (spoiled)
            chain.outputs.push_back({ SlotId(9), root });

        for (const InstructionSet set : availableSets()) {
            std::vector<std::vector<std::byte>> results;
            for (const bool specialise : { false, true }) {
                std::mt19937 values(static_cast<unsigned>(round));
                std::vector<std::vector<std::byte>> slots(
                    10, std::vector<std::byte>(static_cast<std::size_t>(chain.elements * byteSize(dtype))));
                std::vector<std::byte*> addresses;
                for (std::size_t slot = 0; slot < slots.size(); ++slot) {
                    for (std::int64_t i = 0; i < chain.elements; ++i)
                        storeElement(dtype, slots[slot].data(), i,
                            slot == 2 || slot == 4 ? std::fabs(drawn(values, dtype)) : drawn(values, dtype));
                    addresses.push_back(slots[slot].data());
                }
                const auto kernel = FusedKernel::compile(chain, kernelSet(set), specialise);
                QVERIFY(kernel.has_value());
                QCOMPARE(kernel->isSpecialised(), specialise && !spoiled);
                std::vector<std::byte> scratch(static_cast<std::size_t>(kernel->scratchBytes()));
                kernel->run(addresses.data(), scratch.data());
                results.emplace_back();
                for (const auto& slot : slots)
                    results.back().insert(results.back().end(), slot.begin(), slot.end());
            }
            QVERIFY(results[0] == results[1]);
        }
    }
}

/// The parameter and its moments after an update by a gradient [m, n] of one or two products of k terms, stored or not.
template <class T>
void checkAdamOfProducts(const KernelSet& kernels, std::mt19937& random)
{
    const auto m = static_cast<std::int64_t>(1 + random() % 11), n = static_cast<std::int64_t>(1 + random() % 80);
    const auto k = static_cast<std::int64_t>(random() % 17), products = static_cast<std::int64_t>(1 + random() % 2);
    const auto drawn = [&random](std::int64_t count, double least) {
        std::vector<T> values;
        std::uniform_real_distribution<double> distribution(least, 1);
        for (std::int64_t i = 0; i < count; ++i)
            values.push_back(static_cast<T>(distribution(random)));
        return values;
    };
    std::vector<T> lefts[2], rights[2];
    FewTermsOperands<T> of[2];
    for (std::size_t p = 0; p < 2; ++p) {
        lefts[p] = drawn(m * k, -1);
        rights[p] = drawn(k * n, -1);
        of[p] = { { lefts[p].data(), p == 0 ? 1 : k, p == 0 ? m : 1 }, { rights[p].data(), n, 1 } };
    }
    std::vector<T> gradient(static_cast<std::size_t>(m * n));
    const MatrixView<T> c{ gradient.data(), n, 1 };
    if (products == 1)
        kernels.products<T>().fewTerms(c, of[0].a, of[0].b, m, n, k);
    else
        kernels.products<T>().fewTermsOfTwo(c, of[0], of[1], m, n, k);
    std::vector<T> mu = drawn(m * n, -1), nu = drawn(m * n, 0), parameter = drawn(m * n, -1);
    std::vector<T> otherMu = mu, otherNu = nu, otherParameter = parameter;
    const auto operands = [&](std::vector<T>& first, std::vector<T>& second, std::vector<T>& updated) {
        AdamOperands<T> made{ gradient.data(), first.data(), second.data(), updated.data(), first.data(), second.data(),
            updated.data() };
        made.muDecay = T(0.9), made.muGain = T(0.1), made.nuDecay = T(0.999), made.nuGain = T(0.001);
        made.scale = T(1.5), made.epsilon = T(1e-8), made.step = T(-0.01);
        return made;
    };
    kernels.adam<T>().update(operands(mu, nu, parameter), m * n);
    AdamOperands<T> withoutGradient = operands(otherMu, otherNu, otherParameter);
    withoutGradient.gradient = nullptr;
    kernels.adam<T>().updateByProducts(withoutGradient, of, products, m, n, k);
    const std::size_t bytes = gradient.size() * sizeof(T);
    QVERIFY(std::memcmp(mu.data(), otherMu.data(), bytes) == 0);
    QVERIFY(std::memcmp(nu.data(), otherNu.data(), bytes) == 0);
    QVERIFY(std::memcmp(parameter.data(), otherParameter.data(), bytes) == 0);
}

void TestFusedKernels::adamOfProducts()
{
    std::mt19937 random(28);
    for (int round = 0; round < test::randomCases(300); ++round)
        for (const InstructionSet set : availableSets()) {
            checkAdamOfProducts<float>(kernelSet(set), random);
            checkAdamOfProducts<double>(kernelSet(set), random);
        }
}

REGISTER_TEST(TestFusedKernels)
#include "test_fused_kernels.moc"
