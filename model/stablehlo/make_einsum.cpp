// SPDX-License-Identifier: GPL-3.0-or-later
// einsum and unary_einsum, which the present version of StableHLO has no more, as what they are made of: sums over
// dimensions that one operand alone has, a dot_general, and a transpose where the result has its dimensions in another
// order.
//
//     "bij,bjk->bik"    dot_general
//     "ij,jk->ki"       dot_general, transpose
//     "ijx,jk->ik"      reduce of the first operand, dot_general
//     "ijk->kj"         reduce, transpose
//
// A part of Reader, which is declared in reader.h.
#include <algorithm>
#include <optional>

#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

using Labels = std::string;

bool isUnique(const Labels& labels)
{
    return std::all_of(
        labels.begin(), labels.end(), [&](char l) { return std::count(labels.begin(), labels.end(), l) == 1; });
}

bool hasLabel(const Labels& labels, char label)
{
    return labels.find(label) != Labels::npos;
}

struct EinsumConfig {
    std::vector<Labels> operands;
    Labels result;
};

/// Nothing where a label stands twice in one array ("ii->i"), stands in the result alone, or where dimensions have no
/// labels ("...").
std::optional<EinsumConfig> einsumConfig(std::string text)
{
    std::erase_if(text, [](char c) { return c == ' ' || c == '"'; });
    const std::size_t arrow = text.find("->");
    if (arrow == std::string::npos)
        return {};
    EinsumConfig config{ { Labels() }, text.substr(arrow + 2) };
    for (const char c : text.substr(0, arrow)) {
        if (c == ',')
            config.operands.emplace_back();
        else
            config.operands.back() += c;
    }
    const auto isKnown = [&](char label) {
        return std::any_of(
            config.operands.begin(), config.operands.end(), [&](const Labels& own) { return hasLabel(own, label); });
    };
    const bool isPlain = isUnique(config.result) && text.find('.') == std::string::npos
        && std::all_of(config.operands.begin(), config.operands.end(), isUnique)
        && std::all_of(config.result.begin(), config.result.end(), isKnown);
    return isPlain ? std::optional(std::move(config)) : std::nullopt;
}

/// The contraction of two operands each of whose labels is the other's or the result's, and the labels that its result
/// has.
std::pair<DotGeneralAttributes, Labels> contraction(const Labels& lhs, const Labels& rhs, const Labels& result)
{
    DotGeneralAttributes made;
    Labels batch, free;
    for (std::size_t i = 0; i < lhs.size(); ++i) {
        const std::size_t other = rhs.find(lhs[i]);
        const bool stays = hasLabel(result, lhs[i]);
        if (other == Labels::npos) {
            free += lhs[i];
            continue;
        }
        (stays ? made.lhsBatch : made.lhsContracting).push_back(static_cast<std::int64_t>(i));
        (stays ? made.rhsBatch : made.rhsContracting).push_back(static_cast<std::int64_t>(other));
        if (stays)
            batch += lhs[i];
    }
    for (const char label : rhs)
        if (!hasLabel(lhs, label))
            free += label;
    return { std::move(made), batch + free };
}

} // namespace

bool Reader::makeEinsum(Pending& op)
{
    NamedAttribute* text = find(op.attributes, "einsum_config");
    text = text ? text : find(op.attributes, "config");
    if (!text)
        return needs(op, "einsum_config");
    const std::size_t wanted = op.name == "stablehlo.einsum" ? 2 : 1;
    std::optional<EinsumConfig> config = einsumConfig(std::string(text->value));
    if (!config || op.operands.size() != wanted || config->operands.size() != wanted)
        return isOpaque(op);
    std::vector<TensorType> types;
    for (std::size_t i = 0; i < wanted; ++i) {
        const TensorType& type = types.emplace_back(typeOf(op.operands[i]));
        if (!isTensor(type.dtype) || type.rank() != config->operands[i].size())
            return isOpaque(op);
    }
    text->taken = true;

    std::vector<PendingStep> steps;
    std::vector<std::size_t> held; // operands as far as they have come: op.operands, and then the results of steps
    for (std::size_t i = 0; i < wanted; ++i) {
        Labels& labels = config->operands[i];
        ReduceAttributes sum;
        TensorType left{ types[i].dtype, {} };
        Labels kept;
        for (std::size_t d = 0; d < labels.size(); ++d) {
            if (hasLabel(config->result, labels[d]) || (wanted == 2 && hasLabel(config->operands[1 - i], labels[d]))) {
                kept += labels[d];
                left.shape.push_back(types[i].shape[d]);
            } else {
                sum.dimensions.push_back(static_cast<std::int64_t>(d));
            }
        }
        held.push_back(i);
        if (kept == labels)
            continue;
        labels = kept;
        types[i] = left;
        held.back() = wanted + steps.size();
        steps.push_back({ OpKind::Reduce, { i }, std::move(sum), std::move(left) });
    }
    const TensorType& result = op.resultTypes.front();
    Labels made = config->operands[0];
    if (wanted == 2) {
        auto [dot, order] = contraction(config->operands[0], config->operands[1], config->result);
        made = order;
        TensorType type{ result.dtype, {} };
        for (const char label : order) {
            const std::size_t ofFirst = config->operands[0].find(label);
            type.shape.push_back(
                ofFirst != Labels::npos ? types[0].shape[ofFirst] : types[1].shape[config->operands[1].find(label)]);
        }
        steps.push_back({ OpKind::DotGeneral, held, std::move(dot), std::move(type) });
        held = { wanted + steps.size() - 1 };
    }
    if (made == config->result && !steps.empty()) { // the last step is the operation itself
        op.kind = steps.back().kind;
        op.made = std::move(steps.back().made);
        op.lastOperands = std::move(steps.back().operands);
        steps.pop_back();
    } else {
        TransposeAttributes order;
        for (const char label : config->result)
            order.permutation.push_back(static_cast<std::int64_t>(made.find(label)));
        op.kind = OpKind::Transpose;
        op.made = std::move(order);
        op.lastOperands = std::move(held);
    }
    op.steps = std::move(steps);
    return true;
}

OperationId Reader::addSteps(Pending& op, OperationId id, RegionId region)
{
    std::vector<ValueId> values(op.operands.begin(), op.operands.end());
    const auto operandsOf = [&](const std::vector<std::size_t>& numbers, auto& operands) {
        operands.clear();
        for (const std::size_t number : numbers)
            operands.push_back(values[number]);
    };
    for (PendingStep& step : op.steps) {
        Operation& operation = m_program.operations[id.index];
        operation.kind = step.kind;
        operandsOf(step.operands, operation.operands);
        operation.attributes = m_parts.attributes(std::move(step.made));
        operation.source = op.source;
        const ValueId result(m_program.values.size());
        operation.results.push_back(result);
        Value& value = m_program.values.emplace_back();
        value.type = std::move(step.type);
        value.definition = id;
        values.push_back(result);
        m_program.regions[region.index].operations.push_back(id);
        id = OperationId(m_program.operations.size());
        m_program.operations.emplace_back();
    }
    if (!op.lastOperands.empty())
        operandsOf(op.lastOperands, op.operands);
    return id;
}

} // namespace shardscope::mlir
