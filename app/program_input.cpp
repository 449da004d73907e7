// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_input.h"

#include "input.h"
#include "program/verify_shardings.h"
#include "stablehlo/read.h"

namespace shardscope::cli {

tl::expected<ProgramInput, std::vector<Diagnostic>> loadProgram(const std::string& file)
{
    constexpr std::size_t largest = std::size_t{ 1 } << 30;
    const Result<std::string> text = readText(file, largest);
    if (!text)
        return tl::unexpected(std::vector{ text.error() });
    return loadProgram(file, *text);
}

tl::expected<ProgramInput, std::vector<Diagnostic>> loadProgram(const std::string& file, const std::string& text)
{
    const std::string shown = file == "-" ? "standard input" : file;
    const auto inFile = [&](std::vector<Diagnostic> list) {
        for (Diagnostic& diagnostic : list)
            diagnostic.where.file = shown;
        return list;
    };
    Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        return tl::unexpected(inFile({ std::move(read.error()) }));
    nameAsWritten(*read, text);
    std::vector<Diagnostic> found = verify(read->program);
    if (found.empty())
        found = verifyShardings(read->program);
    std::erase_if(found, [](const Diagnostic& finding) { return finding.severity() != Severity::Error; });
    if (!found.empty())
        return tl::unexpected(inFile(std::move(found)));
    return ProgramInput{ shown, std::move(read->program), inFile(std::move(read->warnings)) };
}

} // namespace shardscope::cli
