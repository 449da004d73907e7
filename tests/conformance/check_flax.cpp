// SPDX-License-Identifier: GPL-3.0-or-later
// flax_logical_to_mesh_axes, flax_constraint_gate and t5x_standard_rules.
#include <algorithm>

#include "base/codes.h"
#include "conformance/forms.h"
#include "experiment/builtin.h"
#include "pipeline/annotate.h"

namespace shardscope::conformance {

namespace {

const Json unassigned = { { "special", "UNASSIGNED" } };

/// What the reference data call the errors of flax.
std::string flaxErrorKind(const Error& error)
{
    return error.code == Code::NestedTuple ? "nested_tuple_in_spec" : std::string(error.kind());
}

/// The entry of one dimension; nested tuples appear as the rule wrote them.
Json rawEntry(const Resolution& resolution, std::size_t dimension, const Json& rules)
{
    const ResolvedEntry& entry = resolution.entries[dimension];
    if (entry.nested)
        return rules.at(static_cast<std::size_t>(resolution.dims[dimension].rule)).at(1);
    return toJson(entry.entry);
}

Json fallbackOutcome(
    const std::optional<LogicalNames>& names, const LogicalRules& rules, RulesFallback fallback, FlaxVersion version)
{
    const Result<ConstraintAction> action = logicalConstraint(names, rules, fallback, version);
    if (!action)
        return { { "action", "error" }, { "error", flaxErrorKind(action.error()) } };
    if (!action->constrain)
        return { { "action", "none" } };
    return { { "action", "constrain" }, { "spec", toJson(action->spec) } };
}

std::string sortedDifference(Json expected, Json actual, const std::string& path)
{
    std::sort(expected.begin(), expected.end());
    std::sort(actual.begin(), actual.end());
    return difference(expected, actual, path);
}

/// One version of a case: `seed` or `head`.
std::string versionDifference(const Json& oneCase, const std::string& field, FlaxVersion version)
{
    const Json& expected = oneCase.contains(field) ? oneCase.at(field) : oneCase.at("seed");
    const std::optional<LogicalNames> names = toNames(oneCase.at("names"));
    const LogicalRules rules = toRules(oneCase.at("rules"));
    const std::string path = version == FlaxVersion::Year2024 ? "/seed" : "/head";

    Json actual;
    if (!names) {
        actual["mesh_axes"] = nullptr;
        actual["spec"] = nullptr;
    } else if (const Result<Resolution> resolution = resolve(*names, rules, version)) {
        actual["mesh_axes"] = Json::array();
        actual["spec"] = Json::array();
        for (std::size_t d = 0; d < names->size(); ++d) {
            const bool assigned = resolution->entries[d].assigned;
            const Json entry = assigned ? rawEntry(*resolution, d, oneCase.at("rules")) : Json(nullptr);
            actual["mesh_axes"].push_back(assigned ? entry : unassigned);
            actual["spec"].push_back(entry);
        }
    } else {
        actual["error"] = flaxErrorKind(resolution.error());
        if (resolution.error().code == Code::DuplicateDimension) {
            const std::string dims = sortedDifference(
                expected.value("error_dims", Json::array()), resolution.error().list("dims"), path + "/error_dims");
            if (!dims.empty())
                return dims;
            if (expected.contains("error_dims"))
                actual["error_dims"] = expected["error_dims"];
        }
    }
    actual["fallback"] = {
        { "axis_is_unsharded", fallbackOutcome(names, rules, RulesFallback::AxisIsUnsharded, version) },
        { "raise_error", fallbackOutcome(names, rules, RulesFallback::RaiseError, version) },
        { "no_constraint", fallbackOutcome(names, rules, RulesFallback::NoConstraint, version) },
    };
    return difference(expected, actual, path);
}

/// Whether the logical constraints of the notebook's model ask for something where the step is traced like that.
Json appliedInExperiment(const ConstraintGate& gate, FlaxVersion version)
{
    Experiment experiment = builtinExamples().front().make();
    experiment.hardware.devices.platform = gate.platform;
    experiment.rules.version = version;
    experiment.rules.boundWhenTraced = true;
    experiment.rules.constraintMesh = gate.explicitMesh ? ConstraintMesh::Own
        : gate.globalMesh                               ? ConstraintMesh::Context
                                                        : ConstraintMesh::None;
    const Result<SourceProgram> built = buildProgram(experiment);
    const Result<Mesh> mesh = makeMesh(experiment.mesh);
    if (!built || !mesh)
        return nullptr;
    int applied = 0, all = 0;
    for (const ResolvedAnnotation& constraint : resolveAnnotations(built->program, *mesh, experiment).constraints)
        if (std::holds_alternative<LogicalAxes>(constraint.declared)) {
            ++all;
            applied += constraint.spec ? 1 : 0;
        }
    return all == 0 || (applied != 0 && applied != all) ? Json(nullptr) : Json(applied == all);
}

} // namespace

CaseResult checkFlaxLogicalToMeshAxes(const Json& oneCase, const Json&)
{
    for (const std::string& found : { versionDifference(oneCase, "seed", FlaxVersion::Year2024),
             versionDifference(oneCase, "head", FlaxVersion::Current) })
        if (!found.empty())
            return CaseResult::failed(found);
    return CaseResult::passed();
}

CaseResult checkFlaxConstraintGate(const Json& oneCase, const Json&)
{
    const std::string kind = oneCase.at("kind");
    if (kind == "constraint_gate") {
        const ConstraintGate gate{ oneCase.at("platform"), oneCase.at("global_mesh_defined"),
            oneCase.at("explicit_mesh") };
        const CaseResult alone = compareMembers(oneCase,
            { { "applied_seed", constraintApplies(gate, FlaxVersion::Year2024) },
                { "applied_head", constraintApplies(gate, FlaxVersion::Current) } });
        if (alone.status == CaseResult::Status::Failed)
            return alone;
        return compareMembers(oneCase,
            { { "applied_seed", appliedInExperiment(gate, FlaxVersion::Year2024) },
                { "applied_head", appliedInExperiment(gate, FlaxVersion::Current) } });
    }
    if (kind == "composite_rules") {
        const Result<LogicalRules> rules = compositeRules(toRules(oneCase.at("rules1")), toRules(oneCase.at("rules2")));
        if (!rules)
            return compareMembers(oneCase, { { "error", errorLike(oneCase.value("error", Json()), rules.error()) } });
        return compareMembers(oneCase, { { "result", toJson(*rules) } });
    }
    return CaseResult::unsupported("kind " + kind);
}

CaseResult checkT5xStandardRules(const Json& oneCase, const Json&)
{
    const Result<LogicalRules> rules = t5xStandardRules(oneCase.at("activation_partitioning_dims"),
        oneCase.at("parameter_partitioning_dims"), toRules(oneCase.at("additional_rules")));
    if (!rules)
        return compareMembers(oneCase, { { "error", errorLike(oneCase.value("error", Json()), rules.error()) } });
    return compareMembers(oneCase, { { "expected", toJson(*rules) } });
}

} // namespace shardscope::conformance
