// SPDX-License-Identifier: GPL-3.0-or-later
// In which settings experiments differ.
#include <QTest>

#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment/rule_edits.h"
#include "experiment_file/differences.h"
#include "experiment_file/gallery.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

using Differences = std::vector<SettingDifference>;

Experiment example(const char* id)
{
    return findExample(id)->experiment;
}

} // namespace

class DifferencesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatDoesNotCount()
    {
        Experiment other = example("flax-mlp-logical");
        const Experiment same = other;
        other.title = "another";
        other.notes = "others";
        other.run.seed = 9;
        other.acknowledged.clear();
        other.innerNotes.emplace_back("/mesh", "a note");
        QCOMPARE(settingDifferences(same, other), Differences());
        for (const GalleryExample& each : gallery())
            QCOMPARE(settingDifferences(each.experiment, each.experiment), Differences());
    }

    void sizes()
    {
        const Experiment before = example("transformer-t5x");
        Experiment after = before;
        after.mesh.axes = { { "data", 4 }, { "model", 2 } };
        auto& training = std::get<TransformerModel>(after.model).settings;
        training.model.embed = 128;
        training.model.queryKeyNorm = true;
        training.optimizer.kind = OptimizerKind::AdamW;
        QCOMPARE(settingDifferences(before, after),
            (Differences{ { "/mesh/axes/0/1", "2", "4" }, { "/mesh/axes/1/1", "4", "2" },
                { "/model/dims/embed", "64", "128" }, { "/model/query_key_norm", std::nullopt, "true" },
                { "/step/optimizer", "\"adam\"", "\"adamw\"" } }));
        // The other way round.
        const Differences back = settingDifferences(after, before);
        QCOMPARE(back.size(), std::size_t{ 5 });
        QCOMPARE(back[3], (SettingDifference{ "/model/query_key_norm", "true", std::nullopt }));
    }

    /// A rule in the middle is one difference; a moved one is gone here and there again.
    void rules()
    {
        const Experiment before = example("rule-lab"); // batch X, features X, heads Y, batch Z
        Experiment inserted = before;
        std::vector<LogicalRule>& list = inserted.rules.rules.list;
        list.insert(list.begin() + 1, { LogicalName::of("mlp"), SpecEntry::axis("Y") });
        QCOMPARE(
            settingDifferences(before, inserted), (Differences{ { "/rules/list/1", std::nullopt, R"(["mlp","Y"])" } }));
        QCOMPARE(
            settingDifferences(inserted, before), (Differences{ { "/rules/list/1", R"(["mlp","Y"])", std::nullopt } }));

        Experiment moved = before;
        std::swap(moved.rules.rules.list[0], moved.rules.rules.list[1]);
        const Differences found = settingDifferences(before, moved);
        QCOMPARE(found.size(), std::size_t{ 2 });
        QVERIFY(found[0].before.has_value() != found[1].before.has_value());
    }

    void models()
    {
        const Differences found = settingDifferences(example("rule-lab"), example("flax-mlp-logical"));
        const auto at = [&](const std::string& pointer) {
            const auto each = std::find_if(
                found.begin(), found.end(), [&](const SettingDifference& one) { return one.pointer == pointer; });
            return each == found.end() ? SettingDifference() : *each;
        };
        QCOMPARE(at("/model/preset"), (SettingDifference{ "/model/preset", "\"arrays\"", "\"mlp\"" }));
        QVERIFY(at("/model/arrays").before && !at("/model/arrays").after);
        QVERIFY(at("/step").after && !at("/step").before);
    }

    /// Texts are not listed, only that they are not the same, and by how many lines.
    void texts()
    {
        const Experiment before = example("flax-mlp-program");
        Experiment after = before;
        auto& program = std::get<ProgramModel>(after.model);
        program.text = std::make_shared<const std::string>(*program.text + "// a comment\n");
        const Differences found = settingDifferences(before, after);
        const auto lines = std::count(program.text->begin(), program.text->end(), '\n');
        const auto counts = [](auto all, int others) {
            return "{\"lines\":" + std::to_string(all) + ",\"others\":" + std::to_string(others) + "}";
        };
        QCOMPARE(found, (Differences{ { "/model/text", counts(lines - 1, 0), counts(lines, 1) } }));

        // Lines in another order are another text, though neither lacks a line.
        const auto withText = [&before](const char* text) {
            Experiment one = before;
            std::get<ProgramModel>(one.model).text = std::make_shared<const std::string>(text);
            return one;
        };
        QCOMPARE(settingDifferences(withText("a\nb\na\n"), withText("a\na\nb\n")),
            (Differences{ { "/model/text", counts(3, 0), counts(3, 0) } }));
        QCOMPARE(settingDifferences(withText("a\nb\na\n"), withText("a\nc\nd\ne\n")),
            (Differences{ { "/model/text", counts(3, 2), counts(4, 3) } }));
        QVERIFY(hashOfInputs(withText("a\nb\n")) != hashOfInputs(withText("b\na\n")));
    }
};

REGISTER_TEST(DifferencesTest)
#include "test_differences.moc"
