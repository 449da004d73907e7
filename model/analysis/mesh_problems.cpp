// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about the mesh and the memory of its devices.
// Declared in problems.h.
#include <algorithm>
#include <iterator>
#include <optional>

#include "analysis/fixes.h"
#include "analysis/problems.h"
#include "base/alike.h"
#include "base/codes.h"
#include "experiment/mesh_order.h"
#include "experiment/model_settings.h"
#include "experiment/network_edits.h"
#include "schedule/plan.h"

namespace shardscope {

namespace {

/// A rule or the model speaks of the mesh axis.
bool isNamed(const Experiment& experiment, const std::string& axis)
{
    const auto names = [&](const SpecEntry& entry) {
        return std::find(entry.axes.begin(), entry.axes.end(), axis) != entry.axes.end();
    };
    const auto anyRule = [&](const LogicalRules& rules) {
        return std::any_of(
            rules.list.begin(), rules.list.end(), [&](const LogicalRule& rule) { return names(rule.target); });
    };
    const std::vector<InnerRules>& inner = experiment.rules.inner;
    if (anyRule(experiment.rules.rules)
        || std::any_of(inner.begin(), inner.end(), [&](const InnerRules& each) { return anyRule(each.rules); }))
        return true;
    return namesMeshAxis(experiment, axis);
}

} // namespace

Problem orderProblem(const Experiment& experiment, Diagnostic diagnostic)
{
    constexpr std::size_t maxShapes = 2;
    const OrderSetting& order = experiment.mesh.order;
    std::vector<Fix> candidates;
    const auto offer = [&](std::string_view list, Fix::Kind kind) {
        std::vector<std::string> named = diagnostic.list(list);
        named.resize(std::min(named.size(), maxShapes));
        for (std::string& each : named)
            candidates.push_back({ kind, std::move(each), 0, 0 });
    };
    if (diagnostic.code == Code::NoAxisAssignment && order.method != OrderMethod::MakeMesh && !order.sharePhysicalAxes)
        candidates.push_back({ Fix::Kind::SharePhysicalAxes, {}, 0, 0 });
    if (diagnostic.code == Code::OrderShape) {
        candidates.push_back({ Fix::Kind::SetAxisSizes, diagnostic.text("shape"), 0, 0 });
    } else if (diagnostic.code == Code::GranuleCountMismatch) {
        offer("shapes", Fix::Kind::SetDcnShape);
    } else if (order.method != OrderMethod::Hybrid) { // there they are those inside a slice
        offer("shapes", Fix::Kind::SetAxisSizes);
    }
    offer("submeshes", Fix::Kind::SetSubmesh);
    if (!(automaticOrder(experiment.hardware.devices, experiment.mesh) == order))
        candidates.push_back({ Fix::Kind::OrderAutomatically, {}, 0, 0 });
    candidates.push_back({ Fix::Kind::OrderById, {}, 0, 0 });
    Problem problem{ std::move(diagnostic), {}, {} };
    for (Fix& fix : candidates)
        if (const Result<Experiment> after = applyFix(experiment, fix);
            after && orderedMesh(after->hardware.devices, after->mesh))
            problem.fixes.push_back(std::move(fix));
    return problem;
}

std::vector<Problem> meshProblems(const Experiment& experiment, const Mesh& mesh)
{
    std::vector<Problem> problems;
    const std::int64_t devices = experiment.hardware.devices.count();
    if (mesh.deviceCount() != devices) {
        Diagnostic diagnostic{ Code::DevicesMismatch, { { "product", mesh.deviceCount() }, { "devices", devices } },
            {} };
        diagnostic.where.pointer = "/mesh/axes";
        Problem problem{ std::move(diagnostic), { { Fix::Kind::DevicesForMesh, {}, mesh.deviceCount(), 0 } }, {} };
        // An axis that would be left with one device is the last resort.
        std::optional<Fix> alone;
        for (std::size_t i = mesh.rank(); i-- > 0;) {
            const std::int64_t others = mesh.deviceCount() / mesh.size(i);
            if (devices % others != 0)
                continue;
            Fix fix{ Fix::Kind::SetAxisSize, mesh.axis(i).name, devices / others, 0 };
            const bool shards = fix.number > 1;
            if (shards || !alone)
                alone = std::move(fix);
            if (shards)
                break;
        }
        if (alone)
            problem.fixes.push_back(std::move(*alone));
        problems.push_back(std::move(problem));
    }
    std::vector<Problem> named; // an axis that somebody names is there to grow
    for (std::size_t i = 0; i < mesh.rank(); ++i) {
        // A single device has to have some axis, and a program that names no mesh is on one.
        if (mesh.size(i) != 1 || mesh.rank() == 1)
            continue;
        Diagnostic diagnostic{ Code::SizeOneAxis, { { "axis", mesh.axis(i).name } }, {} };
        diagnostic.where.pointer = "/mesh/axes/" + std::to_string(i);
        if (isNamed(experiment, mesh.axis(i).name))
            named.push_back({ std::move(diagnostic), {}, {} });
        else
            problems.push_back({ std::move(diagnostic), { { Fix::Kind::RemoveAxis, mesh.axis(i).name, 0, 0 } }, {} });
    }
    constexpr std::size_t listed = 3; // MaxText's meshes have a dozen
    if (named.size() > listed) {
        std::vector<const Diagnostic*> all;
        std::vector<std::size_t> group;
        for (const Problem& each : named) {
            group.push_back(all.size());
            all.push_back(&each.diagnostic);
        }
        Diagnostic one = forAll(all, group);
        named.erase(named.begin() + 1, named.end());
        named.front().diagnostic = std::move(one);
    }
    std::move(named.begin(), named.end(), std::back_inserter(problems));
    return problems;
}

namespace {

/// What a device holds of parameters at the peak beyond its own shards: what it has gathered.
std::int64_t gatheredParameters(const Plan& plan)
{
    const Program& program = *plan.program->program;
    std::int64_t own = 0;
    for (const ValueId argument : program.main().arguments)
        if (const SlotId slot = plan.slotOf[argument.index];
            slot.valid() && ownerOf(program, argument) == Owner::Parameters)
            own += plan.slot(slot).bytes;
    return plan.memory.atPeak[static_cast<std::size_t>(Owner::Parameters)] - own;
}

/// Layers one after the other keep what they gathered from one microbatch to the next.
bool keepsForMicrobatches(const Experiment& experiment)
{
    const auto* transformer = std::get_if<TransformerModel>(&experiment.model);
    return transformer && transformer->settings.microbatches > 1
        && transformer->settings.model.form == LayerForm::Unrolled;
}

} // namespace

std::vector<Problem> memoryProblems(const Experiment& experiment, const Plan& plan)
{
    if (plan.memory.peakBytes <= experiment.hardware.memoryPerDevice)
        return {};
    Diagnostic diagnostic{ Code::OverMemoryLimit,
        { { "bytes", plan.memory.peakBytes }, { "limit", experiment.hardware.memoryPerDevice } }, {} };
    const std::optional<RematPolicy> remat = rematOf(experiment);
    if (remat && remat != RematPolicy::Full)
        diagnostic.args.push_back({ "remat", std::int64_t{ 1 } });
    else if (remat && keepsForMicrobatches(experiment)) {
        const std::int64_t gathered = gatheredParameters(plan);
        if (plan.memory.peakBytes - gathered <= experiment.hardware.memoryPerDevice)
            diagnostic.args.push_back({ "gathered", gathered });
    }
    diagnostic.where.pointer = "/hardware/memory_per_device";
    return { { std::move(diagnostic), {}, {} } };
}

} // namespace shardscope
