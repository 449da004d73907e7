// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/codes.h"
#include "program/op_row.h"
#include "program/program.h"

namespace shardscope {

namespace {

/// Goes through the program once and notes every violation. Whatever could make a later check read out of bounds
/// (an index without an element) is reported and then left alone.
class Verifier {
public:
    explicit Verifier(const Program& program)
        : m_program(program)
        , m_owner(program.values.size())
    {
    }

    std::vector<Diagnostic> run()
    {
        if (m_program.regions.empty()) {
            report(Code::InvalidOperand, "program", "no body");
            return std::move(m_found);
        }
        for (std::size_t i = 0; i < m_program.values.size(); ++i)
            checkValue(ValueId(i));
        checkBody();
        checkInterface();
        return std::move(m_found);
    }

private:
    template <class Op>
    void report(Code code, const Op& op, std::string detail, std::string path = {})
    {
        m_found.push_back({ code, { { "op", op }, { "detail", std::move(detail) } }, {} });
        m_found.back().where.path = std::move(path);
    }

    [[nodiscard]] bool exists(ValueId id) const { return id.index < m_program.values.size(); }
    [[nodiscard]] static std::string text(ValueId id)
    {
        return id.valid() ? "value " + std::to_string(id.index) : "an invalid value";
    }

    void checkValue(ValueId id)
    {
        const Value& value = m_program.value(id);
        if (const auto fits = checkSize(value.type); !fits) {
            m_found.push_back(fits.error());
            m_found.back().where.path = value.path;
        }
        if (!value.dimNames.empty() && value.dimNames.size() != value.type.rank())
            report(Code::InvalidAttribute, "value", "names for another number of dimensions", value.path);
        if (!value.path.empty() && !m_paths.insert(value.path).second)
            report(Code::InvalidAttribute, "value", "path used twice", value.path);
    }

    /// Notes who makes a value. Each has exactly one maker, and the value says which.
    void define(ValueId id, OperationId operation, std::size_t index, std::string_view op)
    {
        if (!exists(id)) {
            report(Code::InvalidOperand, op, text(id) + " does not exist");
            return;
        }
        const Value& value = m_program.value(id);
        if (m_owner[id.index])
            report(Code::InvalidOperand, op, text(id) + " is defined twice", value.path);
        m_owner[id.index] = true;
        if (value.definition != operation || value.index != index)
            report(Code::InvalidOperand, op, text(id) + " names another definition", value.path);
    }

    void checkBody()
    {
        const Region& main = m_program.main();
        if (m_program.regions.size() > 1)
            report(Code::InvalidOperand, "program", "a region without an operation that owns it");
        for (std::size_t i = 0; i < main.arguments.size(); ++i)
            define(main.arguments[i], {}, i, "argument");
        std::vector<bool> seen(m_program.operations.size());
        for (const OperationId id : main.operations) {
            if (id.index >= m_program.operations.size()) {
                report(Code::InvalidOperand, "program", "an operation in the body does not exist");
                continue;
            }
            if (seen[id.index])
                report(Code::InvalidOperand, "operation", "stands in the body twice");
            seen[id.index] = true;
            checkOperation(id);
        }
        if (std::find(seen.begin(), seen.end(), false) != seen.end())
            report(Code::InvalidOperand, "program", "an operation stands in no body");
        if (std::find(m_owner.begin(), m_owner.end(), false) != m_owner.end())
            report(Code::InvalidOperand, "program", "a value is defined by nothing");
        for (const ValueId result : main.results)
            if (!exists(result) || !m_owner[result.index])
                report(Code::InvalidOperand, "return", text(result) + " does not exist");
    }

    void checkOperation(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        if (static_cast<std::size_t>(operation.kind) >= opKindCount) {
            report(Code::InvalidAttribute, "operation", "unknown kind");
            return;
        }
        const OpRow& row = opRow(operation.kind);
        if (operation.scope >= m_program.scopes.size())
            report(Code::InvalidAttribute, row.name, "scope does not exist");
        if (!operation.regions.empty())
            report(Code::InvalidAttribute, row.name, "has no regions");

        bool usable = true;
        std::vector<TensorType> types;
        for (const ValueId operand : operation.operands) {
            if (!exists(operand) || !m_owner[operand.index]) {
                report(Code::InvalidOperand, row.name, text(operand) + " is not defined before its use");
                usable = false;
            } else {
                types.push_back(m_program.value(operand).type);
            }
        }
        if (row.operandCount >= 0 && operation.operands.size() != static_cast<std::size_t>(row.operandCount)) {
            report(Code::InvalidOperand, row.name, std::to_string(operation.operands.size()) + " operands");
            usable = false;
        }
        for (std::size_t i = 0; i < operation.results.size(); ++i)
            define(operation.results[i], id, i, row.name);
        if (operation.results.size() != 1) {
            report(Code::InvalidOperand, row.name, std::to_string(operation.results.size()) + " results");
            return;
        }
        if (!usable || !exists(operation.results[0]))
            return;
        const Value& result = m_program.value(operation.results[0]);
        const Result<TensorType> inferred = row.inferType(types, operation.attributes, result.type);
        if (!inferred) {
            m_found.push_back(inferred.error());
            m_found.back().where.path = result.path;
        } else if (*inferred != result.type) {
            report(Code::TypeMismatch, row.name, toString(*inferred) + " declared as " + toString(result.type),
                result.path);
        }
    }

    void checkAnnotations(
        const std::vector<ValueId>& values, const std::vector<Annotation>& annotations, const char* what)
    {
        if (annotations.size() != values.size()) {
            report(Code::InvalidAttribute, what, "one annotation each is needed");
            return;
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            if (exists(values[i]) && annotationRank(annotations[i]) > m_program.value(values[i]).type.rank())
                report(Code::InvalidAttribute, what, "annotation with more entries than dimensions",
                    m_program.value(values[i]).path);
    }

    void checkInterface()
    {
        const Region& main = m_program.main();
        checkAnnotations(main.arguments, m_program.argumentAnnotations, "argument");
        checkAnnotations(main.results, m_program.resultAnnotations, "result");
        std::unordered_map<std::uint32_t, std::size_t> positions; // of the arguments in main
        for (std::size_t i = 0; i < main.arguments.size(); ++i)
            positions.emplace(main.arguments[i].index, i);
        std::unordered_set<std::uint32_t> arguments, results;
        for (const StatePair& pair : m_program.state) {
            const auto position = positions.find(pair.argument.index);
            if (position == positions.end() || !exists(pair.argument) || pair.result >= main.results.size()
                || !exists(main.results[pair.result])) {
                report(Code::InvalidOperand, "state", "an argument and a result of main are needed");
                continue;
            }
            const Value& argument = m_program.value(pair.argument);
            if (!arguments.insert(pair.argument.index).second || !results.insert(pair.result).second)
                report(Code::InvalidOperand, "state", "argument or result in two pairs", argument.path);
            if (argument.type != m_program.value(main.results[pair.result]).type)
                report(Code::TypeMismatch, "state", "a result of another type replaces the argument", argument.path);
            checkStateAnnotations(position->second, pair.result, argument.path);
        }
    }

    /// A new value comes back in the sharding of what it replaces: it may repeat the annotation, or have none.
    void checkStateAnnotations(std::size_t argument, std::size_t result, const std::string& path)
    {
        if (argument >= m_program.argumentAnnotations.size() || result >= m_program.resultAnnotations.size())
            return; // reported already
        const Annotation& returned = m_program.resultAnnotations[result];
        if (!std::holds_alternative<std::monostate>(returned) && returned != m_program.argumentAnnotations[argument])
            report(Code::InvalidAttribute, "state", "the result is annotated unlike the argument it replaces", path);
    }

    const Program& m_program;
    std::vector<bool> m_owner; ///< whether the value has been defined so far
    std::unordered_set<std::string> m_paths;
    std::vector<Diagnostic> m_found;
};

} // namespace

std::vector<Diagnostic> verify(const Program& program)
{
    return Verifier(program).run();
}

} // namespace shardscope
