// SPDX-License-Identifier: GPL-3.0-or-later
// Initial values: known answers of the generator, distribution, and independence from how an array is cut.
#include <QtTest>

#include <cmath>

#include "networks/mlp.h"
#include "registered_test.h"
#include "simulate/initial_values.h"
#include "simulate/philox.h"

using namespace shardscope;

class TestInitialValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knownAnswers();
    void shardsArePartsOfTheWhole();
    void distribution();
    void roles();
};

// The vectors that the authors of Philox publish with it.
void TestInitialValues::knownAnswers()
{
    using Words = std::array<std::uint32_t, 4>;
    static_assert(philox({ 0, 0, 0, 0 }, { 0, 0 }) == Words{ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 });
    static_assert(philox({ 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff }, { 0xffffffff, 0xffffffff })
        == Words{ 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd });
    static_assert(philox({ 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, { 0xa4093822, 0x299f31d0 })
        == Words{ 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 });
}

void TestInitialValues::shardsArePartsOfTheWhole()
{
    MlpSettings settings;
    settings.layers = 1;
    settings.embed = 21;
    settings.hidden = 35;
    const Program program = buildMlp(settings).value();
    const ValueId w = program.find("params/layers.0/W1");
    InitialValues values;
    values.seed = 5;
    std::vector<double> whole(21 * 35);
    const IndexRange all[] = { { 0, 21 }, { 0, 35 } };
    fillShard(values, program, w, all, whole);
    for (std::int64_t rows : { 1, 4, 7, 21 }) {
        for (std::int64_t columns : { 1, 5, 8, 35 }) {
            for (std::int64_t r = 0; r < 21; r += rows) {
                for (std::int64_t c = 0; c < 35; c += columns) {
                    const IndexRange part[] = { { r, std::min<std::int64_t>(r + rows, 21) },
                        { c, std::min<std::int64_t>(c + columns, 35) } };
                    std::vector<double> shard(static_cast<std::size_t>(part[0].size() * part[1].size()));
                    fillShard(values, program, w, part, shard);
                    std::size_t i = 0;
                    for (std::int64_t y = part[0].begin; y < part[0].end; ++y)
                        for (std::int64_t x = part[1].begin; x < part[1].end; ++x, ++i) {
                            QCOMPARE(shard[i], whole[static_cast<std::size_t>(y * 35 + x)]);
                            QCOMPARE(shard[i], initialValue(values, program, w, y * 35 + x));
                        }
                }
            }
        }
    }
}

void TestInitialValues::distribution()
{
    MlpSettings settings;
    settings.layers = 2;
    settings.embed = 200;
    settings.hidden = 600;
    const Program program = buildMlp(settings).value();
    const double deviation = std::sqrt(2.0 / 800);
    std::vector<std::vector<double>> drawn;
    for (const std::uint64_t seed : { 0U, 1U }) {
        for (const char* path : { "params/layers.0/W1", "params/layers.1/W1" }) {
            InitialValues values;
            values.seed = seed;
            std::vector<double> w(200 * 600);
            const IndexRange all[] = { { 0, 200 }, { 0, 600 } };
            fillShard(values, program, program.find(path), all, w);
            const auto n = static_cast<double>(w.size());
            double mean = 0, square = 0, fourth = 0;
            for (const double x : w) {
                mean += x / n;
                square += x * x / n;
                fourth += x * x * x * x / n;
            }
            // Five standard errors of each moment of a normal distribution.
            QVERIFY(std::fabs(mean) < 5 * deviation / std::sqrt(n));
            QVERIFY(std::fabs(square / (deviation * deviation) - 1) < 5 * std::sqrt(2 / n));
            QVERIFY(std::fabs(fourth / std::pow(deviation, 4) - 3) < 5 * std::sqrt(96 / n));
            for (const auto& other : drawn) { // seeds and paths give unrelated numbers
                double product = 0;
                for (std::size_t i = 0; i < w.size(); ++i)
                    product += w[i] * other[i] / n;
                QVERIFY(std::fabs(product) < 5 * deviation * deviation / std::sqrt(n));
            }
            drawn.push_back(std::move(w));
        }
    }
}

void TestInitialValues::roles()
{
    MlpSettings settings;
    settings.layers = 1;
    settings.embed = settings.hidden = 4;
    const Program program = buildMlp(settings).value();
    InitialValues values;
    QCOMPARE(initialValue(values, program, program.find("x"), 3), 1.0);
    QCOMPARE(initialValue(values, program, program.find("opt/mu/layers.0/W1"), 3), 0.0);
    QCOMPARE(initialValue(values, program, program.find("step"), 0), 0.0);
    values.randomInputs = true;
    QVERIFY(initialValue(values, program, program.find("x"), 3) != 1.0);
    values.given["x"] = std::vector<double>(32, 0.5);
    QCOMPARE(initialValue(values, program, program.find("x"), 3), 0.5);
}

REGISTER_TEST(TestInitialValues)
#include "test_initial_values.moc"
