// SPDX-License-Identifier: GPL-3.0-or-later
// The walk of insertExplicitReshards(): bodies first, then the operation that holds them, what a function returns last.
#pragma once

#include <span>

#include "partition/common_sharding.h"
#include "partition/export/explicit_reshards.h"
#include "partition/export/sharding_steps.h"
#include "partition/export/value_numbers.h"
#include "program/editor.h"
#include "program/op_row.h"

namespace shardscope::passes {

class ReshardInserter {
public:
    ReshardInserter(Program program, ReshardVersion version);

    [[nodiscard]] Result<ExplicitReshards> run() &&;

private:
    /// Where operations go that make another form of a value.
    struct Place {
        OperationId before = {}; ///< this operation, or
        RegionId end = {}; ///< the end of that region, or directly after the value's definition
    };

    // The walk, and where values cross borders (explicit_reshards.cpp).
    [[nodiscard]] std::optional<Error> findSingleDevice() const;
    [[nodiscard]] std::optional<Error> visit(OperationId id);
    void visitDataFlow(OperationId id);
    void visitCall(OperationId id);
    void visitReshard(OperationId id);
    void visitReturn(std::size_t function);
    void adjust(const Use& use, ShardingNumber wanted, bool reshards, const Reason& reason, Place place);
    [[nodiscard]] ValueId valueOf(const Use& use) const;
    void setUse(const Use& use, ValueId value);
    ValueId addSteps(
        ValueId value, std::span<const ShardingStep> steps, const Reason& reason, OperationId like, Place place);

    // One operation (operation_reshards.cpp).
    struct Choice {
        CommonSharding common;
        std::uint32_t mesh = 0; ///< of new shardings
        /// Per operand, then per result: the first factor that is sharded otherwise; -1.
        std::vector<std::int32_t> changed;
    };
    void visitOperation(OperationId id);
    void reducePartialOperands(OperationId id);
    [[nodiscard]] std::optional<Error> visitSingleDevice(OperationId id, std::uint32_t device);
    void matchTensors(OperationId id);
    [[nodiscard]] std::optional<std::uint32_t> majorityMesh(std::span<const ShardingNumber> tensors) const;
    [[nodiscard]] std::optional<Choice> choose(OperationId id, const FactorRule& rule, std::uint32_t mesh);
    void apply(OperationId id, const FactorRule& rule, const Choice& choice);
    SmallVector<ValueId, 2> reduceResults(
        OperationId id, const FactorRule& rule, const AxisList& partial, std::uint32_t mesh);
    [[nodiscard]] bool isAddedUp(ValueId result, const AxisList& axes) const;
    ValueId restore(OperationId id, ValueId current, const ProgramSharding& sharding, const Reason& reason);
    void reducePartialResult(OperationId id);
    void keepProductLocal(OperationId id);
    [[nodiscard]] bool needsFullTreatment(OperationId id) const;
    [[nodiscard]] bool exchangesShards(OperationId id) const;

    [[nodiscard]] const TensorType& type(ValueId value) const { return m_edit.value(value).type; }
    [[nodiscard]] ProgramSharding orReplicated(ShardingNumber number, std::uint32_t mesh, std::size_t rank) const;
    OperationId add(const ShardingStep& step, ValueId operand, OperationId like, const Reason& reason);
    void setSharding(ValueId value, const ProgramSharding& sharding);

    Editor m_edit;
    bool m_full;
    bool m_halos; ///< see ReshardVersion::FullWithHalos
    ValueNumbers m_numbers;
    std::vector<RegionId> m_regionOfArgument; ///< per ValueId
    struct Behind {
        OperationId definition; ///< or
        RegionId region; ///< its start
        OperationId placed;
    };
    std::vector<Behind> m_after; ///< what is to stand after definitions, the last one first
    std::vector<Inserted> m_inserted;
    std::vector<std::pair<std::string, RegionId>> m_bodies; ///< of functions, sorted by name
};

} // namespace shardscope::passes
