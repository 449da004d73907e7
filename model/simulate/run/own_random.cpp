// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/own_random.h"

#include "base/codes.h"
#include "program/calls.h"
#include "program/collective_groups.h"
#include "program/function_names.h"
#include "program/op_row.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

bool drawsOwnBits(const Operation& op)
{
    if (op.kind == OpKind::Rng)
        return true;
    const auto* generator = attributesAs<RngBitGeneratorAttributes>(op.attributes);
    return generator && generator->algorithm == RngAlgorithm::Default;
}

class RandomSearch {
public:
    explicit RandomSearch(const Program& program)
        : m_program(program)
        , m_seen(program.regions.size())
        , m_names(program)
    {
    }
    void region(RegionId id)
    {
        if (m_seen[id.index])
            return;
        m_seen[id.index] = true;
        for (const OperationId operation : m_program.regions[id.index].operations) {
            const Operation& op = m_program.operation(operation);
            if (drawsOwnBits(op) && m_times++ == 0)
                m_first = operation;
            for (const RegionId inner : op.regions)
                region(inner);
            const std::string* callee = calleeOf(op);
            const Function* function = callee ? m_names.find(m_program, *callee) : nullptr;
            if (function)
                region(function->body);
        }
    }
    [[nodiscard]] std::optional<Diagnostic> finding() const
    {
        if (m_times == 0)
            return std::nullopt;
        const Operation& op = m_program.operation(m_first);
        return Diagnostic{ Code::OwnRandomNumbers, { { "op", qualifiedName(op) }, { "times", m_times } },
            placeOf(m_program, op) };
    }

private:
    const Program& m_program;
    std::vector<bool> m_seen; ///< by region
    FunctionNames m_names;
    OperationId m_first;
    std::int64_t m_times = 0;
};

} // namespace

std::optional<Diagnostic> ownRandomNumbers(const Program& program)
{
    RandomSearch search(program);
    search.region(RegionId{ 0 });
    return search.finding();
}

} // namespace shardscope
