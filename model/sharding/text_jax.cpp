// SPDX-License-Identifier: GPL-3.0-or-later
// Specs, meshes, rules and arrays as Python and JAX print them, and the short forms of tables.
// Declared in text.h.
#include "base/text.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// A string as Python's repr() writes it.
std::string quotedName(std::string_view text)
{
    const bool onlySingle = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
    const char quote = onlySingle ? '"' : '\'';
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result(1, quote);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\') {
            result += '\\';
            result += c;
        } else if (c == '\n') {
            result += "\\n";
        } else if (c == '\t') {
            result += "\\t";
        } else if (c == '\r') {
            result += "\\r";
        } else if (byte < 0x20 || byte == 0x7f) {
            result += "\\x";
            result += digits[byte / 16];
            result += digits[byte % 16];
        } else {
            result += c;
        }
    }
    return result + quote;
}

std::string entryText(const SpecEntry& entry)
{
    switch (entry.kind) {
    case SpecEntry::Kind::None:
        return "None";
    case SpecEntry::Kind::Unconstrained:
        return "UNCONSTRAINED";
    case SpecEntry::Kind::Single:
        return quotedName(entry.axes.front());
    case SpecEntry::Kind::Tuple:
        break;
    }
    std::vector<std::string> items;
    for (const std::string& axis : entry.axes)
        items.push_back(quotedName(axis));
    return pythonTuple(items);
}

std::string columnText(const SpecEntry& entry)
{
    switch (entry.kind) {
    case SpecEntry::Kind::None:
        return "-";
    case SpecEntry::Kind::Unconstrained:
        return "?";
    case SpecEntry::Kind::Single:
        return entry.axes.front();
    case SpecEntry::Kind::Tuple:
        break;
    }
    return pythonTuple(entry.axes);
}

std::string nameText(const LogicalName& name)
{
    switch (name.kind) {
    case LogicalName::Kind::None:
        return "None";
    case LogicalName::Kind::Unconstrained:
        return "UNCONSTRAINED";
    case LogicalName::Kind::Name:
        break;
    }
    return quotedName(name.name);
}

/// "data" or "(pod,data)".
std::string axesText(const AxisList& axes, const Mesh& mesh)
{
    const std::string names = join(axes, ",", [&](AxisRef ref) { return toString(mesh, ref); });
    return axes.size() == 1 ? names : "(" + names + ")";
}

} // namespace

std::string toJax(const PartitionSpec& spec, bool shortForm)
{
    std::vector<std::string> items;
    for (const SpecEntry& entry : spec.entries)
        items.push_back(entryText(entry));
    if (!shortForm)
        return "PartitionSpec" + pythonTuple(items);
    return items.size() == 1 ? "P(" + items.front() + ")" : "P" + pythonTuple(items);
}

std::string toColumn(const PartitionSpec& spec)
{
    std::string result = "P(";
    for (std::size_t d = 0; d < spec.size(); ++d)
        result += (d == 0 ? "" : ", ") + columnText(spec.entries[d]);
    return result + ")";
}

std::string toJax(const Mesh& mesh)
{
    std::string result = "Mesh(";
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        result += (axis == 0 ? "" : ", ") + quotedName(mesh.axis(axis).name) + ": " + std::to_string(mesh.size(axis));
    return result + ")";
}

std::string toPython(const LogicalRules& rules)
{
    std::vector<std::string> items;
    for (const LogicalRule& rule : rules.list) {
        const std::string target =
            rule.nested ? pythonTuple(std::vector{ entryText(rule.target) }) : entryText(rule.target);
        if (!rules.isSequence)
            items.push_back(nameText(rule.name) + ": " + target);
        else if (rule.arity == 2)
            items.push_back(pythonTuple(std::vector{ nameText(rule.name), target }));
        else // what stood there is not known, only how much
            items.push_back(pythonTuple(std::vector<std::string>(rule.arity, nameText(rule.name))));
    }
    if (rules.isSequence)
        return pythonTuple(items);
    return "{" + join(items, ", ") + "}";
}

std::string describeArray(std::string_view dtype, std::span<const std::int64_t> shape,
    const std::vector<std::string>& names, const TensorSharding& sharding, const Mesh& mesh)
{
    std::string result(dtype);
    result += '[';
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (d > 0)
            result += ", ";
        if (d < names.size() && !names[d].empty())
            result += names[d] + ' ';
        result += std::to_string(shape[d]);
        if (d < sharding.rank() && !sharding.dims[d].axes.empty())
            result += '@' + axesText(sharding.dims[d].axes, mesh);
    }
    result += ']';
    if (!sharding.unreduced.empty())
        result += "{U:" + axesText(sharding.unreduced, mesh) + '}';
    return result;
}

} // namespace shardscope
