// SPDX-License-Identifier: GPL-3.0-or-later
// Products of every instruction set against plain loops in double: all small sizes, the edges of all blocks, any
// dimensions.
#include <QtTest>

#include <cstring>

#include "random_cases.h"
#include "registered_test.h"
#include "simulate/kernel_fixture.h"
#include "simulate/kernels/product.h"

using namespace shardscope;
using namespace shardscope::test;

class TestProductKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void products_data();
    void products();
    void setsWithFmaAgree();
    void rowsOfSeveral_data() { products_data(); }
    void rowsOfSeveral();
    void generalProducts();
};

void TestProductKernels::products_data()
{
    QTest::addColumn<int>("set");
    for (const InstructionSet set : availableSets())
        QTest::addRow("set %d", static_cast<int>(set)) << static_cast<int>(set);
}

/// Of one product, and with that of others at once: rows and signs of A, another way round each.
template <class T>
void fewRows(const ProductFunctions<T>& functions, MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b,
    std::int64_t m, std::int64_t n, std::int64_t k)
{
    for (const std::size_t count : std::array<std::size_t, 4>{ 1, 2, 3, 8 }) {
        std::vector<std::vector<T>> lefts, alone, together;
        std::vector<ProductRows<T>> all;
        for (std::size_t p = 0; p < count; ++p) {
            std::vector<T>& left = lefts.emplace_back();
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t t = 0; t < k; ++t)
                    left.push_back(
                        static_cast<T>(a.data[(i + static_cast<std::int64_t>(p)) % m * a.rowStride + t * a.columnStride]
                            * (p % 2 == 0 ? T(1) : T(-1))));
            alone.emplace_back(static_cast<std::size_t>(m * n), T(1));
            together.emplace_back(static_cast<std::size_t>(m * n), T(2));
        }
        for (std::size_t p = 0; p < count; ++p) {
            const MatrixView<const T> left{ lefts[p].data(), k, 1 };
            const ProductRows<T> one{ { alone[p].data(), n, 1 }, left };
            functions.fewRows(&one, 1, b, m, n, k, 0);
            all.push_back({ { together[p].data(), n, 1 }, left });
        }
        functions.fewRows(all.data(), static_cast<std::int64_t>(count), b, m, n, k, 0);
        for (std::size_t p = 0; p < count; ++p)
            QVERIFY(std::memcmp(alone[p].data(), together[p].data(), alone[p].size() * sizeof(T)) == 0);
    }
    const ProductRows<T> rows{ c, a };
    functions.fewRows(&rows, 1, b, m, n, k, 0);
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
    // Over the edges of all blocks and tiles of the packed product, which smaller matrices do without.
    sizes.insert(sizes.end(), { { 97, 485, 258 }, { 67, 65, 257 }, { 71, 15, 263 } });
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
        for (int variant = 0; variant < 8; ++variant) {
            Buffer out(dtype, m * n, shift);
            out.set(m * n, 42);
            const MatrixView<T> c{ reinterpret_cast<T*>(out.data()), n, 1 };
            const MatrixView<const T> plainA{ in(a), k, 1 }, transposedA{ in(at), 1, m };
            const MatrixView<const T> plainB{ in(b), n, 1 }, transposedB{ in(bt), 1, k };
            switch (variant) {
            case 0:
                fewRows(functions, c, plainA, plainB, m, n, k);
                break;
            case 1:
                fewRows(functions, c, transposedA, plainB, m, n, k);
                break;
            case 2:
                functions.fewRowsTransposed(c, plainA, transposedB, m, n, k, 0);
                break;
            case 3:
                functions.fewTerms(c, plainA, plainB, m, n, k);
                break;
            case 4:
                functions.fewTerms(c, transposedA, plainB, m, n, k);
                break;
            case 5: { // twice the product, in exactly the bits of two products and their sum
                Buffer one(dtype, m * n, 0), other(dtype, m * n, 0);
                const auto into = [&](Buffer& buffer) {
                    return MatrixView<T>{ reinterpret_cast<T*>(buffer.data()), n, 1 };
                };
                functions.fewTerms(into(one), plainA, plainB, m, n, k);
                functions.fewTerms(into(other), transposedA, plainB, m, n, k);
                functions.fewTermsOfTwo(c, { plainA, plainB }, { transposedA, plainB }, m, n, k);
                for (std::int64_t i = 0; i < m * n; ++i) {
                    const T sum = static_cast<T>(into(one).data[i] + into(other).data[i]);
                    QVERIFY(std::memcmp(c.data + i, &sum, sizeof(T)) == 0);
                    out.set(i, out.at(i) / 2);
                }
                break;
            }
            case 6:
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

void TestProductKernels::products()
{
    QFETCH(int, set);
    const KernelSet& kernels = kernelSet(static_cast<InstructionSet>(set));
    checkProducts<float>(kernels, DType::F32);
    checkProducts<double>(kernels, DType::F64);
    checkProducts<std::int32_t>(kernels, DType::I32);
}

// One chain of multiply-adds per element whatever the blocking, and one tree of partial sums.
void TestProductKernels::setsWithFmaAgree()
{
    if (!isAvailable(InstructionSet::Avx512))
        QSKIP("one instruction set only");
    std::mt19937 random(5);
    const std::int64_t m = 23, n = 61, k = 77; // registers of all sizes, and columns without one
    Buffer a(DType::F32, m * k, 0), b(DType::F32, k * n, 0);
    fillRandom(a, m * k, random);
    fillRandom(b, k * n, random);
    std::vector<std::vector<float>> results;
    for (const InstructionSet set : { InstructionSet::Avx2, InstructionSet::Avx512 }) {
        const auto& functions = kernelSet(set).f32;
        std::vector<std::byte> scratch(static_cast<std::size_t>(functions.scratchBytes));
        std::vector<float> chained(m * n), packed(m * n), tree(m * n), terms(m * n), ofTwo(m * n), sum(m * n);
        const auto* left = reinterpret_cast<const float*>(a.data());
        const auto* right = reinterpret_cast<const float*>(b.data());
        const ProductRows<float> rows{ { chained.data(), n, 1 }, { left, k, 1 } };
        functions.fewRows(&rows, 1, { right, n, 1 }, m, n, k, 0);
        functions.fewTerms({ terms.data(), n, 1 }, { left, k, 1 }, { right, n, 1 }, m, n, k);
        const FewTermsOperands<float> one{ { left, k, 1 }, { right, n, 1 } };
        const FewTermsOperands<float> other{ { left + 1, 1, m }, { right + 3, n, 1 } };
        functions.fewTerms({ sum.data(), n, 1 }, other.a, other.b, m, n, k - 1);
        functions.fewTerms({ ofTwo.data(), n, 1 }, one.a, one.b, m, n, k - 1);
        for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] = ofTwo[i] + sum[i];
        functions.fewTermsOfTwo({ ofTwo.data(), n, 1 }, one, other, m, n, k - 1);
        QVERIFY(ofTwo == sum);
        functions.packed({ packed.data(), n, 1 }, { left, k, 1 }, { right, n, 1 }, m, n, k, scratch.data());
        functions.fewRowsTransposed({ tree.data(), n, 1 }, { left, k, 1 }, { right, 1, k }, m, n, k, 0);
        QVERIFY(chained == packed && chained == terms);
        chained.insert(chained.end(), tree.begin(), tree.end());
        results.push_back(chained);
    }
    QVERIFY(results[0] == results[1]);
}

/// Few rows of one and of several products with one B, in the bits of fewTerms(), whose chains are the same. C may have
/// gaps between its rows.
template <class T>
void checkRowsOfSeveral(const KernelSet& kernels, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t products)
{
    std::mt19937 random(6);
    std::uniform_int_distribution<int> distribution(-8, 8);
    const auto drawn = [&](std::int64_t count) {
        std::vector<T> values;
        for (std::int64_t i = 0; i < count; ++i)
            values.push_back(static_cast<T>(distribution(random)) / T(3));
        return values;
    };
    const std::vector<T> b = drawn(k * n);
    const std::int64_t pitch = n + 3;
    std::vector<std::vector<T>> lefts, outs;
    std::vector<ProductRows<T>> all;
    for (std::int64_t p = 0; p < products; ++p) {
        lefts.push_back(drawn(m * k));
        outs.emplace_back(static_cast<std::size_t>(m * pitch), T(42));
    }
    for (std::size_t p = 0; p < lefts.size(); ++p)
        all.push_back({ { outs[p].data(), pitch, 1 }, { lefts[p].data(), 1, m } });
    kernels.products<T>().fewRows(all.data(), products, { b.data(), n, 1 }, m, n, k, 0);
    for (std::size_t p = 0; p < lefts.size(); ++p) {
        std::vector<T> expected(static_cast<std::size_t>(m * pitch), T(42));
        kernels.products<T>().fewTerms({ expected.data(), pitch, 1 }, all[p].a, { b.data(), n, 1 }, m, n, k);
        QVERIFY(expected == outs[p]);
    }
}

void TestProductKernels::rowsOfSeveral()
{
    QFETCH(int, set);
    const KernelSet& kernels = kernelSet(static_cast<InstructionSet>(set));
    for (const std::int64_t m : { 3, 4, 8, 12 })
        for (const std::int64_t n : { 64, 128, 131, 160 })
            for (const std::int64_t k : { 0, 1, 8, 77, 129, 150 })
                for (const std::int64_t products : { 1, 2, 3, 4 }) {
                    checkRowsOfSeveral<float>(kernels, m, n, k, products);
                    checkRowsOfSeveral<double>(kernels, m, n, k, products);
                    checkRowsOfSeveral<std::int32_t>(kernels, m, n, k, products);
                }
}

// dot_general with batch dimensions and dimensions in any order.
void TestProductKernels::generalProducts()
{
    std::mt19937 random(11);
    for (int round = 0; round < test::randomCases(100); ++round) {
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

REGISTER_TEST(TestProductKernels)
#include "test_product_kernels.moc"
