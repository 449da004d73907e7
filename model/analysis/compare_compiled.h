// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives that are predicted of a program beside those that XLA made of it.
//
//     predicted: reduce-scatter of bf16[4096, 4096] along fsdp, 32 times; compiled: all-reduce of the same array along
//     fsdp, 32 times, and every device goes on with its part alone
//
// is one row, of the exchange Reduction along fsdp over 16,777,216 elements, with the remark SlicedAfterwards.
//
// Rows are made of what sends arrays of one shape (dimensions of size 1 apart) along the same mesh axes in the same
// way, and for the same operation, where both sides name that. A collective of XLA's that carries several arrays counts
// under each of them; an all-to-all whose operands are the parts for the devices of a group carries one. What is left
// over on one side only is then held against what is left over on the other: the same elements in another shape, all
// layers at once or each by itself, or along other axes.
//
// Rows of weights, which are gathered, and of their gradients, which are added up, are told by the shapes that the
// parameters have on a device: they are the traffic that follows from rules and mesh alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/collectives.h"
#include "pipeline/collective_list.h"
#include "pipeline/snapshot.h"

namespace shardscope {

/// What an exchange is for, whichever collective does it.
enum class ExchangeKind : std::uint8_t {
    Gather, ///< all-gather
    Reduction, ///< all-reduce, reduce-scatter
    AllToAll,
    Permute,
    Broadcast, ///< XLA's alone
};

struct ExchangeSide {
    std::int64_t collectives = 0; ///< those whose first array is one of these; times has those of further ones as well
    std::int64_t times = 0; ///< per step, over all of them
    bool timesKnown = true; ///< false: some count once, because nobody can tell how often they run
    std::int64_t merged = 0; ///< arrays of collectives that carry several
    std::int64_t slicedAfterwards = 0; ///< arrays of which every device keeps its part alone
    std::int64_t bytes = 0; ///< of the array, per step: of a gather its result, otherwise its operand; on one device
    Rational sent; ///< per device and step
    std::vector<std::string> kinds; ///< "all_reduce"; each once, in the order of the program, as all lists here
    std::vector<std::string> types; ///< "bf16[4096, 512]", on one device
    std::vector<std::string> causes; ///< names of operations, or of values where there are none
    std::vector<std::uint32_t> lines; ///< of the compiled text
};

struct ExchangeRemark {
    enum class Kind : std::uint8_t {
        SlicedAfterwards, ///< all-reduce and a slice for a reduce-scatter
        KeptInFull, ///< all-reduce for a reduce-scatter, and all of the sum is kept
        Scattered, ///< reduce-scatter for an all-reduce
        OtherTypes, ///< the same elements in another element type
        PerLayer, ///< `number` parts one after the other, where all at once was predicted
        AtOnce, ///< `number` parts at once, where one after the other was predicted
        MoreOften, ///< `number` times as often, or 0 where that is no whole number
        LessOften,
        Merged, ///< several arrays in one collective
        OtherAxes, ///< along other axes
        OnlyPredicted,
        OnlyCompiled,
        TimesUnknown,
        NoAxes, ///< between devices that are no group of any axes of the mesh
        NotInText, ///< predicted, and not in a text that ends early
    };
    Kind kind = Kind::OnlyPredicted;
    std::int64_t number = 0;
    bool operator==(const ExchangeRemark&) const = default;
};

struct ExchangeRow {
    ExchangeKind exchange = ExchangeKind::Gather;
    std::string axes; ///< "data, model:(1)2"; groups or pairs as the text has them where no axes make them
    std::string compiledAxes; ///< where they are others
    std::int64_t elements = 0; ///< of the array
    std::string cause; ///< the operation's name, where both sides have it
    std::string weight; ///< the first parameter of this shape, where the row is of weights or of their gradients
    ExchangeSide predicted, compiled;
    std::vector<ExchangeRemark> remarks;

    /// XLA does otherwise than predicted. That it puts several arrays into one collective changes nothing of what is
    /// sent; of a text that ends early it says nothing that something is missing, and that nobody knows how often the
    /// rest runs.
    [[nodiscard]] bool differs(bool endsEarly) const;
};

/// Over all rows of one exchange along the same axes; of the branches of a conditional that which sends most.
struct ExchangeSum {
    ExchangeKind exchange = ExchangeKind::Gather;
    std::string axes;
    std::int64_t predictedBytes = 0, compiledBytes = 0; ///< of the arrays, per step
    Rational predictedSent, compiledSent;
    std::int64_t predictedWeights = 0, compiledWeights = 0; ///< of the bytes, those of weights and their gradients
    bool timesKnown = true; ///< false: some that are compiled count once, because nobody can tell how often they run
};

/// Whether the arguments of both are the same arrays on one device, in whatever order: the compiled text was made of
/// this program, as far as that can be told.
[[nodiscard]] bool argumentsAgree(const Snapshot& predicted, const HloModule& module);

struct CompiledComparison {
    std::vector<ExchangeRow> rows; ///< the one with the most bytes first
    std::vector<ExchangeSum> sums; ///< likewise
    bool timesKnown = true;
    bool endsEarly = false; ///< the compiled text ends before its entry, and what is missing in it may be in the rest

    [[nodiscard]] bool differs() const; ///< one of the rows does
};

/// `predicted`: what collectivesOf(before) gives. Error: NotComparable where the numbers of devices differ.
[[nodiscard]] Result<CompiledComparison> compareCompiled(
    const Snapshot& before, const CollectiveList& predicted, const HloModule& module, const HloCollectives& compiled);

} // namespace shardscope
