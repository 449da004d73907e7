// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/element_types.h"

#include <string>

namespace shardscope::hlo {

namespace {

/// StableHLO's name of a type whose name differs: "s32" is "i32", "u8" is "ui8", "f8e4m3fn" is "f8E4M3FN".
std::string stableHloName(std::string_view name)
{
    if (name == "pred")
        return "i1";
    if (name == "c64")
        return "complex<f32>";
    if (name == "c128")
        return "complex<f64>";
    if (name.size() > 1 && (name.front() == 's' || name.front() == 'u'))
        return (name.front() == 's' ? "i" : "ui") + std::string(name.substr(1));
    std::string out(name);
    if (name.starts_with("f8e") || name.starts_with("f4e") || name.starts_with("f6e"))
        for (std::size_t i = 2; i < out.size(); ++i)
            out[i] = static_cast<char>(out[i] >= 'a' && out[i] <= 'z' ? out[i] - 'a' + 'A' : out[i]);
    return out;
}

} // namespace

std::optional<DType> elementType(std::string_view name)
{
    if (name == "token")
        return DType::Token;
    const std::optional<DType> found = parseDType(stableHloName(name));
    return found && isTensor(*found) ? found : std::nullopt;
}

} // namespace shardscope::hlo
