// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLocale>
#include <QTest>

#include "words/words.h"

using namespace shardscope;

class TestWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void bytes_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("nothing") << 0.0 << QStringLiteral("0 B");
        QTest::newRow("a step counter") << 8.0 << QStringLiteral("8 B");
        QTest::newRow("an activation") << 16384.0 << QStringLiteral("16 KiB");
        QTest::newRow("a weight") << 1048576.0 << QStringLiteral("1 MiB");
        QTest::newRow("sent on 2 x 4") << 8560640.0 << QStringLiteral("8.16 MiB");
        QTest::newRow("sent on 4 x 2") << 25223168.0 << QStringLiteral("24.1 MiB");
        QTest::newRow("three digits") << 232.0 * 1024 << QStringLiteral("232 KiB");
        QTest::newRow("a fraction of a byte") << 3.5 << QStringLiteral("3.5 B");
        QTest::newRow("just below a unit") << 1023.0 << QStringLiteral("1,023 B");
        QTest::newRow("terabytes") << 1099511627776.0 * 2 << QStringLiteral("2 TiB");
    }
    void bytes()
    {
        QFETCH(double, value);
        QLocale::setDefault(QLocale(QLocale::English));
        QTEST(words::bytes(value), "text");
    }

    void seconds_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("microseconds") << 1.696e-3 << QStringLiteral("1,696 µs");
        QTest::newRow("milliseconds") << 0.403 << QStringLiteral("403 ms");
        QTest::newRow("seconds") << 12.34 << QStringLiteral("12.3 s");
    }
    void seconds()
    {
        QFETCH(double, value);
        QLocale::setDefault(QLocale(QLocale::English));
        QTEST(words::seconds(value), "text");
    }

    void ranges()
    {
        QCOMPARE(words::range(256, 512), QStringLiteral("256–511"));
        QCOMPARE(words::range(3, 4), QStringLiteral("3"));
        QCOMPARE(words::range(4, 4), QStringLiteral("none"));
        const std::vector<std::int32_t> pair{ 0, 4 };
        QCOMPARE(words::devices(pair), QStringLiteral("d0, d4"));
        const std::vector<std::int32_t> many{ 0, 1, 2, 3, 7 };
        QCOMPARE(words::devices(many), QStringLiteral("d0 … d7"));
    }

    void names()
    {
        QCOMPARE(words::tensorName("params/layers.0/W1"), QStringLiteral("Layer 0 / W1"));
        QCOMPARE(words::tensorName("grad(params/layers.3/W2)"), QStringLiteral("Gradient of Layer 3 / W2"));
        QCOMPARE(words::tensorName("opt/mu/layers.1/W1"), QStringLiteral("mu of Layer 1 / W1"));
        QCOMPARE(words::tensorName("layers.2/y"), QStringLiteral("Layer 2 / y"));
        QCOMPARE(words::tensorName("x"), QStringLiteral("x"));
        QCOMPARE(words::tensorName("opt/count"), QStringLiteral("count"));
    }

    /// No code may reach a person without a sentence, whatever arguments it bears.
    void everyCodeHasASentence()
    {
        for (const CodeRow& row : codeRegistry()) {
            Diagnostic bare{ row.code, {}, {} };
            QVERIFY2(!words::describe(bare).cause.isEmpty(), row.id.data());
            QVERIFY(words::oneLine(bare).startsWith(QString::fromLatin1(row.id.data()) + QStringLiteral(": ")));
        }
    }

    void placesAreNamed()
    {
        Diagnostic d{ Code::UnknownValue,
            { { "key", "dialect" }, { "value", "flax" }, { "nearest", "flax-linen" },
                { "known", std::vector<std::string>{ "flax-linen" } } },
            {} };
        d.where = { "a.json", 12, 5, "/rules/dialect", "", -1 };
        QCOMPARE(words::oneLine(d),
            QStringLiteral("a.json:12:5: E124: /rules/dialect: “dialect” is “flax”, which is not known. "
                           "Did you mean “flax-linen”? Known: flax-linen."));
        Diagnostic indivisible{ Code::Indivisible,
            { { "dim", 0 }, { "size", 10 }, { "partitions", 4 }, { "dim_name", "batch" } }, {} };
        indivisible.where.path = "x";
        const words::ProblemText text = words::describe(indivisible);
        QCOMPARE(text.cause, QStringLiteral("x: batch has size 10, which does not divide by 4 devices"));
        QCOMPARE(text.remedy, QStringLiteral("Sizes that divide: 8 or 12."));
        QCOMPARE(text.where, QStringLiteral("x"));
    }

    void verdictsOfTheDocumentedCase()
    {
        // The rules of flax.linen.spmd's own example.
        LogicalRules rules;
        const auto rule = [](const char* name, const char* axis) {
            return LogicalRule{ LogicalName::of(name), SpecEntry::axis(axis), false, 2 };
        };
        rules.list = { rule("batch", "X"), rule("features", "X"), rule("heads", "Y"), rule("batch", "Z") };
        const LogicalNames names{ LogicalName::of("batch"), LogicalName::of("length"), LogicalName::of("heads"),
            LogicalName::of("features") };
        const Result<Resolution> resolution = resolve(names, rules, FlaxVersion::Year2024);
        QVERIFY(resolution.has_value());
        QStringList reasons;
        for (const RuleTrace& trace : resolution->rules)
            reasons << words::verdict(trace) + QStringLiteral(": ")
                    + words::plain(words::verdictReason(trace, rules, names));
        QCOMPARE(reasons.join(QStringLiteral("\n")),
            QStringLiteral("Applied: batch is cut along X\n"
                           "Skipped: X already cuts batch (rule 1)\n"
                           "Applied: heads is cut along Y\n"
                           "Skipped: batch already has X (rule 1)"));
    }
};

QTEST_APPLESS_MAIN(TestWords)
#include "test_words.moc"
