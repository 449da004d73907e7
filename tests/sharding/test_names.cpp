// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "base/codes.h"
#include "registered_test.h"
#include "sharding/parse_names.h"

using namespace shardscope;

class TestNames : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_data();
    void reads();
    void refuses_data();
    void refuses();
    void tooMany();
};

namespace {

/// "batch - ?" for batch, None and UNCONSTRAINED.
QString shown(const LogicalNames& names)
{
    QStringList list;
    for (const LogicalName& name : names)
        list << (name.kind == LogicalName::Kind::None           ? QStringLiteral("-")
                : name.kind == LogicalName::Kind::Unconstrained ? QStringLiteral("?")
                                                                : QString::fromStdString(name.name));
    return list.join(QLatin1Char(' '));
}

} // namespace

void TestNames::reads_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("names");
    const auto row = [](const char* text, const char* names) { QTest::newRow(text) << text << names; };
    row("batch,embed", "batch embed");
    row("batch, -, None", "batch - -");
    row("'batch'", "batch");
    row("('batch', None)", "batch -");
    row("[\"batch\", null]", "batch -");
    row("batch,", "batch");
    row("", "");
    row("()", "");
    row("AxisNames('embed', 'mlp')", "embed mlp");
    row("AxisNames('embed',)", "embed");
    row("AxisNames('embed')", "embed");
    row("AxisNames()", "");
    row("PartitionSpec('batch', None)", "batch -");
    row("jax.sharding.PartitionSpec('batch', P.UNCONSTRAINED)", "batch ?");
    row("P(None)", "-");
    row("P,embed", "P embed");
}

void TestNames::reads()
{
    QFETCH(QString, text);
    QFETCH(QString, names);
    const Result<LogicalNames> read = parseNames(text.toStdString());
    QVERIFY(read.has_value());
    QCOMPARE(shown(*read), names);
}

void TestNames::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("column");
    const auto row = [](const char* text, int column) { QTest::newRow(text) << text << column; };
    row("(batch,)", 2);
    row("Names('a')", 6);
    row("AxisNames(embed)", 11);
    row("AxisNames('a'", 14);
    row("AxisNames('a') x", 16);
    row("P('a', ('b',))", 8);
    row("a b", 3);
    row("a,,b", 3);
    row("P('a'),b", 1);
}

void TestNames::refuses()
{
    QFETCH(QString, text);
    QFETCH(int, column);
    const Result<LogicalNames> read = parseNames(text.toStdString());
    QVERIFY(!read.has_value());
    QCOMPARE(read.error().code, Code::Syntax);
    QCOMPARE(read.error().where.line, 1);
    QCOMPARE(read.error().where.column, column);
}

void TestNames::tooMany()
{
    std::string list = "n0";
    std::string tuple = "('n0'";
    for (std::size_t i = 1; i < maximumNames; ++i) {
        list += ",n" + std::to_string(i);
        tuple += ",'n" + std::to_string(i) + "'";
    }
    QCOMPARE(parseNames(list)->size(), maximumNames);
    QCOMPARE(parseNames(tuple + ")")->size(), maximumNames);
    for (const std::string& text : { list + ",n", tuple + ",'n')" }) {
        const Result<LogicalNames> read = parseNames(text);
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().code, Code::TooLarge);
        QVERIFY(read.error().where.column > 1);
    }
}

REGISTER_TEST(TestNames)
#include "test_names.moc"
