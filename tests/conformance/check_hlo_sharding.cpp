// SPDX-License-Identifier: GPL-3.0-or-later
// hlo_sharding: HLO text, its normal form, the devices behind it, and what JAX makes of specs.
#include <algorithm>
#include <map>
#include <numeric>

#include "conformance/forms.h"
#include "sharding/sharding.h"

namespace shardscope::conformance {

namespace {

using Numbers = std::vector<std::int64_t>;

template <class List>
Json toList(const List& list)
{
    return Numbers(list.begin(), list.end());
}

CaseResult cannotRead(const std::string& text, const Error& error)
{
    return CaseResult::failed("cannot read " + text + ": " + std::string(error.kind()));
}

/// A file may call the kind of a case by a member, or by what its id begins with.
std::string caseKind(const Json& oneCase)
{
    const std::string id = oneCase.at("id");
    return oneCase.value("kind", id.substr(0, id.find('/')));
}

CaseResult checkRoundTrip(const Json& oneCase)
{
    const std::string text = oneCase.at("text");
    const Result<HloSharding> sharding = parseHlo(text);
    if (!sharding)
        return cannotRead(text, sharding.error());
    return compareMembers(oneCase, { { "printed", toHlo(*sharding) } });
}

CaseResult checkError(const Json& oneCase)
{
    const Result<HloSharding> sharding = parseHlo(oneCase.at("text").get<std::string>());
    if (oneCase.at("phase") == "parse" || !sharding)
        return compareMembers(
            oneCase, { { "error_kind", sharding ? std::string_view("none") : sharding.error().kind() } });
    std::optional<std::int64_t> devices;
    if (oneCase.contains("num_devices") && !oneCase.at("num_devices").is_null())
        devices = oneCase.at("num_devices").get<std::int64_t>();
    const bool shaped = oneCase.contains("shape") && !oneCase.at("shape").is_null();
    const Shape shape = shaped ? toShape(oneCase.at("shape")) : Shape(sharding->tiledRank(), 1);
    const Result<void> valid = validate(*sharding, shape, devices);
    return compareMembers(oneCase, { { "error_kind", valid ? std::string_view("none") : valid.error().kind() } });
}

CaseResult checkCanonical(const Json& oneCase)
{
    TileAssignment::Permutation order;
    for (const std::int32_t dim : oneCase.at("transpose_perm").get<std::vector<std::int32_t>>())
        order.push_back(dim);
    const Result<TileAssignment> tiles =
        TileAssignment::iota(toShape(oneCase.at("tile_dims")), toShape(oneCase.at("reshape_dims")), order);
    if (!tiles)
        return unexpectedError(tiles.error());
    return compareMembers(oneCase,
        { { "canonical_reshape", toList(tiles->reshape()) }, { "canonical_perm", toList(tiles->transpose()) },
            { "printed", toHlo(HloSharding::tiled(*tiles)) }, { "device_list", tiles->devices() } });
}

CaseResult checkTwoVersions(const Json& oneCase)
{
    std::optional<HloSharding> read[2];
    for (const char* version : { "v1", "v2" }) {
        const std::string text = oneCase.at(version);
        Result<HloSharding> sharding = parseHlo(text);
        if (!sharding)
            return cannotRead(text, sharding.error());
        if (oneCase.value("equal", true) || version[1] == '2') {
            const CaseResult same = compareMembers(oneCase,
                { { "device_list", sharding->tiles.devices() }, { "tile_dims", toList(sharding->tiles.dims()) } });
            if (same.status != CaseResult::Status::Passed)
                return same;
        }
        read[version[1] - '1'] = std::move(*sharding);
    }
    return compareMembers(oneCase, { { "equal", *read[0] == *read[1] } });
}

CaseResult checkDetectIota(const Json& oneCase)
{
    const Result<TileAssignment> list = TileAssignment::list(
        toShape(oneCase.at("tile_dims")), oneCase.at("device_list").get<std::vector<std::int32_t>>());
    if (!list)
        return unexpectedError(list.error());
    Json iota;
    if (const std::optional<TileAssignment> found = list->asIota())
        iota = { { "reshape", toList(found->reshape()) }, { "perm", toList(found->transpose()) },
            { "printed", toHlo(HloSharding::tiled(*found)) } };
    return compareMembers(oneCase, { { "iota", iota } });
}

CaseResult checkSpec(const Json& oneCase)
{
    std::vector<MeshAxis> axes;
    for (const Json& axis : oneCase.at("mesh"))
        axes.push_back({ axis.at(0), axis.at(1) });
    const Result<Mesh> mesh = Mesh::create(std::move(axes));
    const Result<PartitionSpec> spec = toSpec(oneCase.at("spec"));
    if (!mesh || !spec)
        return unexpectedError(mesh ? spec.error() : mesh.error());
    const auto refs = [&](const char* member) {
        AxisList list;
        for (const Json& name : oneCase.value(member, Json::array()))
            list.push_back(fullAxis(*mesh, mesh->axisIndex(name.get<std::string>()).value()));
        std::sort(list.begin(), list.end());
        return list;
    };
    TensorSharding sharding = toTensorSharding(*spec, *mesh, oneCase.at("rank"));
    sharding.unreduced = refs("unreduced");
    return compareMembers(oneCase, { { "hlo", toHlo(toHloSharding(sharding, *mesh, refs("manual"))) } });
}

/// Offset and limit of the tile of every device, by its number.
CaseResult checkTiles(const Json& oneCase)
{
    const std::string text = oneCase.at("sharding");
    const Result<HloSharding> sharding = parseHlo(text);
    if (!sharding)
        return cannotRead(text, sharding.error());
    const bool tiled = sharding->kind == HloSharding::Kind::Tiled;
    std::vector<std::int32_t> devices(
        static_cast<std::size_t>(tiled ? sharding->tiles.size() : oneCase.value("num_devices", std::int64_t{ 1 })));
    std::iota(devices.begin(), devices.end(), 0);
    const Result<Layout> layout = layoutOf(*sharding, devices, toShape(oneCase.at("shape")));
    if (!layout)
        return unexpectedError(layout.error());
    for (const char* member : { "offset", "limit" }) {
        if (!oneCase.contains(member))
            continue;
        const Json& expected = oneCase.at(member);
        Json actual = expected.is_array() ? Json::array() : Json::object();
        for (const std::int32_t device : devices) {
            Json numbers = Json::array();
            for (const IndexRange& range : layout->rangesAt(layout->mesh().positionOf(device)))
                numbers.push_back(member[0] == 'o' ? range.begin : range.end);
            if (expected.is_array())
                actual.push_back(numbers);
            else if (expected.contains(std::to_string(device)))
                actual[std::to_string(device)] = numbers;
        }
        if (std::string found = difference(expected, actual, std::string("/") + member); !found.empty())
            return CaseResult::failed(std::move(found));
    }
    return CaseResult::passed();
}

CaseResult checkEquality(const Json& oneCase)
{
    for (const Json& pair : oneCase.at("pairs")) {
        const Result<HloSharding> first = parseHlo(pair.at(0).get<std::string>());
        const Result<HloSharding> second = parseHlo(pair.at(1).get<std::string>());
        if (!first || !second)
            return unexpectedError(first ? second.error() : first.error());
        if ((*first == *second) != pair.at(2).get<bool>())
            return CaseResult::failed("equality of " + pair.dump());
    }
    return CaseResult::passed();
}

CaseResult checkNormalForm(const Json& oneCase)
{
    for (const Json& example : oneCase.at("examples")) {
        const std::string text = example.at(0);
        const Result<HloSharding> sharding = parseHlo(text);
        if (!sharding)
            return cannotRead(text, sharding.error());
        if (toHlo(*sharding) != example.at(1).get<std::string>())
            return CaseResult::failed(text + ": expected " + example.at(1).dump() + ", got " + toHlo(*sharding));
    }
    return CaseResult::passed();
}

} // namespace

CaseResult checkHloSharding(const Json& oneCase, const Json&)
{
    static const std::map<std::string, CaseResult (*)(const Json&)> byKind{ { "roundtrip", checkRoundTrip },
        { "error", checkError }, { "canon", checkCanonical }, { "v1v2", checkTwoVersions },
        { "detect_iota", checkDetectIota }, { "pspec", checkSpec }, { "pspec_sub", checkSpec },
        { "tile_info", checkTiles }, { "equality", checkEquality }, { "partial_tile", checkNormalForm } };
    const std::string kind = caseKind(oneCase);
    const auto checker = byKind.find(kind);
    return checker == byKind.end() ? CaseResult::unsupported("kind " + kind) : checker->second(oneCase);
}

} // namespace shardscope::conformance
