// SPDX-License-Identifier: GPL-3.0-or-later
// What examples that compute the same in several ways give on the same inputs, and whether they agree.
#pragma once

#include <QString>
#include <optional>
#include <stop_token>
#include <vector>

#include "pipeline/snapshot.h"
#include "simulate/kernels/array.h"

namespace shardscope::words {

/// What examples that stand beside each other compute: on the same random inputs, by their devices.
struct ExampleNumbers {
    std::vector<TensorType> inputs;
    std::vector<kernels::Array> results; ///< put together from what the devices hold
};

/// Nothing of what cannot be run or needs more than some hundred MiB.
[[nodiscard]] std::optional<ExampleNumbers> exampleNumbers(const Snapshot& snapshot, const std::stop_token& stop);

/// "Result on the devices: 0.31, 0.84, 0.07, 0.55": the first four elements of the first result.
[[nodiscard]] QString numbersText(const ExampleNumbers& numbers);

/// Whether all give the same: "On the same inputs all give the same numbers, bit by bit.", "… up to roundings of 6e-08
/// at most.", or where two differ first. Empty where they cannot be compared, because they take other arrays.
[[nodiscard]] QString agreementText(const std::vector<ExampleNumbers>& all);

} // namespace shardscope::words
