// SPDX-License-Identifier: GPL-3.0-or-later
#include "benchmarks/stablehlo_texts.h"

#include <cstdint>

namespace shardscope::bench {

std::string transformerText(std::size_t size, bool located)
{
    std::string text = "module @jit_step attributes {mhlo.num_partitions = 8 : i32} {\n"
                       "  sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>\n  func.func public @main("
                       "%arg0: tensor<8x2048x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}, {}]>}, "
                       "%arg1: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"model\"}]>}, "
                       "%arg2: tensor<4096xbf16>) -> tensor<8x2048x4096xbf16> {\n"
                       "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>\n";
    text.reserve(size + size / 16);
    std::string locations;
    std::size_t next = 0;
    std::string previous = "%arg0";
    const auto add = [&](const std::string& statement) {
        const std::string name = "%" + std::to_string(next);
        text += "    " + name + " = stablehlo." + statement;
        if (located) {
            text += " loc(#loc" + std::to_string(next + 2) + ")";
            locations += "#loc" + std::to_string(next + 2) + " = loc(\"jit(step)/jit(main)/transformer/layer_"
                + std::to_string(next / 14) + "/" + statement.substr(0, statement.find(' ')) + "\"(#loc1))\n";
        }
        text += '\n';
        ++next;
        return name;
    };
    const std::string x = "tensor<8x2048x4096xbf16>", heads = "tensor<8x2048x32x128xbf16>",
                      scores = "tensor<8x32x2048x2048xbf16>", reduced = "tensor<8x32x2048xbf16>";
    while (text.size() + locations.size() < size) {
        const auto project = [&](const std::string& input) {
            return add("dot_general " + input
                + ", %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (" + x
                + ", tensor<4096x4096xbf16>) -> " + x);
        };
        const std::string q = add("reshape " + project(previous) + " : (" + x + ") -> " + heads);
        const std::string k = add("reshape " + project(previous) + " : (" + x + ") -> " + heads);
        const std::string s =
            add("dot_general " + q + ", " + k + ", batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : ("
                + heads + ", " + heads + ") -> " + scores);
        const std::string highest =
            add("reduce(" + s + " init: %cst) applies stablehlo.maximum across dimensions = [3] : (" + scores
                + ", tensor<bf16>) -> " + reduced);
        const std::string spread =
            add("broadcast_in_dim " + highest + ", dims = [0, 1, 2] : (" + reduced + ") -> " + scores);
        const std::string e =
            add("exponential " + add("subtract " + s + ", " + spread + " : " + scores) + " : " + scores);
        const std::string back =
            add("dot_general " + e + ", " + q + ", batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : ("
                + scores + ", " + heads + ") -> " + heads);
        const std::string joined = add("reshape " + back + " : (" + heads + ") -> " + x);
        const std::string scale = add("broadcast_in_dim %arg2, dims = [2] : (tensor<4096xbf16>) -> " + x);
        previous = add("multiply " + add("add " + joined + ", " + previous + " : " + x) + ", " + scale + " : " + x);
    }
    return text + "    return " + previous + " : " + x + "\n  }\n}\n#loc1 = loc(\"model.py\":10:4)\n" + locations;
}

std::string constantsText(std::size_t size)
{
    std::string text = "func.func @main() {\n";
    text.reserve(size + size / 16);
    std::uint32_t state = 1;
    for (std::size_t i = 0; text.size() < size; ++i) {
        text += "  %" + std::to_string(i) + " = stablehlo.constant dense<";
        if (i % 2 == 0) {
            text += "\"0x";
            for (int k = 0; k < 32'768; ++k) {
                state = state * 1664525U + 1013904223U;
                text += "0123456789ABCDEF"[state >> 28];
            }
            text += "\"> : tensor<4096xf32>\n";
        } else {
            text += '[';
            for (int k = 0; k < 2048; ++k) {
                state = state * 1664525U + 1013904223U;
                text += (k == 0 ? "" : ", ") + std::to_string(static_cast<double>(state) / 4e9);
            }
            text += "]> : tensor<2048xf32>\n";
        }
    }
    return text + "  return\n}\n";
}

} // namespace shardscope::bench
