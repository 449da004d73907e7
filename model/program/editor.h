// SPDX-License-Identifier: GPL-3.0-or-later
// Changes a program: adds operations before or after others, erases them, copies them with their regions, and replaces
// uses of values. Ids never change: new operations go to the end of the program's arrays, erased ones only leave their
// region.
//
//     Editor edit(std::move(program));
//     const OperationId copy = edit.addLike(OpKind::Reshard, { value }, wide(OwnShardingAttributes{ sharding }));
//     edit.placeAfter(definition, copy);
//     edit.replaceUses(value, edit.result(copy), copy); // except the use by the reshard itself
//     Program changed = std::move(edit).finish();
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "program/other_attributes.h"
#include "program/program.h"

namespace shardscope {

/// Where a value is read: an operand slot of an operation, or a returned value of a region (then `operation` is
/// invalid).
struct Use {
    OperationId operation;
    RegionId region; ///< the region that returns the value
    std::uint32_t slot = 0;
    bool operator==(const Use&) const = default;
};

/// The uses of one value. A view into the editor's memory.
class UseList {
public:
    [[nodiscard]] const Use* begin() const { return m_data; }
    [[nodiscard]] const Use* end() const { return m_data + m_size; }
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] const Use& operator[](std::size_t i) const { return m_data[i]; }

private:
    friend class Editor;
    Use* m_data = nullptr;
    std::uint32_t m_size = 0, m_capacity = 0;
};

/// From values of the original to those of its copy. Values that are not listed are the same in both.
using ValueMap = std::unordered_map<ValueId, ValueId>;

class Editor {
public:
    explicit Editor(Program program);

    [[nodiscard]] const Program& program() const { return m_program; }
    [[nodiscard]] const Operation& operation(OperationId id) const { return m_program.operations[id.index]; }
    [[nodiscard]] const Value& value(ValueId id) const { return m_program.values[id.index]; }
    [[nodiscard]] ValueId result(OperationId id, std::size_t index = 0) const { return operation(id).results[index]; }
    [[nodiscard]] const Region& region(RegionId id) const { return m_program.regions[id.index]; }
    /// For changing anything except operands, lists of operations in regions, and returned values.
    [[nodiscard]] Program& raw() { return m_program; }

    // Queries. Uses are always up to date; a region's list of operations is as of the last commit().
    [[nodiscard]] const UseList& uses(ValueId id) const { return m_uses[id.index]; }
    [[nodiscard]] RegionId regionOf(OperationId id) const { return m_regionOf[id.index]; } ///< invalid: in no region
    [[nodiscard]] OperationId ownerOf(RegionId id) const { return m_ownerOf[id.index]; } ///< invalid: a function
    [[nodiscard]] bool isErased(OperationId id) const { return m_erased[id.index] != 0; }

    // Adding. A new operation is in no region until it is placed.
    OperationId add(OpKind kind, std::span<const ValueId> operands, std::span<const TensorType> resultTypes,
        Attributes attributes, OperationId like = {});
    /// One result of the type of the first operand; scope and place in the text from its definition.
    OperationId addLike(OpKind kind, std::initializer_list<ValueId> operands, Attributes attributes);
    ValueId addArgument(RegionId region, const TensorType& type);
    RegionId addRegion(OperationId owner);
    /// The anchor may be a new operation. Operations placed at the same anchor keep the order in which they were
    /// placed; likewise at the start and the end of a region.
    void placeBefore(OperationId anchor, OperationId placed);
    void placeAfter(OperationId anchor, OperationId placed);
    void placeFirst(RegionId region, OperationId placed);
    void placeLast(RegionId region, OperationId placed);
    /// Takes an operation out of its region, so that it can be placed elsewhere. Only for one that was placed before
    /// the last commit().
    void detach(OperationId id);
    /// After the operation that makes the value; at the start of the region for an argument.
    void placeAfterDefinition(ValueId value, RegionId regionOfArgument, OperationId placed);

    // Changing.
    void setOperand(OperationId id, std::size_t slot, ValueId value);
    void setReturned(RegionId id, std::size_t slot, ValueId value);
    /// Replaces all uses except those by `except`.
    void replaceUses(ValueId from, ValueId to, OperationId except = {});
    void replaceUsesIf(ValueId from, ValueId to, const std::function<bool(const Use&)>& predicate);
    /// Removes the operation with its regions. Its results must have no uses left.
    void erase(OperationId id);
    /// Moves the operations of `from` into `to`, before the operation `before` (invalid: to the end). The values that
    /// `from` returns stay.
    void moveOperations(RegionId from, RegionId to, OperationId before);
    /// Makes the body of a function the only region of the operation.
    void adoptRegion(OperationId owner, RegionId region);

    // Copying, with all regions inside. `map` gets each new value under the value that it is a copy of.
    OperationId copy(OperationId id, ValueMap& map);
    RegionId copyRegion(RegionId id, OperationId owner, ValueMap& map);

    // Shardings.
    ShardingIndex intern(const ProgramSharding& sharding);
    [[nodiscard]] const ProgramSharding* sharding(ValueId id) const { return m_program.shardingOf(id); }
    void setSharding(ValueId id, const ProgramSharding& sharding);
    void clearSharding(ValueId id);

    /// Writes all placements since the last call into the regions' lists.
    void commit();
    [[nodiscard]] Program finish() &&;

private:
    ValueId addValue(const TensorType& type, OperationId definition, std::size_t index);
    void use(ValueId value, const Use& use)
    {
        UseList& list = m_uses[value.index];
        if (list.m_size == list.m_capacity)
            grow(list);
        list.m_data[list.m_size++] = use;
    }
    void grow(UseList& list);
    Use* roomFor(std::size_t uses);
    void unuse(ValueId value, const Use& use);
    void index(RegionId id, OperationId owner);
    void emit(OperationId id, RegionId region, std::vector<OperationId>& to);

    using Places = std::unordered_map<std::uint32_t, std::vector<OperationId>>;
    Program m_program;
    std::vector<UseList> m_uses; ///< per ValueId
    std::vector<std::unique_ptr<Use[]>> m_blocks; ///< memory of the lists; an outgrown list is not reused
    Use *m_room = nullptr, *m_roomEnd = nullptr; ///< free memory of the last block
    std::vector<RegionId> m_regionOf; ///< per OperationId
    std::vector<char> m_erased; ///< per OperationId
    std::vector<OperationId> m_ownerOf; ///< per RegionId
    Places m_before, m_after; ///< by anchor
    Places m_first, m_last; ///< by region
    std::vector<char> m_touched; ///< per RegionId: lists change with commit()
    std::unordered_multimap<std::uint64_t, ShardingIndex> m_shardings; ///< by hash; filled on first use
};

/// Visits the operations of a region and of regions inside: an operation before its own regions (walk), or after them
/// (walkInnerFirst).
void walk(const Program& program, RegionId region, const std::function<void(OperationId)>& visit);
void walkInnerFirst(const Program& program, RegionId region, const std::function<void(OperationId)>& visit);
/// The bodies of all functions, main first.
[[nodiscard]] std::vector<RegionId> bodies(const Program& program);
/// Whether the function is the entry point: it is named "main", or it is the only one.
[[nodiscard]] bool isMain(const Program& program, std::size_t function);

} // namespace shardscope
