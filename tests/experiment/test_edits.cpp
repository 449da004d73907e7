// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "base/codes.h"
#include "experiment/array_edits.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment/rule_edits.h"
#include "mesh/device_presets.h"
#include "outer_rules.h"
#include "program/factor_rule_text.h"
#include "program/rule_override.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

using Sizes = std::vector<std::int64_t>;

Experiment example(std::string_view id)
{
    for (const Example& candidate : builtinExamples())
        if (candidate.id == id)
            return candidate.make();
    qFatal("no such example");
}

Experiment withMesh(std::vector<MeshAxis> axes)
{
    Experiment experiment = example("flax-mlp-logical");
    experiment.mesh.axes = std::move(axes);
    return experiment;
}

Sizes sizesOf(const Experiment& experiment)
{
    Sizes sizes;
    for (const MeshAxis& axis : experiment.mesh.axes)
        sizes.push_back(axis.size);
    return sizes;
}

std::string namesOf(const Experiment& experiment)
{
    std::string names;
    for (const MeshAxis& axis : experiment.mesh.axes)
        names += (names.empty() ? "" : " ") + axis.name;
    return names;
}

/// "batch>data hidden>model x>(a,b) y>-"
std::string rulesText(const Experiment& experiment)
{
    std::string text;
    for (const LogicalRule& rule : experiment.rules.rules.list) {
        text += (text.empty() ? "" : " ") + rule.name.name + ">";
        if (rule.target.kind == SpecEntry::Kind::None)
            text += "-";
        else if (rule.target.kind == SpecEntry::Kind::Single)
            text += rule.target.axes.front();
        else {
            std::string inner;
            for (const std::string& axis : rule.target.axes)
                inner += (inner.empty() ? "" : ",") + axis;
            text += "(" + inner + ")";
        }
    }
    return text;
}

LogicalRule rule(std::string name, SpecEntry target)
{
    return { LogicalName::of(std::move(name)), std::move(target) };
}

const MlpSettings& mlpExperiment(const Experiment& experiment)
{
    return std::get<MlpModel>(experiment.model).settings;
}

} // namespace

class EditsTest : public QObject {
    Q_OBJECT

    /// The edit takes `before` to something else, and the inverse edit takes that back to the very same value.
    template <class Edit, class Inverse>
    void there(const Experiment& before, Edit edit, Inverse inverse)
    {
        const Result<Experiment> after = edit(before);
        QVERIFY(after.has_value());
        QVERIFY(*after != before);
        const Result<Experiment> back = inverse(*after);
        QVERIFY(back.has_value());
        QVERIFY(*back == before);
    }

    void refused(const Result<Experiment>& result, Code code)
    {
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().code, code);
    }

private Q_SLOTS:
    void axisSize_data()
    {
        QTest::addColumn<Sizes>("before");
        QTest::addColumn<int>("axis");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<bool>("keep");
        QTest::addColumn<Sizes>("after"); // empty = refused
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, Sizes before, int axis, qint64 size, bool keep, Sizes after,
                             int code = 0) { QTest::newRow(name) << before << axis << size << keep << after << code; };
        row("the other axis gives", { 2, 4 }, 0, 4, true, { 4, 2 });
        row("the other axis takes", { 2, 4 }, 1, 2, true, { 4, 2 });
        row("all to one axis", { 2, 4 }, 0, 8, true, { 8, 1 });
        row("the last axis that can", { 2, 2, 2 }, 0, 4, true, { 4, 2, 1 });
        row("passes over one that cannot", { 2, 4, 3 }, 0, 8, true, { 8, 1, 3 });
        row("no change", { 2, 4 }, 0, 2, true, { 2, 4 });
        row("free", { 2, 4 }, 0, 3, false, { 3, 4 });
        row("free to one", { 2, 4 }, 1, 1, false, { 2, 1 });
        row("nobody can take it", { 2, 4 }, 0, 3, true, {}, 115);
        row("a single axis cannot", { 8 }, 0, 4, true, {}, 115);
        row("zero", { 2, 4 }, 0, 0, false, {}, 115);
        row("negative", { 2, 4 }, 0, -2, true, {}, 115);
        row("billions", { 2, 4 }, 0, 4'000'000'000, false, {}, 115);
        row("more than the devices allowed", { 2, 4 }, 0, 1'048'576, false, {}, 126);
        row("no such axis", { 2, 4 }, 2, 2, false, {}, 104);
    }
    void axisSize()
    {
        QFETCH(Sizes, before);
        QFETCH(int, axis);
        QFETCH(qint64, size);
        QFETCH(bool, keep);
        QFETCH(Sizes, after);
        QFETCH(int, code);
        std::vector<MeshAxis> axes;
        for (std::size_t i = 0; i < before.size(); ++i)
            axes.push_back({ "a" + std::to_string(i), before[i] });
        const auto result = withAxisSize(withMesh(axes), static_cast<std::size_t>(axis), size, keep);
        QCOMPARE(result.has_value(), code == 0);
        if (code == 0)
            QCOMPARE(sizesOf(*result), after);
        else
            QCOMPARE(static_cast<int>(result.error().code), code);
    }

    void possibleSizes()
    {
        const Experiment notebook = example("flax-mlp-logical");
        QCOMPARE(possibleAxisSizes(notebook, 0, true), (Sizes{ 1, 2, 4, 8 }));
        // The hardware follows the mesh unless it is pinned.
        QCOMPARE(possibleAxisSizes(notebook, 1, false), (Sizes{ 1, 2, 4, 8, 16 }));
        QCOMPARE(possibleAxisSizes(*withHardwarePinned(notebook, true), 1, false), (Sizes{ 1, 2, 4, 8 }));
        QCOMPARE(possibleAxisSizes(withMesh({ { "a", 8 } }), 0, true), (Sizes{ 8 }));
        QCOMPARE(
            possibleAxisSizes(withMesh({ { "a", 2 }, { "b", 2 }, { "c", 3 } }), 0, true), (Sizes{ 1, 2, 3, 4, 6 }));
        QVERIFY(possibleAxisSizes(notebook, 2, true).empty());
        for (const bool keep : { false, true })
            for (const std::int64_t size : possibleAxisSizes(notebook, 0, keep))
                QVERIFY(withAxisSize(notebook, 0, size, keep).has_value());
    }

    /// The last axis that can give half of its devices to another one, and keeps some.
    void axesToHalve()
    {
        const auto found = [&](std::vector<MeshAxis> axes) { return axisToHalve(withMesh(std::move(axes))); };
        QCOMPARE(found({ { "a", 2 }, { "b", 4 } }), std::optional<std::size_t>(1));
        QCOMPARE(found({ { "a", 4 }, { "b", 2 } }), std::optional<std::size_t>(0));
        QCOMPARE(found({ { "a", 4 }, { "b", 3 } }), std::optional<std::size_t>(0));
        QVERIFY(!found({ { "a", 2 }, { "b", 2 } }));
        QVERIFY(!found({ { "a", 8 } })); // there is no other one
        QVERIFY(!found({}));
    }

    void deviceOrder()
    {
        Experiment experiment = example("flax-mlp-logical");
        experiment.mesh.deviceOrder = { 0, 1, 2, 3, 7, 6, 5, 4 };
        QCOMPARE(withAxisSize(experiment, 0, 4, true)->mesh.deviceOrder, experiment.mesh.deviceOrder);
        QCOMPARE(withAxisMoved(experiment, 0, 1)->mesh.deviceOrder, experiment.mesh.deviceOrder);
        QVERIFY(withAxisSize(experiment, 0, 4, false)->mesh.deviceOrder.empty());
        QVERIFY(withAxisRemoved(experiment, 0)->mesh.deviceOrder.empty());
    }

    void axes()
    {
        const Experiment three = withMesh({ { "pod", 2 }, { "data", 2 }, { "model", 2 } });
        QCOMPARE(namesOf(*withAxisMoved(three, 0, 2)), "data model pod");
        QCOMPARE(namesOf(*withAxisMoved(three, 2, 1)), "pod model data");
        QCOMPARE(namesOf(*withAxisAdded(three, "expert", 2)), "pod data model expert");
        QCOMPARE(namesOf(*withAxisRemoved(three, 1)), "pod model");

        there(
            three, [](const auto& e) { return withAxisSize(e, 0, 4, true); },
            [](const auto& e) { return withAxisSize(e, 0, 2, true); });
        there(
            three, [](const auto& e) { return withAxisMoved(e, 0, 2); },
            [](const auto& e) { return withAxisMoved(e, 2, 0); });
        there(
            three, [](const auto& e) { return withAxisAdded(e, "expert", 4); },
            [](const auto& e) { return withAxisRemoved(e, 3); });
        there(
            three, [](const auto& e) { return withAxisRenamed(e, 2, "tensor"); },
            [](const auto& e) { return withAxisRenamed(e, 2, "model"); });

        refused(withAxisMoved(three, 0, 3), Code::OutOfRange);
        refused(withAxisMoved(three, 3, 0), Code::OutOfRange);
        refused(withAxisRemoved(three, 3), Code::OutOfRange);
        refused(withAxisRenamed(three, 3, "x"), Code::OutOfRange);
        refused(withAxisRenamed(three, 0, "data"), Code::DuplicateAxis);
        refused(withAxisRenamed(three, 0, ""), Code::WrongType);
        refused(withAxisRenamed(three, 0, "a\nb"), Code::WrongType);
        refused(withAxisAdded(three, "data", 2), Code::DuplicateAxis);
        refused(withAxisAdded(three, "x", 0), Code::InvalidAxisSize);
        refused(withAxisAdded(three, "", 2), Code::WrongType);
        refused(withAxisAdded(three, "x", 1'048'576), Code::TooLarge);
        Experiment many = three;
        while (many.mesh.axes.size() < maximumMeshAxes)
            many = *withAxisAdded(many, "a" + std::to_string(many.mesh.axes.size()), 1);
        refused(withAxisAdded(many, "one more", 1), Code::TooLarge);
    }

    void renamingIsFollowed()
    {
        const auto after = withAxisRenamed(example("flax-mlp-logical"), 1, "tensor");
        QCOMPARE(namesOf(*after), "data tensor");
        QCOMPARE(rulesText(*after), "batch>data hidden>tensor");
        QCOMPARE(mlpExperiment(*after).deviceAxes.at("hidden"), SpecEntry::axis("tensor"));
        QCOMPARE(mlpExperiment(*after).deviceAxes.at("batch"), SpecEntry::axis("data"));
    }

    /// A rule that names both the old and the new name would name one axis twice, which no file can hold.
    void renamingOntoAnAxisOfTheSameRule()
    {
        const Experiment notebook = example("flax-mlp-logical");
        const Experiment tuple = *withNameMapped(notebook, "hidden", SpecEntry::tuple({ "model", "expert" }));
        refused(withAxisRenamed(tuple, 1, "expert"), Code::AxisUsedTwice);
        QVERIFY(withAxisRenamed(tuple, 1, "tensor").has_value());
        Experiment device = notebook;
        std::get<MlpModel>(device.model).settings.deviceAxes["hidden"] = SpecEntry::tuple({ "model", "expert" });
        refused(withAxisRenamed(device, 1, "expert"), Code::AxisUsedTwice);
    }

    /// "P.UNCONSTRAINED" stands for no name in files, so nothing can be called that.
    void reservedWord()
    {
        const std::string word = "P.UNCONSTRAINED";
        const Experiment notebook = example("flax-mlp-logical");
        refused(withAxisAdded(notebook, word, 1), Code::WrongType);
        refused(withAxisRenamed(notebook, 0, word), Code::WrongType);
        refused(withRuleInserted(notebook, 0, rule(word, SpecEntry::none())), Code::WrongType);
        refused(withRuleReplaced(notebook, 0, rule("batch", SpecEntry::axis(word))), Code::WrongType);
        refused(withRuleReplaced(notebook, 0, rule("batch", SpecEntry::tuple({ "data", word }))), Code::WrongType);
        refused(withAxisAppendedToRule(notebook, 0, word), Code::WrongType);
        refused(withNameMapped(notebook, word, SpecEntry::axis("data")), Code::WrongType);
        const LogicalRule unconstrained{ LogicalName::unconstrained(), SpecEntry::unconstrained() };
        QVERIFY(withRuleInserted(notebook, 0, unconstrained).has_value());
    }

    void rules()
    {
        const Experiment lab = example("rule-lab");
        QCOMPARE(rulesText(lab), "batch>X features>X heads>Y batch>Z");
        QCOMPARE(rulesText(*withRuleMoved(lab, 1, 0)), "features>X batch>X heads>Y batch>Z");
        QCOMPARE(rulesText(*withRuleMoved(lab, 0, 3)), "features>X heads>Y batch>Z batch>X");
        QCOMPARE(rulesText(*withRuleRemoved(lab, 1)), "batch>X heads>Y batch>Z");
        QCOMPARE(rulesText(*withRuleReplaced(lab, 2, rule("length", SpecEntry::none()))),
            "batch>X features>X length>- batch>Z");
        QCOMPARE(rulesText(*withRuleInserted(lab, 4, rule("length", SpecEntry::tuple({ "Y", "Z" })))),
            "batch>X features>X heads>Y batch>Z length>(Y,Z)");
        QCOMPARE(rulesText(*withAxisAppendedToRule(lab, 0, "Z")), "batch>(X,Z) features>X heads>Y batch>Z");
        const Experiment toNone = *withRuleReplaced(lab, 0, rule("batch", SpecEntry::none()));
        QCOMPARE(rulesText(*withAxisAppendedToRule(toNone, 0, "Y")), "batch>Y features>X heads>Y batch>Z");
        QCOMPARE(rulesText(*withNameMapped(lab, "batch", SpecEntry::axis("Y"))), "batch>Y features>X heads>Y batch>Z");
        QCOMPARE(rulesText(*withNameMapped(lab, "length", SpecEntry::axis("Z"))),
            "batch>X features>X heads>Y batch>Z length>Z");

        there(
            lab, [](const auto& e) { return withRuleMoved(e, 0, 3); },
            [](const auto& e) { return withRuleMoved(e, 3, 0); });
        there(
            lab, [](const auto& e) { return withRuleRemoved(e, 1); },
            [&](const auto& e) { return withRuleInserted(e, 1, lab.rules.rules.list[1]); });
        there(
            lab, [](const auto& e) { return withNameMapped(e, "length", SpecEntry::axis("Z")); },
            [](const auto& e) { return withRuleRemoved(e, 4); });
        there(
            lab, [](const auto& e) { return withAxisAppendedToRule(e, 0, "Z"); },
            [&](const auto& e) { return withRuleReplaced(e, 0, lab.rules.rules.list[0]); });

        refused(withRuleMoved(lab, 4, 0), Code::OutOfRange);
        refused(withRuleMoved(lab, 0, 4), Code::OutOfRange);
        refused(withRuleRemoved(lab, 4), Code::OutOfRange);
        refused(withRuleInserted(lab, 5, rule("x", SpecEntry::none())), Code::OutOfRange);
        refused(withRuleReplaced(lab, 4, rule("x", SpecEntry::none())), Code::OutOfRange);
        refused(withRuleReplaced(lab, 0, rule("", SpecEntry::none())), Code::WrongType);
        refused(withRuleReplaced(lab, 0, rule("x", SpecEntry::axis("a\tb"))), Code::WrongType);
        refused(withAxisAppendedToRule(lab, 0, "X"), Code::AxisUsedTwice);
        refused(withAxisAppendedToRule(lab, 9, "X"), Code::OutOfRange);
        refused(withNameMapped(lab, "", SpecEntry::axis("X")), Code::WrongType);
    }

    /// Rules of a part of the model are lists of their own: the edits of one leave the others alone.
    void rulesOfParts()
    {
        const Experiment lab = example("rule-lab");
        const LogicalRule mlpExperiment = rule("mlp", SpecEntry::axis("X"));
        Experiment parts = *withInnerRules(*withInnerRules(lab, "decoder", { mlpExperiment }), "decoder/layer_1");
        const RuleList decoder{ 0 }, layer{ 1 };
        const auto of = [](const Experiment& experiment, RuleList list) {
            Experiment shown = experiment;
            shown.rules.rules.list = rulesIn(experiment.rules, list);
            return rulesText(shown);
        };
        QCOMPARE(of(parts, decoder), "mlp>X");
        QCOMPARE(of(parts, layer), "");
        QCOMPARE(rulesText(parts), rulesText(lab));
        QVERIFY(!(parts == lab));
        Experiment otherPart = parts;
        otherPart.rules.inner[1].within = "decoder/layer_2";
        QVERIFY(!(otherPart == parts));

        parts = *withRuleInserted(parts, layer, 0, mlpExperiment);
        parts = *withRuleInserted(parts, layer, 1, rule("embed", SpecEntry::none()));
        QCOMPARE(of(parts, layer), "mlp>X embed>-");
        QCOMPARE(of(*withRuleMoved(parts, layer, 1, 0), layer), "embed>- mlp>X");
        QCOMPARE(of(*withRuleRemoved(parts, layer, 0), layer), "embed>-");
        QCOMPARE(of(*withRuleReplaced(parts, layer, 0, rule("mlp", SpecEntry::axis("Y"))), layer), "mlp>Y embed>-");
        QCOMPARE(of(*withAxisAppendedToRule(parts, layer, 0, "Z"), layer), "mlp>(X,Z) embed>-");
        QCOMPARE(of(*withNameMapped(parts, layer, "heads", SpecEntry::axis("Z")), layer), "mlp>X embed>- heads>Z");
        QCOMPARE(of(*withRulesOfList(parts, layer, {}), layer), "");
        for (const Experiment& edited : { *withRuleMoved(parts, layer, 1, 0), *withRuleRemoved(parts, layer, 0) }) {
            QCOMPARE(of(edited, decoder), "mlp>X");
            QCOMPARE(rulesText(edited), rulesText(lab));
        }
        there(
            parts, [&](const auto& e) { return withRuleMoved(e, layer, 1, 0); },
            [&](const auto& e) { return withRuleMoved(e, layer, 0, 1); });
        there(
            parts, [&](const auto& e) { return withInnerRulesRenamed(e, layer, "encoder"); },
            [&](const auto& e) { return withInnerRulesRenamed(e, layer, "decoder/layer_1"); });
        there(
            parts, [](const auto& e) { return withInnerRules(e, "new"); },
            [](const auto& e) { return withoutInnerRules(e, { 2 }); });

        // Mesh axes that are renamed are so everywhere.
        QCOMPARE(of(*withAxisRenamed(parts, 0, "W"), layer), "mlp>W embed>-");
        QCOMPARE(of(*withAxisRenamed(parts, 0, "W"), decoder), "mlp>W");
        refused(withAxisRenamed(*withAxisAppendedToRule(parts, decoder, 0, "W"), 0, "W"), Code::AxisUsedTwice);

        for (const char* wrong : { "", "decoder/", "/decoder", "a\tb", "decoder" }) {
            refused(withInnerRules(parts, wrong), Code::WrongType);
            refused(withInnerRulesRenamed(parts, layer, wrong), Code::WrongType);
        }
        QVERIFY(withInnerRulesRenamed(parts, layer, "decoder/layer_1").has_value()); // as it is
        refused(withRuleMoved(parts, { 2 }, 0, 0), Code::OutOfRange);
        refused(withRuleRemoved(parts, layer, 2), Code::OutOfRange);
        refused(withRuleInserted(parts, layer, 3, mlpExperiment), Code::OutOfRange);
        refused(withRuleInserted(parts, { 2 }, 0, mlpExperiment), Code::OutOfRange);
        refused(withNameMapped(parts, { 2 }, "mlp", SpecEntry::none()), Code::OutOfRange);
        refused(withoutInnerRules(parts, {}), Code::OutOfRange);
        refused(withoutInnerRules(parts, { 2 }), Code::OutOfRange);
        refused(withInnerRulesRenamed(parts, {}, "x"), Code::OutOfRange);
        refused(withRulesOfList(parts, layer, { rule("a", SpecEntry::tuple({ "X", "X" })) }), Code::AxisUsedTwice);

        // What a file said of a list goes with it, and stays with the others.
        parts.innerNotes = { { "/rules/inner/0", "of the decoder" }, { "/rules/inner/1", "of the layer" },
            { "/rules", "of all" } };
        parts.unknownKeys = { { "/rules/inner/1", "colour", "rules", "1" } };
        const Experiment without = *withoutInnerRules(parts, decoder);
        QCOMPARE(without.rules.inner.size(), 1U);
        QCOMPARE(without.rules.inner[0].within, "decoder/layer_1");
        QCOMPARE(without.innerNotes.size(), 2U);
        QCOMPARE(without.innerNotes[0], std::pair(std::string("/rules/inner/0"), std::string("of the layer")));
        QCOMPARE(without.unknownKeys.begin()->pointer, "/rules/inner/0");
    }

    /// Rules for one array alone follow its new name.
    void rulesFollowTheArray()
    {
        Experiment lab = *withInnerRules(example("rule-lab"), "array");
        NamedArraySetting renamed = std::get<ArraysModel>(lab.model).arrays[0];
        renamed.path = "other";
        QCOMPARE(withArrayReplaced(lab, 0, renamed)->rules.inner[0].within, "other");
        renamed.path = "other/";
        QCOMPARE(withArrayReplaced(lab, 0, renamed)->rules.inner[0].within, "array"); // no part can be called that
        lab = *withInnerRules(lab, "other");
        renamed.path = "other";
        QCOMPARE(withArrayReplaced(lab, 0, renamed)->rules.inner[0].within, "array"); // has rules already
    }

    void listOfAPath()
    {
        RulesSetting rules;
        rules.inner = { { "decoder", {} }, { "decoder/layer_1", {} }, { "x", {} } };
        const auto list = [&](const char* path) { return listFor(rules, path).inner; };
        QCOMPARE(list("encoder/wi"), -1);
        QCOMPARE(list("decoder"), 0);
        QCOMPARE(list("decoder/layer_0/wi"), 0);
        QCOMPARE(list("decoder/layer_1"), 1);
        QCOMPARE(list("decoder/layer_1/wi"), 1);
        QCOMPARE(list("decoder/layer_10/wi"), 0); // no part of that path
        QCOMPARE(list("decoders"), -1);
        QCOMPARE(list("a/x"), -1);
        QCOMPARE(list(""), -1);
        for (const RulePlace place : { RulePlace{ {}, -1 }, RulePlace{ {}, 0 }, RulePlace{ {}, 9'999 },
                 RulePlace{ { 0 }, -1 }, RulePlace{ { 0 }, 0 }, RulePlace{ { 499 }, 9'999 } }) {
            QVERIFY(rulePlace(ruleNumber(place)) == place);
            if (place.rule >= 0 || !place.list.isOuter())
                QVERIFY(rulePlaceOf(rulePointer(place)) == place);
        }
        QCOMPARE(ruleNumber({ {}, 3 }), 3);
        QCOMPARE(rulePointer({ { 2 }, 1 }), "/rules/inner/2/rules/1");
        QVERIFY(rulePlaceOf("/rules/inner/2/rules/1/0") == (RulePlace{ { 2 }, 1 }));
        QVERIFY(rulePlaceOf("/rules/inner/2/within") == (RulePlace{ { 2 }, -1 }));
        for (const char* other : { "", "/rules", "/rules/list", "/rules/list/x", "/rules/inner", "/rules/inner/-1",
                 "/mesh/axes/0", "/rules/list/99999999999999999999" })
            QVERIFY2(!rulePlaceOf(other), other);
    }

    void settings()
    {
        const Experiment notebook = example("flax-mlp-logical");
        there(
            notebook, [](const auto& e) { return withDialect(e, Dialect::MaxText); },
            [](const auto& e) { return withDialect(e, Dialect::FlaxLinen); });
        there(
            notebook, [](const auto& e) { return withRulesVersion(e, FlaxVersion::Current); },
            [](const auto& e) { return withRulesVersion(e, FlaxVersion::Year2024); });
        there(
            notebook, [](const auto& e) { return withFallback(e, RulesFallback::RaiseError); },
            [](const auto& e) { return withFallback(e, RulesFallback::AxisIsUnsharded); });
        there(
            notebook, [](const auto& e) { return withRulesBound(e, true); },
            [](const auto& e) { return withRulesBound(e, false); });
        there(
            notebook, [](const auto& e) { return withConstraintMesh(e, ConstraintMesh::None); },
            [](const auto& e) { return withConstraintMesh(e, ConstraintMesh::Context); });
        there(
            notebook, [](const auto& e) { return withPlatform(e, "tpu"); },
            [](const auto& e) { return withPlatform(e, "cpu"); });
        QCOMPARE(withPlatform(notebook, "tpu")->hardware.devices.kind, "generic-tpu");
        refused(withPlatform(notebook, "abacus"), Code::UnknownValue);

        QVERIFY(mlpExperiment(notebook).yConstraint == MlpSettings::Axes::Device);
        QVERIFY(mlpExperiment(*withLogicalYConstraint(notebook)).yConstraint == MlpSettings::Axes::Logical);
        refused(withLogicalYConstraint(example("rule-lab")), Code::InvalidAttribute);
    }

    void devicesForMesh()
    {
        const auto devices = [](std::vector<MeshAxis> axes) {
            const DeviceSet set = withDevicesForMesh(withMesh(std::move(axes)))->hardware.devices;
            return std::pair(set.hosts, set.devicesPerHost);
        };
        QCOMPARE(devices({ { "a", 4 }, { "b", 4 } }), std::pair(2, 8)); // two hosts stay
        QCOMPARE(devices({ { "a", 3 }, { "b", 5 } }), std::pair(1, 15));
        QCOMPARE(devices({}), std::pair(1, 1));
        const auto fitted = withDevicesForMesh(withMesh({ { "a", 3 }, { "b", 4 } }));
        QCOMPARE(fitted->hardware.devices.count(), 12);
    }

    /// The hardware has as many devices as the mesh needs, unless it is pinned or cannot be had in that size.
    void hardwareFollowsTheMesh()
    {
        const Experiment notebook = example("flax-mlp-logical");
        const auto devices = [](const Result<Experiment>& after) { return toText(after->hardware.devices); };
        QCOMPARE(devices(withAxisSize(notebook, 0, 4, false)), "cpu:2x8");
        QCOMPARE(devices(withAxisSize(notebook, 0, 4, true)), "cpu:2x4"); // the other axis takes the inverse
        QCOMPARE(devices(withAxisAdded(notebook, "pod", 3)), "cpu:2x12");
        QCOMPARE(devices(withAxisRemoved(notebook, 0)), "cpu:2x2");
        QCOMPARE(devices(withAxisSizes(notebook, { 4, 1 })), "cpu:2x2");
        QCOMPARE(devices(withAxisMoved(notebook, 0, 1)), "cpu:2x4");

        const Result<Experiment> pinned = withHardwarePinned(notebook, true);
        QVERIFY(pinned && pinned->hardware.pinned && !(*pinned == notebook));
        QCOMPARE(devices(withAxisSize(*pinned, 0, 4, false)), "cpu:2x4");
        QCOMPARE(devices(withDevicesForMesh(*withAxisSize(*pinned, 0, 4, false))), "cpu:2x8"); // when it is asked for

        // Chips stay on a grid.
        Experiment chips = notebook;
        chips.hardware.devices = *parseDevices("tpu-v4:2x2x2");
        QVERIFY(withAxisSize(chips, 0, 4, false)->hardware.devices.hasChipGrid());
        QCOMPARE(withAxisSize(chips, 0, 4, false)->hardware.devices.count(), 16);
        QCOMPARE(devices(withAxisSize(chips, 0, 7, false)), "tpu-v4:2x2x7");
        // Devices that are listed one by one stay as they are.
        Experiment listed = notebook;
        listed.hardware.devices.own = { { 0, 0 }, { 1, 0 } };
        QCOMPARE(withAxisSize(listed, 0, 4, false)->hardware.devices, listed.hardware.devices);

        // What a drag began with is the start, not what it went through.
        const Experiment odd = *withAxisSize(*withAxisSize(notebook, 1, 1, false), 0, 1, false);
        QCOMPARE(toText(odd.hardware.devices), "cpu:1");
        const Experiment back = *withAxisSizes(odd, { 2, 4 });
        QCOMPARE(toText(withHardwareFollowing(back, notebook.hardware).hardware.devices), "cpu:2x4");
    }

    void dimensions()
    {
        const Experiment notebook = example("flax-mlp-logical");
        for (const char* name : { "batch", "embed", "hidden", "layers" }) {
            const auto after = withDimension(notebook, name, 12);
            QVERIFY(after.has_value());
            const MlpSettings& s = mlpExperiment(*after);
            QCOMPARE((s.batch == 12) + (s.embed == 12) + (s.hidden == 12) + (s.layers == 12), 1);
        }
        there(
            notebook, [](const auto& e) { return withDimension(e, "batch", 10); },
            [](const auto& e) { return withDimension(e, "batch", 8); });
        refused(withDimension(notebook, "batch", 0), Code::OutOfRange);
        // What can be set can be saved and read again.
        const std::int64_t largest = std::int64_t{ 1 } << 40;
        QVERIFY(withDimension(notebook, "batch", largest));
        QVERIFY(withDimension(notebook, "layers", 4096));
        refused(withDimension(notebook, "batch", largest + 1), Code::OutOfRange);
        refused(withDimension(notebook, "layers", 4097), Code::OutOfRange);
        const auto misspelt = withDimension(notebook, "hiden", 8);
        refused(misspelt, Code::UnknownValue);
        QCOMPARE(misspelt.error().text("nearest"), "hidden");

        const Experiment lab = example("rule-lab");
        refused(withDimension(lab, "length", largest + 1), Code::OutOfRange);
        const auto after = withDimension(lab, "length", 7);
        QCOMPARE(std::get<ArraysModel>(after->model).arrays[0].shape, (Shape{ 8, 7, 4, 64 }));
        refused(withDimension(lab, "layers", 7), Code::UnknownValue);
    }

    void propagation()
    {
        const Experiment before = example("flax-mlp-logical");
        const auto after = withPropagation(before, { StrategyChoice::Basic, true, true });
        QVERIFY(after.has_value());
        QCOMPARE(after->propagation.strategy, StrategyChoice::Basic);
        QVERIFY(!(*after == before));
        QVERIFY(*withPropagation(*after, {}) == before);
    }

    void shardingRules()
    {
        const auto made = experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.add %a, %b : tensor<8x4xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
})") },
            "sum");
        QVERIFY(made.has_value());
        const Program program = buildProgram(*made)->program;
        const auto rulesIn = [](const Experiment& experiment) {
            return std::get<ProgramModel>(experiment.model).shardingRules;
        };
        // In its usual form, whatever way it is written.
        const std::string usual = "([i, j], [i, j])->([i, j]) {i=8, j=4} blocked_propagation={j}";
        const auto one = withShardingRule(*made, program, "0",
            "#sdy.op_sharding_rule<([i,j],[i,j])->([i,j]) {i=8, j=4} blocked_propagation={j}, custom>");
        QVERIFY(one.has_value());
        QCOMPARE(rulesIn(*one), (std::vector<RuleOverride>{ { "0", usual } }));
        QVERIFY(!(*one == *made));
        // Another one takes its place; without it all is as it was.
        const auto other = withShardingRule(*one, program, "0", "([i, j], [i, j])->([i, j]) {i=8, j=4}");
        QCOMPARE(rulesIn(*other).size(), std::size_t{ 1 });
        QVERIFY(*withoutShardingRule(*other, "0") == *made);
        refused(withoutShardingRule(*made, "0"), Code::UnknownTensor);

        refused(withShardingRule(*made, program, "0", "rows"), Code::BadRule);
        refused(withShardingRule(*made, program, "0", "([i, j])->([i, j]) {i=8, j=4}"), Code::BadRule);
        refused(withShardingRule(*made, program, "0", "([i, j], [i, j])->([i, j]) {i=8, j=4, k=2}"), Code::BadFactor);
        refused(withShardingRule(*made, program, "0", "([i], [i])->([i]) {i=8}"), Code::BadFactor);
        refused(withShardingRule(*made, program, "1", "([i, j])->([i, j]) {i=8, j=4}"), Code::BadRule);
        refused(withShardingRule(*made, program, "a", "([i, j])->([i, j]) {i=8, j=4}"), Code::BadRule);
        refused(withShardingRule(*made, program, "7", "([i, j])->([i, j]) {i=8, j=4}"), Code::UnknownTensor);
        refused(withShardingRule(example("flax-mlp-logical"), program, "0", usual), Code::InvalidAttribute);

        // Attached, the program has it; what does not fit says where it stands in the file.
        Program attached = program;
        QVERIFY(attachRules(attached, std::get<ProgramModel>(one->model)).empty());
        const Operation& sum = attached.operation(operationAt(attached, "0"));
        QCOMPARE(toString(factorRule(attached, sum)), usual + ", custom");
        ProgramModel wrong = std::get<ProgramModel>(one->model);
        wrong.shardingRules.push_back({ "9", usual });
        const std::vector<Diagnostic> found = attachRules(attached, wrong);
        QCOMPARE(found.size(), std::size_t{ 1 });
        QCOMPARE(found[0].code, Code::UnknownTensor);
        QCOMPARE(found[0].where.pointer, "/model/sharding_rules/9");
    }

    void placement()
    {
        there(
            example("flax-mlp-logical"), [](const Experiment& e) { return withParamsOnDevices(e, false); },
            [](const Experiment& e) { return withParamsOnDevices(e, true); });
        Experiment arrays = example("rule-lab");
        there(
            arrays, [](const Experiment& e) { return withMemoryKind(e, "array", MemoryKind::PinnedHost); },
            [](const Experiment& e) { return withMemoryKind(e, "array", {}); });
        refused(withMemoryKind(arrays, "arrays", MemoryKind::PinnedHost), Code::UnknownTensor);
        QCOMPARE(withMemoryKind(arrays, "arrays", {}).error().text("nearest"), std::string("array"));
        refused(withMemoryKind(example("flax-mlp-logical"), "x", {}), Code::InvalidAttribute);
    }

    void examples()
    {
        QCOMPARE(builtinExamples().size(), std::size_t{ 3 });
        QCOMPARE(builtinExamples().front().id, "flax-mlp-logical");
        for (const Example& each : builtinExamples()) {
            const Experiment experiment = each.make();
            const auto mesh = makeMesh(experiment.mesh);
            QVERIFY(mesh.has_value());
            QCOMPARE(mesh->deviceCount(), experiment.hardware.devices.count());
            QVERIFY(buildProgram(experiment).has_value());
        }
        // The two notebook forms differ in the axes of the annotations and in what they say of themselves.
        Experiment device = example("flax-mlp-device");
        const Experiment logical = example("flax-mlp-logical");
        QVERIFY(mlpExperiment(device).axes == MlpSettings::Axes::Device);
        std::get<MlpModel>(device.model).settings.axes = MlpSettings::Axes::Logical;
        device.title = logical.title;
        device.notes = logical.notes;
        device.acknowledged = logical.acknowledged; // of the logical constraints
        QVERIFY(device == logical);
    }
};

REGISTER_TEST(EditsTest)
#include "test_edits.moc"
