// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "base/codes.h"
#include "random_properties.h"
#include "registered_test.h"
#include "sharding/generators.h"
#include "sharding/literal.h"
#include "sharding/text.h"

using namespace shardscope;

class TestParse : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rules_data();
    void rules();
    void badRules_data();
    void badRules();
    void specs_data();
    void specs();
    void badSpecs_data();
    void badSpecs();
    void meshes_data();
    void meshes();
    void deepNesting();
    void manyValues();
    void numbers();
    void utf8();
    void shapes_data();
    void shapes();
    void roundTrips();
};

namespace {

QString placeOf(const Error& error)
{
    QString text =
        QString("%1 %2:%3").arg(QString::fromUtf8(error.kind().data())).arg(error.where.line).arg(error.where.column);
    if (error.code == Code::Syntax)
        text += " " + QString::fromStdString(error.text("found"));
    return text;
}

} // namespace

void TestParse::rules_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const char* two = "(('batch', 'data'), ('embed', None))";
    QTest::newRow("JSON") << R"([["batch", "data"], ["embed", null]])" << two;
    QTest::newRow("as in Flax code") << "rules = (('batch', 'data'),  # rows\n"
                                        "         # all of them\n"
                                        "         (\"embed\", None),)\n"
                                     << two;
    QTest::newRow("with a type") << "RULES: Sequence[Tuple[str, Any]] = (('batch', 'data'), ('embed', None))" << two;
    QTest::newRow("without parentheses") << "('batch', 'data'), ('embed', None)" << two;
    QTest::newRow("as in YAML") << "logical_axis_rules: [\n  ['batch', 'data'],\n  ['embed', None],\n]" << two;
    QTest::newRow("member of a JSON object") << R"("rules": [["batch","data"],["embed",null]])" << two;
    QTest::newRow("other line ends") << "(('batch', 'data'),\r\n ('embed', None))\r\n" << two;
    QTest::newRow("none") << "()"
                          << "()";
    QTest::newRow("tuples of axes") << "[('a', ('x', 'y')), ('b', ['z']), ('c', ())]"
                                    << "(('a', ('x', 'y')), ('b', ('z',)), ('c', ()))";
    QTest::newRow("nested tuple") << "(('a', ('x', ('y', 'z'))),)"
                                  << "(('a', (('x', 'y', 'z'),)),)";
    QTest::newRow("unconstrained") << "[('a', P.UNCONSTRAINED), (jax.sharding.PartitionSpec.UNCONSTRAINED, 'x')]"
                                   << "(('a', UNCONSTRAINED), (UNCONSTRAINED, 'x'))";
    QTest::newRow("a mapping") << "{'a': 'x', 'b': None}"
                               << "{'a': 'x', 'b': None}";
    QTest::newRow("wrong arity stays") << "[('a',), ('a', 'x', 'y')]"
                                       << "(('a',), ('a', 'a', 'a'))";
    QTest::newRow("escapes") << R"([('a\'b', "A\n"), ('ü', 'tab\t')])"
                             << R"((("a'b", 'A\n'), ('ü', 'tab\t')))";
    QTest::newRow("parentheses that only group") << "((('a'), ('x')),)"
                                                 << "(('a', 'x'),)";
}

void TestParse::rules()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const Result<LogicalRules> rules = parseRules(text.toStdString());
    QVERIFY2(rules, rules ? "" : qPrintable(placeOf(rules.error())));
    QCOMPARE(QString::fromStdString(toPython(*rules)), expected);
}

void TestParse::badRules_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::newRow("nothing") << ""
                             << "syntax 1:1 end of text";
    QTest::newRow("only a comment") << "# rules"
                                    << "syntax 1:8 end of text";
    QTest::newRow("a word") << "rules"
                            << "syntax 1:1 rules";
    QTest::newRow("a type without rules") << "rules: LogicalRules"
                                          << "syntax 1:20 end of text";
    QTest::newRow("a number") << "3"
                              << "syntax 1:1 3";
    QTest::newRow("missing comma") << "[('a' 'x')]"
                                   << "syntax 1:7 'x'";
    QTest::newRow("missing comma between lines") << "[('a', 'x')\n ('b', 'y')]"
                                                 << "syntax 2:2 (";
    QTest::newRow("missing bracket") << "[('a', 'x'),\n ('b', 'y')"
                                     << "syntax 2:12 end of text";
    QTest::newRow("wrong bracket") << "[('a', 'x']]"
                                   << "syntax 1:11 ]";
    QTest::newRow("string that does not end") << "[('a', 'x)]"
                                              << "syntax 1:8 'x)]";
    QTest::newRow("string over lines") << "[('a', 'x\n')]"
                                       << "syntax 1:8 'x";
    QTest::newRow("unknown escape") << "[('a', '\\q')]"
                                    << "syntax 1:8 '\\q";
    QTest::newRow("two commas") << "[('a',, 'x')]"
                                << "syntax 1:7 ,";
    QTest::newRow("more behind the end") << "[('a', 'x')] )"
                                         << "syntax 1:14 )";
    QTest::newRow("a rule that is no pair") << "(('a', 'x'))"
                                            << "syntax 1:3 'a'";
    QTest::newRow("a name without quotes") << "[(a, 'x')]"
                                           << "syntax 1:3 a";
    QTest::newRow("an axis without quotes") << "[('a', x)]"
                                            << "syntax 1:8 x";
    QTest::newRow("None among axes") << "[('a', ('x', None))]"
                                     << "syntax 1:14 None";
    QTest::newRow("a number as axis") << "[('a', 3)]"
                                      << "syntax 1:8 3";
    QTest::newRow("columns count characters") << "[('äöü', 'x'), 5]"
                                              << "syntax 1:16 5";
    QTest::newRow("mapping without value") << "{'a'}"
                                           << "syntax 1:5 }";
    QTest::newRow("control character") << QString("[('a', \x01)]") << QString("syntax 1:8 \x01");
}

void TestParse::badRules()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const Result<LogicalRules> rules = parseRules(text.toStdString());
    QVERIFY(!rules);
    QCOMPARE(placeOf(rules.error()), expected);
    QVERIFY(!rules.error().text("expected").empty());
}

void TestParse::specs_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::newRow("JAX") << "P('data', None)"
                         << "P('data', None)";
    QTest::newRow("long") << "PartitionSpec('data', None,)"
                          << "P('data', None)";
    QTest::newRow("longer") << "jax.sharding.PartitionSpec(('pod', 'data'), 'model')"
                            << "P(('pod', 'data'), 'model')";
    QTest::newRow("empty") << "P()"
                           << "P()";
    QTest::newRow("column form") << "P((pod, data), -, ?)"
                                 << "P(('pod', 'data'), None, UNCONSTRAINED)";
    QTest::newRow("bare") << "data, -, model"
                          << "P('data', None, 'model')";
    QTest::newRow("one axis") << "data"
                              << "P('data')";
    QTest::newRow("a tuple is the spec") << "('data', None)"
                                         << "P('data', None)";
    QTest::newRow("bare with a tuple") << "(pod, data), model"
                                       << "P(('pod', 'data'), 'model')";
    QTest::newRow("JSON") << R"(["data", null, ["pod"], []])"
                          << "P('data', None, ('pod',), ())";
    QTest::newRow("parentheses that only group") << "P(('x'), ('y',))"
                                                 << "P('x', ('y',))";
    QTest::newRow("unconstrained") << "P(P.UNCONSTRAINED, 'x')"
                                   << "P(UNCONSTRAINED, 'x')";
    QTest::newRow("an axis called P") << "P, x"
                                      << "P('P', 'x')";
    QTest::newRow("over lines") << "P('x',  # rows\n  None)"
                                << "P('x', None)";
}

void TestParse::specs()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const Result<PartitionSpec> spec = parseSpec(text.toStdString());
    QVERIFY2(spec, spec ? "" : qPrintable(placeOf(spec.error())));
    QCOMPARE(QString::fromStdString(toJax(*spec)), expected);
}

void TestParse::badSpecs_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::newRow("nothing") << "  \n "
                             << "syntax 2:2 end of text";
    QTest::newRow("not closed") << "P('x'"
                                << "syntax 1:6 end of text";
    QTest::newRow("behind the end") << "P('x') y"
                                    << "syntax 1:8 y";
    QTest::newRow("nested tuple") << "P('x', ('y', ('z',)))"
                                  << "nested_tuple 1:14";
    QTest::newRow("None in a tuple") << "P(('x', None))"
                                     << "syntax 1:9 None";
    QTest::newRow("a number") << "P(2)"
                              << "syntax 1:3 2";
    QTest::newRow("only commas") << "P(,)"
                                 << "syntax 1:3 ,";
}

void TestParse::badSpecs()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const Result<PartitionSpec> spec = parseSpec(text.toStdString());
    QVERIFY(!spec);
    QCOMPARE(placeOf(spec.error()), expected);
}

void TestParse::meshes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::newRow("plain") << "data=2,model=4"
                           << "Mesh('data': 2, 'model': 4)";
    QTest::newRow("blanks") << " data = 2 , model = 4 "
                            << "Mesh('data': 2, 'model': 4)";
    QTest::newRow("JAX") << "Mesh('data': 2, 'model': 4)"
                         << "Mesh('data': 2, 'model': 4)";
    QTest::newRow("no axes") << "Mesh()"
                             << "Mesh()";
    QTest::newRow("an axis called Mesh") << "Mesh=2"
                                         << "Mesh('Mesh': 2)";
    QTest::newRow("nothing") << ""
                             << "syntax 1:1 end of text";
    QTest::newRow("no size") << "data="
                             << "syntax 1:6 end of text";
    QTest::newRow("no sign") << "data 2"
                             << "syntax 1:6 2";
    QTest::newRow("comma at the end") << "data=2,"
                                      << "syntax 1:8 end of text";
    QTest::newRow("not whole") << "data=2.5"
                               << "syntax 1:6 2.5";
    QTest::newRow("letters in the number") << "data=2x"
                                           << "syntax 1:6 2x";
    QTest::newRow("a word") << "data=two"
                            << "syntax 1:6 two";
    QTest::newRow("zero") << "data=2,model=0"
                          << "invalid_axis_size 1:8";
    QTest::newRow("negative") << "data=-2"
                              << "invalid_axis_size 1:1";
    QTest::newRow("name twice") << "x=2,y=2,x=4"
                                << "duplicate_axis 1:9";
    QTest::newRow("billions") << "x=2,y=4000000000"
                              << "too_large 1:5";
    QTest::newRow("beyond 64 bits") << "x=99999999999999999999999"
                                    << "too_large 1:1";
    QTest::newRow("not closed") << "Mesh('x': 2"
                                << "syntax 1:12 end of text";
}

void TestParse::meshes()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const Result<Mesh> mesh = parseMesh(text.toStdString());
    QCOMPARE(mesh ? QString::fromStdString(toJax(*mesh)) : placeOf(mesh.error()), expected);
}

void TestParse::deepNesting()
{
    for (const char* open : { "(", "[", "{'a':", "[(" }) {
        std::string text;
        for (int i = 0; i < 200'000; ++i)
            text += open;
        for (const Error& error : { parseRules(text).error(), parseSpec(text).error() })
            QCOMPARE(error.code, Code::TooLarge);
    }
    const std::string allowed =
        "[('a', " + std::string(maximumNesting - 2, '(') + "'x'" + std::string(maximumNesting - 2, ')') + ")]";
    QVERIFY(parseRules(allowed));
}

void TestParse::manyValues()
{
    std::string text = "[";
    for (std::size_t i = 0; i < maximumLiterals; ++i)
        text += "0,";
    for (const Error& error : { parseRules(text).error(), parseShape(text).error() })
        QCOMPARE(error.code, Code::TooLarge);
    std::string axes = "'x0'";
    for (std::size_t i = 1; i < maximumMeshAxes; ++i)
        axes += ", 'x" + std::to_string(i) + "'";
    QVERIFY(parseRules("[('a', (" + axes + "))]"));
    const Result<LogicalRules> more = parseRules("[('a', (" + axes + ", 'y'))]");
    QVERIFY(!more.has_value());
    QCOMPARE(more.error().code, Code::TooLarge);
    QCOMPARE(more.error().where.line, 1);
}

void TestParse::numbers()
{
    Tokens tokens("[1e-05, 2.5E+3, -1e-1, 0x1e, 4x16]");
    const Result<Literal> list = tokens.readLiteral();
    QVERIFY(list.has_value());
    std::vector<std::string> texts;
    for (const Literal& item : list->items) {
        QVERIFY(item.kind == Literal::Kind::Number);
        texts.push_back(item.text);
    }
    QCOMPARE(texts, (std::vector<std::string>{ "1e-05", "2.5E+3", "-1e-1", "0x1e", "4x16" }));
    for (const char* text : { "[0x1e-05]", "[1e-]", "[1e -5]", "[1-5]" }) { // two tokens, or none
        Tokens other(text);
        QVERIFY2(!other.readLiteral().has_value(), text);
    }
}

void TestParse::utf8()
{
    for (const char* text : { "", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
             "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf" })
        QVERIFY2(isUtf8(text), text);
    for (const char* text : { "\x80", "\xff", "\xc0\x80", "\xc1\xbf", "\xc2",
             "\xc2"
             "a",
             "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80" })
        QVERIFY2(!isUtf8(text), text);
    const Error error = parseRules("[('a', 'x'),\n ('\xff', 'x')]").error();
    QCOMPARE(error.code, Code::Syntax);
    QCOMPARE(error.where.line, 2);
    QCOMPARE(error.where.column, 3);
}

void TestParse::shapes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("read"); ///< sizes, or the error and its column
    const auto row = [](const char* text, const char* read) {
        QTest::newRow(*text ? text : "nothing") << text << read;
    };
    row("", "");
    row(" ", "");
    row("()", "");
    row("8", "8");
    row("8,16", "8 16");
    row("8x16", "8 16");
    row(" [8 X 16,\n4] ", "8 16 4");
    row("(8,)", "8");
    row("8,", "8");
    row("0x10", "0 10");
    row("1152921504606846976", "1152921504606846976");
    row("1152921504606846977", "E125 1");
    row("99999999999999999999", "E125 1");
    row("4,-8", "E125 3");
    row(")8x,,(16", "E120 1");
    row("8,,16", "E120 3");
    row("8x", "E120 3");
    row("8xx16", "E120 3");
    row("8 16", "E120 3");
    row("(8", "E120 3");
    row("(8]", "E120 3");
    row("(8) 4", "E120 5");
    row("[[8]]", "E120 2");
    row("8.5", "E120 1");
    row("+-8", "E120 1");
    row("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1");
    row("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "E126 33");
}

void TestParse::shapes()
{
    QFETCH(QString, text);
    QFETCH(QString, read);
    const Result<Shape> shape = parseShape(text.toStdString());
    QStringList parts;
    if (shape)
        for (const std::int64_t size : *shape)
            parts << QString::number(size);
    else
        parts << QString::fromUtf8(shape.error().id().data()) << QString::number(shape.error().where.column);
    QCOMPARE(parts.join(QLatin1Char(' ')), read);
}

void TestParse::roundTrips()
{
    const bool holds = test::propertyHolds(2000, "what is printed can be read", [] {
        const MeshPtr mesh = generators::mesh();
        const PartitionSpec spec = generators::spec(*mesh, *rc::gen::inRange<std::size_t>(0, 5));
        for (const std::string& text : { toJax(spec), toJax(spec, false), toColumn(spec) })
            RC_ASSERT(*parseSpec(text) == spec);
        RC_ASSERT(parseMesh(toJax(*mesh))->axisNames() == mesh->axisNames());

        LogicalRules rules;
        rules.isSequence = *rc::gen::arbitrary<bool>();
        const auto word = [] { // any bytes that are characters
            return *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)) + *rc::gen::element("", "é", "名");
        };
        for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
            LogicalRule rule;
            rule.name = *rc::gen::element(LogicalName::none(), LogicalName::of(word()), LogicalName::unconstrained());
            rule.target = *rc::gen::element(SpecEntry::none(), SpecEntry::axis(word()), SpecEntry::tuple({}),
                SpecEntry::tuple({ word(), word() }), SpecEntry::unconstrained());
            rules.list.push_back(std::move(rule));
        }
        RC_ASSERT(*parseRules(toPython(rules)) == rules);
        RC_ASSERT(*parseRules("rules = " + toPython(rules) + "  # all") == rules);
    });
    QVERIFY(holds);
}

REGISTER_TEST(TestParse)
#include "test_parse.moc"
