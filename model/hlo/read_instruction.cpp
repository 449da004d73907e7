// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Reader, which is declared in reader.h.
#include <limits>

#include "base/codes.h"
#include "hlo/reader.h"

namespace shardscope::hlo {

/// "ROOT %y = f32[8]{0} tanh(%x), metadata={...}"
bool Reader::readInstruction(HloComputation& computation)
{
    Scanner& s = m_scanner;
    const auto index = static_cast<std::uint32_t>(m_module.instructions.size());
    HloInstruction instruction;
    instruction.computation = static_cast<std::uint32_t>(m_module.computations.size() - 1);
    instruction.name = s.name();
    if (s.view(instruction.name) == "ROOT" && s.peek() != '=') {
        if (computation.root != noHloIndex)
            return s.problem(Code::DefinedTwice, { { "what", "root" }, { "name", s.view(computation.name) } },
                instruction.name.begin);
        computation.root = index;
        instruction.name = s.name();
    }
    if (instruction.name.length == 0)
        return s.expected("an instruction");
    if (!s.require('=') || !readShape(instruction.shape) || !readOpcode(instruction.opcode))
        return false;
    instruction.firstOperand = static_cast<std::uint32_t>(m_module.operands.size());
    if (!readInside(instruction))
        return false;
    instruction.operandCount = static_cast<std::uint32_t>(m_module.operands.size()) - instruction.firstOperand;
    instruction.firstAttribute = static_cast<std::uint32_t>(m_module.attributes.size());
    if (!readAttributes())
        return false;
    const std::size_t count = m_module.attributes.size() - instruction.firstAttribute;
    constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
    if (count > most)
        return s.problem(Code::TooLarge, { { "what", "attributes" }, { "count", count }, { "limit", most } },
            instruction.name.begin);
    instruction.attributeCount = static_cast<std::uint16_t>(count);
    const std::string_view name = s.view(instruction.name);
    if (m_names.find(name, instructionNames()) != NameTable::none)
        return s.problem(Code::DefinedTwice, { { "what", "value" }, { "name", name } }, instruction.name.begin);
    m_module.instructions.push_back(instruction);
    m_names.add(name, index, instructionNames());
    return true;
}

bool Reader::readOpcode(std::uint16_t& index)
{
    Scanner& s = m_scanner;
    const TextSpan span = s.word();
    if (span.length == 0)
        return s.expected("an opcode");
    const auto names = [&](std::uint32_t i) { return m_module.view(m_module.opcodes[i]); };
    std::uint32_t found = m_opcodes.find(s.view(span), names);
    if (found == NameTable::none) {
        found = static_cast<std::uint32_t>(m_module.opcodes.size());
        constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
        if (found >= most)
            return s.problem(
                Code::TooLarge, { { "what", "opcodes" }, { "count", found + 1 }, { "limit", most } }, span.begin);
        m_module.opcodes.push_back(span);
        m_opcodes.add(s.view(span), found, names);
    }
    index = static_cast<std::uint16_t>(found);
    return true;
}

bool Reader::readInside(HloInstruction& instruction)
{
    Scanner& s = m_scanner;
    if (s.peek() != '(')
        return s.expected("“(”");
    const std::size_t begin = s.position() + 1;
    const std::string_view opcode = m_module.opcode(instruction);
    if (opcode == "parameter" || opcode == "constant") {
        if (!s.skipBrackets())
            return false;
    } else {
        s.step();
        if (!s.accept(')')) {
            do
                if (!readOperand())
                    return false;
            while (s.accept(','));
            if (!s.require(')'))
                return false;
        }
    }
    instruction.inside = { static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(s.position() - 1 - begin) };
    if (opcode == "parameter") {
        Scanner number = s.within(instruction.inside);
        std::int64_t value = 0;
        if (!number.integer(value))
            return false;
        if (!number.atEnd() || value < 0)
            return number.expectedAt(begin, "the number of a parameter");
    }
    return true;
}

/// "%x", "x", "f32[8]{0} %x"
bool Reader::readOperand()
{
    Scanner& s = m_scanner;
    TextSpan name{};
    std::size_t begin = 0;
    if (s.peek() != '(') {
        begin = s.position();
        name = s.name();
    }
    if (s.raw() == '[' || s.raw() == '(') { // its shape stands before it
        if (s.raw() == '[')
            s.seek(begin);
        if (!skipShape())
            return false;
        name = s.name();
    }
    if (name.length == 0)
        return s.expected("the name of an operand");
    const std::uint32_t found = m_names.find(s.view(name), instructionNames());
    if (found == NameTable::none)
        return s.problem(Code::UndefinedName, { { "what", "value" }, { "name", s.view(name) } }, name.begin);
    m_module.operands.push_back(found);
    return true;
}

bool Reader::readAttributes()
{
    Scanner& s = m_scanner;
    while (s.accept(',')) {
        HloAttribute attribute;
        attribute.name = s.word();
        if (attribute.name.length == 0)
            return s.expected("an attribute");
        if (!s.require('='))
            return false;
        while (s.raw() == ' ')
            s.step();
        const std::size_t begin = s.position();
        if (!s.skipValue())
            return false;
        attribute.value = s.since(begin);
        m_module.attributes.push_back(attribute);
    }
    return true;
}

} // namespace shardscope::hlo
