// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/memory_kinds.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/codes.h"
#include "program/calls.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/verify_findings.h"

namespace shardscope {

namespace {

constexpr std::string_view argumentKey = "mhlo.memory_kind", placementKey = "_xla_buffer_placement";

const Dictionary& dictionaryOf(const Program& program, std::uint32_t extra)
{
    return program.dictionaries[extra < program.dictionaries.size() ? extra : 0];
}

/// What stands between the quotes.
std::string_view unquoted(std::string_view text)
{
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        return text.substr(1, text.size() - 2);
    return text;
}

const NamedText* entryOf(const Dictionary& dictionary, std::string_view name)
{
    const auto found =
        std::find_if(dictionary.begin(), dictionary.end(), [&](const NamedText& entry) { return entry.name == name; });
    return found == dictionary.end() ? nullptr : &*found;
}

/// The string of a key in the text of a dictionary: `{a = "x", key = "device"}`.
std::optional<std::string> stringIn(std::string_view text, std::string_view key)
{
    const auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    bool quoted = false; // within a string
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (quoted && text[at] == '\\') {
            ++at;
            continue;
        }
        if (text[at] == '"')
            quoted = !quoted;
        const bool begins =
            at == 0 || text[at - 1] == '{' || text[at - 1] == ',' || text[at - 1] == '"' || isBlank(text[at - 1]);
        if (!begins || !text.substr(at).starts_with(key))
            continue;
        std::size_t next = at + key.size();
        const bool wasQuoted = next < text.size() && text[next] == '"' && text[at - (at > 0 ? 1 : 0)] == '"';
        next += wasQuoted ? 1 : 0;
        if (quoted && !wasQuoted)
            continue; // part of another string
        while (next < text.size() && isBlank(text[next]))
            ++next;
        if (next >= text.size() || text[next] != '=')
            continue;
        ++next;
        while (next < text.size() && isBlank(text[next]))
            ++next;
        if (next >= text.size() || text[next] != '"')
            continue;
        const std::size_t end = text.find('"', next + 1);
        if (end != std::string_view::npos)
            return std::string(text.substr(next + 1, end - next - 1));
    }
    return std::nullopt;
}

/// Where a custom call brings its operand, as it is written; none for any other operation.
std::optional<std::string> placementOf(const Program& program, const Operation& operation)
{
    const auto* call = attributesAs<CustomCallAttributes>(operation.attributes);
    if (operation.kind != OpKind::CustomCall || !call || operation.operands.empty() || operation.results.empty())
        return std::nullopt;
    if (call->target == "MoveToHost")
        return std::string(toString(MemoryKind::PinnedHost));
    if (call->target == "MoveToDevice")
        return std::string(toString(MemoryKind::Device));
    if (call->target != "annotate_device_placement")
        return std::nullopt;
    for (const NamedText& entry : dictionaryOf(program, operation.extra)) {
        if (entry.name == placementKey)
            return std::string(unquoted(entry.text));
        if (entry.name == "mhlo.frontend_attributes")
            if (auto found = stringIn(entry.text, placementKey))
                return found;
    }
    return std::nullopt;
}

/// The attribute of an argument or a result.
std::optional<std::string> statedOf(const Program& program, const std::vector<std::uint32_t>& extras, std::size_t index)
{
    if (index >= extras.size())
        return std::nullopt;
    const NamedText* entry = entryOf(dictionaryOf(program, extras[index]), argumentKey);
    return entry ? std::optional(std::string(unquoted(entry->text))) : std::nullopt;
}

bool saysAnything(const Program& program)
{
    const auto some = [&](const std::vector<std::uint32_t>& extras) {
        return std::any_of(extras.begin(), extras.end(),
            [&](std::uint32_t extra) { return entryOf(dictionaryOf(program, extra), argumentKey) != nullptr; });
    };
    for (const Function& function : program.functions)
        if (some(function.argumentExtras) || some(function.resultExtras))
            return true;
    return std::any_of(program.operations.begin(), program.operations.end(),
        [&](const Operation& operation) { return placementOf(program, operation).has_value(); });
}

class Walker {
public:
    Walker(const Program& program, std::string_view platform)
        : m_program(program)
        , m_own(platform.empty() ? MemoryKind::Device : defaultMemoryKind(platform))
        , m_findings(program)
    {
        m_memory.kinds.resize(program.values.size());
        m_memory.sources.resize(program.values.size(), MemorySource::Nothing);
        for (const Function& function : program.functions)
            m_bodies.emplace(function.name, &function);
    }

    ProgramMemory run()
    {
        const Region& main = m_program.main();
        const Function* function = m_program.functions.empty() ? nullptr : &m_program.functions.front();
        for (std::size_t i = 0; i < main.arguments.size(); ++i)
            takeArgument(function, i, main.arguments[i]);
        visit(RegionId(std::size_t{ 0 }));
        for (std::size_t r = 0; function && r < main.results.size(); ++r)
            returned(*function, r, main.results[r]);
        m_memory.findings = m_findings.take();
        return std::move(m_memory);
    }

private:
    /// The devices' own memory has one name.
    [[nodiscard]] MemoryKind place(MemoryKind kind) const { return kind == m_own ? MemoryKind::Device : kind; }
    [[nodiscard]] bool isNumber(ValueId value) const { return m_program.value(value).type.rank() == 0; }

    void put(ValueId value, std::optional<MemoryKind> kind, MemorySource source)
    {
        m_memory.kinds[value.index] = kind;
        m_memory.sources[value.index] = kind ? source : MemorySource::Nothing;
    }

    std::optional<MemoryKind> kindNamed(const std::string& text, const verification::Place& place)
    {
        Result<MemoryKind> kind = parseMemoryKind(text);
        if (kind)
            return *kind;
        m_findings.add(kind.error().code, std::move(kind.error().args), place);
        return std::nullopt;
    }

    void takeArgument(const Function* function, std::size_t index, ValueId value)
    {
        const auto stated = function ? statedOf(m_program, function->argumentExtras, index) : std::nullopt;
        std::optional<MemoryKind> kind;
        if (stated)
            kind = kindNamed(*stated,
                { .function = function,
                    .role = "argument",
                    .index = static_cast<std::int64_t>(index),
                    .value = value });
        put(value, kind.value_or(MemoryKind::Device), MemorySource::Argument);
        if (!kind)
            m_memory.sources[value.index] = MemorySource::Nothing;
    }

    /// Main returns values where its caller wants them.
    void returned(const Function& function, std::size_t index, ValueId value)
    {
        const auto stated = statedOf(m_program, function.resultExtras, index);
        if (!stated)
            return;
        const auto kind = kindNamed(*stated,
            { .function = &function,
                .role = "function_result",
                .index = static_cast<std::int64_t>(index),
                .value = value });
        const std::optional<MemoryKind> lies = m_memory.of(value);
        if (kind && lies && place(*kind) != place(*lies))
            m_memory.moves.push_back({ value, value, {}, *lies, *kind });
    }

    void visit(RegionId region)
    {
        for (const OperationId id : m_program.regions[region.index].operations)
            visit(id);
    }

    /// What goes into a body lies there as it lies outside.
    void enter(const Region& body, const Operation& operation, std::size_t firstOperand = 0)
    {
        if (body.arguments.size() + firstOperand > operation.operands.size())
            return;
        for (std::size_t i = 0; i < body.arguments.size(); ++i)
            put(body.arguments[i], m_memory.of(operation.operands[i + firstOperand]), MemorySource::Operands);
    }
    void leave(const Region& body, const Operation& operation)
    {
        for (std::size_t i = 0; i < std::min(body.results.size(), operation.results.size()); ++i)
            put(operation.results[i], m_memory.of(body.results[i]), MemorySource::Operands);
    }

    void visit(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        switch (operation.kind) {
        case OpKind::While:
        case OpKind::Case:
        case OpKind::If:
        case OpKind::ManualComputation:
        case OpKind::NamedComputation:
            for (const RegionId body : operation.regions) {
                enter(m_program.regions[body.index], operation);
                visit(body);
            }
            if (!operation.regions.empty())
                leave(m_program.regions[operation.regions.back().index], operation);
            return;
        case OpKind::Call:
        case OpKind::Composite:
            call(operation);
            return;
        case OpKind::OptimizationBarrier: // value by value
            for (std::size_t i = 0; i < std::min(operation.operands.size(), operation.results.size()); ++i)
                put(operation.results[i], m_memory.of(operation.operands[i]), MemorySource::Operands);
            return;
        case OpKind::Tuple:
        case OpKind::GetTupleElement:
            return; // whatever they hold
        default:
            break;
        }
        if (const auto place = placementOf(m_program, operation)) {
            move(id, operation, *place);
            return;
        }
        compute(id, operation);
    }

    void call(const Operation& operation)
    {
        const std::string* name = calleeOf(operation);
        const auto callee = name ? m_bodies.find(*name) : m_bodies.end();
        if (callee == m_bodies.end())
            return;
        const RegionId body = callee->second->body;
        if (body.index != 0 && m_visited.insert(body.index).second) { // as the first call finds it
            enter(m_program.regions[body.index], operation);
            visit(body);
        }
        leave(m_program.regions[body.index], operation);
    }

    void move(OperationId id, const Operation& operation, const std::string& place)
    {
        const auto kind = kindNamed(place, { .operation = id, .role = "result", .value = operation.results[0] });
        const std::optional<MemoryKind> from = m_memory.of(operation.operands[0]);
        put(operation.results[0], kind ? kind : from, kind ? MemorySource::Placement : MemorySource::Operands);
        if (kind && from && this->place(*from) != this->place(*kind))
            m_memory.moves.push_back({ operation.operands[0], operation.results[0], id, *from, *kind });
    }

    void compute(OperationId id, const Operation& operation)
    {
        std::optional<MemoryKind> common;
        ValueId other;
        for (const ValueId operand : operation.operands) {
            const std::optional<MemoryKind> kind = m_memory.of(operand);
            if (!kind || isNumber(operand))
                continue;
            if (!common)
                common = kind;
            else if (place(*kind) != place(*common) && !other.valid())
                other = operand;
        }
        if (other.valid()) {
            const auto index =
                std::find(operation.operands.begin(), operation.operands.end(), other) - operation.operands.begin();
            m_findings.add(Code::MixedMemoryKinds,
                { { "kinds",
                    std::vector<std::string>{
                        std::string(toString(*common)), std::string(toString(*m_memory.of(other))) } } },
                { .operation = id,
                    .role = "operand",
                    .index = index,
                    .value = operation.results.empty() ? ValueId() : operation.results[0] });
            common = MemoryKind::Device; // where it would be computed
        }
        for (const ValueId result : operation.results)
            put(result, common, MemorySource::Operands);
    }

    const Program& m_program;
    MemoryKind m_own;
    verification::Findings m_findings;
    ProgramMemory m_memory;
    std::unordered_map<std::string_view, const Function*> m_bodies;
    std::unordered_set<std::uint32_t> m_visited;
};

} // namespace

ProgramMemory memoryOf(const Program& program, std::string_view platform)
{
    if (program.regions.empty() || !saysAnything(program))
        return {};
    return Walker(program, platform).run();
}

} // namespace shardscope
