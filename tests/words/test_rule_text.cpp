// SPDX-License-Identifier: GPL-3.0-or-later
// Both sides of a rule as they are typed, and as they are shown then.
#include <QTest>

#include "base/codes.h"
#include "registered_test.h"
#include "words/rule_text.h"

using namespace shardscope;

class TestRuleText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void targetsAsTyped_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("declared");
        QTest::newRow("axis") << QStringLiteral(" model ") << QStringLiteral("model");
        QTest::newRow("two") << QStringLiteral("pod, data") << QStringLiteral("(pod, data)");
        QTest::newRow("tuple of one") << QStringLiteral("('model',)") << QStringLiteral("(model)");
        QTest::newRow("nothing") << QString() << QStringLiteral("None");
        QTest::newRow("None") << QStringLiteral("None") << QStringLiteral("None");
        QTest::newRow("dash") << QStringLiteral("-") << QStringLiteral("None");
        QTest::newRow("unconstrained") << QStringLiteral(" ? ") << QStringLiteral("?");
        QTest::newRow("unconstrained by name") << QStringLiteral("P.UNCONSTRAINED") << QStringLiteral("?");
        QTest::newRow("tuple of none") << QStringLiteral("()") << QStringLiteral("()");
    }
    void targetsAsTyped()
    {
        QFETCH(QString, text);
        QFETCH(QString, declared);
        const Result<SpecEntry> entry = words::readTarget(text);
        QVERIFY(entry.has_value());
        QCOMPARE(words::targetText(*entry), declared);
        const Result<SpecEntry> again = words::readTarget(declared);
        QVERIFY(again.has_value() && *again == *entry);
    }

    void targetsThatAreNone()
    {
        for (const char* text : { "(data", "data)", "'data", "data,,model", "[data]", "((data), model)" }) {
            const Result<SpecEntry> read = words::readTarget(QLatin1String(text));
            QVERIFY2(!read.has_value(), text);
            QCOMPARE(read.error().code, Code::Syntax);
        }
    }

    void namesAsTyped()
    {
        for (const char* text : { "batch", "None" })
            QCOMPARE(words::logicalNameText(words::parseLogicalName(QLatin1String(text))), QLatin1String(text));
        QVERIFY(words::parseLogicalName(QStringLiteral("batch")) == LogicalName::of("batch"));
    }
};

REGISTER_TEST(TestRuleText)
#include "test_rule_text.moc"
