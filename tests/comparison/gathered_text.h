// SPDX-License-Identifier: GPL-3.0-or-later
// Three arrays that are gathered along x, one after the other.
#pragma once

#include <memory>
#include <string>

#include "analysis/analyse.h"
#include "experiment/builtin.h"

namespace shardscope::test {

struct GatheredText {
    int x = 8; ///< devices along x; along y there are 4
    bool isAlsoAlongY = false; ///< the arrays are sharded along y, too, and stay so
    bool withVector = false; ///< a small vector is gathered as well
    int gathered = 3; ///< of the arrays; the others stay as they are
};

inline SnapshotPtr gatheredSnapshot(const GatheredText& of)
{
    const std::string columns = of.isAlsoAlongY ? R"({"y"})" : "{}";
    const auto sharding = [&](bool isGathered, const std::string& rest) {
        return std::string(isGathered ? "[{}" : R"([{"x"})") + (rest.empty() ? "]" : ", " + rest + "]");
    };
    std::string arguments, body = "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n", sum = "%zero";
    const auto add = [&](const std::string& name, const std::string& type, const std::string& dimensions,
                         bool isGathered, const std::string& rest) {
        arguments += (arguments.empty() ? "%" : ", %") + name + ": " + type + " {sdy.sharding = #sdy.sharding<@m, "
            + sharding(false, rest) + ">}";
        body += "  %g" + name + " = sdy.sharding_constraint %" + name + " <@m, " + sharding(isGathered, rest)
            + "> : " + type + "\n  %s" + name + " = stablehlo.reduce(%g" + name
            + " init: %zero) applies stablehlo.add across dimensions = " + dimensions + " : (" + type
            + ", tensor<f32>) -> tensor<f32>\n  %t" + name + " = stablehlo.add " + sum + ", %s" + name
            + " : tensor<f32>\n";
        sum = "%t" + name;
    };
    for (int i = 1; i <= 3; ++i)
        add("w" + std::to_string(i), "tensor<64x64xf32>", "[0, 1]", i <= of.gathered, columns);
    add("v", "tensor<8xf32>", "[0]", of.withVector, {});
    const auto text = std::make_shared<const std::string>("sdy.mesh @m = <[\"x\"=" + std::to_string(of.x)
        + ", \"y\"=4]>\nfunc.func @main(" + arguments + ") -> tensor<f32> {\n" + body + "  return " + sum
        + " : tensor<f32>\n}\n");
    AnalysisCache cache;
    return analyse(
        std::make_shared<const Experiment>(*experimentOf(ProgramModel{ {}, text, {} }, "gathered")), 1, cache);
}

} // namespace shardscope::test
