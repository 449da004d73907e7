// SPDX-License-Identifier: GPL-3.0-or-later
// Devices, device arrays and hosts as the reference files write them.
#pragma once

#include <string>

#include "conformance/checker.h"
#include "mesh/device_array.h"
#include "mesh/device_set.h"

namespace shardscope::conformance {

/// The devices of a case: its `topology` (a name into the file's `topologies`, with rows of numbers or, when large,
/// with the size of the grid alone), or `plain` (hosts of CPUs or GPUs). Where the file has rows that our own
/// description of the same hardware should reproduce, a difference throws.
[[nodiscard]] DeviceSet toDevices(const Json& oneCase, const Json& file);

/// {"result_shape", "ids"}, or, as `oneCase` writes it, {"result_shape", "ids_head", "ids_sha1"}.
[[nodiscard]] Json toJson(const DeviceArray& array, const Json& oneCase);
/// Ids as `oneCase` writes them.
void addIds(Json& json, const std::vector<std::int32_t>& ids, const Json& oneCase);
/// A mesh of two axes as rows of columns.
[[nodiscard]] Json toRows(const DeviceArray& array);
/// What `expected` (a list of processes) asserts of the hosts of a mesh.
[[nodiscard]] CaseResult compareHosts(const Json& expected, const DeviceArray& array, const DeviceSet& set);

/// Results against those members of the case among `asserted` that stand there, both ways.
[[nodiscard]] CaseResult compareAsserted(
    const Json& oneCase, const Json& actual, const std::vector<std::string>& asserted);

/// SHA-1 of a text, in hexadecimal (FIPS 180-4).
[[nodiscard]] std::string sha1(const std::string& text);

} // namespace shardscope::conformance
