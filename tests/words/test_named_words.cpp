// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules make of named arrays as they are read and as a mapping, in words.
#include <QTest>

#include "base/codes.h"
#include "named_notebook.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "words/named_words.h"

using namespace shardscope;

namespace {

MeshPtr namedMesh(const char* text)
{
    return std::make_shared<const Mesh>(*parseMesh(text));
}

ArrayOutcome outcomeIn(const RulesSetting& rules, const char* axes, const MeshPtr& mesh, bool ignore = false)
{
    NamedTree tree;
    tree.rules = rules;
    tree.ignoreUnnamed = ignore;
    return outcomeOf({ array("w", axes), {} }, tree, mesh);
}

QString specified(const ArrayOutcome& outcome)
{
    return named::specText(outcome.specified);
}

} // namespace

class TestNamedWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void axesAsTheyAreWritten_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("read"); ///< or the kind of the error and its column
        QTest::newRow("names") << QByteArray("a 4, b: 8,c=6") << QStringLiteral("a 4, b 8, c 6");
        QTest::newRow("without a name in front") << QByteArray("3, 4, a 2") << QStringLiteral("3, 4, a 2");
        QTest::newRow("without a name behind") << QByteArray("a 4, 3, b 2") << QStringLiteral("a 4, 3, b 2");
        QTest::newRow("scalar") << QByteArray("  ") << QString();
        QTest::newRow("plain") << QByteArray("[3, 4]") << QStringLiteral("[3, 4]");
        QTest::newRow("plain without brackets") << QByteArray("3, 4") << QStringLiteral("[3, 4]");
        QTest::newRow("letters") << QByteArray("größe 4") << QStringLiteral("größe 4");
        QTest::newRow("no size") << QByteArray("a 4, b") << QStringLiteral("syntax 7");
        QTest::newRow("no size behind letters") << QByteArray("größe, b 3") << QStringLiteral("syntax 6");
        QTest::newRow("no name") << QByteArray("a 4, , b 3") << QStringLiteral("syntax 6");
        QTest::newRow("no comma") << QByteArray("a 4 b 3") << QStringLiteral("syntax 5");
        QTest::newRow("negative") << QByteArray("a -4") << QStringLiteral("syntax 3");
        QTest::newRow("none") << QByteArray("a 0") << QStringLiteral("out_of_range 3");
        QTest::newRow("too large") << QByteArray("a 99999999999999999999") << QStringLiteral("out_of_range 3");
        QTest::newRow("twice") << QByteArray("a 4, a 3") << QStringLiteral("duplicate_dimension 6");
        QTest::newRow("too many") << QByteArray("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17")
                                  << QStringLiteral("too_large 40");
    }
    void axesAsTheyAreWritten()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, read);
        const Result<ArrayAxes> axes = parseArrayAxes(text.toStdString());
        QString found;
        if (!axes)
            found = QStringLiteral("%1 %2")
                        .arg(QString::fromLatin1(axes.error().kind().data()))
                        .arg(axes.error().where.column);
        else
            found = QString::fromStdString(axesText(axes->names, axes->shape));
        QCOMPARE(found, read);
        if (!axes)
            return;
        // What was read is written in a way that is read as the same.
        const ArrayAxes again = *parseArrayAxes(axesText(axes->names, axes->shape));
        QVERIFY(again.names == axes->names && again.shape == axes->shape);
    }

    void theNotebook()
    {
        const MeshPtr mesh = namedMesh("foo=4,bar=2");
        const std::vector<ArrayOutcome> outcomes = outcomesOf(namedTree(penzaiNotebook(), nullptr), mesh);
        QCOMPARE(outcomes.size(), std::size_t{ 3 });
        QCOMPARE(specified(outcomes[0]), QStringLiteral("P(bar, foo, -)"));
        QVERIFY(outcomes[0].specified.layout->shardShape() == Shape({ 2, 2, 6 }));
        QCOMPARE(outcomes[0].specified.layout->distinctShards(), 8);
        QCOMPARE(specified(outcomes[1]), QStringLiteral("P(bar)"));
        QVERIFY(outcomes[1].specified.layout->shardShape() == Shape({ 4 }));
        QCOMPARE(specified(outcomes[2]), QStringLiteral("P(foo, -)"));
        QVERIFY(outcomes[2].specified.layout->shardShape() == Shape({ 1, 12 }));
        QCOMPARE(outcomes[2].specified.bytesPerDevice, 48);
        for (const ArrayOutcome& outcome : outcomes)
            QVERIFY(!outcome.mapping && !outcome.meant && !outcome.specified.problem);
    }

    /// The docstring's rules: in order they leave features whole, as a mapping they contradict each other.
    void besideAnotherDialect()
    {
        const MeshPtr mesh = namedMesh("X=2,Y=2,Z=2");
        RulesSetting rules = rulesOf("[('batch', 'X'), ('features', 'X'), ('heads', 'Y'), ('batch', 'Z')]", false);
        const char* axes = "batch 8, length 128, heads 4, features 64";
        ArrayOutcome outcome = outcomeIn(rules, axes, mesh);
        QCOMPARE(specified(outcome), QStringLiteral("P(X, -, Y, -)"));
        QVERIFY(outcome.mapping && outcome.mapping->problem->code == Code::RuleConflict);
        rules.rules.list.pop_back();
        outcome = outcomeIn(rules, axes, mesh);
        QVERIFY(outcome.mapping->problem->code == Code::AxisUsedTwice);
        QVERIFY(named::outcomeText(array("w", axes), outcome).contains(QStringLiteral("As a mapping: an error")));
        rules.rules.list.erase(rules.rules.list.begin() + 1);
        outcome = outcomeIn(rules, axes, mesh);
        QCOMPARE(named::specText(*outcome.mapping), specified(outcome));
        QVERIFY(named::outcomeText(array("w", axes), outcome).endsWith(QStringLiteral("As a mapping: the same.")));
        // MaxText drops what does not divide, a mapping does not.
        rules.dialect = Dialect::MaxText;
        outcome = outcomeIn(rules, "batch 7", mesh);
        QCOMPARE(specified(outcome), QStringLiteral("P(-)"));
        QVERIFY(!outcome.specified.problem && outcome.mapping->problem->code == Code::Indivisible);
        // The mesh axes written at an array count, whatever rules say.
        NamedTree tree;
        tree.rules = rules;
        const ProgramArray declared{ array("w", "batch 8, b 8"), PartitionSpec{ { SpecEntry::axis("Z") } } };
        QCOMPARE(specified(outcomeOf(declared, tree, mesh)), QStringLiteral("P(Z)"));
        QCOMPARE(named::specText(*outcomeOf(declared, tree, mesh).mapping), QStringLiteral("P(X, -)"));
    }

    void errorsBelongToTheirArray()
    {
        const MeshPtr mesh = namedMesh("foo=4,bar=2");
        const RulesSetting rules = rulesOf("[('a', 'bar'), ('b', 'foo'), ('e', 'bar')]", true);
        QVERIFY(!outcomeIn(rules, "a 4, b 8", mesh).specified.problem);
        const auto code = [&](const char* axes) { return outcomeIn(rules, axes, mesh).specified.problem->code; };
        QVERIFY(code("[4, 8]") == Code::NonNamedLeaf);
        QVERIFY(code("a 5") == Code::Indivisible);
        QVERIFY(code("a 4, e 8") == Code::AxisUsedTwice);
        const auto stated = [&](const char* axes) {
            return named::outcomeText(array("w", axes), outcomeIn(rules, axes, mesh));
        };
        QCOMPARE(stated("a 5"),
            QStringLiteral(
                "a has 5 elements, which cannot be split into 2 equal shards. Use 6, or map a to other mesh axes; "
                "drawn padded here."));
        QVERIFY2(stated("[4, 8]").contains(QStringLiteral("let arrays without names be ignored")),
            qPrintable(stated("[4]")));
        QVERIFY2(stated("a 4, e 8").contains(QStringLiteral("bar")), qPrintable(stated("a 4, e 8")));
        const ArrayOutcome ignored = outcomeIn(rules, "[4, 8]", mesh, true);
        QVERIFY(!ignored.specified.problem && ignored.ignored && !ignored.specified.layout);
        QVERIFY(outcomeIn(rules, "a 4", namedMesh("x=8")).specified.problem->code == Code::UnknownAxis);
    }

    /// Penzai's specs leave the dimensions without a name in front out; where they are meant is said beside.
    void positionalDimensions()
    {
        const MeshPtr mesh = namedMesh("foo=4,bar=2");
        const RulesSetting rules = rulesOf("[('a', 'bar'), ('b', 'foo')]", true);
        const ArrayOutcome outcome = outcomeIn(rules, "4, a 4, b 8", mesh);
        QCOMPARE(specified(outcome), QStringLiteral("P(bar, foo, -)"));
        QVERIFY(outcome.specified.layout->shardShape() == Shape({ 2, 1, 8 }));
        QCOMPARE(QString::fromStdString(toColumn(*outcome.meant)), QStringLiteral("P(-, bar, foo)"));
        QVERIFY(named::outcomeText(array("w", "4, a 4, b 8"), outcome)
                    .endsWith(QStringLiteral("meant is P(-, bar, foo).")));
        // A view, whose names stand where they like, has none of that.
        QVERIFY(!outcomeIn(rules, "a 4, 4, b 8", mesh).meant);
        QCOMPARE(specified(outcomeIn(rules, "a 4, 4, b 8", mesh)), QStringLiteral("P(bar, -, foo)"));
    }
};

REGISTER_TEST(TestNamedWords)
#include "test_named_words.moc"
