// SPDX-License-Identifier: GPL-3.0-or-later
// Constraints on the outputs of modules and specs of parameters, for unrolled and for scanned layers.
#include <QtTest>

#include <algorithm>

#include "base/codes.h"
#include "networks/check_transformer.h"
#include "networks/chosen_parts.h"
#include "networks/small_transformers.h"
#include "networks/transformer_training.h"
#include "registered_test.h"

using namespace shardscope;
using Strings = std::vector<std::string>;

namespace {

Annotation byNames(std::initializer_list<const char*> names)
{
    LogicalAxes axes;
    for (const char* name : names)
        axes.names.push_back(*name ? LogicalName::of(name) : LogicalName::none());
    return axes;
}
Annotation byAxes(std::initializer_list<const char*> names)
{
    DeviceAxes axes;
    for (const char* name : names)
        axes.spec.entries.push_back(*name ? SpecEntry::axis(name) : SpecEntry::none());
    return axes;
}

TransformerSettings scanned(TransformerSettings s, std::int64_t layersAxis = 0)
{
    s.form = LayerForm::Scanned;
    s.layersAxis = layersAxis;
    return s;
}

/// Annotations of the constraints on values that are called so.
std::vector<Annotation> constraintsAt(const Program& program, const std::string& path)
{
    std::vector<Annotation> found;
    for (const Operation& operation : program.operations)
        if (const auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes);
            constraint && program.value(operation.results.front()).path == path)
            found.push_back(constraint->annotation);
    return found;
}

std::size_t constraintsIn(const Program& program)
{
    return static_cast<std::size_t>(std::count_if(program.operations.begin(), program.operations.end(),
        [](const Operation& operation) { return operation.kind == OpKind::ShardingConstraint; }));
}

Annotation annotationAt(const TransformerSettings& settings, const std::string& path)
{
    for (const TransformerParameter& parameter : parametersOf(settings))
        if (parameter.path == path)
            return annotationOf(settings, parameter);
    return {};
}

double lossOf(const TransformerSettings& settings)
{
    return test::interpret(buildTransformerForward(settings).value(), test::drawnArguments(settings)).front().front();
}

} // namespace

class TestChosenShardings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void globs()
    {
        QVERIFY(selects("decoder/layers.*", "decoder/layers.1"));
        QVERIFY(selects("params/decoder/layers.*", "decoder/layers.1"));
        QVERIFY(selects("decoder/layers.*/mlp", "decoder/layers/mlp"));
        QVERIFY(selects("decoder/layers/mlp", "decoder/layers.7/mlp"));
        QVERIFY(selects("**/mlp", "decoder/layers/mlp"));
        QVERIFY(selects("decoder/layers.*/mlp", "decoder/moe_layers/mlp"));
        QVERIFY(!selects("decoder/layers.1", "decoder/layers"));
        QVERIFY(!selects("decoder/layers.*", "decoder/layers.1/mlp"));
        QVERIFY(!selects("decoder/layers.*", "encoder/layers.1"));
        QVERIFY(!selects("decoder", "decoder/layers"));
    }

    void lastOneCounts()
    {
        const std::vector<ChosenSharding> chosen{ { "decoder/layers.*", byNames({ "batch" }) },
            { "decoder/layers.1", byNames({ "embed" }) } };
        QVERIFY(chosenFor(chosen, "decoder/layers.0") == &chosen[0]);
        QVERIFY(chosenFor(chosen, "decoder/layers.1") == &chosen[1]);
        QVERIFY(!chosenFor(chosen, "decoder"));
    }

    /// What is taken out of a glob leaves the others.
    void takenOut()
    {
        const Strings paths{ "decoder/layers.0", "decoder/layers.1", "decoder/layers.2" };
        const std::vector<ChosenSharding> all{ { "decoder/layers.*", byNames({ "batch" }) } };
        std::vector<ChosenSharding> chosen = all;
        QVERIFY(takeOut(chosen, "decoder/layers.1", paths));
        QVERIFY(chosen
            == std::vector<ChosenSharding>(
                { { "decoder/layers.0", byNames({ "batch" }) }, { "decoder/layers.2", byNames({ "batch" }) } }));
        QVERIFY(!takeOut(chosen, "decoder/layers.1", paths));
        QVERIFY(takeOut(chosen, "**", paths));
        QVERIFY(chosen.empty());
        chosen = all;
        QVERIFY(!takeOut(chosen, "encoder/**", paths));
        QVERIFY(chosen == all);
    }

    void texts()
    {
        for (const Annotation& axes :
            { byNames({ "batch", "", "embed" }), byNames({ "" }), byAxes({ "data", "" }), byAxes({}) }) {
            const auto again = parseChosenAxes(chosenAxesText(axes));
            QVERIFY2(again.has_value(), chosenAxesText(axes).c_str());
            QVERIFY2(*again == axes, chosenAxesText(axes).c_str());
        }
        QCOMPARE(chosenAxesText(byNames({ "batch", "", "embed" })), "batch, -, embed");
        QVERIFY(*parseChosenAxes(" batch,None , embed ") == byNames({ "batch", "", "embed" }));
        QVERIFY(!parseChosenAxes("  ").has_value());
        QVERIFY(!parseChosenAxes("P('data'").has_value());
    }

    void modules()
    {
        TransformerSettings s = test::tiny();
        s.layers = 1;
        QCOMPARE(constrainableModules(s),
            Strings({ "decoder", "decoder/layers.0", "decoder/layers.0/pre_self_attention_layer_norm",
                "decoder/layers.0/self_attention", "decoder/layers.0/pre_mlp_layer_norm", "decoder/layers.0/mlp",
                "decoder/decoder_norm" }));
        const Strings ofLoop = constrainableModules(scanned(s));
        QCOMPARE(ofLoop[1], "decoder/layers");
        QCOMPARE(ofLoop[3], "decoder/layers/self_attention");
        QCOMPARE(ofLoop.size(), std::size_t(7));
    }

    /// Every module that can be constrained has its constraint in the program, whatever the network is.
    void everyModule_data()
    {
        QTest::addColumn<test::Edit>("edit");
        QTest::newRow("Llama") << test::Edit([](TransformerSettings&) {});
        QTest::newRow("GPT-2") << test::Edit(test::gpt2);
        QTest::newRow("Mixtral") << test::Edit(test::mixtral);
        QTest::newRow("shared experts behind a dense layer") << test::Edit([](TransformerSettings& s) {
            test::mixtral(s);
            s.experts->denseLayers = 1;
            s.experts->sharedMlp = 3;
        });
        QTest::newRow("T5") << test::Edit(test::t5);
        QTest::newRow("Gemma 2") << test::Edit(test::gemma2);
        QTest::newRow("PaLM") << test::Edit(test::palm);
    }
    void everyModule()
    {
        QFETCH(test::Edit, edit);
        for (const bool loop : { false, true }) {
            const TransformerSettings plain = loop ? scanned(test::edited(edit)) : test::edited(edit);
            const std::size_t before = constraintsIn(buildTransformerForward(plain).value());
            TransformerSettings s = plain;
            s.constraints = { { "**", byNames({ "batch" }) } };
            const Program program = buildTransformerForward(s).value();
            const Strings all = constrainableModules(s);
            for (const std::string& path : all) {
                const std::vector<Annotation> found = constraintsAt(program, path + "/constraint");
                QVERIFY2(found.size() == 1, path.c_str());
                QVERIFY(found.front() == byNames({ "batch", "", "" })); // one entry per dimension
            }
            QCOMPARE(constraintsIn(program), before + all.size());
            QCOMPARE(lossOf(s), lossOf(plain)); // and it changes no number
        }
    }

    /// As in Penzai: one after each layer, by mesh axes; and none once it is removed.
    void afterEachLayer()
    {
        TransformerSettings s = test::tiny();
        s.constraints = { { "decoder/layers.*", byAxes({ "devices" }) } };
        const Program program = buildTransformerForward(s).value();
        for (const char* path : { "decoder/layers.0/constraint", "decoder/layers.1/constraint" })
            QVERIFY(constraintsAt(program, path) == std::vector<Annotation>{ byAxes({ "devices" }) });
        // The next layer reads what was constrained.
        const Program ofLoop = buildTransformerForward(scanned(s)).value();
        QVERIFY(constraintsAt(ofLoop, "decoder/layers/constraint") == std::vector<Annotation>{ byAxes({ "devices" }) });
        QVERIFY(takeOut(s.constraints, "decoder/layers.*", constrainableModules(s)));
        QVERIFY(s == test::tiny());
    }

    void specsOfParameters()
    {
        TransformerSettings s = test::tiny();
        const Annotation byRules = annotationAt(s, "decoder/layers.0/mlp/wo/kernel");
        QVERIFY(byRules == byNames({ "mlp", "embed" }));
        s.parameterSpecs = { { "decoder/layers.*/mlp/wo/kernel", byAxes({ "", "model" }) } };
        QVERIFY(annotationAt(s, "decoder/layers.1/mlp/wo/kernel") == byAxes({ "", "model" }));
        QVERIFY(annotationAt(s, "decoder/layers.1/mlp/wi_0/kernel") == byNames({ "embed", "mlp" }));
        // The array of all layers has one dimension more, wherever that stands.
        QVERIFY(annotationAt(scanned(s), "decoder/layers/mlp/wo/kernel") == byAxes({ "", "", "model" }));
        QVERIFY(annotationAt(scanned(s, 1), "decoder/layers/mlp/wo/kernel") == byAxes({ "", "", "model" }));
        QVERIFY(annotationAt(scanned(s, 8), "decoder/layers/mlp/wo/kernel") == byAxes({ "", "model" }));
        // And one that was chosen for that array fits a single layer.
        s.parameterSpecs = { { "decoder/layers/mlp/wo/kernel", byAxes({ "pipeline", "", "model" }) } };
        QVERIFY(annotationAt(scanned(s), "decoder/layers/mlp/wo/kernel") == byAxes({ "pipeline", "", "model" }));
        QVERIFY(annotationAt(s, "decoder/layers.0/mlp/wo/kernel") == byAxes({ "", "model" }));

        // Train steps have it too, for the parameter and for the optimizer's arrays.
        TransformerTraining training{ s, {} };
        const Program step = buildTransformer(training).value();
        for (const char* path : { "params/decoder/layers.0/mlp/wo/kernel", "opt/mu/decoder/layers.0/mlp/wo/kernel" }) {
            const auto& arguments = step.main().arguments;
            const auto found = std::find_if(
                arguments.begin(), arguments.end(), [&](ValueId id) { return step.value(id).path == path; });
            QVERIFY(found != arguments.end());
            const auto index = static_cast<std::size_t>(found - arguments.begin());
            QVERIFY(step.argumentAnnotations[index] == byAxes({ "", "model" }));
        }
    }

    /// What is left of a glob for one layer's arrays shards the same dimensions of the arrays of a loop, and the other
    /// way round.
    void specsTakenOut()
    {
        for (const std::int64_t layersAxis : { 0, 1 }) {
            TransformerSettings s = scanned(test::tiny(), layersAxis);
            s.parameterSpecs = { { "decoder/layers.*/mlp/*/kernel", byAxes({ "", "model" }) } };
            const Annotation before = annotationAt(s, "decoder/layers/mlp/wo/kernel");
            QVERIFY(before == byAxes({ "", "", "model" }));
            QVERIFY(takeOutSpecs(s, "**/wi_0/kernel"));
            QVERIFY(checkTransformer(s).has_value());
            QVERIFY(annotationAt(s, "decoder/layers/mlp/wo/kernel") == before);
            QVERIFY(annotationAt(s, "decoder/layers/mlp/wi_0/kernel")
                == annotationAt(scanned(test::tiny(), layersAxis), "decoder/layers/mlp/wi_0/kernel"));
            QVERIFY(!takeOutSpecs(s, "**/wi_0/kernel"));
        }
        TransformerSettings s = test::tiny();
        s.parameterSpecs = { { "decoder/layers/mlp/*/kernel", byAxes({ "pipeline", "data", "model" }) } };
        QVERIFY(takeOutSpecs(s, "decoder/layers.1/**"));
        QVERIFY(checkTransformer(s).has_value());
        QVERIFY(annotationAt(s, "decoder/layers.0/mlp/wo/kernel") == byAxes({ "data", "model" }));
        QVERIFY(annotationAt(s, "decoder/layers.1/mlp/wo/kernel") == byNames({ "mlp", "embed" }));
    }

    void refused()
    {
        const auto codeOf = [](const TransformerSettings& s) {
            const Result<void> right = checkTransformer(s);
            return right ? std::optional<Code>() : std::optional(right.error().code);
        };
        TransformerSettings s = test::tiny();
        s.constraints = { { "decoder/layers.2", byNames({ "batch" }) } }; // there are 0 and 1
        QVERIFY(codeOf(s) == Code::UnknownValue);
        const Result<void> wrong = checkTransformer(s);
        QCOMPARE(wrong.error().text("key"), "constraints");
        const Strings known = wrong.error().list("known");
        QVERIFY(std::find(known.begin(), known.end(), "decoder/layers.*") != known.end());
        s.constraints = { { "decoder/layers.0", byNames({ "batch" }) } };
        QVERIFY(!codeOf(s));
        QVERIFY(codeOf(scanned(s)) == Code::UnknownValue); // a loop has no single layer
        s.constraints = { { "decoder", byNames({ "batch", "", "", "embed" }) } };
        QVERIFY(codeOf(s) == Code::SpecTooLong);
        s.constraints = { { "**/query", byNames({ "batch" }) } };
        QVERIFY(codeOf(s) == Code::UnknownValue);
        s.constraints.clear();
        s.parameterSpecs = { { "decoder/layers.*/mlp/wo/kernel", byAxes({ "", "", "model" }) } };
        QVERIFY(codeOf(s) == Code::SpecTooLong);
        QVERIFY(codeOf(scanned(s)) == Code::SpecTooLong);
        s.parameterSpecs = { { "decoder/layers.*/mlp/w_o/kernel", byAxes({ "model" }) } };
        QVERIFY(codeOf(s) == Code::UnknownValue);
        s.constraints = { { "encoder/layers.*", byNames({ "batch" }) }, { "decoder", byNames({ "batch" }) } };
        keepFittingShardings(s);
        QVERIFY(s.parameterSpecs.empty());
        QCOMPARE(s.constraints.size(), std::size_t(1));
        QCOMPARE(s.constraints.front().at, "decoder");
    }
};

REGISTER_TEST(TestChosenShardings)
#include "test_chosen_shardings.moc"
