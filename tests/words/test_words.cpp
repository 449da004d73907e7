// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLocale>
#include <QTest>
#include <span>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "registered_test.h"
#include "words/tensor_path.h"
#include "words/words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

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
        QTest::newRow("rounded to the next unit") << 1048575.0 << QStringLiteral("1 MiB");
        QTest::newRow("not rounded to it") << 1023.4 * 1024 << QStringLiteral("1,023 KiB");
        QTest::newRow("terabytes") << 1099511627776.0 * 2 << QStringLiteral("2 TiB");
    }
    void bytes()
    {
        QFETCH(double, value);
        QLocale::setDefault(QLocale(QLocale::English));
        QTEST(words::bytes(value), "text");
    }
    /// What devices send in the mean is no number of bytes that any of them sends.
    void bytesInTheMean()
    {
        QLocale::setDefault(QLocale(QLocale::English));
        QCOMPARE(words::bytes(Rational(16, 3)), QStringLiteral("≈ 5 B"));
        QCOMPARE(words::bytes(Rational(8)), QStringLiteral("8 B"));
        QCOMPARE(words::bytes(Rational(8'192'001, 8)), QStringLiteral("1,000 KiB"));
    }

    void meanAndDeviation()
    {
        QLocale::setDefault(QLocale(QLocale::English));
        QCOMPARE(words::meanAndDeviation(12.4e-3, 0.3e-3), QStringLiteral("12.4 ms ± 0.3 ms"));
        QCOMPARE(words::meanAndDeviation(43.8e-3, 7.808e-3), QStringLiteral("43.8 ms ± 7.81 ms"));
        QCOMPARE(words::meanAndDeviation(9.42e-3, 310e-6), QStringLiteral("9.42 ms ± 0.31 ms"));
        QCOMPARE(words::meanAndDeviation(12.5, 1e-3), QStringLiteral("12.5 s ± 0 s"));
    }

    void seconds_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("microseconds") << 0.1696e-3 << QStringLiteral("170 µs");
        QTest::newRow("few milliseconds") << 3.736e-3 << QStringLiteral("3.74 ms");
        QTest::newRow("milliseconds") << 0.403 << QStringLiteral("403 ms");
        QTest::newRow("seconds") << 12.34 << QStringLiteral("12.3 s");
        QTest::newRow("rounded to milliseconds") << 0.9996e-3 << QStringLiteral("1 ms");
        QTest::newRow("not rounded to them") << 0.9994e-3 << QStringLiteral("999 µs");
        QTest::newRow("rounded to seconds") << 9.9996 << QStringLiteral("10 s");
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
        QCOMPARE(words::devices(std::span<const int>(pair)), QStringLiteral("d0, d4"));
        const std::vector<std::int32_t> many{ 0, 1, 2, 3, 7 };
        QCOMPARE(words::devices(std::span<const int>(many)), QStringLiteral("5 devices: d0, d1, …, d7"));
        const std::vector<std::int32_t> run{ 3, 4, 5, 6, 7 };
        QCOMPARE(words::devices(std::span<const int>(run)), QStringLiteral("d3 … d7"));
    }

    void names()
    {
        QCOMPARE(words::tensorName("params/layers.0/W1"), QStringLiteral("Layer 0 / W1"));
        QCOMPARE(words::tensorName("grad(params/layers.3/W2)"), QStringLiteral("Gradient of Layer 3 / W2"));
        QCOMPARE(words::tensorName("opt/mu/layers.1/W1"), QStringLiteral("mu of Layer 1 / W1"));
        QCOMPARE(words::tensorName("layers.2/y"), QStringLiteral("Layer 2 / y"));
        QCOMPARE(words::tensorName("x"), QStringLiteral("x"));
        QCOMPARE(words::tensorName("arg0"), QStringLiteral("%arg0"));
        QCOMPARE(words::tensorName("12#1"), QStringLiteral("%12#1"));
        QCOMPARE(words::tensorName("args"), QStringLiteral("args"));
        QCOMPARE(words::tensorName("arg"), QStringLiteral("arg"));
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

    void placesInWords_data()
    {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("dimension");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* pointer, const char* path, int dimension, int line, const char* words) {
            QTest::addRow("%s %s %d", pointer, path, line) << QString::fromLatin1(pointer) << QString::fromLatin1(path)
                                                           << dimension << line << QString::fromUtf8(words);
        };
        row("", "", -1, 0, "");
        row("/rules/list/1", "", -1, 0, "rule 2, hidden");
        row("/rules/list/1/0", "", -1, 0, "rule 2, hidden, entry 1");
        row("/rules/list/7", "", -1, 0, "rule 8");
        row("/rules/list", "", -1, 0, "rules");
        row("/rules/list/0", "layers.0/y", 1, 0, "rule 1, batch; layers.0/y, dimension 1");
        row("/mesh/axes/1", "", -1, 0, "mesh axis model");
        row("/mesh/axes/1/1", "", -1, 0, "mesh axis model, entry 2");
        row("/mesh/axes/4", "", -1, 0, "mesh axis number 5");
        row("/mesh/axes", "", -1, 0, "mesh axes");
        row("/mesh/device_order", "", -1, 0, "mesh, device order");
        row("/model/dims/batch", "params/layers.0/kernel", 1, 0, "params/layers.0/kernel, dimension 1");
        row("/model/dims/batch", "", -1, 0, "size of batch");
        row("/model/arrays/2/shape/1", "", -1, 0, "array number 3, dimension 1");
        row("/hardware/memory_per_device", "", -1, 0, "hardware, memory per device");
        row("/odd~1key/a~0b", "", -1, 0, "odd/key, a~b");
        row("/", "", -1, 0, "“”");
        row("/rules/lsit", "", -1, 7, "line 7, column 3; rules, lsit");
        row("", "x", -1, 0, "x");
        row("", "%2", 1, 0, "%2, dimension 1"); // a name that looks like a place for text
    }
    void placesInWords()
    {
        QFETCH(QString, pointer);
        QFETCH(QString, path);
        QFETCH(int, dimension);
        QFETCH(int, line);
        Experiment experiment;
        for (const Example& candidate : builtinExamples())
            if (candidate.id == "flax-mlp-logical")
                experiment = candidate.make();
        Diagnostic diagnostic{ Code::UnknownKey, {}, {} };
        diagnostic.where = { "a.json", line, line > 0 ? 3 : 0, pointer.toStdString(), path.toStdString(), dimension };
        QTEST(words::place(diagnostic, &experiment), "words");
        // Without the experiment nothing is named that might be another's.
        QVERIFY(!words::describe(diagnostic).where.contains(QStringLiteral("hidden")));
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
            QStringLiteral("Applied: batch is sharded along X\n"
                           "Skipped: X already shards batch (rule 1)\n"
                           "Applied: heads is sharded along Y\n"
                           "Skipped: batch already has X (rule 1)"));
    }

    /// Dimensions without a name, and rules for them, in both versions.
    void verdictsWithoutNames_data()
    {
        QTest::addColumn<int>("version");
        QTest::addColumn<QString>("names");
        QTest::addColumn<QString>("reasons");
        const int old = static_cast<int>(FlaxVersion::Year2024);
        const int current = static_cast<int>(FlaxVersion::Current);
        QTest::newRow("2024, unnamed") << old << QStringLiteral("None,b")
                                       << QStringLiteral("dimension 0 is sharded along x|no dimension is called b2|"
                                                         "dimension 0 already has x (rule 1)|"
                                                         "x already shards dimension 0 (rule 1); lost with it: w|"
                                                         "b stays replicated|rule 5 already keeps b replicated");
        QTest::newRow("current, unnamed")
            << current << QStringLiteral("None,b")
            << QStringLiteral("dimension 0 has no name, and this version leaves it alone|no dimension is called b2|"
                              "dimension 0 has no name, and this version leaves it alone|b is sharded along x and w|"
                              "b already has x and w (rule 4)|b already has x and w (rule 4)");
        QTest::newRow("2024, unconstrained")
            << old << QStringLiteral("U,b")
            << QStringLiteral(
                   "no dimension is called |no dimension is called b2|no dimension is called |"
                   "b is sharded along x and w|b already has x and w (rule 4)|b already has x and w (rule 4)");
        QTest::newRow("current, unconstrained")
            << current << QStringLiteral("U,b")
            << QStringLiteral(
                   "no dimension is called |no dimension is called b2|no dimension is called |"
                   "b is sharded along x and w|b already has x and w (rule 4)|b already has x and w (rule 4)");
    }
    void verdictsWithoutNames()
    {
        QFETCH(int, version);
        QFETCH(QString, names);
        LogicalRules rules;
        rules.list = { { LogicalName::none(), SpecEntry::axis("x"), false, 2 },
            { LogicalName::of("b2"), SpecEntry::axis("y"), false, 2 },
            { LogicalName::none(), SpecEntry::axis("z"), false, 2 },
            { LogicalName::of("b"), SpecEntry::tuple({ "x", "w" }), false, 2 },
            { LogicalName::of("b"), SpecEntry::none(), false, 2 },
            { LogicalName::of("b"), SpecEntry::axis("y"), false, 2 } };
        QTEST(reasons(rules, names, static_cast<FlaxVersion>(version)), "reasons");
    }

    void unconstrainedIsLeftToPropagation()
    {
        LogicalRules rules;
        rules.list = { { LogicalName::of("b"), SpecEntry::unconstrained(), false, 2 },
            { LogicalName::of("b"), SpecEntry::axis("data"), false, 2 },
            { LogicalName::of("c"), SpecEntry::unconstrained(), false, 2 },
            { LogicalName::unconstrained(), SpecEntry::axis("data"), false, 2 } };
        QCOMPARE(reasons(rules, QStringLiteral("b,c,U"), FlaxVersion::Year2024),
            QStringLiteral("b is left to propagation|b is left to propagation already (rule 1)|"
                           "b is left to propagation already (rule 1), and only one dimension can be|"
                           "dimension 2 is sharded along data"));
        QCOMPARE(reasons(rules, QStringLiteral("b,c,U"), FlaxVersion::Current),
            QStringLiteral("b is left to propagation|b is left to propagation already (rule 1)|"
                           "c is left to propagation|dimension 2 is left to propagation before any rule is read"));
    }

    /// What would help depends on how many devices are together, and on whether the axis has a better place.
    void slowLinkRemedies()
    {
        const auto remedy = [](std::int64_t size, std::int64_t together, bool hasPlace, bool slices = false) {
            Diagnostic slow{ Code::SlowLinkCollective,
                { { "axis", "data" }, { "collectives", std::int64_t{ 1 } }, { "bytes", std::int64_t{ 8 } },
                    { "of", std::int64_t{ 8 } }, { "size", size }, { "together", together } },
                {} };
            if (hasPlace)
                slow.args.push_back({ "place", std::int64_t{ 1 } });
            if (slices)
                slow.args.push_back({ "slices", std::int64_t{ 2 } });
            return words::describe(slow).remedy;
        };
        QCOMPARE(remedy(4, 4, true), QStringLiteral("As axis 2 of the mesh less goes between hosts."));
        QCOMPARE(remedy(8, 4, false),
            QStringLiteral("Hosts have 4 devices each: an axis that is no larger, and the last one, stays inside."));
        QCOMPARE(remedy(8, 1, false), QStringLiteral("Every axis goes between hosts, which have one device each."));
        QCOMPARE(remedy(4, 4, false),
            QStringLiteral("No other order of the axes sends less between hosts; other sizes of them may."));
        QCOMPARE(remedy(4, 4, true, true), QStringLiteral("As axis 2 of the mesh less goes between slices."));
    }

    void tensorPaths_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("layers");
        QTest::addColumn<int>("layer");
        QTest::addColumn<QString>("leaf");
        QTest::newRow("parameter") << u"params/layers.3/W1"_s << u"layers"_s << 3 << u"W1"_s;
        QTest::newRow("gradient") << u"grad(params/layers.0/W2)"_s << u"layers"_s << 0 << u"W2"_s;
        QTest::newRow("new moment") << u"next(opt/mu/layers.12/W2)"_s << u"layers"_s << 12 << u"W2"_s;
        QTest::newRow("array of another optimizer") << u"opt/v_row/layers.1/W1"_s << u"layers"_s << 1 << u"W1"_s;
        QTest::newRow("input") << u"x"_s << QString() << -1 << u"x"_s;
        QTest::newRow("count") << u"opt/count"_s << QString() << -1 << u"count"_s;
        QTest::newRow("nested") << u"params/encoder/blocks.2/attention/q"_s << u"encoder/blocks"_s << 2
                                << u"attention/q"_s;
        QTest::newRow("dot without number") << u"params/a.b/c"_s << QString() << -1 << u"a.b/c"_s;
        QTest::newRow("nothing") << QString() << QString() << -1 << QString();
    }
    void tensorPaths()
    {
        QFETCH(QString, path);
        const words::TensorPath parts = words::parseTensorPath(path.toStdString());
        QTEST(parts.layers, "layers");
        QTEST(static_cast<int>(parts.layer), "layer");
        QTEST(parts.leaf, "leaf");
    }

private:
    static QString reasons(const LogicalRules& rules, const QString& names, FlaxVersion version)
    {
        LogicalNames list;
        for (const QString& name : names.split(QLatin1Char(',')))
            list.push_back(name == QLatin1String("None") ? LogicalName::none()
                    : name == QLatin1String("U")         ? LogicalName::unconstrained()
                                                         : LogicalName::of(name.toStdString()));
        const Result<Resolution> resolution = resolve(list, rules, version);
        if (!resolution)
            return QStringLiteral("error");
        QStringList all;
        for (const RuleTrace& trace : resolution->rules)
            all << words::plain(words::verdictReason(trace, rules, list));
        return all.join(QLatin1Char('|'));
    }
};

REGISTER_TEST(TestWords)
#include "test_words.moc"
