// SPDX-License-Identifier: GPL-3.0-or-later
// HLO text of any length, for the tests of its readers and for the benchmark of them.
#pragma once

#include <string>

namespace shardscope::test {

inline const std::string hloAdder =
    "%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
    "  ROOT %s = f32[] add(%a, %b)\n}\n\n";

/// What XLA leaves of layers, each instruction with the place that it comes from; some 900 bytes for a layer.
inline std::string layersText(int layers)
{
    std::string text = "HloModule jit_step, is_scheduled=true, num_partitions=8\n\n" + hloAdder
        + "ENTRY %main (p: f32[4,4096,128]) -> f32[] {\n  %p = f32[4,4096,128]{2,1,0} parameter(0)\n"
          "  %zero = f32[] constant(0)\n";
    const auto add = [&](const std::string& name, const std::string& rest) {
        text += "  " + name + " = " + rest + ", metadata={op_name=\"jit(step)/jvp(Model)/layers/" + name.substr(1, 3)
            + "\" source_file=\"/home/user/model.py\" source_line=12}\n";
    };
    for (int layer = 0; layer < layers; ++layer) {
        const std::string n = '.' + std::to_string(layer);
        add("%multiply" + n, "f32[4,4096,128]{2,1,0} multiply(%p, %p)");
        add("%convert" + n, "bf16[4,4096,128]{2,1,0} convert(%multiply" + n + ')');
        add("%back" + n, "f32[4,4096,128]{2,1,0} convert(%convert" + n + ')');
        add("%sum" + n, "f32[] reduce(%back" + n + ", %zero), dimensions={0,1,2}, to_apply=%add");
        add((layer + 1 == layers ? "ROOT %total" : "%total") + n,
            "f32[] all-reduce(%sum" + n
                + "), channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true, to_apply=%add");
    }
    return text + "}\n";
}

} // namespace shardscope::test
