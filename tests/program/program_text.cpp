// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/program_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "program/op_row.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

template <class List, class ToText>
std::string join(const List& list, ToText toText)
{
    std::string text;
    for (const auto& item : list) {
        if (!text.empty())
            text += ", ";
        text += toText(item);
    }
    return text;
}

std::string list(const Dimensions& dimensions)
{
    return '[' + join(dimensions, [](std::int64_t d) { return std::to_string(d); }) + ']';
}

/// The shortest text that reads back as the same number.
std::string number(double value)
{
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return { buffer.data(), end };
}

std::string quoted(const std::string& text)
{
    return '"' + text + '"';
}

std::string toText(const LogicalName& logical)
{
    switch (logical.kind) {
    case LogicalName::Kind::None:
        return "None";
    case LogicalName::Kind::Name:
        return logical.name;
    case LogicalName::Kind::Unconstrained:
        return "UNCONSTRAINED";
    }
    return {};
}

/// "P('data', None)" or "(batch, embed)"; empty for nothing.
std::string toText(const Annotation& annotation)
{
    if (const auto* device = std::get_if<DeviceAxes>(&annotation))
        return toJax(device->spec);
    if (const auto* logical = std::get_if<LogicalAxes>(&annotation))
        return '(' + join(logical->names, [](const LogicalName& n) { return toText(n); }) + ')';
    return {};
}

constexpr std::array reduceNames{ "add", "maximum", "minimum", "multiply", "and", "or" };
constexpr std::array comparisonNames{ "EQ", "NE", "LT", "LE", "GT", "GE" };
constexpr std::array roleNames{ "parameter", "gradient", "mu", "nu", "master", "count", "step", "input", "activation",
    "loss", "constant", "temporary" };

/// What stands after the operands: ", contracting_dims = [1] x [0]".
struct AttributeText {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(const ConstantAttributes& a) const
    {
        constexpr std::size_t shown = 16;
        if (a.values.size() == 1)
            return " dense<" + number(a.values.front()) + '>';
        std::string text = " dense<[";
        for (std::size_t i = 0; i < std::min(shown, a.values.size()); ++i)
            text += (i == 0 ? "" : ", ") + number(a.values[i]);
        return text + (a.values.size() > shown ? ", ...]>" : "]>");
    }
    std::string operator()(const DotGeneralAttributes& a) const
    {
        std::string text;
        if (!a.lhsBatch.empty())
            text = ", batching_dims = " + list(a.lhsBatch) + " x " + list(a.rhsBatch);
        return text + ", contracting_dims = " + list(a.lhsContracting) + " x " + list(a.rhsContracting);
    }
    std::string operator()(const BroadcastAttributes& a) const { return ", dims = " + list(a.dimensions); }
    std::string operator()(const TransposeAttributes& a) const { return ", dims = " + list(a.permutation); }
    std::string operator()(const ReduceAttributes& a) const
    {
        return std::string(" applies stablehlo.") + reduceNames[static_cast<std::size_t>(a.kind)]
            + " across dimensions = " + list(a.dimensions);
    }
    std::string operator()(const CompareAttributes& a) const
    {
        return std::string(", ") + comparisonNames[static_cast<std::size_t>(a.direction)];
    }
    std::string operator()(const IotaAttributes& a) const { return " dim = " + std::to_string(a.dimension); }
    std::string operator()(const ConstraintAttributes& a) const { return " <" + toText(a.annotation) + '>'; }
    std::string operator()(const SharedAttributes&) const { return " {...}"; } // see the StableHLO printer
};

class Printer {
public:
    explicit Printer(const Program& program)
        : m_program(program)
    {
    }

    std::string print()
    {
        const Region& main = m_program.main();
        m_text = "module @" + m_program.name + " {\n  func.func public @main(";
        for (std::size_t i = 0; i < main.arguments.size(); ++i)
            m_text += (i == 0 ? "\n      " : ",\n      ") + argument(main.arguments[i], i);
        m_text += ")\n      -> (";
        for (std::size_t i = 0; i < main.results.size(); ++i)
            m_text += (i == 0 ? "" : ",\n          ") + result(i);
        m_text += ") {\n";
        std::uint32_t scope = 0;
        for (const OperationId id : main.operations) {
            const Operation& operation = m_program.operation(id);
            if (operation.scope != scope)
                m_text += "    // " + m_program.scopes[operation.scope] + '\n';
            scope = operation.scope;
            m_text += "    " + line(operation) + '\n';
        }
        m_text += "    return " + join(main.results, [this](ValueId v) { return name(v); }) + " : "
            + join(main.results, [this](ValueId v) { return type(v); }) + "\n  }\n}\n";
        return std::move(m_text);
    }

private:
    [[nodiscard]] std::string name(ValueId id) const
    {
        const Value& value = m_program.value(id);
        return value.definition.valid() ? '%' + std::to_string(value.definition.index)
                                        : "%arg" + std::to_string(value.index);
    }
    [[nodiscard]] std::string type(ValueId id) const { return toString(m_program.value(id).type); }

    [[nodiscard]] std::string argument(ValueId id, std::size_t index) const
    {
        const Value& value = m_program.value(id);
        std::string text = name(id) + ": " + type(id) + " {path = " + quoted(value.path)
            + ", role = " + roleNames[static_cast<std::size_t>(value.role)];
        if (!value.dimNames.empty())
            text += ", dims = [" + join(value.dimNames, [](const std::string& n) { return n; }) + ']';
        if (const std::string annotation = toText(m_program.argumentAnnotations[index]); !annotation.empty())
            text += ", sharding = " + annotation;
        return text + '}';
    }

    [[nodiscard]] std::string result(std::size_t index) const
    {
        std::string text = type(m_program.main().results[index]);
        std::string attributes = toText(m_program.resultAnnotations[index]);
        if (!attributes.empty())
            attributes = "sharding = " + attributes;
        for (const StatePair& pair : m_program.state)
            if (pair.result == index)
                attributes += (attributes.empty() ? "replaces = " : ", replaces = ") + name(pair.argument);
        return attributes.empty() ? text : text + " {" + attributes + '}';
    }

    [[nodiscard]] std::string line(const Operation& operation) const
    {
        const ValueId id = operation.results[0];
        std::string text = name(id) + " = " + (operation.kind == OpKind::ShardingConstraint ? "sdy." : "stablehlo.")
            + std::string(shardscope::name(operation.kind));
        if (!operation.operands.empty())
            text += ' ' + join(operation.operands, [this](ValueId v) { return name(v); });
        text += std::visit(AttributeText{}, operation.attributes) + " : ";
        if (!operation.operands.empty())
            text += '(' + join(operation.operands, [this](ValueId v) { return type(v); }) + ") -> ";
        text += type(id);
        if (const std::string& path = m_program.value(id).path; !path.empty())
            text += "  // " + path;
        return text;
    }

    const Program& m_program;
    std::string m_text;
};

} // namespace

std::string print(const Program& program)
{
    return Printer(program).print();
}

} // namespace shardscope
