// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in program.h.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/codes.h"
#include "program/known_types.h"
#include "program/op_row.h"
#include "program/ops/checks.h"
#include "program/other_attributes.h"
#include "program/program.h"

namespace shardscope {

namespace {

/// Goes through the program once and notes every violation. Whatever could make a later check read out of bounds
/// (an index without an element) is reported and then left alone. What stands in no region was dropped, and does not
/// count.
class Verifier {
public:
    explicit Verifier(const Program& program)
        : m_program(program)
        , m_defined(program.values.size())
        , m_visibleIn(program.values.size())
        , m_operationSeen(program.operations.size())
        , m_regionSeen(program.regions.size())
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
        if (m_program.functions.empty())
            checkIsolated(RegionId(std::size_t{ 0 }), "program");
        else
            checkFunctions();
        checkInterface();
        return std::move(m_found);
    }

private:
    static constexpr std::size_t deepest = 1000; ///< regions in each other

    template <class Op>
    void report(Code code, const Op& op, std::string detail, std::string path = {})
    {
        m_found.push_back({ code, { { "op", op }, { "detail", std::move(detail) } }, {} });
        m_found.back().where.path = std::move(path);
    }
    /// Puts the place of an operation to what has been found of it since.
    void place(std::size_t since, const Operation& operation)
    {
        if (operation.source >= m_program.sources.size())
            return;
        const SourcePlace& source = m_program.sources[operation.source];
        for (std::size_t i = since; i < m_found.size(); ++i) {
            if (m_found[i].where.line != 0)
                continue;
            m_found[i].where.line = static_cast<int>(source.line);
            m_found[i].where.column = static_cast<int>(source.column);
        }
    }

    [[nodiscard]] bool exists(ValueId id) const { return id.index < m_program.values.size(); }
    /// Exists, stands before its use, and not outside of an isolated body.
    [[nodiscard]] bool visible(ValueId id) const { return exists(id) && m_visibleIn[id.index] == m_isolation; }
    [[nodiscard]] static std::string text(ValueId id)
    {
        return id.valid() ? "value " + std::to_string(id.index) : "an invalid value";
    }

    /// Why a value cannot be used here.
    [[nodiscard]] std::string hidden(ValueId id) const
    {
        if (exists(id) && m_visibleIn[id.index] != 0)
            return text(id) + " stands outside of the body, which may only use its arguments";
        return text(id) + " is not defined before its use";
    }

    /// With 1 for every size that only a run knows.
    [[nodiscard]] static TensorType smallest(TensorType type)
    {
        std::replace(type.shape.begin(), type.shape.end(), dynamicSize, std::int64_t{ 1 });
        return type;
    }

    void checkValue(ValueId id)
    {
        const Value& value = m_program.value(id);
        const TensorType& type = value.type;
        const bool isDynamic = std::find(type.shape->begin(), type.shape->end(), dynamicSize) != type.shape->end();
        if (const auto fits = checkSize(isDynamic ? smallest(type) : type); !fits) {
            m_found.push_back(fits.error());
            m_found.back().where.path = value.path;
        }
        if (type.dtype == DType::Other && type.other >= m_program.otherTypes.size())
            report(Code::InvalidAttribute, "value", "a type that nobody has written", value.path);
        if (!value.dimNames.empty() && value.dimNames.size() != value.type.rank())
            report(Code::InvalidAttribute, "value", "names for another number of dimensions", value.path);
        // What a text calls its values says nothing of it: both regions of a loop have one name for what it carries.
        if (m_program.functions.empty() && !value.path.empty() && !m_paths.insert(std::string_view(value.path)).second)
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
        if (m_defined[id.index])
            report(Code::InvalidOperand, op, text(id) + " is defined twice", value.path);
        m_defined[id.index] = true;
        m_visibleIn[id.index] = m_isolation;
        if (value.definition != operation || value.index != index)
            report(Code::InvalidOperand, op, text(id) + " names another definition", value.path);
    }

    void checkFunctions()
    {
        std::unordered_map<std::string_view, std::size_t> byName;
        if (m_program.functions[0].body != RegionId(std::size_t{ 0 }))
            report(Code::InvalidOperand, "program", "the first function is not main");
        m_calls.resize(m_program.functions.size());
        for (std::size_t f = 0; f < m_program.functions.size(); ++f) {
            const Function& function = m_program.functions[f];
            const std::string name = '@' + function.name;
            const std::size_t since = m_found.size();
            if (!byName.emplace(function.name, f).second)
                report(Code::InvalidAttribute, name, "two functions have this name");
            if (function.body.index >= m_program.regions.size()) {
                report(Code::InvalidOperand, name, "its body does not exist");
            } else {
                const Region& body = m_program.regions[function.body.index];
                const auto oneEach = [&](const auto& list, std::size_t count, const char* what) {
                    if (!list.empty() && list.size() != count)
                        report(Code::InvalidAttribute, name,
                            std::to_string(list.size()) + ' ' + what + " instead of " + std::to_string(count));
                };
                oneEach(function.resultShardings, body.results.size(), "shardings of results");
                oneEach(function.argumentExtras, body.arguments.size(), "attributes of arguments");
                oneEach(function.resultExtras, body.results.size(), "attributes of results");
                m_function = f;
                checkIsolated(function.body, name);
                for (std::size_t i = 0; i < body.arguments.size(); ++i)
                    if (exists(body.arguments[i]) && checkRanked(body.arguments[i], name))
                        m_found.back().args.push_back({ "argument", i });
            }
            if (function.source < m_program.sources.size())
                for (std::size_t i = since; i < m_found.size(); ++i)
                    if (m_found[i].where.line == 0)
                        m_found[i].where.line = static_cast<int>(m_program.sources[function.source].line);
        }
        checkRecursion(byName);
    }

    /// No function calls itself, not even by way of others.
    void checkRecursion(const std::unordered_map<std::string_view, std::size_t>& byName)
    {
        enum class Mark : std::uint8_t { New, Open, Done };
        std::vector<Mark> marks(m_calls.size(), Mark::New);
        std::vector<std::pair<std::size_t, std::size_t>> path; // function, next of its calls
        for (std::size_t start = 0; start < m_calls.size(); ++start) {
            if (marks[start] == Mark::New)
                path.emplace_back(start, 0);
            while (!path.empty()) {
                auto& [f, next] = path.back();
                marks[f] = Mark::Open;
                if (next == m_calls[f].size()) {
                    marks[f] = Mark::Done;
                    path.pop_back();
                    continue;
                }
                const auto callee = byName.find(m_calls[f][next++]);
                if (callee == byName.end() || marks[callee->second] == Mark::Done)
                    continue; // reported with the call
                if (marks[callee->second] == Mark::New)
                    path.emplace_back(callee->second, 0);
                else
                    reportRecursion(callee->second);
            }
        }
    }

    void reportRecursion(std::size_t function)
    {
        const Function& recursive = m_program.functions[function];
        m_found.push_back({ Code::InvalidOperand,
            { { "op", '@' + recursive.name }, { "detail", "it calls itself" }, { "calls_itself", 1 } }, {} });
        if (recursive.source >= m_program.sources.size())
            return;
        m_found.back().where.line = static_cast<int>(m_program.sources[recursive.source].line);
        m_found.back().where.column = static_cast<int>(m_program.sources[recursive.source].column);
    }

    template <class Op>
    void checkIsolated(RegionId id, const Op& owner)
    {
        const std::uint32_t outside = m_isolation;
        m_isolation = ++m_isolations;
        checkRegion(id, owner);
        m_isolation = outside;
    }

    template <class Op>
    void checkRegion(RegionId id, const Op& owner)
    {
        if (id.index >= m_program.regions.size()) {
            report(Code::InvalidAttribute, owner, "a body does not exist");
            return;
        }
        if (m_regionSeen[id.index] || m_depth == deepest) {
            report(Code::InvalidAttribute, owner,
                m_depth == deepest ? "bodies are nested too deeply" : "a body belongs to two operations");
            return;
        }
        m_regionSeen[id.index] = true;
        ++m_depth;
        const Region& region = m_program.regions[id.index];
        for (std::size_t i = 0; i < region.arguments.size(); ++i)
            define(region.arguments[i], {}, i, "argument");
        for (const OperationId operation : region.operations) {
            if (operation.index >= m_program.operations.size()) {
                report(Code::InvalidOperand, owner, "an operation in its body does not exist");
                continue;
            }
            if (m_operationSeen[operation.index]) {
                report(Code::InvalidOperand, "operation", "stands in the program twice");
                continue;
            }
            m_operationSeen[operation.index] = true;
            const std::size_t since = m_found.size();
            checkOperation(operation);
            place(since, m_program.operation(operation));
        }
        for (const ValueId result : region.results)
            if (!visible(result))
                report(Code::InvalidOperand, "return", hidden(result));
        hide(region);
        --m_depth;
    }

    /// What a region defines is not seen after it.
    void hide(const Region& region)
    {
        const auto forget = [this](const auto& values) {
            for (const ValueId value : values)
                if (exists(value))
                    m_visibleIn[value.index] = 0;
        };
        forget(region.arguments);
        for (const OperationId operation : region.operations)
            if (operation.index < m_program.operations.size())
                forget(m_program.operation(operation).results);
    }

    void checkOperation(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        if (static_cast<std::size_t>(operation.kind) >= opKindCount) {
            report(Code::InvalidAttribute, "operation", "unknown kind");
            return;
        }
        const OpRow& row = opRow(operation.kind);
        const std::string& name = qualifiedName(operation);
        if (operation.scope >= m_program.scopes.size())
            report(Code::InvalidAttribute, name, "scope does not exist");
        if (operation.extra >= m_program.dictionaries.size() || operation.source >= m_program.sources.size())
            report(Code::InvalidAttribute, name, "its further attributes or its place do not exist");

        const std::size_t before = m_found.size();
        for (const ValueId operand : operation.operands)
            if (!visible(operand))
                report(Code::InvalidOperand, name, hidden(operand));
        if (row.operandCount >= 0 && operation.operands.size() != static_cast<std::size_t>(row.operandCount))
            report(Code::InvalidOperand, name,
                std::to_string(operation.operands.size()) + " operands instead of " + std::to_string(row.operandCount));
        if (row.regionCount >= 0 && operation.regions.size() != static_cast<std::size_t>(row.regionCount))
            report(Code::InvalidAttribute, name,
                std::to_string(operation.regions.size()) + " bodies instead of " + std::to_string(row.regionCount));
        for (const RegionId region : operation.regions) {
            if (isComputation(operation.kind))
                checkIsolated(region, name);
            else
                checkRegion(region, name);
        }
        for (std::size_t i = 0; i < operation.results.size(); ++i)
            define(operation.results[i], id, i, name);
        if (!row.check && operation.results.size() != 1)
            report(Code::InvalidOperand, name, std::to_string(operation.results.size()) + " results instead of 1");
        if (m_found.size() == before)
            checkTypes(operation, row, name);
        if (const auto* call = attributesAs<CallAttributes>(operation.attributes); call && m_function < m_calls.size())
            m_calls[m_function].push_back(call->callee);
        if (const auto* call = attributesAs<CompositeAttributes>(operation.attributes);
            call && m_function < m_calls.size())
            m_calls[m_function].push_back(call->decomposition);
    }

    /// Whether a tensor without a rank has been reported.
    bool checkRanked(ValueId id, const std::string& op)
    {
        const Value& value = m_program.value(id);
        if (!isUnranked(m_program, value.type))
            return false;
        m_found.push_back({ Code::TypeMismatch,
            { { "op", op }, { "wrong", "unranked" }, { "type", m_program.otherTypes[value.type.other] } }, {} });
        m_found.back().where.path = value.path;
        return true;
    }

    void checkTypes(const Operation& operation, const OpRow& row, const std::string& name)
    {
        if (row.dialect == OpDialect::StableHlo || row.dialect == OpDialect::Chlo) {
            const auto isReported = [&](ValueId value) { return checkRanked(value, name); };
            if (std::any_of(operation.operands.begin(), operation.operands.end(), isReported)
                || std::any_of(operation.results.begin(), operation.results.end(), isReported))
                return;
        }
        static const std::string noPath;
        const std::string& path = operation.results.empty() ? noPath : *m_program.value(operation.results[0]).path;
        bool tokens = false;
        const auto look = [&](const TensorType& type) {
            if (type.dtype == DType::Token && !row.anyType) {
                report(Code::TypeMismatch, name, "a token where a tensor is needed", path);
                tokens = true;
            }
        };
        for (const ValueId operand : operation.operands)
            look(m_program.value(operand).type);
        for (const ValueId result : operation.results)
            look(m_program.value(result).type);
        if (tokens || (!row.anyType && !hasKnownTypes(m_program, operation)))
            return; // nothing more can be said
        const auto note = [&](Error error) {
            for (Arg& arg : error.args)
                if (arg.name == "op")
                    arg.value = name;
            error.where.path = path;
            m_found.push_back(std::move(error));
        };
        if (const auto* own = attributesAs<CollectiveAttributes>(operation.attributes);
            own && m_groupsSeen.emplace(own, operation.kind).second) {
            if (Result<void> checked = ops::checkDevices(ops::Subject(m_program, operation)); !checked)
                return note(std::move(checked.error()));
        }
        if (row.check) {
            if (Result<void> checked = row.check(ops::Subject(m_program, operation)); !checked)
                note(std::move(checked.error()));
            return;
        }
        const TensorType& declared = m_program.value(operation.results[0]).type;
        Result<TensorType> inferred =
            row.inferType(ops::TypeList(m_program, operation.operands), operation.attributes, declared);
        if (!inferred)
            note(std::move(inferred.error()));
        else if (*inferred != declared)
            report(Code::TypeMismatch, name, toString(*inferred) + " declared as " + toString(declared), path);
    }

    void checkAnnotations(
        const std::vector<ValueId>& values, const std::vector<Annotation>& annotations, const char* what)
    {
        if (annotations.empty() && !m_program.functions.empty())
            return; // a program that was read
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
    std::vector<bool> m_defined; ///< whether the value has been defined so far
    std::vector<std::uint32_t> m_visibleIn; ///< isolated body in which it can be used now; 0 = none
    std::vector<bool> m_operationSeen, m_regionSeen;
    std::uint32_t m_isolation = 0, m_isolations = 0; ///< the isolated body that is looked at; how many there were
    std::size_t m_depth = 0;
    std::size_t m_function = 0; ///< the function that is looked at
    std::vector<std::vector<std::string_view>> m_calls; ///< functions that each function calls
    std::unordered_set<std::string_view> m_paths;
    std::set<std::pair<const CollectiveAttributes*, OpKind>> m_groupsSeen;
    std::vector<Diagnostic> m_found;
};

} // namespace

std::vector<Diagnostic> verify(const Program& program)
{
    return Verifier(program).run();
}

} // namespace shardscope
