// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of HLO text at work. Its members stand in several files: read.cpp (module, computations, tables),
// read_instruction.cpp, read_shape.cpp. Functions that return bool return false after the first error.
#pragma once

#include "hlo/module.h"
#include "hlo/name_table.h"
#include "hlo/scanner.h"

namespace shardscope::hlo {

class Reader {
public:
    explicit Reader(std::string_view text);
    Result<HloModule> read();

private:
    bool readModule();
    bool readTables();
    bool readRow(std::string_view table);
    bool readRowFields(std::string_view table);
    bool readComputation();
    bool readInstructions(HloComputation& computation);
    bool readInstruction(HloComputation& computation);
    bool readInside(HloInstruction& instruction);
    bool readOperand();
    /// ", name=value" as often as it stands there.
    bool readAttributes();
    /// Index into HloModule::shapes.
    bool readShape(std::uint32_t& index);
    bool skipShape();
    bool parseShape(TextSpan span, std::uint32_t& index);
    bool parseArray(Scanner& s, HloShape& shape);
    bool parseLayout(Scanner& s, HloShape& shape);
    bool readOpcode(std::uint16_t& index);
    void orderNames();
    [[nodiscard]] auto instructionNames() const
    {
        return [this](std::uint32_t index) { return m_module.view(m_module.instructions[index].name); };
    }

    std::string_view m_text;
    mlir::FirstError m_firstError;
    Scanner m_scanner;
    HloModule m_module;
    NameTable m_shapes, m_opcodes, m_names, m_computations;
};

} // namespace shardscope::hlo
