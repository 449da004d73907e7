// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of a text for the train steps of a transformer: each byte is a token.
//
//     TokenBatches batches("the mesh has two axes", { 4, 8 }, 0, 0);   // 4 sequences of 8 tokens, seed 0
//     batches.tokens(0)    // row-major (4, 8): perhaps "the mesh", "mesh has", ...
//     batches.targets(0)   // the same one byte later: "he mesh ", "esh has ", ...
//
// Where a sequence begins depends on the seed, the step and the number of the sequence alone, so that a step sees the
// same batch on every mesh, and whenever it is taken again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope {

struct BatchShape {
    std::int64_t batch = 1, length = 1;
    std::int64_t encoderLength = 0; ///< bytes before each sequence, for an encoder; 0 = none
};

class TokenBatches {
public:
    /// Errors: OutOfRange {key: vocab} where the text has a byte that the vocabulary lacks; TooLarge {what: sequence}
    /// for a text that is shorter than one sequence with its encoder's and the byte after it.
    [[nodiscard]] static Result<TokenBatches> create(
        std::string text, const BatchShape& shape, std::int64_t vocab, std::uint64_t seed);

    /// Row-major (batch, length), of a step counted from 0.
    [[nodiscard]] std::vector<double> tokens(std::int64_t step) const;
    /// The byte after each of these.
    [[nodiscard]] std::vector<double> targets(std::int64_t step) const;
    /// (batch, encoderLength): what stands before each sequence.
    [[nodiscard]] std::vector<double> encoderTokens(std::int64_t step) const;

private:
    TokenBatches(std::string text, const BatchShape& shape, std::uint64_t seed);
    [[nodiscard]] std::int64_t begin(std::int64_t step, std::int64_t sequence) const;
    [[nodiscard]] std::vector<double> bytes(std::int64_t step, std::int64_t offset, std::int64_t length) const;

    std::string m_text;
    BatchShape m_shape;
    std::uint64_t m_seed;
};

} // namespace shardscope
