// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a network by their names: what is read is what was set, and no other name sets anything.
#include <QTest>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/network_choices.h"
#include "experiment/network_edits.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

Experiment smallestMlp()
{
    return builtinExamples().front().make();
}

Experiment smallestTransformer()
{
    Experiment experiment = smallestMlp();
    experiment.model = TransformerModel{};
    return experiment;
}

} // namespace

class TestNetworkChoices : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsSetIsRead()
    {
        const std::pair<const char*, int> choices[] = { { "parameter_dtype", static_cast<int>(DType::BF16) },
            { "compute_dtype", static_cast<int>(DType::BF16) }, { "optimizer", static_cast<int>(OptimizerKind::AdamW) },
            { "step", static_cast<int>(NetworkProgram::Forward) }, { "form", static_cast<int>(LayerForm::Scanned) } };
        for (const auto& [name, value] : choices) {
            const Experiment before = smallestTransformer();
            QVERIFY2(chosenOption(before, name) && *chosenOption(before, name) != value, name);
            const Result<Experiment> after = withOption(before, name, value);
            QVERIFY2(after.has_value(), name);
            QCOMPARE(chosenOption(*after, name), std::optional(value));
            for (const auto& [other, unused] : choices) // and nothing else
                if (std::string_view(other) != name)
                    QCOMPARE(chosenOption(*after, other), chosenOption(before, other));
        }
        // An MLP has one type, and no optimizer of its own to choose.
        QCOMPARE(chosenOption(smallestMlp(), "compute_dtype"), std::nullopt);
        QCOMPARE(chosenOption(smallestMlp(), "optimizer"), std::nullopt);
        QVERIFY(chosenOption(smallestMlp(), "parameter_dtype").has_value());
    }

    void unknownNames()
    {
        for (const Experiment& experiment : { smallestTransformer(), smallestMlp() }) {
            QCOMPARE(chosenOption(experiment, "typo"), std::nullopt);
            QCOMPARE(withOption(experiment, "typo", 1).error().code, Code::UnknownValue);
            QCOMPARE(textOption(experiment, "typo"), std::nullopt);
            QCOMPARE(withText(experiment, "typo", "layers").error().code, Code::UnknownValue);
            QCOMPARE(shownSize(experiment, "typo"), std::nullopt);
            QVERIFY(!withSize(experiment, "typo", 1).has_value());
        }
    }

    void unknownValues()
    {
        for (const char* name : { "parameter_dtype", "compute_dtype", "optimizer", "step", "form" })
            for (const int value : { -1, 1'000 })
                QCOMPARE(withOption(smallestTransformer(), name, value).error().code, Code::OutOfRange);
        QVERIFY(!withOption(smallestTransformer(), "parameter_dtype", static_cast<int>(DType::Token)).has_value());
    }

    void sizes()
    {
        const Experiment before = smallestTransformer();
        for (const char* name : { "expert", "microbatches", "sliding_window", "layers" }) {
            const Result<Experiment> after = withSize(before, name, 4);
            QVERIFY2(after.has_value(), name);
            QCOMPARE(shownSize(*after, name), std::optional<std::int64_t>(4));
        }
        QCOMPARE(shownSize(before, "window_pattern"), std::nullopt); // no layer has a window
        QCOMPARE(shownSize(*withSize(before, "sliding_window", 4), "window_pattern"), std::optional<std::int64_t>(0));
        QCOMPARE(shownSize(smallestMlp(), "microbatches"), std::nullopt);
    }

    void nameOfLayers()
    {
        QCOMPARE(textOption(smallestMlp(), "layers_name"), std::nullopt); // layers one by one have no dimension
        const Result<Experiment> scanned = withOption(smallestMlp(), "form", static_cast<int>(LayerForm::Scanned));
        QVERIFY(scanned.has_value());
        const Result<Experiment> named = withText(*scanned, "layers_name", "stage");
        QVERIFY(named.has_value());
        QCOMPARE(textOption(*named, "layers_name"), std::optional(std::string("stage")));
        QCOMPARE(textOption(*withText(*named, "layers_name", ""), "layers_name"), std::optional(std::string()));
    }
};

REGISTER_TEST(TestNetworkChoices)
#include "test_network_choices.moc"
