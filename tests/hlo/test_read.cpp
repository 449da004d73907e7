// SPDX-License-Identifier: GPL-3.0-or-later
// Modules of HLO text as values: what is read, and where it stands in the text.
#include <QtTest>

#include "hlo/attributes.h"
#include "hlo/reading_hlo.h"
#include "registered_test.h"

using namespace shardscope;
using test::moduleOf;
using test::named;
using test::shown;

class TestRead : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void module();
    void withoutSigns();
    void comments();
    void operandsWithShapes();
    void shapes();
    void bytes();
    void attributes();
    void strings();
    void tables();
    void calls();
    void shardings();
    void aliases();
    void endsEarly();
    void errors_data();
    void errors();
    void everyPrefix();
    void manyNames();
};

void TestRead::module()
{
    const std::string text = "HloModule jit_f, is_scheduled=true, num_partitions=4, replica_count=2\n"
                             "\n"
                             "%add.1 (a: f32[], b: f32[]) -> f32[] {\n"
                             "  %a = f32[] parameter(0)\n"
                             "  %b = f32[] parameter(1)\n"
                             "  ROOT %sum = f32[] add(%a, %b)\n"
                             "}, execution_thread=\"main\"\n"
                             "\n"
                             "ENTRY %main.3 (x: f32[2,8], /*index=1*/y: (s32[], f32[4])) -> f32[2] {\n"
                             "  %x = f32[2,8]{1,0} parameter(0), metadata={op_name=\"x\"}\n"
                             "  %zero = f32[] constant(0)\n"
                             "  ROOT %r = f32[2]{0} reduce(%x, %zero), dimensions={1}, to_apply=%add.1\n"
                             "}\n";
    const Result<HloModule> read = readHlo(text);
    QCOMPARE(shown(read), QString());
    QVERIFY(isHloText(text));
    QVERIFY(isHloText("// a dump\n\nHloModule x"));
    QVERIFY(!isHloText("HloModules x"));
    QVERIFY(!isHloText("module @x {"));
    QCOMPARE(read->view(read->name), std::string_view("jit_f"));
    QCOMPARE(hloNumber(*read, "num_partitions").value(), std::optional<std::int64_t>(4));
    QCOMPARE(hloNumber(*read, "replica_count").value(), std::optional<std::int64_t>(2));
    QCOMPARE(read->computations.size(), std::size_t{ 2 });
    QCOMPARE(read->instructions.size(), std::size_t{ 6 });
    QCOMPARE(read->entry, 1U);
    QVERIFY(!read->endsEarly);
    QCOMPARE(read->computationNamed("add.1"), 0U);
    QCOMPARE(read->computationNamed("%main.3"), 1U);
    QCOMPARE(read->computationNamed("main"), noHloIndex);
    QCOMPARE(read->computations[0].root, 2U);
    QCOMPARE(read->computations[1].root, 5U);
    QCOMPARE(read->computations[1].firstInstruction, 3U);
    const HloInstruction& reduce = named(*read, "r");
    QCOMPARE(read->opcode(reduce), std::string_view("reduce"));
    QCOMPARE(read->operandsOf(reduce).size(), std::size_t{ 2 });
    QCOMPARE(read->operandsOf(reduce)[1], 4U);
    QCOMPARE(hloNumbers(*read, reduce, "dimensions").value(), std::optional(std::vector<std::int64_t>{ 1 }));
    const Where where = read->placeOf(reduce.name.begin);
    QCOMPARE(where.line, 12);
    QCOMPARE(where.column, 9);
    QCOMPARE(read->view(named(*read, "zero").inside), std::string_view("0"));
}

void TestRead::withoutSigns()
{
    // The short form: no signs, no parameters at the head, no root.
    const std::string text = "HloModule m\nmain {\n  x = f32[8] parameter(0)\n  tanh.1 = f32[8] tanh(x)\n}\n";
    const Result<HloModule> read = readHlo(text);
    QCOMPARE(shown(read), QString());
    QCOMPARE(read->computations[0].root, 1U);
    QCOMPARE(read->operandsOf(read->instructions[1])[0], 0U);
    QCOMPARE(read->entry, noHloIndex);
}

void TestRead::comments()
{
    // What follows a comment on the next line is no part of the value before it.
    const Result<HloModule> read =
        test::readKept(moduleOf("  %p = f32[8]{0} parameter(0)\n"
                                "  %a = f32[8]{0} reverse(%p), dimensions={0} /* all of them */\n"
                                "  %b = f32[8]{0} iota(), iota_dimension=0 // from 0\n"
                                "  ROOT %c = f32[8]{0} add(%a, %b)"));
    QCOMPARE(shown(read), QString());
    QCOMPARE(read->instructions.size(), std::size_t{ 4 });
    QCOMPARE(hloNumbers(*read, named(*read, "a"), "dimensions").value(), std::optional(std::vector<std::int64_t>{ 0 }));
    QCOMPARE(hloNumber(*read, named(*read, "b"), "iota_dimension").value(), std::optional<std::int64_t>(0));
}

void TestRead::operandsWithShapes()
{
    const Result<HloModule> read = test::readKept(
        moduleOf("  %p = f32[8]{0} parameter(0)\n  %t = (f32[8]{0}, f32[8]{0}) tuple(f32[8]{0} %p, %p)\n"
                 "  ROOT %g = f32[8]{0} get-tuple-element((f32[8]{0}, /*index=1*/f32[8]{0}) %t), index=1"));
    QCOMPARE(shown(read), QString());
    QCOMPARE(read->operandsOf(named(*read, "t")).size(), std::size_t{ 2 });
    QCOMPARE(read->operandsOf(named(*read, "g"))[0], 1U);
    QCOMPARE(hloNumber(*read, named(*read, "g"), "index").value(), std::optional<std::int64_t>(1));
}

void TestRead::shapes()
{
    const Result<HloModule> read = test::readKept(
        moduleOf("  %a = bf16[1,16,512]{2,0,1:T(8,128)(2,1)S(1)} parameter(0)\n"
                 "  %b = ((s8[4]), /*index=1*/s8[4], (pred[], u32[]{:S(8)})) custom-call(), custom_call_target=\"x\"\n"
                 "  %c = f32[<=5,?] parameter(1)\n  %d = f8e4m3fn[2]{0} parameter(2)\n  %e = token[] after-all()\n"
                 "  %f = c64[3]{0} parameter(3)\n  %g = opaque[] parameter(4)\n  %h = s4[3]{0:E(4)} parameter(5)\n"
                 "  %i = bf16[1,16,512]{2,0,1:T(8,128)(2,1)S(1)} negate(%a)\n  %j = f32[8] parameter(6)"));
    QCOMPARE(shown(read), QString());
    const HloShape& a = read->shape(named(*read, "a"));
    QVERIFY(a.dtype == DType::BF16);
    QVERIFY(a.sizes == Shape({ 1, 16, 512 }));
    QVERIFY(a.minorToMajor == (std::vector<std::int64_t>{ 2, 0, 1 }));
    QCOMPARE(a.memorySpace, 1);
    QCOMPARE(named(*read, "i").shape, named(*read, "a").shape); // each text once
    const HloShape& b = read->shape(named(*read, "b"));
    QVERIFY(b.isTuple);
    QCOMPARE(b.parts.size(), std::size_t{ 3 });
    const std::vector<std::uint32_t> leaves = leavesOf(*read, named(*read, "b").shape);
    QCOMPARE(leaves.size(), std::size_t{ 4 });
    QCOMPARE(read->shapes[leaves[3]].memorySpace, 8);
    const HloShape& c = read->shape(named(*read, "c"));
    QVERIFY(c.isDynamic);
    QVERIFY(c.sizes == Shape({ 5, dynamicSize }));
    QVERIFY(read->shape(named(*read, "d")).dtype == DType::F8E4M3FN);
    QVERIFY(read->shape(named(*read, "e")).dtype == DType::Token);
    QVERIFY(read->shape(named(*read, "f")).dtype == DType::C64);
    QVERIFY(read->shape(named(*read, "g")).dtype == DType::Other);
    QVERIFY(read->shape(named(*read, "h")).dtype == DType::I4);
    QVERIFY(read->shape(named(*read, "j")).minorToMajor.empty());
}

void TestRead::bytes()
{
    const Result<HloModule> read = test::readKept(
        moduleOf("  %a = bf16[3,5]{1,0} parameter(0)\n  %b = (f32[2], pred[7], (s32[])) parameter(1)\n"
                 "  %c = f32[1000000000,1000000000,1000000000] parameter(2)\n  %d = token[] after-all()\n  %e "
                 "= f32[0,4] parameter(3)"));
    QCOMPARE(shown(read), QString());
    const auto bytesOf = [&](std::string_view name) { return byteCount(*read, read->shape(named(*read, name))); };
    QCOMPARE(bytesOf("a"), 2 * 3 * 5);
    QCOMPARE(bytesOf("b"), 8 + 7 + 4);
    QCOMPARE(bytesOf("c"), std::numeric_limits<std::int64_t>::max());
    QCOMPARE(bytesOf("d"), 0);
    QCOMPARE(bytesOf("e"), 0);
}

void TestRead::attributes()
{
    const Result<HloModule> read = test::readKept(
        moduleOf("  %p = f32[8]{0} parameter(0)\n"
                 "  ROOT %c = f32[8]{0} custom-call(%p), custom_call_target=\"a, \\\"b\\\"\", "
                 "frontend_attributes={k=\"v\",kernel={\n"
                 "\"x\":\"{\\\"q\\\": 1}\"\n}}, dim_labels=b01f_01io->b01f, flag=true,\n"
                 "    new_attribute=<=[8]T(1,0), backend_config={\"known_trip_count\":{\"n\":\"12\"},\"y\":[1,{}]}"));
    QCOMPARE(shown(read), QString());
    const HloInstruction& c = named(*read, "c");
    QCOMPARE(c.attributeCount, std::uint16_t{ 6 });
    QCOMPARE(hloText(*read, c, "custom_call_target"), std::string("a, \"b\""));
    QCOMPARE(hloText(*read, c, "dim_labels"), std::string("b01f_01io->b01f"));
    QCOMPARE(hloText(*read, c, "new_attribute"), std::string("<=[8]T(1,0)"));
    QVERIFY(hloFlag(*read, c, "flag"));
    QVERIFY(!hloFlag(*read, c, "other"));
    QCOMPARE(
        hloFrontendAttribute(*read, read->attribute(c, "frontend_attributes"), "k"), std::optional<std::string>("v"));
    QVERIFY(hloFrontendAttribute(*read, read->attribute(c, "frontend_attributes"), "kernel").has_value());
    QVERIFY(!hloFrontendAttribute(*read, read->attribute(c, "frontend_attributes"), "j").has_value());
    QCOMPARE(knownTripCount(*read, c), std::optional<std::int64_t>(12));
    QCOMPARE(hloNumbers(*read, c, "dimensions").value(), std::optional<std::vector<std::int64_t>>());
}

void TestRead::strings()
{
    QCOMPARE(hloUnescaped("state[\\'w\\']"), std::string("state['w']"));
    QCOMPARE(hloUnescaped("a\\\"b\\\\c\\nd\\303\\251\\x41"),
        std::string("a\"b\\c\nd\xc3\xa9"
                    "A"));
    QCOMPARE(hloUnescaped("\\"), std::string("\\"));
    QCOMPARE(hloUnescaped("\\30"), std::string("30"));
}

void TestRead::tables()
{
    const std::string text =
        "HloModule m\n\nFileNames\n1 \"a/train.py\"\n2 \"b.py\"\n\nFunctionNames\n1 \"step\"\n2 \"loss\"\n\n"
        "FileLocations\n1 {file_name_id=1 function_name_id=1 line=38 end_line=39 column=3 end_column=7}\n"
        "2 {file_name_id=2 function_name_id=2 line=13 end_line=13 column=1 end_column=2}\n\n"
        "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"
        "2 {file_location_id=2 parent_frame_id=2}\n\n"
        "ENTRY %main () -> f32[] {\n"
        "  %a = f32[] constant(1), metadata={op_type=\"x\" op_name=\"f/a\" stack_frame_id=2}\n"
        "  %b = f32[] constant(1), metadata={op_name=\"f/b\" source_file=\"c.py\" source_line=7 "
        "profile_type={1}}\n"
        "  ROOT %c = f32[] constant(1)\n}\n";
    const Result<HloModule> read = readHlo(text);
    QCOMPARE(shown(read), QString());
    QCOMPARE(read->frames.size(), std::size_t{ 2 });
    QCOMPARE(read->frames[0].parent, 0U);
    QCOMPARE(read->frames[1].parent, 1U); // frames are counted from 0 where a row names its caller, plus one
    const HloMetadata a = hloMetadata(*read, named(*read, "a"));
    QCOMPARE(a.opName, std::string("f/a"));
    QCOMPARE(a.frame, 2U);
    QCOMPARE(a.place.file, std::string_view("b.py"));
    QCOMPARE(a.place.function, std::string_view("loss"));
    QCOMPARE(a.place.line, 13);
    const HloMetadata b = hloMetadata(*read, named(*read, "b"));
    QCOMPARE(b.place.file, std::string_view("c.py"));
    QCOMPARE(b.place.line, 7);
    QCOMPARE(hloMetadata(*read, named(*read, "c")).opName, std::string());
    QCOMPARE(hloPlace(*read, 9).line, 0);
}

void TestRead::calls()
{
    const std::string text =
        "HloModule m\n\n%b (p: s32[]) -> s32[] {\n  ROOT %p = s32[] parameter(0)\n}\n\n"
        "%c (p: s32[]) -> pred[] {\n  %p = s32[] parameter(0)\n  ROOT %t = pred[] constant(true)\n}\n\n"
        "ENTRY %main (x: s32[]) -> s32[] {\n  %x = s32[] parameter(0)\n"
        "  %w = s32[] while(%x), condition=%c, body=%b\n"
        "  ROOT %k = s32[] conditional(%w, %x, %x), branch_computations={%b, %b}\n}\n";
    const Result<HloModule> read = readHlo(text);
    QCOMPARE(shown(read), QString());
    const std::vector<HloCall> loop = calledBy(*read, named(*read, "w")).value();
    QCOMPARE(loop.size(), std::size_t{ 2 });
    QCOMPARE(loop[0].attribute, std::string_view("condition"));
    QCOMPARE(loop[0].computation, 1U);
    QCOMPARE(loop[1].computation, 0U);
    QCOMPARE(calledBy(*read, named(*read, "k")).value().size(), std::size_t{ 2 });
    QVERIFY(calledBy(*read, named(*read, "x")).value().empty());

    std::string wrong = text;
    wrong.replace(wrong.find("body=%b"), 7, "body=%q");
    const Result<HloModule> other = readHlo(wrong);
    QCOMPARE(shown(calledBy(*other, named(*other, "w"))), QStringLiteral("E190 14:45 what=computation name=q"));
}

void TestRead::shardings()
{
    QVERIFY(hloShardingTexts("{devices=[4]<=[4]}") == std::vector<std::string_view>{ "{devices=[4]<=[4]}" });
    QVERIFY(hloShardingTexts("{{replicated}, /*index=1*/{devices=[4]0,2,1,3}}")
        == (std::vector<std::string_view>{ "{replicated}", "{devices=[4]0,2,1,3}" }));
}

void TestRead::aliases()
{
    const Result<HloModule> read = test::readKept(moduleOf("  %p = f32[8]{0} parameter(0)",
        ", input_output_alias={ {0}: (2, {}, may-alias), {1,3}: (0, {4}, must-alias) }, "
        "entry_computation_layout={(f32[8]{0})->f32[8]{0}}"));
    QCOMPARE(shown(read), QString());
    const std::vector<HloAlias> aliases = hloAliases(*read).value();
    QCOMPARE(aliases.size(), std::size_t{ 2 });
    QVERIFY(aliases[0].result == std::vector<std::int64_t>{ 0 });
    QCOMPARE(aliases[0].argument, 2);
    QVERIFY(!aliases[0].must);
    QVERIFY((aliases[1].result == std::vector<std::int64_t>{ 1, 3 }));
    QVERIFY(aliases[1].part == std::vector<std::int64_t>{ 4 });
    QVERIFY(aliases[1].must);
    const Result<HloModule> wrong =
        test::readKept(moduleOf("  %p = f32[8]{0} parameter(0)", ", input_output_alias={{0}}"));
    QCOMPARE(shown(hloAliases(*wrong)).left(9), QStringLiteral("E120 1:37"));
}

void TestRead::endsEarly()
{
    const Result<HloModule> read = readHlo("HloModule m\n%f (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n"
                                           "  %s = ((f32[8]), f32[8], u32[]) async-start(%p), calls=%elsewhere\n");
    QCOMPARE(shown(read), QString());
    QVERIFY(read->endsEarly);
    const Result<HloModule> between =
        readHlo("HloModule m\n\n%f (x: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n}\n");
    QCOMPARE(shown(between), QString());
    QVERIFY(between->endsEarly);
    QCOMPARE(read->entry, noHloIndex);
    QCOMPARE(read->computations[0].instructionCount, 2U);
    QCOMPARE(read->computations[0].root, noHloIndex);
    QVERIFY(calledBy(*read, named(*read, "s")).value().empty());
}

void TestRead::errors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("stated");
    const auto add = [](const char* name, const std::string& text, const char* stated) {
        QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(stated);
    };
    const std::string p = "  %p = f32[8]{0} parameter(0)\n";
    add("nothing", "", "E120 1:1 expected=“HloModule” found=the end of the text");
    add("no name", "HloModule\n", "E120 2:1 expected=the name of the module");
    add("no computation", "HloModule m\n)", "E120 2:1 expected=a computation found=“)”");
    add("no body", "HloModule m\nENTRY %main (x: f32[]) -> f32[]\n", "E120 3:1 expected=“{”");
    add("no result", "HloModule m\nENTRY %main (x: f32[]) {\n}", "E120 2:24 expected=“->” found=“{”");
    add("no equals sign", moduleOf("  %p f32[8]{0} parameter(0)"), "E120 4:6 expected=“=” found=“f32”");
    add("no shape", moduleOf("  %p = parameter(0)"), "E120 4:17 expected=a shape found=“(”");
    add("shape that is open", moduleOf("  %p = f32[8 parameter(0)"),
        "E120 5:1 expected=the end of the bracket “[” of line 4, column 11 found=“}”");
    add("size", moduleOf("  %p = f32[x] parameter(0)"), "E120 4:12 expected=a whole number found=“x”");
    add("size below zero", moduleOf("  %p = f32[-1] parameter(0)"), "E120 4:12 expected=the size of a dimension");
    add("large size", moduleOf("  %p = f32[99999999999999999999] parameter(0)"), "E125 4:12 key=number");
    add("layout", moduleOf("  %p = f32[8]{1} parameter(0)"), "E120 4:15 expected=a dimension of the shape, each once");
    add("no opcode", moduleOf("  %p = f32[8]{0} (0)"), "E120 4:18 expected=an opcode found=“(”");
    add("no brackets", moduleOf("  %p = f32[8]{0} parameter"), "E120 5:1 expected=“(” found=“}”");
    add("parameter", moduleOf("  %p = f32[8]{0} parameter(x)"), "E120 4:28 expected=a whole number found=“x”");
    add("undefined", moduleOf(p + "  %q = f32[8]{0} negate(%r)"), "E190 5:26 what=value name=r");
    add("before it is defined", moduleOf("  %q = f32[8]{0} negate(%q)"), "E190 4:26 what=value name=q");
    add("twice", moduleOf(p + p), "E191 5:4 what=value name=p");
    add("computation twice", "HloModule m\na {\n x = f32[] constant(0)\n}\na {\n}\n",
        "E191 5:1 what=computation name=a");
    add("two entries", "HloModule m\nENTRY a {\n}\nENTRY b {\n}\n", "E191 4:7 what=entry name=b");
    add("two roots", moduleOf("  ROOT %p = f32[8]{0} parameter(0)\n  ROOT %q = f32[8]{0} negate(%p)"),
        "E191 5:3 what=root name=main");
    add("attribute without value", moduleOf(p + "  %q = f32[8]{0} negate(%p), k=\n  %r = f32[8]{0} negate(%p)"),
        "E120 6:3 expected=a value");
    add("bracket that is open", "HloModule m\nENTRY a {\n x = f32[] constant(0), k={1",
        "E120 3:29 expected=the end of the bracket “{” of line 3, column 27");
    add("brackets crosswise", moduleOf(p + "  %q = f32[8]{0} negate(%p), k={(}"),
        "E120 5:34 expected=the end of the bracket “(” of line 5, column 33 found=“}”");
    add("string that is open", moduleOf(p + "  %q = f32[8]{0} negate(%p), k=\"1"),
        "E120 5:32 expected=a string that is closed");
    add("value cut short", "HloModule m\nENTRY a {\n x12 = f32[] constant(0)\n y = f32[] negate(x1)",
        "E120 4:22 expected=“}” found=the end of the text");
    add("value that nobody knows", "HloModule m\nENTRY a {\n x12 = f32[] constant(0)\n y = f32[] negate(x1)\n",
        "E190 4:19 what=value name=x1");
    add("after a shortened instruction", "HloModule m\nENTRY a {\n x = f32[] add(",
        "E120 3:16 expected=the name of an operand");
    add("deep", moduleOf("  %c = f32[] custom-call(), k=" + std::string(65, '{') + std::string(65, '}')),
        "E126 4:95 what=nesting limit=64");
    add("table", "HloModule m\nFileNames\n2 \"x\"\n", "E120 3:1 expected=row 1 of the table found=“2”");
}

void TestRead::errors()
{
    QFETCH(QString, text);
    QFETCH(QString, stated);
    const std::string utf8 = text.toStdString();
    const Result<HloModule> read = readHlo(utf8);
    QVERIFY(!read);
    QCOMPARE(shown(read.error()).left(stated.size()), stated);
}

void TestRead::everyPrefix()
{
    // A shortened text is refused or read, and its places lie in the text.
    const std::string text = moduleOf("  %p = f32[8]{0:T(8)S(1)} parameter(0), sharding={devices=[4]<=[4]}\n"
                                      "  %c = f32[2]{0} constant({1, 2})\n"
                                      "  ROOT %r = (f32[8]{0}, /*index=1*/f32[2]{0}) tuple(%p, f32[2]{0} %c), "
                                      "metadata={op_name=\"a\\\"b\" stack_frame_id=1}",
        ", num_partitions=4\n\nFileNames\n1 \"a.py\"\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n");
    QCOMPARE(shown(readHlo(text)), QString());
    for (std::size_t length = 0; length < text.size(); ++length) {
        const std::string part = text.substr(0, length);
        const Result<HloModule> read = readHlo(part);
        if (!read)
            QVERIFY2(read.error().where.line >= 1 && read.error().where.column >= 1, part.c_str());
    }
}

void TestRead::manyNames()
{
    std::string statements = "  %v0 = f32[] parameter(0)\n";
    constexpr int count = 20'000;
    for (int i = 1; i < count; ++i)
        statements += "  %v" + std::to_string(i) + " = f32[] add(%v" + std::to_string(i - 1) + ", %v"
            + std::to_string(i / 2) + ")\n";
    const std::string text = moduleOf(statements);
    const Result<HloModule> read = readHlo(text);
    QCOMPARE(shown(read), QString());
    for (int i = 1; i < count; ++i) {
        const auto operands = read->operandsOf(read->instructions[static_cast<std::size_t>(i)]);
        QVERIFY(operands.size() == 2 && operands[0] == static_cast<std::uint32_t>(i - 1)
            && operands[1] == static_cast<std::uint32_t>(i / 2));
    }
    QCOMPARE(read->shapes.size(), std::size_t{ 1 });
    QCOMPARE(read->opcodes.size(), std::size_t{ 2 });
}

REGISTER_TEST(TestRead)
#include "test_read.moc"
