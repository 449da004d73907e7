// SPDX-License-Identifier: GPL-3.0-or-later
// resolve: dialects, meshes, hosts and tables of arrays.
#include <QTest>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

const QString simpleRules = QStringLiteral("[('batch', 'data'), ('embed', ('fsdp', 'tensor')), ('mlp', 'tensor')]");

QStringList resolveArguments(const char* text)
{
    return QString::fromUtf8(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

Ran resolve(const QString& rules, const char* more)
{
    return runProgram(
        QStringList{ QStringLiteral("resolve"), QStringLiteral("--rules"), rules } + resolveArguments(more));
}

QString lineOf(const QString& text, const char* part)
{
    for (const QString& line : text.split(QLatin1Char('\n')))
        if (line.contains(QString::fromUtf8(part)))
            return line;
    return {};
}

std::vector<std::string> codes(const nlohmann::json& json)
{
    std::vector<std::string> list;
    for (const auto& problem : json.at("problems"))
        list.push_back(problem.at("code"));
    std::sort(list.begin(), list.end());
    return list;
}

} // namespace

class ResolveTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString file(const char* name, const QByteArray& bytes)
    {
        return writeFile(m_folder, QString::fromUtf8(name), bytes);
    }

private Q_SLOTS:
    /// The gate of a constraint: a mesh, and on CPU the current Flax.
    void meshOfAConstraint()
    {
        const auto constraint = [](const char* more) {
            const Ran ran = resolve(simpleRules, (QByteArray("--names batch,embed ") + more).constData());
            return ran.code == 0 ? ran.out.section(QLatin1Char('\n'), 1, 1) : ran.error;
        };
        for (const char* counts : { "", "--constraint-mesh context", "--constraint-mesh own", "--platform cpu",
                 "--platform gpu --flax-version 2024", "--constraint-mesh own --platform tpu --flax-version 2024" })
            QVERIFY2(constraint(counts).contains(QLatin1String("constrains the value to")), counts);
        for (const char* alone : { "--constraint-mesh none", "--constraint-mesh none --platform tpu",
                 "--constraint-mesh own --platform cpu --flax-version 2024" })
            QVERIFY2(constraint(alone).contains(QLatin1String("the value alone"))
                    || constraint(alone).contains(QLatin1String("the value is left alone")),
                alone);
        QCOMPARE(resolve(simpleRules, "--names batch --dialect penzai --constraint-mesh none").code, 2);
        QCOMPARE(resolve(simpleRules, "--names batch --constraint-mesh global").code, 2);
    }

    void dialects_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("first");
        QTest::addColumn<int>("code");
        QTest::addColumn<bool>("warns");
        const auto row = [](const char* name, const char* options, const char* first, int code, bool warns = false) {
            QTest::newRow(name) << options << first << code << warns;
        };
        row("Flax keeps axes of size 1", "--names embed,batch --mesh data=2,fsdp=1,tensor=2",
            "PartitionSpec(('fsdp', 'tensor'), 'data')", 0);
        row("MaxText does not", "--dialect maxtext --names embed,batch --mesh data=2,fsdp=1,tensor=2",
            "PartitionSpec(('tensor',), 'data')", 0);
        row("Flax refuses what does not divide", "--names batch --mesh data=2,fsdp=1,tensor=2 --shape 7",
            "PartitionSpec('data',)", 1);
        row("MaxText leaves it replicated", "--dialect maxtext --names batch --mesh data=2,fsdp=1,tensor=2 --shape 7",
            "PartitionSpec(None,)", 0, true);
        row("T5X", "--dialect t5x --names batch,mlp --mesh data=2,fsdp=1,tensor=2", "PartitionSpec('data', 'tensor')",
            0);
        row("T5X with slices", "--dialect t5x --hybrid --names batch,mlp",
            "PartitionSpec(('replica', 'data'), 'tensor')", 0);
        row("MaxText's state keeps axes of size 1",
            "--dialect maxtext-state --names embed,batch --mesh data=2,fsdp=1,tensor=2",
            "PartitionSpec(('fsdp', 'tensor'), 'data')", 0);
        row("without a mesh", "--dialect maxtext --names embed,mlp", "PartitionSpec(('fsdp', 'tensor'), None)", 0);
        row("an axis that the mesh lacks", "--dialect maxtext --names embed --mesh fsdp=2", "PartitionSpec(('fsdp',),)",
            0, true);
    }
    void dialects()
    {
        QFETCH(QString, options);
        QFETCH(QString, first);
        QFETCH(int, code);
        QFETCH(bool, warns);
        const Ran ran = resolve(simpleRules, options.toUtf8());
        QCOMPARE(ran.code, code);
        QCOMPARE(ran.out.section(QLatin1Char('\n'), 0, 0), first);
        QCOMPARE(ran.error.isEmpty(), code == 0 && !warns);
        const auto json = resolve(simpleRules, (QStringLiteral("--json ") + options).toUtf8()).json();
        QCOMPARE(QString::fromStdString(json.at("spec")), first);
        QCOMPARE(json.at("problems").empty(), code == 0 && !warns);
    }

    /// T5X' partitioner: the axes of the batch, its rewriting of the rules, and errors that name the parameter.
    void partitioner()
    {
        const char* rules = "[('batch','data'),('embed',None),('mlp','model')]";
        const QString table = file("params.csv", "path,shape,dtype,names\nwo/kernel,8x16,f32,\"embed,mlp\"\n");
        const QString twice = file("twice.csv", "path,shape,dtype,names\nencoder/twice,8x8,f32,\"mlp,mlp\"\n");
        Ran ran = resolve(rules, ("--dialect t5x --mesh data=2,model=4 --table " + table).toUtf8());
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.out.contains(QStringLiteral("splits the batch along data, into 2 parts.")), qPrintable(ran.out));
        ran = resolve(rules, ("--dialect t5x --mesh data=2,model=4 --table " + twice).toUtf8());
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.error.contains(QStringLiteral("2:24: E186: T5X cannot map the logical axes of encoder/twice: the "
                                                   "logical name “mlp” stands on two dimensions of one array")),
            qPrintable(ran.error));
        // Read as Flax reads them, the error is Flax' own.
        ran = resolve(rules, ("--mesh data=2,model=4 --table " + twice).toUtf8());
        QVERIFY2(ran.error.contains(QStringLiteral("E103: the logical name “mlp” stands on two dimensions of encoder")),
            qPrintable(ran.error));
        ran = resolve(rules, ("--mesh data=2,model=4 --table " + table).toUtf8());
        QVERIFY2(!ran.out.contains(QStringLiteral("T5X")), qPrintable(ran.out));

        // Both shapes: batch goes over replica and data, on a mesh of their product.
        ran = resolve(rules, "--dialect t5x --names batch,mlp --ici-shape 1,4,2 --dcn-shape 2,1,1 --shape 16,8");
        QCOMPARE(ran.code, 0);
        QVERIFY2(
            ran.out.startsWith(QStringLiteral("PartitionSpec(('replica', 'data'), 'model')\n")), qPrintable(ran.out));
        QVERIFY(ran.out.contains(QStringLiteral("along replica and data, into 8 parts.")));
        const auto json =
            resolve(rules, "--json --dialect t5x --names batch --ici-shape 1,4,2 --dcn-shape 2,1,1").json();
        QVERIFY(json.at("partitioner").at("data_axes") == nlohmann::json::array({ "replica", "data" }));
        QVERIFY(json.at("partitioner").at("data_parts") == 8);
        QVERIFY(json.at("partitioner").at("data_partition_spec") == "PartitionSpec(('replica', 'data'),)");
        // One of the two alone changes no rule.
        ran = resolve(rules, "--dialect t5x --names batch --mesh data=2,model=4 --ici-shape 1,2,4");
        QVERIFY2(ran.out.startsWith(QStringLiteral("PartitionSpec('data',)\n")), qPrintable(ran.out));

        // What T5X only writes to its log is a warning.
        ran = resolve(rules, "--dialect t5x --names batch --partitions 2 --submesh 2,2,1");
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.error.contains(QStringLiteral("W214")) && ran.error.contains(QStringLiteral("W215")),
            qPrintable(ran.error));

        // The mesh that is given counts; what contradicts it is a warning.
        for (const auto& [options, stated] : std::initializer_list<std::pair<const char*, const char*>>{
                 { "--partitions 4", "W219: --partitions asks for 4 along model, the mesh has 2; the mesh counts" },
                 { "--partitions 3", "W219: --partitions asks for 3 along model, and the mesh's 8 devices do not" },
                 { "--submesh 4,2,1,1", "W219: --submesh asks for 8 along model, the mesh has 2" },
                 { "--ici-shape 1,4,2 --dcn-shape 2,1,1",
                     "W219: --ici-shape with --dcn-shape asks for 2 along replica, an axis that the mesh lacks" } }) {
            ran = resolve(
                rules, (QByteArray("--dialect t5x --names batch --mesh data=4,model=2 ") + options).constData());
            QCOMPARE(ran.code, 0);
            QVERIFY2(ran.error.contains(QString::fromUtf8(stated)), qPrintable(ran.error));
        }
        for (const char* right : { "--partitions 2", "--submesh 2,1,1,1", "--ici-shape 1,4,2 --dcn-shape 1,1,1" }) {
            ran =
                resolve(rules, (QByteArray("--dialect t5x --names batch --mesh data=4,model=2 ") + right).constData());
            QVERIFY2(!ran.error.contains(QStringLiteral("W219")), qPrintable(ran.error));
        }
        for (const char* sizes : { "0,0,0,0", "99999999999,99999999999,1,1", "1024,1024,1024,1024" })
            QCOMPARE(
                resolve(rules,
                    (QByteArray("--dialect t5x --names batch --mesh data=4,model=2 --submesh ") + sizes).constData())
                    .code,
                2);
        // A name that no rule has, and one that is near.
        ran = resolve(QStringLiteral("[('batch', 'data'), ('mlp', 'model')]"), "--names batch,mpl");
        QVERIFY2(ran.code == 0 && ran.out.contains(QStringLiteral("no rule names “mpl”; did you mean “mlp”?")),
            qPrintable(ran.out));
        ran = resolve(QStringLiteral("[('batch', 'data'), ('mlp', 'model')]"), "--names foo,batch,None,zzzz");
        QVERIFY2(ran.code == 0 && ran.out.contains(QStringLiteral("no rule names “foo”, “zzzz”: nothing shards them")),
            qPrintable(ran.out));
        ran = resolve(QStringLiteral("[('batch', 'data')]"), "--names foo,batch --own-rules (('foo','model'),)");
        QVERIFY2(!ran.out.contains(QStringLiteral("no rule names")), qPrintable(ran.out));
        // A size that does not divide is said with its name.
        ran = resolve(rules, "--names batch --shape 7 --mesh data=2,model=2");
        ran.error += ran.out;
        QVERIFY2(ran.error.contains(QStringLiteral("E101")) && ran.error.contains(QStringLiteral("batch has size 7"))
                && ran.error.contains(QStringLiteral("along data")),
            qPrintable(ran.error));
        for (const char* wrong : { "--names batch --partitions 2", "--dialect t5x --names batch --ici-shape 1,2",
                 "--dialect t5x --names batch --ici-shape 1,2,0 --dcn-shape 1,1,1",
                 "--dialect t5x --names batch --ici-shape 1,2,1099511627776 --dcn-shape 1,1,1099511627776",
                 "--dialect t5x --names batch --submesh x", "--dialect t5x --names batch --partitions 0",
                 "--dialect penzai --names batch --partitions 2" }) {
            ran = resolve(rules, wrong);
            QCOMPARE(ran.code, 2);
            QVERIFY2(!ran.error.isEmpty() && ran.out.isEmpty(), wrong);
        }
    }

    void whatMaxTextDrops()
    {
        const Ran ran = resolve(
            simpleRules, "--dialect maxtext --names embed,batch,mlp --mesh data=2,fsdp=4,tensor=1 --shape 6,4,8");
        QCOMPARE(ran.code, 0); // W201 is a warning
        QVERIFY(ran.out.startsWith(QStringLiteral("PartitionSpec(None, 'data', None)\n")));
        QVERIFY(ran.out.contains(QStringLiteral("left out of embed: tensor, of size 1\n")));
        QVERIFY(ran.out.contains(QStringLiteral("left out of embed: fsdp, since 6 does not divide by 4\n")));
        QVERIFY(ran.error.contains(QStringLiteral("W201")));
        const auto json = resolve(
            simpleRules, "--json --dialect maxtext --names embed,batch,mlp --mesh data=2,fsdp=4,tensor=1 --shape 6,4,8")
                              .json();
        QCOMPARE(json.at("dropped").size(), 2U);
        QVERIFY(json.at("dropped").at(1).at("reason") == "indivisible");
        QCOMPARE(codes(json), std::vector<std::string>{ "W201" });
    }

    void publishedRules()
    {
        const Ran list = runProgram({ QStringLiteral("rules") });
        QCOMPARE(list.code, 0);
        QVERIFY(list.out.contains(QStringLiteral("maxtext-base-2026-08")));
        QCOMPARE(list.out.count(QLatin1Char('\n')), 39);
        QCOMPARE(runProgram(resolveArguments("rules --json")).json().at("rule_sets").size(), 38U);
        // What is printed can be read.
        const Ran printed = runProgram(resolveArguments("rules t5x-a1p2"));
        QCOMPARE(printed.code, 0);
        for (const QString& rules : { QStringLiteral("t5x-a1p2"), file("rules.py", printed.out.toUtf8()) }) {
            const Ran ran = resolve(rules, "--names embed,mlp");
            QCOMPARE(ran.code, 0);
            QVERIFY(ran.out.startsWith(QStringLiteral("PartitionSpec('data', 'model')\n")));
        }
        QVERIFY(runProgram(resolveArguments("rules flax-lm1b --json")).json().at("rule_set").at("pairs").size() == 4);
        for (const char* wrong : { "rules t5x-a1p3", "resolve --rules t5x-a1p3 --names a" }) {
            const Ran ran = runProgram(resolveArguments(wrong));
            QCOMPARE(ran.code, 2);
            QVERIFY2(ran.error.contains(QStringLiteral("E124")) && ran.error.contains(QStringLiteral("t5x-a1p")),
                qPrintable(ran.error));
        }
    }

    void additionalRules()
    {
        const auto first = [](const char* more) {
            return resolve(QStringLiteral("t5x-a1p1"), more).out.section(QLatin1Char('\n'), 0, 0);
        };
        QCOMPARE(first("--names embed,mine --additional-rules [('embed','data'),('mine','data')]"),
            QStringLiteral("PartitionSpec(None, 'data')"));
        const Ran wrong = resolve(QStringLiteral("t5x-a1p1"), "--names a --additional-rules [('embed','data'");
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.error.startsWith(QStringLiteral("--additional-rules:1:")), qPrintable(wrong.error));
    }

    void maxTextConfiguration()
    {
        const QString path = file("base.yml",
            "run_name: ''\nmesh_axes: ['data', 'fsdp', 'tensor']\n"
            "logical_axis_rules: [['batch', ['data', 'fsdp']], ['embed', 'fsdp']]\n"
            "dcn_data_parallelism: -1\nici_fsdp_parallelism: -1\n");
        const Ran ran = resolve(path, "--names batch,embed --devices 8 --slices 2");
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.startsWith(QStringLiteral("PartitionSpec(('data', 'fsdp'), None)\n")));
        // One slice: data has size 1, and MaxText leaves it out.
        const Ran one = resolve(path, "--names batch,embed --devices 8");
        QVERIFY(one.out.startsWith(QStringLiteral("PartitionSpec(('fsdp',), None)\n")));
        const Ran open = resolve(path, "--names batch");
        QCOMPARE(open.code, 2);
        QVERIFY2(
            open.error.contains(QStringLiteral("E187")) && open.error.contains(QStringLiteral("ici_fsdp_parallelism")),
            qPrintable(open.error));
        const Ran wrong = resolve(file("bad.yml", "mesh_axes: ['x']\nlogical_axis_rules: [['a']]\n"), "--names a");
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.error.contains(QStringLiteral("bad.yml:2:22: E109")), qPrintable(wrong.error));
    }

    /// Rules of a variable: Linen's box hands them to its constraint, NNX joins them with those of the context.
    void rulesOfAVariable()
    {
        const QString context = QStringLiteral("[('embed','data')]");
        const auto lines = [&](const char* more) {
            const Ran ran = resolve(context, (QByteArray("--names embed,mlp ") + more).constData());
            return ran.code == 0 ? ran.out.split(QLatin1Char('\n')) : QStringList{ ran.error, QString() };
        };
        const char* own = "--own-rules [('mlp','model')]";
        QCOMPARE(lines(own).at(0), QStringLiteral("PartitionSpec('data', 'model')"));
        const QByteArray linen = QByteArray(own) + " --own-as linen";
        QCOMPARE(lines(linen.constData()).at(0), QStringLiteral("PartitionSpec('data', None)"));
        QCOMPARE(lines(linen.constData()).at(1),
            QStringLiteral("unbox(apply_constraint=True): constrains the value to PartitionSpec(None, 'model'), by the "
                           "rules of the variable alone"));
        const QString alone = QStringLiteral("unbox(apply_constraint=False): the value is left alone");
        QCOMPARE(lines((linen + " --unbox value").constData()).at(1), alone);
        QCOMPARE(lines("--unbox value").at(1), alone);
        QCOMPARE(lines("--unbox constraint").at(1),
            QStringLiteral("unbox(apply_constraint=True): constrains the value to PartitionSpec('data', None)"));
        QVERIFY(lines("--unbox constraint --constraint-mesh none")
                    .at(1)
                    .endsWith(QLatin1String("no mesh is set where the model is traced: the value is left alone")));
        for (const char* wrong : { "--own-as linen", "--dialect penzai --unbox value" })
            QCOMPARE(resolve(context, (QByteArray("--names embed,mlp ") + wrong).constData()).code, 2);
        QCOMPARE(resolve(context, (QByteArray("--names embed,mlp --unbox value ") + own).constData()).code, 2);
    }

    /// A vmap in a scan: each adds its dimension to the names that it finds, and takes it away again inside.
    void dimensionsOfTransforms()
    {
        const auto lines = [&](const char* more) {
            const Ran ran = resolve(QStringLiteral("[('hidden','model'),('layers','data')]"),
                (QByteArray("--names embed,hidden ") + more).constData());
            return ran.code == 0 ? ran.out.split(QLatin1Char('\n')) : QStringList{ ran.error, QString(), QString() };
        };
        QCOMPARE(lines("--add-axis 0=layers").at(0),
            QStringLiteral("add_axis(0, 'layers'): ('embed', 'hidden') → ('layers', 'embed', 'hidden'); inside, "
                           "remove_axis(0, 'layers'): ('layers', 'embed', 'hidden') → ('embed', 'hidden')"));
        QCOMPARE(lines("--add-axis 0=layers").at(1), QStringLiteral("PartitionSpec('data', None, 'model')"));
        QCOMPARE(lines("--add-axis 0=None").at(1), QStringLiteral("PartitionSpec(None, None, 'model')"));
        QCOMPARE(lines("--add-axis 2=members --add-axis 1=layers").at(2),
            QStringLiteral("PartitionSpec(None, 'data', 'model', None)"));
        QVERIFY(
            lines("--add-axis 4=layers").at(0).contains(QLatin1String("('embed', 'hidden', None, None, 'layers')")));
        const Ran json = resolve(QStringLiteral("[]"), "--names embed --add-axis 0=a --add-axis 0=None --json");
        QCOMPARE(json.code, 0);
        QVERIFY(json.json().at("added_axes")
            == nlohmann::json::parse(R"([{"position": 0, "names": ["a", "embed"], "partition_name": "a"},
                {"position": 0, "names": [null, "a", "embed"]}])"));
        for (const char* wrong :
            { "--add-axis layers", "--add-axis x=layers", "--add-axis 0=", "--add-axis 16=a", "--add-axis 0=embed" })
            QVERIFY2(!lines(wrong).at(0).startsWith(QLatin1String("add_axis")), wrong);
    }

    /// Without a mapping the mesh has the names of the arrays.
    void mappingOfTheMesh()
    {
        const auto penzai = [](const char* more) {
            return runProgram(QStringList{ QStringLiteral("resolve") } + resolveArguments(more));
        };
        const Ran ran = penzai("--dialect penzai --mesh b=4,a=2 --names a,b,c --shape 4,8,6");
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.out.section(QLatin1Char('\n'), 0, 0), QStringLiteral("PartitionSpec('a', 'b', None)"));
        const Ran json = penzai("--dialect penzai --mesh b=4,a=2 --names b,d --json");
        QCOMPARE(json.code, 0);
        QVERIFY(json.json().at("spec") == "PartitionSpec('b', None)");
        // 6 does not divide by 4.
        QCOMPARE(penzai("--dialect penzai --mesh b=4,a=2 --names b --shape 6").code, 1);
        for (const char* incomplete : { "--names a,b", "--dialect penzai --names a,b", "--mesh a=2 --names a,b",
                 "--dialect t5x --mesh a=2 --names a" })
            QCOMPARE(penzai(incomplete).code, 2);
    }

    /// Penzai's mapping has no order: a mesh axis twice, an unknown one or two answers for a name are errors.
    void mappings()
    {
        const QString rules = QStringLiteral("[('a','bar'),('b','foo'),('c','foo')]");
        const auto line = [&](const char* more) {
            const Ran ran = resolve(rules, (QByteArray("--dialect penzai --mesh foo=4,bar=2 ") + more).constData());
            return QStringLiteral("%1 %2%3").arg(ran.code).arg(ran.out.section(QLatin1Char('\n'), 0, 0), ran.error);
        };
        QCOMPARE(line("--names a,b,d"), QStringLiteral("0 PartitionSpec('bar', 'foo', None)"));
        QVERIFY2(line("--names b,c").contains(QStringLiteral("E106")), qPrintable(line("--names b,c")));
        QVERIFY2(line("--names None").contains(QStringLiteral("E418")), qPrintable(line("--names None")));
        // The spec lists the named dimensions alone.
        QCOMPARE(line("--names None,a"), QStringLiteral("0 PartitionSpec('bar', None)"));
        QCOMPARE(line("--names a,None"), QStringLiteral("0 PartitionSpec('bar', None)"));
        const Ran unknown = resolve(rules, "--dialect penzai --mesh bar=2 --names a,b");
        QVERIFY2(unknown.code == 1 && unknown.error.contains(QStringLiteral("E104")), qPrintable(unknown.error));
        const Ran twice = resolve(QStringLiteral("[('a','bar'),('a','foo')]"), "--dialect penzai --names a");
        QVERIFY2(twice.code == 2 && twice.error.contains(QStringLiteral("E112")), qPrintable(twice.error));
        // A dict is what Penzai takes, and what Flax refuses.
        const QString dict = QStringLiteral("{'a': 'bar', 'b': ('foo', 'baz')}");
        QCOMPARE(resolve(dict, "--dialect penzai --names b,a").out.section(QLatin1Char('\n'), 0, 0),
            QStringLiteral("PartitionSpec(('foo', 'baz'), 'bar')"));
        QVERIFY(resolve(dict, "--names a").error.contains(QStringLiteral("a mapping, which has no order")));
        // An experiment says so itself; of it, Flax reads the pairs as a list.
        const Ran own = resolve(QStringLiteral("penzai-name-to-name"), "--names b,a --json");
        QVERIFY(own.json().at("dialect") == "penzai");
        QCOMPARE(resolve(QStringLiteral("penzai-name-to-name"), "--names b,a --dialect flax").code, 0);
        // A table: the array that conflicts is named.
        const QString table = file("mapping.csv", "path,shape,names\nright,8,a\nwrong,8x8,\"b,c\"\n");
        const Ran rows = runProgram({ QStringLiteral("resolve"), QStringLiteral("--rules"), rules,
            QStringLiteral("--dialect"), QStringLiteral("penzai"), QStringLiteral("--mesh"),
            QStringLiteral("foo=4,bar=2"), QStringLiteral("--table"), table });
        QCOMPARE(rows.code, 1);
        QVERIFY2(rows.error.contains(QStringLiteral("wrong uses the mesh axis")), qPrintable(rows.error));
        QVERIFY2(rows.out.contains(QStringLiteral("1 array cannot be laid out")), qPrintable(rows.out));
    }

    /// The rules of an inner context replace the outer ones; those of a variable are joined with the context's.
    void contexts()
    {
        const QString outer = QStringLiteral("[('a','x'),('b','y')]");
        QCOMPARE(resolve(outer, "--inner-rules [('b','z')] --names a,b").out.section(QLatin1Char('\n'), 0, 0),
            QStringLiteral("PartitionSpec(None, 'z')"));
        QCOMPARE(resolve(outer, "--own-rules [('c','z')] --names a,c,d").out.section(QLatin1Char('\n'), 0, 0),
            QStringLiteral("PartitionSpec('x', 'z', 'd')"));
        const Ran conflict = resolve(outer, "--own-rules [('b','z')] --names a,b");
        QVERIFY2(conflict.code == 2 && conflict.error.contains(QStringLiteral("E112")), qPrintable(conflict.error));
        QCOMPARE(resolve(outer, "--own-rules [('c','z')] --names a --trace").code, 2);
    }

    /// An experiment's rules of parts: --within says where the array lies, in a table every path does.
    void parts()
    {
        const QString lab = QStringLiteral("rule-lab-parts");
        const auto first = [&](const char* more) { return resolve(lab, more).out.section(QLatin1Char('\n'), 0, 0); };
        QCOMPARE(first("--names embed,mlp"), QStringLiteral("PartitionSpec(None, 'model')"));
        QCOMPARE(first("--names embed,mlp --within encoder/x"), QStringLiteral("PartitionSpec(None, 'model')"));
        QCOMPARE(first("--names embed,mlp --within decoder"), QStringLiteral("PartitionSpec('data', 'model')"));
        QCOMPARE(first("--names embed,mlp --within decoder/layer_1/wi"),
            QStringLiteral("PartitionSpec(None, ('data', 'model'))"));
        QCOMPARE(
            first("--names embed,mlp --within decoder/layer_10"), QStringLiteral("PartitionSpec('data', 'model')"));
        QVERIFY(resolve(lab, "--names mlp --within decoder/x")
                    .out.contains(QStringLiteral("by the rules within decoder, which replace those outside")));
        QVERIFY(resolve(lab, "--names mlp --within decoder/x --json").json().at("within") == "decoder");
        QCOMPARE(resolve(lab, "--names mlp --within decoder --inner-rules [('mlp','data')]").code, 2);
        QCOMPARE(resolve(simpleRules, "--names mlp --within decoder").code, 2);

        const QString table = file("parts.csv",
            "path,shape,names\nencoder/w,16x16,\"embed,mlp\"\n"
            "decoder/w,16x16,\"embed,mlp\"\ndecoder/layer_1/w,16x16,\"embed,mlp\"\n");
        const Ran rows = resolve(lab, ("--table " + table.toUtf8() + " --trace").constData());
        QVERIFY2(rows.code == 0, qPrintable(rows.error));
        QVERIFY(lineOf(rows.out, "encoder/w  ").contains(QStringLiteral("P(-, model)")));
        QVERIFY(lineOf(rows.out, "decoder/w  ").contains(QStringLiteral("P(data, model)")));
        QVERIFY(lineOf(rows.out, "decoder/layer_1/w  ").contains(QStringLiteral("P(-, (data, model))")));
        QVERIFY2(rows.out.contains(QStringLiteral("decoder/w, by the rules within decoder")), qPrintable(rows.out));
        const auto json = resolve(lab, ("--table " + table.toUtf8() + " --json").constData()).json();
        QVERIFY(
            !json.at("arrays").at(0).contains("within") && json.at("arrays").at(2).at("within") == "decoder/layer_1");

        QVERIFY2(rows.out.contains(QStringLiteral("By the rules within"))
                && lineOf(rows.out, "decoder/w  ").endsWith(QStringLiteral("  decoder")),
            qPrintable(rows.out));
        QCOMPARE(json.at("unused_inner_rules").size(), 2U);

        // Further rules go behind every list; the dialect asked for reads every list.
        const QString more = file("more.csv", "path,shape,names\ndecoder/layer_1/y,16x64,\"batch,mlp\"\n");
        const Ran named = resolve(
            lab, "--names batch,mlp --within decoder/layer_1/y --additional-rules [('batch',None),('mlp','model')]");
        const Ran tabled = resolve(
            lab, ("--table " + more.toUtf8() + " --additional-rules [('batch',None),('heads','model')]").constData());
        QVERIFY2(named.code == 0 && tabled.code == 0, qPrintable(named.error + tabled.error));
        QVERIFY(lineOf(tabled.out, "decoder/layer_1/y").contains(QStringLiteral("P(-, (data, model))")));
        const Ran batch =
            resolve(lab, "--names batch,mlp --within decoder/layer_1/y --additional-rules [('batch','data')]");
        QVERIFY2(batch.out.startsWith(QStringLiteral("PartitionSpec(None, ('data', 'model'))")), qPrintable(batch.out));
        const QString embeds = file("embeds.csv", "path,shape,names\ndecoder/layer_1/y,16x64,\"batch,embed\"\n");
        const Ran last =
            resolve(lab, ("--table " + embeds.toUtf8() + " --additional-rules [('batch','data')]").constData());
        QVERIFY2(lineOf(last.out, "decoder/layer_1/y").contains(QStringLiteral("P(data, -)")), qPrintable(last.out));

        // Penzai's mapping, asked for as Flax' list: in the parts as well.
        auto penzai = nlohmann::json::parse(
            runProgram({ QStringLiteral("convert"), lab, QStringLiteral("--from"), QStringLiteral("experiment") })
                .out.toStdString());
        penzai["rules"]["dialect"] = "penzai";
        const QString mapping = file("mapping.json", QByteArray::fromStdString(penzai.dump()));
        const QString rest = file("rest.csv", "path,shape,names\ndecoder/y,16x64,\"nobody,embed\"\n");
        const auto strict =
            resolve(mapping, ("--dialect flax --fallback raise_error --json --table " + rest.toUtf8()).constData())
                .json();
        QVERIFY2(!codes(strict).empty() && codes(strict).front() == "E111", strict.dump().c_str());

        // Where no part has rules of its own, that is said; paths are as in the file.
        const Ran outside = resolve(lab, "--names mlp --within nowhere");
        QVERIFY2(outside.out.contains(QStringLiteral("nowhere lies in no part that has rules of its own")),
            qPrintable(outside.out));
        for (const char* path : { "/decoder", "decoder/" })
            QCOMPARE(resolve(lab, (QByteArray("--names mlp --within ") + path).constData()).code, 2);
        for (const char* path : { "decoder", "encoder" }) {
            const Ran asked =
                resolve(lab, (QByteArray("--names mlp --dialect t5x --partitions 2 --within ") + path).constData());
            QVERIFY2(asked.code == 2 && asked.error.contains(QStringLiteral("do not go with --within")),
                qPrintable(asked.error));
        }

        // show, explain, check and convert know of them as well.
        const Ran show = runProgram({ QStringLiteral("show"), lab });
        QVERIFY2(show.out.contains(QStringLiteral("Rules within decoder/layer_1 (in place of those above)")),
            qPrintable(show.out));
        const auto shown = runProgram({ QStringLiteral("show"), lab, QStringLiteral("--json") }).json();
        QVERIFY(shown.at("rules").at("inner").at(1).at("within") == "decoder/layer_1");
        QVERIFY(shown.at("rules").at("inner").at(0).at("list").at(0).at("uses") == 2);
        QCOMPARE(runProgram({ QStringLiteral("check"), lab }).code, 0);
        const Ran why =
            runProgram({ QStringLiteral("explain"), lab, QStringLiteral("--tensor"), QStringLiteral("decoder/x") });
        const QString stated = why.out.simplified();
        QVERIFY2(stated.contains(QStringLiteral("rule 1 within decoder maps embed to data"))
                && stated.contains(QStringLiteral("The rules within decoder replace those outside."))
                && stated.contains(QStringLiteral("No rule within decoder names batch")),
            qPrintable(why.out));
        const QString folder = m_folder.filePath(QStringLiteral("lab.json"));
        QCOMPARE(runProgram({ QStringLiteral("convert"), lab, QStringLiteral("--from"), QStringLiteral("experiment"),
                                QStringLiteral("-o"), folder })
                     .code,
            0);
        const Ran flax = runProgram({ QStringLiteral("convert"), folder, QStringLiteral("--from"),
            QStringLiteral("experiment"), QStringLiteral("--to"), QStringLiteral("flax") });
        QVERIFY2(flax.code == 0 && flax.error.contains(QStringLiteral("rules for parts of the model are not kept")),
            qPrintable(flax.error));
        // A table takes all of an experiment's rules.
        const QString taken = m_folder.filePath(QStringLiteral("taken.json"));
        QCOMPARE(runProgram({ QStringLiteral("convert"), table, QStringLiteral("--from"), QStringLiteral("table"),
                                QStringLiteral("--rules"), lab, QStringLiteral("-o"), taken })
                     .code,
            0);
        const auto arrays = runProgram({ QStringLiteral("show"), taken, QStringLiteral("--json") }).json();
        QCOMPARE(arrays.at("rules").at("inner").size(), 2U);
    }

    void whatCannotBeLaidOut()
    {
        const QString table = file("vocab.csv", "path,shape,names\nhead,50257x4,\"vocab,embed\"\nw,8,mlp\n");
        const QStringList line{ QStringLiteral("resolve"), QStringLiteral("--rules"), QStringLiteral("t5x-a1p1"),
            QStringLiteral("--mesh"), QStringLiteral("data=2,model=4"), QStringLiteral("--table"), table };
        const Ran ran = runProgram(line);
        QCOMPARE(ran.code, 1);
        QVERIFY2(ran.out.contains(QStringLiteral("1 array of 32 B; each of 8 devices holds 8 B")), qPrintable(ran.out));
        QVERIFY2(
            ran.out.contains(QStringLiteral("1 array cannot be laid out: 785 KiB not counted")), qPrintable(ran.out));
        const auto json = runProgram(line + QStringList{ QStringLiteral("--json") }).json();
        QVERIFY(json.at("not_laid_out").at("array_count") == 1);
        QVERIFY(json.at("replicated").at("array_count") == 0);
        QVERIFY(json.at("bytes_per_device") == 8);
        const QString twice = file("twice.csv", "path,shape,names\nhead,4x4,\"embed,embed\"\n");
        const Ran named = resolve(QStringLiteral("()"), ("--mesh x=2 --table " + twice.toUtf8()).constData());
        QVERIFY2(named.error.contains(QStringLiteral("two dimensions of head")), qPrintable(named.error));
    }

    void hosts()
    {
        const QString rules = QStringLiteral("[('batch', 'data'), ('embed', 'model')]");
        const Ran ran = resolve(rules, "--names batch,heads --mesh data=4,model=2 --shape 16,8 --hosts 4");
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.contains(QStringLiteral("[4:8, :]")));
        QCOMPARE(ran.out.count(QStringLiteral("writes it")), 4);
        const auto json =
            resolve(rules, "--names heads,embed --mesh data=4,model=2 --shape 16,8 --hosts 4 --json").json();
        QCOMPARE(json.at("hosts").size(), 4U);
        QVERIFY(json.at("hosts").at(1).at("writes") == false);
        QVERIFY(
            json.at("hosts").at(1).at("slice") == nlohmann::json::array({ nullptr, nlohmann::json::array({ 0, 8 }) }));
        const Ran truncated = resolve(rules, "--names batch --mesh data=4,model=2 --shape 18 --hosts 4");
        QCOMPARE(truncated.code, 1); // JAX refuses what does not divide (E101)
        QVERIFY2(truncated.error.contains(QStringLiteral("W216")), qPrintable(truncated.error));
        QCOMPARE(resolve(rules, "--names batch --mesh data=4,model=2 --shape 16 --hosts 3").code, 2);
        const Ran tuple = resolve(
            QStringLiteral("[('a', ('data', 'model'))]"), "--names a --mesh data=4,model=2 --shape 16 --hosts 2");
        QCOMPARE(tuple.code, 1); // a finding: the rules are read, and T5X cannot chunk what they give
        QVERIFY(tuple.error.contains(QStringLiteral("E183")));
    }

    /// A rule of another name does not hide what is wrong with this one.
    void hostsThatDoNotFit()
    {
        const QString rules = QStringLiteral("[('batch',('data','model'))]");
        const Ran uneven = resolve(rules, "--names batch --mesh data=2,model=4 --shape 8 --hosts 3");
        QVERIFY2(uneven.error.contains(QStringLiteral("8 devices do not spread evenly over 3 hosts")),
            qPrintable(uneven.error));
        QVERIFY(uneven.error.contains(QStringLiteral("1, 2, 4 and 8")));
        // Without a chunk per host there is a spec still.
        const Ran tuple = resolve(rules, "--names batch --mesh data=2,model=4 --shape 8 --hosts 4");
        QCOMPARE(tuple.code, 1);
        QVERIFY2(tuple.out.startsWith(QStringLiteral("PartitionSpec(('data', 'model'),)")), qPrintable(tuple.out));
        QVERIFY(tuple.error.contains(QStringLiteral("E183")));
    }

    void allThatIsWrong()
    {
        for (const char* shape : { "--shape 6", "--json --shape 6" }) {
            const Ran ran =
                resolve(QStringLiteral("t5x-a1p1"), (QByteArray("--names batch --mesh data=4 ") + shape).constData());
            QCOMPARE(ran.code, 1);
            if (QByteArray(shape).startsWith("--json")) {
                const std::vector<std::string> found = codes(ran.json());
                QVERIFY(std::find(found.begin(), found.end(), "E101") != found.end());
                QVERIFY(std::find(found.begin(), found.end(), "W211") != found.end());
            } else {
                QVERIFY2(ran.error.contains(QStringLiteral("E101")) && ran.error.contains(QStringLiteral("W211")),
                    qPrintable(ran.error));
            }
        }
        const Ran twice = resolve(
            QStringLiteral("[('b',('x','x','x','x'))]"), "--dialect maxtext --names b --mesh x=65536 --shape 8");
        QCOMPARE(twice.code, 1);
        QVERIFY2(twice.error.contains(QStringLiteral("E106")), qPrintable(twice.error));
    }

    /// What reading the rules has found is said in every form, and once.
    void warningsOfTheRules()
    {
        const QString path = file("warned.yml",
            "mesh_axes: ['x']\nlogical_axis_rules: [['a', ['x', 'y']],\n  ['b', 'x']]\n"
            "ici_tensor_parallelism: 4\ncustom_mesh_and_rule: 'pure'\n");
        const QString rows = file("rows.csv", "path,shape,names\nw,8,b\n");
        const std::vector<std::string> expected{ "W211", "W213", "W217" };
        for (const QByteArray& what : { QByteArray("--names b"), QByteArray("--names b --mesh x=2"),
                 QByteArray("--mesh x=2 --table ") + rows.toUtf8() }) {
            QCOMPARE(codes(resolve(path, ("--json " + what).constData()).json()), expected);
            const Ran ran = resolve(path, what.constData());
            for (const std::string& code : expected)
                QCOMPARE(ran.error.count(QString::fromStdString(code)), 1);
            QVERIFY2(ran.error.contains(path + QStringLiteral(":2:22: W211")), qPrintable(ran.error));
        }
    }

    /// The trace does not say that something is sharded along an axis that is not there.
    void axesThatTheMeshLacks()
    {
        const QString rules = QStringLiteral("[('batch', 'modle'), ('embed', ('data', 'pipe'))]");
        const Ran ran = resolve(rules, "--mesh data=2,model=4 --names batch,embed --trace");
        QCOMPARE(ran.code, 0); // the names have a spec; what JAX makes of it is a warning
        QVERIFY2(ran.error.contains(QStringLiteral("Did you mean “model”?"))
                && ran.error.contains(QStringLiteral("is refused by JAX")),
            qPrintable(ran.error));
        QCOMPARE(resolve(rules, "--mesh data=2,model=4 --names other").code, 0); // a rule that is not used
        QVERIFY2(
            lineOf(ran.out, "batch →").contains(QStringLiteral("batch stays replicated: the mesh has no axis modle")),
            qPrintable(ran.out));
        QVERIFY2(
            lineOf(ran.out, "embed →")
                .contains(QStringLiteral("embed is sharded along data; the mesh has no axis pipe, so that it shards "
                                         "nothing (W211)")),
            qPrintable(ran.out));
        QVERIFY(ran.error.contains(QStringLiteral("W211")));
        // Without a mesh the rules alone count.
        QVERIFY(lineOf(resolve(rules, "--names batch,embed --trace").out, "batch →")
                    .contains(QStringLiteral("batch is sharded along modle")));
        const QString path = file("lacking.csv", "path,shape,names\na,8,batch\n");
        QVERIFY(resolve(rules, ("--mesh data=2,model=4 --trace --table " + path).toUtf8())
                    .out.contains(QStringLiteral("the mesh has no axis modle")));
    }

    void oneGrammarOfSizes()
    {
        const QString rules = QStringLiteral("[('batch', 'data')]");
        QCOMPARE(resolve(rules, "--names batch,a --mesh data=2 --shape 8x16").code, 0);
        const Ran wrong = resolve(rules, "--names batch,a --mesh data=2 --shape )8x,,(16");
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.error.contains(QStringLiteral("--shape:1:1: E120")), qPrintable(wrong.error));
        const Ran small = resolve(rules, "--names batch --mesh data=8 --shape 3 --hosts 8");
        QVERIFY2(small.error.contains(QStringLiteral("8 chunks")), qPrintable(small.error));
    }

    void usage_data()
    {
        QTest::addColumn<QString>("options");
        for (const char* wrong :
            { "", "--names a --table t.csv", "--table t.csv", "--names a --dialect pensai", "--names a --shape 8",
                "--names a --mesh x=2 --hosts 2", "--names a --hybrid", "--names a --mesh x=2 --shape 8,8",
                "--names a --mesh x=2 --shape 8,y", "--names a --mesh x=2 --shape -1", "--names a --devices 0",
                "--names a --hosts 0", "--names a --mesh x=2 --table", "--names a --fallback no" })
            QTest::newRow(*wrong ? wrong : "nothing") << wrong;
    }
    void usage()
    {
        QFETCH(QString, options);
        const Ran ran = resolve(simpleRules, options.toUtf8());
        QCOMPARE(ran.code, 2);
        QVERIFY(ran.out.isEmpty());
        QVERIFY(!ran.error.isEmpty());
    }

    void table()
    {
        const QString path = file("params.csv",
            "path,shape,dtype,names\n"
            "embedder/table,32000x1024,bfloat16,\"vocab,embed\"\n"
            "mlp/wi,1024x4096,float32,\"embed,mlp\"\n"
            "norm/scale,1024,float32,norm\n"
            "step,,int32,\n");
        const QString rules = QStringLiteral("[('embed', 'data'), ('mlp', 'model'), ('vocab', 'model')]");
        const Ran ran = resolve(rules, ("--mesh data=2,model=4 --table " + path).toUtf8());
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.error.isEmpty());
        const QString wi = lineOf(ran.out, "mlp/wi");
        for (const char* part : { "f32", "[embed 1024, mlp 4096]", "P(data, model)", "[512, 1024]", "2 MiB" })
            QVERIFY2(wi.contains(QString::fromUtf8(part)), qPrintable(wi));
        QVERIFY(lineOf(ran.out, "norm/scale").contains(QStringLiteral("P(-)")));
        QVERIFY(lineOf(ran.out, "arrays of").contains(QStringLiteral("4 arrays of 78.5 MiB; each of 8 devices holds")));
        QVERIFY(lineOf(ran.out, "of them are replicated").contains(QStringLiteral("2 of them")));

        const auto json = resolve(rules, ("--json --mesh data=2,model=4 --table " + path).toUtf8()).json();
        QVERIFY(json.at("format") == "shardscope-resolve");
        const auto& rows = json.at("arrays");
        QCOMPARE(rows.size(), 4U);
        QVERIFY(rows[1].at("dimension_axes") == nlohmann::json::parse(R"([["data"], ["model"]])"));
        QVERIFY(rows[1].at("shard_shape") == nlohmann::json::parse("[512, 1024]"));
        QVERIFY(rows[1].at("copies") == 1 && rows[2].at("copies") == 8);
        std::int64_t bytes = 0;
        for (const auto& row : rows)
            bytes += row.at("bytes_per_device").get<std::int64_t>();
        QVERIFY(json.at("bytes_per_device") == bytes);
        QVERIFY(json.at("replicated").at("bytes") == 4100);
    }

    /// The rules of base.yml name twelve axes, of which a mesh need only say those that are larger than 1.
    void tableUnderMaxText()
    {
        const QString path = file("params.csv",
            "path,shape,names\nwi,1024x4096,\"embed,mlp\"\nwq,1024x16x64,\"embed,q_heads,kv\"\nodd,6x4096,\"embed,"
            "mlp\"\n");
        const auto options = QStringLiteral("--mesh data=2,fsdp=4,tensor=2 --table %1 ").arg(path);
        const Ran ran = resolve(QStringLiteral("maxtext-base-2026-08"), options.toUtf8());
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.error.count(QLatin1Char('\n')) == 1 && ran.error.contains(path + QStringLiteral(":4:1: W201")),
            qPrintable(ran.error));
        QVERIFY(lineOf(ran.out, "wi ").contains(QStringLiteral("P(fsdp, tensor)")));
        QVERIFY(lineOf(ran.out, "wq ").contains(QStringLiteral("P(fsdp, tensor, -)")));
        QVERIFY(lineOf(ran.out, "odd ").contains(QStringLiteral("P(-, tensor)")));
        QVERIFY(ran.out.contains(QStringLiteral("of 76 rules shard nothing here")));
        const auto json =
            resolve(QStringLiteral("maxtext-base-2026-08"), (options + QStringLiteral("--json")).toUtf8()).json();
        QVERIFY(json.at("unused_rules").size() > 60);
        QCOMPARE(codes(json), std::vector<std::string>{ "W201" });

        // So it is where the devices are put in an order of the mesh's own: they stay where they are.
        const Ran ordered = resolve(QStringLiteral("maxtext-base-2026-08"),
            "--mesh Mesh(device_ids=[[0,2],[1,3]],axis_names=('fsdp','tensor')) --names embed,mlp");
        QVERIFY2(ordered.code == 0 && ordered.error.isEmpty(), qPrintable(ordered.error));
        QVERIFY2(
            ordered.out.contains(QStringLiteral("PartitionSpec(('fsdp',), ('tensor',))")), qPrintable(ordered.out));
    }

    void tableProblems()
    {
        const QString path = file(
            "params.json", "[\n  [\"a\", [6, 8], \"f32\", [\"x\", \"y\"]],\n  [\"b\", [8], \"f32\", [\"x\"]]\n]\n");
        const QString rules = QStringLiteral("[('x', 'data'), ('y', 'data'), ('z', 'rows')]");
        const Ran flax = resolve(rules, ("--mesh data=4 --table " + path).toUtf8());
        QCOMPARE(flax.code, 1);
        QVERIFY2(flax.error.contains(path + QStringLiteral(":2:3: E101")), qPrintable(flax.error));
        QVERIFY(flax.error.contains(QStringLiteral("W203")) && flax.error.contains(QStringLiteral("W211")));
        QVERIFY(lineOf(flax.out, "a ").contains(QStringLiteral("P(data, -)")));
        QVERIFY(lineOf(flax.out, "b ").contains(QStringLiteral("[2]")));

        const Ran maxText = resolve(rules, ("--dialect maxtext --mesh data=4 --table " + path).toUtf8());
        QCOMPARE(maxText.code, 0);
        QVERIFY(!maxText.error.contains(QStringLiteral("E101")));
        QVERIFY2(maxText.error.contains(path + QStringLiteral(":2:3: W201")), qPrintable(maxText.error));
        QVERIFY(lineOf(maxText.out, "a ").contains(QStringLiteral("P(-, -)")));
    }

    void tableFallbacks()
    {
        const QString path = file("params.csv", "path,shape,names\na,8,x\nb,8,y\nc,8,\n");
        const auto run = [&](const char* fallback) {
            return resolve(QStringLiteral("[('x', 'data')]"),
                (QStringLiteral("--mesh data=4 --table %1 --fallback ").arg(path) + QString::fromUtf8(fallback))
                    .toUtf8());
        };
        QCOMPARE(run("axis_is_unsharded").code, 0);
        const Ran error = run("raise_error");
        QCOMPARE(error.code, 1);
        QVERIFY2(error.error.contains(path + QStringLiteral(":3:1: E111")), qPrintable(error.error));
        const Ran none = run("no_constraint");
        QCOMPARE(none.code, 0);
        QVERIFY(lineOf(none.out, "b ").contains(QStringLiteral("left alone")));
        QVERIFY(lineOf(none.out, "a ").contains(QStringLiteral("P(data)")));
    }

    void tableTrace()
    {
        const QString path = file("params.csv", "path,shape,names\na,8,x\nb,16,x\nc,8,y\n");
        const Ran ran = resolve(QStringLiteral("[('x', 'data')]"), ("--mesh data=4 --trace --table " + path).toUtf8());
        QVERIFY(ran.out.contains(QStringLiteral("a and 1 more\n")));
        QVERIFY(ran.out.contains(QStringLiteral("no dimension is called x")));
        const auto json =
            resolve(QStringLiteral("[('x', 'data')]"), ("--json --mesh data=4 --trace --table " + path).toUtf8())
                .json();
        QVERIFY(json.at("arrays").at(0).at("trace").at(0).at("verdict") == "applied");
    }

    void badTables_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("stated");
        const auto row = [](const char* name, const char* text, const char* stated) {
            QTest::newRow(name) << QByteArray(text) << stated;
        };
        row("empty", "", "E123");
        row("a shape that is none", "path,shape\na,8x?\n", ":2:5: E120");
        row("a path twice", "path,shape\na,8\na,8\n", ":3:1: E121");
        row("a type", "path,shape,dtype\na,8,float33\n", "Did you mean “float32”?");
        row("a type that is called otherwise", "path,shape,dtype\na,8,float8\n",
            "float8_e3m4, float8_e4m3, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2, "
            "float8_e5m2fnuz, float8_e8m0fnu, complex64, complex128");
        row("JSON", "[[\"a\"]]", ":1:2: E120");
        row("a control character", "path,shape\n\"a\nb\",8\n", ":2:2: E122");
    }
    void badTables()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, stated);
        const QString path = file("bad.csv", text);
        const Ran ran = resolve(simpleRules, ("--mesh data=2 --table " + path).toUtf8());
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.error.startsWith(path) && ran.error.contains(stated), qPrintable(ran.error));
        QVERIFY(ran.out.isEmpty());
        const Ran json = resolve(simpleRules, ("--json --mesh data=2 --table " + path).toUtf8());
        QVERIFY(!json.json().at("problems").empty());
    }

    /// Whatever is wrong is told at once, also of rows in which something else is wrong.
    void allThatIsWrongWithATable()
    {
        const QString csv = file("wrong.csv",
            "path,shape,dtype,names\n"
            "a,8x8,float33,\"x,x\"\n" // 2: a type, and a name twice
            "a,8?,f32,x\n" // 3: a path twice, and a shape
            "b,8,f32,\"x,y\"\n" // 4: too many names
            "b,8x8,f8,\"x,y\"\n"); // 5: a path twice, and a type
        const QString json = file("wrong.json",
            "[[\"a\", [8, 8], \"float33\", [\"x\", \"x\"]],\n"
            "[\"a\", [0], \"f32\", [\"x\"]],\n"
            "[\"b\", [8], \"f32\", [\"x\", \"y\"]],\n"
            "[\"b\", [8, 8], \"f8\", [\"x\", \"y\"]]]\n");
        for (const QString& path : { csv, json }) {
            const Ran ran = resolve(simpleRules, ("--json --mesh data=2 --table " + path).toUtf8());
            QCOMPARE(ran.code, 2);
            std::map<int, std::set<std::string>> codes; // by line
            const int first = path == csv ? 2 : 1;
            const auto printed = ran.json();
            for (const auto& problem : printed.at("problems"))
                codes[problem.at("where").at("line").get<int>() - first].insert(problem.at("code").get<std::string>());
            QVERIFY2((codes[0] == std::set<std::string>{ "E103", "E124" }), qPrintable(ran.error));
            QVERIFY2(
                (codes[1] == std::set<std::string>{ "E121", path == csv ? "E120" : "E125" }), qPrintable(ran.error));
            QVERIFY2((codes[2] == std::set<std::string>{ "E107" }), qPrintable(ran.error));
            QVERIFY2((codes[3] == std::set<std::string>{ "E121", "E124" }), qPrintable(ran.error));
        }
    }

    void typesOfNumPyAndJax()
    {
        const QString path = file("types.csv", "path,shape,dtype\na,8,float8_e4m3fn\nb,8,jnp.int4\nc,8,complex64\n");
        const auto json = resolve(simpleRules, ("--json --mesh data=2 --table " + path).toUtf8()).json();
        QVERIFY2(json.at("arrays").at(0).at("dtype") == "f8E4M3FN", json.dump().c_str());
        QVERIFY(json.at("arrays").at(1).at("dtype") == "i4" && json.at("arrays").at(2).at("dtype") == "complex<f32>");
    }

    void largeTables()
    {
        QByteArray text = "path,shape,names\n";
        for (int i = 0; i < 10'000; ++i)
            text += "layers." + QByteArray::number(i) + "/w,1024x4096,\"embed,mlp\"\n";
        const QString path = file("large.csv", text);
        const auto json =
            resolve(QStringLiteral("t5x-a2p2"), ("--json --mesh data=2,model=4 --table " + path).toUtf8()).json();
        QCOMPARE(json.at("arrays").size(), 10'000U);
        QVERIFY(json.at("arrays").at(9'999).at("dimension_axes") == nlohmann::json::parse(R"([["data"], ["model"]])"));
    }

    void helpShowsThePython()
    {
        const Ran help = runProgram(resolveArguments("resolve --help"));
        QCOMPARE(help.code, 0);
        for (const char* part : { "def write_table(file, rows):", "variables = jax.eval_shape(model.init",
                 "nnx.eval_shape", "global_train_state_shape", "--table model.csv" })
            QVERIFY2(help.out.contains(QString::fromUtf8(part)), part);
    }
};

REGISTER_TEST(ResolveTest)
#include "test_resolve.moc"
