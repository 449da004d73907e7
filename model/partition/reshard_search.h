// SPDX-License-Identifier: GPL-3.0-or-later
// The cheapest ways from one sharding of an array to all others: Dijkstra's algorithm over states.
//
// A state says which atoms (axes, or the parts of axes that the reshard names) shard each dimension, in order, and over
// which the array is still partial. Edges are all_slice by one atom, all_gather of the last atoms of a dimension,
// all_to_all of the last atoms of one dimension to the end of another, collective_permute to any state with as many
// shards per dimension, all_reduce, and reduce_scatter to the end of a dimension. The price of an edge is what the ring
// model lets a device send; ties go to fewer exchanges, then to fewer steps.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "partition/axis_lists.h"
#include "partition/reshard.h"

namespace shardscope::reshard {

/// Bytes sent are exact: they are counted in parts of a byte, 1/devices each.
struct Price {
    double sent = std::numeric_limits<double>::infinity();
    int exchanges = 0, steps = 0;
    auto operator<=>(const Price&) const = default;
    friend Price operator+(Price a, const Price& b)
    {
        return { a.sent + b.sent, a.exchanges + b.exchanges, a.steps + b.steps };
    }
};

/// Atoms by their number: per dimension, major first.
struct State {
    std::vector<SmallVector<std::uint8_t, 6>> dims;
    std::uint32_t partial = 0; ///< one bit per atom
    bool sourceOrder = false; ///< devices are those of the source's mesh, in another order than the target's
    bool operator==(const State&) const = default;
};

/// What all searches over one mesh share.
class Atoms {
public:
    /// The axes of the mesh, split at the boundaries of the parts in `shardings`; only axes that occur there where all
    /// of them would give too many states for an array of that rank. Nothing where parts cannot coexist, or where even
    /// these are too many.
    static std::optional<Atoms> of(const Mesh& mesh, std::span<const TensorSharding* const> shardings);

    [[nodiscard]] std::size_t count() const { return m_refs.size(); }
    [[nodiscard]] AxisRef ref(std::size_t atom) const { return m_refs[atom]; }
    [[nodiscard]] std::int64_t size(std::size_t atom) const { return m_refs[atom].size; }
    [[nodiscard]] std::int64_t devices() const { return m_devices; }
    [[nodiscard]] State state(const TensorSharding& sharding) const;
    [[nodiscard]] Lists lists(const State& state) const;
    [[nodiscard]] AxisList axes(std::uint32_t set) const; ///< in mesh order

private:
    std::vector<AxisRef> m_refs; ///< sorted
    std::int64_t m_devices = 1;
};

class Search {
public:
    /// Refers to the atoms. Stops at `goal`, or looks at all states. `goals` further limit how many shards a dimension
    /// may have where it does not divide (Blocks::AsIfEven).
    Search(const Atoms& atoms, const TensorType& type, State start, Blocks blocks, const State* goal,
        std::span<const State* const> goals = {});

    /// Of a state; infinite for one that cannot be reached.
    [[nodiscard]] Price price(const State& state) const;
    /// The way to a state that was reached.
    [[nodiscard]] std::vector<ReshardStep> steps(const Reshard& reshard, const State& state) const;

private:
    enum class Kind : std::uint8_t { Start, Slice, Gather, Exchange, Permute, Reduce, ReduceScatter };
    struct Node {
        State state;
        Price price;
        std::int32_t before = -1;
        Kind kind = Kind::Start;
        std::uint8_t source = 0, target = 0; ///< dimensions
        bool settled = false;
    };
    static std::string key(const State& state);
    void reach(State state, Price price, std::int32_t before, Kind kind, std::size_t source, std::size_t target);
    void expand(std::int32_t node);
    void permute(std::int32_t node, Price price);
    void place(State& state, std::size_t dim, std::int64_t left, std::uint32_t used, std::int32_t before, Price price);
    [[nodiscard]] std::int64_t parts(const State& state, std::size_t dim) const;
    [[nodiscard]] std::int64_t localBytes(const State& state) const;
    [[nodiscard]] Price sent(CollectiveKind kind, std::int64_t group, std::int64_t bytes) const;
    [[nodiscard]] bool mayBecome(std::size_t dim, std::int64_t before, std::int64_t after) const;
    [[nodiscard]] bool isFull(const State& state) const;

    const Atoms& m_atoms;
    TensorType m_type;
    Blocks m_blocks;
    std::vector<std::int64_t> m_allowed; ///< per dimension: as many shards are allowed though they do not divide
    std::vector<Node> m_nodes;
    std::unordered_map<std::string, std::int32_t> m_index;
    std::unordered_map<std::string, bool> m_permuted; ///< numbers of shards from which permutations were looked at
    std::vector<std::pair<Price, std::int32_t>> m_queue; ///< a heap
};

} // namespace shardscope::reshard
