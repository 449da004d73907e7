// SPDX-License-Identifier: GPL-3.0-or-later
// What of a program cannot be executed, known before it is.
#pragma once

#include <cstdint>
#include <vector>

#include "partition/device_program.h"

namespace shardscope {

/// Empty if all of it can. Only functions that main calls count.
///
/// NotExecutable {op, wrong}: "custom_call" target; "type" type; "body" inner; "transfer"; "function";
/// "other_devices"; "unknown"; "groups", "groups_twice" and "groups_size" for collectives whose groups do not go with
/// the devices or with the shapes. And what verify() finds: a shape that is declared and one that follows from
/// operands and attributes are never two, so that no kernel writes beyond its result or reads beyond its operands.
[[nodiscard]] std::vector<Diagnostic> notExecutable(const Program& program, const DeviceCounts& devices = {});

/// NotExecutable {op, ...} at the operation's place in the text.
[[nodiscard]] tl::unexpected<Error> cannot(const Program& program, const Operation& op, std::vector<Arg> args);
/// NotExecutable {op, wrong: "loop_limit", value, limit}: a loop that was on its way when `limit` trips had been made;
/// `value` is the path of its first result, or "".
[[nodiscard]] tl::unexpected<Error> tooManyTrips(const Program& program, const Operation& op, std::int64_t limit);

} // namespace shardscope
