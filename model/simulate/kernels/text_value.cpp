// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/text_value.h"

#include "simulate/kernels/call.h"
#include "stablehlo/read.h"

namespace shardscope::kernels {

std::optional<Array> valueOfText(std::string_view text, const TensorType& type)
{
    const std::string name = toString(type);
    std::string program = "func.func @main() -> " + name + " {\n  %0 = stablehlo.constant " + std::string(text);
    if (text.find(" : ") == std::string_view::npos)
        program += " : " + name;
    program += "\n  return %0 : " + name + "\n}\n";
    const auto read = readStableHlo(program);
    if (!read || read->program.operations.empty())
        return std::nullopt;
    const auto* constant = std::get_if<ConstantAttributes>(&read->program.operations[0].attributes);
    return constant ? std::optional(constantArray(*constant, type)) : std::nullopt;
}

} // namespace shardscope::kernels
