// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/matmul_plan.h"

#include <algorithm>
#include <array>

#include "partition/reshard_search.h"

namespace shardscope {

namespace {

constexpr std::size_t maxAtoms = 4;

bool names(const DimensionSharding& dim, std::size_t axis)
{
    return std::any_of(dim.axes.begin(), dim.axes.end(),
        [&](const AxisRef& ref) { return ref.axis == static_cast<std::int32_t>(axis) && ref.size > 1; });
}

const DimensionSharding& rows(const Matmul& matmul)
{
    return matmul.lhs.dims[0];
}
const DimensionSharding& columns(const Matmul& matmul)
{
    return matmul.rhs.dims[1];
}

TensorSharding twoDimensions(AxisList first, AxisList second, AxisList unreduced = {})
{
    TensorSharding sharding = TensorSharding::fullyReplicated(2);
    sharding.dims[0].axes = std::move(first);
    sharding.dims[1].axes = std::move(second);
    std::sort(unreduced.begin(), unreduced.end());
    for (const AxisRef& axis : unreduced)
        appendMerged(sharding.unreduced, axis);
    return sharding;
}

std::int64_t localFlops(const Matmul& matmul, const TensorSharding& lhs, const TensorSharding& rhs)
{
    const std::array<std::int64_t, 2> left{ matmul.m, matmul.k };
    const std::array<std::int64_t, 2> right{ matmul.k, matmul.n };
    const Shape a = shardShape(lhs, left);
    const Shape b = shardShape(rhs, right);
    return 2 * a[0] * a[1] * b[1];
}

Reshard onMesh(
    const Matmul& matmul, std::int64_t rows, std::int64_t columns, const TensorSharding& from, const TensorSharding& to)
{
    Reshard reshard;
    reshard.type.dtype = matmul.dtype;
    reshard.type.shape = { rows, columns };
    reshard.from = from;
    reshard.to = to;
    reshard.mesh = matmul.mesh;
    return reshard;
}
Reshard ofLhs(const Matmul& matmul, const TensorSharding& to)
{
    return onMesh(matmul, matmul.m, matmul.k, matmul.lhs, to);
}
Reshard ofRhs(const Matmul& matmul, const TensorSharding& to)
{
    return onMesh(matmul, matmul.k, matmul.n, matmul.rhs, to);
}
Reshard ofProduct(const Matmul& matmul, const TensorSharding& from, const TensorSharding& to)
{
    return onMesh(matmul, matmul.m, matmul.n, from, to);
}

void addUp(MatmulPlan& plan)
{
    plan.sent = sentBytes(plan.lhs) + sentBytes(plan.rhs) + sentBytes(plan.product);
}

/// All ways to shard i, k and j by some of the atoms.
class Ways {
public:
    Ways(const reshard::Atoms& atoms, bool everyAxis)
        : m_atoms(atoms)
        , m_everyAxis(everyAxis)
    {
        reshard::State state;
        state.dims.resize(3);
        add(state, 0, 0);
    }
    [[nodiscard]] const std::vector<reshard::State>& all() const { return m_ways; }

private:
    void add(reshard::State& state, std::size_t dim, std::uint32_t used)
    {
        if (dim == 3) {
            if (!m_everyAxis || used + 1 == std::uint32_t{ 1 } << m_atoms.count())
                m_ways.push_back(state);
            return;
        }
        add(state, dim + 1, used);
        for (std::size_t a = 0; a < m_atoms.count(); ++a) {
            const std::uint32_t bit = std::uint32_t{ 1 } << a;
            if (used & bit)
                continue;
            state.dims[dim].push_back(static_cast<std::uint8_t>(a));
            add(state, dim, used | bit);
            state.dims[dim].pop_back();
        }
    }
    const reshard::Atoms& m_atoms;
    bool m_everyAxis;
    std::vector<reshard::State> m_ways;
};

} // namespace

MatmulAxis roleOf(const Matmul& matmul, std::size_t axis)
{
    const bool i = names(rows(matmul), axis);
    const bool kLeft = names(matmul.lhs.dims[1], axis);
    const bool kRight = names(matmul.rhs.dims[0], axis);
    const bool j = names(columns(matmul), axis);
    if (kLeft && kRight)
        return MatmulAxis::BothContracted;
    if (i && j)
        return MatmulAxis::Clash;
    if (i && kRight)
        return MatmulAxis::OneContractedOtherRows;
    if (kLeft && j)
        return MatmulAxis::OneContractedOtherColumns;
    if (kLeft || kRight)
        return MatmulAxis::OneContracted;
    return i || j ? MatmulAxis::Free : MatmulAxis::Unused;
}

bool isLocal(const Matmul& matmul)
{
    if (!(matmul.lhs.dims[1].axes == matmul.rhs.dims[0].axes))
        return false;
    for (std::size_t axis = 0; axis < matmul.mesh->rank(); ++axis)
        if (roleOf(matmul, axis) == MatmulAxis::Clash)
            return false;
    return true;
}

std::optional<MatmulPlan> textbookMatmul(const Matmul& matmul)
{
    for (std::size_t axis = 0; axis < matmul.mesh->rank(); ++axis)
        if (names(rows(matmul), axis) && names(columns(matmul), axis))
            return {};
    const AxisList& left = matmul.lhs.dims[1].axes;
    const AxisList& right = matmul.rhs.dims[0].axes;
    MatmulPlan plan;
    plan.computedLhs = matmul.lhs;
    plan.computedRhs = matmul.rhs;
    if (left == right) {
        plan.computed = twoDimensions(rows(matmul).axes, columns(matmul).axes, left);
        TensorSharding reduced = plan.computed;
        reduced.unreduced.clear();
        plan.product = shardySteps(ofProduct(matmul, plan.computed, reduced));
    } else if (right.empty()) {
        plan.computedLhs.dims[1].axes.clear();
        plan.lhs = shardySteps(ofLhs(matmul, plan.computedLhs));
    } else if (left.empty()) {
        plan.computedRhs.dims[0].axes.clear();
        plan.rhs = shardySteps(ofRhs(matmul, plan.computedRhs));
    } else {
        return {};
    }
    if (!(left == right))
        plan.computed = twoDimensions(rows(matmul).axes, columns(matmul).axes);
    plan.localFlops = localFlops(matmul, plan.computedLhs, plan.computedRhs);
    addUp(plan);
    return plan;
}

std::optional<MatmulPlan> cheapestMatmul(const Matmul& matmul, const TensorSharding& wanted, bool everyAxis)
{
    const std::array<const TensorSharding*, 3> shardings{ &matmul.lhs, &matmul.rhs, &wanted };
    const std::optional<reshard::Atoms> atoms = reshard::Atoms::of(*matmul.mesh, shardings);
    if (!atoms || atoms->count() > maxAtoms)
        return {};
    const TensorType leftType = ofLhs(matmul, matmul.lhs).type;
    const TensorType rightType = ofRhs(matmul, matmul.rhs).type;
    const TensorType productType = ofProduct(matmul, wanted, wanted).type;
    const reshard::Search left(*atoms, leftType, atoms->state(matmul.lhs), Blocks::Exact, nullptr);
    const reshard::Search right(*atoms, rightType, atoms->state(matmul.rhs), Blocks::Exact, nullptr);
    const reshard::State goal = atoms->state(wanted);

    reshard::Price best;
    reshard::State bestLeft, bestRight, bestProduct;
    const Ways ways(*atoms, everyAxis);
    for (const reshard::State& way : ways.all()) {
        reshard::State lhs, rhs, product;
        lhs.dims = { way.dims[0], way.dims[1] };
        rhs.dims = { way.dims[1], way.dims[2] };
        product.dims = { way.dims[0], way.dims[2] };
        for (const std::uint8_t atom : way.dims[1])
            product.partial |= std::uint32_t{ 1 } << atom;
        if ((goal.partial & ~product.partial) != 0)
            continue;
        const reshard::Price before = left.price(lhs) + right.price(rhs);
        if (!(before < best))
            continue;
        const reshard::Price price =
            before + reshard::Search(*atoms, productType, product, Blocks::Exact, &goal).price(goal);
        if (!(price < best))
            continue;
        best = price;
        bestLeft = std::move(lhs);
        bestRight = std::move(rhs);
        bestProduct = std::move(product);
    }
    if (best == reshard::Price())
        return {};

    MatmulPlan plan;
    const auto lists = [&](const reshard::State& state, std::size_t dim) {
        return reshard::merged(atoms->lists(state)[dim]);
    };
    plan.computedLhs = twoDimensions(lists(bestLeft, 0), lists(bestLeft, 1));
    plan.computedRhs = twoDimensions(lists(bestRight, 0), lists(bestRight, 1));
    plan.computed = twoDimensions(lists(bestProduct, 0), lists(bestProduct, 1), atoms->axes(bestProduct.partial));
    plan.lhs = left.steps(ofLhs(matmul, plan.computedLhs), bestLeft);
    plan.rhs = right.steps(ofRhs(matmul, plan.computedRhs), bestRight);
    plan.product = reshard::Search(*atoms, productType, bestProduct, Blocks::Exact, &goal)
                       .steps(ofProduct(matmul, plan.computed, wanted), goal);
    plan.localFlops = localFlops(matmul, plan.computedLhs, plan.computedRhs);
    addUp(plan);
    return plan;
}

} // namespace shardscope
