// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/read.h"

#include <algorithm>
#include <numeric>

#include "base/codes.h"
#include "hlo/reader.h"
#include "stablehlo/read.h"

namespace shardscope {

namespace hlo {

namespace {

constexpr std::string_view beginning = "HloModule";

bool isTable(std::string_view word)
{
    return word == "FileNames" || word == "FunctionNames" || word == "FileLocations" || word == "StackFrames";
}

} // namespace

Reader::Reader(std::string_view text)
    : m_text(text)
    , m_scanner(text, mlir::textBegin(text), text.size(), m_firstError)
{
    m_module.text = text;
}

Result<HloModule> Reader::read()
{
    if (m_text.size() > maximumText)
        return fail(Code::TooLarge, { { "what", "text" }, { "bytes", m_text.size() }, { "limit", maximumText } });
    // An instruction takes a line, or more, and some characters: nothing is moved to a larger place later.
    constexpr std::size_t shortest = 8;
    m_module.instructions.reserve(std::min(
        static_cast<std::size_t>(std::count(m_text.begin(), m_text.end(), '\n')) + 1, m_text.size() / shortest));
    if (!readModule())
        return tl::unexpected(mlir::orEndsEarly(std::move(*m_firstError.error), m_text));
    m_module.endsEarly |= m_module.entry == noHloIndex; // it comes last
    orderNames();
    return std::move(m_module);
}

bool Reader::readModule()
{
    Scanner& s = m_scanner;
    if (s.peekWord() != beginning)
        return s.expected("“HloModule”");
    (void)s.word();
    m_module.name = s.name();
    if (m_module.name.length == 0)
        return s.expected("the name of the module");
    if (!readAttributes())
        return false;
    m_module.moduleAttributeCount = static_cast<std::uint32_t>(m_module.attributes.size());
    if (!readTables())
        return false;
    while (!s.atEnd())
        if (!readComputation())
            return false;
    return true;
}

bool Reader::readTables()
{
    Scanner& s = m_scanner;
    while (true) {
        const std::size_t before = s.position();
        const std::string_view table = s.view(s.word());
        const char next = s.peek();
        if (!isTable(table) || next == '{' || next == '(') {
            s.seek(before);
            return true;
        }
        while (s.peek() >= '0' && s.peek() <= '9')
            if (!readRow(table))
                return false;
    }
}

/// '12 "train.py"', "12 {file_location_id=3 parent_frame_id=1}"
bool Reader::readRow(std::string_view table)
{
    Scanner& s = m_scanner;
    const std::size_t size = table == "FileNames" ? m_module.fileNames.size()
        : table == "FunctionNames"                ? m_module.functionNames.size()
        : table == "FileLocations"                ? m_module.locations.size()
                                                  : m_module.frames.size();
    std::int64_t number = 0;
    const std::size_t position = s.position();
    if (!s.integer(number))
        return false;
    if (number != static_cast<std::int64_t>(size) + 1)
        return s.expectedAt(position, "row " + std::to_string(size + 1) + " of the table");
    if (table != "FileNames" && table != "FunctionNames")
        return readRowFields(table);
    TextSpan inside;
    if (!s.quoted(inside))
        return false;
    (table == "FileNames" ? m_module.fileNames : m_module.functionNames).push_back(inside);
    return true;
}

bool Reader::readRowFields(std::string_view table)
{
    Scanner& s = m_scanner;
    HloFrame frame;
    HloFileLocation location;
    if (!s.require('{'))
        return false;
    while (!s.accept('}')) {
        const std::string_view key = s.view(s.word());
        std::int64_t value = 0;
        if (key.empty())
            return s.expected("“}”");
        if (!s.require('=') || !s.integer(value))
            return false;
        const auto number = static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, noHloIndex));
        if (key == "file_location_id")
            frame.location = number;
        else if (key == "parent_frame_id") // the text counts from 1 what calls nobody
            frame.parent = number == 0 || number - 1 > m_module.frames.size() ? 0 : number - 1;
        else if (key == "file_name_id")
            location.file = number;
        else if (key == "function_name_id")
            location.function = number;
        else if (key == "line")
            location.line = value;
        (void)s.accept(',');
    }
    if (table == "StackFrames")
        m_module.frames.push_back(frame);
    else
        m_module.locations.push_back(location);
    return true;
}

bool Reader::readComputation()
{
    Scanner& s = m_scanner;
    HloComputation computation;
    if (s.peekWord() == "ENTRY") {
        (void)s.word();
        computation.isEntry = true;
    }
    computation.name = s.name();
    if (computation.name.length == 0)
        return s.expected("a computation");
    const auto names = [&](std::uint32_t index) { return m_module.view(m_module.computations[index].name); };
    const std::string_view name = s.view(computation.name);
    if (m_computations.find(name, names) != NameTable::none)
        return s.problem(Code::DefinedTwice, { { "what", "computation" }, { "name", name } }, computation.name.begin);
    if (s.peek() == '(') { // parameters and result, which the instructions say as well
        if (!s.skipBrackets())
            return false;
        if (!s.require("->"))
            return false;
        s.skipBlanks();
        if (!skipShape())
            return false;
    }
    if (!s.require('{'))
        return false;
    const auto index = static_cast<std::uint32_t>(m_module.computations.size());
    computation.firstInstruction = static_cast<std::uint32_t>(m_module.instructions.size());
    m_module.computations.push_back(computation);
    m_computations.add(name, index, names);
    const bool isRead = readInstructions(computation);
    m_module.computations[index] = computation;
    if (!isRead)
        return false;
    if (computation.isEntry) {
        if (m_module.entry != noHloIndex)
            return s.problem(Code::DefinedTwice, { { "what", "entry" }, { "name", name } }, computation.name.begin);
        m_module.entry = index;
    }
    // "}, execution_thread="sparsecore"": said of the computation, and of no use here.
    const std::size_t before = m_module.attributes.size();
    if (!readAttributes())
        return false;
    m_module.attributes.resize(before);
    return true;
}

bool Reader::readInstructions(HloComputation& computation)
{
    m_names.clear();
    while (!m_scanner.accept('}')) {
        if (m_scanner.atEnd()) {
            m_module.endsEarly = true;
            return true;
        }
        if (!readInstruction(computation))
            return false;
        ++computation.instructionCount;
    }
    if (computation.root == noHloIndex && computation.instructionCount > 0) // the last one, where none is named
        computation.root = computation.firstInstruction + computation.instructionCount - 1;
    return true;
}

void Reader::orderNames()
{
    m_module.byName.resize(m_module.computations.size());
    std::iota(m_module.byName.begin(), m_module.byName.end(), 0U);
    std::sort(m_module.byName.begin(), m_module.byName.end(), [&](std::uint32_t a, std::uint32_t b) {
        return m_module.view(m_module.computations[a].name) < m_module.view(m_module.computations[b].name);
    });
}

} // namespace hlo

bool isHloText(std::string_view text)
{
    mlir::FirstError firstError;
    return hlo::Scanner(text, mlir::textBegin(text), text.size(), firstError).peekWord() == hlo::beginning;
}

Result<HloModule> readHlo(std::string_view text)
{
    return hlo::Reader(text).read();
}

} // namespace shardscope
