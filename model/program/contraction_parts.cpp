// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/contraction_parts.h"

#include <algorithm>

#include "program/calls.h"
#include "program/element_updates.h"
#include "program/function_names.h"
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
        bool isProduct = false; ///< of a contraction
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
            contract(origin(operands[0]).argument, origin(operands[1]).argument);
            origin(operation.results[0]).isProduct = true;
            return;
        case OpKind::Gather:
            note(origin(operands[0]).argument, ContractionPart::Weight);
            return;
        case OpKind::Add:
            for (std::size_t i = 0; i < 2; ++i)
                if (origin(operands[i]).isProduct)
                    note(origin(operands[1 - i]).argument, ContractionPart::Weight);
            origin(operation.results[0]).isProduct = origin(operands[0]).isProduct || origin(operands[1]).isProduct;
            return;
        case OpKind::BroadcastInDim:
        case OpKind::OptimizationBarrier:
        case OpKind::AllReduce:
        case OpKind::SdyAllReduce:
            return hand(operands, operation.results);
        case OpKind::While: {
            const Region& body = m_program.regions[operation.regions[1].index];
            hand(operands, body.arguments);
            visit(operation.regions[1]);
            for (std::size_t i = 0; i < operation.results.size(); ++i) // what comes back as it went in
                origin(operation.results[i]) = body.results[i] == body.arguments[i]
                    ? origin(operands[i])
                    : Origin{ -1, origin(body.results[i]).isProduct };
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
                hand(operands, operation.results);
        }
    }

    void contract(std::int32_t lhs, std::int32_t rhs)
    {
        if (lhs >= 0 && lhs == rhs)
            return;
        note(lhs, rhs >= 0 ? ContractionPart::Data : ContractionPart::Weight);
        note(rhs, ContractionPart::Weight);
    }

    void enter(const Operation& operation)
    {
        const std::string* name = calleeOf(operation);
        const std::optional<std::size_t> callee = name ? m_functions.index(*name) : std::nullopt;
        if (!callee || m_entered[*callee])
            return;
        m_entered[*callee] = true;
        const Region& body = m_program.regions[m_program.functions[*callee].body.index];
        hand(operation.operands, body.arguments);
        visit(m_program.functions[*callee].body);
        hand(body.results, operation.results);
    }

    const Program& m_program;
    const FunctionNames m_functions;
    std::vector<Origin> m_origins; ///< by value
    std::vector<bool> m_entered; ///< by function
    std::vector<ContractionPart> m_parts;
};

} // namespace

std::vector<ContractionPart> contractionParts(const Program& program)
{
    return ContractionWalk(program).run();
}

} // namespace shardscope
