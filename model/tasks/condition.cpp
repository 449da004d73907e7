// SPDX-License-Identifier: GPL-3.0-or-later
#include "tasks/condition.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "analysis/explain.h"
#include "analysis/parameter_coverage.h"
#include "experiment/model_settings.h"
#include "partition/collective.h"
#include "pipeline/collective_list.h"
#include "schedule/plan.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// The figure is there and no larger.
void compareAtMost(ConditionState& state, std::optional<Rational> found)
{
    state.found = found;
    state.met = found && !(Rational(state.condition.number) < *found);
}

std::optional<Rational> peakBytes(const Snapshot& snapshot)
{
    if (!snapshot.plan)
        return std::nullopt;
    return Rational(snapshot.plan->memory.peakBytes);
}

std::optional<Rational> collectivesOfKind(const Snapshot& snapshot, std::string_view kind)
{
    if (!snapshot.collectives)
        return std::nullopt;
    std::int64_t times = 0;
    for (const CollectiveEntry& entry : snapshot.collectives->entries)
        if (name(entry.kind) == kind)
            times = saturatingSum(times, entry.times);
    return Rational(times);
}

void checkCopies(ConditionState& state, const Snapshot& snapshot)
{
    const TensorRow* most = nullptr;
    for (const TensorRow& row : snapshot.tensors)
        if (row.role == Role::Parameter && (!most || row.copies > most->copies))
            most = &row;
    if (!most)
        return;
    compareAtMost(state, Rational(most->copies));
    state.foundText = most->path;
}

void checkReplicated(ConditionState& state, const Snapshot& snapshot)
{
    if (!snapshot.laidOut())
        return;
    const ParameterCoverage coverage = parameterCoverage(snapshot);
    std::int64_t arrays = 0;
    for (const ParameterCoverage::Replicated& each : coverage.replicated)
        arrays += each.arrays;
    state.found = Rational(arrays);
    state.met = coverage.arrays > 0 && coverage.devices > 1 && arrays == 0;
    if (arrays > 0)
        state.foundText = coverage.replicated.front().path;
}

void checkRule(ConditionState& state, const Snapshot& snapshot, const TensorRow& row)
{
    const Condition& wanted = state.condition;
    state.foundText = toColumn(row.spec);
    for (const DimensionReason& reason : explain(snapshot, row.value).dims) {
        if (reason.name != wanted.dimension || reason.kind != DimensionReason::Kind::Rule)
            continue;
        state.met = std::any_of(reason.axes.begin(), reason.axes.end(), [&](const AxisRef& ref) {
            return snapshot.mesh->axis(static_cast<std::size_t>(ref.axis)).name == wanted.axis;
        });
    }
}

void checkConstraints(ConditionState& state, const Snapshot& snapshot)
{
    if (!snapshot.annotations || snapshot.annotations->constraints.empty())
        return;
    const std::vector<ResolvedAnnotation>& all = snapshot.annotations->constraints;
    const auto idle = std::count_if(all.begin(), all.end(), [](const ResolvedAnnotation& each) { return !each.spec; });
    state.found = Rational(idle);
    state.met = idle == 0;
}

void checkAxes(ConditionState& state, const Snapshot& snapshot)
{
    if (!snapshot.laidOut())
        return;
    const auto shards = [&](const std::string& axis) {
        return std::any_of(snapshot.tensors.begin(), snapshot.tensors.end(), [&](const TensorRow& row) {
            return std::any_of(row.spec.entries.begin(), row.spec.entries.end(), [&](const SpecEntry& entry) {
                return std::find(entry.axes.begin(), entry.axes.end(), axis) != entry.axes.end();
            });
        });
    };
    std::int64_t idle = 0;
    for (const MeshAxis& axis : snapshot.experiment->mesh.axes)
        if (axis.size > 1 && !shards(axis.name)) {
            state.foundText = idle == 0 ? axis.name : state.foundText;
            ++idle;
        }
    state.found = Rational(idle);
    state.met = idle == 0;
}

/// Without what people say of single values and operations of a program.
ModelSetting comparable(const Experiment& experiment)
{
    ModelSetting model = experiment.model;
    if (auto* program = std::get_if<ProgramModel>(&model)) {
        program->shardings.clear();
        program->shardingRules.clear();
    }
    return model;
}

bool keepsModel(const Experiment& start, const Experiment& now, std::string_view except)
{
    ModelSetting before = comparable(start), after = comparable(now);
    if (!except.empty()) {
        std::int64_t* was = sizeNamed(before, except);
        const std::int64_t* is = sizeNamed(after, except);
        if (!was || !is)
            return false;
        *was = *is;
    }
    return before == after;
}

/// The same rules, as often as they were there.
bool areSameRules(std::vector<LogicalRule> before, const std::vector<LogicalRule>& after)
{
    if (before.size() != after.size())
        return false;
    for (const LogicalRule& rule : after) {
        const auto found = std::find(before.begin(), before.end(), rule);
        if (found == before.end())
            return false;
        before.erase(found);
    }
    return true;
}

bool keepsRules(const RulesSetting& start, const RulesSetting& now)
{
    return areSameRules(start.rules.list, now.rules.list) && start.rules.isSequence == now.rules.isSequence
        && start.inner == now.inner;
}

std::int64_t positionsOf(const Experiment& experiment)
{
    std::int64_t count = 1;
    for (const MeshAxis& axis : experiment.mesh.axes)
        count = saturatingProduct(count, axis.size);
    return count;
}

void checkArray(ConditionState& state, const Snapshot& snapshot)
{
    const TensorRow* row = snapshot.laidOut() ? snapshot.row(state.condition.name) : nullptr;
    if (!row)
        return;
    switch (state.condition.kind) {
    case Condition::Kind::ArrayAtMost:
        compareAtMost(state, Rational(row->bytesPerDevice));
        break;
    case Condition::Kind::ArrayLaidOut:
        state.foundText = toColumn(row->spec);
        state.met = state.foundText == state.condition.spec;
        break;
    default:
        checkRule(state, snapshot, *row);
        break;
    }
}

} // namespace

ConditionState checkCondition(const Condition& condition, const Experiment& start, const Snapshot& snapshot)
{
    ConditionState state;
    state.condition = condition;
    const Experiment& now = *snapshot.experiment;
    switch (condition.kind) {
    case Condition::Kind::PeakAtMost:
        compareAtMost(state, peakBytes(snapshot));
        break;
    case Condition::Kind::SentAtMost:
        compareAtMost(state, snapshot.collectives ? std::optional(snapshot.sent.step) : std::nullopt);
        break;
    case Condition::Kind::CollectivesAtMost:
        compareAtMost(state, collectivesOfKind(snapshot, condition.name));
        break;
    case Condition::Kind::CopiesAtMost:
        checkCopies(state, snapshot);
        break;
    case Condition::Kind::NoneReplicated:
        checkReplicated(state, snapshot);
        break;
    case Condition::Kind::ArrayAtMost:
    case Condition::Kind::ArrayLaidOut:
    case Condition::Kind::ShardedByRule:
        checkArray(state, snapshot);
        break;
    case Condition::Kind::ConstraintsApply:
        checkConstraints(state, snapshot);
        break;
    case Condition::Kind::AxesUsed:
        checkAxes(state, snapshot);
        break;
    case Condition::Kind::SizeAtLeast: {
        ModelSetting model = now.model;
        if (const std::int64_t* size = sizeNamed(model, condition.name)) {
            state.found = Rational(*size);
            state.met = *size >= condition.number;
        }
        break;
    }
    case Condition::Kind::ModelKept:
        state.met = keepsModel(start, now, condition.name);
        break;
    case Condition::Kind::MeshKept:
        state.met = start.mesh.axes == now.mesh.axes;
        break;
    case Condition::Kind::DevicesKept:
        state.found = Rational(positionsOf(now));
        state.met = positionsOf(now) == positionsOf(start);
        break;
    case Condition::Kind::RulesKept:
        state.met = keepsRules(start.rules, now.rules);
        break;
    }
    return state;
}

} // namespace shardscope
