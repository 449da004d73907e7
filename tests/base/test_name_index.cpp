// SPDX-License-Identifier: GPL-3.0-or-later
// Names are found by their parts, the best first.
#include <QTest>
#include <algorithm>
#include <random>

#include "base/name_index.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

NameIndex indexOf(const std::vector<std::pair<std::string, std::string>>& items)
{
    NameIndex index;
    for (const auto& [name, beside] : items)
        index.add(name, beside);
    return index;
}

using Found = std::vector<std::uint32_t>;

} // namespace

class NameIndexTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBestFirst()
    {
        const NameIndex index = indexOf({ { "params/layers.0/W1", "tensor" }, { "W1 and more", "note" },
            { "xW1", "inside a word" }, { "w1", "the name itself" }, { "other", "beside w1" }, { "none", "" } });
        QCOMPARE(index.find("W1", 10), (Found{ 3, 1, 0, 4, 2 }));
        QCOMPARE(index.find("w1", 2), (Found{ 3, 1 }));
    }

    void everyWordCounts()
    {
        const NameIndex index = indexOf(
            { { "decoder/layers.0/mlp/wi/kernel", "tensor" }, { "decoder/mlp/bias", "tensor" }, { "kernel", "rule" } });
        QCOMPARE(index.find("wi ker", 10), (Found{ 0 }));
        QCOMPARE(index.find("  tensor   mlp ", 10), (Found{ 1, 0 })); // the shorter of two that fit as well
        QCOMPARE(index.find("kernel rule", 10), (Found{ 2 }));
        QVERIFY(index.find("kernel nowhere", 10).empty());
    }

    void lettersWhereNoWordFits()
    {
        const NameIndex index = indexOf({ { "layers/mlp/kernel", "" }, { "logits", "" } });
        QCOMPARE(index.find("lmk", 10), (Found{ 0 }));
        QVERIFY(index.find("kml", 10).empty());
    }

    void anEmptyQueryHasTheFirst()
    {
        const NameIndex index = indexOf({ { "b", "" }, { "a", "" }, { "c", "" } });
        QCOMPARE(index.find("", 2), (Found{ 0, 1 }));
        QCOMPARE(index.find("   ", 10), (Found{ 0, 1, 2 }));
        QVERIFY(NameIndex().find("a", 10).empty());
    }

    /// Against the rule read out word by word, for random names over few letters.
    void randomNames()
    {
        std::mt19937 random(7);
        const auto text = [&random](std::size_t longest) {
            std::string made(random() % (longest + 1), 'a');
            for (char& c : made)
                c = "ab/ B"[random() % 5];
            return made;
        };
        for (int round = 0; round < 300; ++round) {
            std::vector<std::pair<std::string, std::string>> items(1 + random() % 12);
            for (auto& item : items)
                item = { text(6), text(3) };
            const NameIndex index = indexOf(items);
            std::string query = text(3);
            const Found found = index.find(query, 100);
            const auto low = [](std::string t) {
                std::replace(t.begin(), t.end(), 'B', 'b');
                return t;
            };
            query = low(query);
            std::vector<std::string> words(1);
            for (const char c : query)
                if (c == ' ')
                    words.emplace_back();
                else
                    words.back() += c;
            words.erase(std::remove(words.begin(), words.end(), std::string()), words.end());
            const auto fits = [&](std::size_t i) {
                return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
                    return low(items[i].first).find(word) != std::string::npos
                        || low(items[i].second).find(word) != std::string::npos;
                });
            };
            bool any = false;
            for (std::size_t i = 0; i < items.size(); ++i)
                any = any || fits(i);
            if (!any)
                continue;
            for (std::size_t i = 0; i < items.size(); ++i)
                QCOMPARE(std::count(found.begin(), found.end(), static_cast<std::uint32_t>(i)), fits(i) ? 1 : 0);
        }
    }
};

REGISTER_TEST(NameIndexTest)
#include "test_name_index.moc"
