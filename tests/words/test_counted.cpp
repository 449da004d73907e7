// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and the things that they count, without a translation file.
#include <QLocale>
#include <QRegularExpression>
#include <QTest>

#include "registered_test.h"
#include "words/words.h"

using namespace shardscope;
using words::Noun;

class TestCounted : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void formsAgreeWithTheNumber()
    {
        for (int i = 0; i <= static_cast<int>(Noun::Warning); ++i) {
            const auto noun = static_cast<Noun>(i);
            const QString one = words::counted(1, noun), two = words::counted(2, noun);
            QVERIFY2(one.startsWith(QStringLiteral("1 ")) && !one.endsWith(QLatin1Char('s')), qPrintable(one));
            QVERIFY2(two.startsWith(QStringLiteral("2 ")) && two.endsWith(QLatin1Char('s')), qPrintable(two));
            QCOMPARE(words::counted(0, noun), QString(two).replace(0, 1, QLatin1Char('0')));
        }
        QCOMPARE(words::counted(1, Noun::Device), QStringLiteral("1 device"));
        QCOMPARE(words::counted(2, Noun::Entry), QStringLiteral("2 entries"));
        QCOMPARE(words::counted(qint64{ 1 } << 40, Noun::Byte),
            QLocale().toString(qlonglong{ 1 } << 40) + QStringLiteral(" bytes"));
        QCOMPARE(words::paddingOf(1, 8), QStringLiteral("1 of 8 is padding"));
        QCOMPARE(words::paddingOf(2, 12), QStringLiteral("2 of 12 are padding"));
    }

    /// Every sentence about a single thing of everything says so in the singular.
    void noSentenceSaysOneThings()
    {
        std::vector<Arg> args;
        for (const char* name :
            { "dim", "size", "partitions", "product", "devices", "spec_len", "rank", "rule", "length", "activation",
                "parameter", "count", "bytes", "limit", "block", "host", "chunks", "uncovered", "tensors" })
            args.emplace_back(name, 1);
        static const QRegularExpression wrong(
            QStringLiteral("\\b1 (devices|entries|elements|sizes|hosts|tensors|layers|dimensions|rules|bytes)\\b"));
        for (const CodeRow& row : codeRegistry()) {
            const words::ProblemText text = words::describe({ row.code, args, {} });
            for (const QString& sentence : { text.cause, text.remedy })
                QVERIFY2(!wrong.match(sentence).hasMatch(), qPrintable(sentence));
        }
        for (const Fix::Kind kind : { Fix::Kind::DevicesForMesh, Fix::Kind::SetDimension, Fix::Kind::RemoveRule })
            QVERIFY(!wrong.match(words::fixLabel({ kind, "x", 1, 0 })).hasMatch());
    }
};

REGISTER_TEST(TestCounted)
#include "test_counted.moc"
