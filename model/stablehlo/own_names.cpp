// SPDX-License-Identifier: GPL-3.0-or-later
// What the printer says of values that have a name here.

#include "stablehlo/own_names.h"
#include "program/roles.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

void Reader::readOwnNames(std::vector<NamedAttribute>& attributes, ValueId id)
{
    Value& value = m_program.values[id.index];
    for (NamedAttribute& attribute : attributes) {
        if (!attribute.name.starts_with(ownPrefix) || attribute.value.size() < 2)
            continue;
        const std::string_view name = attribute.name.substr(ownPrefix.size());
        const std::string_view inside = attribute.value.substr(1, attribute.value.size() - 2);
        if (name == "path" && attribute.value.front() == '"') {
            value.path = unescaped(inside);
            attribute.taken = true;
        } else if (name == "role" && attribute.value.front() == '"') {
            for (int i = 0; i <= static_cast<int>(Role::Temporary); ++i) {
                if (inside != shardscope::name(static_cast<Role>(i)))
                    continue;
                value.role = static_cast<Role>(i);
                attribute.taken = true;
            }
        } else if (name == "dims" && attribute.value.front() == '[') {
            Scanner s = m_scanner.within(inside);
            std::vector<std::string> names;
            do {
                std::string& one = names.emplace_back();
                if (!s.at('"') || !s.string(one))
                    break;
            } while (s.accept(','));
            if (names.size() == value.type.rank() && s.atEnd()) {
                value.dimNames = std::move(names);
                attribute.taken = true;
            }
        }
    }
}

void Reader::readScope(std::vector<NamedAttribute>& attributes, Operation& operation)
{
    NamedAttribute* attribute = find(attributes, "shardscope.scope");
    if (!attribute || attribute->value.size() < 2 || attribute->value.front() != '"')
        return;
    attribute->taken = true;
    std::string scope = unescaped(attribute->value.substr(1, attribute->value.size() - 2));
    const auto [found, added] = m_scopes.emplace(std::move(scope), static_cast<std::uint32_t>(m_program.scopes.size()));
    if (added)
        m_program.scopes.push_back(found->first);
    operation.scope = found->second;
}

} // namespace shardscope::mlir
