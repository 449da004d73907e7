// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/operation_scopes.h"

#include <algorithm>

namespace shardscope {

namespace {

/// "f(x)" is x in f; the name of what is not called so is empty.
struct Wrapped {
    std::string_view function, inner;
};

Wrapped unwrapped(std::string_view name)
{
    const std::size_t open = name.find('(');
    if (open == std::string_view::npos || name.back() != ')')
        return { {}, name };
    return { name.substr(0, open), name.substr(open + 1, name.size() - open - 2) };
}

/// What a transformation wraps around a name: a gradient is a part of its own, others say nothing here.
void add(std::string_view name, ScopeNames& names)
{
    const Wrapped wrapped = unwrapped(name);
    if (wrapped.function.empty()) {
        if (!name.empty())
            names.emplace_back(name);
        return;
    }
    if (wrapped.function == "jit" || wrapped.function == "pjit" || wrapped.function == "xla_call")
        return;
    if (wrapped.function == "transpose" && std::find(names.begin(), names.end(), "backward") == names.end())
        names.insert(names.begin(), "backward");
    add(wrapped.inner, names);
}

} // namespace

ScopeNames scopeNames(std::string_view scope)
{
    ScopeNames names;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= scope.size(); ++i) {
        if (i == scope.size() || (scope[i] == '/' && depth <= 0)) {
            if (i > begin)
                names.emplace_back(scope.substr(begin, i - begin));
            begin = i + 1;
        } else if (scope[i] == '(') {
            ++depth;
        } else if (scope[i] == ')') {
            --depth;
        }
    }
    return names;
}

ScopeNames locationNames(std::string_view location)
{
    if (location.size() < 3 || location.front() != '"')
        return {};
    const std::size_t end = location.find('"', 1);
    if (end == std::string_view::npos || (end + 1 < location.size() && location[end + 1] == ':'))
        return {}; // a file, a line and a column
    ScopeNames declared = scopeNames(location.substr(1, end - 1));
    if (declared.empty())
        return {};
    declared.pop_back(); // the operation
    ScopeNames names;
    for (const std::string& name : declared)
        add(name, names);
    return names;
}

SourceNames sourceNames(std::string_view location)
{
    // "name"("folder/file.py":12:4)
    for (std::size_t begin = location.find('"'); begin != std::string_view::npos;) {
        const std::size_t end = location.find('"', begin + 1);
        if (end == std::string_view::npos)
            break;
        if (end + 2 >= location.size() || location[end + 1] != ':') {
            begin = location.find('"', end + 1);
            continue;
        }
        std::string_view path = location.substr(begin + 1, end - begin - 1);
        for (const std::string_view installed : { "site-packages/", "dist-packages/" })
            if (const std::size_t at = path.rfind(installed); at != std::string_view::npos)
                path.remove_prefix(at + installed.size());
        SourceNames names;
        names.file = path.substr(path.rfind('/') + 1);
        const std::size_t folder = path.find('/');
        names.package = folder == 0 || folder == std::string_view::npos ? names.file : path.substr(0, folder);
        const std::string_view places = location.substr(end + 1);
        names.line = names.file + std::string(places.substr(0, places.find_first_not_of("0123456789", 1)));
        return names;
    }
    return {};
}

OperationScopes::OperationScopes(const Program& program)
{
    for (const std::string& scope : program.scopes)
        m_scopes.push_back(scopeNames(scope));
    if (m_scopes.empty())
        m_scopes.emplace_back();
    m_names.reserve(program.operations.size());
    for (const Operation& operation : program.operations) {
        const ScopeNames* names = &m_scopes[operation.scope < m_scopes.size() ? operation.scope : 0];
        if (names->empty() && operation.source > 0 && operation.source < program.sources.size()) {
            const std::string& location = program.sources[operation.source].location;
            const auto [found, fresh] = m_locations.try_emplace(location);
            if (fresh)
                found->second = locationNames(location);
            names = &found->second;
        }
        m_names.push_back(names);
    }
    std::vector<bool> ofConstants(program.operations.size()); // without a name, made of nothing but such
    for (const Region& region : program.regions)
        for (const OperationId id : region.operations) {
            const Operation& operation = program.operation(id);
            ofConstants[id.index] = m_names[id.index]->empty() && operation.regions.empty()
                && std::all_of(operation.operands.begin(), operation.operands.end(), [&](ValueId operand) {
                       const OperationId definition = program.value(operand).definition;
                       return definition.valid() && ofConstants[definition.index];
                   });
        }
    for (const Region& region : program.regions)
        for (std::size_t i = region.operations.size(); i-- > 1;) {
            const OperationId before = region.operations[i - 1];
            if (ofConstants[before.index])
                m_names[before.index] = m_names[region.operations[i].index];
        }
}

std::size_t OperationScopes::shared(const std::vector<OperationId>& operations) const
{
    if (operations.empty())
        return 0;
    const ScopeNames& first = *of(operations.front());
    std::size_t count = first.size();
    for (const OperationId id : operations) {
        const ScopeNames& names = *of(id);
        const auto end = std::mismatch(
            first.begin(), first.begin() + static_cast<std::ptrdiff_t>(count), names.begin(), names.end());
        count = static_cast<std::size_t>(end.first - first.begin());
    }
    return count;
}

} // namespace shardscope
