// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/device_forms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "mesh/host_block.h"

namespace shardscope::conformance {

namespace {

std::array<std::int32_t, 3> toThree(const Json& json)
{
    return { json.at(0), json.at(1), json.at(2) };
}

/// Rows of id, process, x, y, z, core and, in some files, slice.
std::vector<DevicePlace> toPlaces(const Json& rows)
{
    std::vector<DevicePlace> places;
    for (const Json& row : rows)
        places.push_back({ row.at(0), row.at(1), { row.at(2), row.at(3), row.at(4) }, row.at(5),
            row.size() > 6 ? row.at(6).get<std::int32_t>() : 0 });
    return places;
}

std::vector<DevicePlace> listing(const DeviceSet& set)
{
    std::vector<DevicePlace> places;
    for (std::int64_t i = 0; i < set.count(); ++i)
        places.push_back(set.listed(i));
    return places;
}

bool byId(const DevicePlace& a, const DevicePlace& b)
{
    return a.id < b.id;
}

/// Our own description: `xyz`, `cores` and `slices` of JAX's topologies, `bounds` and `host` of T5X's.
DeviceSet described(const Json& topology)
{
    const bool t5x = topology.contains("bounds");
    const auto chips = toThree(topology.at(t5x ? "bounds" : "xyz"));
    const auto hostChips = t5x ? toThree(topology.at("host"))
                               : std::array<std::int32_t, 3>{ std::min(chips[0], 2), std::min(chips[1], 2), 1 };
    const Result<DeviceSet> set = DeviceSet::ofChips(topology.at(t5x ? "kind" : "device_kind"), chips, hostChips,
        t5x ? topology.at("bounds").at(3) : topology.at("cores"), topology.value("slices", 1));
    if (!set)
        throw std::runtime_error("the topology cannot be described");
    return *set;
}

DeviceSet toTpus(const std::string& name, const Json& topology)
{
    const DeviceSet derived = described(topology);
    const bool reversed = name.ends_with("/reversed");
    std::vector<DevicePlace> own = listing(derived);
    if (reversed)
        std::reverse(own.begin(), own.end());
    if (topology.contains("devices")) {
        const std::vector<DevicePlace> specified = toPlaces(topology.at("devices"));
        std::vector<DevicePlace> sortedSpecified = specified;
        std::sort(sortedSpecified.begin(), sortedSpecified.end(), byId);
        std::vector<DevicePlace> sortedOwn = own;
        std::sort(sortedOwn.begin(), sortedOwn.end(), byId);
        // T5X's topologies list their devices in another order, which must not matter there.
        if (topology.contains("bounds") ? sortedSpecified != sortedOwn : specified != own)
            throw std::runtime_error("the description of " + name + " gives other devices than the file");
        own = specified;
        const Result<DeviceSet> set = DeviceSet::ofList(derived.kind, derived.platform, std::move(own));
        if (!set)
            throw std::runtime_error("the list of devices is refused");
        return *set;
    }
    if (!reversed)
        return derived;
    return *DeviceSet::ofList(derived.kind, derived.platform, std::move(own));
}

} // namespace

DeviceSet toDevices(const Json& oneCase, const Json& file)
{
    if (oneCase.contains("topology")) {
        const std::string name = oneCase.at("topology");
        return toTpus(name, file.at("topologies").at(name));
    }
    const Json& plain = oneCase.at("plain");
    const std::string platform = plain.at("platform");
    return DeviceSet::ofHosts("generic-" + platform, platform, plain.at("processes"), plain.at("local_devices"));
}

void addIds(Json& json, const std::vector<std::int32_t>& ids, const Json& oneCase)
{
    if (oneCase.contains("ids_sha1")) {
        std::string text;
        for (const std::int32_t id : ids)
            text += (text.empty() ? "" : ",") + std::to_string(id);
        json["ids_sha1"] = sha1(text);
        constexpr std::size_t head = 32;
        json["ids_head"] =
            std::vector(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), head)));
    }
    if (oneCase.contains("ids") || !oneCase.contains("ids_sha1"))
        json["ids"] = ids;
}

Json toJson(const DeviceArray& array, const Json& oneCase)
{
    Json json{ { "result_shape", array.shape } };
    addIds(json, array.ids, oneCase);
    return json;
}

Json toRows(const DeviceArray& array)
{
    Json rows = Json::array();
    const auto columns = static_cast<std::ptrdiff_t>(array.shape.at(1));
    for (auto row = array.ids.begin(); row != array.ids.end(); row += columns)
        rows.push_back(std::vector(row, row + columns));
    return rows;
}

CaseResult compareHosts(const Json& expected, const DeviceArray& array, const DeviceSet& set)
{
    for (const Json& host : expected) {
        const std::int32_t process = host.at("process");
        Json actual{ { "process", process } };
        if (const Result<HostBlock> block = hostBlock(array.shape, hostsOf(array.ids, set), process)) {
            actual["start"] = block->start;
            actual["local_shape"] = block->shape;
            for (std::size_t axis = 0; axis < array.names.size(); ++axis) {
                actual["num_chunks"][array.names[axis]] = block->chunks[axis];
                actual["chunk_ids"][array.names[axis]] = block->chunk[axis];
            }
        } else {
            actual["error"] = block.error().kind();
        }
        if (std::string found = difference(host, actual, "/process " + std::to_string(process)); !found.empty())
            return CaseResult::failed(std::move(found));
    }
    return CaseResult::passed();
}

CaseResult compareAsserted(const Json& oneCase, const Json& actual, const std::vector<std::string>& asserted)
{
    Json expected = Json::object();
    for (const std::string& name : asserted)
        if (oneCase.contains(name))
            expected[name] = oneCase.at(name);
    std::string found = difference(expected, actual);
    return found.empty() ? CaseResult::passed() : CaseResult::failed(std::move(found));
}

std::string sha1(const std::string& text)
{
    std::string message = text + '\x80';
    while (message.size() % 64 != 56)
        message += '\0';
    const std::uint64_t bits = std::uint64_t{ text.size() } * 8;
    for (int shift = 56; shift >= 0; shift -= 8)
        message += static_cast<char>(bits >> shift & 0xff);

    std::array<std::uint32_t, 5> state{ 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    for (std::size_t block = 0; block < message.size(); block += 64) {
        std::array<std::uint32_t, 80> w{};
        for (std::size_t i = 0; i < 64; ++i)
            w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(message[block + i]);
        for (std::size_t i = 16; i < 80; ++i)
            w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
        auto [a, b, c, d, e] = state;
        for (std::size_t i = 0; i < 80; ++i) {
            const std::uint32_t f = i < 20 ? (b & c) | (~b & d)
                : i >= 40 && i < 60        ? (b & c) | (b & d) | (c & d)
                                           : b ^ c ^ d;
            constexpr std::array<std::uint32_t, 4> k{ 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
            const std::uint32_t next = std::rotl(a, 5) + f + e + k[i / 20] + w[i];
            e = d;
            d = c;
            c = std::rotl(b, 30);
            b = a;
            a = next;
        }
        const std::array<std::uint32_t, 5> sums{ a, b, c, d, e };
        for (std::size_t i = 0; i < 5; ++i)
            state[i] += sums[i];
    }
    std::string hex;
    for (const std::uint32_t word : state)
        for (int shift = 28; shift >= 0; shift -= 4)
            hex += "0123456789abcdef"[word >> shift & 0xf];
    return hex;
}

} // namespace shardscope::conformance
