// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/annotate.h"

#include "base/codes.h"
#include "experiment/reserved_names.h"
#include "experiment/rule_lists.h"
#include "rules/name_to_name.h"
#include "rules/t5x_partitioner.h"

namespace shardscope {

namespace {

class Annotator {
public:
    Annotator(const Program& program, const Mesh& mesh, const Experiment& experiment)
        : m_program(program)
        , m_mesh(mesh)
        , m_experiment(experiment)
    {
        m_lists.push_back(experiment.rules.rules);
        for (std::size_t i = 0; i < experiment.rules.inner.size(); ++i)
            m_lists.push_back(readableRules(experiment.rules, { static_cast<std::int32_t>(i) }));
    }

    /// Annotations of arguments and results are resolved with the rules handed over (flax' logical_to_mesh_sharding).
    ResolvedAnnotation ofValue(ValueId value, const Annotation& declared) const
    {
        ResolvedAnnotation resolved{ value, {}, declared, {}, -1, {}, {} };
        if (const auto* device = std::get_if<DeviceAxes>(&declared)) {
            takeSpec(resolved, device->spec);
        } else if (const auto* logical = std::get_if<LogicalAxes>(&declared)) {
            const RuleList list = listOf(value, noScope);
            resolved.innerRules = list.inner;
            resolved.hasOptimizerRules = isForOptimizer(m_experiment, m_experiment.rules, list);
            Result<Resolution> resolution = resolveRules(logical->names, rulesOf(list), m_experiment.rules.version);
            if (!resolution) {
                resolved.problem = ofList(list, placed(ofDialect(resolution.error(), value), value));
            } else {
                takeResolved(resolved, resolution->spec());
                resolved.resolution = std::move(*resolution);
            }
        }
        return resolved;
    }

    ResolvedAnnotation ofConstraint(OperationId id) const
    {
        const Operation& operation = m_program.operation(id);
        const Annotation& declared = std::get<ConstraintAttributes>(operation.attributes).annotation;
        const ValueId value = operation.results[0];
        const auto* logical = std::get_if<LogicalAxes>(&declared);
        if (!logical) {
            ResolvedAnnotation resolved = ofValue(value, declared);
            resolved.operation = id;
            return resolved;
        }

        ResolvedAnnotation resolved{ value, id, declared, {}, -1, {}, {} };
        const RulesSetting& rules = m_experiment.rules;
        const RuleList list = listOf(value, operation.scope);
        const LogicalRules& bound = rulesOf(list);
        resolved.innerRules = list.inner;
        const std::string& platform = m_experiment.hardware.devices.platform;
        std::vector<std::string> reasons;
        const bool mapping = !rules.rules.isSequence; // handed over with the value, nothing has to be bound for it
        // A part of the model binds its own rules wherever it is traced.
        if (!rules.boundWhenTraced && !mapping && list.isOuter())
            reasons.emplace_back("no_rules");
        const ConstraintGate gate{ platform, rules.constraintMesh == ConstraintMesh::Context,
            rules.constraintMesh == ConstraintMesh::Own };
        if (!mapping && rules.constraintMesh == ConstraintMesh::None)
            reasons.emplace_back("no_mesh");
        else if (!mapping && !constraintApplies(gate, rules.version))
            reasons.emplace_back("platform");
        // What the rules would say, for counting uses and for showing what binding them would do.
        if (const Result<Resolution> resolution = resolveRules(logical->names, bound, rules.version))
            resolved.resolution = *resolution;
        if (!reasons.empty()) {
            resolved.problem =
                placed(Diagnostic{ Code::ConstraintInactive,
                           { { "names", namesOf(*logical) }, { "reasons", reasons }, { "platform", platform } }, {} },
                    value);
            return resolved;
        }
        const Result<ConstraintAction> action = constraintOf(logical->names, bound, rules.fallback, rules.version);
        if (!action) {
            resolved.problem = ofList(list, placed(action.error(), value));
        } else if (action->constrain) {
            resolved.resolution = action->resolution;
            takeResolved(resolved, action->spec);
        } else {
            const std::string why = bound.list.empty() ? "empty_rules" : "fallback";
            resolved.problem =
                placed(Diagnostic{ Code::ConstraintInactive,
                           { { "names", namesOf(*logical) }, { "reasons", std::vector<std::string>{ why } },
                               { "platform", platform } },
                           {} },
                    value);
        }
        return resolved;
    }

private:
    static constexpr std::uint32_t noScope = 0xffffffff;

    const LogicalRules& rulesOf(RuleList list) const { return m_lists[static_cast<std::size_t>(list.inner + 1)]; }

    /// By the path of the value. What differentiation makes of a constraint has none; it stands where that one does.
    RuleList listOf(ValueId value, std::uint32_t scope) const
    {
        if (m_lists.size() == 1)
            return {};
        const std::string& path = m_program.value(value).path;
        if (!path.empty())
            return listOfArray(m_experiment, m_experiment.rules, path);
        if (scope >= m_program.scopes.size())
            return {};
        std::string_view place = m_program.scopes[scope];
        if (constexpr std::string_view backward = "backward/"; place.starts_with(backward))
            place.remove_prefix(backward.size());
        return listFor(m_experiment.rules, place);
    }

    static std::vector<std::string> namesOf(const LogicalAxes& logical)
    {
        std::vector<std::string> names;
        for (const LogicalName& name : logical.names)
            names.push_back(name.kind == LogicalName::Kind::Name ? name.name
                    : name.kind == LogicalName::Kind::None       ? "None"
                                                                 : std::string(unconstrainedWord));
        return names;
    }

    /// What is wrong with the rules of a part says whose they are.
    Diagnostic ofList(RuleList list, Diagnostic diagnostic) const
    {
        if (!list.isOuter())
            diagnostic.args.emplace_back("within", withinOf(m_experiment.rules, list));
        return diagnostic;
    }

    /// T5X' partitioner maps a tree of parameters, and names the one at which it fails.
    Error ofDialect(const Error& error, ValueId value) const
    {
        const RulesSetting& rules = m_experiment.rules;
        const std::string& path = m_program.value(value).path;
        return rules.dialect == Dialect::T5x && rules.rules.isSequence && !path.empty() ? failedToMap(path, error)
                                                                                        : error;
    }

    Diagnostic placed(Diagnostic diagnostic, ValueId value) const
    {
        const Value& v = m_program.value(value);
        diagnostic.where.path = v.path;
        if (diagnostic.code == Code::NonNamedLeaf)
            diagnostic.args.assign(1, Arg("leaf", diagnostic.where.path));
        if (diagnostic.arg("dim")) {
            const auto dim = static_cast<std::size_t>(diagnostic.number("dim"));
            diagnostic.where.dimension = static_cast<int>(dim);
            if (dim < v.dimNames.size()) {
                diagnostic.args.emplace_back("dim_name", v.dimNames[dim]);
                if (std::holds_alternative<MlpModel>(m_experiment.model))
                    diagnostic.where.pointer =
                        v.dimNames[dim] == "layers" ? "/model/layers" : "/model/dims/" + v.dimNames[dim];
            }
            // The arguments are the arrays, in their order.
            if (const auto* model = std::get_if<ArraysModel>(&m_experiment.model))
                if (v.index < model->arrays.size() && model->arrays[v.index].path == v.path)
                    diagnostic.where.pointer =
                        "/model/arrays/" + std::to_string(v.index) + "/shape/" + std::to_string(dim);
        }
        return diagnostic;
    }

    /// What the dialect leaves on this mesh of what rules gave. An axis that the mesh lacks is a warning in a rule
    /// (RuleUnknownAxis) and shards nothing. A mapping is taken as it is: there it is an error.
    void takeResolved(ResolvedAnnotation& resolved, const PartitionSpec& spec) const
    {
        if (!m_experiment.rules.rules.isSequence) {
            takeSpec(resolved, spec);
            return;
        }
        SpecOnMesh placed =
            onMesh(spec, m_experiment.rules.dialect, m_mesh, m_program.value(resolved.value).type.shape);
        resolved.dropped = std::move(placed.dropped);
        takeSpec(resolved, std::move(placed.spec));
    }

    void takeSpec(ResolvedAnnotation& resolved, PartitionSpec spec) const
    {
        const Shape& shape = m_program.value(resolved.value).type.shape;
        if (const Result<void> valid = validate(spec, m_mesh, shape); !valid) {
            resolved.problem = placed(valid.error(), resolved.value);
            if (!resolved.indivisible())
                return;
            // The first dimension was found; the user wants to know of all.
            std::vector<Diagnostic> all = indivisibleDimensions(spec, shape, resolved.value);
            resolved.problem = std::move(all.front());
            resolved.alsoIndivisible.assign(
                std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end()));
        }
        resolved.spec = std::move(spec);
    }

    /// One diagnostic per dimension that does not divide, with the names of the axes that shard it.
    std::vector<Diagnostic> indivisibleDimensions(const PartitionSpec& spec, const Shape& shape, ValueId value) const
    {
        std::vector<Diagnostic> found;
        for (std::size_t dim = 0; dim < spec.size(); ++dim) {
            const std::vector<std::string>& axes = spec.axesOf(dim);
            std::int64_t partitions = 1;
            for (const std::string& axis : axes)
                partitions *= m_mesh.size(*m_mesh.axisIndex(axis));
            if (shape[dim] % partitions != 0)
                found.push_back(placed(
                    Diagnostic{ Code::Indivisible,
                        { { "dim", dim }, { "size", shape[dim] }, { "partitions", partitions }, { "axes", axes } },
                        {} },
                    value));
        }
        return found;
    }

    const Program& m_program;
    const Mesh& m_mesh;
    const Experiment& m_experiment;
    std::vector<LogicalRules> m_lists; ///< the outer one, then the inner ones
};

/// Those of a region and of the bodies in it. What a text's body says over a mesh already is left as it is.
void addConstraints(const Annotator& annotator, const Program& program, const Region& region,
    std::vector<ResolvedAnnotation>& constraints)
{
    const bool isMain = &region == &program.main();
    for (const OperationId id : region.operations) {
        const Operation& operation = program.operation(id);
        if (const auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes);
            constraint && (isMain || !std::holds_alternative<ExplicitSharding>(constraint->annotation)))
            constraints.push_back(annotator.ofConstraint(id));
        for (const RegionId body : operation.regions)
            addConstraints(annotator, program, program.regions[body.index], constraints);
    }
}

} // namespace

Annotations resolveAnnotations(const Program& program, const Mesh& mesh, const Experiment& experiment)
{
    const Annotator annotator(program, mesh, experiment);
    Annotations annotations;
    const Region& main = program.main();
    for (std::size_t i = 0; i < main.arguments.size(); ++i)
        annotations.arguments.push_back(annotator.ofValue(main.arguments[i], program.argumentAnnotations[i]));
    for (std::size_t i = 0; i < main.results.size(); ++i)
        annotations.results.push_back(annotator.ofValue(main.results[i], program.resultAnnotations[i]));
    addConstraints(annotator, program, main, annotations.constraints);
    return annotations;
}

} // namespace shardscope
