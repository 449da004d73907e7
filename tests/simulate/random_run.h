// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that are read, partitioned and run on devices, for tests of random programs. Arguments are whole numbers that
// wrap around, so that results have to be equal bit by bit.
#pragma once

#include <cstring>
#include <iostream>

#include "partition/legalize.h"
#include "partition/partition_program.h"
#include "simulate/executed.h"
#include "split_mix.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

namespace shardscope::test {

inline std::string sentence(const Diagnostic& found)
{
    std::string text(found.id());
    for (const Arg& arg : found.args)
        text += ", " + arg.name + " " + found.text(arg.name);
    return text + ", line " + std::to_string(found.where.line);
}

/// A program with all that was made of it.
struct Ran {
    std::string text;
    Program program;
    std::optional<PartitionedProgram> parts;
    kernels::Arrays arguments;
    kernels::Arrays full; ///< results of the reference
    Execution devices;
    std::string wrong; ///< empty: all of it worked
};

inline kernels::Arrays randomArguments(const Program& program, std::uint64_t seed)
{
    SplitMix random(seed);
    kernels::Arrays arguments;
    for (const ValueId argument : program.main().arguments) {
        arguments.push_back(kernels::Array::zeros(program.value(argument).type));
        for (std::int64_t i = 0; i < arguments.back().count(); ++i)
            kernels::setInteger(arguments.back(), i, static_cast<std::int64_t>(random.next()));
    }
    return arguments;
}

inline Ran run(std::string text, std::uint64_t seed)
{
    Ran ran;
    ran.text = std::move(text);
    Result<ReadProgram> read = readStableHlo(ran.text);
    if (!read) {
        ran.wrong = sentence(read.error());
        return ran;
    }
    ran.program = std::move(read->program);
    if (const std::vector<Diagnostic> illegal = verify(ran.program); !illegal.empty()) {
        ran.wrong = sentence(illegal.front());
        return ran;
    }
    ran.arguments = randomArguments(ran.program, seed);
    Result<Execution> full = executeInFull(ran.program, ran.arguments);
    if (!full) {
        ran.wrong = "reference: " + sentence(full.error());
        return ran;
    }
    ran.full = std::move(full->outputs);
    Result<PartitionedProgram> parts = partitionProgram(ran.program);
    if (!parts) {
        ran.wrong = "partition: " + sentence(parts.error());
        return ran;
    }
    ran.parts = std::move(*parts);
    Result<Execution> devices = executeParts(*ran.parts, ran.arguments);
    if (!devices)
        ran.wrong = "devices: " + sentence(devices.error());
    else
        ran.devices = std::move(*devices);
    return ran;
}

/// What a failure is looked at with: the program with its shardings and collectives, and that of the devices.
inline std::string stagesOf(const Ran& ran)
{
    if (ran.parts)
        return printStableHlo(ran.parts->sharded->program) + "---\n" + printStableHlo(ran.parts->device.program);
    auto propagated = passes::propagationPipeline(ran.program, {});
    if (!propagated)
        return {};
    Program legal = legalizeForDevices(std::move(propagated->program));
    const std::string before = printStableHlo(legal);
    passes::ExportOptions exported;
    exported.explicitCollectives = true;
    const auto collectives = passes::insertCollectives(std::move(legal), exported);
    return before + "---\n" + (collectives ? printStableHlo(collectives->program) : std::string());
}

inline bool sameBytes(const kernels::Array& a, const kernels::Array& b)
{
    return a.type == b.type
        && (a.count() == 0
            || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.count() * a.elementBytes())) == 0);
}

/// Empty if every device holds its part of every result, and no two copies differ.
inline std::string compareWithReference(const Ran& ran)
{
    for (std::size_t i = 0; i < ran.full.size(); ++i) {
        if (!sameBytes(ran.devices.outputs[i], ran.full[i]))
            return "output " + std::to_string(i) + " is another";
        const kernels::Arrays wanted = shardsOf(ran.full[i], ran.parts->device.outputs[i], ran.parts->device.mesh);
        for (std::size_t device = 0; device < wanted.size(); ++device)
            if (!sameBytes(ran.devices.shards[device][i], wanted[device]))
                return "output " + std::to_string(i) + " of device " + std::to_string(device) + " is another";
    }
    return ran.devices.differences.empty() ? std::string() : "copies differ";
}

#define VERIFY_RUN(ran, seed, problem)                                                                                 \
    do {                                                                                                               \
        const std::string found = (ran).wrong.empty() ? (problem) : (ran).wrong;                                       \
        if (!found.empty())                                                                                            \
            std::cout << (ran).text << "---\n" << stagesOf(ran) << std::endl;                                          \
        QVERIFY2(found.empty(), ("program " + std::to_string(seed) + ": " + found).c_str());                           \
    } while (false)

} // namespace shardscope::test
