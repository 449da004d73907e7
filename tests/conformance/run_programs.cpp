// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/run_programs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "conformance/run_partitioned.h"
#include "program/op_row.h"
#include "propagation/import/manual_regions.h"
#include "simulate/executed.h"
#include "stablehlo/read_all.h"

namespace shardscope::conformance {

namespace {

enum class Verdict { Passed, Failed, Unsupported, Uncounted };
struct ReferenceOutcome {
    Verdict verdict = Verdict::Passed;
    std::string why = {};
};

bool isReadOnly(const Program& program)
{
    const auto isProbe = [](const Operation& op) {
        const std::string name = qualifiedName(op);
        return name == "interpreter.probe" || name == "check.expect_serialized_eq";
    };
    return std::any_of(program.operations.begin(), program.operations.end(), isProbe);
}

ReferenceOutcome execute(const Program& program)
{
    if (isReadOnly(program))
        return { Verdict::Uncounted };
    if (const auto refused = notExecutable(program); !refused.empty())
        return { Verdict::Unsupported, sentenceOf(refused[0]) };
    // Programs without inputs say what they expect; of others it is enough that they run, on zeros.
    kernels::Arrays arguments;
    for (const ValueId value : program.main().arguments)
        arguments.push_back(kernels::Array::zeros(program.value(value).type));
    const auto done = test::executeInFull(program, arguments);
    if (!done)
        return { Verdict::Failed, sentenceOf(done.error()) };
    for (const ExpectationFinding& finding : done->findings)
        if (!finding.passed())
            return { Verdict::Failed,
                qualifiedName(program.operation(finding.operation)) + ", element " + std::to_string(finding.element)
                    + ": " + finding.value + " instead of " + finding.expected };
    return {};
}

void report(const std::string& name, std::int64_t devices, const ReferenceOutcome& outcome, ProgramCounts& counts)
{
    if (outcome.verdict == Verdict::Uncounted) {
        ++counts.uncounted;
        std::cout << name << ": read only\n";
        return;
    }
    const bool passed = outcome.verdict == Verdict::Passed, failed = outcome.verdict == Verdict::Failed;
    ProgramCounts::Verdicts& total = counts.byDevices[devices];
    total.passed += passed ? 1 : 0;
    total.failed += failed ? 1 : 0;
    total.unsupported += passed || failed ? 0 : 1;
    std::cout << name << ": " << passed << " passed, " << failed << " failed, " << (!passed && !failed)
              << " unsupported";
    if (!outcome.why.empty())
        std::cout << ": " << outcome.why;
    std::cout << '\n';
}

void reportPartitioned(const std::string& name, const Program& program, std::size_t function,
    const ReferenceOutcome& full, ProgramCounts& total)
{
    if (full.verdict != Verdict::Passed)
        return;
    const Program own = withMain(program, function);
    for (const std::int64_t devices : { 2, 8 })
        if (const auto outcome = runPartitioned(own, devices)) {
            const Verdict verdict = outcome->kind == PartitionedOutcome::Kind::Passed ? Verdict::Passed
                : outcome->kind == PartitionedOutcome::Kind::Failed                   ? Verdict::Failed
                                                                                      : Verdict::Unsupported;
            report(name + " on " + std::to_string(outcome->devices) + " devices", outcome->devices,
                { verdict, outcome->why }, total);
        }
}

} // namespace

std::string sentenceOf(const Diagnostic& diagnostic)
{
    std::string text(diagnostic.kind());
    for (const Arg& arg : diagnostic.args) {
        text += ' ' + arg.name + '=';
        if (const auto* number = std::get_if<std::int64_t>(&arg.value))
            text += std::to_string(*number);
        else
            text += diagnostic.text(arg.name);
    }
    if (diagnostic.where.line > 0)
        text += " (line " + std::to_string(diagnostic.where.line) + ')';
    return text;
}

bool runProgramFile(const std::string& path, ProgramCounts& total)
{
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return false;
    std::stringstream text;
    text << stream.rdbuf();
    const std::string stem = std::filesystem::path(path).stem().string();
    const auto read = test::readAllStableHlo(text.str());
    if (!read) {
        report(stem, 1, { Verdict::Failed, sentenceOf(read.error()) }, total);
        return true;
    }
    for (std::size_t i = 0; i < read->size(); ++i) {
        const Program program = passes::importManualRegions((*read)[i].program);
        const std::string prefix = stem + (program.name.empty() || read->size() == 1 ? "" : '/' + program.name);
        // main alone; without one every function that nobody has to give anything to.
        if (program.functions.empty() || program.function("main")) {
            const ReferenceOutcome full = execute(program);
            report(prefix, 1, full, total);
            reportPartitioned(prefix, program, 0, full, total);
            continue;
        }
        for (std::size_t f = 0; f < program.functions.size(); ++f) {
            const Function& function = program.functions[f];
            if (!program.regions[function.body.index].arguments.empty() && program.functions.size() > 1)
                continue;
            const ReferenceOutcome full = execute(withMain(program, f));
            report(stem + '/' + function.name, 1, full, total);
            reportPartitioned(stem + '/' + function.name, program, f, full, total);
        }
    }
    return true;
}

} // namespace shardscope::conformance
