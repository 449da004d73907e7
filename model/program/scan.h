// SPDX-License-Identifier: GPL-3.0-or-later
// A loop that counts, as JAX prints lax.scan: a stablehlo.while that carries a counter from 0, what its trips hand on,
// the stacked outputs, and last whatever the body uses of what stands around it.
//
//     // h = tanh(h W_i), i = 0 ... 3, with W: 4x16x16; all h in between
//     Scanned s = scan(b, 4, { { h } }, { { w } }, [](Builder& in, const Trip& trip) {
//         const ValueId next = in.unary(OpKind::Tanh, in.dot(trip.carried[0], trip.inputs[0]));
//         return TripResults{ { next }, { next } };
//     });
//     // s.carried[0]: h after the last trip; s.stacked[0]: 4 x h
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "program/builder.h"

namespace shardscope {

/// What a trip begins with.
struct Trip {
    ValueId index; ///< i32: 0, 1, ...
    std::span<const ValueId> carried;
    std::span<const ValueId> inputs; ///< elements of the stacked inputs
};
struct TripResults {
    std::vector<ValueId> carried; ///< of the types of the initial ones
    std::vector<ValueId> outputs; ///< to be stacked
};
using TripBody = std::function<TripResults(Builder& builder, const Trip& trip)>;

struct Scanned {
    std::vector<ValueId> carried; ///< after the last trip
    std::vector<ValueId> stacked; ///< trips x output
    OperationId loop;
};

/// `stacked`: trips x element each, which the trips take from the first to the last. `body` may use values that stand
/// around the loop. One trip is enough, none is not. The loop stands in the scope of the call, what `body` adds in the
/// scopes that it sets.
Scanned scan(Builder& builder, std::int64_t trips, std::span<const ValueId> initial, std::span<const ValueId> stacked,
    const TripBody& body);

} // namespace shardscope
