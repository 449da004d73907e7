// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of a text: pieces of it, the next byte as target, the same for the same step.
#include <QTest>

#include <set>

#include "base/codes.h"
#include "networks/token_batches.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

/// Every place of it can be told: no four bytes stand in it twice.
std::string numberedText()
{
    std::string text;
    for (int i = 0; i < 100; ++i)
        text += static_cast<char>('0' + i / 10), text += static_cast<char>('A' + i % 10), text += ' ';
    return text;
}

std::string asText(const std::vector<double>& bytes, std::size_t begin, std::size_t length)
{
    std::string text;
    for (std::size_t i = begin; i < begin + length; ++i)
        text += static_cast<char>(bytes[i]);
    return text;
}

} // namespace

class TokenBatchesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sequencesStandInTheText()
    {
        const std::string text = numberedText();
        const auto batches = TokenBatches::create(text, { 4, 10, 6 }, 256, 7);
        QVERIFY(batches.has_value());
        std::set<std::string> seen;
        for (std::int64_t step = 0; step < 20; ++step) {
            const std::vector<double> tokens = batches->tokens(step), targets = batches->targets(step),
                                      before = batches->encoderTokens(step);
            QCOMPARE(tokens.size(), std::size_t{ 40 });
            QCOMPARE(targets.size(), std::size_t{ 40 });
            QCOMPARE(before.size(), std::size_t{ 24 });
            for (std::size_t sequence = 0; sequence < 4; ++sequence) {
                const std::string own = asText(tokens, sequence * 10, 10);
                const std::size_t place = text.find(own);
                QVERIFY(place != std::string::npos);
                QCOMPARE(asText(targets, sequence * 10, 10), text.substr(place + 1, 10));
                QCOMPARE(asText(before, sequence * 6, 6), text.substr(place - 6, 6));
                seen.insert(own);
            }
        }
        QVERIFY(seen.size() > 60); // of 80: others begin elsewhere
    }

    void stepsAreTheSameEveryTime()
    {
        const auto batches = TokenBatches::create(numberedText(), { 4, 10 }, 256, 7);
        const auto again = TokenBatches::create(numberedText(), { 4, 10 }, 256, 7);
        const auto other = TokenBatches::create(numberedText(), { 4, 10 }, 256, 8);
        QVERIFY(batches && again && other);
        const std::vector<double> third = batches->tokens(3);
        QVERIFY(batches->tokens(0) != third && other->tokens(3) != third);
        QCOMPARE(batches->tokens(3), third);
        QCOMPARE(again->tokens(3), third);
        QVERIFY(batches->encoderTokens(3).empty());
    }

    /// One place alone: the sequence and the byte after it fill the text.
    void shortTexts()
    {
        const auto all = TokenBatches::create("abcdef", { 2, 5 }, 256, 1);
        QVERIFY(all.has_value());
        QCOMPARE(asText(all->tokens(9), 5, 5), std::string("abcde"));
        QCOMPARE(asText(all->targets(9), 5, 5), std::string("bcdef"));
        QCOMPARE(TokenBatches::create("abcdef", { 2, 6 }, 256, 1).error().code, Code::TooLarge);
        QCOMPARE(TokenBatches::create("abcdef", { 2, 3, 3 }, 256, 1).error().code, Code::TooLarge);
        QVERIFY(TokenBatches::create("abcdef", { 2, 3, 2 }, 256, 1).has_value());
        QCOMPARE(TokenBatches::create("", { 1, 1 }, 256, 1).error().code, Code::TooLarge);
    }

    void vocabularies()
    {
        QVERIFY(TokenBatches::create("abc", { 1, 1 }, 'c' + 1, 1).has_value());
        const auto small = TokenBatches::create("abc", { 1, 1 }, 'c', 1);
        QVERIFY(!small);
        QCOMPARE(small.error().code, Code::OutOfRange);
        QCOMPARE(small.error().number("min"), 'c' + 1);
        QVERIFY(!TokenBatches::create("a\xE2\x80\x93z", { 1, 1 }, 128, 1)); // every byte counts
        QVERIFY(TokenBatches::create("a\xE2\x80\x93z", { 1, 1 }, 256, 1).has_value());
    }
};

REGISTER_TEST(TokenBatchesTest)
#include "test_token_batches.moc"
