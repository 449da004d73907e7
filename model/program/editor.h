// SPDX-License-Identifier: GPL-3.0-or-later
// Changes a program: operations are added before or after others, dropped, copied with their regions; uses are led to
// other values. Ids are kept: what is added goes to the end of the program's arrays, what is dropped stands in no
// region any more.
//
//     Editor edit(std::move(program));
//     const OperationId copy = edit.addLike(OpKind::Reshard, { value }, wide(OwnShardingAttributes{ sharding }));
//     edit.placeAfter(definition, copy);
//     edit.replaceUses(value, edit.result(copy), copy); // all but that of the reshard itself
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

/// Where a value is read: an operand slot of an operation, or what a region returns (then the operation is invalid).
struct Use {
    OperationId operation;
    RegionId region; ///< of returned values
    std::uint32_t slot = 0;
    bool operator==(const Use&) const = default;
};

/// The uses of one value; the editor holds them.
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

/// What values a copy has instead of the original's. Values that are not listed stay.
using ValueMap = std::unordered_map<ValueId, ValueId>;

class Editor {
public:
    explicit Editor(Program program);

    [[nodiscard]] const Program& program() const { return m_program; }
    [[nodiscard]] const Operation& operation(OperationId id) const { return m_program.operations[id.index]; }
    [[nodiscard]] const Value& value(ValueId id) const { return m_program.values[id.index]; }
    [[nodiscard]] ValueId result(OperationId id, std::size_t index = 0) const { return operation(id).results[index]; }
    [[nodiscard]] const Region& region(RegionId id) const { return m_program.regions[id.index]; }
    /// For everything but operands, operations of regions and what they return.
    [[nodiscard]] Program& raw() { return m_program; }

    // What there is. Uses are up to date at all times; regions list operations as they were before the last commit().
    [[nodiscard]] const UseList& uses(ValueId id) const { return m_uses[id.index]; }
    [[nodiscard]] RegionId regionOf(OperationId id) const { return m_regionOf[id.index]; } ///< invalid: in none
    [[nodiscard]] OperationId ownerOf(RegionId id) const { return m_ownerOf[id.index]; } ///< invalid: a function
    [[nodiscard]] bool isErased(OperationId id) const { return m_erased[id.index] != 0; }

    // Adding. A new operation stands nowhere until it is placed.
    OperationId add(OpKind kind, std::span<const ValueId> operands, std::span<const TensorType> resultTypes,
        Attributes attributes, OperationId like = {});
    /// One result of the type of the first operand; scope and place in the text from its definition.
    OperationId addLike(OpKind kind, std::initializer_list<ValueId> operands, Attributes attributes);
    ValueId addArgument(RegionId region, const TensorType& type);
    RegionId addRegion(OperationId owner);
    /// The anchor may be a new operation. Of several after one anchor the one placed first stands first; likewise
    /// before it, and at the start and the end of a region.
    void placeBefore(OperationId anchor, OperationId placed);
    void placeAfter(OperationId anchor, OperationId placed);
    void placeFirst(RegionId region, OperationId placed);
    void placeLast(RegionId region, OperationId placed);
    /// Takes an operation out of its region, to be placed elsewhere. Not one that was placed since the last commit().
    void unplace(OperationId id);
    /// After the operation that makes the value; at the start of the region for an argument.
    void placeAfterDefinition(ValueId value, RegionId regionOfArgument, OperationId placed);

    // Changing.
    void setOperand(OperationId id, std::size_t slot, ValueId value);
    void setReturned(RegionId id, std::size_t slot, ValueId value);
    /// All uses but those by one operation.
    void replaceUses(ValueId from, ValueId to, OperationId except = {});
    void replaceUsesIf(ValueId from, ValueId to, const std::function<bool(const Use&)>& predicate);
    /// Drops the operation and what its regions hold. Nothing may use its results any more.
    void erase(OperationId id);
    /// What the region holds now belongs to the other one, after what that holds; returned values do not.
    void moveOperations(RegionId from, RegionId to, OperationId before);
    /// The region is the operation's only one from now on, and no function's body.
    void adoptRegion(OperationId owner, RegionId region);

    // Copying, with everything inside; new values stand in `map` beside those that they come from.
    OperationId copy(OperationId id, ValueMap& map);
    RegionId copyRegion(RegionId id, OperationId owner, ValueMap& map);

    // Shardings.
    ShardingIndex intern(const ProgramSharding& sharding);
    [[nodiscard]] const ProgramSharding* sharding(ValueId id) const { return m_program.shardingOf(id); }
    void setSharding(ValueId id, const ProgramSharding& sharding);
    void clearSharding(ValueId id);

    /// Operations go where they were placed.
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
    std::vector<std::unique_ptr<Use[]>> m_blocks; ///< where lists lie; what one grows out of is not used again
    Use *m_room = nullptr, *m_roomEnd = nullptr; ///< what is left of the last block
    std::vector<RegionId> m_regionOf; ///< per OperationId
    std::vector<char> m_erased; ///< per OperationId
    std::vector<OperationId> m_ownerOf; ///< per RegionId
    Places m_before, m_after; ///< by anchor
    Places m_first, m_last; ///< by region
    std::vector<char> m_touched; ///< per RegionId: lists change with commit()
    std::unordered_multimap<std::uint64_t, ShardingIndex> m_shardings; ///< by hash; filled on first use
};

/// Operations of a region and of the regions inside, each before what it holds; or after it (`innerFirst`).
void walk(const Program& program, RegionId region, const std::function<void(OperationId)>& visit);
void walkInnerFirst(const Program& program, RegionId region, const std::function<void(OperationId)>& visit);
/// The bodies of all functions, main first.
[[nodiscard]] std::vector<RegionId> bodies(const Program& program);
/// The body that no call enters from elsewhere: of the function named "main", or of the only one.
[[nodiscard]] bool isMain(const Program& program, std::size_t function);

} // namespace shardscope
