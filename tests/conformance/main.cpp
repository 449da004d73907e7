// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope_conformance [--verbose] [--optional] [--maximum-unsupported N] FILE...
//
// Runs every case of reference files, and every program of files of StableHLO (.mlir) and of folders of them. Only
// cases marked contract count. How many of them may be unsupported stands in unsupported.json, in the folder of a file
// or in the one above it; where there is none, and for programs, --maximum-unsupported says it, or there is no maximum.
// A case with a field of which fields.json, beside it, says nothing fails (case_fields.h).
// Exit code: 0 all passed, 1 a case failed or too many are unsupported, 2 bad arguments, or a file that cannot be read,
// that no checker knows, or that holds no contract case.
#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#include "conformance/case_fields.h"
#include "conformance/checker.h"
#include "conformance/run_programs.h"

namespace {

using namespace shardscope::conformance;

struct Counts {
    int passed = 0;
    int failed = 0;
    int unsupported = 0;
    int advisory = 0;
    int specs = 0, specsOfParameters = 0;
    bool tooManyUnsupported = false;
};

CaseResult runCase(const CheckerRow* checker, const CaseFields* fields, const Json& oneCase, const Json& file)
{
    if (!checker)
        return CaseResult::unsupported("no checker for this file");
    try {
        if (const std::optional<std::string> unknown = fields ? fields->unknownField(oneCase) : std::nullopt)
            return CaseResult::failed("the field " + *unknown + " is not in the table of fields");
        return checker->check(oneCase, file);
    } catch (const std::exception& error) {
        return CaseResult::failed(std::string("the case cannot be read: ") + error.what());
    }
}

void runList(const CheckerRow* checker, const CaseFields* fields, const Json& list, const Json& file, bool verbose,
    Counts& counts)
{
    for (const Json& oneCase : list) {
        const std::string status = oneCase.value("status", "");
        if (status == "advisory") {
            ++counts.advisory;
            continue;
        }
        const CaseResult result = status == "contract"
            ? runCase(checker, fields, oneCase, file)
            : CaseResult::unsupported("status is neither contract nor advisory");
        counts.specs += result.specs;
        counts.specsOfParameters += result.specsOfParameters;
        const char* verdict = "";
        switch (result.status) {
        case CaseResult::Status::Passed:
            ++counts.passed;
            continue;
        case CaseResult::Status::Failed:
            ++counts.failed;
            verdict = "failed";
            break;
        case CaseResult::Status::Unsupported:
            ++counts.unsupported;
            verdict = "unsupported";
            break;
        }
        if (verbose)
            std::cout << "  " << oneCase.value("id", "(no id)") << ": " << verdict << ": " << result.difference << '\n';
    }
}

/// A table in the folder of a reference file or in the one above it; nothing where there is none. Throws what
/// nlohmann::json throws where it is no JSON.
std::optional<Json> tableBeside(const std::filesystem::path& path, const char* name)
{
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    std::optional<Json> table;
    for (const auto& candidate : { folder, folder.parent_path() }) {
        std::ifstream stream(candidate / name, std::ios::binary);
        if (stream && !table)
            table.emplace(Json::parse(stream));
    }
    return table;
}

/// Whether there are not too many of them; says where the maximum does not fit.
bool isWithinMaximum(const std::string& name, int unsupported, std::optional<int> maximum)
{
    if (!maximum || unsupported == *maximum)
        return true;
    if (unsupported < *maximum)
        std::cout << name << ": the maximum of " << *maximum << " unsupported cases can be lowered to " << unsupported
                  << '\n';
    else
        std::cout << name << ": " << unsupported << " unsupported cases, which is more than the maximum of " << *maximum
                  << '\n';
    return unsupported < *maximum;
}

/// False when the file cannot be used.
bool runPath(const std::string& path, bool verbose, std::optional<int> maximum, Counts& total)
{
    const auto complain = [&](std::string_view what) {
        std::cerr << "shardscope_conformance: " << path << ": " << what << '\n';
        return false;
    };
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return complain("cannot be read");
    Json file = Json::parse(stream, nullptr, false);
    if (file.is_discarded())
        return complain("is not JSON");
    if (!file.is_object() || !file.contains("cases") || !file["cases"].is_array())
        return complain("has no list of cases");
    file["folder"] = std::filesystem::absolute(path).parent_path().string(); // of texts that cases refer to

    const std::string stem = std::filesystem::path(path).stem().string();
    const CheckerRow* checker = checkerFor(stem);
    Counts counts;
    try {
        if (const std::optional<Json> table = tableBeside(path, "unsupported.json"))
            maximum = table->at("maximum").value(stem, 0);
        const std::optional<Json> table = tableBeside(path, "fields.json");
        const std::optional<CaseFields> fields = table ? std::optional(CaseFields(*table, stem)) : std::nullopt;
        for (const char* list : { "cases", "resolutions" })
            if (file.contains(list))
                runList(checker, fields ? &*fields : nullptr, file.at(list), file, verbose, counts);
    } catch (const std::exception& error) { // a case that is no object, a status that is no text, a table that is none
        return complain(error.what());
    }
    std::cout << stem << ": " << counts.passed << " passed, " << counts.failed << " failed, " << counts.unsupported
              << " unsupported, " << counts.advisory << " advisory\n";
    if (counts.specs > 0)
        std::cout << stem << ": parameters of networks met " << counts.specsOfParameters << " of " << counts.specs
                  << " expected specs\n";
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.unsupported += counts.unsupported;
    total.tooManyUnsupported |= !isWithinMaximum(stem, counts.unsupported, maximum);
    if (!checker)
        return complain("no checker of that name");
    if (counts.passed + counts.failed + counts.unsupported == 0)
        return complain("holds no contract case");
    return true;
}

bool isProgram(const std::filesystem::path& path)
{
    return path.extension() == ".mlir" || std::filesystem::is_directory(path);
}

/// A file of programs, or those of a folder.
bool runPrograms(const std::filesystem::path& path, ProgramCounts& counts)
{
    std::vector<std::filesystem::path> files{ path };
    if (std::filesystem::is_directory(path)) {
        files.clear();
        for (const auto& entry : std::filesystem::directory_iterator(path))
            if (entry.path().extension() == ".mlir")
                files.push_back(entry.path());
        std::sort(files.begin(), files.end());
    }
    bool usable = !files.empty();
    for (const auto& file : files) {
        if (runProgramFile(file.string(), counts))
            continue;
        std::cerr << "shardscope_conformance: " << file.string() << ": cannot be read\n";
        usable = false;
    }
    return usable;
}

} // namespace

int main(int argc, char** argv)
{
    const auto usage = [](std::ostream& stream) {
        stream << "usage: shardscope_conformance [--verbose] [--optional] [--maximum-unsupported N] FILE...\n"
                  "known files:";
        for (const CheckerRow& row : checkers())
            stream << ' ' << row.name;
        stream << '\n';
    };
    bool verbose = false, optional = false;
    std::optional<int> maximum;
    std::vector<std::string> paths;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--verbose")
            verbose = true;
        else if (argument == "--optional")
            optional = true;
        else if (argument == "--maximum-unsupported") {
            const std::string_view text = i + 1 < argc ? argv[++i] : "";
            int number = -1;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
            if (error != std::errc() || end != text.data() + text.size() || number < 0) {
                std::cerr << "shardscope_conformance: --maximum-unsupported takes a number\n";
                return 2;
            }
            maximum = number;
        } else if (argument == "--help" || argument == "-h") {
            usage(std::cout);
            return 0;
        } else if (argument.starts_with("--")) {
            std::cerr << "shardscope_conformance: unknown option " << argument << '\n';
            return 2;
        } else
            paths.push_back(argument);
    }
    if (paths.empty()) {
        usage(std::cerr);
        return 2;
    }
    Counts total;
    bool usable = true;
    ProgramCounts programs;
    for (const std::string& path : paths)
        if (optional && !std::filesystem::exists(path))
            std::cout << path << " is not there, nothing is checked\n";
        else if (isProgram(path))
            usable = runPrograms(path, programs) && usable;
        else
            usable = runPath(path, verbose, maximum, total) && usable;
    int unsupportedPrograms = 0;
    for (const auto& [devices, verdicts] : programs.byDevices) {
        std::cout << (devices == 1 ? "functions, unsharded" : "over " + std::to_string(devices) + " devices") << ": "
                  << verdicts.passed << " passed, " << verdicts.failed << " failed, " << verdicts.unsupported
                  << " unsupported\n";
        total.passed += verdicts.passed;
        total.failed += verdicts.failed;
        unsupportedPrograms += verdicts.unsupported;
    }
    total.unsupported += unsupportedPrograms;
    if (!programs.byDevices.empty())
        total.tooManyUnsupported |= !isWithinMaximum("programs", unsupportedPrograms, maximum);
    if (programs.uncounted > 0)
        std::cout << programs.uncounted << " programs read only\n";
    std::cout << total.passed << " passed, " << total.failed << " failed, " << total.unsupported << " skipped"
              << std::endl;
    if (total.failed > 0 || total.tooManyUnsupported)
        return 1;
    return usable ? 0 : 2;
}
