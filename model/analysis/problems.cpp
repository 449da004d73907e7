// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/problems.h"

#include <algorithm>

#include "analysis/atoms.h"
#include "analysis/fixes.h"
#include "analysis/parameter_tree.h"
#include "analysis/problem_collector.h"
#include "analysis/rule_findings.h"
#include "analysis/sharded_dimensions.h"
#include "base/codes.h"
#include "program/differentiate.h"

namespace shardscope {

namespace {

std::string shortName(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// Ways out of dimensions that do not divide. None of them makes another error.
class DivisibleSizes {
public:
    DivisibleSizes(
        const Program& program, const Mesh& mesh, const Annotations& annotations, const Experiment& experiment)
        : m_program(program)
        , m_mesh(mesh)
        , m_annotations(annotations)
    {
        m_sizes.mesh = experiment.mesh;
        m_sizes.hardware = experiment.hardware;
    }

    /// Fewer devices along the axis that shards alone, then the dimension rounded up and down.
    std::vector<Fix> fixes(const Diagnostic& diagnostic)
    {
        std::vector<Fix> found;
        const std::int64_t size = diagnostic.number("size");
        const std::int64_t partitions = diagnostic.number("partitions");
        if (partitions < 1)
            return found;
        if (const std::vector<std::string> axes = diagnostic.list("axes"); axes.size() == 1)
            addAxisSize(axes.front(), size, found);
        const std::string name = diagnostic.text("dim_name");
        const std::int64_t step = name.empty() ? 0 : sharded().step(name, partitions);
        if (step == 0)
            return found;
        const std::int64_t below = size / step * step;
        if (below + step <= largestSize)
            found.push_back({ Fix::Kind::SetDimension, name, below + step, 0 });
        if (below > 0)
            found.push_back({ Fix::Kind::SetDimension, name, below, 0 });
        return found;
    }

private:
    static constexpr std::int64_t largestSize = std::int64_t{ 1 } << 40; ///< as in files

    const ShardedDimensions& sharded()
    {
        if (!m_sharded)
            m_sharded.emplace(m_program, m_mesh, m_annotations);
        return *m_sharded;
    }
    static std::int64_t positions(const Experiment& experiment)
    {
        std::int64_t product = 1;
        for (const MeshAxis& axis : experiment.mesh.axes)
            product *= axis.size;
        return product;
    }

    /// The largest that divides, while another axis takes the inverse. Not 1: that would not shard at all.
    void addAxisSize(const std::string& axis, std::int64_t size, std::vector<Fix>& found)
    {
        const auto index = m_mesh.axisIndex(axis);
        if (!index)
            return;
        const std::int64_t devices = m_sizes.hardware.devices.count();
        const bool fits = positions(m_sizes) == devices;
        for (std::int64_t parts = std::min(size, m_mesh.size(*index) - 1); parts > 1; --parts) {
            if (size % parts != 0)
                continue;
            Fix fix{ Fix::Kind::SetAxisSize, axis, parts, 0 };
            const Result<Experiment> after = applyFix(m_sizes, fix);
            if (after && (!fits || positions(*after) == devices) && sharded().divideOn(after->mesh.axes)) {
                found.push_back(std::move(fix));
                return;
            }
        }
    }

    const Program& m_program;
    const Mesh& m_mesh;
    const Annotations& m_annotations;
    Experiment m_sizes; ///< mesh and hardware alone
    std::optional<ShardedDimensions> m_sharded; ///< made when they are needed
};

/// Dimensions that do not divide. What is one to the user is one finding: all arrays that have the dimension and shard
/// it in the same way are mended by the same fix. Heads and experts have an error of their own, and sizes that
/// contradict each other, as heads that KV heads do not divide, are no way out.
void addIndivisible(const ResolvedAnnotation& annotation, const Value& value, const Experiment& experiment,
    DivisibleSizes& sizes, ProblemCollector& collector)
{
    std::vector<Diagnostic> all{ *annotation.problem };
    all.insert(all.end(), annotation.alsoIndivisible.begin(), annotation.alsoIndivisible.end());
    for (Diagnostic& diagnostic : all) {
        const std::string name = diagnostic.text("dim_name");
        Problem* added = collector.add(aboutAtoms(experiment, std::move(diagnostic)),
            name.empty() ? shortName(value.path) : name, annotation.value, {});
        if (!added)
            continue;
        added->fixes = sizes.fixes(added->diagnostic);
        if (added->diagnostic.code == Code::AtomSplit)
            std::erase_if(added->fixes, [&](const Fix& fix) { return !applyFix(experiment, fix).has_value(); });
    }
}

/// W201: dimensions that the dialect does not shard, since they do not divide.
void addDropped(
    const ResolvedAnnotation& annotation, const Value& value, DivisibleSizes& sizes, ProblemCollector& collector)
{
    for (const DroppedAxes& dropped : annotation.dropped) {
        if (dropped.reason != DroppedAxes::Reason::Indivisible)
            continue;
        Diagnostic diagnostic{ Code::SilentlyReplicated,
            { { "dim", dropped.dimension }, { "size", dropped.size }, { "partitions", dropped.partitions },
                { "axes", dropped.axes } },
            {} };
        if (dropped.dimension < value.dimNames.size())
            diagnostic.args.emplace_back("dim_name", value.dimNames[dropped.dimension]);
        diagnostic.where.path = value.path;
        diagnostic.where.dimension = static_cast<int>(dropped.dimension);
        if (Problem* added = collector.add(std::move(diagnostic), shortName(value.path), annotation.value, {}))
            added->fixes = sizes.fixes(added->diagnostic);
    }
}

/// W210: a logical name that no rule knows and that is a mesh axis, as if it were meant to be sharded along it.
void addMeshNames(const LogicalAxes& logical, const Value& value, const Mesh& mesh, const RulesSetting& setting,
    RuleList list, ProblemCollector& collector)
{
    const std::vector<LogicalRule>& rules = rulesIn(setting, list);
    for (const LogicalName& name : logical.names) {
        if (name.kind != LogicalName::Kind::Name || !mesh.axisIndex(name.name)
            || std::any_of(rules.begin(), rules.end(), [&](const LogicalRule& rule) { return rule.name == name; }))
            continue;
        Diagnostic diagnostic{ Code::MeshNameInLogicalModel, { { "axes", std::vector{ name.name } } }, {} };
        diagnostic.where.path = value.path;
        sayList(diagnostic, setting, list);
        collector.add(std::move(diagnostic), name.name, {},
            { { Fix::Kind::MapName, name.name, ruleNumber({ list, 0 }), 0, { name.name } } });
    }
}

/// W203 and W205: rules that found a mesh axis in use, of dimensions that stay unsharded for it. Where a later rule of
/// the name fires, the list provides for that. An axis of size 1 would not shard the dimension either.
void addBusyAxes(const ResolvedAnnotation& annotation, const Value& value, const Mesh& mesh,
    const Experiment& experiment, const RuleCensus& census, ProblemCollector& collector)
{
    const LogicalNames& names = std::get<LogicalAxes>(annotation.declared).names;
    for (const RuleTrace& trace : annotation.resolution->rules) {
        if (trace.verdict != Verdict::AxisBusy
            || annotation.resolution->dims[static_cast<std::size_t>(trace.dimension)].outcome
                != DimensionOutcome::AllRulesSkipped)
            continue;
        const RuleList list{ annotation.innerRules };
        const RulePlace place{ list, static_cast<int>(trace.rule) };
        const LogicalRule& rule = rulesIn(experiment.rules, list)[trace.rule];
        const std::int64_t number = ruleNumber(place);
        const bool lost = !trace.lostAxes.empty();
        if (const auto axis = mesh.axisIndex(trace.busyAxis); !lost && axis && mesh.size(*axis) == 1)
            continue;
        std::vector<Fix> fixes;
        if (lost)
            fixes.push_back({ Fix::Kind::AddFallbackRow, rule.name.name, number, 0, trace.lostAxes });
        // The other order would take the axis from arrays that have it now.
        const bool shardsOthers = census.of(list).rules[trace.rule].uses > 0;
        if (trace.byRule >= 0 && !shardsOthers)
            fixes.push_back({ Fix::Kind::MoveRuleAbove, {}, number, trace.byRule });
        const auto byDimension = static_cast<std::size_t>(trace.byDimension);
        Diagnostic diagnostic{ lost ? Code::TupleLostAxes : Code::AxisBusy,
            { { "rule", trace.rule + 1 }, { "name", rule.name.name }, { "axis", trace.busyAxis },
                { "by_rule", static_cast<std::int64_t>(trace.byRule) + 1 },
                { "by_dim_name",
                    trace.byDimension >= 0 && byDimension < names.size() ? names[byDimension].name : std::string() },
                { "axes", trace.lostAxes } },
            {} };
        if (shardsOthers)
            diagnostic.args.emplace_back("others", std::int64_t{ 1 });
        diagnostic.where.path = value.path;
        diagnostic.where.dimension = trace.dimension;
        diagnostic.where.pointer = rulePointer(place);
        sayList(diagnostic, experiment.rules, list);
        collector.add(std::move(diagnostic), shortName(value.path), annotation.value, std::move(fixes));
    }
}

/// Where the file chooses the sharding of a transformer's array; empty for arrays that it says nothing of.
std::string chosenPlace(const Experiment& experiment, const Value& value)
{
    const auto* model = std::get_if<TransformerModel>(&experiment.model);
    if (!model)
        return {};
    const TransformerSettings& network = model->settings.model;
    const std::optional<PartByItself> part = partByItself(network, value);
    if (!part || !part->chosen)
        return {};
    const std::vector<ChosenSharding>& list = part->isOutput ? network.constraints : network.parameterSpecs;
    return (part->isOutput ? "/model/constraints/" : "/model/parameter_specs/")
        + std::to_string(part->chosen - list.data());
}

void addAnnotationFindings(const Program& program, const Mesh& mesh, const Annotations& annotations,
    const Experiment& experiment, DivisibleSizes& sizes, const RuleCensus& census, ProblemCollector& collector)
{
    for (const ResolvedAnnotation* annotation : declaredAnnotations(program, annotations)) {
        const Value& value = program.value(annotation->value);
        const std::string subject = shortName(value.path);
        const auto* logical = std::get_if<LogicalAxes>(&annotation->declared);
        const auto* device = std::get_if<DeviceAxes>(&annotation->declared);

        if (annotation->indivisible()) {
            addIndivisible(*annotation, value, experiment, sizes, collector);
        } else if (annotation->problem) {
            Diagnostic problem = *annotation->problem;
            if (problem.where.pointer.empty())
                problem.where.pointer = chosenPlace(experiment, value);
            std::vector<Fix> fixes;
            if (problem.code == Code::ConstraintInactive) {
                const auto reasons = problem.list("reasons");
                const bool rulesMissing = std::find(reasons.begin(), reasons.end(), "no_rules") != reasons.end();
                const bool platform = std::find(reasons.begin(), reasons.end(), "platform") != reasons.end();
                const bool bind = rulesMissing && !experiment.rules.boundWhenTraced && annotation->innerRules < 0;
                if (bind || platform)
                    fixes.push_back({ bind && platform ? Fix::Kind::BindRulesOnTpu
                            : bind                     ? Fix::Kind::BindRules
                                                       : Fix::Kind::AssumeTpu,
                        {}, 0, 0 });
                if (std::find(reasons.begin(), reasons.end(), "no_mesh") != reasons.end())
                    fixes.push_back({ Fix::Kind::EnterMesh, {}, 0, 0 });
                if (std::find(reasons.begin(), reasons.end(), "fallback") != reasons.end())
                    fixes.push_back({ Fix::Kind::LeaveUnsharded, {}, 0, 0 });
            } else if (problem.code == Code::UnmatchedAxis) {
                fixes.push_back({ Fix::Kind::LeaveUnsharded, {}, 0, 0 });
            }
            collector.add(problem, subject, annotation->value, std::move(fixes));
        }

        if (device && annotation->operation.valid() && !device->spec.entries.empty()) {
            std::vector<std::string> axes;
            for (const SpecEntry& entry : device->spec.entries)
                axes.insert(axes.end(), entry.axes.begin(), entry.axes.end());
            if (annotations.nameArguments() && !axes.empty()) {
                Diagnostic diagnostic{ Code::MeshNameInLogicalModel, { { "axes", axes } }, {} };
                diagnostic.where.path = value.path;
                collector.add(
                    std::move(diagnostic), subject, annotation->value, { { Fix::Kind::UseLogicalNames, {}, 0, 0 } });
            }
        }

        if (!logical)
            continue;
        addDropped(*annotation, value, sizes, collector);
        addMeshNames(*logical, value, mesh, experiment.rules, { annotation->innerRules }, collector);
        if (annotation->resolution && annotation->spec)
            addBusyAxes(*annotation, value, mesh, experiment, census, collector);
    }
}

/// Errors of annotations that nobody wrote there: of optimizer state, results and derived constraints. Most repeat what
/// was found where the annotation comes from; the others must not get lost. The constraint that differentiation makes
/// of another is as wrong as that one.
void addInheritedErrors(const Program& program, const Annotations& annotations, const Experiment& experiment,
    DivisibleSizes& sizes, ProblemCollector& collector)
{
    for (const auto* list : { &annotations.arguments, &annotations.results, &annotations.constraints })
        for (const ResolvedAnnotation& annotation : *list) {
            const Value& value = program.value(annotation.value);
            const bool derived = annotation.operation.valid()
                && isBackward(program.scopes[program.operation(annotation.operation).scope]);
            if (!annotation.problem || derived || annotation.problem->severity() != Severity::Error
                || collector.knows(*annotation.problem))
                continue;
            if (annotation.indivisible())
                addIndivisible(annotation, value, experiment, sizes, collector);
            else
                collector.add(*annotation.problem, shortName(value.path), annotation.value, {});
        }
}

} // namespace

std::vector<Problem> annotationProblems(const Program& program, const Mesh& mesh, const Annotations& annotations,
    const RuleCensus& census, const Experiment& experiment)
{
    std::vector<Problem> problems;
    ProblemCollector collector(problems);
    DivisibleSizes sizes(program, mesh, annotations, experiment);
    addAnnotationFindings(program, mesh, annotations, experiment, sizes, census, collector);
    addInheritedErrors(program, annotations, experiment, sizes, collector);
    for (std::int32_t i = -1; i < static_cast<std::int32_t>(experiment.rules.inner.size()); ++i)
        addRuleFindings(program, mesh, census, experiment, { i }, collector);
    collector.countTensors();
    return problems;
}

} // namespace shardscope
