// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs as those of unusual_texts.h: with composites, and with partial sums that collectives complete.
#pragma once

#include "simulate/unusual_texts.h"

namespace unusual_texts {

/// Composites over functions with operations of any kind, some of them composites again, called several times.
inline std::string composites(std::uint64_t seed)
{
    Random random(seed + 3000);
    const std::vector<Mesh> meshes{ anyMesh(random, "mesh", random.once(2) ? 4 : 8, "xyz") };
    const std::string type = squareType(std::array{ 4, 6, 8 }[random.below(3)]);
    const std::string call = '(' + type + ", " + type + ") -> " + type;
    const auto addCall = [&](Lines& lines, std::size_t function) {
        const std::string a = lines.any(), b = lines.any(), name = "f" + std::to_string(function);
        if (random.once(5))
            lines.add("func.call @" + name + '(' + a + ", " + b + ')', call);
        else
            lines.add("stablehlo.composite \"own." + name + "\" " + a + ", " + b + " {decomposition = @" + name
                    + (random.once(2) ? ", version = 2 : i32" : "") + '}',
                call);
    };
    std::string functions;
    const std::size_t count = 1 + random.below(3);
    for (std::size_t f = 0; f < count; ++f) {
        Lines lines(random, type, random.once(2) ? meshes : std::vector<Mesh>(), "v");
        lines.values = { "%p", "%q" };
        for (std::size_t i = 1 + random.below(3); i > 0; --i)
            lines.anyOperation();
        if (f > 0)
            addCall(lines, random.below(f));
        lines.anyOperation();
        functions += "func.func private @f" + std::to_string(f) + "(%p: " + type + ", %q: " + type + ") -> " + type
            + " {\n" + lines.text + "  return " + lines.values.back() + " : " + type + "\n}\n";
    }
    Lines lines(random, type, meshes, "v");
    lines.values = { "%a", "%b" };
    for (std::size_t i = 1 + random.below(3); i > 0; --i) {
        addCall(lines, random.below(count));
        lines.anyOperation();
    }
    return meshes[0].declared + "func.func @main(%a: " + type + attribute(anySharding(random, meshes, 2)) + ", %b: "
        + type + attribute(anySharding(random, meshes, 2)) + ") -> (" + type + ", " + type + ") {\n" + lines.text
        + "  return " + lines.values.back() + ", " + lines.any() + " : " + type + ", " + type + "\n}\n" + functions;
}

/// An operation whose operands are sharded along what it sums over, and collectives that complete its partial sums;
/// others use its result as well. As Shardy has it, a sum is completed where it is made, by an all-reduce along all of
/// its axes: a reduce-scatter comes of that where all users take one slice along all of these axes, and of nothing
/// else. So one program in three is of that form: a sum that nobody but a reduce-scatter along all axes uses.
inline std::string partialSums(std::uint64_t seed)
{
    Random random(seed + 4000);
    const bool twoAxes = random.once(2);
    const std::string x = twoAxes ? "\"x\", \"y\"" : "\"x\"";
    const auto at = [](const std::string& dims) { return "<@mesh, [" + dims + "]>"; };
    const auto per = [&](const std::string& dims) {
        return "sdy.sharding = #sdy.sharding_per_value<[" + at(dims) + "]>";
    };
    const std::string type = "tensor<8x8xi32>", sharded = '{' + x + '}';
    std::string arguments, made;
    switch (random.below(5)) {
    case 0:
        arguments = "%a: " + type + attribute(at("{}, " + sharded)) + ", %b: " + type + attribute(at(sharded + ", {}"));
        made = "stablehlo.dot %a, %b {" + per("{}, {}") + "} : (" + type + ", " + type + ") -> " + type;
        break;
    case 1:
        arguments = "%a: tensor<8x8x8xi32>" + attribute(at("{}, {}, " + sharded));
        made = "stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [2] {" + per("{}, {}")
            + "} : (tensor<8x8x8xi32>, tensor<i32>) -> " + type;
        break;
    case 2:
        arguments = "%a: tensor<16x8xi32>" + attribute(at(sharded + ", {}")) + ", %i: tensor<8x1xi32>";
        made = "\"stablehlo.gather\"(%a, %rows) {dimension_numbers = #stablehlo.gather<offset_dims = [1], "
               "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, "
               "8>, indices_are_sorted = false, "
            + per("{}, {}") + "} : (tensor<16x8xi32>, tensor<8x1xi32>) -> " + type;
        break;
    case 3:
        arguments = "%a: " + type + ", %i: tensor<8x1xi32>" + attribute(at(sharded + ", {}")) + ", %u: " + type
            + attribute(at(sharded + ", {}"));
        made = "\"stablehlo.scatter\"(%a, %rows, %u) ({\n    ^bb0(%l: tensor<i32>, %r: tensor<i32>):\n      %s = "
               "stablehlo.add %l, %r : tensor<i32>\n      stablehlo.return %s : tensor<i32>\n  }) {indices_are_sorted "
               "= false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims "
               "= [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false, "
            + per("{}, {}") + "} : (" + type + ", tensor<8x1xi32>, " + type + ") -> " + type;
        break;
    default:
        arguments = "%a: tensor<8x8x8xi32>" + attribute(at("{}, {}, " + sharded)) + ", %k: tensor<1x8x8xi32>"
            + attribute(at("{}, " + sharded + ", {}"));
        made = "stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} "
               "{batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
            + per("{}, {}, {}") + "} : (tensor<8x8x8xi32>, tensor<1x8x8xi32>) -> tensor<8x8x8xi32>";
    }
    const bool isThree = made.ends_with("-> tensor<8x8x8xi32>");
    const std::string made0 = isThree ? "tensor<8x8x8xi32>" : type, none = isThree ? "{}, {}, {}" : "{}, {}";
    std::string text = "  %zero = stablehlo.constant dense<0> : tensor<i32>\n";
    if (arguments.find("%i:") != std::string::npos)
        text += "  %most = stablehlo.constant dense<7> : tensor<8x1xi32>\n  %rows = stablehlo.and %i, %most : "
                "tensor<8x1xi32>\n";
    text += "  %v = " + made + '\n';
    std::string value = "%v";
    const bool alone = random.once(3);
    if (!alone && random.once(3)) { // moved before it is complete
        text += "  %t = stablehlo.transpose %v, dims = [" + std::string(isThree ? "1, 0, 2" : "1, 0") + "] {"
            + per(none) + "} : (" + made0 + ") -> " + made0 + '\n';
        value = "%t";
    }
    std::vector<std::string> returned;
    const auto complete = [&](const std::string& name) {
        const std::size_t way = alone ? 1 : random.below(twoAxes ? 4 : 2);
        const std::string rest = isThree ? ", {}, {}" : ", {}";
        const auto line = [&](const std::string& operation, const std::string& to, const std::string& out) {
            text += "  " + to + " = sdy." + operation + " out_sharding=" + at(out) + " : " + made0 + '\n';
        };
        if (way == 0)
            line("all_reduce {" + x + "} " + value, name, none);
        else if (way == 1)
            line("reduce_scatter [" + sharded + rest + "] " + value, name, sharded + rest);
        else if (way == 2) {
            line("all_reduce {\"y\"} " + value, name + 'h', none);
            line("reduce_scatter [{\"x\"}" + rest + "] " + name + 'h', name, "{\"x\"}" + rest);
        } else {
            line("reduce_scatter [{\"x\"}" + rest + "] " + value, name + 'h', "{\"x\"}" + rest);
            line("all_reduce {\"y\"} " + name + 'h', name, "{\"x\"}" + rest);
        }
        returned.push_back(name);
    };
    complete("%c");
    if (!alone && random.once(2))
        complete("%d");
    for (const char* user : { "negate", "abs" }) // they read the complete value
        if (!alone && random.once(2)) {
            text += std::string("  %") + user + " = stablehlo." + user + ' ' + (random.once(2) ? "%v" : value) + " : "
                + made0 + '\n';
            returned.push_back(std::string("%") + user);
        }
    if (!alone && random.once(3))
        returned.emplace_back("%v");
    const std::vector<std::string> types(returned.size(), made0);
    return "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\nfunc.func @main(" + arguments + ") -> (" + joined(types) + ") {\n"
        + text + "  return " + joined(returned) + " : " + joined(types) + "\n}\n";
}

} // namespace unusual_texts
