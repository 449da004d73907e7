// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/argument_shardings.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "hlo/attributes.h"
#include "sharding/hlo_sharding.h"
#include "sharding/sharding_text.h"

namespace shardscope {

namespace {

/// "{mesh['x'=2], [{'x'}, {}]}"; nothing for a text without a mesh.
std::optional<TensorSharding> alongNames(std::string_view text, const Mesh& mesh, std::size_t rank)
{
    if (!text.starts_with("{mesh[") || !text.ends_with('}'))
        return std::nullopt;
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos)
        return std::nullopt;
    std::string rest(text.substr(end + 1, text.size() - end - 2));
    rest.erase(0, std::min(rest.find_first_not_of(" ,"), rest.size()));
    if (rest == "replicated")
        return TensorSharding::fullyReplicated(rank);
    std::replace(rest.begin(), rest.end(), '\'', '"');
    const Result<TensorSharding> read = parseDimensions(rest, mesh);
    return read && read->rank() == rank ? std::optional(*read) : std::nullopt;
}

std::optional<TensorSharding> along(std::string_view text, const Mesh& mesh, std::size_t rank)
{
    if (text.find("mesh[") != std::string_view::npos)
        return alongNames(text, mesh, rank);
    const Result<HloSharding> tiles = parseHlo(text);
    if (!tiles)
        return std::nullopt;
    if (tiles->kind == HloSharding::Kind::Replicated)
        return TensorSharding::fullyReplicated(rank);
    const Result<TensorSharding> read = toTensorSharding(*tiles, mesh, rank);
    return read ? std::optional(*read) : std::nullopt;
}

} // namespace

std::vector<std::optional<TensorSharding>> argumentShardings(const HloModule& module, const Mesh& mesh)
{
    std::vector<std::optional<TensorSharding>> list;
    if (module.entry == noHloIndex)
        return list;
    std::vector<std::pair<std::int64_t, const HloInstruction*>> parameters;
    for (const HloInstruction& instruction : module.instructionsOf(module.computations[module.entry]))
        if (module.opcode(instruction) == "parameter")
            parameters.emplace_back(
                wholeNumber<std::int64_t>(module.view(instruction.inside)).value_or(0), &instruction);
    std::stable_sort(
        parameters.begin(), parameters.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [number, parameter] : parameters) {
        const std::vector<std::uint32_t> leaves = leavesOf(module, parameter->shape);
        const HloAttribute* sharding = module.attribute(*parameter, "sharding");
        const std::vector<std::string_view> texts =
            sharding ? hloShardingTexts(module.view(sharding->value)) : std::vector<std::string_view>();
        for (std::size_t i = 0; i < leaves.size(); ++i)
            list.push_back(texts.size() == leaves.size() ? along(texts[i], mesh, module.shapes[leaves[i]].sizes.size())
                                                         : std::nullopt);
    }
    return list;
}

} // namespace shardscope
