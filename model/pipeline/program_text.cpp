// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/program_text.h"

#include <algorithm>
#include <cstring>

#include "propagation/propagate_program.h"
#include "stablehlo/print.h"

namespace shardscope {

namespace {

/// Constants of more elements are left out: nobody reads them.
constexpr std::int64_t longestConstant = 16;

/// With its annotations where nothing is propagated, else with what propagation found.
Program moduleOf(const Snapshot& snapshot)
{
    if (snapshot.propagation)
        return withShardings(*snapshot.program, *snapshot.propagation, true);
    Program program = *snapshot.program;
    if (program.meshes.empty() && snapshot.mesh)
        program.meshes.push_back(ProgramMesh{ "mesh", snapshot.mesh });
    return program;
}

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
char upper(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Where `wanted`, in small letters, occurs next from `begin` on, whatever the case; npos for nowhere.
std::size_t findNext(std::string_view text, std::string_view wanted, std::size_t begin)
{
    const char small = wanted.front(), large = upper(wanted.front());
    while (begin + wanted.size() <= text.size()) {
        const std::size_t room = text.size() - wanted.size() + 1 - begin;
        const char* from = text.data() + begin;
        const auto* a = static_cast<const char*>(std::memchr(from, small, room));
        const char* found = a;
        if (large != small) {
            const auto* b =
                static_cast<const char*>(std::memchr(from, large, a ? static_cast<std::size_t>(a - from) : room));
            found = b ? b : a;
        }
        if (!found)
            return std::string_view::npos;
        if (std::equal(wanted.begin(), wanted.end(), found, [](char x, char y) { return x == lower(y); }))
            return static_cast<std::size_t>(found - text.data());
        begin = static_cast<std::size_t>(found - text.data()) + 1;
    }
    return std::string_view::npos;
}

} // namespace

ProgramText ProgramText::printed(const Snapshot& snapshot)
{
    PrintOptions options;
    const bool byText = snapshot.program->namedByText;
    options.locations = !byText; // the paths of arguments
    options.argumentLines = true;
    options.maximumElements = longestConstant;
    const Program program = moduleOf(snapshot);
    options.names = byText ? PrintedNames::AsNames : PrintedNames::AsComments;
    PrintedProgram printed = printWithLines(program, options);
    ProgramText result;
    result.text = std::move(printed.text);
    result.split();
    result.link(printed.operationLines, printed.valueLines);
    return result;
}

ProgramText ProgramText::sourceText(std::string text, const Program* program)
{
    ProgramText result;
    result.text = std::move(text);
    result.split();
    std::vector<std::uint32_t> operationLines, valueLines;
    if (program) {
        operationLines.resize(program->operations.size());
        valueLines.resize(program->values.size());
        for (std::size_t i = 0; i < program->operations.size(); ++i) {
            const Operation& operation = program->operations[i];
            operationLines[i] = program->sources[operation.source].line;
            for (const ValueId value : operation.results)
                valueLines[value.index] = operationLines[i];
        }
        for (const Function& function : program->functions)
            for (const ValueId value : program->regions[function.body.index].arguments)
                valueLines[value.index] = program->sources[function.source].line;
    }
    result.link(operationLines, valueLines);
    return result;
}

void ProgramText::split()
{
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        starts.push_back(begin);
        longest = std::max(longest, static_cast<int>(std::min<std::size_t>(end - begin, longestShown)));
        begin = end + 1;
    }
    operations.resize(starts.size());
    values.resize(starts.size());
    starts.push_back(text.size() + (text.ends_with('\n') ? 0 : 1));
}

void ProgramText::link(const std::vector<std::uint32_t>& operationLines, const std::vector<std::uint32_t>& valueLines)
{
    const auto place = [&](std::uint32_t line) {
        return line == 0 || line > operations.size() ? -1 : static_cast<int>(line) - 1;
    };
    lineOfOperation.reserve(operationLines.size());
    for (std::size_t i = 0; i < operationLines.size(); ++i) {
        lineOfOperation.push_back(place(operationLines[i]));
        if (const int line = lineOfOperation.back(); line >= 0 && !operations[static_cast<std::size_t>(line)].valid())
            operations[static_cast<std::size_t>(line)] = OperationId(i);
    }
    lineOfValue.reserve(valueLines.size());
    for (std::size_t i = 0; i < valueLines.size(); ++i) {
        lineOfValue.push_back(place(valueLines[i]));
        if (const int line = lineOfValue.back(); line >= 0 && !values[static_cast<std::size_t>(line)].valid())
            values[static_cast<std::size_t>(line)] = ValueId(i);
    }
}

std::string_view ProgramText::line(int index) const
{
    const std::size_t begin = starts[static_cast<std::size_t>(index)],
                      end = starts[static_cast<std::size_t>(index) + 1];
    return std::string_view(text).substr(begin, end - begin - 1);
}

int ProgramText::lineOf(ValueId value) const
{
    return value.valid() && value.index < lineOfValue.size() ? lineOfValue[value.index] : -1;
}

int ProgramText::lineOf(OperationId operation) const
{
    return operation.valid() && operation.index < lineOfOperation.size() ? lineOfOperation[operation.index] : -1;
}

std::vector<int> ProgramText::find(std::string_view wanted) const
{
    std::vector<int> found;
    if (wanted.empty())
        return found;
    std::string small(wanted);
    std::transform(small.begin(), small.end(), small.begin(), lower);
    for (std::size_t at = findNext(text, small, 0); at != std::string_view::npos;) {
        const auto after = std::upper_bound(starts.begin(), starts.end(), at);
        found.push_back(static_cast<int>(after - starts.begin()) - 1);
        at = after == starts.end() ? std::string_view::npos : findNext(text, small, *after);
    }
    return found;
}

bool ProgramText::hasLinesOf(const ProgramText& other) const
{
    return operations == other.operations && values == other.values;
}

} // namespace shardscope
