// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Translator, which is declared in translator.h: windows, "{size=3x3 stride=2x2 pad=0_1x0_1}".
#include <string>

#include "base/text.h"
#include "hlo/attributes.h"
#include "hlo/mlir_text.h"
#include "hlo/translator.h"

namespace shardscope::hlo {

namespace {

/// The value of a key of "{size=3x3 stride=2x2}"; empty without.
std::string_view windowPart(std::string_view window, std::string_view key)
{
    const std::string wanted = std::string(key) + '=';
    std::size_t found = window.find(wanted);
    while (found != std::string_view::npos && found > 0 && window[found - 1] != '{' && window[found - 1] != ' ')
        found = window.find(wanted, found + 1);
    if (found == std::string_view::npos)
        return {};
    window.remove_prefix(found + wanted.size());
    return window.substr(0, window.find_first_of(" }"));
}

std::vector<std::int64_t> windowNumbers(std::string_view window, std::string_view key)
{
    std::vector<std::int64_t> values;
    for (const std::vector<std::int64_t>& row : numberRows(windowPart(window, key)))
        values.push_back(row.empty() ? 0 : row.front());
    return values;
}

std::string pairsText(const std::vector<std::vector<std::int64_t>>& rows)
{
    return "dense<["
        + join(rows, ", ",
            [](const std::vector<std::int64_t>& row) {
                return '[' + std::to_string(row.empty() ? 0 : row[0]) + ", "
                    + std::to_string(row.size() < 2 ? 0 : row[1]) + ']';
            })
        + "]> : tensor<" + std::to_string(rows.size()) + "x2xi64>";
}

/// "b01f_01io->b01f" as "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"; empty where it is none.
std::string dimensionLabels(std::string_view labels)
{
    const std::size_t first = labels.find('_'), second = labels.find("->");
    if (first == std::string_view::npos || second == std::string_view::npos || second < first)
        return {};
    const auto list = [](std::string_view part) {
        std::string out;
        for (const char c : part)
            out += (out.empty() ? "" : ", ") + std::string(1, c);
        return '[' + out + ']';
    };
    return list(labels.substr(0, first)) + 'x' + list(labels.substr(first + 1, second - first - 1)) + "->"
        + list(labels.substr(second + 2));
}

} // namespace

Result<void> Translator::windowed(const HloInstruction& instruction, Target& target, bool isConvolution)
{
    const std::string window = hloText(m_module, instruction, "window");
    const std::vector<std::int64_t> sizes = windowNumbers(window, "size");
    const auto add = [&](std::string_view key, std::string_view name) {
        if (const std::vector<std::int64_t> values = windowNumbers(window, key); !values.empty())
            target.attributes.push_back(arrayText(name, values));
    };
    if (!isConvolution)
        target.attributes.push_back(arrayText("window_dimensions", sizes));
    add("stride", "window_strides");
    if (const auto pads = numberRows(windowPart(window, "pad")); !pads.empty())
        target.attributes.push_back("padding = " + pairsText(pads));
    add("lhs_dilate", isConvolution ? "lhs_dilation" : "base_dilations");
    add("rhs_dilate", isConvolution ? "rhs_dilation" : "window_dilations");
    const std::vector<std::int64_t> reversed = windowNumbers(window, "rhs_reversal");
    if (!reversed.empty() && isConvolution)
        target.attributes.push_back("window_reversal = array<i1: "
            + join(reversed, ", ", [](std::int64_t is) { return std::string(is != 0 ? "true" : "false"); }) + '>');
    if (!isConvolution)
        return {};
    const std::string labels = dimensionLabels(hloText(m_module, instruction, "dim_labels"));
    if (labels.empty())
        return lacks(instruction, "dim_labels");
    target.attributes.push_back("dimension_numbers = #stablehlo.conv<" + labels + '>');
    for (const std::string_view key : { "feature_group_count", "batch_group_count" }) {
        SHARDSCOPE_TRY(count, hloNumber(m_module, instruction, key));
        target.attributes.push_back(std::string(key) + " = " + std::to_string(count->value_or(1)) + " : i64");
    }
    return {};
}

} // namespace shardscope::hlo
