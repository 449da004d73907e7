// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Translator, which is declared in translator.h.
#include <algorithm>
#include <array>
#include <string>

#include "hlo/scanner.h"
#include "hlo/translator.h"

namespace shardscope::hlo {

namespace {

/// Bits of infinity and of not-a-number, by element type; what is not listed has neither.
struct SpecialBits {
    DType dtype;
    std::string_view positive, negative, nan;
};
constexpr std::array<SpecialBits, 4> specialBits{ {
    { DType::F32, "0x7F800000", "0xFF800000", "0x7FC00000" },
    { DType::F64, "0x7FF0000000000000", "0xFFF0000000000000", "0x7FF8000000000000" },
    { DType::BF16, "0x7F80", "0xFF80", "0x7FC0" },
    { DType::F16, "0x7C00", "0xFC00", "0x7E00" },
} };

DType partType(DType dtype)
{
    return dtype == DType::C64 ? DType::F32 : dtype == DType::C128 ? DType::F64 : dtype;
}

/// An element as StableHLO writes it.
std::string elementText(std::string_view text, DType dtype)
{
    const DType part = partType(dtype);
    const auto special = std::find_if(
        specialBits.begin(), specialBits.end(), [&](const SpecialBits& each) { return each.dtype == part; });
    if (special != specialBits.end()) {
        if (text == "inf" || text == "-inf")
            return std::string(text == "inf" ? special->positive : special->negative);
        if (text.starts_with("nan") || text.starts_with("-nan"))
            return std::string(special->nan);
    }
    std::string out(text);
    if (!isFloat(part) || text.find_first_of(".nx") != std::string_view::npos)
        return out;
    const std::size_t exponent = out.find('e');
    out.insert(exponent == std::string::npos ? out.size() : exponent, ".0");
    return out;
}

} // namespace

/// "{ {1, 2}, {3, inf} }" as "dense<[[1.0, 2.0], [3.0, 0x7F800000]]>"
Result<std::string> Translator::constant(const HloInstruction& instruction) const
{
    const DType dtype = m_module.shape(instruction).dtype;
    const std::string_view inside = m_module.view(instruction.inside);
    if (inside.find("...") != std::string_view::npos)
        return "dense_resource<__elided__> : " + type(instruction.shape);
    mlir::FirstError firstError;
    Scanner s(m_module.text, instruction.inside.begin,
        std::size_t{ instruction.inside.begin } + instruction.inside.length, firstError);
    std::string text;
    while (!s.atEnd()) {
        const char c = s.peek();
        if (c == '{' || c == '}') {
            text += c == '{' ? '[' : ']';
            s.step();
        } else if (c == '(' || c == ')' || c == ',') {
            text += c;
            s.step();
        } else {
            const std::size_t begin = s.position();
            if (c == '-' || c == '+')
                s.step();
            while (s.raw() != '\0' && s.raw() != ',' && s.raw() != '}' && s.raw() != ')' && s.raw() != ' '
                && s.raw() != '\n') {
                if (s.raw() == '(') { // nan(0x1)
                    if (!s.skipBrackets())
                        return tl::unexpected(std::move(*firstError.error));
                } else {
                    s.step();
                }
            }
            if (s.position() == begin) {
                s.expectedAt(begin, "a number");
                return tl::unexpected(std::move(*firstError.error));
            }
            text += elementText(s.view(s.since(begin)), dtype);
        }
    }
    if (!m_module.shape(instruction).sizes.empty() && text.find_first_not_of("[],") == std::string::npos)
        text.clear(); // no elements
    return "dense<" + text + "> : " + type(instruction.shape);
}

} // namespace shardscope::hlo
