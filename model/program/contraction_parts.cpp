// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/contraction_parts.h"

#include <algorithm>

#include "program/calls.h"
#include "program/element_updates.h"
#include "program/function_names.h"
#include "program/op_row.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

/// Goes through a program as it is executed, and notes which argument a value is a part or a form of.
class ContractionWalk {
public:
    explicit ContractionWalk(const Program& program)
        : m_program(program)
        , m_functions(program)
        , m_origins(program.values.size())
        , m_entered(program.functions.size())
        , m_parts(program.main().arguments.size())
    {
        for (std::size_t a = 0; a < m_parts.size(); ++a)
            m_origins[program.main().arguments[a].index].argument = static_cast<std::int32_t>(a);
    }

    std::vector<ContractionPart> run()
    {
        visit(RegionId(std::size_t{ 0 }));
        return std::move(m_parts);
    }

private:
    struct Origin {
        std::int32_t argument = -1; ///< -1: something that was computed
        std::int32_t data = -1; ///< the argument that it is computed from element by element: relu(x) from x
        std::int32_t factor = -1; ///< the argument that `data`, an argument too, is multiplied by element by element
        std::int32_t left = -1, right = -1; ///< arguments that are factors of the product that it is computed from
        bool isExponential = false; ///< of such a product
        bool isShare = false; ///< likewise, divided by a sum: softmax(q k)
        bool isProduct = false; ///< of a contraction, or such a one and something added
        bool isActivation = false; ///< computed from a product element by element
        bool isSpread = false; ///< an argument that is repeated along dimensions
        bool isAlike = false; ///< a vector, repeated along the first of them: for all of a batch the same

        /// The argument that its elements are those of, or are computed from.
        [[nodiscard]] std::int32_t chain() const { return isSpread ? -1 : argument >= 0 ? argument : data; }
    };

    [[nodiscard]] Origin& origin(ValueId value) { return m_origins[value.index]; }
    void note(std::int32_t argument, ContractionPart part)
    {
        if (argument >= 0 && m_parts[static_cast<std::size_t>(argument)] == ContractionPart::None)
            m_parts[static_cast<std::size_t>(argument)] = part;
    }
    void hand(const auto& from, const auto& to)
    {
        for (std::size_t i = 0; i < std::min<std::size_t>(from.size(), to.size()); ++i)
            origin(to[i]) = origin(from[i]);
    }

    void visit(RegionId region)
    {
        for (const OperationId operation : m_program.regions[region.index].operations)
            visit(m_program.operation(operation));
    }

    void visit(const Operation& operation)
    {
        const auto& operands = operation.operands;
        switch (operation.kind) {
        case OpKind::DotGeneral:
        case OpKind::Dot:
        case OpKind::Convolution:
        case OpKind::ChloRaggedDot:
            attend(origin(operands[0]), origin(operands[1]));
            attend(origin(operands[1]), origin(operands[0]));
            contract(origin(operands[0]), origin(operands[1]));
            origin(operation.results[0]) = {
                .left = origin(operands[0]).argument, .right = origin(operands[1]).argument, .isProduct = true
            };
            return;
        case OpKind::Gather:
            note(origin(operands[0]).argument, ContractionPart::Weight);
            origin(operation.results[0]) = { .isActivation = true };
            return;
        case OpKind::Add:
        case OpKind::Multiply:
            for (std::size_t i = 0; i < 2; ++i)
                meet(operation.kind, operands[i], operands[1 - i]);
            return compute(operation);
        case OpKind::BroadcastInDim:
            hand(operands, operation.results);
            return spread(operation);
        case OpKind::OptimizationBarrier:
        case OpKind::AllReduce:
        case OpKind::SdyAllReduce:
            return hand(operands, operation.results);
        case OpKind::While: {
            const Region& body = m_program.regions[operation.regions[1].index];
            hand(operands, body.arguments);
            visit(operation.regions[1]);
            for (std::size_t i = 0; i < operation.results.size(); ++i) // what comes back as it went in
                origin(operation.results[i]) =
                    body.results[i] == body.arguments[i] ? origin(operands[i]) : computed(origin(body.results[i]));
            return;
        }
        case OpKind::If:
        case OpKind::Case:
            for (const RegionId branch : operation.regions)
                visit(branch);
            return;
        case OpKind::ManualComputation:
        case OpKind::NamedComputation:
            hand(operands, m_program.regions[operation.regions[0].index].arguments);
            visit(operation.regions[0]);
            return hand(m_program.regions[operation.regions[0].index].results, operation.results);
        case OpKind::Call:
        case OpKind::Composite:
            return enter(operation);
        default:
            if (onlyMoves(m_program, operation))
                return hand(operands, operation.results);
            if (opRow(operation.kind).elementwise)
                return compute(operation);
            for (const ValueId result : operation.results)
                origin(result) = {};
        }
    }

    void contract(const Origin& lhs, const Origin& rhs)
    {
        if (lhs.chain() >= 0 && lhs.chain() == rhs.chain())
            return;
        if (rhs.argument >= 0) { // x w, relu(x) w
            note(lhs.chain(), ContractionPart::Data);
            note(rhs.argument, ContractionPart::Weight);
        } else if (lhs.argument >= 0 && rhs.factor >= 0) { // x (w s), where nobody multiplies data by anything
            note(lhs.argument, ContractionPart::Data);
            note(rhs.data, ContractionPart::Weight);
            note(rhs.factor, ContractionPart::Weight);
        } else if (lhs.argument >= 0) { // w h, as products are also written
            note(lhs.argument, ContractionPart::Weight);
        } else if (lhs.data >= 0 && rhs.data >= 0) { // of x and of a weight that is scaled first
            note(lhs.data, ContractionPart::Data);
            note(rhs.data, ContractionPart::Weight);
        }
    }

    /// softmax(q k) v: these are data, where v has the type of the keys, though each is the other factor of a product.
    void attend(const Origin& shares, const Origin& values)
    {
        const std::int32_t own = values.argument;
        if (!shares.isShare || own < 0 || own == shares.left || own == shares.right)
            return;
        const auto isLike = [&](std::int32_t argument) { return argument >= 0 && typeOf(argument) == typeOf(own); };
        if (!isLike(shares.left) && !isLike(shares.right))
            return;
        for (const std::int32_t argument : { shares.left, shares.right, values.argument })
            if (argument >= 0)
                m_parts[static_cast<std::size_t>(argument)] = ContractionPart::Data;
    }
    [[nodiscard]] const TensorType& typeOf(std::int32_t argument) const
    {
        return m_program.value(m_program.main().arguments[static_cast<std::size_t>(argument)]).type;
    }

    /// What a product, or what comes of it or of data element by element, meets: a bias, or the scale of a norm. The
    /// latter is a vector, the same for all of a batch; masks and angles have more dimensions. What is as large as a
    /// product is the data of a layer that it goes past.
    void meet(OpKind kind, ValueId value, ValueId met)
    {
        const Origin &own = origin(value), &other = origin(met);
        const Value& argument = m_program.value(met);
        const bool isBias = kind == OpKind::Add && own.isProduct && (other.isSpread || argument.type.rank() < 2);
        const bool isScale = other.isSpread && other.isAlike && (own.isProduct || own.isActivation || own.chain() >= 0);
        if (isBias || isScale)
            note(other.argument, ContractionPart::Weight);
    }
    /// Of what is computed element by element.
    void compute(const Operation& operation)
    {
        Origin result;
        const bool keepsShares = operation.kind != OpKind::Add && operation.kind != OpKind::Subtract; // less the labels
        for (const ValueId operand : operation.operands) {
            const Origin& own = origin(operand);
            if (result.data < 0)
                result.data = own.chain();
            result.isActivation = result.isActivation || own.isProduct || own.isActivation;
            result.isProduct = result.isProduct || (operation.kind == OpKind::Add && own.isProduct);
            if (result.left < 0 && result.right < 0) {
                result.left = own.left;
                result.right = own.right;
            }
            result.isExponential = result.isExponential || own.isExponential;
            result.isShare = result.isShare || (own.isShare && keepsShares);
        }
        if (operation.kind == OpKind::Exponential)
            result.isExponential = result.left >= 0 || result.right >= 0;
        if (operation.kind == OpKind::Divide && origin(operation.operands[0]).isExponential
            && origin(operation.operands[1]).isSpread)
            result.isShare = true;
        if (operation.kind == OpKind::Multiply) {
            const Origin &lhs = origin(operation.operands[0]), &rhs = origin(operation.operands[1]);
            if (lhs.argument >= 0 && rhs.argument >= 0 && lhs.argument != rhs.argument && result.data >= 0)
                result.factor = lhs.argument == result.data ? rhs.argument : lhs.argument;
        }
        for (const ValueId value : operation.results)
            origin(value) = result;
    }
    /// What a loop gives after its last trip.
    static Origin computed(const Origin& last)
    {
        return { .isProduct = last.isProduct, .isActivation = last.isActivation || last.chain() >= 0 };
    }

    void spread(const Operation& operation)
    {
        const auto* attributes = std::get_if<BroadcastAttributes>(&operation.attributes);
        const TensorType &from = m_program.value(operation.operands[0]).type,
                         &to = m_program.value(operation.results[0]).type;
        if (!attributes || to.rank() == 0)
            return;
        const auto mapped = std::find(attributes->dimensions.begin(), attributes->dimensions.end(), 0);
        const auto first = static_cast<std::size_t>(mapped - attributes->dimensions.begin());
        const bool isVector =
            std::count_if(from.shape.begin(), from.shape.end(), [](std::int64_t size) { return size > 1; }) == 1;
        const bool isAlike = isVector && (mapped == attributes->dimensions.end() || from.shape[first] == 1);
        Origin& result = origin(operation.results[0]);
        const bool wasSpread = result.isSpread;
        result.isSpread = wasSpread || from.elementCount() != to.elementCount();
        if (!wasSpread)
            result.isAlike = isAlike;
    }

    void enter(const Operation& operation)
    {
        const std::string* name = calleeOf(operation);
        const std::optional<std::size_t> callee = name ? m_functions.index(*name) : std::nullopt;
        constexpr std::uint8_t most = 64; // calls of a function that are looked at
        if (!callee || m_entered[*callee] == most) {
            for (const ValueId result : operation.results)
                origin(result) = {};
            return;
        }
        ++m_entered[*callee];
        const Region& body = m_program.regions[m_program.functions[*callee].body.index];
        hand(operation.operands, body.arguments);
        visit(m_program.functions[*callee].body);
        hand(body.results, operation.results);
    }

    const Program& m_program;
    const FunctionNames m_functions;
    std::vector<Origin> m_origins; ///< by value; those of a body as it was last gone through
    std::vector<std::uint8_t> m_entered; ///< by function, how often
    std::vector<ContractionPart> m_parts;
};

} // namespace

std::vector<ContractionPart> contractionParts(const Program& program)
{
    return ContractionWalk(program).run();
}

} // namespace shardscope
