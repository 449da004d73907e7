// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of a comparison with a compiled program: every remark has its own sentence, with what it costs.
#include <QTest>

#include <set>

#include "registered_test.h"
#include "words/compiled_words.h"

using namespace shardscope;

namespace {

using Kind = ExchangeRemark::Kind;

/// 32 arrays that are added up along x.
ExchangeRow reduction()
{
    ExchangeRow row;
    row.exchange = ExchangeKind::Reduction;
    row.axes = "x";
    row.compiledAxes = "y";
    row.predicted.times = row.compiled.times = 32;
    row.predicted.kinds = { "reduce_scatter" };
    row.compiled.kinds = { "all_reduce" };
    row.predicted.types = { "f32[8]", "f32[2, 4]" };
    row.compiled.types = { "bf16[8]" };
    row.predicted.causes = { "layers.0/W", "layers.1/W", "layers.2/W" };
    row.predicted.sent = Rational(1024);
    row.compiled.sent = Rational(2048);
    return row;
}

QString stated(Kind kind, std::int64_t number = 0, const ExchangeRow& row = reduction())
{
    return words::remarkText(row, { kind, number });
}

} // namespace

class TestCompiledWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRemarkHasItsSentence()
    {
        std::set<QString> sentences;
        for (int kind = 0; kind <= static_cast<int>(Kind::NotInText); ++kind) {
            const QString sentence = stated(static_cast<Kind>(kind), 4);
            QVERIFY2(sentence.endsWith(QLatin1Char('.')) && sentence.front().isUpper(), qPrintable(sentence));
            QVERIFY2(!sentence.contains(QLatin1Char('%')), qPrintable(sentence));
            sentences.insert(sentence);
        }
        QCOMPARE(sentences.size(), static_cast<std::size_t>(Kind::NotInText) + 1);
    }

    void remarks()
    {
        QCOMPARE(stated(Kind::SlicedAfterwards),
            QStringLiteral("XLA adds up with all-reduce and keeps a slice, where a reduce-scatter is predicted: every "
                           "device sends 2 KiB in a step instead of 1 KiB."));
        QCOMPARE(stated(Kind::OtherAxes),
            QStringLiteral(
                "XLA exchanges along y, where x is predicted: every device sends 2 KiB in a step instead of 1 KiB."));
        QCOMPARE(stated(Kind::OtherTypes),
            QStringLiteral("XLA exchanges bf16[8], where f32[8] and 1 more is predicted: every device sends 2 KiB in a "
                           "step instead of 1 KiB."));
        QCOMPARE(stated(Kind::MoreOften, 2),
            QStringLiteral("XLA does it 2 times as often as predicted: every device sends 2 KiB in a step instead of 1 "
                           "KiB."));
        QVERIFY(stated(Kind::MoreOften).startsWith(QStringLiteral("XLA does it more often than predicted")));
        ExchangeRow gather = reduction();
        gather.exchange = ExchangeKind::Gather;
        QVERIFY(stated(Kind::MoreOften, 2, gather).contains(QStringLiteral("backward pass gathers again")));
        QVERIFY(!stated(Kind::LessOften, 2, gather).contains(QStringLiteral("backward")));
        ExchangeRow alike = reduction();
        alike.predicted.sent = alike.compiled.sent;
        QCOMPARE(stated(Kind::LessOften, 2, alike),
            QStringLiteral("It is predicted 2 times as often as XLA does it: every device sends as much in a step, 2 "
                           "KiB."));
    }

    /// The same of several rows is said once, with what is sent in all of them.
    void remarksOfSeveralRows()
    {
        ExchangeRow sliced = reduction(), merged = reduction(), other = reduction();
        sliced.remarks = { { Kind::SlicedAfterwards, 0 }, { Kind::Merged, 0 } };
        merged.remarks = { { Kind::Merged, 0 } };
        other.remarks = { { Kind::PerLayer, 4 } };
        const std::vector<ExchangeRow> rows{ sliced, sliced, merged, other, sliced };
        QCOMPARE(words::remarkLines(rows),
            (QStringList{
                QStringLiteral("1–2, 5: XLA adds up with all-reduce and keeps a slice, where a reduce-scatter is "
                               "predicted: every device sends 6 KiB in a step instead of 3 KiB."),
                QStringLiteral("1–3, 5: XLA has merged collectives: several arrays go with one."),
                QStringLiteral("4: ") + stated(Kind::PerLayer, 4) }));
        // What is said of other types, of other axes and of gathers is not the same.
        ExchangeRow types = reduction(), otherTypes = reduction(), axes = reduction(), otherAxes = reduction();
        types.remarks = otherTypes.remarks = { { Kind::OtherTypes, 0 } };
        otherTypes.compiled.types = { "f16[8]" };
        axes.remarks = otherAxes.remarks = { { Kind::OtherAxes, 0 } };
        otherAxes.axes = "z";
        ExchangeRow often = reduction(), gathersOften = reduction();
        often.remarks = gathersOften.remarks = { { Kind::MoreOften, 2 } };
        gathersOften.exchange = ExchangeKind::Gather;
        const std::vector<ExchangeRow> apart{ types, otherTypes, axes, otherAxes, often, gathersOften, types, axes };
        QStringList rowsOfLines;
        for (const QString& line : words::remarkLines(apart))
            rowsOfLines << line.section(QLatin1Char(':'), 0, 0);
        QCOMPARE(rowsOfLines,
            (QStringList{ QStringLiteral("1, 7"), QStringLiteral("2"), QStringLiteral("3, 8"), QStringLiteral("4"),
                QStringLiteral("5"), QStringLiteral("6") }));
    }

    void reasons()
    {
        using Reason = CompiledReason;
        constexpr std::int64_t gibibyte = std::int64_t{ 1 } << 30;
        std::set<QString> sentences;
        for (int kind = 0; kind <= static_cast<int>(Reason::Kind::KeysGoRound); ++kind)
            for (const char* pointer : { "", "/model/remat" }) {
                const QString sentence =
                    words::reasonText({ static_cast<Reason::Kind>(kind), gibibyte, 3 * gibibyte, pointer, "none" });
                QVERIFY2(sentence.endsWith(QLatin1Char('.')), qPrintable(sentence));
                QVERIFY2(!sentence.contains(QLatin1Char('%')), qPrintable(sentence));
                sentences.insert(sentence);
            }
        QCOMPARE(sentences.size(), std::size_t{ 7 }); // two of them say the same without a setting
        QCOMPARE(words::reasonText({ Reason::Kind::KeepsGathered, 2 * gibibyte, gibibyte, "/model/form", "unrolled" }),
            QStringLiteral("1 GiB less: XLA keeps what the forward pass has gathered; this network gathers weights "
                           "again in the backward pass. Set “form” to unrolled."));
        QVERIFY(words::reasonText({ Reason::Kind::GathersAgain, gibibyte, 3 * gibibyte, "/model/remat", "full" })
                    .startsWith(QStringLiteral("2 GiB more: XLA gathers weights again in the backward pass")));
    }

    void shares()
    {
        QCOMPARE(words::shareOfPredicted(100, 99, true), QStringLiteral("99 %"));
        QCOMPARE(words::shareOfPredicted(100, 0, true), QStringLiteral("none"));
        QCOMPARE(words::shareOfPredicted(0, 100, true), QStringLiteral("-"));
        QCOMPARE(words::shareOfPredicted(100, 250, true), QStringLiteral("250 %"));
        QCOMPARE(words::shareOfPredicted(2, 5'000, true), words::copies(2'500));
        // Of what runs nobody knows how often nothing can be said, nor of what may be in the rest of a text.
        QCOMPARE(words::shareOfPredicted(100, 25, false), QStringLiteral("-"));
        QCOMPARE(words::shareOfPredicted(100, 0, false), QStringLiteral("-"));
    }

    void columns()
    {
        const ExchangeRow row = reduction();
        QCOMPARE(words::exchangeSide(row.predicted), QStringLiteral("reduce-scatter × 32"));
        QCOMPARE(words::exchangeSide({}), QStringLiteral("-"));
        ExchangeSide unknown = row.compiled;
        unknown.timesKnown = false;
        QCOMPARE(words::exchangeSide(unknown), QStringLiteral("all-reduce × 32?"));
        QCOMPARE(words::exchangedTypes(row), QStringLiteral("f32[8] and 1 more"));
        QCOMPARE(words::exchangeCause(row), QStringLiteral("layers.0/W and 2 more"));
        ExchangeRow named = row;
        named.cause = "jit(f)/dot_general";
        QCOMPARE(words::exchangeCause(named), QStringLiteral("jit(f)/dot_general"));
    }
};

REGISTER_TEST(TestCompiledWords)
#include "test_compiled_words.moc"
