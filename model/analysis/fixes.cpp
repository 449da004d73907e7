// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fixes.h"

#include "analysis/idle_settings.h"
#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment/mesh_order.h"
#include "experiment/network_edits.h"
#include "experiment/rule_edits.h"
#include "pipeline/snapshot.h"

#include <algorithm>

namespace shardscope {

namespace {

/// The list for that part; one after the last where there is none.
RuleList listWithin(const RulesSetting& rules, const std::string& within)
{
    const auto found = std::find_if(
        rules.inner.begin(), rules.inner.end(), [&](const InnerRules& each) { return each.within == within; });
    return { static_cast<std::int32_t>(found - rules.inner.begin()) };
}

Result<std::size_t> axisIndex(const Experiment& experiment, const std::string& name)
{
    const auto& axes = experiment.mesh.axes;
    const auto found = std::find_if(axes.begin(), axes.end(), [&](const MeshAxis& a) { return a.name == name; });
    if (found == axes.end())
        return fail(Code::UnknownAxis, { { "axis", name } });
    return static_cast<std::size_t>(found - axes.begin());
}

Result<LogicalRule> ruleAt(const Experiment& experiment, RulePlace place)
{
    const auto& list = rulesIn(experiment.rules, place.list);
    if (!hasList(experiment.rules, place.list) || place.rule < 0 || static_cast<std::size_t>(place.rule) >= list.size())
        return fail(Code::OutOfRange,
            { { "key", "rule" }, { "value", place.rule }, { "min", 0 },
                { "max", static_cast<std::int64_t>(list.size()) - 1 } });
    return list[static_cast<std::size_t>(place.rule)];
}

SpecEntry targetOf(const std::vector<std::string>& axes)
{
    return axes.size() == 1 ? SpecEntry::axis(axes.front()) : SpecEntry::tuple(axes);
}

} // namespace

Result<Experiment> applyFix(const Experiment& experiment, const Fix& fix)
{
    const auto number = static_cast<std::size_t>(fix.number);
    const RulePlace place = rulePlace(fix.number); // of fixes of rules
    const auto rule = static_cast<std::size_t>(place.rule);
    switch (fix.kind) {
    case Fix::Kind::BindRules:
        return withRulesBound(experiment, true);
    case Fix::Kind::AssumeTpu:
        return withPlatform(experiment, "tpu");
    case Fix::Kind::BindRulesOnTpu: {
        SHARDSCOPE_TRY(bound, withRulesBound(experiment, true));
        return withPlatform(*bound, "tpu");
    }
    case Fix::Kind::EnterMesh:
        return withConstraintMesh(experiment, ConstraintMesh::Context);
    case Fix::Kind::UseLogicalNames:
        return withLogicalYConstraint(experiment);
    case Fix::Kind::DevicesForMesh:
        return withDevicesForMesh(experiment);
    case Fix::Kind::SetDimension:
        return withDimension(experiment, fix.name, fix.number);
    case Fix::Kind::SetAxisSize: {
        SHARDSCOPE_TRY(axis, axisIndex(experiment, fix.name));
        const bool fits = [&] {
            std::int64_t product = 1;
            for (const MeshAxis& a : experiment.mesh.axes)
                product *= a.size;
            return product == experiment.hardware.devices.count();
        }();
        // On a mesh that fits its devices the product is kept where another axis can take the inverse change.
        if (fits)
            if (Result<Experiment> kept = withAxisSize(experiment, *axis, fix.number, true))
                return kept;
        return withAxisSize(experiment, *axis, fix.number, false);
    }
    case Fix::Kind::RemoveRule:
        // Lists are known by their part: another may stand at the number by now.
        return place.rule < 0 ? withoutInnerRules(experiment, listWithin(experiment.rules, fix.name))
                              : withRuleRemoved(experiment, place.list, rule);
    case Fix::Kind::MoveRuleAbove:
        return withRuleMoved(experiment, place.list, rule, static_cast<std::size_t>(fix.other));
    case Fix::Kind::AddFallbackRow: {
        SHARDSCOPE_TRY(fallback, ruleAt(experiment, place));
        fallback->target = targetOf(fix.axes);
        return withRuleInserted(experiment, place.list, rule + 1, *fallback);
    }
    case Fix::Kind::RenameAxisInRule: {
        SHARDSCOPE_TRY(renamed, ruleAt(experiment, place));
        for (std::string& axis : renamed->target.axes) {
            const bool known = std::any_of(experiment.mesh.axes.begin(), experiment.mesh.axes.end(),
                [&](const MeshAxis& a) { return a.name == axis; });
            if (!known)
                axis = fix.name;
        }
        return withRuleReplaced(experiment, place.list, rule, *renamed);
    }
    case Fix::Kind::RenameRule: {
        SHARDSCOPE_TRY(renamed, ruleAt(experiment, place));
        renamed->name.name = fix.name;
        return withRuleReplaced(experiment, place.list, rule, *renamed);
    }
    case Fix::Kind::MapName:
        return withNameMapped(experiment, place.list, fix.name, targetOf(fix.axes));
    case Fix::Kind::LeaveUnsharded:
        return withFallback(experiment, RulesFallback::AxisIsUnsharded);
    case Fix::Kind::MoveAxis: {
        SHARDSCOPE_TRY(axis, axisIndex(experiment, fix.name));
        return withAxisMoved(experiment, *axis, number);
    }
    case Fix::Kind::RemoveAxis: {
        SHARDSCOPE_TRY(axis, axisIndex(experiment, fix.name));
        return withAxisRemoved(experiment, *axis);
    }
    case Fix::Kind::SharePhysicalAxes: {
        OrderSetting order = experiment.mesh.order;
        order.sharePhysicalAxes = true;
        return withOrder(experiment, std::move(order));
    }
    case Fix::Kind::SetAxisSizes: {
        SHARDSCOPE_TRY(sizes, parseMeshShape(fix.name));
        return withAxisSizes(experiment, *sizes);
    }
    case Fix::Kind::OrderAutomatically:
        return withOrder(experiment, automaticOrder(experiment.hardware.devices, experiment.mesh));
    case Fix::Kind::SetSubmesh: {
        SHARDSCOPE_TRY(submesh, parseMeshShape(fix.name));
        OrderSetting order = experiment.mesh.order;
        order.method = OrderMethod::T5x;
        std::int64_t places = 1;
        order.submesh.clear();
        for (const std::int64_t size : *submesh) {
            order.submesh.push_back(static_cast<std::int32_t>(size));
            places *= size;
        }
        Result<Experiment> after = withOrder(experiment, std::move(order));
        if (!after || after->mesh.axes.size() != 2 || after->hardware.devices.count() % places != 0)
            return after;
        return withAxisSizes(*after, { after->hardware.devices.count() / places, places });
    }
    case Fix::Kind::SetDcnShape: {
        SHARDSCOPE_TRY(slices, parseMeshShape(fix.name));
        if (slices->size() != experiment.mesh.axes.size())
            return fail(
                Code::AxisNamesLength, { { "names", experiment.mesh.axes.size() }, { "axes", slices->size() } });
        OrderSetting order = experiment.mesh.order;
        order.dcn.clear();
        for (std::size_t i = 0; i < slices->size(); ++i)
            order.dcn.push_back({ experiment.mesh.axes[i].name, (*slices)[i] });
        return withOrder(experiment, std::move(order));
    }
    case Fix::Kind::Rematerialise:
        return withRemat(experiment, RematPolicy::Full);
    case Fix::Kind::ScanLayers:
        return withLayerForm(experiment, LayerForm::Scanned);
    case Fix::Kind::ParamsOnHost:
        return withParamsOnDevices(experiment, false);
    case Fix::Kind::DropShardingRule:
        return withoutShardingRule(experiment, fix.name);
    case Fix::Kind::LeaveOutSettings:
        return withoutSettings(experiment, fix.axes);
    case Fix::Kind::OrderById:
        return withOrder(experiment, {});
    }
    return fail(Code::InvalidAttribute, { { "op", "fix" } });
}

} // namespace shardscope
