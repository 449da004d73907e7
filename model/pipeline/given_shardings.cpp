// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/given_shardings.h"

#include <algorithm>
#include <optional>

#include "base/codes.h"
#include "base/text.h"
#include "experiment/model_settings.h"
#include "program/name_values.h"
#include "program/other_attributes.h"
#include "program/over_mesh.h"
#include "sharding/sharding_text.h"

namespace shardscope {

namespace {

constexpr std::string_view resultWord = "result";

std::optional<std::size_t> numberAfter(std::string_view text, std::string_view word)
{
    if (!text.starts_with(word))
        return std::nullopt;
    text.remove_prefix(word.size());
    return wholeNumber<std::size_t>(text);
}

/// Where the sharding of a value is kept.
enum class Keeping : std::uint8_t { Value, Constraint, Own, None };

Keeping keepingOf(const Program& program, ValueId value)
{
    const OperationId made = program.value(value).definition;
    if (!made.valid())
        return Keeping::Value;
    const Operation& operation = program.operation(made);
    if (operation.kind == OpKind::ShardingConstraint)
        return Keeping::Constraint;
    if (attributesAs<OwnShardingAttributes>(operation.attributes))
        return Keeping::Own;
    if (attributesAs<SdyCollectiveAttributes>(operation.attributes)
        || attributesAs<ManualComputationAttributes>(operation.attributes)
        || attributesAs<NamedComputationAttributes>(operation.attributes))
        return Keeping::None;
    return Keeping::Value;
}

/// Arguments of functions have shardings of their own, those of other bodies do not.
bool isFunctionArgument(const Program& program, ValueId value)
{
    const auto has = [&](const Region& region) {
        const std::uint32_t index = program.value(value).index;
        return index < region.arguments.size() && region.arguments[index] == value;
    };
    return has(program.main())
        || std::any_of(program.functions.begin(), program.functions.end(),
            [&](const Function& f) { return has(program.regions[f.body.index]); });
}

ShardingIndex indexOf(Program& program, ProgramSharding sharding)
{
    const auto known = std::find(program.shardings.begin(), program.shardings.end(), sharding);
    if (known != program.shardings.end())
        return static_cast<ShardingIndex>(known - program.shardings.begin()) + 1;
    program.shardings.push_back(std::move(sharding));
    return static_cast<ShardingIndex>(program.shardings.size());
}

void give(Program& program, const ShardedPlace& place, ProgramSharding sharding)
{
    if (place.result >= 0) {
        std::vector<ShardingIndex>& results = program.functions.front().resultShardings;
        results.resize(program.main().results.size(), 0);
        results[static_cast<std::size_t>(place.result)] = indexOf(program, std::move(sharding));
        return;
    }
    switch (keepingOf(program, place.value)) {
    case Keeping::Value:
        program.valueShardings.resize(program.values.size(), 0);
        program.valueShardings[place.value.index] = indexOf(program, std::move(sharding));
        break;
    case Keeping::Constraint: {
        Operation& operation = program.operations[program.value(place.value).definition.index];
        std::get<ConstraintAttributes>(operation.attributes).annotation =
            ExplicitSharding{ std::make_shared<const ProgramSharding>(std::move(sharding)) };
        break;
    }
    case Keeping::Own:
        program.operations[program.value(place.value).definition.index].attributes =
            otherAttributes(OwnShardingAttributes{ std::move(sharding) });
        break;
    case Keeping::None:
        break;
    }
}

/// All names that a sharding can be given to: arguments, declared results, and what operations of main make.
std::vector<std::string> knownNames(const Program& program)
{
    std::vector<std::string> known;
    for (const ValueId argument : program.main().arguments)
        known.push_back(program.value(argument).path);
    for (std::size_t r = 0; r < program.main().results.size(); ++r)
        known.push_back(std::string(resultWord) + std::to_string(r));
    for (const OperationId id : program.main().operations)
        for (const ValueId result : program.operation(id).results)
            if (keepingOf(program, result) != Keeping::None)
                known.push_back(program.value(result).path);
    return known;
}

/// A few of them, of every kind some.
std::vector<std::string> someNames(const Program& program, std::vector<std::string> known)
{
    constexpr std::size_t most = 20, maxOfAKind = 6;
    if (known.size() <= most)
        return known;
    const std::size_t arguments = program.main().arguments.size(), results = program.main().results.size();
    std::vector<std::string> some;
    for (std::size_t i = 0; i < known.size() && some.size() < most; ++i) {
        const std::size_t within = i < arguments ? i : i < arguments + results ? i - arguments : 0;
        if (within < maxOfAKind)
            some.push_back(std::move(known[i]));
    }
    return some;
}

} // namespace

ShardedPlace shardedPlace(const Program& program, std::string_view name)
{
    if (const auto result = numberAfter(name, resultWord)) {
        const auto& results = program.main().results;
        return *result < results.size() && !program.functions.empty()
            ? ShardedPlace{ results[*result], static_cast<int>(*result) }
            : ShardedPlace();
    }
    const ValueId value = valueNamed(program, name);
    if (!value.valid() || keepingOf(program, value) == Keeping::None
        || (!program.value(value).definition.valid() && !isFunctionArgument(program, value)))
        return {};
    return { value, -1 };
}

std::string nameOf(const Program& program, const ShardedPlace& place)
{
    if (!place.exists() || place.value.index >= program.values.size())
        return {};
    if (place.result >= 0)
        return std::string(resultWord) + std::to_string(place.result);
    const std::string& path = program.value(place.value).path;
    return shardedPlace(program, path) == place ? path : std::string();
}

const ProgramSharding* specifiedAt(const Program& program, const ShardedPlace& place)
{
    if (place.result >= 0) {
        const auto& results = program.functions.front().resultShardings;
        const auto index = static_cast<std::size_t>(place.result);
        return index < results.size() && results[index] != 0 ? &program.shardings[results[index] - 1] : nullptr;
    }
    switch (keepingOf(program, place.value)) {
    case Keeping::Constraint: {
        const Operation& operation = program.operation(program.value(place.value).definition);
        const auto* specified =
            std::get_if<ExplicitSharding>(&std::get<ConstraintAttributes>(operation.attributes).annotation);
        return specified ? specified->specified.get() : nullptr;
    }
    case Keeping::Own: {
        const Operation& operation = program.operation(program.value(place.value).definition);
        const auto& own = attributesAs<OwnShardingAttributes>(operation.attributes)->sharding;
        return own ? &*own : nullptr;
    }
    default:
        return program.shardingOf(place.value);
    }
}

ProgramModel specifiedBy(const Experiment& experiment)
{
    static const auto none = std::make_shared<const std::string>();
    ProgramModel specified{ sourceFile(experiment), none };
    if (const auto* rules = ownRules(experiment))
        specified.shardingRules = *rules;
    if (const auto* shardings = ownShardings(experiment))
        specified.shardings = *shardings;
    return specified;
}

std::vector<Problem> giveShardings(Program& program, const ProgramModel& model)
{
    std::vector<Problem> findings;
    const std::optional<std::uint32_t> mesh = mainMesh(program);
    for (const ValueSharding& specified : model.shardings) {
        Where where;
        where.pointer = "/model/shardings/" + pointerPart(specified.value);
        const ShardedPlace place = shardedPlace(program, specified.value);
        if (!place.exists()) {
            std::vector<std::string> known = knownNames(program);
            std::string nearest = nearestName(specified.value, known);
            findings.push_back(
                { Diagnostic{ Code::UnknownValue,
                      { { "key", "shardings" }, { "value", specified.value },
                          { "known", someNames(program, std::move(known)) }, { "nearest", std::move(nearest) } },
                      std::move(where) },
                    {}, {} });
            continue;
        }
        const Mesh none;
        Result<TensorSharding> sharding =
            parseDimensions(specified.sharding, mesh ? *program.meshes[*mesh].mesh : none);
        if (!sharding) {
            findings.push_back(
                { Diagnostic{ sharding.error().code, std::move(sharding.error().args), std::move(where) }, {},
                    { place.value } });
            continue;
        }
        const std::size_t rank = program.value(place.value).type.rank();
        if (sharding->rank() != rank) {
            findings.push_back({ Diagnostic{ Code::RankMismatch,
                                     { { "sharding_rank", sharding->rank() }, { "rank", rank } }, std::move(where) },
                {}, { place.value } });
            continue;
        }
        if (mesh)
            give(program, place, ProgramSharding{ *mesh, std::move(*sharding), ReduceKind::Sum });
    }
    return findings;
}

} // namespace shardscope
