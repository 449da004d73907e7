// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/common_sharding.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "propagation/projection.h"

namespace shardscope {

namespace {

bool extends(const AxisList& longer, const AxisList& shorter)
{
    return isPrefixOf(std::span<const AxisRef>(shorter), std::span<const AxisRef>(longer));
}

/// The longest beginning of `axes` that overlaps nothing in `taken`.
AxisList withoutOverlap(const AxisList& axes, const AxisList& taken)
{
    AxisList result;
    for (const AxisRef& axis : axes) {
        std::optional<AxisRef> prefix = axis;
        for (const AxisRef& other : taken)
            if (prefix)
                prefix = prefixWithoutOverlap(*prefix, other);
        if (!prefix)
            break;
        result.push_back(*prefix);
        if (!(*prefix == axis))
            break;
    }
    return result;
}

struct Tensor {
    const TensorInOperation* specified = nullptr;
    const FactorRule::TensorMapping* mapping = nullptr;
    TensorProjection projection;

    [[nodiscard]] bool has(std::size_t factor) const { return projection.factors[factor].has_value(); }
    [[nodiscard]] const AxisList& axes(std::size_t factor) const { return projection.factors[factor]->axes; }
    [[nodiscard]] bool overflows() const
    {
        return std::any_of(projection.factors.begin(), projection.factors.end(),
            [](const std::optional<FactorSharding>& factor) { return factor && !factor->overflow.empty(); });
    }
};

class Choice {
public:
    Choice(const FactorRule& rule, std::span<const TensorInOperation> operands,
        std::span<const TensorInOperation> results, bool dealsOutOverflow)
        : m_rule(rule)
        , m_operandCount(operands.size())
        , m_dealsOutOverflow(dealsOutOverflow)
    {
        m_tensors.reserve(operands.size() + results.size());
        for (std::size_t i = 0; i < operands.size(); ++i)
            add(operands[i], rule.operands[i]);
        for (std::size_t i = 0; i < results.size(); ++i)
            add(results[i], rule.results[i]);
        m_multiFactor = std::any_of(m_tensors.begin(), m_tensors.end(), [](const Tensor& tensor) {
            return std::any_of(tensor.mapping->begin(), tensor.mapping->end(),
                [](const FactorRule::DimensionFactors& factors) { return factors.size() > 1; });
        });
        m_axes.resize(rule.factors.size());
        m_barred.resize(rule.factors.size());
        for (const Tensor& tensor : m_tensors)
            for (std::size_t f = 0; f < m_axes.size() && !tensor.projection.unreduced.empty(); ++f)
                if (tensor.has(f))
                    for (const AxisRef& axis : tensor.projection.unreduced)
                        m_barred[f].push_back(axis);
    }

    CommonSharding run()
    {
        CommonSharding common;
        common.compatible = agree();
        if (!common.compatible) {
            choose();
            clearReplicated();
        }
        for (std::size_t t = 0; t < m_tensors.size(); ++t)
            (t < m_operandCount ? common.operands : common.results).push_back(shardingOf(m_tensors[t]));
        for (std::size_t f = 0; f < m_axes.size(); ++f)
            if (m_rule.factors[f].kind == FactorKind::Reduction)
                for (const AxisRef& axis : m_axes[f])
                    common.partial.push_back(axis);
        std::sort(common.partial.begin(), common.partial.end());
        AxisList merged;
        for (const AxisRef& axis : common.partial)
            appendMerged(merged, axis);
        common.partial = merged;
        common.factors = std::move(m_axes);
        return common;
    }

private:
    void add(const TensorInOperation& specified, const FactorRule::TensorMapping& mapping)
    {
        Tensor& tensor = m_tensors.emplace_back();
        tensor.specified = &specified;
        tensor.mapping = &mapping;
        projectInto(tensor.projection, *specified.sharding, mapping, m_rule);
    }

    /// Sets the axes where all tensors agree on them.
    bool agree()
    {
        AxisList all;
        for (std::size_t f = 0; f < m_axes.size(); ++f) {
            bool first = true;
            for (const Tensor& tensor : m_tensors) {
                if (!tensor.has(f))
                    continue;
                if (first)
                    m_axes[f] = tensor.axes(f);
                else if (!(m_axes[f] == tensor.axes(f)))
                    return false;
                first = false;
            }
            if (m_rule.factors[f].kind == FactorKind::NeedReplication && !m_axes[f].empty())
                return false;
            for (const AxisRef& axis : m_axes[f]) {
                for (const AxisRef& other : all)
                    if (overlaps(axis, other))
                        return false;
                all.push_back(axis);
            }
        }
        // What does not fit the factors has no place in the common sharding.
        return std::none_of(
            m_tensors.begin(), m_tensors.end(), [](const Tensor& tensor) { return tensor.overflows(); });
    }

    void choose()
    {
        std::fill(m_axes.begin(), m_axes.end(), AxisList());
        std::vector<const Tensor*> voters;
        for (const Tensor& tensor : m_tensors)
            if (tensor.specified->sharding->rank() > 0)
                voters.push_back(&tensor);
        const bool replicating = std::any_of(m_rule.factors.begin(), m_rule.factors.end(),
            [](const FactorRule::Factor& factor) { return factor.kind == FactorKind::NeedReplication; });
        if (voters.size() == 2 && !replicating && !m_multiFactor)
            chooseOfTwo(*voters[0], *voters[1]);
        else if (m_dealsOutOverflow && voters.size() == 2 && (voters[0]->overflows() || voters[1]->overflows()))
            dealOut(*voters[0], *voters[1]);
        else
            chooseGreedily(voters);
    }

    void chooseOfTwo(const Tensor& first, const Tensor& second)
    {
        const auto permutes = [&](const Tensor& tensor) {
            for (std::size_t f = 0; f < m_axes.size(); ++f)
                if (m_rule.factors[f].kind == FactorKind::Permutation && tensor.has(f) && !tensor.axes(f).empty())
                    return true;
            return false;
        };
        const auto parts = [&](const Tensor& tensor) {
            std::int64_t count = 1;
            for (const DimensionSharding& dim : tensor.specified->sharding->dims)
                count *= shardCount(dim);
            return count;
        };
        const auto better = [&](const Tensor& a, const Tensor& b) {
            if (permutes(a) != permutes(b))
                return permutes(b);
            if (a.specified->elements != b.specified->elements)
                return a.specified->elements > b.specified->elements;
            return parts(a) > parts(b);
        };
        const bool swap = better(second, first);
        const Tensor& kept = swap ? second : first;
        const Tensor& other = swap ? first : second;
        AxisList taken;
        for (std::size_t f = 0; f < m_axes.size(); ++f)
            if (kept.has(f)) {
                m_axes[f] = withoutOverlap(kept.axes(f), m_barred[f]);
                for (const AxisRef& axis : m_axes[f])
                    taken.push_back(axis);
            }
        for (std::size_t f = 0; f < m_axes.size(); ++f)
            if (!kept.has(f) && other.has(f)) {
                m_axes[f] = withoutOverlap(withoutOverlap(other.axes(f), m_barred[f]), taken);
                for (const AxisRef& axis : m_axes[f])
                    taken.push_back(axis);
            }
    }

    /// All axes of the side in more shards, dealt out over the factors of each side anew; what both get is common.
    void dealOut(const Tensor& operand, const Tensor& result)
    {
        const auto axesOf = [](const Tensor& tensor) {
            AxisList all;
            for (const DimensionSharding& dim : tensor.specified->sharding->dims)
                for (const AxisRef& axis : dim.axes)
                    all.push_back(axis);
            return all;
        };
        AxisList all = axesOf(operand);
        if (const AxisList other = axesOf(result); product(other) > product(all))
            all = other;
        const std::vector<AxisList> ofOperand = dealtOut(all, *operand.mapping);
        const std::vector<AxisList> ofResult = dealtOut(all, *result.mapping);
        for (std::size_t f = 0; f < m_axes.size(); ++f)
            for (std::size_t i = 0; i < std::min(ofOperand[f].size(), ofResult[f].size()); ++i) {
                const auto common = greatestCommonPrefix(ofOperand[f][i], ofResult[f][i]);
                if (common)
                    m_axes[f].push_back(*common);
                if (!common || !(ofOperand[f][i] == ofResult[f][i]))
                    break;
            }
    }

    /// Factor by factor what divides it; in a dimension nothing after a factor that is not sharded completely.
    std::vector<AxisList> dealtOut(const AxisList& axes, const FactorRule::TensorMapping& mapping) const
    {
        std::vector<AxisList> dealt(m_axes.size());
        std::size_t next = 0;
        AxisRef rest = axes.empty() ? AxisRef() : axes[0];
        for (const FactorRule::DimensionFactors& factors : mapping)
            for (const std::int32_t factor : factors) {
                const auto f = static_cast<std::size_t>(factor);
                std::int64_t left = m_rule.factors[f].size;
                while (next < axes.size()) {
                    const auto fits = static_cast<std::int32_t>(std::gcd(left, std::int64_t{ rest.size }));
                    if (fits == 1)
                        break;
                    appendMerged(dealt[f], { rest.axis, rest.pre, fits });
                    left /= fits;
                    rest = { rest.axis, rest.pre * fits, rest.size / fits };
                    if (rest.size == 1 && ++next < axes.size())
                        rest = axes[next];
                }
                if (left != 1)
                    break;
            }
        return dealt;
    }

    struct Candidate {
        std::size_t factor = 0;
        AxisList axes;
        std::int64_t weight = 0; ///< elements of the tensors that have at least these axes there
    };

    std::int64_t weightOf(const std::vector<const Tensor*>& voters, std::size_t factor, const AxisList& axes) const
    {
        std::int64_t weight = 0;
        for (const Tensor* tensor : voters)
            if (tensor->has(factor) && extends(tensor->axes(factor), axes))
                weight = saturatingSum(weight, tensor->specified->elements);
        return weight;
    }

    /// A factor can only be sharded when the factors major to it in the same dimension are sharded completely.
    bool placeable(std::size_t factor) const
    {
        for (const Tensor& tensor : m_tensors)
            for (const FactorRule::DimensionFactors& factors : *tensor.mapping)
                for (std::size_t i = 1; i < factors.size(); ++i) {
                    if (factors[i] != static_cast<std::int32_t>(factor))
                        continue;
                    for (std::size_t m = 0; m < i; ++m) {
                        const auto major = static_cast<std::size_t>(factors[m]);
                        if (product(m_axes[major]) != m_rule.factors[major].size)
                            return false;
                    }
                }
        return true;
    }

    bool isBetter(const Candidate& a, const Candidate& b) const
    {
        if (a.weight != b.weight)
            return a.weight > b.weight;
        const FactorKind kindA = m_rule.factors[a.factor].kind;
        const FactorKind kindB = m_rule.factors[b.factor].kind;
        if (kindA != kindB)
            return kindRank(kindA) > kindRank(kindB);
        const std::int64_t moreA = product(a.axes) / product(m_axes[a.factor]);
        const std::int64_t moreB = product(b.axes) / product(m_axes[b.factor]);
        if (moreA != moreB)
            return moreA > moreB;
        if (a.factor != b.factor)
            return a.factor > b.factor;
        if (a.axes.size() != b.axes.size())
            return a.axes.size() > b.axes.size();
        return std::lexicographical_compare(b.axes.begin(), b.axes.end(), a.axes.begin(), a.axes.end());
    }
    static int kindRank(FactorKind kind)
    {
        switch (kind) {
        case FactorKind::PassThrough:
            return 3;
        case FactorKind::Reduction:
            return 2;
        case FactorKind::Permutation:
            return 1;
        case FactorKind::NeedReplication:
            return 0;
        }
        return 0;
    }

    void chooseGreedily(const std::vector<const Tensor*>& voters)
    {
        std::vector<Candidate> candidates;
        const auto addCandidate = [&](std::size_t factor, const AxisList& axes) {
            for (const Candidate& known : candidates)
                if (known.factor == factor && known.axes == axes)
                    return;
            candidates.push_back({ factor, axes, weightOf(voters, factor, axes) });
        };
        for (const Tensor* tensor : voters)
            for (std::size_t f = 0; f < m_axes.size(); ++f) {
                if (!tensor->has(f))
                    continue;
                AxisList prefix;
                for (const AxisRef& axis : withoutOverlap(tensor->axes(f), m_barred[f])) {
                    prefix.push_back(axis);
                    addCandidate(f, prefix);
                }
            }
        while (true) {
            const Candidate* best = nullptr;
            for (const Candidate& candidate : candidates)
                if (placeable(candidate.factor) && (!best || isBetter(candidate, *best)))
                    best = &candidate;
            if (!best)
                return;
            const Candidate taken = *best;
            m_axes[taken.factor] = taken.axes;
            std::vector<Candidate> before;
            before.swap(candidates);
            for (const Candidate& candidate : before) {
                if (candidate.factor == taken.factor) {
                    if (extends(candidate.axes, taken.axes) && !(candidate.axes == taken.axes))
                        candidates.push_back(candidate);
                    continue;
                }
                const AxisList rest = withoutOverlap(candidate.axes, taken.axes);
                if (!rest.empty() && extends(rest, m_axes[candidate.factor]) && !(rest == m_axes[candidate.factor]))
                    addCandidate(candidate.factor, rest);
            }
        }
    }

    /// Factors that must not be sharded lose their axes. If all tensors have the factor, these go to factors that all
    /// tensors have as well and that have room, each as a whole.
    void clearReplicated()
    {
        const auto inAll = [&](std::size_t factor) {
            return std::all_of(m_tensors.begin(), m_tensors.end(),
                [&](const Tensor& tensor) { return tensor.specified->sharding->rank() == 0 || tensor.has(factor); });
        };
        AxisList freed;
        for (std::size_t f = 0; f < m_axes.size(); ++f) {
            if (m_rule.factors[f].kind != FactorKind::NeedReplication)
                continue;
            if (inAll(f))
                for (const AxisRef& axis : m_axes[f])
                    freed.push_back(axis);
            m_axes[f].clear();
        }
        for (const AxisRef& axis : freed)
            for (std::size_t f = 0; f < m_axes.size(); ++f) {
                const FactorRule::Factor& factor = m_rule.factors[f];
                if (factor.kind != FactorKind::PassThrough || !inAll(f)
                    || !(withoutOverlap({ axis }, m_barred[f]) == AxisList{ axis }))
                    continue;
                const std::int64_t parts = product(m_axes[f]);
                if (factor.size % parts != 0 || factor.size / parts % axis.size != 0 || factor.size == 0)
                    continue;
                appendMerged(m_axes[f], axis);
                break;
            }
    }

    TensorSharding shardingOf(Tensor& tensor) const
    {
        bool same = !tensor.overflows();
        for (std::size_t f = 0; same && f < m_axes.size(); ++f)
            same = !tensor.has(f) || tensor.axes(f) == m_axes[f];
        if (same)
            return *tensor.specified->sharding;
        for (std::size_t f = 0; f < m_axes.size(); ++f)
            if (tensor.has(f)) {
                tensor.projection.factors[f]->axes = m_axes[f];
                tensor.projection.factors[f]->overflow.clear();
            }
        // Factors that the walk left out after overflow are there again, empty.
        for (const FactorRule::DimensionFactors& factors : *tensor.mapping)
            for (const std::int32_t factor : factors) {
                auto& sharding = tensor.projection.factors[static_cast<std::size_t>(factor)];
                if (!sharding)
                    sharding = FactorSharding{ m_axes[static_cast<std::size_t>(factor)], {}, true, false };
            }
        return unproject(tensor.projection, *tensor.mapping, m_rule);
    }

    const FactorRule& m_rule;
    std::size_t m_operandCount;
    bool m_dealsOutOverflow;
    bool m_multiFactor = false;
    std::vector<Tensor> m_tensors;
    std::vector<AxisList> m_axes;
    std::vector<AxisList> m_barred; ///< per factor: axes over which some tensor that has it is partial
};

} // namespace

CommonSharding commonSharding(const FactorRule& rule, std::span<const TensorInOperation> operands,
    std::span<const TensorInOperation> results, bool dealsOutOverflow)
{
    return Choice(rule, operands, results, dealsOutOverflow).run();
}

} // namespace shardscope
