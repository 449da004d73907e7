// SPDX-License-Identifier: GPL-3.0-or-later
// Random whole programs as StableHLO text. Names and axes of size 1 are put in last, so that one program can be had
// under other names, or on a mesh with more axes that mean nothing.
//
//     const program_texts::Draft draft = program_texts::draft(seed);
//     const std::string plain = program_texts::write(draft, {});
//     const std::string other = program_texts::write(draft, { .scheme = 1 });
#pragma once

#include "propagation/program_bodies.h"

namespace program_texts {

struct Naming {
    int scheme = 0; ///< 0: plain names; others: names in another order, some of which passes would choose themselves
    bool unused = false; ///< the mesh has axes of size 1
    bool sprinkled = false; ///< which shardings mention
};

/// The name of a thing of that kind under a scheme.
inline std::string nameOf(char kind, std::size_t number, int scheme)
{
    const std::string n = std::to_string(number);
    const std::string back = std::to_string(9999 - number); // the other way round in any order of names
    switch (kind) {
    case 'v':
        return scheme == 0 ? "v" + n : scheme == 1 ? back : "arg" + back;
    case 'f': {
        const std::vector<std::string> taken{ "f_0", "f", "f_1", "main_0" }; // what copies of "f" would be called
        return scheme == 0 ? "f" + n : scheme == 1 ? taken[number % 4] : "z" + back;
    }
    case 'a':
        return scheme == 0 ? "a" + n : scheme == 1 ? "z" + back : "ax\\22" + back;
    case 'm':
        return scheme == 0 ? "mesh" : scheme == 1 ? "mesh_0" : "empty_mesh";
    case 'n':
        return scheme == 0 ? "inner" : scheme == 1 ? "f" : "main";
    default:
        return scheme == 0 ? "foreign" : "zz_" + std::to_string(scheme);
    }
}

/// The text of a draft.
[[nodiscard]] inline std::string write(const Draft& draft, const Naming& naming)
{
    Random random(draft.seed + 99);
    // Axes of size 1 stand before, between and behind the others.
    std::vector<std::string> ones;
    std::string mesh;
    int devices = 1;
    const auto addAxis = [&](const std::string& name, int size) {
        mesh += (mesh.empty() ? "\"" : ", \"") + name + "\"=" + std::to_string(size);
    };
    const auto addOnes = [&] {
        for (std::size_t i = naming.unused ? random.below(2) : 0; i > 0; --i) {
            ones.push_back("one" + std::to_string(ones.size()));
            addAxis(ones.back(), 1);
        }
    };
    for (std::size_t a = 0; a < draft.axes.size(); ++a) {
        addOnes();
        addAxis(nameOf('a', a, naming.scheme), draft.axes[a]);
        devices *= draft.axes[a];
    }
    addOnes();
    std::string ids;
    for (int i = devices; draft.reversedDevices && i > 0; --i)
        ids += (ids.empty() ? ", device_ids=[" : ", ") + std::to_string(i - 1);
    std::string text = "module {\n  sdy.mesh @" + nameOf('m', 0, naming.scheme) + " = <[" + mesh + ']' + ids
        + (ids.empty() ? ">\n" : "]>\n");

    const auto partText = [&](const Part& part) {
        return '"' + nameOf('a', static_cast<std::size_t>(part.axis), naming.scheme) + '"'
            + (part.pre == 0 ? "" : ":(" + std::to_string(part.pre) + ')' + std::to_string(part.size));
    };
    const auto shardingText = [&](const Sharding& sharding) {
        std::vector<std::string> left = naming.sprinkled ? ones : std::vector<std::string>();
        const auto sprinkle = [&](std::vector<std::string>& axes) {
            while (!left.empty() && random.once(4)) {
                const std::size_t place = sharding.isBorder ? axes.size() : random.below(axes.size() + 1);
                axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(place), '"' + left.back() + '"');
                left.pop_back();
            }
        };
        const auto joined = [](const std::vector<std::string>& axes) {
            std::string all;
            for (const std::string& axis : axes)
                all += (all.empty() ? "" : ", ") + axis;
            return all;
        };
        std::string made = "<@" + nameOf('m', 0, naming.scheme) + ", [";
        for (std::size_t d = 0; d < sharding.dims.size(); ++d) {
            const Dimension& dim = sharding.dims[d];
            std::vector<std::string> axes;
            for (const Part& part : dim.axes)
                axes.push_back(partText(part));
            sprinkle(axes);
            if (dim.open)
                axes.emplace_back("?");
            made += (d == 0 ? "{" : ", {") + joined(axes) + '}';
            if (dim.priority >= 0)
                made += 'p' + std::to_string(dim.priority);
        }
        made += ']';
        std::vector<std::string> replicated;
        for (const Part& part : sharding.replicated)
            replicated.push_back(partText(part));
        return made + (replicated.empty() ? ">" : ", replicated={" + joined(replicated) + "}>");
    };

    const std::string& body = draft.body;
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t mark = std::min(body.find('$', at), body.size());
        text.append(body, at, mark - at);
        if (mark == body.size())
            break;
        const std::size_t end = body.find('$', mark + 1);
        const char kind = body[mark + 1];
        const std::size_t number = end > mark + 2 ? std::stoul(body.substr(mark + 2, end - mark - 2)) : 0;
        text += kind == 's' ? shardingText(draft.shardings[number]) : nameOf(kind, number, naming.scheme);
        at = end + 1;
    }
    return text + "}\n";
}

} // namespace program_texts
