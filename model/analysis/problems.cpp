// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/problems.h"

#include <algorithm>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "analysis/atoms.h"
#include "analysis/fixes.h"
#include "analysis/sharded_dimensions.h"
#include "base/codes.h"
#include "program/differentiate.h"
#include "rules/published_rules.h"
#include "rules/rule_lint.h"
#include "rules/t5x_partitioner.h"

namespace shardscope {

namespace {

/// Annotations that a person wrote: not those inherited by optimizer state or pinned on results, and not the
/// constraints that differentiation makes of others.
std::vector<const ResolvedAnnotation*> declaredAnnotations(const Program& program, const Annotations& annotations)
{
    std::vector<const ResolvedAnnotation*> declared;
    for (const ResolvedAnnotation& annotation : annotations.arguments) {
        const Role role = program.value(annotation.value).role;
        if (role == Role::Parameter || role == Role::Input)
            declared.push_back(&annotation);
    }
    for (const ResolvedAnnotation& annotation : annotations.constraints)
        if (!isBackward(program.scopes[program.operation(annotation.operation).scope]))
            declared.push_back(&annotation);
    return declared;
}

std::string shortName(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// An inner list is said by the part of the model that it is for: `within`.
void sayList(Diagnostic& diagnostic, const RulesSetting& rules, RuleList list)
{
    if (!list.isOuter())
        diagnostic.args.emplace_back("within", withinOf(rules, list));
}

class ProblemCollector {
public:
    explicit ProblemCollector(std::vector<Problem>& problems)
        : m_problems(problems)
    {
    }
    /// Adds a problem, or its value to an equal problem of another layer. `subject` stands for the tensor: equal
    /// findings about "z" of several layers are one.
    /// Returns what was added, null if it was known; valid until the next one.
    Problem* add(Diagnostic diagnostic, const std::string& subject, ValueId value, std::vector<Fix> fixes)
    {
        const std::string finding = fingerprint(diagnostic);
        m_known.insert(finding);
        const auto [place, isNew] = m_places.try_emplace(finding + '\x1f' + subject, m_problems.size());
        if (!isNew) {
            std::vector<ValueId>& values = m_problems[place->second].values;
            if (value.valid() && std::find(values.begin(), values.end(), value) == values.end())
                values.push_back(value);
            return nullptr;
        }
        Problem problem{ std::move(diagnostic), std::move(fixes), {} };
        if (value.valid())
            problem.values.push_back(value);
        return &m_problems.emplace_back(std::move(problem));
    }

    /// Whether the same was found about any tensor.
    [[nodiscard]] bool knows(const Diagnostic& diagnostic) const { return m_known.contains(fingerprint(diagnostic)); }
    /// A finding that concerns several tensors says so: `tensors`.
    void countTensors()
    {
        for (Problem& problem : m_problems)
            if (isAboutSize(problem.diagnostic) && problem.values.size() > 1)
                problem.diagnostic.args.emplace_back("tensors", problem.values.size());
    }

private:
    /// E101, and E105 as which it is said of heads and experts.
    static bool isAboutSize(const Diagnostic& diagnostic)
    {
        return diagnostic.code == Code::Indivisible || diagnostic.code == Code::AtomSplit;
    }
    /// Equal for equal findings. A dimension that does not divide is the same in whatever place it stands; nameless
    /// values have only its size.
    static std::string fingerprint(const Diagnostic& diagnostic)
    {
        const Code code = isAboutSize(diagnostic) ? Code::Indivisible : diagnostic.code;
        std::string text = std::to_string(static_cast<int>(code));
        const auto add = [&text](const auto& part) {
            text += '\x1e';
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
                text += std::to_string(part);
            else
                text += part;
        };
        const auto addAll = [&](const std::vector<std::string>& parts) {
            add(parts.size());
            for (const std::string& part : parts)
                add(part);
        };
        if (isAboutSize(diagnostic)) {
            const std::string name = diagnostic.text("dim_name");
            add(name);
            add(name.empty() ? diagnostic.number("dim") : std::int64_t{ -1 });
            add(diagnostic.number("size"));
            addAll(diagnostic.list("axes"));
            return text;
        }
        for (const Arg& arg : diagnostic.args) {
            add(arg.name);
            std::visit(
                [&](const auto& value) {
                    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<std::string>>)
                        addAll(value);
                    else
                        add(value);
                },
                arg.value);
        }
        return text;
    }

    std::vector<Problem>& m_problems;
    std::unordered_map<std::string, std::size_t> m_places; ///< by finding and subject
    std::unordered_set<std::string> m_known; ///< findings about whatever subject
};

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
/// the name fires, the list provides for that.
void addBusyAxes(
    const ResolvedAnnotation& annotation, const Value& value, const Experiment& experiment, ProblemCollector& collector)
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
        std::vector<Fix> fixes;
        if (lost)
            fixes.push_back({ Fix::Kind::AddFallbackRow, rule.name.name, number, 0, trace.lostAxes });
        if (trace.byRule >= 0)
            fixes.push_back({ Fix::Kind::MoveRuleAbove, {}, number, trace.byRule });
        const auto byDimension = static_cast<std::size_t>(trace.byDimension);
        Diagnostic diagnostic{ lost ? Code::TupleLostAxes : Code::AxisBusy,
            { { "rule", trace.rule + 1 }, { "name", rule.name.name }, { "axis", trace.busyAxis },
                { "by_rule", static_cast<std::int64_t>(trace.byRule) + 1 },
                { "by_dim_name",
                    trace.byDimension >= 0 && byDimension < names.size() ? names[byDimension].name : std::string() },
                { "axes", trace.lostAxes } },
            {} };
        diagnostic.where.path = value.path;
        diagnostic.where.dimension = trace.dimension;
        diagnostic.where.pointer = rulePointer(place);
        sayList(diagnostic, experiment.rules, list);
        collector.add(std::move(diagnostic), shortName(value.path), annotation.value, std::move(fixes));
    }
}

void addAnnotationFindings(const Program& program, const Mesh& mesh, const Annotations& annotations,
    const Experiment& experiment, DivisibleSizes& sizes, ProblemCollector& collector)
{
    for (const ResolvedAnnotation* annotation : declaredAnnotations(program, annotations)) {
        const Value& value = program.value(annotation->value);
        const std::string subject = shortName(value.path);
        const auto* logical = std::get_if<LogicalAxes>(&annotation->declared);
        const auto* device = std::get_if<DeviceAxes>(&annotation->declared);

        if (annotation->indivisible()) {
            addIndivisible(*annotation, value, experiment, sizes, collector);
        } else if (annotation->problem) {
            const Diagnostic& problem = *annotation->problem;
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
            addBusyAxes(*annotation, value, experiment, collector);
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

/// A rule that an earlier one of its name comes before, with other mesh axes: what the list falls back to where those
/// are in use. It is none that nobody needs.
bool isFallback(const std::vector<LogicalRule>& rules, std::size_t rule, int shadowedBy)
{
    return shadowedBy >= 0 && rules[static_cast<std::size_t>(shadowedBy)].target.axes != rules[rule].target.axes;
}

/// Marks the rules that make up the set, if all of it is there, in its order.
void markSet(const std::vector<LogicalRule>& rules, const LogicalRules& set, std::vector<bool>& found)
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < rules.size() && places.size() < set.list.size(); ++i) {
        const LogicalRule& wanted = set.list[places.size()];
        if (rules[i].name == wanted.name && rules[i].target.axes == wanted.target.axes)
            places.push_back(i);
    }
    if (places.size() == set.list.size())
        for (const std::size_t place : places)
            found[place] = true;
}

/// The rules that belong to a set which some project has published; T5X' sets also as they are over several slices.
/// Such a set serves many models; that one has no array for some of its rules is no fault.
std::vector<bool> publishedRulesIn(const std::vector<LogicalRule>& rules)
{
    std::vector<bool> found(rules.size(), false);
    for (const PublishedRules& set : publishedRules()) {
        if (!set.overrides.empty()) // a few rules, to be put before those of another set
            continue;
        markSet(rules, set.rules, found);
        if (set.dialect != Dialect::T5x)
            continue;
        if (const Result<LogicalRules> hybrid = hybridRules(set.rules))
            markSet(rules, *hybrid, found);
    }
    return found;
}

/// One list of rules, and what its rules came to.
struct ListFindings {
    const Program& program;
    const Mesh& mesh;
    const RuleCensus::List& census;
    const RuleCensus& all;
    const Experiment& experiment;
    const RulesSetting& setting;
    RuleList list;

    /// Arrays that other lists resolve have the name.
    [[nodiscard]] bool isElsewhere(const std::string& name) const
    {
        return all.outer.names.contains(name)
            || std::any_of(all.inner.begin(), all.inner.end(),
                [&](const RuleCensus::List& each) { return each.names.contains(name); });
    }
};

void addRuleFindings(const ListFindings& of, ProblemCollector& collector)
{
    const std::vector<LogicalRule>& rules = rulesIn(of.setting, of.list);
    const std::vector<std::string> axisNames = of.mesh.axisNames();
    const auto areNamed = [](const std::vector<Annotation>& annotations) {
        return std::any_of(annotations.begin(), annotations.end(),
            [](const Annotation& a) { return std::holds_alternative<LogicalAxes>(a); });
    };
    // An initializer has no argument: its arrays are its results.
    const bool hasLogical = areNamed(of.program.argumentAnnotations) || areNamed(of.program.resultAnnotations);
    // Where no array reads the list, that is the finding, and not one more for each of its rules.
    const bool isRead = of.list.isOuter() || of.census.arrays > 0;
    if (hasLogical && !isRead) {
        Diagnostic diagnostic{ Code::RuleUnused, {}, {} };
        diagnostic.where.pointer = rulePointer({ of.list, -1 });
        sayList(diagnostic, of.setting, of.list);
        // The parts of a network are called otherwise than its arrays.
        const std::string& within = withinOf(of.setting, of.list);
        if (std::string part = partPath(of.experiment, within); part != within && !part.empty())
            diagnostic.args.emplace_back("nearest", std::move(part));
        const std::string pointer = diagnostic.where.pointer;
        collector.add(std::move(diagnostic), pointer, {},
            { { Fix::Kind::RemoveRule, withinOf(of.setting, of.list), ruleNumber({ of.list, -1 }), 0 } });
    }
    // A program in a text, and arrays without names. An MLP has both forms: its rules are those of the other one.
    if (!hasLogical && of.list.isOuter() && of.census.arrays == 0 && !rules.empty()
        && !std::holds_alternative<MlpModel>(of.experiment.model)) {
        Diagnostic diagnostic{ Code::RuleUnused, { { "rules", rules.size() } }, {} };
        diagnostic.where.pointer = rulePointer({ of.list, -1 });
        collector.add(std::move(diagnostic), "rules", {}, {});
    }
    const std::vector<bool> published = publishedRulesIn(rules);
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const auto placeOf = [&](std::size_t rule) { return RulePlace{ of.list, static_cast<int>(rule) }; };
        const std::string pointer = rulePointer(placeOf(i));
        const std::int64_t number = ruleNumber(placeOf(i)), shown = static_cast<std::int64_t>(i) + 1;
        const RuleCensus::Misses& misses = of.census.misses[i];
        for (const std::string& axis : rules[i].target.axes) {
            if (of.mesh.axisIndex(axis))
                continue;
            Diagnostic diagnostic = unknownAxis(i, rules[i], axis, axisNames);
            diagnostic.where.pointer = pointer;
            sayList(diagnostic, of.setting, of.list);
            std::vector<Fix> fixes;
            if (const std::string nearest = nearestName(axis, axisNames); !nearest.empty())
                fixes.push_back({ Fix::Kind::RenameAxisInRule, nearest, number, 0 });
            fixes.push_back({ Fix::Kind::RemoveRule, {}, number, 0 });
            collector.add(std::move(diagnostic), pointer + axis, {}, std::move(fixes));
        }
        const auto blockedBy = [&]() -> std::optional<std::size_t> {
            for (std::size_t j = 0; j < i; ++j)
                if (rules[j].name == rules[i].name && rules[j].target.axes.empty()
                    && rules[j].target.kind != SpecEntry::Kind::Unconstrained)
                    return j;
            return std::nullopt;
        }();
        if (blockedBy && !rules[i].target.axes.empty()) {
            Diagnostic diagnostic{ Code::NullBlocksRule,
                { { "rule", static_cast<std::int64_t>(*blockedBy) + 1 }, { "blocked", shown },
                    { "name", rules[i].name.name } },
                {} };
            diagnostic.where.pointer = rulePointer(placeOf(*blockedBy));
            sayList(diagnostic, of.setting, of.list);
            collector.add(std::move(diagnostic), pointer, {},
                { { Fix::Kind::MoveRuleAbove, {}, number, static_cast<std::int64_t>(*blockedBy) } });
            continue;
        }
        // A rule that found its axis busy has a finding of its own (AxisBusy); of one whose arrays cannot be resolved
        // nobody knows yet.
        if (hasLogical && isRead && of.census.rules[i].uses == 0 && of.census.rules[i].inactiveUses == 0 && !misses.busy
            && !misses.undecided && !published[i] && !isFallback(rules, i, misses.shadowedBy)) {
            Diagnostic diagnostic{ Code::RuleUnused, { { "rule", shown }, { "name", rules[i].name.name } }, {} };
            if (misses.shadowedBy >= 0)
                diagnostic.args.emplace_back("by_rule", misses.shadowedBy + 1);
            else if (!of.census.names.contains(rules[i].name.name) && of.isElsewhere(rules[i].name.name))
                diagnostic.args.emplace_back("elsewhere", std::int64_t{ 1 });
            diagnostic.where.pointer = pointer;
            sayList(diagnostic, of.setting, of.list);
            collector.add(std::move(diagnostic), pointer, {}, { { Fix::Kind::RemoveRule, {}, number, 0 } });
        }
    }
}

void countIn(RuleCensus::List& list, const std::vector<LogicalRule>& rules, const ResolvedAnnotation& annotation,
    const LogicalAxes& logical)
{
    ++list.arrays;
    const bool active = annotation.spec.has_value();
    if (annotation.resolution)
        for (const RuleTrace& trace : annotation.resolution->rules) {
            if (trace.verdict == Verdict::Applied)
                ++(active ? list.rules[trace.rule].uses : list.rules[trace.rule].inactiveUses);
            else if (trace.verdict == Verdict::AxisBusy)
                list.misses[trace.rule].busy = true;
            else if (trace.verdict == Verdict::DimensionSet && trace.byRule >= 0)
                list.misses[trace.rule].shadowedBy = trace.byRule;
        }
    else if (annotation.problem && annotation.problem->severity() == Severity::Error)
        for (std::size_t i = 0; i < rules.size(); ++i)
            if (std::find(logical.names.begin(), logical.names.end(), rules[i].name) != logical.names.end())
                list.misses[i].undecided = true;
    for (const LogicalName& name : logical.names) {
        if (name.kind == LogicalName::Kind::Name)
            list.names.insert(name.name);
        if (name.kind != LogicalName::Kind::Name
            || std::any_of(rules.begin(), rules.end(), [&](const LogicalRule& rule) { return rule.name == name; }))
            continue;
        const auto known = std::find_if(list.namesWithoutRule.begin(), list.namesWithoutRule.end(),
            [&](const auto& entry) { return entry.first == name.name; });
        if (known == list.namesWithoutRule.end())
            list.namesWithoutRule.emplace_back(name.name, 1);
        else
            ++known->second;
    }
}

} // namespace

RuleCensus countRules(const Program& program, const Annotations& annotations, const RulesSetting& rules)
{
    RuleCensus census;
    census.inner.resize(rules.inner.size());
    const auto listOf = [&](RuleList list) -> RuleCensus::List& {
        return list.isOuter() ? census.outer : census.inner[static_cast<std::size_t>(list.inner)];
    };
    for (std::int32_t i = -1; i < static_cast<std::int32_t>(rules.inner.size()); ++i) {
        RuleCensus::List& list = listOf({ i });
        list.rules.resize(rulesIn(rules, { i }).size());
        list.misses.resize(list.rules.size());
    }
    for (const ResolvedAnnotation* annotation : declaredAnnotations(program, annotations))
        if (const auto* logical = std::get_if<LogicalAxes>(&annotation->declared)) {
            const RuleList list{ annotation->innerRules };
            countIn(listOf(list), rulesIn(rules, list), *annotation, *logical);
        }
    return census;
}

std::vector<Problem> annotationProblems(const Program& program, const Mesh& mesh, const Annotations& annotations,
    const RuleCensus& census, const Experiment& experiment)
{
    std::vector<Problem> problems;
    ProblemCollector collector(problems);
    DivisibleSizes sizes(program, mesh, annotations, experiment);
    addAnnotationFindings(program, mesh, annotations, experiment, sizes, collector);
    addInheritedErrors(program, annotations, experiment, sizes, collector);
    for (std::int32_t i = -1; i < static_cast<std::int32_t>(experiment.rules.inner.size()); ++i)
        addRuleFindings({ program, mesh, census.of({ i }), census, experiment, experiment.rules, { i } }, collector);
    collector.countTensors();
    return problems;
}

} // namespace shardscope
