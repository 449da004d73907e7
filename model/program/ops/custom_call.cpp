// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include "program/custom_calls.h"

#include <array>
#include <unordered_map>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope {

CustomCallFamily customCallFamily(std::string_view target)
{
    using enum CustomCallFamily;
    static const std::unordered_map<std::string_view, CustomCallFamily> families{
        { "annotate_device_placement", Pointwise },
        { "Cholesky", Pointwise },
        { "CompactWyHelper", Pointwise },
        { "InspectSharding", Pointwise },
        { "InvertDiagBlocksLowerTriangular", Pointwise },
        { "InvertDiagBlocksUpperTriangular", Pointwise },
        { "LayoutConstraint", Pointwise },
        { "mhlo.erf", Pointwise },
        { "MoveToDevice", Pointwise },
        { "MoveToHost", Pointwise },
        { "Sharding", Pointwise },
        { "X64SplitHigh", Pointwise },
        { "X64SplitLow", Pointwise },
        { "xla.megascale.provide_metadata", Pointwise },
        { "xla.sdy.FuncResultSharding", Pointwise },
        { "_SPMDInternalOp_MultiPad", Pointwise },
        { "_SPMDInternalOp_RotateRight", Pointwise },
        { "_SPMDInternalOp_MultiRotate", Pointwise },
        { "_SPMDInternalOp_MultiSlice", Pointwise },
        { "_SPMDInternalOp_Wrap", Pointwise },
        { "X64Combine", CombineHalves },
        { "mhlo.topk", TopK },
        { "ApproxTopK", ApproximateTopK },
        { "PartialReduce", ApproximateTopK },
        { "Eigh", Eigenvectors },
        { "Qr", QrDecomposition },
        { "QrDecompositionBlock", QrDecomposition },
        { "ProductOfElementaryHouseholderReflectors", HouseholderProduct },
        { "SPMDFullToShardShape", Silent },
        { "SPMDShardToFullShape", Silent },
        { "check.expect_almost_eq", Silent },
        { "check.expect_close", Silent },
        { "check.expect_eq", Silent },
        { "sdy_testonly", Silent },
        { "cu_threefry2x32_ffi", Silent },
        { "tpu_custom_call", Silent },
        { "xla_python_cpu_callback", Silent },
        { "xla_python_gpu_callback", Silent },
        { "xla_ffi_python_cpu_callback", Silent },
        { "xla_ffi_python_gpu_callback", Silent },
        { "xla_ffi_partitioned_python_cpu_callback", Silent },
        { "xla_ffi_partitioned_python_gpu_callback", Silent },
        { "xla.debug.Log", Silent },
        { "xla.sdy.ShardingGroup", Silent },
    };
    if (const auto found = families.find(target); found != families.end())
        return found->second;
    return target.ends_with("python_cpu_callback") || target.ends_with("python_gpu_callback") ? Silent : Unknown;
}

namespace ops {

namespace {

/// Operands and results of an operation, by shape.
struct Shapes {
    std::vector<TensorType> operands, results;

    /// There are that many, and those that count have these ranks.
    [[nodiscard]] bool are(
        const std::vector<std::size_t>& operandRanks, const std::vector<std::size_t>& resultRanks) const
    {
        const auto fit = [](const std::vector<TensorType>& types, const std::vector<std::size_t>& ranks) {
            return std::equal(types.begin(), types.end(), ranks.begin(), ranks.end(),
                [](const TensorType& type, std::size_t rank) { return type.rank() == rank; });
        };
        return fit(operands, operandRanks) && fit(results, resultRanks);
    }
    [[nodiscard]] std::size_t rank() const { return operands.empty() ? 0 : operands[0].rank(); }
    [[nodiscard]] std::int64_t size(std::size_t d) const { return operands[0].shape[d]; }
};

/// Whether a generator of random numbers reads the value: then it is a state, of which every device needs the whole.
bool isGeneratorState(const Program& program, ValueId value)
{
    return std::any_of(program.operations.begin(), program.operations.end(), [&](const Operation& operation) {
        return operation.kind == OpKind::RngBitGenerator
            && std::find(operation.operands.begin(), operation.operands.end(), value) != operation.operands.end();
    });
}

FactorRule combineRule(const Program& program, const Operation& operation, const Shapes& shapes)
{
    if (shapes.rank() == 0 || !isGeneratorState(program, operation.results[0]))
        return pointwiseRule(program, operation, {});
    RuleBuilder rule(program, operation);
    for (std::size_t d = 0; d < shapes.rank(); ++d)
        rule.addShared(static_cast<std::int64_t>(d), shapes.size(d), FactorKind::NeedReplication, true);
    return std::move(rule).build();
}

/// (x, iota, two scalars) -> 2. A dimension that becomes shorter has a factor on each side.
FactorRule approximateTopKRule(const Program& program, const Operation& operation, const Shapes& shapes)
{
    const std::size_t rank = shapes.rank();
    if (!shapes.are({ rank, rank, 0, 0 }, { rank, rank }))
        return {};
    RuleBuilder rule(program, operation);
    for (std::size_t i = 0; i < rank; ++i) {
        const auto d = static_cast<std::int64_t>(i);
        const std::int64_t left = shapes.results[0].shape[i];
        const std::array operands{ d, d, absent, absent };
        if (shapes.size(i) == left) {
            rule.add(operands, std::array{ d, d }, left);
            continue;
        }
        rule.add(operands, std::array{ absent, absent }, shapes.size(i));
        rule.add(
            std::array{ absent, absent, absent, absent }, std::array{ d, d }, left, FactorKind::NeedReplication, true);
    }
    return std::move(rule).build();
}

/// a -> (vectors, values): the values belong to the last dimension of both.
FactorRule eigenvectorsRule(const Program& program, const Operation& operation, const Shapes& shapes)
{
    const std::size_t rank = shapes.rank();
    if (rank < 2 || !shapes.are({ rank }, { rank, rank - 1 }))
        return {};
    RuleBuilder rule(program, operation);
    for (std::size_t i = 0; i < rank; ++i) {
        const auto d = static_cast<std::int64_t>(i);
        const std::int64_t inValues = i + 2 < rank ? d : i + 1 == rank ? d - 1 : absent;
        rule.add(std::array{ d }, std::array{ d, inValues }, shapes.size(i));
    }
    return std::move(rule).build();
}

/// a -> (q, taus), or (a, taus) -> q.
FactorRule householderRule(const Program& program, const Operation& operation, const Shapes& shapes, bool givesTaus)
{
    const std::size_t rank = shapes.rank();
    const std::vector<std::size_t> one{ rank }, two{ rank, rank - 1 };
    if (rank < 2 || !shapes.are(givesTaus ? one : two, givesTaus ? two : one))
        return {};
    RuleBuilder rule(program, operation);
    const auto add = [&](std::int64_t inMatrices, std::int64_t inTaus, std::int64_t size, FactorKind kind) {
        const std::array<std::int64_t, 1> matrix{ inMatrices };
        const std::array<std::int64_t, 2> both{ inMatrices, inTaus };
        if (givesTaus)
            rule.add(matrix, both, size, kind);
        else
            rule.add(both, matrix, size, kind);
    };
    for (std::size_t i = 0; i < rank; ++i) {
        const auto d = static_cast<std::int64_t>(i);
        const bool batch = i + 2 < rank;
        add(d, batch ? d : absent, shapes.size(i), batch ? FactorKind::PassThrough : FactorKind::NeedReplication);
    }
    const TensorType& taus = givesTaus ? shapes.results[1] : shapes.operands[1];
    add(absent, static_cast<std::int64_t>(rank) - 2, taus.shape.back(), FactorKind::NeedReplication);
    return std::move(rule).build();
}

FactorRule customCallRule(const Program& program, const Operation& operation, RuleOptions options)
{
    const auto* own = attributesAs<CustomCallAttributes>(operation.attributes);
    const CustomCallFamily family = own ? customCallFamily(own->target) : CustomCallFamily::Unknown;
    if (operation.operands.empty() || operation.results.empty())
        return {};
    const Shapes shapes{ typesOf(program, operation.operands), typesOf(program, operation.results) };
    switch (family) {
    case CustomCallFamily::Unknown:
    case CustomCallFamily::Silent:
        break;
    case CustomCallFamily::Pointwise:
        return pointwiseRule(program, operation, options);
    case CustomCallFamily::CombineHalves:
        return combineRule(program, operation, shapes);
    case CustomCallFamily::TopK:
        if (shapes.are({ shapes.rank() }, std::vector(shapes.results.size(), shapes.rank())))
            return changedDimensionsRule(program, operation, FactorKind::NeedReplication, true);
        break;
    case CustomCallFamily::ApproximateTopK:
        return approximateTopKRule(program, operation, shapes);
    case CustomCallFamily::Eigenvectors:
        return eigenvectorsRule(program, operation, shapes);
    case CustomCallFamily::QrDecomposition:
        return householderRule(program, operation, shapes, true);
    case CustomCallFamily::HouseholderProduct:
        return householderRule(program, operation, shapes, false);
    }
    return {};
}

Result<void> checkCustomCall(const Subject& call)
{
    SHARDSCOPE_TRY(own, requiredAttributes<CustomCallAttributes>("custom_call", call.operation.attributes));
    if ((*own)->target.empty())
        return invalidAttribute("custom_call", "no call_target_name");
    return {};
}

constexpr std::array customCallTable{
    OpRow{ .kind = OpKind::CustomCall,
        .name = "custom_call",
        .rule = customCallRule,
        .check = checkCustomCall,
        .work = movementWork,
        .anyType = true },
};

} // namespace

std::span<const OpRow> customCallRows()
{
    return customCallTable;
}

} // namespace ops

} // namespace shardscope
