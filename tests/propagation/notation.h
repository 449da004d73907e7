// SPDX-License-Identifier: GPL-3.0-or-later
// A small notation for shardings and programs in tests.
//
//     [{a,b:(1)2,?},{}p1] replicated={c} unreduced={d}    `?` = open, b:(1)2 = a part of b, p1 = user priority 1
//
//     case a_name
//     mesh a=2 b=4
//     a0 8x16 [{a,?},{?}]                                 an argument, perhaps with a sharding
//     v0 = dot a0 a1 contract 1 x 0 batch 0 x 0           an operation, perhaps with ": sharding"
//     v1 = constrain v0 : [{a},{}]
//     v2 = broadcast v1 to 8x16x4 dims 0,1                likewise: reshape v1 to ..., transpose v1 dims 1,0, reduce
//     return v2 : [{a,?},{?},{?}]                         one line per result
//     expect v0 [{a,?},{?}]                               or result0 for the declared sharding
//     step 2 v0 a a0 -> v0                                visit, operation (or "return"), axis, from, to
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "program/builder.h"
#include "propagation/annotated_input.h"

namespace notation {

using namespace shardscope;

[[noreturn]] inline void giveUp(const std::string& text)
{
    std::fprintf(stderr, "notation: cannot read '%s'\n", text.c_str());
    std::abort();
}

inline std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(part);
    return parts;
}

inline AxisRef parseAxis(const Mesh& mesh, const std::string& text)
{
    const std::size_t colon = text.find(':');
    const auto axis = mesh.axisIndex(text.substr(0, colon));
    if (!axis)
        giveUp(text);
    AxisRef ref = fullAxis(mesh, *axis);
    if (colon != std::string::npos && std::sscanf(text.c_str() + colon, ":(%d)%d", &ref.pre, &ref.size) != 2)
        giveUp(text);
    return ref;
}

inline AxisList parseAxes(const Mesh& mesh, const std::string& text)
{
    AxisList axes;
    for (const std::string& item : split(text, ','))
        axes.push_back(parseAxis(mesh, item));
    return axes;
}

inline TensorSharding parseSharding(const Mesh& mesh, const std::string& text)
{
    TensorSharding sharding;
    std::string target = "dims";
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 11, "replicated=") == 0)
            target = "replicated";
        else if (text.compare(i, 10, "unreduced=") == 0)
            target = "unreduced";
        if (text[i] != '{')
            continue;
        const std::size_t end = text.find('}', i);
        std::string items = text.substr(i + 1, end - i - 1);
        if (target == "dims") {
            DimensionSharding& dim = sharding.dims.emplace_back();
            dim.open = !items.empty() && items.back() == '?';
            if (dim.open)
                items.erase(items.size() - std::min<std::size_t>(items.size(), 2));
            dim.axes = parseAxes(mesh, items);
            if (end + 1 < text.size() && text[end + 1] == 'p')
                dim.priority = std::stoi(text.substr(end + 2));
        } else {
            (target == "replicated" ? sharding.replicated : sharding.unreduced) = parseAxes(mesh, items);
        }
        i = end;
    }
    return sharding;
}

inline std::string print(const Mesh& mesh, const AxisList& axes)
{
    std::string text;
    for (const AxisRef& axis : axes)
        text += (text.empty() ? "" : ",") + toString(mesh, axis);
    return text;
}

inline std::string print(const Mesh& mesh, const TensorSharding& sharding)
{
    std::string text = "[";
    for (const DimensionSharding& dim : sharding.dims) {
        const std::string axes = print(mesh, dim.axes);
        text += (text.size() > 1 ? ",{" : "{") + axes + (dim.open ? (axes.empty() ? "?" : ",?") : "") + "}";
    }
    text += "]";
    if (!sharding.replicated.empty())
        text += " replicated={" + print(mesh, sharding.replicated) + "}";
    if (!sharding.unreduced.empty())
        text += " unreduced={" + print(mesh, sharding.unreduced) + "}";
    return text;
}

inline Mesh parseMesh(const std::string& text)
{
    std::vector<MeshAxis> axes;
    for (const std::string& item : split(text, ' ')) {
        const std::size_t equals = item.find('=');
        axes.push_back({ item.substr(0, equals), std::stoll(item.substr(equals + 1)) });
    }
    return Mesh::create(axes).value();
}

inline Shape parseShape(const std::string& text)
{
    Shape shape;
    if (text != "scalar") {
        for (const std::string& size : split(text, 'x'))
            shape.push_back(std::stoll(size));
    }
    return shape;
}

inline Dimensions parseDimensions(const std::string& text)
{
    Dimensions dimensions;
    for (const std::string& d : split(text, ','))
        dimensions.push_back(std::stoll(d));
    return dimensions;
}

struct Case {
    struct Step {
        std::uint32_t number = 0;
        std::string operation, axis, from, to;
    };
    std::string name;
    AnnotatedInput input;
    std::map<std::string, ValueId> values;
    std::vector<std::pair<std::string, TensorSharding>> expected; ///< of a value or "result0"
    std::vector<Step> steps;
};

inline Case parseCase(const std::string& text)
{
    static const std::map<std::string, OpKind> unary{ { "sine", OpKind::Sine }, { "tanh", OpKind::Tanh },
        { "negate", OpKind::Negate }, { "abs", OpKind::Abs } };
    static const std::map<std::string, OpKind> binary{ { "add", OpKind::Add }, { "subtract", OpKind::Subtract },
        { "multiply", OpKind::Multiply }, { "divide", OpKind::Divide } };

    Case result;
    Mesh mesh;
    Builder builder("main");
    std::vector<std::pair<ValueId, TensorSharding>> specified;
    const auto value = [&](const std::string& name) {
        if (!result.values.count(name))
            giveUp(name);
        return result.values[name];
    };
    for (const std::string& line : split(text, '\n')) {
        const std::size_t bracket = line.find('[');
        const std::string shardingText = bracket == std::string::npos ? "" : line.substr(bracket);
        std::vector<std::string> words;
        for (const std::string& word : split(line.substr(0, bracket), ' ')) {
            if (!word.empty() && word != ":" && word != "=" && word != "x" && word != "->")
                words.push_back(word);
        }
        const auto after = [&](const std::string& keyword) {
            const auto found = std::find(words.begin(), words.end(), keyword);
            return static_cast<std::size_t>(found - words.begin()) + 1;
        };
        if (words.empty())
            continue;
        const std::string& head = words[0];
        if (head == "case") {
            result.name = words[1];
        } else if (head == "mesh") {
            mesh = parseMesh(line.substr(5));
        } else if (head == "expect") {
            result.expected.emplace_back(words[1], parseSharding(mesh, shardingText));
        } else if (head == "step") {
            result.steps.push_back(
                { static_cast<std::uint32_t>(std::stoul(words[1])), words[2], words[3], words[4], words[5] });
        } else if (head == "return") {
            builder.result(value(words[1]));
            auto& slot = result.input.results.emplace_back();
            if (!shardingText.empty())
                slot = parseSharding(mesh, shardingText);
        } else if (head[0] == 'a') {
            const std::string shape = words[1];
            result.values[head] = builder.argument({ DType::F32, parseShape(shape) }, head, Role::Input);
            auto& slot = result.input.arguments.emplace_back();
            if (!shardingText.empty())
                slot = parseSharding(mesh, shardingText);
        } else {
            const std::string& op = words[1];
            const ValueId first = value(words[2]);
            ValueId made;
            if (unary.count(op)) {
                made = builder.unary(unary.at(op), first);
            } else if (binary.count(op)) {
                made = builder.binary(binary.at(op), first, value(words[3]));
            } else if (op == "dot") {
                DotGeneralAttributes attributes;
                attributes.lhsContracting = parseDimensions(words[after("contract")]);
                attributes.rhsContracting = parseDimensions(words[after("contract") + 1]);
                if (after("batch") < words.size()) {
                    attributes.lhsBatch = parseDimensions(words[after("batch")]);
                    attributes.rhsBatch = parseDimensions(words[after("batch") + 1]);
                }
                made = builder.dotGeneral(first, value(words[3]), attributes);
            } else if (op == "transpose") {
                made = builder.transpose(first, parseDimensions(words[after("dims")]));
            } else if (op == "reduce") {
                made = builder.reduce(ReduceKind::Sum, first, parseDimensions(words[after("dims")]));
            } else if (op == "reshape") {
                made = builder.reshape(first, parseShape(words[after("to")]));
            } else if (op == "broadcast") {
                made = builder.broadcast(first, parseShape(words[after("to")]), parseDimensions(words[after("dims")]));
            } else if (op == "select") {
                made =
                    builder.select(builder.compare(Comparison::Less, first, value(words[3])), first, value(words[3]));
            } else if (op == "constrain") {
                made = builder.constrain(first, {});
            } else {
                giveUp(line);
            }
            result.values[head] = made;
            if (!shardingText.empty())
                specified.emplace_back(made, parseSharding(mesh, shardingText));
        }
    }
    result.input.mesh = std::make_shared<const Mesh>(mesh);
    result.input.program = std::make_shared<const Program>(std::move(builder).finish());
    result.input.constraints.resize(result.input.program->operations.size());
    for (const auto& [made, sharding] : specified)
        result.input.constraints[result.input.program->value(made).definition.index] = sharding;
    return result;
}

/// The blocks of a file, separated by empty lines, that begin with "case".
inline std::vector<std::string> readBlocks(const std::string& path)
{
    std::vector<std::string> blocks(1);
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.empty())
            blocks.emplace_back();
        else
            blocks.back() += line + "\n";
    }
    std::erase_if(blocks, [](const std::string& block) { return block.compare(0, 5, "case ") != 0; });
    return blocks;
}

} // namespace notation
