// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs of what few programs have, as StableHLO text over whole numbers: several meshes over the same
// devices, and manual computations with Shardy's collectives over free axes. All of them are legal, and all of them can
// be executed on devices. unusual_sums.h has more of them.
//
//     const std::string text = unusual_texts::severalMeshes(seed);
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "split_mix.h"

namespace unusual_texts {

using Random = shardscope::test::SplitMix;
using Axes = std::vector<std::string>; ///< of one dimension, as they are written: "x", "x:(1)2"
using Dims = std::vector<Axes>;

struct Axis {
    std::string name;
    int size = 2;
};
struct Mesh {
    std::string name;
    std::vector<Axis> axes;
    std::string declared; ///< its declaration
};

inline std::string joined(const std::vector<std::string>& parts, const std::string& between = ", ")
{
    std::string all;
    for (const std::string& part : parts)
        all += (all.empty() ? "" : between) + part;
    return all;
}
inline std::string quoted(const std::string& axis)
{
    const std::size_t colon = axis.find(':');
    return colon == std::string::npos ? '"' + axis + '"' : '"' + axis.substr(0, colon) + '"' + axis.substr(colon);
}
inline std::string dimsText(const Dims& dims, const std::vector<bool>& open = {})
{
    std::vector<std::string> all;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        std::vector<std::string> axes;
        for (const std::string& axis : dims[d])
            axes.push_back(quoted(axis));
        if (d < open.size() && open[d])
            axes.emplace_back("?");
        all.push_back('{' + joined(axes) + '}');
    }
    return '[' + joined(all) + ']';
}

/// A mesh of so many devices, which are a product of 2 and 3; in another order now and then.
inline Mesh anyMesh(Random& random, const std::string& name, int devices, const std::string& letters)
{
    Mesh mesh{ name, {}, {} };
    std::string axes, ids;
    for (int left = devices; left > 1;) {
        std::vector<int> sizes;
        for (int size = 2; size <= left; ++size)
            if (left % size == 0)
                sizes.push_back(size);
        const int size = random.of(sizes);
        mesh.axes.push_back({ std::string(1, letters[mesh.axes.size()]), size });
        axes += (axes.empty() ? "\"" : ", \"") + mesh.axes.back().name + "\"=" + std::to_string(size);
        left /= size;
    }
    if (random.once(3)) {
        std::vector<std::string> order;
        for (int i = 0; i < devices; ++i)
            order.push_back(std::to_string(i));
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[random.below(i)]);
        if (!std::is_sorted(order.begin(), order.end()))
            ids = ", device_ids=[" + joined(order) + ']';
    }
    mesh.declared = "sdy.mesh @" + name + " = <[" + axes + ']' + ids + ">\n";
    return mesh;
}

/// Some of the axes, full ones and parts, over the dimensions.
inline Dims anyDims(Random& random, const Mesh& mesh, std::size_t rank)
{
    Dims dims(rank);
    std::vector<Axis> left = mesh.axes;
    while (!left.empty()) {
        const std::size_t pick = random.below(left.size());
        const std::size_t place = random.below(rank + 1);
        if (place < rank) {
            const bool inParts = left[pick].size == 4 && random.once(3);
            dims[place].push_back(left[pick].name + (inParts ? random.once(2) ? ":(1)2" : ":(2)2" : ""));
        }
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    return dims;
}
inline std::string anySharding(Random& random, const std::vector<Mesh>& meshes, std::size_t rank)
{
    const Mesh& mesh = meshes[random.below(meshes.size())];
    std::vector<bool> open;
    for (std::size_t d = 0; d < rank; ++d)
        open.push_back(random.once(3));
    return "<@" + mesh.name + ", " + dimsText(anyDims(random, mesh, rank), open) + '>';
}

/// Lines of operations on square arrays; every value is one.
class Lines {
public:
    Lines(Random& random, std::string type, std::vector<Mesh> meshes, std::string prefix)
        : m_random(random)
        , m_type(std::move(type))
        , m_meshes(std::move(meshes))
        , m_prefix(std::move(prefix))
    {
    }
    std::vector<std::string> values;
    std::string text;

    std::string add(const std::string& operation, const std::string& types)
    {
        values.push_back('%' + m_prefix + std::to_string(m_next++));
        text += "  " + values.back() + " = " + operation + " : " + types + '\n';
        return values.back();
    }
    std::string any() { return m_random.of(values); }
    /// Says now and then how the result lies.
    std::string maybeSharded()
    {
        return m_meshes.empty() || !m_random.once(4)
            ? std::string()
            : " {sdy.sharding = #sdy.sharding_per_value<[" + anySharding(m_random, m_meshes, 2) + "]>}";
    }
    void anyOperation()
    {
        const std::string a = any(), b = any(), line = m_type.substr(0, m_type.find('x')) + "xi32>";
        switch (m_random.below(m_meshes.empty() ? 5U : 6U)) {
        case 0:
            add("stablehlo.add " + a + ", " + b + maybeSharded(), m_type);
            break;
        case 1:
            add("stablehlo.multiply " + a + ", " + b + maybeSharded(), m_type);
            break;
        case 2:
            add("stablehlo.dot " + a + ", " + b + maybeSharded(), '(' + m_type + ", " + m_type + ") -> " + m_type);
            break;
        case 3:
            add("stablehlo.transpose " + a + ", dims = [1, 0]" + maybeSharded(), '(' + m_type + ") -> " + m_type);
            break;
        case 4: {
            const std::string n = m_prefix + 'z' + std::to_string(m_next++);
            text += "  %" + n + " = stablehlo.constant dense<0> : tensor<i32>\n  %" + n + "r = stablehlo.reduce(" + a
                + " init: %" + n + ") applies stablehlo.add across dimensions = [1] : (" + m_type + ", tensor<i32>) -> "
                + line + '\n';
            add("stablehlo.broadcast_in_dim %" + n + "r, dims = [0]" + maybeSharded(), '(' + line + ") -> " + m_type);
            break;
        }
        default:
            add("sdy.sharding_constraint " + a + ' ' + anySharding(m_random, m_meshes, 2), m_type);
        }
    }

private:
    Random& m_random;
    std::string m_type;
    std::vector<Mesh> m_meshes;
    std::string m_prefix;
    int m_next = 0;
};

inline std::string attribute(const std::string& sharding)
{
    return " {sdy.sharding = #sdy.sharding" + sharding + '}';
}
inline std::string squareType(int size)
{
    return "tensor<" + std::to_string(size) + 'x' + std::to_string(size) + "xi32>";
}

/// Two or three meshes over the same devices: axes of the same names and others, other sizes, other orders of devices.
inline std::string severalMeshes(std::uint64_t seed)
{
    Random random(seed + 1000);
    const int devices = random.once(3) ? 6 : random.once(2) ? 4 : 8;
    std::vector<Mesh> meshes;
    for (std::size_t i = 0, count = 2 + random.below(2); i < count; ++i)
        meshes.push_back(anyMesh(
            random, "m" + std::to_string(i), devices, std::array{ "xyz", "xzy", "yxz", "pqr" }[random.below(4)]));
    const std::string type = squareType(std::array{ 4, 6, 8, 12 }[random.below(4)]);
    std::string text;
    for (const Mesh& mesh : meshes)
        text += mesh.declared;
    Lines lines(random, type, meshes, "v");
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < 3; ++i) {
        lines.values.push_back("%a" + std::to_string(i));
        arguments.push_back(lines.values.back() + ": " + type + attribute(anySharding(random, meshes, 2)));
    }
    for (std::size_t i = 3 + random.below(5); i > 0; --i)
        lines.anyOperation();
    const std::string first = lines.values.back(), second = lines.any();
    return text + "func.func @main(" + joined(arguments) + ") -> (" + type
        + (random.once(2) ? attribute(anySharding(random, meshes, 2)) : std::string()) + ", " + type + ") {\n"
        + lines.text + "  return " + first + ", " + second + " : " + type + ", " + type + "\n}\n";
}

/// A manual computation over some axes, in which Shardy's collectives move a value along the others.
inline std::string manualCollectives(std::uint64_t seed)
{
    Random random(seed + 2000);
    std::vector<std::string> axes{ "x", "y", "z" }, manual, freeAxes;
    for (const std::string& axis : axes)
        (random.once(3) ? manual : freeAxes).push_back(axis);
    if (freeAxes.empty())
        std::swap(manual, freeAxes);
    Dims manualDims(2), dims(2);
    for (const std::string& axis : manual)
        if (!random.once(4))
            manualDims[random.below(2)].push_back(axis);
    std::vector<std::string> unused;
    for (const std::string& axis : freeAxes)
        if (const std::size_t place = random.below(3); place < 2)
            dims[place].push_back(axis);
        else
            unused.push_back(axis);
    const std::string full = squareType(16);
    std::string local = "tensor<";
    for (std::size_t d = 0; d < 2; ++d)
        local += std::to_string(16 >> manualDims[d].size()) + 'x';
    local += "i32>";
    const auto both = [&] {
        Dims all = manualDims;
        for (std::size_t d = 0; d < 2; ++d)
            all[d].insert(all[d].end(), dims[d].begin(), dims[d].end());
        return "<@mesh, " + dimsText(all) + '>';
    };
    const auto sharding = [&] { return "<@mesh, " + dimsText(dims) + '>'; };
    const std::string in = both();
    std::string value = "%b", body;
    int next = 0;
    std::vector<std::string> returned, returnedShardings;
    const auto add = [&](const std::string& operation, const std::string& after) {
        const std::string made = "%c" + std::to_string(next++);
        body += "    " + made + " = " + operation + after + " : " + local + '\n';
        value = made;
    };
    for (std::size_t steps = 2 + random.below(5); steps > 0; --steps) {
        const std::size_t d = random.below(2);
        Dims lists(2);
        switch (random.below(5)) {
        case 0:
            if (unused.empty())
                break;
            lists[d] = { unused.back() };
            dims[d].push_back(unused.back());
            unused.pop_back();
            add("sdy.all_slice " + dimsText(lists) + ' ' + value, " out_sharding=" + sharding());
            break;
        case 1:
            if (dims[d].empty())
                break;
            lists[d] = { dims[d].back() };
            unused.push_back(dims[d].back());
            dims[d].pop_back();
            add("sdy.all_gather " + dimsText(lists) + ' ' + value, " out_sharding=" + sharding());
            break;
        case 2: {
            if (dims[d].empty())
                break;
            const std::string axis = dims[d].back();
            dims[d].pop_back();
            dims[1 - d].push_back(axis);
            add("sdy.all_to_all [{\"" + axis + "\"}: " + std::to_string(d) + "->" + std::to_string(1 - d) + "] "
                    + value,
                " out_sharding=" + sharding());
            break;
        }
        case 3: {
            std::vector<std::string> all = freeAxes; // dealt out anew: all of them have the same size
            for (std::size_t i = all.size(); i > 1; --i)
                std::swap(all[i - 1], all[random.below(i)]);
            std::size_t at = 0;
            const Dims before = dims;
            for (Axes& list : dims)
                for (std::string& axis : list)
                    axis = all[at++];
            unused.assign(all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
            if (dims != before)
                add("sdy.collective_permute " + value, " out_sharding=" + sharding());
            break;
        }
        default:
            add("stablehlo.add " + value + ", " + value,
                " {sdy.sharding = #sdy.sharding_per_value<[" + sharding() + "]>}");
        }
        if (random.once(3) && value != "%b") {
            returned.push_back(value);
            returnedShardings.push_back(both());
        }
    }
    if (value == "%b")
        add("stablehlo.negate %b", " {sdy.sharding = #sdy.sharding_per_value<[" + sharding() + "]>}");
    returned.push_back(value);
    returnedShardings.push_back(both());
    std::vector<std::string> names, locals(returned.size(), local), fulls(returned.size(), full);
    for (const std::string& axis : manual)
        names.push_back('"' + axis + '"');
    std::vector<std::string> results;
    for (std::size_t i = 0; i < returned.size(); ++i)
        results.push_back(returned.size() == 1 ? "%r" : "%r#" + std::to_string(i));
    return "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2, \"z\"=2]>\nfunc.func @main(%a: " + full + ") -> (" + joined(fulls)
        + ") {\n  %r" + (returned.size() == 1 ? std::string() : ':' + std::to_string(returned.size()))
        + " = sdy.manual_computation(%a) in_shardings=[" + in + "] out_shardings=[" + joined(returnedShardings)
        + "] manual_axes={" + joined(names) + "} (%b: " + local + ") {\n" + body + "    sdy.return " + joined(returned)
        + " : " + joined(locals) + "\n  } : (" + full + ") -> " + (fulls.size() == 1 ? full : '(' + joined(fulls) + ')')
        + "\n  return " + joined(results) + " : " + joined(fulls) + "\n}\n";
}

} // namespace unusual_texts
