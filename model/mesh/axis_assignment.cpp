// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/axis_assignment.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/codes.h"
#include "mesh/shape_checks.h"
#include "mesh/strided_gather.h"

namespace shardscope {

namespace {

/// Calls `take` with every set of `size` members of `free`, in lexicographic order, until it returns true.
template <class Take>
bool anySubset(std::span<const std::size_t> free, std::size_t size, const Take& take)
{
    if (size > free.size())
        return false;
    std::vector<std::size_t> chosen(size);
    std::iota(chosen.begin(), chosen.end(), std::size_t{ 0 });
    while (true) {
        std::vector<std::size_t> subset;
        for (const std::size_t i : chosen)
            subset.push_back(free[i]);
        if (take(subset))
            return true;
        std::size_t i = size;
        while (i > 0 && chosen[i - 1] == free.size() - size + i - 1)
            --i;
        if (i == 0)
            return false;
        ++chosen[i - 1];
        for (; i < size; ++i)
            chosen[i] = chosen[i - 1] + 1;
    }
}

void extend(std::span<const std::int64_t> available, std::int64_t size, MeshShape& factors, std::vector<MeshShape>& all)
{
    const std::size_t axis = factors.size();
    if (axis == available.size()) {
        if (size == 1)
            all.push_back(factors);
        return;
    }
    for (std::int64_t factor = 1; factor <= std::min(size, available[axis]); ++factor) {
        if (size % factor != 0 || available[axis] % factor != 0)
            continue;
        factors.push_back(factor);
        extend(available, size / factor, factors, all);
        factors.pop_back();
    }
}

} // namespace

std::vector<MeshShape> feasibleAssignments(
    std::span<const std::int64_t> physical, std::span<const std::int64_t> assigned, std::int64_t size)
{
    MeshShape available;
    for (std::size_t i = 0; i < physical.size(); ++i)
        available.push_back(physical[i] / assigned[i]);
    std::vector<MeshShape> all;
    MeshShape factors;
    extend(available, size, factors, all);
    return all;
}

bool isPreferred(std::span<const std::int64_t> x, std::span<const std::int64_t> y,
    std::span<const std::int64_t> physical, std::span<const std::int64_t> assigned)
{
    const auto rank = [&](std::span<const std::int64_t> factors) {
        std::int64_t fullSize = 1;
        std::int64_t fullAxes = 0;
        std::int64_t shared = 1;
        for (std::size_t i = 0; i < factors.size(); ++i) {
            if (factors[i] == physical[i] && physical[i] > 1) {
                fullSize *= factors[i];
                ++fullAxes;
            }
            if (assigned[i] > 1)
                shared *= factors[i];
        }
        return std::tuple(fullSize, fullAxes, shared);
    };
    const auto rankOfX = rank(x);
    const auto rankOfY = rank(y);
    if (rankOfX != rankOfY)
        return rankOfX > rankOfY;
    return std::lexicographical_compare(y.begin(), y.end(), x.begin(), x.end());
}

Result<std::vector<std::int64_t>> assignFullAxes(
    std::span<const std::int64_t> physical, std::span<const std::int64_t> logical)
{
    std::vector<std::int64_t> sizes(physical.size() * logical.size(), 1);
    std::vector<std::size_t> free(physical.size());
    std::iota(free.begin(), free.end(), std::size_t{ 0 });
    for (std::size_t axis = logical.size(); axis-- > 0;) {
        bool found = false;
        for (std::size_t count = free.size(); count > 0 && !found; --count) {
            found = anySubset(free, count, [&](const std::vector<std::size_t>& subset) {
                std::int64_t product = 1;
                for (const std::size_t i : subset)
                    product *= physical[i];
                if (product != logical[axis])
                    return false;
                for (const std::size_t i : subset) {
                    sizes[i * logical.size() + axis] = physical[i];
                    std::erase(free, i);
                }
                return true;
            });
        }
        if (!found && logical[axis] != 1) {
            MeshShape remaining;
            for (const std::size_t i : free)
                remaining.push_back(physical[i]);
            return fail(Code::NoAxisAssignment,
                { { "axis", axis }, { "size", logical[axis] }, { "physical", shapeText(physical) },
                    { "remaining", remaining.empty() ? std::string() : shapeText(remaining) } });
        }
    }
    return sizes;
}

std::vector<std::int64_t> assignSplitAxes(std::span<const std::int64_t> physical, std::span<const std::int64_t> logical)
{
    std::vector<std::int64_t> sizes(physical.size() * logical.size(), 1);
    MeshShape assigned(physical.size(), 1);
    for (std::size_t axis = logical.size(); axis-- > 0;) {
        const std::vector<MeshShape> feasible = feasibleAssignments(physical, assigned, logical[axis]);
        const auto best = std::min_element(feasible.begin(), feasible.end(),
            [&](const MeshShape& x, const MeshShape& y) { return isPreferred(x, y, physical, assigned); });
        for (std::size_t i = 0; i < physical.size(); ++i) {
            sizes[i * logical.size() + axis] = (*best)[i];
            assigned[i] *= (*best)[i];
        }
    }
    return sizes;
}

std::vector<std::int32_t> inLogicalOrder(std::span<const std::int32_t> ids, std::span<const std::int64_t> physical,
    std::span<const std::int64_t> strides, std::span<const std::int64_t> assignment)
{
    const std::size_t rank = physical.empty() ? 0 : assignment.size() / physical.size();
    std::vector<StridedAxis> axes;
    for (std::size_t logical = 0; logical < rank; ++logical) {
        for (std::size_t i = 0; i < physical.size(); ++i) {
            const std::span<const std::int64_t> shares = assignment.subspan(i * rank, rank);
            axes.push_back({ shares[logical], strides[i] * productOf(shares.subspan(logical + 1)) });
        }
    }
    return gatherStrided(ids, axes);
}

MeshShape meshStrides(std::span<const std::int64_t> shape)
{
    MeshShape strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * shape[i];
    return strides;
}

} // namespace shardscope
