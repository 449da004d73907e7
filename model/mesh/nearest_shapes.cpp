// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/nearest_shapes.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

/// Product of all sizes but those at `skipped` and `alsoSkipped`; 0 when it does not divide `product`.
std::int64_t quotient(const MeshShape& shape, std::int64_t product, std::size_t skipped, std::size_t alsoSkipped)
{
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i == skipped || i == alsoSkipped)
            continue;
        if (product % shape[i] != 0)
            return 0;
        product /= shape[i];
    }
    return product;
}

void addPermutations(const MeshShape& shape, std::int64_t product, std::vector<MeshShape>& candidates)
{
    constexpr std::size_t maxAxes = 5; // 120 orders
    MeshShape order = shape;
    if (shape.size() > maxAxes || quotient(shape, product, shape.size(), shape.size()) != 1)
        return;
    std::sort(order.begin(), order.end());
    do
        candidates.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
}

} // namespace

double shapeDistance(const MeshShape& shape, const MeshShape& wanted)
{
    double distance = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
        distance += std::abs(std::log2(static_cast<double>(shape[i])) - std::log2(static_cast<double>(wanted[i])));
    return distance;
}

std::vector<std::int64_t> divisorsOf(std::int64_t number)
{
    std::vector<std::int64_t> small;
    std::vector<std::int64_t> large;
    for (std::int64_t divisor = 1; divisor * divisor <= number; ++divisor) {
        if (number % divisor != 0)
            continue;
        small.push_back(divisor);
        if (divisor * divisor != number)
            large.push_back(number / divisor);
    }
    small.insert(small.end(), large.rbegin(), large.rend());
    return small;
}

std::vector<MeshShape> nearestShapes(const MeshShape& wanted, std::int64_t product,
    const std::function<bool(const MeshShape&)>& works, std::vector<MeshShape> more, std::size_t limit)
{
    if (product < 1)
        return {};
    MeshShape base = wanted.empty() ? MeshShape{ 1 } : wanted;
    for (std::int64_t& size : base)
        size = std::clamp<std::int64_t>(size, 1, maximumDevices);
    const std::size_t rank = base.size();

    std::vector<MeshShape> candidates;
    for (MeshShape& shape : more)
        if (shape.size() == rank)
            candidates.push_back(std::move(shape));
    addPermutations(base, product, candidates);
    for (std::size_t i = 0; i < rank; ++i) {
        for (std::size_t j = i; j < rank; ++j) {
            const std::int64_t rest = quotient(base, product, i, j);
            if (rest == 0)
                continue;
            for (const std::int64_t divisor : i == j ? std::vector{ rest } : divisorsOf(rest)) {
                MeshShape shape = base;
                shape[j] = divisor;
                if (i != j)
                    shape[i] = rest / divisor;
                candidates.push_back(std::move(shape));
            }
        }
    }
    MeshShape filled = base; // from the last axis on, as much of what is wanted as divides
    std::int64_t rest = product;
    for (std::size_t i = rank; i-- > 1;) {
        while (rest % filled[i] != 0)
            --filled[i];
        rest /= filled[i];
    }
    filled[0] = rest;
    candidates.push_back(filled);

    std::vector<std::pair<double, MeshShape>> ranked; // by distances without the rounding of their sums
    for (MeshShape& shape : candidates)
        if (shape != wanted)
            ranked.emplace_back(std::round(shapeDistance(shape, base) * 1e6), std::move(shape));
    const auto nearer = [&](const auto& a, const auto& b) {
        if (a.first < b.first || b.first < a.first)
            return a.first < b.first;
        // The last axes communicate most: rather keep those.
        for (std::size_t i = rank; i-- > 0;)
            if (a.second[i] != b.second[i])
                return a.second[i] == base[i] || (b.second[i] != base[i] && a.second[i] < b.second[i]);
        return false;
    };
    std::sort(ranked.begin(), ranked.end(), nearer);
    ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());

    constexpr std::size_t maxTried = 200;
    std::vector<MeshShape> found;
    for (std::size_t i = 0; i < std::min(ranked.size(), maxTried) && found.size() < limit; ++i)
        if (works(ranked[i].second))
            found.push_back(ranked[i].second);
    for (std::size_t i = rank; i-- > 0 && found.empty();) { // far away, but one axis of all works on most machines
        MeshShape one(rank, 1);
        one[i] = product;
        if (one != wanted && works(one))
            found.push_back(std::move(one));
    }
    return found;
}

std::vector<std::string> shapeTexts(const std::vector<MeshShape>& shapes)
{
    std::vector<std::string> texts;
    for (const MeshShape& shape : shapes)
        texts.push_back(shapeText(shape));
    return texts;
}

} // namespace shardscope
