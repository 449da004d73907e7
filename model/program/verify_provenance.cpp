// SPDX-License-Identifier: GPL-3.0-or-later
// The propagation edges that Shardy writes at operations: which axis came from where, step by step.
//
//     #sdy.propagation_edges<[{step-3 = [{"x" = operand-0 -> [result-0]}, {"y":(1)2 = operand-1 -> [result-0]}],
//                              step-5 = [...]}, {...}]>
// Declared in verify_findings.h.
#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/codes.h"
#include "program/program_mesh.h"
#include "program/verify_findings.h"

namespace shardscope::verification {

namespace {

struct Reference {
    bool result = false;
    std::int64_t index = 0;
    bool operator==(const Reference&) const = default;
};
struct Edge {
    std::string axis;
    std::optional<SubAxis> part;
    Reference source;
    std::vector<Reference> targets;
};
struct Step {
    std::int64_t number = 0;
    std::vector<Edge> edges;
};

class EdgeReader {
public:
    explicit EdgeReader(std::string_view text)
        : m_text(text)
    {
    }

    /// One list of steps per value that has any.
    std::optional<std::vector<std::vector<Step>>> read()
    {
        std::vector<std::vector<Step>> values;
        if (!take("#sdy.propagation_edges") || !take("<") || !take("["))
            return {};
        if (!take("]")) {
            do {
                if (!take("{") || !steps(values.emplace_back()))
                    return {};
            } while (take(","));
            if (!take("]"))
                return {};
        }
        return take(">") && atEnd() ? std::optional(std::move(values)) : std::nullopt;
    }

private:
    void skipSpace()
    {
        while (!m_text.empty() && std::isspace(static_cast<unsigned char>(m_text.front())))
            m_text.remove_prefix(1);
    }
    bool atEnd()
    {
        skipSpace();
        return m_text.empty();
    }
    bool take(std::string_view word)
    {
        skipSpace();
        if (!m_text.starts_with(word))
            return false;
        m_text.remove_prefix(word.size());
        return true;
    }
    bool number(std::int64_t& value)
    {
        const bool negative = take("-");
        skipSpace();
        std::size_t digits = 0;
        value = 0;
        while (digits < m_text.size() && digits < 18 && std::isdigit(static_cast<unsigned char>(m_text[digits])))
            value = value * 10 + (m_text[digits++] - '0');
        m_text.remove_prefix(digits);
        value = negative ? -value : value;
        return digits > 0;
    }
    bool steps(std::vector<Step>& list)
    {
        if (take("}"))
            return true;
        do {
            Step step;
            if (!take("step") || !take("-") || !number(step.number) || !take("=") || !take("[") || !edges(step.edges))
                return false;
            list.push_back(std::move(step));
        } while (take(","));
        return take("}");
    }
    bool reference(Reference& value)
    {
        value.result = take("result");
        return (value.result || take("operand")) && take("-") && number(value.index);
    }
    bool edges(std::vector<Edge>& list)
    {
        if (take("]"))
            return true;
        do {
            Edge edge;
            if (!take("{") || !axis(edge) || !take("=") || !reference(edge.source) || !take("->") || !take("["))
                return false;
            do {
                Reference target;
                if (!reference(target))
                    return false;
                edge.targets.push_back(target);
            } while (take(","));
            if (!take("]") || !take("}"))
                return false;
            list.push_back(std::move(edge));
        } while (take(","));
        return take("]");
    }
    bool axis(Edge& edge)
    {
        if (!take("\""))
            return false;
        const std::size_t end = m_text.find('"');
        if (end == std::string_view::npos)
            return false;
        edge.axis = m_text.substr(0, end);
        m_text.remove_prefix(end + 1);
        if (!take(":"))
            return true;
        SubAxis part;
        if (!take("(") || !number(part.pre) || !take(")") || !number(part.size))
            return false;
        edge.part = part;
        return true;
    }

    std::string_view m_text;
};

class ProvenanceCheck {
public:
    ProvenanceCheck(
        const Program& program, const Operation& operation, const ValueShardings& shardings, const Report& report)
        : m_program(program)
        , m_operation(operation)
        , m_shardings(shardings)
        , m_report(report)
    {
    }

    void run(const std::vector<Step>& steps) const
    {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const std::int64_t number = steps[i].number;
            if (number < 0)
                wrong("negative", { { "step", number } });
            if (std::any_of(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Step& earlier) { return earlier.number == number; }))
                wrong("step_twice", { { "step", number } });
            for (const Edge& edge : steps[i].edges)
                check(edge, number);
        }
    }

private:
    void wrong(const char* what, std::vector<Arg> more) const
    {
        more.emplace_back("wrong", what);
        m_report(Code::BadProvenance, std::move(more));
    }
    static std::string text(Reference reference)
    {
        return (reference.result ? "result-" : "operand-") + std::to_string(reference.index);
    }
    [[nodiscard]] std::size_t count(Reference reference) const
    {
        return reference.result ? m_operation.results.size() : m_operation.operands.size();
    }
    /// Whether the numbers at the operation may be those of a data-flow edge: what flows into it from outside and from
    /// the ends of its regions, and what owns it.
    [[nodiscard]] bool countsSources() const
    {
        switch (m_operation.kind) {
        case OpKind::While:
        case OpKind::Case:
        case OpKind::If:
        case OpKind::OptimizationBarrier:
        case OpKind::ManualComputation:
        case OpKind::NamedComputation:
        case OpKind::DataFlowEdge:
        case OpKind::Call:
        case OpKind::Composite:
            return true;
        default:
            return false;
        }
    }
    [[nodiscard]] bool isInRange(Reference reference) const
    {
        constexpr std::size_t loopSources = 2; // what it starts with, and what its body returns
        const std::size_t sources = countsSources() ? std::max(loopSources, m_operation.regions.size()) : 0;
        const std::size_t limit =
            std::max(count(reference), reference.result ? std::min<std::size_t>(sources, 1) : sources);
        return reference.index >= 0 && static_cast<std::size_t>(reference.index) < limit;
    }
    /// The value; invalid for one that only an edge knows.
    [[nodiscard]] ValueId value(Reference reference) const
    {
        const auto index = static_cast<std::size_t>(reference.index);
        if (index >= count(reference))
            return {};
        return reference.result ? m_operation.results[index] : m_operation.operands[index];
    }

    void check(const Edge& edge, std::int64_t step) const
    {
        for (std::size_t i = 0; i < edge.targets.size(); ++i) {
            if (edge.targets[i] == edge.source)
                wrong("self", { { "step", step }, { "found", text(edge.source) } });
            if (std::find(edge.targets.begin(), edge.targets.begin() + static_cast<std::ptrdiff_t>(i), edge.targets[i])
                != edge.targets.begin() + static_cast<std::ptrdiff_t>(i))
                wrong("target_twice", { { "step", step }, { "found", text(edge.targets[i]) } });
        }
        if (m_operation.kind == OpKind::FuncDataFlowEdge)
            return; // its operands are those of every call
        std::vector<Reference> all = edge.targets;
        all.insert(all.begin(), edge.source);
        const ProgramMesh* mesh = nullptr;
        for (const Reference reference : all) {
            if (!isInRange(reference)) {
                wrong("range", { { "step", step }, { "found", text(reference) } });
                return;
            }
            const ValueId referenced = value(reference);
            const ProgramSharding* sharding = referenced.valid() ? m_shardings.of(referenced) : nullptr;
            if (sharding && (!mesh || mesh->mesh->rank() == 0))
                mesh = &m_program.meshes[sharding->mesh];
        }
        if (!mesh) {
            if (!countsSources()) // what the numbers of an edge stand for is not all known here
                wrong("no_sharding", { { "step", step } });
            return;
        }
        ProgramMesh own = *mesh; // axisReference() may add an invalid axis
        if (!mesh->undeclared && !mesh->illegal)
            checkReference(own, axisReference(own, edge.axis, edge.part), m_report);
    }

    const Program& m_program;
    const Operation& m_operation;
    const ValueShardings& m_shardings;
    const Report& m_report;
};

} // namespace

void checkProvenance(const Program& program, const Operation& operation, const std::string& text,
    const ValueShardings& shardings, const Report& report)
{
    if (const auto values = EdgeReader(text).read()) {
        for (const std::vector<Step>& steps : *values)
            ProvenanceCheck(program, operation, shardings, report).run(steps);
    } else
        report(Code::BadProvenance, { { "wrong", "unreadable" }, { "found", text } });
}

} // namespace shardscope::verification
