// SPDX-License-Identifier: GPL-3.0-or-later
// Variants in files: kept to the byte, applied as merge patches, and what is said of those that cannot be.
#include <QTest>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment_file/differences.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/gallery.h"
#include "experiment_file/variants.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

Experiment notebook()
{
    return builtinExamples().front().make();
}

Experiment onMesh(Experiment experiment, std::int64_t data, std::int64_t model)
{
    experiment.mesh.axes = { { "data", data }, { "model", model } };
    return experiment;
}

const char* const otherMesh = R"({ "mesh": { "axes": [["data", 4], ["model", 2]] } })";

/// The notebook's file with these variants.
std::string fileWith(const std::string& variants)
{
    std::string text = writeExperiment(notebook());
    text.insert(text.rfind("\n}"), ",\n  \"variants\": " + variants);
    return text;
}

} // namespace

class TestVariants : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void filesKeepThem()
    {
        Experiment experiment = notebook();
        experiment.variants = { { "4x2", otherMesh }, { "no rules", R"({ "rules": { "list": [] } })" } };
        const std::string text = writeExperiment(experiment);
        const auto read = readExperiment(text);
        QVERIFY(read);
        QVERIFY(read->warnings.empty());
        QVERIFY(read->experiment == experiment);
        QCOMPARE(writeExperiment(read->experiment), text);
        // Without any the file is as it was before there were variants.
        QVERIFY(writeExperiment(notebook()).find("variants") == std::string::npos);
    }

    void whatIsWrongInTheList_data()
    {
        QTest::addColumn<QByteArray>("variants");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("pointer");
        const auto row = [](const char* name, const char* variants, Code code, const char* pointer) {
            QTest::newRow(name) << QByteArray(variants) << static_cast<int>(code) << QByteArray(pointer);
        };
        row("no list", "{}", Code::WrongType, "/variants");
        row("no object", "[3]", Code::WrongType, "/variants/0");
        row("no name", R"([{ "patch": {} }])", Code::MissingKey, "/variants/0/name");
        row("no patch", R"([{ "name": "a" }])", Code::MissingKey, "/variants/0/patch");
        row("patch of another type", R"([{ "name": "a", "patch": [] }])", Code::WrongType, "/variants/0/patch");
        row("same name", R"([{ "name": "a", "patch": {} }, { "name": "a", "patch": {} }])", Code::WrongType,
            "/variants/1/name");
    }
    void whatIsWrongInTheList()
    {
        QFETCH(QByteArray, variants);
        const auto read = readExperiment(fileWith(variants.toStdString()));
        QVERIFY(!read);
        QCOMPARE(read.error().size(), std::size_t{ 1 });
        QTEST(static_cast<int>(read.error().front().code), "code");
        QTEST(QByteArray::fromStdString(read.error().front().where.pointer), "pointer");
        QVERIFY(read.error().front().where.line > 0);
    }

    /// The patch is what makes one of the other, and holds nothing else.
    void patches()
    {
        const Experiment before = notebook(), after = onMesh(notebook(), 4, 2);
        QCOMPARE(patchBetween(before, before), std::string("{}"));
        QCOMPARE(patchBetween(before, after), std::string(otherMesh));
        Experiment titled = before;
        titled.title = "another";
        titled.notes = "with notes";
        titled.variants = { { "v", "{}" } };
        QCOMPARE(patchBetween(before, titled), std::string("{}"));
    }

    /// Every example becomes every other one by a patch: keys that come, that go, and texts of programs.
    void patchesBetweenExamples()
    {
        const std::vector<GalleryExample>& examples = gallery();
        for (std::size_t i = 0; i < examples.size(); ++i) {
            const Experiment& before = examples[i].experiment;
            const Experiment& after = examples[(i + 1) % examples.size()].experiment;
            const auto made = applyVariant(before, { "v", patchBetween(before, after) });
            QVERIFY2(made, examples[i].id.data());
            std::vector<SettingDifference> differences = settingDifferences(made->experiment, after);
            // A patch cannot write null: it takes the key away, which means the same.
            std::erase_if(
                differences, [](const SettingDifference& each) { return !each.before && each.after == "null"; });
            QVERIFY2(differences.empty(), differences.empty() ? "" : differences.front().pointer.c_str());
            QCOMPARE(made->experiment.title, before.title);
        }
    }

    /// Whatever is edited later holds for the variant as well, and its own settings stay.
    void variantsFollowTheExperiment()
    {
        Experiment experiment = notebook();
        experiment.variants = { { "4x2", otherMesh } };
        std::get<MlpModel>(experiment.model).settings.batch = 512;
        const auto made = applyVariant(experiment, experiment.variants.front());
        QVERIFY(made);
        QCOMPARE(std::get<MlpModel>(made->experiment.model).settings.batch, std::int64_t{ 512 });
        QCOMPARE(made->experiment.mesh.axes, (std::vector<MeshAxis>{ { "data", 4 }, { "model", 2 } }));
        QCOMPARE(made->experiment.variants, experiment.variants);
    }

    void unknownKeysAreToldAndKept()
    {
        Experiment experiment = notebook();
        experiment.variants = { { "v", R"({ "colour": 3, "version": "2.0", "variants": [] })" } };
        const auto made = applyVariant(experiment, experiment.variants.front());
        QVERIFY(made);
        QStringList pointers;
        for (const Diagnostic& warning : made->warnings) {
            QCOMPARE(warning.code, Code::UnknownKey);
            QCOMPARE(warning.arg("shared") != nullptr, warning.where.pointer != "/colour");
            pointers << QString::fromStdString(warning.where.pointer);
        }
        pointers.sort();
        QCOMPARE(pointers,
            (QStringList{ QStringLiteral("/colour"), QStringLiteral("/variants"), QStringLiteral("/version") }));
        QCOMPARE(made->experiment.variants, experiment.variants); // with its patch as it was
    }

    void patchesThatMakeNoExperiment()
    {
        Experiment experiment = notebook();
        experiment.variants = { { "v", R"({ "mesh": { "axes": [["data", "four"]] } })" }, { "w", "[" } };
        QVERIFY(readExperiment(writeExperiment(notebook())));
        const auto made = applyVariant(experiment, experiment.variants[0]);
        QVERIFY(!made);
        QCOMPARE(made.error().front().code, Code::WrongType);
        QCOMPARE(made.error().front().where.pointer, std::string("/mesh/axes/0/1"));
        QCOMPARE(made.error().front().where.line, 0); // the text is nobody's
        QCOMPARE(applyVariant(experiment, experiment.variants[1]).error().front().code, Code::WrongType);
        // The file with the first one opens, and is written as it was.
        experiment.variants.pop_back();
        const auto read = readExperiment(writeExperiment(experiment));
        QVERIFY(read);
        QVERIFY(read->experiment == experiment);
    }

    void programsOfOtherFiles()
    {
        Experiment experiment = notebook();
        ProgramModel program;
        program.file = "step.mlir";
        program.text = std::make_shared<const std::string>("func.func @main() { return }");
        experiment.model = program;
        // Its own text is at hand; another file is asked for.
        const auto same = applyVariant(experiment, { "v", otherMesh });
        QVERIFY(same);
        QCOMPARE(*std::get<ProgramModel>(same->experiment.model).text, *program.text);
        const Variant other{ "w", R"({ "model": { "file": "other.mlir" } })" };
        QCOMPARE(applyVariant(experiment, other).error().front().code, Code::Unreadable);
        const auto read = applyVariant(
            experiment, other, [](const std::string& name) -> Result<std::string> { return "text of " + name; });
        QVERIFY(read);
        QCOMPARE(*std::get<ProgramModel>(read->experiment.model).text, std::string("text of other.mlir"));
    }

    void findsByName()
    {
        Experiment experiment = notebook();
        QVERIFY(findVariant(experiment, "4x2").error().list("known").empty());
        experiment.variants = { { "2x4", "{}" }, { "4x2", "{}" } };
        QCOMPARE(*findVariant(experiment, "4x2"), std::size_t{ 1 });
        const Error error = findVariant(experiment, "4x3").error();
        QCOMPARE(error.code, Code::UnknownValue);
        QCOMPARE(error.list("known"), (std::vector<std::string>{ "2x4", "4x2" }));
    }

    /// Opening one changes no variant: each stands for what it stood for before.
    void openedInPlaceOfTheExperiment()
    {
        Experiment experiment = notebook();
        experiment.variants = { { "4x2", otherMesh }, { "no rules", R"({ "rules": { "list": [] } })" },
            { "broken", R"({ "mesh": 3 })" } };
        std::vector<Experiment> before;
        for (std::size_t i = 0; i < 2; ++i)
            before.push_back(applyVariant(experiment, experiment.variants[i])->experiment);
        const auto opened = withVariantOpened(experiment, 0);
        QVERIFY(opened);
        QCOMPARE(opened->mesh.axes, (std::vector<MeshAxis>{ { "data", 4 }, { "model", 2 } }));
        QCOMPARE(opened->variants.size(), std::size_t{ 3 });
        QCOMPARE(opened->variants[0], experiment.variants[0]);
        QCOMPARE(opened->variants[2], experiment.variants[2]);
        for (std::size_t i = 0; i < 2; ++i)
            QCOMPARE(settingDifferences(applyVariant(*opened, opened->variants[i])->experiment, before[i]),
                std::vector<SettingDifference>());
        QVERIFY(!withVariantOpened(experiment, 2));
    }

    void whatIsKept()
    {
        const Experiment before = notebook(), after = onMesh(notebook(), 4, 2);
        QCOMPARE(keptPatch(after, &before), std::string(otherMesh));
        // Compared with nothing, or with the same: its mesh, with the order of its devices.
        for (const Experiment* with : { static_cast<const Experiment*>(nullptr), &after }) {
            const Variant kept{ "v", keptPatch(after, with) };
            QCOMPARE(applyVariant(before, kept)->experiment.mesh, after.mesh);
            for (const PatchedSetting& each : patchedSettings(kept))
                QVERIFY(each.pointer.starts_with("mesh/"));
        }
        QCOMPARE(patchedSettings({ "v", R"({ "step": { "train": null }, "mesh": { "axes": [["x", 2]] } })" }),
            (std::vector<PatchedSetting>{ { "step/train", std::nullopt }, { "mesh/axes", R"([["x",2]])" } }));
    }

    void hashesOfInputs()
    {
        const Experiment experiment = notebook();
        Experiment same = experiment;
        same.title = "another";
        same.run.runs = 100;
        same.run.shareReplicas = true;
        QCOMPARE(hashOfInputs(same), hashOfInputs(experiment));
        Experiment seeded = experiment;
        seeded.run.seed = 7;
        QVERIFY(hashOfInputs(seeded) != hashOfInputs(experiment));
        QVERIFY(hashOfInputs(onMesh(experiment, 4, 2)) != hashOfInputs(experiment));
    }
};

REGISTER_TEST(TestVariants)
#include "test_variants.moc"
