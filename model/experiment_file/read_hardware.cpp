// SPDX-License-Identifier: GPL-3.0-or-later
// Devices: hosts and devices per host, or a topology. A topology is written short, "tpu-v4:4x4x4", as a grid of chips,
// or device by device.
// Declared in sections.h.
#include <array>
#include <optional>
#include <utility>

#include "base/codes.h"
#include "experiment_file/file_words.h"
#include "experiment_file/quantity_text.h"
#include "experiment_file/sections.h"
#include "mesh/device_places.h"
#include "mesh/device_presets.h"

namespace shardscope {

namespace words = file_words;

namespace {

using Type = JsonNode::Type;

void readBandwidth(const std::optional<ValueCursor>& value, double& bytesPerSecond)
{
    if (!value)
        return;
    const auto read = value->type() == Type::String ? parseBandwidth(value->node().text) : std::nullopt;
    if (read)
        bytesPerSecond = *read;
    else
        value->wrongType("a bandwidth such as \"45 GB/s\"");
}

void readMemory(const std::optional<ValueCursor>& value, std::int64_t& bytes)
{
    if (!value)
        return;
    const auto read = value->type() == Type::String ? parseBytes(value->node().text) : std::nullopt;
    if (read)
        bytes = *read;
    else
        value->wrongType("an amount of memory such as \"16 GiB\"");
}

using Triple = std::array<std::int32_t, 3>;

/// Three sizes along x, y and z.
std::optional<Triple> readTriple(const ValueCursor& value)
{
    if (value.type() != Type::Array || value.node().children.size() != 3) {
        value.wrongType("three sizes [x, y, z]");
        return std::nullopt;
    }
    Triple triple{};
    const auto parts = value.asList("sizes", 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto size = (*parts)[i].asInteger(1, maximumDevices);
        if (!size)
            return std::nullopt;
        triple[i] = static_cast<std::int32_t>(*size);
    }
    return triple;
}

std::optional<std::int32_t> readCount(const std::optional<ValueCursor>& value)
{
    if (!value)
        return 1;
    const auto count = value->asInteger(1, maximumDevices);
    return count ? std::optional(static_cast<std::int32_t>(*count)) : std::nullopt;
}

/// [id, process, x, y, z, core, slice]: the last two may be absent, and without coordinates all but the first two.
std::optional<DevicePlace> readPlace(const ValueCursor& value, bool coordinates, std::int64_t devices)
{
    const std::size_t count = value.type() == Type::Array ? value.node().children.size() : 0;
    if (count > 7 || count < (coordinates ? 5 : 2)) {
        value.wrongType(
            coordinates ? "a device [id, process, x, y, z], with core and slice if need be" : "a device [id, process]");
        return std::nullopt;
    }
    std::array<std::int32_t, 7> numbers{};
    const auto parts = value.asList("numbers", 7);
    for (std::size_t i = 0; i < count; ++i) {
        const auto number = (*parts)[i].asInteger(0, i == 0 ? devices - 1 : maximumDevices);
        if (!number)
            return std::nullopt;
        numbers[i] = static_cast<std::int32_t>(*number);
    }
    return DevicePlace{ numbers[0], numbers[1], { numbers[2], numbers[3], numbers[4] }, numbers[5], numbers[6] };
}

std::optional<DeviceSet> readList(const ValueCursor& value, const DeviceSet& named)
{
    const auto elements = value.asList("devices", static_cast<std::size_t>(maximumDevices));
    if (!elements)
        return std::nullopt;
    std::vector<DevicePlace> places;
    std::vector<bool> seen(elements->size());
    for (const ValueCursor& element : *elements) {
        const auto place = readPlace(element, named.hasCoordinates(), static_cast<std::int64_t>(elements->size()));
        if (!place)
            return std::nullopt;
        if (seen[static_cast<std::size_t>(place->id)]) {
            element.report(Code::DuplicateDevice, { { "id", place->id } });
            return std::nullopt;
        }
        seen[static_cast<std::size_t>(place->id)] = true;
        places.push_back(*place);
    }
    Result<DeviceSet> set = DeviceSet::ofList(named.kind, named.platform, std::move(places));
    if (set)
        return std::move(*set);
    value.report(set.error().code, set.error().args);
    return std::nullopt;
}

/// A grid of chips, or a list of devices.
std::optional<DeviceSet> readGrid(const ValueCursor& value, const DeviceSet& named)
{
    auto object = value.asObject();
    if (!object)
        return std::nullopt;
    std::optional<DeviceSet> set;
    if (const auto list = object->find("devices")) {
        set = readList(*list, named);
    } else if (const auto chips = object->require("chips")) {
        const auto grid = readTriple(*chips);
        const auto hostValue = object->find("host_chips");
        const auto host = hostValue ? readTriple(*hostValue) : grid ? DeviceSet::usualHostChips(*grid) : grid;
        const auto cores = readCount(object->find("cores_per_chip"));
        const auto slices = readCount(object->find("slices"));
        if (grid && host && cores && slices) {
            if (!named.hasCoordinates()) {
                chips->wrongType("a grid of chips only where platform is \"tpu\"");
            } else if (Result<DeviceSet> made = DeviceSet::ofChips(named.kind, *grid, *host, *cores, *slices)) {
                set = std::move(*made);
            } else {
                hostValue.value_or(*chips).report(made.error().code, made.error().args);
            }
        }
    }
    object->finish();
    return set;
}

/// "tpu-v4:4x4x4".
std::optional<DeviceSet> readShort(const ValueCursor& value)
{
    const auto text = value.asString();
    if (!text)
        return std::nullopt;
    Result<DeviceSet> set = parseDevices(*text);
    if (set)
        return std::move(*set);
    value.report(set.error().code, set.error().args);
    return std::nullopt;
}

/// What stands beside a topology must not say otherwise.
void compare(const std::optional<ValueCursor>& specified, const std::string& found, const std::string& right)
{
    if (specified && found != right)
        specified->wrongType(right + ", as the topology has it");
}

} // namespace

void readHardware(const ValueCursor& value, HardwareSetting& hardware)
{
    auto object = value.asObject();
    if (!object)
        return;
    DeviceSet& devices = hardware.devices;
    const auto device = object->find("device");
    if (device)
        if (const auto name = device->asName())
            devices.kind = *name;
    const auto platform = object->find("platform");
    if (platform)
        if (const auto index = platform->asOneOf(words::platforms))
            devices.platform = words::platforms[*index];
    const auto hosts = object->find("hosts");
    if (hosts)
        if (const auto count = hosts->asInteger(1, maximumDevices))
            devices.hosts = static_cast<std::int32_t>(*count);
    const auto perHost = object->find("devices_per_host");
    if (perHost)
        if (const auto count = perHost->asInteger(1, maximumDevices))
            devices.devicesPerHost = static_cast<std::int32_t>(*count);
    if (const auto topology = object->find("topology")) {
        const bool isShort = topology->type() == Type::String;
        if (const auto set = isShort ? readShort(*topology) : readGrid(*topology, devices)) {
            const auto quoted = [](const std::string& text) { return '"' + text + '"'; };
            compare(device, quoted(devices.kind), quoted(set->kind));
            compare(platform, quoted(devices.platform), quoted(set->platform));
            compare(hosts, std::to_string(devices.hosts), std::to_string(set->hosts));
            compare(perHost, std::to_string(devices.devicesPerHost), std::to_string(set->devicesPerHost));
            devices = *set;
        }
    } else if (devices.count() > maximumDevices) {
        perHost.value_or(value).report(
            Code::TooLarge, { { "what", "devices" }, { "count", devices.count() }, { "limit", maximumDevices } });
    }
    object->read("pinned", hardware.pinned);
    readMemory(object->find("memory_per_device"), hardware.memoryPerDevice);
    if (const auto links = object->find("links")) {
        if (auto inner = links->asObject()) {
            readBandwidth(inner->find("ici"), hardware.iciBytesPerSecond);
            readBandwidth(inner->find("dcn"), hardware.dcnBytesPerSecond);
            inner->finish();
        }
    }
    object->finish();
}

} // namespace shardscope
