// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/name_values.h"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "program/op_row.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

constexpr char partSign = '#';

std::string withPart(std::string_view name, std::size_t part, bool several)
{
    std::string text(name);
    if (several)
        text += partSign + std::to_string(part);
    return text;
}

/// "3" of "3#1".
std::string_view withoutPart(std::string_view name)
{
    return name.substr(0, name.find(partSign));
}

/// "relu/" for what stands in a function other than main.
std::string prefixOf(const Program& program, std::size_t function)
{
    return function == 0 ? std::string() : program.functions[function].name + '/';
}

/// What a region of an operation is called.
std::string regionWord(const Operation& operation, std::size_t region)
{
    if (operation.kind == OpKind::While && operation.regions.size() == 2)
        return region == 0 ? "cond" : "do";
    if (operation.kind == OpKind::If && operation.regions.size() == 2)
        return region == 0 ? "then" : "else";
    if (operation.kind == OpKind::Case)
        return "branch" + std::to_string(region);
    return operation.regions.size() < 2 ? "body" : "body" + std::to_string(region);
}

/// Both regions of a loop have the same arguments, and a text gives them one name.
bool isLoop(const Program& program, const Operation& operation)
{
    return operation.kind == OpKind::While && operation.regions.size() == 2
        && program.regions[operation.regions[0].index].arguments.size()
        == program.regions[operation.regions[1].index].arguments.size();
}

/// Calls `visit(value)` for all values of a region and of those inside, in program order.
template <class Visit>
void forEachValue(const Program& program, RegionId id, const Visit& visit)
{
    for (const ValueId argument : program.regions[id.index].arguments)
        visit(argument);
    for (const OperationId made : program.regions[id.index].operations) {
        const Operation& operation = program.operation(made);
        for (const ValueId result : operation.results)
            visit(result);
        for (const RegionId inner : operation.regions)
            forEachValue(program, inner, visit);
    }
}

/// Calls `visit(body, prefix, function)` for all functions.
template <class Visit>
void forEachBody(const Program& program, const Visit& visit)
{
    if (program.functions.empty())
        visit(RegionId(0), std::string(), nullptr);
    for (std::size_t f = 0; f < program.functions.size(); ++f)
        visit(program.functions[f].body, prefixOf(program, f), &program.functions[f]);
}

/// "arg0" of an argument of main that goes by what its location calls it; empty for any other value.
std::string_view textOfArgument(const Program& program, ValueId id)
{
    const Value& value = program.value(id);
    if (value.definition.valid() || program.functions.empty())
        return {};
    const std::vector<std::string>& texts = program.functions.front().argumentTexts;
    const std::vector<ValueId>& arguments = program.main().arguments;
    return value.index < std::min(texts.size(), arguments.size()) && arguments[value.index] == id
        ? std::string_view(texts[value.index])
        : std::string_view();
}

/// Arguments of main get the names of their locations, those that nothing else has.
void nameByLocation(Program& program)
{
    if (program.functions.empty() || program.functions.front().argumentNames.empty())
        return;
    Function& main = program.functions.front();
    std::unordered_map<std::string_view, std::uint32_t> uses;
    std::vector<Shared<std::string>> held; // what `uses` looks at stays
    held.reserve(program.values.size());
    for (const Value& value : program.values)
        if (!value.path.empty())
            ++uses[held.emplace_back(value.path)];
    for (const std::string& name : main.argumentNames)
        ++uses[name];
    const std::vector<ValueId>& arguments = program.main().arguments;
    main.argumentTexts.assign(arguments.size(), {});
    for (std::size_t a = 0; a < std::min(arguments.size(), main.argumentNames.size()); ++a) {
        const std::string& name = main.argumentNames[a];
        Shared<std::string>& path = program.values[arguments[a].index].path;
        if (name.empty() || path.empty() || uses[name] != 1)
            continue;
        main.argumentTexts[a] = *path;
        path = name;
    }
}

void setRoles(Program& program)
{
    const Region& main = program.main();
    for (const ValueId argument : main.arguments)
        program.values[argument.index].role = Role::Input;
    for (const OperationId id : main.operations)
        for (const ValueId result : program.operation(id).results)
            program.values[result.index].role = Role::Activation;
}

/// Numbers all values of a function.
class Numberer {
public:
    Numberer(Program& program, std::string prefix)
        : m_program(program)
        , m_prefix(std::move(prefix))
    {
    }

    void nameRegion(RegionId id, const Region* twin = nullptr)
    {
        // By index: nothing here grows the lists, but a reference into a region must not outlive its recursion.
        const Region& region = m_program.regions[id.index];
        for (std::size_t a = 0; a < region.arguments.size(); ++a)
            m_program.values[region.arguments[a].index].path = twin
                ? m_program.values[twin->arguments[a].index].path
                : Shared<std::string>(m_prefix + "arg" + std::to_string(m_arguments++));
        for (const OperationId made : region.operations) {
            const Operation& operation = m_program.operations[made.index];
            const std::size_t count = operation.results.size();
            if (count > 0) {
                const std::string name = m_prefix + std::to_string(m_results++);
                for (std::size_t i = 0; i < count; ++i)
                    m_program.values[operation.results[i].index].path = withPart(name, i, count > 1);
            }
            for (std::size_t r = 0; r < operation.regions.size(); ++r)
                nameRegion(operation.regions[r],
                    r == 1 && isLoop(m_program, operation) ? &m_program.regions[operation.regions[0].index] : nullptr);
        }
    }

private:
    Program& m_program;
    std::string m_prefix;
    std::uint64_t m_arguments = 0, m_results = 0;
};

/// Names the values of one function as its text does.
class Writer {
public:
    Writer(Program& program, const std::vector<DeclaredName>& names, std::string prefix)
        : m_program(program)
        , m_names(names)
        , m_prefix(std::move(prefix))
    {
    }

    void nameFunction(RegionId body)
    {
        count(body);
        nameRegion(body, {}, true);
    }

private:
    [[nodiscard]] std::string_view declared(ValueId value) const
    {
        return value.index < m_names.size() ? m_names[value.index].name : std::string_view();
    }

    void count(RegionId id, const Region* twin = nullptr)
    {
        const Region& region = m_program.regions[id.index];
        for (std::size_t a = 0; a < region.arguments.size(); ++a) {
            const std::string_view name = declared(region.arguments[a]);
            if (!name.empty() && (!twin || declared(twin->arguments[a]) != name))
                ++m_uses[name];
        }
        for (const OperationId made : region.operations) {
            const Operation& operation = m_program.operation(made);
            std::string_view before;
            for (const ValueId result : operation.results) {
                const std::string_view name = declared(result);
                if (!name.empty() && name != before)
                    ++m_uses[name];
                before = name;
            }
            for (std::size_t r = 0; r < operation.regions.size(); ++r)
                count(operation.regions[r],
                    r == 1 && isLoop(m_program, operation) ? &m_program.regions[operation.regions[0].index] : nullptr);
        }
    }

    /// `qualifier` is what stands in front of a name that the function has several times.
    void name(ValueId value, const std::string& qualifier, bool outermost)
    {
        const std::string_view text = declared(value);
        if (text.empty())
            return; // comes later, as what is new
        const DeclaredName& of = m_names[value.index];
        const bool plain = outermost || m_uses[text] == 1;
        m_program.values[value.index].path =
            m_prefix + (plain ? std::string() : qualifier) + withPart(text, of.part, of.several);
    }

    void nameRegion(RegionId id, const std::string& qualifier, bool outermost)
    {
        const Region& region = m_program.regions[id.index];
        for (const ValueId argument : region.arguments)
            if (m_program.values[argument.index].path.empty())
                name(argument, qualifier, outermost);
        std::size_t number = 0;
        for (const OperationId made : region.operations) {
            const Operation& operation = m_program.operations[made.index];
            ++number;
            for (const ValueId result : operation.results)
                name(result, qualifier, outermost);
            if (operation.regions.empty())
                continue;
            const std::string inside = insideOf(operation, qualifier, number);
            if (isLoop(m_program, operation))
                nameCarried(operation, inside);
            for (std::size_t r = 0; r < operation.regions.size(); ++r)
                nameRegion(operation.regions[r], inside + regionWord(operation, r) + '/', false);
        }
    }

    /// "1/" for the regions of "%1:2".
    std::string insideOf(const Operation& operation, const std::string& qualifier, std::size_t number) const
    {
        if (!operation.results.empty() && !m_program.value(operation.results[0]).path.empty()) {
            const std::string& path = m_program.value(operation.results[0]).path;
            return std::string(withoutPart(std::string_view(path).substr(m_prefix.size()))) + '/';
        }
        return qualifier + qualifiedName(operation) + '.' + std::to_string(number) + '/';
    }

    /// What a loop carries has one name in both regions: that of its body, or of its condition where something else in
    /// the condition has that name.
    void nameCarried(const Operation& operation, const std::string& inside)
    {
        const Region& condition = m_program.regions[operation.regions[0].index];
        const Region& body = m_program.regions[operation.regions[1].index];
        for (std::size_t a = 0; a < body.arguments.size(); ++a) {
            const ValueId own = body.arguments[a], twin = condition.arguments[a];
            ValueId chosen = own;
            if (declared(own) != declared(twin) && occurs(operation.regions[0], declared(own), twin))
                chosen = declared(twin).empty() || occurs(operation.regions[1], declared(twin), own) ? ValueId() : twin;
            if (!chosen.valid())
                continue; // both are new
            name(chosen, inside + regionWord(operation, 1) + '/', false);
            m_program.values[(chosen == own ? twin : own).index].path = m_program.value(chosen).path;
        }
    }
    [[nodiscard]] bool occurs(RegionId region, std::string_view name, ValueId except) const
    {
        bool found = false;
        forEachValue(
            m_program, region, [&](ValueId value) { found = found || (value != except && declared(value) == name); });
        return found;
    }

    Program& m_program;
    const std::vector<DeclaredName>& m_names;
    std::string m_prefix;
    std::unordered_map<std::string_view, std::uint32_t> m_uses; ///< of names in the function
};

/// Gives values that have no path of their own one.
class Completer {
public:
    explicit Completer(Program& program)
        : m_program(program)
        , m_state(program.values.size(), State::Gone)
    {
        forEachBody(m_program, [&](RegionId body, const std::string& prefix, const Function* function) {
            takeOver(body, prefix, function);
            forEachValue(m_program, body, [&](ValueId value) { m_state[value.index] = State::Unnamed; });
        });
    }

    void run()
    {
        keep();
        forEachBody(m_program, [&](RegionId body, const std::string& prefix, const Function*) {
            m_prefix = prefix;
            nameRegion(body);
        });
    }

private:
    enum class State : std::uint8_t { Gone, Unnamed, Named };

    /// What stands in a copy of a function is called as in the function, after the copy's name.
    void takeOver(RegionId body, const std::string& prefix, const Function* function)
    {
        if (!function || prefix.empty())
            return;
        const std::string from = function->originalName.empty() ? std::string() : function->originalName + '/';
        forEachValue(m_program, body, [&](ValueId value) {
            Shared<std::string>& path = m_program.values[value.index].path;
            const std::string& was = path;
            if (was.empty() || was.starts_with(prefix))
                return;
            path = prefix
                + (!from.empty() && was.starts_with(from) ? was.substr(from.size()) : std::string(nameInText(was)));
        });
    }

    /// Of several values with one path the oldest keeps it.
    void keep()
    {
        m_paths.reserve(m_program.values.size());
        for (const Operation& operation : m_program.operations)
            if (isLoop(m_program, operation))
                for (std::size_t a = 0; a < m_program.regions[operation.regions[0].index].arguments.size(); ++a)
                    m_twinOf.emplace(m_program.regions[operation.regions[1].index].arguments[a].index,
                        m_program.regions[operation.regions[0].index].arguments[a]);
        for (std::size_t v = 0; v < m_program.values.size(); ++v) {
            const Shared<std::string>& held = m_program.values[v].path;
            if (m_state[v] == State::Gone)
                m_program.values[v].path.clear(); // nothing is called so any more
            if (held.empty())
                continue;
            const std::string& path = held;
            if (const std::string_view text = textOfArgument(m_program, ValueId(v)); !text.empty())
                m_textOf.emplace(path, text);
            const auto twin = m_twinOf.find(static_cast<std::uint32_t>(v));
            const bool same = twin != m_twinOf.end() && m_state[twin->second.index] == State::Named
                && m_program.value(twin->second).path == m_program.values[v].path;
            if (same || m_paths.insert(path).second) {
                m_state[v] = State::Named;
                m_names.emplace(withoutPart(nameInText(m_program, ValueId(v))));
            }
        }
    }

    std::string freeName(const std::string& before, const std::string& after)
    {
        std::uint32_t& number = m_next[before + after];
        while (true) {
            const std::string& name = m_made.emplace_back(before + std::to_string(++number) + after);
            if (m_names.insert(name).second)
                return name;
            m_made.pop_back();
        }
    }
    /// Of a copy: after what it is a copy of.
    std::string newName(ValueId value)
    {
        const std::string& path = m_program.value(value).path;
        const auto argument = m_textOf.find(path);
        const std::string_view text = argument != m_textOf.end() ? argument->second : nameInText(path);
        return path.empty() ? freeName("new", {}) : freeName("copy", "_of_" + std::string(withoutPart(text)));
    }

    void nameRegion(RegionId id)
    {
        const Region& region = m_program.regions[id.index];
        for (const ValueId argument : region.arguments) {
            if (m_state[argument.index] == State::Named)
                continue;
            const auto twin = m_twinOf.find(argument.index);
            if (twin != m_twinOf.end())
                m_program.values[argument.index].path = m_program.value(twin->second).path;
            else
                m_program.values[argument.index].path = m_prefix + newName(argument);
        }
        for (const OperationId made : region.operations) {
            const Operation& operation = m_program.operation(made);
            const std::size_t count = operation.results.size();
            const bool unnamed = std::any_of(operation.results.begin(), operation.results.end(),
                [&](ValueId result) { return m_state[result.index] != State::Named; });
            if (unnamed) {
                const std::string name = m_prefix + newName(operation.results[0]);
                for (std::size_t i = 0; i < count; ++i)
                    m_program.values[operation.results[i].index].path = withPart(name, i, count > 1);
            }
            for (const RegionId inner : operation.regions)
                nameRegion(inner);
        }
    }

    Program& m_program;
    std::string m_prefix;
    std::vector<State> m_state; ///< per ValueId
    std::unordered_map<std::uint32_t, ValueId> m_twinOf; ///< by ValueId, of the arguments of loops' bodies
    std::unordered_set<std::string_view> m_paths, m_names; ///< those that stay, and m_made
    std::unordered_map<std::string, std::string_view> m_textOf; ///< by path, of arguments that go by their locations
    std::deque<std::string> m_made;
    std::unordered_map<std::string, std::uint32_t> m_next;
};

bool hasPaths(const Program& program)
{
    bool any = false;
    forEachBody(program, [&](RegionId body, const std::string&, const Function*) {
        if (!any)
            forEachValue(program, body, [&](ValueId value) { any = any || !program.value(value).path.empty(); });
    });
    return any;
}

} // namespace

void nameValues(Program& program, const std::vector<DeclaredName>& names)
{
    for (Value& value : program.values)
        value.path.clear();
    program.namedByText = true;
    forEachBody(program, [&](RegionId body, const std::string& prefix, const Function*) {
        Writer(program, names, prefix).nameFunction(body);
    });
    nameByLocation(program);
    nameValues(program);
}

void nameValues(Program& program)
{
    if (hasPaths(program)) {
        Completer(program).run();
    } else {
        program.namedByText = true;
        forEachBody(program, [&](RegionId body, const std::string& prefix, const Function*) {
            Numberer(program, prefix).nameRegion(body);
        });
    }
    setRoles(program);
}

std::string_view nameInText(std::string_view path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view nameInText(const Program& program, ValueId value)
{
    const std::string_view argument = textOfArgument(program, value);
    return argument.empty() ? nameInText(program.value(value).path) : argument;
}

namespace {

/// Names that are visible at one place of a function.
class VisibleNames {
public:
    explicit VisibleNames(const Program& program)
        : m_program(program)
    {
    }
    /// Whether no value of the region, and of those in it, has the name of one that is visible there.
    bool areOwn(RegionId id)
    {
        const Region& region = m_program.regions[id.index];
        std::vector<std::string_view> added;
        bool own = true;
        const auto add = [&](ValueId value) {
            const std::string_view name = withoutPart(nameInText(m_program, value)); // one for all results
            if (name.empty())
                return;
            own = own && m_names.insert(name).second;
            added.push_back(name);
        };
        for (const ValueId argument : region.arguments)
            add(argument);
        for (const OperationId op : region.operations) {
            const Operation& operation = m_program.operation(op);
            for (const RegionId inner : operation.regions)
                own = own && areOwn(inner);
            if (!operation.results.empty())
                add(operation.results.front());
        }
        for (const std::string_view name : added)
            m_names.erase(name);
        return own;
    }

private:
    const Program& m_program;
    std::set<std::string_view> m_names;
};

} // namespace

bool canPrintNames(const Program& program)
{
    if (program.functions.empty())
        return VisibleNames(program).areOwn(RegionId(std::size_t{ 0 }));
    return std::all_of(program.functions.begin(), program.functions.end(),
        [&](const Function& function) { return VisibleNames(program).areOwn(function.body); });
}

bool isNamedByText(const Program& program, ValueId value)
{
    return program.namedByText && textOfArgument(program, value).empty();
}

namespace {

std::string withoutSigns(std::string_view name)
{
    std::string plain;
    for (const char c : name)
        if (c != '%')
            plain += c;
    return plain;
}

} // namespace

std::vector<std::string> pathsOfName(const Program& program, std::string_view name)
{
    const std::string plain = withoutSigns(name);
    std::vector<std::string> found;
    for (std::size_t v = 0; v < program.values.size(); ++v) {
        const std::string& path = program.values[v].path;
        if (path.empty())
            continue;
        const std::string_view last = nameInText(program, ValueId(v));
        const bool called = last == plain || (last.ends_with("#0") && withoutPart(last) == plain);
        if (called && std::find(found.begin(), found.end(), path) == found.end())
            found.push_back(path);
    }
    return found;
}

ValueId valueNamed(const Program& program, std::string_view name)
{
    if (const ValueId value = program.find(name); value.valid())
        return value;
    if (program.functions.empty()) // a built-in network: its paths are no names of a text
        return {};
    const std::string plain = withoutSigns(name);
    for (const std::string& path : { plain, plain + "#0" })
        if (const ValueId value = program.find(path); value.valid())
            return value;
    for (const ValueId argument : program.main().arguments)
        if (textOfArgument(program, argument) == plain && !plain.empty())
            return argument;
    const std::vector<std::string> paths = pathsOfName(program, plain);
    return paths.size() == 1 ? program.find(paths.front()) : ValueId();
}

} // namespace shardscope
