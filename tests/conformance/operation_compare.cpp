// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/operation_compare.h"

#include <algorithm>
#include <cstring>

namespace shardscope::conformance {

namespace {

std::string unlike(const std::string& what, const std::string& expected, const std::string& got)
{
    return expected == got ? std::string() : what + ": expected " + expected + ", got " + got;
}

const ProgramSharding* constraintSharding(const Operation& operation)
{
    const auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes);
    const auto* specified = constraint ? std::get_if<ExplicitSharding>(&constraint->annotation) : nullptr;
    return specified ? specified->specified.get() : nullptr;
}

/// Operations whose sharding is their own, not that of their results. Absent where it has none.
bool ownsSharding(const Operation& operation, const ProgramSharding*& own)
{
    own = nullptr;
    if (operation.kind == OpKind::ShardingConstraint) {
        own = constraintSharding(operation);
        return true;
    }
    if (const auto* attributes = attributesAs<OwnShardingAttributes>(operation.attributes)) {
        own = attributes->sharding ? &*attributes->sharding : nullptr;
        return true;
    }
    if (const auto* attributes = attributesAs<SdyCollectiveAttributes>(operation.attributes)) {
        own = &attributes->out;
        return true;
    }
    return false;
}

std::string textOrNone(const Program& program, const ProgramSharding* sharding)
{
    return sharding ? shardingText(program, *sharding) : "none";
}

/// A result without a sharding beside others that have one is printed as open and empty.
bool isOpenEmpty(const Json& sharding)
{
    if (!sharding.is_object() || !sharding.at("replicated").empty() || !sharding.at("unreduced").empty())
        return false;
    return std::all_of(sharding.at("dims").begin(), sharding.at("dims").end(),
        [](const Json& dim) { return dim.at("open").get<bool>() && dim.at("axes").empty(); });
}

std::string shardingsDifference(const Program& program, const Json& entry, const Operation& operation)
{
    const std::string status = entry.at("status").get<std::string>();
    if (status != "exact" && status != "none")
        return {};
    const ProgramSharding* own = nullptr;
    const bool owns = ownsSharding(operation, own);
    if (status == "none") {
        if (owns)
            return unlike("sharding", "none", textOrNone(program, own));
        for (const ValueId result : operation.results)
            if (program.shardingOf(result))
                return unlike("sharding", "none", textOrNone(program, program.shardingOf(result)));
        return {};
    }
    const Json& expected = entry.at("shardings");
    if (owns)
        return expected.size() != 1 ? std::string("one sharding of its own, but the case has another number")
                                    : unlike("sharding", shardingText(program, expected[0]), textOrNone(program, own));
    if (operation.results.empty()) {
        const auto found = std::find_if(program.unmatchedShardings.begin(), program.unmatchedShardings.end(),
            [&](const UnmatchedShardings& unmatched) { return &program.operation(unmatched.operation) == &operation; });
        const bool one = expected.size() == 1 && found != program.unmatchedShardings.end()
            && found->shardings.size() == 1 && found->shardings[0] != 0;
        return one ? unlike("sharding", shardingText(program, expected[0]),
                   textOrNone(program, &program.shardings[found->shardings[0] - 1]))
                   : std::string("sharding: expected one of an operation without results");
    }
    if (expected.size() != operation.results.size())
        return "results: expected " + std::to_string(expected.size()) + ", got "
            + std::to_string(operation.results.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        const ProgramSharding* got = program.shardingOf(operation.results[k]);
        if (!got && expected.size() > 1 && isOpenEmpty(expected[k]))
            continue;
        if (std::string found = unlike("sharding of result " + std::to_string(k), shardingText(program, expected[k]),
                textOrNone(program, got));
            !found.empty())
            return found;
    }
    return {};
}

std::string valueName(const Program& program, ValueId value)
{
    const OperationId definition = program.value(value).definition;
    return (definition.valid() ? qualifiedName(program.operation(definition)) + "." : std::string("argument "))
        + std::to_string(program.value(value).index);
}

/// The region is inside the operation, at any depth.
bool encloses(const Program& program, OperationId id, RegionId region)
{
    for (const RegionId inner : program.operation(id).regions) {
        if (inner == region)
            return true;
        for (const OperationId held : program.regions[inner.index].operations)
            if (encloses(program, held, region))
                return true;
    }
    return false;
}

std::string operandDifference(
    const Program& program, const Json& expected, std::span<const ValueId> operands, const NameTable& names)
{
    if (expected.size() != operands.size())
        return {};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::string name = expected[i].get<std::string>();
        if (name.starts_with('%'))
            continue;
        const auto complain = [&] {
            return "operand " + std::to_string(i) + ": expected " + name + ", got " + valueName(program, operands[i]);
        };
        if (name.starts_with('a')) {
            const std::vector<ValueId>& arguments = program.regions[names.function->body.index].arguments;
            const auto index = static_cast<std::size_t>(std::stoul(name.substr(1)));
            if (index >= arguments.size() || arguments[index] != operands[i])
                return complain();
            continue;
        }
        if (const auto bound = names.bound.find(name); bound != names.bound.end()) {
            if (bound->second != operands[i])
                return complain();
            continue;
        }
        const auto known = names.inputIds->values.find(name);
        if (known == names.inputIds->values.end())
            return complain();
        const int operation = std::stoi(name.substr(1));
        const auto definition = names.inputIds->operations.find(operation);
        if (definition != names.inputIds->operations.end() && names.operations.contains(definition->second.index)
            && known->second != operands[i])
            return complain();
    }
    return {};
}

std::string typesDifference(const Program& program, const Json& expected, const Operation& operation)
{
    if (expected.size() != operation.results.size())
        return "results: expected " + std::to_string(expected.size()) + ", got "
            + std::to_string(operation.results.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        const Json& type = expected[k];
        if (type.at("kind") != "tensor")
            continue;
        const TensorType& got = program.value(operation.results[k]).type;
        Json shape = Json::array();
        for (const std::int64_t size : got.shape)
            shape.push_back(size == dynamicSize ? Json() : Json(size));
        if (got.dtype != DType::Other && (type.at("shape") != shape || type.at("dtype") != name(got.dtype)))
            return unlike("type", type.dump(), toString(got));
    }
    return {};
}

std::string listDifference(
    const Program& program, const char* what, const Json& expected, const std::vector<ProgramSharding>& got)
{
    if (expected.size() != got.size())
        return unlike(what, std::to_string(expected.size()) + " shardings", std::to_string(got.size()));
    for (std::size_t i = 0; i < got.size(); ++i)
        if (std::string found = unlike(std::string(what) + " " + std::to_string(i), shardingText(program, expected[i]),
                shardingText(program, got[i]));
            !found.empty())
            return found;
    return {};
}

std::string collectiveDifference(const Program& program, const Json& entry, const SdyCollectiveAttributes& got)
{
    const std::uint32_t mesh = got.out.mesh;
    const Json meshName = mesh < program.meshes.size() && !program.meshes[mesh].inlined
        ? Json(program.meshes[mesh].name)
        : Json{ { "inline", { { "axes", Json::array() } } } };
    if (entry.contains("axes"))
        if (std::string found =
                unlike("axes", axesText(program, meshName, entry["axes"]), axesText(program, mesh, got.axes));
            !found.empty())
            return found;
    if (!entry.contains("axes_per_dim"))
        return {};
    std::string expected, actual;
    for (const Json& list : entry["axes_per_dim"])
        if (list.is_object())
            expected += "{" + axesText(program, meshName, list.at("axes")) + "}:" + list.at("src").dump() + "->"
                + list.at("tgt").dump() + " ";
        else
            expected += "{" + axesText(program, meshName, list) + "} ";
    for (const AxisList& list : got.axesPerDimension)
        actual += "{" + axesText(program, mesh, list) + "} ";
    for (const AxisMove& move : got.moves)
        actual += "{" + axesText(program, mesh, move.axes) + "}:" + std::to_string(move.source) + "->"
            + std::to_string(move.target) + " ";
    return unlike("axes", expected, actual);
}

Json dimsJson(const Dimensions& dims)
{
    return Json(std::vector<std::int64_t>(dims.begin(), dims.end()));
}

/// The attribute of that name as a case has it; null where there is no such attribute or it cannot be compared.
Json attributeJson(const Operation& operation, const std::string& key)
{
    const Attributes& attributes = operation.attributes;
    if (key == "keywords") {
        const auto* collective = attributesAs<SdyCollectiveAttributes>(attributes);
        if (collective)
            return Json::array({ collective->kind == ReduceKind::Max ? "max"
                    : collective->kind == ReduceKind::Min            ? "min"
                                                                     : "sum" });
    }
    if (key == "has_side_effect")
        if (const auto* call = attributesAs<CustomCallAttributes>(attributes))
            return call->hasSideEffect;
    if (key == "contracting_dims")
        if (const auto* dot = std::get_if<DotGeneralAttributes>(&attributes))
            return Json{ { "lhs", dimsJson(dot->lhsContracting) }, { "rhs", dimsJson(dot->rhsContracting) } };
    if (key == "dims") {
        if (const auto* transpose = std::get_if<TransposeAttributes>(&attributes))
            return dimsJson(transpose->permutation);
        if (const auto* broadcast = std::get_if<BroadcastAttributes>(&attributes))
            return dimsJson(broadcast->dimensions);
    }
    return {};
}

std::string constantDifference(const Program& program, const Json& value, const Operation& operation)
{
    const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes);
    if (!constant || operation.results.empty())
        return "no constant";
    const DType type = program.value(operation.results[0]).type.dtype;
    if (!constant->bytes || static_cast<std::int64_t>(constant->bytes->size()) != byteSize(type))
        return "no splat constant";
    double got = 0;
    if (type == DType::F32) {
        float number = 0;
        std::memcpy(&number, constant->bytes->data(), sizeof number);
        got = number;
    } else if (isFloat(type) || isComplex(type)) {
        return std::string(unsupportedMark) + "a constant of type " + std::string(name(type));
    } else {
        std::int64_t number = 0;
        for (std::size_t i = constant->bytes->size(); i-- > 0;)
            number = number * 256 + std::to_integer<std::int64_t>((*constant->bytes)[i]);
        got = static_cast<double>(number);
    }
    return got == value.at("dense").get<double>() ? std::string() : unlike("value", value.dump(), std::to_string(got));
}

std::string attributesDifference(const Program& program, const Json& expected, const Operation& operation)
{
    for (const auto& [key, value] : expected.items()) {
        if (key == "sharding") {
            const ProgramSharding* own = nullptr;
            ownsSharding(operation, own);
            if (std::string found = unlike(key, shardingText(program, value), textOrNone(program, own)); !found.empty())
                return found;
            continue;
        }
        if (key == "value") {
            if (std::string found = constantDifference(program, value, operation); !found.empty())
                return found;
            continue;
        }
        const Json got = attributeJson(operation, key);
        if (got.is_null())
            return std::string(unsupportedMark) + "the attribute " + key + " of " + qualifiedName(operation);
        if (got != value)
            return unlike(key, value.dump(), got.dump());
    }
    return {};
}

std::string shardyDifference(const Program& program, const Json& entry, const Operation& operation)
{
    if (const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes)) {
        std::string found;
        if (entry.contains("in_shardings"))
            found = listDifference(program, "in_shardings", entry["in_shardings"], manual->in);
        if (found.empty() && entry.contains("out_shardings"))
            found = listDifference(program, "out_shardings", entry["out_shardings"], manual->out);
        if (found.empty() && entry.contains("manual_axes")) {
            std::vector<std::string> axes;
            for (const Json& axis : entry["manual_axes"])
                axes.push_back(axis.is_object() ? axis.at("name").get<std::string>() : axis.get<std::string>());
            found = unlike("manual_axes", Json(axes).dump(), Json(manual->manualAxes).dump());
        }
        return found;
    }
    if (const auto* named = attributesAs<NamedComputationAttributes>(operation.attributes)) {
        std::string found;
        if (entry.contains("in_shardings"))
            found = listDifference(program, "in_shardings", entry["in_shardings"], named->in);
        if (found.empty() && entry.contains("out_shardings"))
            found = listDifference(program, "out_shardings", entry["out_shardings"], named->out);
        return found;
    }
    if (const auto* group = attributesAs<ShardingGroupAttributes>(operation.attributes);
        group && entry.contains("group_id"))
        return unlike("group_id", entry["group_id"].dump(), std::to_string(group->group));
    if (const auto* barrier = attributesAs<PropagationBarrierAttributes>(operation.attributes);
        barrier && entry.contains("allowed_direction"))
        return unlike("allowed_direction", entry["allowed_direction"].get<std::string>(),
            barrier->allowed == BarrierDirection::Forward        ? "FORWARD"
                : barrier->allowed == BarrierDirection::Backward ? "BACKWARD"
                : barrier->allowed == BarrierDirection::Both     ? "BOTH"
                                                                 : "NONE");
    if (const auto* collective = attributesAs<SdyCollectiveAttributes>(operation.attributes))
        return collectiveDifference(program, entry, *collective);
    for (const char* key : { "in_shardings", "manual_axes", "group_id", "allowed_direction", "axes", "axes_per_dim" })
        if (entry.contains(key))
            return std::string("no ") + key;
    return {};
}

} // namespace

std::string operationDifference(
    const Program& program, const Json& entry, const Place& place, const NameTable& names, const CaseExtras& extras)
{
    const bool close = place.kind == Place::Kind::Close;
    if (entry.contains("attrs")) {
        if (!extras.operation)
            return std::string(unsupportedMark) + "provenance of an operation";
        if (std::string found = extras.operation(entry["attrs"], place.operation, place.region); !found.empty())
            return found;
    }
    if (place.kind == Place::Kind::Terminator)
        return entry.contains("operands")
            ? operandDifference(program, entry["operands"], program.regions[place.region.index].results, names)
            : std::string();
    const Operation& operation = program.operation(place.operation);
    std::string found;
    // An operand that was concluded from another operation is none where it would be used inside of what defines it.
    const bool wronglyInferred = entry.value("operand_inferred", false) && [&] {
        return std::any_of(entry["operands"].begin(), entry["operands"].end(), [&](const Json& name) {
            const auto bound = names.bound.find(name.get<std::string>());
            const OperationId definition =
                bound == names.bound.end() ? OperationId() : program.value(bound->second).definition;
            return definition.valid() && encloses(program, definition, place.region);
        });
    }();
    if (!close && !wronglyInferred && entry.contains("operands"))
        found = operandDifference(program, entry["operands"], operation.operands, names);
    if (found.empty())
        found = shardingsDifference(program, entry, operation);
    if (found.empty() && entry.contains("result_types"))
        found = typesDifference(program, entry["result_types"], operation);
    if (found.empty() && entry.contains("op_attrs"))
        found = attributesDifference(program, entry["op_attrs"], operation);
    if (found.empty() && !close)
        found = shardyDifference(program, entry, operation);
    if (found.empty() && entry.contains("sharding_rule")) {
        Json expected = entry["sharding_rule"];
        expected.erase("string");
        expected.erase("custom");
        found = difference(expected,
            ruleJson(extras.rule ? extras.rule(place.operation) : factorRule(program, operation)), "sharding_rule");
    }
    return found;
}

} // namespace shardscope::conformance
