// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/experts.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "networks/chosen_parts.h"
#include "networks/feed_forward.h"

namespace shardscope {

namespace {

/// What the router decides of each token. Arrays are of the type of sums.
struct Routing {
    ValueId dispatch, combine; ///< (B, L, E, C)
};

class ExpertRouter {
public:
    ExpertRouter(Builder& builder, const ExpertSettings& experts, ValueId probabilities)
        : b(builder)
        , m_experts(experts)
        , m_probabilities(probabilities)
        , m_type(builder.type(probabilities))
    {
    }

    Routing route()
    {
        chooseExperts();
        if (m_experts.normalise)
            normaliseWeights();
        if (m_experts.scale != 1)
            for (ValueId& weight : m_weights)
                weight = times(b, weight, m_experts.scale);
        Routing routing;
        for (std::size_t i = 0; i < m_choices.size(); ++i) {
            const ValueId place = placesOf(i);
            routing.dispatch = sumOf(routing.dispatch, outer(m_choices[i], place));
            const ValueId weight = spreadOverLast(b, m_weights[i], m_type.shape);
            routing.combine = sumOf(routing.combine, outer(product(weight, m_choices[i]), place));
        }
        return routing;
    }

private:
    ValueId product(ValueId lhs, ValueId rhs) { return b.binary(OpKind::Multiply, lhs, rhs); }
    ValueId sumOf(ValueId sum, ValueId term) { return sum.valid() ? b.binary(OpKind::Add, sum, term) : term; }
    /// (B, L, E) and (B, L, C) to (B, L, E, C)
    ValueId outer(ValueId lhs, ValueId rhs) { return b.dotGeneral(lhs, rhs, { { 0, 1 }, { 0, 1 }, {}, {} }); }

    /// The experts of the largest probabilities, each chosen from what its predecessors leave; of equal ones the first.
    void chooseExperts()
    {
        const TensorType numbers{ DType::I32, m_type.shape };
        ValueId left = m_probabilities;
        for (std::int64_t i = 0; i < m_experts.perToken; ++i) {
            const ValueId highest = spreadOverLast(b, reducedOverLast(b, ReduceKind::Max, left), m_type.shape);
            const ValueId candidates = b.select(b.compare(Comparison::Equal, left, highest), b.iota(numbers, 2),
                b.constant(numbers, static_cast<double>(m_experts.experts)));
            const ValueId first = spreadOverLast(b, reducedOverLast(b, ReduceKind::Min, candidates), m_type.shape);
            const ValueId isChosen = b.compare(Comparison::Equal, b.iota(numbers, 2), first);
            m_choices.push_back(b.convert(isChosen, m_type.dtype));
            m_weights.push_back(reducedOverLast(b, ReduceKind::Sum, product(m_probabilities, m_choices.back())));
            if (i + 1 < m_experts.perToken)
                left = b.select(isChosen, b.constant(m_type, -1), left);
        }
    }

    void normaliseWeights()
    {
        ValueId sum;
        for (const ValueId weight : m_weights)
            sum = sumOf(sum, weight);
        for (ValueId& weight : m_weights)
            weight = b.binary(OpKind::Divide, weight, sum);
    }

    /// (B, L, C): 1 at the place that each token takes with its choice `i`; nothing where the expert has none left.
    ValueId placesOf(std::size_t i)
    {
        // How many tokens of the sequence stand before this one: a product with 1 below the diagonal.
        const std::int64_t length = m_type.shape[1];
        const TensorType square{ DType::I32, { length, length } };
        const ValueId isBefore = b.compare(Comparison::Less, b.iota(square, 1), b.iota(square, 0));
        const ValueId before = b.convert(isBefore, m_type.dtype);
        const ValueId counted = b.dotGeneral(m_choices[i], before, { {}, {}, { 1 }, { 1 } }); // (B, E, L)
        ValueId ahead = b.transpose(counted, { 0, 2, 1 });
        if (m_taken.valid())
            ahead = b.binary(OpKind::Add, ahead, b.broadcast(m_taken, m_type.shape, { 0, 2 }));
        m_taken = sumOf(m_taken, b.reduce(ReduceKind::Sum, m_choices[i], { 1 }));

        const ValueId place = b.convert(reducedOverLast(b, ReduceKind::Sum, product(ahead, m_choices[i])), DType::I32);
        const TensorType places{ DType::I32, { m_type.shape[0], length, expertCapacity(m_experts, length) } };
        const ValueId isPlace = b.compare(Comparison::Equal, b.iota(places, 2), spreadOverLast(b, place, places.shape));
        return b.convert(isPlace, m_type.dtype);
    }

    Builder& b;
    const ExpertSettings& m_experts;
    ValueId m_probabilities; ///< (B, L, E)
    TensorType m_type; ///< of them
    std::vector<ValueId> m_choices; ///< (B, L, E), one-hot
    std::vector<ValueId> m_weights; ///< (B, L)
    ValueId m_taken; ///< (B, E): tokens of the choices before
};

/// (E, n) along the dimensions 0 and 3 of (E, B, C, n), added.
ValueId withExpertBias(const NetworkPart& experts, ValueId x, const std::string& name)
{
    if (!experts.has(name))
        return x;
    Builder& b = experts.builder();
    const TensorType type = b.type(x);
    return b.binary(OpKind::Add, x, b.broadcast(experts.parameter(name, type.dtype), type.shape, { 0, 3 }));
}

/// What every token gets beside what its experts add, (B, L, D).
ValueId sharedExperts(const NetworkPart& part, ValueId x)
{
    Builder& b = part.builder();
    const ValueId y = feedForward(part, "shared_experts", x);
    if (!part.has("shared_expert_gate/kernel"))
        return y;
    const NetworkPart gate(part, "shared_expert_gate");
    const ValueId share = gate.named(
        b.unary(OpKind::Logistic, b.dot(x, gate.parameter("kernel"))), "share", { Axis::Batch, Axis::Length });
    return b.binary(OpKind::Multiply, y, spreadOverLast(b, share, b.type(y).shape));
}

} // namespace

std::int64_t expertCapacity(const ExpertSettings& experts, std::int64_t length)
{
    const double places = experts.capacityFactor * static_cast<double>(length) * static_cast<double>(experts.perToken)
        / static_cast<double>(experts.experts);
    return std::max<std::int64_t>(1, std::llround(std::min(std::ceil(places), static_cast<double>(length))));
}

ValueId mixtureOfExperts(const NetworkPart& layer, ValueId x)
{
    const NetworkPart part(layer, "mlp");
    Builder& b = part.builder();
    const TransformerSettings& s = part.settings();
    const DType dtype = s.computeDtype, accurate = accurateType(dtype);

    Routing routing;
    {
        const NetworkPart router(part, "router");
        const ValueId logits = b.dot(converted(b, x, accurate), router.parameter("kernel", accurate));
        const bool isAlone = s.experts->score == RouterScore::Sigmoid;
        const ValueId probabilities = router.named(isAlone ? b.unary(OpKind::Logistic, logits) : softmax(b, logits),
            "probabilities", { Axis::Batch, Axis::Length, Axis::RouterExpert });
        routing = ExpertRouter(b, *s.experts, probabilities).route();
        const auto dims = { Axis::Batch, Axis::Length, Axis::ActiveExpert, Axis::Capacity };
        routing.dispatch = router.named(converted(b, routing.dispatch, dtype), "dispatch", dims);
        routing.combine = router.named(converted(b, routing.combine, dtype), "combine", dims);
    }

    const NetworkPart experts(part, "experts");
    const auto withSequences = [&](ValueId value, std::string_view name) { // (B, E, C, D)
        return experts.activation(
            value, name, { Axis::Batch, Axis::RoutedExpert, Axis::Capacity, Axis::ResidualEmbed });
    };
    const auto withExperts = [&](ValueId value, std::string_view name, Axis last) { // (E, B, C, n)
        return experts.activation(value, name, { Axis::ActiveExpert, Axis::ExpertBatch, Axis::Capacity, last });
    };
    const auto linear = [&](ValueId from, const std::string& name) { // (E, B, C, n) times (E, n, m)
        const ValueId kernel = experts.parameter(name + "/kernel");
        return withExpertBias(experts, b.dotGeneral(from, kernel, { { 0 }, { 0 }, { 3 }, { 1 } }), name + "/bias");
    };
    // Two constraints stand on each side, so that tokens move from their sequences' devices to those of the experts and
    // back in one exchange (all-to-all), and not what they are computed from.
    const Dimensions swapped{ 1, 0, 2, 3 };
    const ValueId sent = withSequences(b.dotGeneral(routing.dispatch, x, { { 0 }, { 0 }, { 1 }, { 1 } }), "sent");
    const ValueId inputs = withExperts(b.transpose(sent, swapped), "inputs", Axis::ResidualEmbed);
    const ValueId hidden =
        withExperts(hiddenValues(experts, [&](const std::string& name) { return linear(inputs, name); }), "hidden",
            Axis::HiddenMlp);
    const ValueId outputs = withExperts(linear(hidden, "wo"), "outputs", Axis::ResidualEmbed);
    const ValueId returned = withSequences(b.transpose(outputs, swapped), "returned");
    ValueId y = b.dotGeneral(routing.combine, returned, { { 0 }, { 0 }, { 2, 3 }, { 1, 2 } });
    if (s.experts->sharedMlp > 0)
        y = b.binary(OpKind::Add, y, sharedExperts(part, x));
    return constrainedOutput(part, part.named(y, "wo", { Axis::Batch, Axis::Length, Axis::ResidualEmbed }));
}

} // namespace shardscope
