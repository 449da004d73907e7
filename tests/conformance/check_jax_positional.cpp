// SPDX-License-Identifier: GPL-3.0-or-later
// jax_positional_sharding: operations on grids of device sets, and what they make of an array.
#include <map>
#include <numeric>

#include "conformance/forms.h"
#include "sharding/sharding_text.h"

namespace shardscope::conformance {

namespace {

using Numbers = std::vector<std::int64_t>;

Result<PositionalSharding> afterOperation(const PositionalSharding& sharding, const Json& operation)
{
    const std::string name = operation.at(0);
    if (name == "reshape")
        return sharding.reshape(operation.at(1).get<Numbers>());
    if (name == "transpose")
        return sharding.transpose(operation.at(1).get<Numbers>());
    if (name != "replicate")
        throw std::runtime_error("unknown operation " + name);
    std::optional<Numbers> axes;
    if (operation.at(1).is_array())
        axes = operation.at(1).get<Numbers>();
    else if (!operation.at(1).is_null())
        axes = Numbers{ operation.at(1).get<std::int64_t>() };
    return sharding.replicate(axes, operation.size() < 3 || operation.at(2).get<bool>());
}

Result<PositionalSharding> toSharding(const Json& oneCase)
{
    const auto shape = oneCase.at("devices_shape").get<Numbers>();
    std::vector<std::int32_t> devices(
        static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{ 1 }, std::multiplies<>())));
    std::iota(devices.begin(), devices.end(), 0);
    if (oneCase.contains("device_ids") && !oneCase.at("device_ids").is_null())
        devices = oneCase.at("device_ids").get<std::vector<std::int32_t>>();
    Result<PositionalSharding> sharding = PositionalSharding::create(
        std::move(devices), Shape(shape.begin(), shape.end()), oneCase.value("platform", std::string("cpu")));
    for (const Json& operation : oneCase.at("ops"))
        if (sharding)
            sharding = afterOperation(*sharding, operation);
    return sharding;
}

/// Index ranges by device, in the order in which the devices were given.
Json indexJson(const PositionalSharding& sharding, const Layout& layout)
{
    std::map<std::int32_t, Json> ranges;
    for (std::int64_t position = 0; position < layout.mesh().deviceCount(); ++position) {
        Json json = Json::array();
        for (const IndexRange& range : layout.rangesAt(position))
            json.push_back({ range.begin, range.end });
        ranges[layout.mesh().deviceAt(position)] = std::move(json);
    }
    Json index = Json::array();
    for (const std::int32_t device : sharding.devices())
        index.push_back({ device, ranges.at(device) });
    return index;
}

} // namespace

CaseResult checkJaxPositionalSharding(const Json& oneCase, const Json&)
{
    const auto failure = [&](const Error& error) {
        return CaseResult(compareMembers(oneCase, { { "error", errorLike(oneCase.value("error", Json()), error) } }));
    };
    const Result<PositionalSharding> sharding = toSharding(oneCase);
    if (!sharding)
        return failure(sharding.error());
    Json actual{ { "shape", Numbers(sharding->shape().begin(), sharding->shape().end()) },
        { "repr", toJax(Sharding(*sharding)) }, { "is_fully_replicated", sharding->isFullyReplicated() } };
    actual["device_sets"] = Json::array();
    for (std::int64_t cell = 0; cell < sharding->cellCount(); ++cell)
        actual["device_sets"].push_back(sharding->devicesOf(cell));
    if (const CaseResult result = compareMembers(oneCase, actual); result.status != CaseResult::Status::Passed)
        return result;
    if (oneCase.at("array_shape").is_null())
        return CaseResult::passed();

    const auto shape = oneCase.at("array_shape").get<Numbers>();
    const Result<Layout> layout = layoutOf(*sharding, shape);
    const Result<HloSharding> hlo = sharding->toHloSharding(shape.size());
    if (!layout || !hlo)
        return failure(layout ? hlo.error() : layout.error());
    return compareMembers(oneCase,
        { { "shard_shape", Numbers(layout->shardShape().begin(), layout->shardShape().end()) },
            { "index", indexJson(*sharding, *layout) }, { "hlo", toHlo(*hlo) } });
}

} // namespace shardscope::conformance
