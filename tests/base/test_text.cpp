// SPDX-License-Identifier: GPL-3.0-or-later
// Lists with separators, and texts that go into one line.
#include <QTest>
#include <string>
#include <vector>

#include "base/text.h"
#include "registered_test.h"

using namespace shardscope;

class TextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyItemHasItsPlaceInAList()
    {
        using List = std::vector<std::string>;
        QCOMPARE(join(List{}, ","), std::string());
        QCOMPARE(join(List{ "a", "b" }, ", "), std::string("a, b"));
        // Dimensions without a name: the others stay where they are.
        QCOMPARE(join(List{ "", "embed" }, ","), std::string(",embed"));
        QCOMPARE(join(List{ "", "", "" }, ","), std::string(",,"));
        QCOMPARE(join(std::vector<int>{ 4, 16 }, "x"), std::string("4x16"));
    }

    void tuples()
    {
        QCOMPARE(pythonTuple(std::vector<int>{}), std::string("()"));
        QCOMPARE(pythonTuple(std::vector<int>{ 8 }), std::string("(8,)"));
        QCOMPARE(pythonTuple(std::vector<int>{ 2, 4 }, [](int n) { return std::to_string(10 * n); }),
            std::string("(20, 40)"));
    }

    void oneLineHasNoBreaks()
    {
        QCOMPARE(onOneLine("a\nb\r\tc"), std::string("a b  c"));
        QCOMPARE(onOneLine("größe"), std::string("größe")); // bytes above 0x7f are no control characters
    }
};

REGISTER_TEST(TextTest)
#include "test_text.moc"
