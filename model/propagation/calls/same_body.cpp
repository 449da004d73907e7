// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/calls/same_body.h"

#include <unordered_map>

#include "program/calls.h"
#include "program/wide_attributes.h"

namespace shardscope::passes {

namespace {

class Comparison {
public:
    Comparison(const Program& program, const CalleeName& calleeName)
        : m_program(program)
        , m_calleeName(calleeName)
    {
    }

    bool same(RegionId first, RegionId second)
    {
        const Region& a = m_program.regions[first.index];
        const Region& b = m_program.regions[second.index];
        if (a.operations.size() != b.operations.size() || !match(a.arguments, b.arguments))
            return false;
        for (std::size_t i = 0; i < a.operations.size(); ++i)
            if (!same(m_program.operation(a.operations[i]), m_program.operation(b.operations[i])))
                return false;
        return same(a.results, b.results);
    }

private:
    /// From now on the values of the one body are those of the other.
    template <class Values>
    bool match(const Values& a, const Values& b)
    {
        if (a.size() != b.size())
            return false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!(m_program.value(a[i]).type == m_program.value(b[i]).type))
                return false;
            m_match.emplace(a[i], b[i]);
        }
        return true;
    }
    template <class Values>
    bool same(const Values& a, const Values& b)
    {
        if (a.size() != b.size())
            return false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto found = m_match.find(a[i]);
            if ((found == m_match.end() ? a[i] : found->second) != b[i])
                return false;
        }
        return true;
    }
    bool same(const Operation& a, const Operation& b)
    {
        if (a.kind != b.kind || a.regions.size() != b.regions.size() || !same(a.operands, b.operands)
            || !sameAttributes(a, b))
            return false;
        for (std::size_t i = 0; i < a.regions.size(); ++i)
            if (!same(a.regions[i], b.regions[i]))
                return false;
        return match(a.results, b.results);
    }
    bool sameAttributes(const Operation& a, const Operation& b)
    {
        switch (a.kind) {
        case OpKind::ShardingConstraint:
        case OpKind::Reshard:
        case OpKind::DataFlowEdge:
        case OpKind::FuncDataFlowEdge:
        case OpKind::ShardingGroup:
        case OpKind::NamedComputation:
            return true; // shardings, and names
        case OpKind::ManualComputation:
            return wideAs<ManualComputationAttributes>(a.attributes)->manualAxes
                == wideAs<ManualComputationAttributes>(b.attributes)->manualAxes;
        case OpKind::Call:
        case OpKind::Composite: {
            const std::string callee = m_calleeName(*calleeOf(a));
            return callee == m_calleeName(*calleeOf(b))
                && withCallee(a.attributes, callee) == withCallee(b.attributes, callee);
        }
        default:
            return a.attributes == b.attributes;
        }
    }

    const Program& m_program;
    const CalleeName& m_calleeName;
    std::unordered_map<ValueId, ValueId> m_match;
};

} // namespace

bool sameBody(const Program& program, RegionId a, RegionId b, const CalleeName& calleeName)
{
    return Comparison(program, calleeName).same(a, b);
}

} // namespace shardscope::passes
