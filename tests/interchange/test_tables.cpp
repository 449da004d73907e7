// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <set>

#include "base/codes.h"
#include "interchange/csv_text.h"
#include "interchange/import.h"
#include "interchange/parameter_table.h"
#include "interchange/rule_text.h"
#include "random_properties.h"
#include "registered_test.h"
#include "sharding/text.h"

using namespace shardscope;

class TestTables : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_data();
    void reads();
    void places();
    void refuses_data();
    void refuses();
    void otherBytes();
    void allErrorsAtOnce();
    void unknownKeys();
    void tableLimits();
    void roundTrip();
    void ruleSource();
    void experiments();
    void refusedExperiments_data();
    void refusedExperiments();
};

namespace {

QString shown(const ParameterRow& row)
{
    QStringList sizes, names;
    for (const std::int64_t size : row.type.shape)
        sizes << QString::number(size);
    for (const LogicalName& each : row.names)
        names << (each.kind == LogicalName::Kind::None          ? QStringLiteral("-")
                : each.kind == LogicalName::Kind::Unconstrained ? QStringLiteral("?")
                                                                : QString::fromStdString(each.name));
    return QStringLiteral("%1 %2[%3] %4")
        .arg(QString::fromStdString(row.path), QString::fromUtf8(name(row.type.dtype).data()),
            sizes.join(QLatin1Char(',')), names.join(QLatin1Char(',')))
        .trimmed();
}

QString shown(const ReadTable& table)
{
    QStringList rows;
    if (table)
        for (const ParameterRow& row : table->rows)
            rows << shown(row);
    else
        for (const Diagnostic& error : table.error())
            rows << QStringLiteral("%1 %2:%3")
                        .arg(QString::fromUtf8(error.id().data()))
                        .arg(error.where.line)
                        .arg(error.where.column);
    return rows.join(QStringLiteral("; "));
}

} // namespace

void TestTables::reads_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("rows");
    const auto row = [](const char* what, const char* text, const char* rows) {
        QTest::newRow(what) << QString::fromUtf8(text) << QString::fromUtf8(rows);
    };
    const char* const two = "a/w f32[8,4] x,y; b bf16[] ";
    row("CSV", "path,shape,dtype,names\na/w,8x4,float32,\"x,y\"\nb,,bfloat16,\n", two);
    row("Windows", "\xef\xbb\xbfpath,shape,dtype,names\r\na/w,8x4,float32,\"x,y\"\r\nb,,bfloat16,\r\n", two);
    row("semicolons", "shape;names;dtype;path\n8x4;x,y;f32;a/w\n();;bf16;b", two);
    row("tabs", "path\tshape\tdtype\tnames\na/w\t(8, 4)\tjnp.float32\tx,y\nb\t\tbf16\t", two);
    row("blank lines", "\n\npath,shape\n\na,8\n  \nb,[4]\n\n", "a f32[8] -; b f32[4] -");
    row("Python's shapes and names", "path,shape,names\nk,\"(8, 4,)\",\"PartitionSpec('x', None)\"\n",
        "k f32[8,4] x,-");
    row("a shape by blanks", "path,shape\nk,8 4 2\n", "k f32[8,4,2] -,-,-");
    row("fewer names", "path,shape,names\nk,8x4x2,x\n", "k f32[8,4,2] x,-,-");
    row("quotes in quotes", "path,shape\n\"say \"\"hi\"\"\",1\n", "say \"hi\" f32[1] -");
    row("a line break in quotes", "path,shape,names\n\"a\nb\",8,x\nc,4,y", "a\nb f32[8] x; c f32[4] y");
    row("no rows", "path,shape\n", "");
    row("JSON objects",
        R"([{"path": "a/w", "shape": [8, 4], "dtype": "float32", "names": ["x", "y"]},
            {"path": "b", "shape": [], "dtype": "bfloat16"}])",
        two);
    row("JSON lists", R"([["a/w", [8, 4], "float32", ["x", "y"]], ["b", [], "bf16"]])", two);
    row("JSON by path", R"({"a/w": {"shape": [8, 4], "names": "x,y"}, "b": {"shape": [], "dtype": "bfloat16"}})", two);
    row("Python", "[('a/w', (8, 4), 'float32', ('x', 'y')), ('b', (), 'bfloat16', None),]", two);
    row("null and unconstrained", R"([["a", [1, 2, 3], null, [null, "P.UNCONSTRAINED", "x"]]])", "a f32[1,2,3] -,?,x");
    row("an empty list", "[]", "");
    row("StableHLO's types", "path,shape,dtype\na,,i1\nb,,bool\nc,,ui8\nd,,u8\ne,,i64",
        "a i1[]; b i1[]; c ui8[]; d ui8[]; e i64[]");
}

void TestTables::reads()
{
    QFETCH(QString, text);
    QFETCH(QString, rows);
    QCOMPARE(shown(readTable(text.toStdString())).trimmed(), rows.trimmed());
}

void TestTables::places()
{
    const ReadTable csv = readTable("path,shape\n\n  a,8\nb,4\n");
    QCOMPARE(csv->rows[0].line, 3);
    QCOMPARE(csv->rows[0].column, 3);
    QCOMPARE(csv->rows[1].line, 4);
    const ReadTable json = readTable("[\n  [\"a\", [8]], [\"b\", [4]]]");
    QCOMPARE(json->rows[1].line, 2);
    QCOMPARE(json->rows[1].column, 15);
}

void TestTables::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("errors");
    const auto row = [](const char* what, const char* text, const char* errors) {
        QTest::newRow(what) << QString::fromUtf8(text) << errors;
    };
    row("nothing", "", "E123 1:1; E123 1:1");
    row("no shape column", "path,names\na,x", "E123 1:1");
    row("a column twice", "path,shape,path\na,1,b", "E121 1:12");
    row("too many fields", "path,shape,names\na,8,x,y\n", "E120 2:7");
    row("too few fields", "path,names,shape\na,x\n", "E123 2:1");
    row("no path", "path,shape\n,8\n", "E123 2:1");
    row("a path twice", "path,shape\na,8\na,8\n", "E121 3:1");
    row("not a size", "path,shape\na,8x?\n", "E120 2:5");
    row("a negative size", "path,shape\na,-8\n", "E125 2:3");
    row("size zero", "path,shape\na,8x0\n", "E125 2:5");
    row("size too large", "path,shape\na,99999999999999999999\n", "E125 2:3");
    row("bytes too many", "path,shape\na,1099511627776x1099511627776\n", "E126 2:3");
    row("rank too large", "path,shape\na,1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1\n", "E126 2:35");
    row("a shape without its bracket", "path,shape\na,\"(8, 4\"\n", "E120 2:9");
    row("a type", "path,shape,dtype\na,8,float31\n", "E124 2:5");
    row("more names than dimensions", "path,shape,names\na,8,\"x,y\"\n", "E107 2:6");
    row("a name twice", "path,shape,names\na,8x8,\"x,x\"\n", "E103 2:8");
    row("names that are none", "path,shape,names\na,8x8,\"x,(\"\n", "E120 2:11");
    row("names over two lines", "path,shape,names\na,8x8,\"('x',\ny)\"\n", "E120 3:1");
    row("a quote that stays open", "path,shape\n\"a,8\nb,9", "E120 3:4");
    row("text behind a quote", "path,shape\n\"a\"b,8\n", "E120 2:4");
    row("after accents", "path,shape\né,?\n", "E120 2:3");
    row("JSON that ends", "[[\"a\", [8]", "E120 1:11");
    row("JSON and more", "[] []", "E120 1:4");
    row("a JSON number", "[3]", "E120 1:2");
    row("a list of one", "[[\"a\"]]", "E120 1:2");
    row("a path as a number", "[[3, [8]]]", "E122 1:3");
    row("a shape as text", "[[\"a\", \"8\"]]", "E122 1:8");
    row("a size as text", "[[\"a\", [\"8\"]]]", "E122 1:9");
    row("a size with a fraction", "[[\"a\", [8.5]]]", "E120 1:9");
    row("names as a number", "[[\"a\", [8], null, 3]]", "E120 1:19");
    row("a type as a number", "[[\"a\", [8], 3]]", "E122 1:13");
    row("an object without a shape", "[\n{\"path\": \"a\"}]", "E123 2:1");
    row("a key twice in an object", "[{\"path\": \"a\", \"path\": \"b\", \"shape\": []}]", "E121 1:16");
    row("no object by path", "{\"a\": [8]}", "E120 1:7");
}

void TestTables::refuses()
{
    QFETCH(QString, text);
    QFETCH(QString, errors);
    const ReadTable table = readTable(text.toStdString());
    QVERIFY(!table.has_value());
    QCOMPARE(shown(table), errors);
}

/// What is no UTF-8 could not be written again.
void TestTables::otherBytes()
{
    QCOMPARE(shown(readTable("path,shape\na\xff,8\n")), QStringLiteral("E120 2:1"));
    QCOMPARE(shown(readTable("path,shape,names\na,8,\"('\xc0\x80',)\"\n")), QStringLiteral("E120 2:6"));
    QCOMPARE(shown(readTable("[['\xed\xa0\x80', [8]]]")), QStringLiteral("E120 1:3"));
}

void TestTables::allErrorsAtOnce()
{
    QCOMPARE(shown(readTable("path,shape,dtype\na,8,f32\na,?,f31\nb,4,\n,1,")),
        QStringLiteral("E120 3:3; E124 3:5; E121 3:1; E123 5:1"));
    std::string many = "path,shape\n";
    for (int i = 0; i < 1000; ++i)
        many += "a,?\n";
    QCOMPARE(readTable(many).error().size(), 50U);
}

void TestTables::unknownKeys()
{
    const ReadTable csv = readTable("path,shape,dtyp\na,8,x\n");
    QCOMPARE(csv->warnings.size(), 1U);
    QCOMPARE(csv->warnings[0].text("nearest"), std::string("dtype"));
    QCOMPARE(csv->warnings[0].where.column, 12);
    const ReadTable json = readTable("[{\"path\": \"a\", \"shape\": [1], \"size\": 3}]");
    QCOMPARE(json->warnings.size(), 1U);
    std::string many = "path,shape";
    std::string object = "[{\"path\": \"a\", \"shape\": [1]";
    for (int i = 0; i < 200; ++i) {
        many += ",c" + std::to_string(i);
        object += ", \"k" + std::to_string(i) + "\": 0";
    }
    for (const ReadTable& read : { readTable(many + "\na,8\n"), readTable(object + "}]") }) {
        QCOMPARE(read->warnings.size(), 1U);
        QCOMPARE(read->warnings[0].number("alike"), 200);
    }
}

void TestTables::tableLimits()
{
    std::string many = "path,shape\n";
    for (std::size_t i = 0; i <= maximumTableRows; ++i)
        many += "a" + std::to_string(i) + ",8\n";
    const ReadTable table = readTable(many);
    QCOMPARE(table.error().size(), 1U);
    QCOMPARE(table.error()[0].code, Code::TooLarge);
    QCOMPARE(readTable(std::string(maximumTableBytes + 1, ' ')).error()[0].code, Code::TooLarge);
    QCOMPARE(readTable("[" + std::string(maximumTableBytes, ' ')).error()[0].code, Code::TooLarge);
    std::string names; // all different
    std::string columns = "path,shape";
    for (int i = 0; i < 400'000; ++i) {
        names += "n" + std::to_string(i) + ",";
        columns += ",c" + std::to_string(i);
    }
    QCOMPARE(shown(readTable("path,shape,names\na,8,\"" + names + "\"\n")).left(4), QStringLiteral("E126"));
    QCOMPARE(shown(readTable("[[\"a\", [8], null, \"" + names + "\"]]")).left(4), QStringLiteral("E126"));
    QCOMPARE(shown(readTable(columns + "\na,8\n")).left(4), QStringLiteral("E126"));
}

void TestTables::roundTrip()
{
    QVERIFY(test::propertyHolds(1000, "what is written is read", [] {
        const auto text = [] {
            return *rc::gen::element<std::string>("a", "b/c", "it's", "say \"hi\"", " blank ", "x,y", "a;b", "a\tb",
                "line\nbreak", "None", "null", "-", "P", "UNCONSTRAINED", "é", "1", "a\\b", "(", "");
        };
        std::vector<ParameterRow> rows;
        for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
            ParameterRow row;
            row.path = std::to_string(i) + text();
            row.type.dtype = *rc::gen::element(DType::F32, DType::BF16, DType::Pred, DType::U8, DType::I64);
            std::set<std::string> used;
            for (int d = *rc::gen::inRange(0, 4); d > 0; --d) {
                row.type.shape.push_back(*rc::gen::inRange<std::int64_t>(1, 100));
                const std::string name = text();
                row.names.push_back(*rc::gen::inRange(0, 4) == 0 ? LogicalName::none()
                        : *rc::gen::inRange(0, 8) == 0           ? LogicalName::unconstrained()
                        : used.insert(name).second               ? LogicalName::of(name)
                                                                 : LogicalName::none());
            }
            rows.push_back(std::move(row));
        }
        const ReadTable csv = readCsvTable(writeCsvTable(rows));
        RC_ASSERT(csv.has_value());
        RC_ASSERT(csv->rows == rows);
        const ReadTable json = readTable(writeJsonTable(rows));
        RC_ASSERT(json.has_value());
        RC_ASSERT(json->rows == rows);
    }));
}

void TestTables::ruleSource()
{
    const LogicalRules rules = *parseRules("[('batch', ('data', 'fsdp')), ('embed', None), ('kv', ())]");
    const std::string source = toPythonSource(rules, "rules");
    QCOMPARE(
        source, std::string("rules = (\n    ('batch', ('data', 'fsdp')),\n    ('embed', None),\n    ('kv', ()),\n)\n"));
    QCOMPARE(*parseRules(source), rules);
    QCOMPARE(toPythonSource(LogicalRules(), ""), std::string("()\n"));
    const LogicalRules mapping = *parseRules("{'a': 'x', 'b': None}");
    QCOMPARE(toPythonSource(mapping, "r"), std::string("r = {\n    'a': 'x',\n    'b': None,\n}\n"));
    QCOMPARE(*parseRules(toPythonSource(mapping, "r")), mapping);
    const LogicalRules one = *parseRules("[('a', 'x')]");
    QCOMPARE(*parseRules(toPythonSource(one, "")), one);
}

void TestTables::experiments()
{
    Import import;
    import.title = "mine";
    import.dialect = Dialect::MaxText;
    import.rules = *parseRules("[('x', 'data')]");
    import.mesh = { { "data", 4 }, { "model", 2 } };
    import.hosts = 2;
    import.rows = readTable("path,shape,names\na,8x4,x\nb,8,\n")->rows;
    const Experiment experiment = *toExperiment(import);
    QCOMPARE(experiment.title, std::string("mine"));
    QCOMPARE(experiment.rules.dialect, Dialect::MaxText);
    QCOMPARE(experiment.hardware.devices.hosts, 2);
    QCOMPARE(experiment.hardware.devices.devicesPerHost, 4);
    QCOMPARE(std::get<ArraysModel>(experiment.model).arrays.size(), 2U);
    QCOMPARE(toRows(experiment), import.rows);
    import.hosts = 3; // which do not divide the devices
    QCOMPARE(toExperiment(import).error().code, Code::DevicesMismatch);
    QCOMPARE(toRows(Experiment()).size(), std::size_t{ 8 }); // the weights of the network

    MaxTextMesh mesh;
    mesh.axes = { { "data", 2, 2 } };
    mesh.slices = 2;
    mesh.devicesPerSlice = 2;
    takeMesh(mesh, import);
    QCOMPARE(import.mesh, (std::vector<MeshAxis>{ { "data", 4 } }));
    QCOMPARE(import.hosts, std::int64_t{ 2 });
}

void TestTables::refusedExperiments_data()
{
    QTest::addColumn<QString>("rules");
    QTest::addColumn<QString>("table");
    QTest::addColumn<QString>("axis");
    QTest::addColumn<int>("code");
    const auto row = [](const char* what, const char* rules, const char* table, const char* axis, Code code) {
        QTest::newRow(what) << rules << table << axis << static_cast<int>(code);
    };
    const char* const none = "path,shape\n";
    row("rules as a mapping", "{'a': 'x'}", none, "x", Code::RulesType);
    row("a rule of three", "[('a', 'x', 'y')]", none, "x", Code::RuleArity);
    row("nested", "[('a', (('x',),))]", none, "x", Code::NestedTuple);
    row("an axis twice in a rule", "[('a', ('x', 'x'))]", none, "x", Code::AxisUsedTwice);
    row("an empty name", "[('', 'x')]", none, "x", Code::WrongType);
    row("an empty axis", "[('a', '')]", none, "x", Code::WrongType);
    row("no axis name", "[]", none, "", Code::InvalidAttribute);
    row("a control character in a path", "[]", "path,shape\n\"a\nb\",8\n", "x", Code::WrongType);
    row("a control character in a name", "[]", "path,shape,names\na,8,\"('x\\n',)\"\n", "x", Code::WrongType);
}

void TestTables::refusedExperiments()
{
    Import many; // made by hand: the readers of rules refuse as much
    many.mesh = { { "x", 2 } };
    LogicalRule rule;
    rule.name = LogicalName::of("a");
    rule.target = SpecEntry::tuple({});
    for (int i = 0; i < 400'000; ++i)
        rule.target.axes.push_back("x" + std::to_string(i));
    many.rules.list.push_back(std::move(rule));
    QCOMPARE(toExperiment(many).error().code, Code::TooLarge);
    Import slices;
    slices.mesh = { { "x", 6 } };
    for (const std::int64_t hosts : { 0, 4, 7 }) {
        slices.hosts = hosts;
        QCOMPARE(toExperiment(slices).error().code, Code::DevicesMismatch);
    }
    slices.hosts = 3;
    QCOMPARE(toExperiment(slices)->hardware.devices.hosts, 3);

    QFETCH(QString, rules);
    QFETCH(QString, table);
    QFETCH(QString, axis);
    QFETCH(int, code);
    Import import;
    import.rules = *parseRules(rules.toStdString());
    import.mesh = { { axis.toStdString(), 2 } };
    import.rows = readTable(table.toStdString())->rows;
    const Result<Experiment> experiment = toExperiment(import);
    QVERIFY(!experiment.has_value());
    QCOMPARE(static_cast<int>(experiment.error().code), code);
}

REGISTER_TEST(TestTables)
#include "test_tables.moc"
