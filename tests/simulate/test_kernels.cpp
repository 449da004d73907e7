// SPDX-License-Identifier: GPL-3.0-or-later
// Every kernel of every instruction set against plain loops in double, all small sizes, misaligned starts.
#include <QtTest>

#include <cmath>
#include <cstring>
#include <random>

#include "program/op_row.h"
#include "simulate/action.h"
#include "simulate/element.h"
#include "simulate/fused.h"
#include "simulate/product.h"
#include "simulate/reduction.h"
#include "simulate/reference_operation.h"

using namespace shardscope;

namespace {

std::vector<InstructionSet> availableSets()
{
    std::vector<InstructionSet> sets;
    for (const InstructionSet set : { InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512 })
        if (isAvailable(set))
            sets.push_back(set);
    return sets;
}

constexpr DType computed[] = { DType::Pred, DType::I32, DType::F32, DType::F64 };

double epsilonOf(DType dtype)
{
    return dtype == DType::F32 ? 0x1p-23 : dtype == DType::F64 ? 0x1p-52 : 0;
}

/// A buffer that begins `shift` elements behind a cache line.
struct Buffer {
    DType dtype;
    std::int64_t shift;
    std::vector<std::byte> storage;

    Buffer(DType type, std::int64_t elements, std::int64_t from)
        : dtype(type)
        , shift(from)
        , storage(static_cast<std::size_t>((elements + from + 32) * 8 + 64))
    {
    }
    std::byte* data()
    {
        const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
        return storage.data() + (64 - address % 64) + shift * byteSize(dtype);
    }
    double at(std::int64_t i) { return loadElement(dtype, data(), i); }
    void set(std::int64_t i, double x) { storeElement(dtype, data(), i, x); }
};

double drawn(std::mt19937& random, DType dtype)
{
    if (dtype == DType::Pred)
        return static_cast<double>(random() % 2);
    if (dtype == DType::I32)
        return static_cast<double>(static_cast<std::int32_t>(random() % 201) - 100);
    const double x = std::uniform_real_distribution<double>(-2, 2)(random);
    return dtype == DType::F32 ? static_cast<double>(static_cast<float>(x)) : x;
}

void fillRandom(Buffer& buffer, std::int64_t elements, std::mt19937& random)
{
    for (std::int64_t i = 0; i < elements; ++i)
        buffer.set(i, drawn(random, buffer.dtype));
}

/// A program of one operation, so that the reference can say what is right.
struct OneOperation {
    Program program;
    const Operation& operation() const { return program.operations.back(); }
    std::vector<double> evaluate(const std::vector<std::vector<double>>& operands) const
    {
        std::vector<const std::vector<double>*> pointers;
        for (const auto& operand : operands)
            pointers.push_back(&operand);
        std::vector<double> out;
        evaluateReference(program, operation(), pointers, ReferencePrecision::AsTyped, out);
        return out;
    }
};

OneOperation oneOperation(
    OpKind kind, const std::vector<TensorType>& operands, const TensorType& result, const Attributes& attributes)
{
    OneOperation one;
    Operation operation;
    operation.kind = kind;
    operation.attributes = attributes;
    for (const TensorType& type : operands) {
        operation.operands.push_back(ValueId(one.program.values.size()));
        one.program.values.push_back({ type, {}, 0, Role::Temporary, {}, {} });
    }
    operation.results.push_back(ValueId(one.program.values.size()));
    one.program.values.push_back({ result, OperationId(0), 0, Role::Temporary, {}, {} });
    one.program.operations.push_back(operation);
    return one;
}

} // namespace

class TestKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOperationIsDecided();
    void elementwise_data();
    void elementwise();
    void products_data();
    void products();
    void setsWithFmaAgree();
    void generalProducts();
    void rowReductions();
    void reductions();
    void fusedBlocks();
    void fusedInPlace();
    void adamPattern();
    void stridedCopies();
};

// A new operation has to be put in one of the two lists.
void TestKernels::everyOperationIsDecided()
{
    for (std::size_t k = 0; k < opKindCount; ++k) {
        const auto kind = static_cast<OpKind>(k);
        bool executable = false;
        for (const DType dtype : computed)
            executable = executable || isExecutable(kind, dtype);
        QVERIFY2(executable, opRow(kind).name.data());
        for (const DType dtype : { DType::BF16, DType::F16, DType::I64, DType::U32, DType::I8 })
            QVERIFY(!isExecutable(kind, dtype));
    }
    QVERIFY(!isExecutable(OpKind::Sqrt, DType::I32));
    QVERIFY(!isExecutable(OpKind::Not, DType::F32));
    QVERIFY(!isExecutable(OpKind::DotGeneral, DType::Pred));
}

void TestKernels::elementwise_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("dtype");
    for (std::size_t k = 0; k < opKindCount; ++k)
        for (const DType dtype : computed)
            if (opRow(static_cast<OpKind>(k)).elementwise && isExecutable(static_cast<OpKind>(k), dtype))
                QTest::addRow("%s %s", opRow(static_cast<OpKind>(k)).name.data(), name(dtype).data())
                    << static_cast<int>(k) << static_cast<int>(dtype);
}

void TestKernels::elementwise()
{
    QFETCH(int, kind);
    QFETCH(int, dtype);
    const auto op = static_cast<OpKind>(kind);
    const auto type = static_cast<DType>(dtype);
    std::mt19937 random(7);
    struct Variant {
        DType result;
        Attributes attributes;
        Comparison comparison = Comparison::Equal;
    };
    std::vector<Variant> variants;
    if (op == OpKind::Compare)
        for (int c = 0; c < 6; ++c)
            variants.push_back(
                { DType::Pred, CompareAttributes{ static_cast<Comparison>(c) }, static_cast<Comparison>(c) });
    else if (op == OpKind::Convert)
        for (const DType to : computed)
            variants.push_back({ to, {} });
    else
        variants.push_back({ type, {} });
    const std::int64_t arity = opRow(op).operandCount;

    for (const Variant& variant : variants) {
        for (const std::int64_t n : { 1, 3, 8, 15, 16, 17, 33, 70 }) {
            for (std::int64_t shift = 0; shift < 2; ++shift) {
                for (unsigned scalars = 0; scalars + 1 < (1U << static_cast<unsigned>(arity)); ++scalars) {
                    std::vector<Buffer> operands;
                    std::vector<std::vector<double>> plain;
                    std::vector<TensorType> types;
                    for (std::int64_t o = 0; o < arity; ++o) {
                        const DType operandType = op == OpKind::Select && o == 0 ? DType::Pred : type;
                        operands.emplace_back(operandType, n, shift + o);
                        fillRandom(operands.back(), n, random);
                        const bool scalar = (scalars >> static_cast<unsigned>(o) & 1U) != 0;
                        plain.emplace_back();
                        types.push_back({ operandType, { n } });
                        for (std::int64_t i = 0; i < n; ++i)
                            plain.back().push_back(operands.back().at(scalar ? 0 : i));
                    }
                    const auto expected =
                        oneOperation(op, types, { variant.result, { n } }, variant.attributes).evaluate(plain);
                    for (const InstructionSet set : availableSets()) {
                        const ElementwiseFunction function =
                            kernelSet(set).elementwise({ op, variant.comparison, type, variant.result, scalars });
                        QVERIFY(function != nullptr);
                        Buffer out(variant.result, n, shift);
                        out.set(n, 77);
                        function(out.data(), operands[0].data(), arity > 1 ? operands[1].data() : nullptr,
                            arity > 2 ? operands[2].data() : nullptr, n);
                        QCOMPARE(
                            out.at(n), loadElement(variant.result, out.data(), n)); // nothing is written behind the end
                        for (std::int64_t i = 0; i < n; ++i) {
                            const double right = expected[static_cast<std::size_t>(i)];
                            const double ours = out.at(i);
                            // The library's transcendental functions are within a few units in the last place.
                            const double tolerance = 4 * epsilonOf(variant.result) * std::max(std::fabs(right), 1.0);
                            QVERIFY2((std::isnan(right) && std::isnan(ours)) || right == ours
                                    || std::fabs(ours - right) <= tolerance,
                                qPrintable(
                                    QStringLiteral("n %1 element %2: %3, not %4").arg(n).arg(i).arg(ours).arg(right)));
                        }
                        if (variant.result == type && (scalars & 1U) == 0 && op != OpKind::Select) { // in place
                            std::vector<std::byte> separate(out.data(), out.data() + n * byteSize(type));
                            Buffer target = operands[0];
                            std::memcpy(
                                target.data(), operands[0].data(), static_cast<std::size_t>(n * byteSize(type)));
                            function(target.data(), target.data(), arity > 1 ? operands[1].data() : nullptr,
                                arity > 2 ? operands[2].data() : nullptr, n);
                            QVERIFY(std::memcmp(target.data(), separate.data(), separate.size()) == 0);
                        }
                    }
                }
            }
        }
    }
}

void TestKernels::products_data()
{
    QTest::addColumn<int>("set");
    for (const InstructionSet set : availableSets())
        QTest::addRow("set %d", static_cast<int>(set)) << static_cast<int>(set);
}

template <class T>
void checkProducts(const KernelSet& kernels, DType dtype)
{
    std::mt19937 random(3);
    const ProductFunctions<T>& functions = kernels.products<T>();
    std::vector<std::byte> scratch(static_cast<std::size_t>(functions.scratchBytes) + 64);
    std::byte* aligned = scratch.data() + (64 - reinterpret_cast<std::uintptr_t>(scratch.data()) % 64);
    std::vector<std::array<std::int64_t, 3>> sizes;
    for (const std::int64_t m : { 1, 2, 3, 4, 5, 8, 9 })
        for (const std::int64_t n : { 1, 2, 4, 7, 8, 15, 17 })
            for (const std::int64_t k : { 1, 2, 7, 8, 9, 16, 19 })
                sizes.push_back({ m, n, k });
    for (const std::int64_t n : { 15, 16, 17, 31, 33, 47, 49, 64, 65 })
        sizes.insert(sizes.end(), { { 5, n, 33 }, { 33, n, 5 }, { n, 7, n }, { 16, n, 260 } });
    sizes.push_back({ 97, 485, 258 }); // over the edges of all blocks of the packed product
    for (const auto& [m, n, k] : sizes) {
        const std::int64_t shift = (m + n + k) % 3;
        Buffer a(dtype, m * k, shift), b(dtype, k * n, shift + 1), bt(dtype, k * n, shift), at(dtype, m * k, shift);
        fillRandom(a, m * k, random);
        fillRandom(b, k * n, random);
        std::vector<double> expected(static_cast<std::size_t>(m * n)), magnitude(expected);
        for (std::int64_t t = 0; t < k; ++t) {
            for (std::int64_t j = 0; j < n; ++j)
                bt.set(j * k + t, b.at(t * n + j));
            for (std::int64_t i = 0; i < m; ++i) {
                at.set(t * m + i, a.at(i * k + t));
                for (std::int64_t j = 0; j < n; ++j) {
                    const double term = a.at(i * k + t) * b.at(t * n + j);
                    expected[static_cast<std::size_t>(i * n + j)] += term;
                    magnitude[static_cast<std::size_t>(i * n + j)] += std::fabs(term);
                }
            }
        }
        const auto in = [](Buffer& buffer) { return reinterpret_cast<const T*>(buffer.data()); };
        for (int variant = 0; variant < 7; ++variant) {
            Buffer out(dtype, m * n, shift);
            out.set(m * n, 42);
            const MatrixView<T> c{ reinterpret_cast<T*>(out.data()), n, 1 };
            const MatrixView<const T> plainA{ in(a), k, 1 }, transposedA{ in(at), 1, m };
            const MatrixView<const T> plainB{ in(b), n, 1 }, transposedB{ in(bt), 1, k };
            switch (variant) {
            case 0:
                functions.fewRows(c, plainA, plainB, m, n, k);
                break;
            case 1:
                functions.fewRows(c, transposedA, plainB, m, n, k);
                break;
            case 2:
                functions.fewRowsTransposed(c, plainA, transposedB, m, n, k);
                break;
            case 3:
                functions.fewTerms(c, plainA, plainB, m, n, k);
                break;
            case 4:
                functions.fewTerms(c, transposedA, plainB, m, n, k);
                break;
            case 5:
                functions.packed(c, plainA, transposedB, m, n, k, aligned);
                break;
            default:
                functions.packed(c, transposedA, plainB, m, n, k, aligned);
            }
            QCOMPARE(out.at(m * n), 42.0);
            bool right = true;
            for (std::int64_t i = 0; i < m * n; ++i) {
                // |computed - exact| <= k eps sum |a b|
                const auto e = static_cast<std::size_t>(i);
                right = right
                    && std::fabs(out.at(i) - expected[e]) <= static_cast<double>(k) * epsilonOf(dtype) * magnitude[e];
            }
            QVERIFY2(right, qPrintable(QStringLiteral("variant %1, %2 x %3 x %4").arg(variant).arg(m).arg(n).arg(k)));
        }
    }
}

void TestKernels::products()
{
    QFETCH(int, set);
    const KernelSet& kernels = kernelSet(static_cast<InstructionSet>(set));
    checkProducts<float>(kernels, DType::F32);
    checkProducts<double>(kernels, DType::F64);
    checkProducts<std::int32_t>(kernels, DType::I32);
}

// One chain of multiply-adds per element whatever the blocking, and one tree of partial sums.
void TestKernels::setsWithFmaAgree()
{
    if (!isAvailable(InstructionSet::Avx512))
        QSKIP("one instruction set only");
    std::mt19937 random(5);
    const std::int64_t m = 7, n = 53, k = 77;
    Buffer a(DType::F32, m * k, 0), b(DType::F32, k * n, 0);
    fillRandom(a, m * k, random);
    fillRandom(b, k * n, random);
    std::vector<std::vector<float>> results;
    for (const InstructionSet set : { InstructionSet::Avx2, InstructionSet::Avx512 }) {
        const auto& functions = kernelSet(set).f32;
        std::vector<std::byte> scratch(static_cast<std::size_t>(functions.scratchBytes));
        std::vector<float> chained(m * n), packed(m * n), tree(m * n), terms(m * n);
        const auto* left = reinterpret_cast<const float*>(a.data());
        const auto* right = reinterpret_cast<const float*>(b.data());
        functions.fewRows({ chained.data(), n, 1 }, { left, k, 1 }, { right, n, 1 }, m, n, k);
        functions.fewTerms({ terms.data(), n, 1 }, { left, k, 1 }, { right, n, 1 }, m, n, k);
        functions.packed({ packed.data(), n, 1 }, { left, k, 1 }, { right, n, 1 }, m, n, k, scratch.data());
        functions.fewRowsTransposed({ tree.data(), n, 1 }, { left, k, 1 }, { right, 1, k }, m, n, k);
        QVERIFY(chained == packed && chained == terms);
        chained.insert(chained.end(), tree.begin(), tree.end());
        results.push_back(chained);
    }
    QVERIFY(results[0] == results[1]);
}

// dot_general with batch dimensions and dimensions in any order.
void TestKernels::generalProducts()
{
    std::mt19937 random(11);
    for (int round = 0; round < 100; ++round) {
        const DType dtype = round % 3 == 0 ? DType::F64 : round % 3 == 1 ? DType::F32 : DType::I32;
        DotGeneralAttributes attributes;
        TensorType lhs{ dtype, {} }, rhs{ dtype, {} };
        // Labels 0.. are dimensions: batch, contracting, free of each side; then both sides are shuffled.
        struct Dim {
            int label;
            std::int64_t extent;
        };
        const int batches = static_cast<int>(random() % 3), contracted = static_cast<int>(random() % 3);
        std::vector<Dim> left, right;
        int label = 0;
        for (; label < batches + contracted; ++label) {
            const auto extent = static_cast<std::int64_t>(1 + random() % 5);
            left.push_back({ label, extent });
            right.push_back({ label, extent });
        }
        for (int f = static_cast<int>(random() % 3); f > 0; --f)
            left.push_back({ label++, static_cast<std::int64_t>(1 + random() % 6) });
        for (int f = static_cast<int>(random() % 3); f > 0; --f)
            right.push_back({ label++, static_cast<std::int64_t>(1 + random() % 20) });
        std::shuffle(left.begin(), left.end(), random);
        std::shuffle(right.begin(), right.end(), random);
        for (const Dim& dim : left)
            lhs.shape.push_back(dim.extent);
        for (const Dim& dim : right)
            rhs.shape.push_back(dim.extent);
        const auto place = [](const std::vector<Dim>& dims, int wanted) {
            return static_cast<std::int64_t>(std::find_if(dims.begin(), dims.end(), [wanted](const Dim& dim) {
                return dim.label == wanted;
            }) - dims.begin());
        };
        for (int l = 0; l < batches + contracted; ++l) {
            (l < batches ? attributes.lhsBatch : attributes.lhsContracting).push_back(place(left, l));
            (l < batches ? attributes.rhsBatch : attributes.rhsContracting).push_back(place(right, l));
        }
        TensorType result{ dtype, {} };
        for (const std::int64_t d : attributes.lhsBatch)
            result.shape.push_back(lhs.shape[static_cast<std::size_t>(d)]);
        for (const Dim& dim : left)
            if (dim.label >= batches + contracted)
                result.shape.push_back(dim.extent);
        for (const Dim& dim : right)
            if (dim.label >= batches + contracted)
                result.shape.push_back(dim.extent);

        Buffer a(dtype, lhs.elementCount(), 0), b(dtype, rhs.elementCount(), 0), out(dtype, result.elementCount(), 0);
        fillRandom(a, lhs.elementCount(), random);
        fillRandom(b, rhs.elementCount(), random);
        std::vector<std::vector<double>> plain(2);
        for (std::int64_t i = 0; i < lhs.elementCount(); ++i)
            plain[0].push_back(a.at(i));
        for (std::int64_t i = 0; i < rhs.elementCount(); ++i)
            plain[1].push_back(b.at(i));
        const auto expected = oneOperation(OpKind::DotGeneral, { lhs, rhs }, result, attributes).evaluate(plain);
        for (const InstructionSet set : availableSets()) {
            const auto product = Product::prepare(lhs, rhs, attributes, kernelSet(set));
            QVERIFY(product.has_value());
            std::vector<std::byte> scratch(static_cast<std::size_t>(product->scratchBytes()) + 64);
            std::byte* aligned = scratch.data() + (64 - reinterpret_cast<std::uintptr_t>(scratch.data()) % 64);
            product->run(out.data(), a.data(), b.data(), aligned);
            for (std::int64_t i = 0; i < result.elementCount(); ++i)
                QVERIFY(
                    std::fabs(out.at(i) - expected[static_cast<std::size_t>(i)]) <= 2 * 25 * 25 * 4 * epsilonOf(dtype));
        }
    }
}

void TestKernels::rowReductions()
{
    std::mt19937 random(13);
    for (const InstructionSet set : availableSets()) {
        for (const DType dtype : computed) {
            for (int k = 0; k < 6; ++k) {
                const auto kind = static_cast<ReduceKind>(k);
                const RowReduction function = kernelSet(set).rowReduction({ kind, dtype });
                QCOMPARE(function != nullptr, !(isFloat(dtype) && (kind == ReduceKind::And || kind == ReduceKind::Or)));
                for (std::int64_t n = 1; n < 70 && function != nullptr; ++n) {
                    Buffer in(dtype, n, n % 3), out(dtype, 1, 0);
                    fillRandom(in, n, random);
                    std::vector<std::vector<double>> plain(1);
                    double magnitude = 0;
                    for (std::int64_t i = 0; i < n; ++i) {
                        if (kind == ReduceKind::Product && isFloat(dtype))
                            in.set(i, 1 + in.at(i) / 100);
                        plain[0].push_back(in.at(i));
                        magnitude += std::fabs(in.at(i));
                    }
                    const auto expected = oneOperation(
                        OpKind::Reduce, { { dtype, { n } } }, { dtype, {} }, ReduceAttributes{ { 0 }, kind })
                                              .evaluate(plain);
                    function(out.data(), in.data(), n);
                    const double tolerance = 2 * static_cast<double>(n) * epsilonOf(dtype) * std::max(magnitude, 1.0);
                    QVERIFY(std::fabs(out.at(0) - expected[0]) <= tolerance);
                }
            }
        }
    }
}

void TestKernels::reductions()
{
    std::mt19937 random(17);
    for (int round = 0; round < 150; ++round) {
        TensorType type{ round % 2 == 0 ? DType::F32 : DType::I32, {} };
        ReduceAttributes attributes;
        attributes.kind = static_cast<ReduceKind>(random() % 3);
        TensorType result{ type.dtype, {} };
        const auto rank = static_cast<std::int64_t>(random() % 5);
        for (std::int64_t d = 0; d < rank; ++d) {
            // Now and then an empty dimension: the identity is left.
            type.shape.push_back(static_cast<std::int64_t>(round % 20 == 19 && d == 0 ? 0 : 1 + random() % 5));
            if (random() % 2 == 0)
                attributes.dimensions.push_back(d);
            else
                result.shape.push_back(type.shape.back());
        }
        Buffer in(type.dtype, type.elementCount(), 0), out(type.dtype, result.elementCount(), 0);
        fillRandom(in, type.elementCount(), random);
        std::vector<std::vector<double>> plain(1);
        for (std::int64_t i = 0; i < type.elementCount(); ++i)
            plain[0].push_back(in.at(i));
        const auto expected = oneOperation(OpKind::Reduce, { type }, result, attributes).evaluate(plain);
        for (const InstructionSet set : availableSets()) {
            const auto reduction = Reduction::prepare(type, attributes, kernelSet(set));
            QVERIFY(reduction.has_value());
            reduction->run(out.data(), in.data());
            for (std::int64_t i = 0; i < result.elementCount(); ++i) {
                const double right = expected[static_cast<std::size_t>(i)];
                QVERIFY(out.at(i) == right || std::fabs(out.at(i) - right) <= 2 * 700 * epsilonOf(type.dtype) * 4);
            }
        }
    }
}

namespace {

/// Random chains of steps on slots of one type, some inputs scalar, some constant.
FusedInstruction randomChain(std::mt19937& random, DType dtype, std::int64_t elements, std::uint32_t& slots)
{
    FusedInstruction chain;
    chain.elements = elements;
    std::vector<bool> scalar;
    const auto inputs = 2 + random() % 4;
    for (std::size_t i = 0; i < inputs; ++i) {
        FusedInstruction::Input input;
        input.dtype = dtype;
        const auto what = random() % 5;
        if (what == 0)
            input.constant = 0.25;
        else {
            input.slot = SlotId(slots++);
            input.scalar = what == 1 && i > 0;
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

/// Step by step over whole arrays, by the kernels themselves: what fusing may not change.
std::vector<std::vector<std::byte>> separately(const FusedInstruction& chain, const KernelSet& kernels,
    const std::vector<std::vector<std::byte>>& slots, DType dtype)
{
    std::vector<std::vector<std::byte>> registers;
    const auto bytes = static_cast<std::size_t>(chain.elements * byteSize(dtype));
    for (const auto& input : chain.inputs) {
        registers.emplace_back(bytes);
        for (std::int64_t i = 0; i < chain.elements; ++i)
            storeElement(dtype, registers.back().data(), i,
                input.slot.valid() ? loadElement(dtype, slots[input.slot.index].data(), input.scalar ? 0 : i)
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

void TestKernels::fusedBlocks()
{
    std::mt19937 random(19);
    for (int round = 0; round < 100; ++round) {
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
void TestKernels::fusedInPlace()
{
    std::mt19937 random(23);
    for (int round = 0; round < 100; ++round) {
        const auto elements = static_cast<std::int64_t>(1 + random() % 5000);
        std::uint32_t count = 0;
        FusedInstruction chain = randomChain(random, DType::F32, elements, count);
        std::vector<SlotId> targets;
        for (const auto& input : chain.inputs)
            if (input.slot.valid() && !input.scalar)
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
void TestKernels::adamPattern()
{
    std::mt19937 random(27);
    for (int round = 0; round < 200; ++round) {
        const DType dtype = round % 2 == 0 ? DType::F32 : DType::F64;
        FusedInstruction chain;
        chain.elements = static_cast<std::int64_t>(1 + random() % 300);
        const auto input = [&](SlotId slot, double constant, bool scalar) {
            chain.inputs.push_back({ slot, constant, dtype, scalar });
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

void TestKernels::stridedCopies()
{
    std::mt19937 random(29);
    for (int round = 0; round < 120; ++round) {
        const auto rank = random() % 5;
        Shape shape, order;
        for (std::size_t d = 0; d < rank; ++d) {
            shape.push_back(static_cast<std::int64_t>(1 + random() % 13));
            order.push_back(static_cast<std::int64_t>(d));
        }
        std::shuffle(order.begin(), order.end(), random);
        // The source lies in another order of dimensions; some of its strides are 0, as in a broadcast.
        Shape permuted, source(rank, 0);
        for (const std::int64_t d : order)
            permuted.push_back(shape[static_cast<std::size_t>(d)]);
        const Shape permutedStrides = rowMajorStrides(permuted);
        for (std::size_t i = 0; i < rank; ++i)
            source[static_cast<std::size_t>(order[i])] = random() % 5 == 0 ? 0 : permutedStrides[i];
        const Shape target = rowMajorStrides(shape);
        std::int64_t elements = 1;
        for (const std::int64_t extent : shape)
            elements *= extent;
        const DType dtype = computed[round % 4];
        Buffer from(dtype, elements + 3, 0), to(dtype, elements + 2, 0);
        fillRandom(from, elements + 3, random);
        StridedCopy(shape, target, source, byteSize(dtype), 2, 3).run(to.data(), from.data());
        bool right = true;
        for (std::int64_t i = 0; i < elements; ++i) {
            std::int64_t rest = i, offset = 3;
            for (std::size_t d = rank; d-- > 0;) {
                offset += rest % shape[d] * source[d];
                rest /= shape[d];
            }
            right = right && to.at(2 + i) == from.at(offset);
        }
        QVERIFY(right);
    }
}

QTEST_APPLESS_MAIN(TestKernels)
#include "test_kernels.moc"
