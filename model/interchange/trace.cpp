// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/trace.h"

#include <cstdio>

#include "interchange/table_builder.h"
#include "program/op_row.h"
#include "schedule/plan.h"

namespace shardscope {

namespace {

/// What an instruction does, and the value that it computes: "dot_general layers.0/y".
std::string nameOf(const Plan& plan, const Instruction& instruction)
{
    const FlatProgram& program = *plan.program;
    std::string text;
    if (const auto* fused = std::get_if<FusedInstruction>(&instruction.action))
        text = fused->steps.empty()   ? "copy"
            : fused->steps.size() > 1 ? "fused " + std::to_string(fused->steps.size())
                                      : std::string(name(fused->steps.front().kind));
    else
        text = std::visit(
            [&](const auto& action) -> std::string {
                if constexpr (requires { action.operation; })
                    return std::string(name(program.local->operation(action.operation).kind));
                else
                    return {};
            },
            instruction.action);
    if (instruction.origin.valid() && instruction.origin.index < program.program->values.size())
        if (const std::string& path = *program.program->value(instruction.origin).path; !path.empty())
            text += ' ' + path;
    return text;
}

const char* categoryOf(const Instruction& instruction)
{
    return std::holds_alternative<CollectiveInstruction>(instruction.action) ? "communication"
        : std::holds_alternative<ControlInstruction>(instruction.action)     ? "control"
                                                                             : "compute";
}

void addEvent(std::string& out, const std::string& quotedName, const char* category, std::int32_t device, double start,
    double end)
{
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "\"pid\":0,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f", device, start * 1e6,
        (end - start) * 1e6);
    out += ",\n{\"name\":" + quotedName + ",\"cat\":\"" + category + "\",\"ph\":\"X\"," + numbers + '}';
}

} // namespace

std::string chromeTrace(const Run& run)
{
    const Plan& plan = run.plan();
    const Mesh& mesh = *plan.program->mesh;
    std::vector<std::vector<std::string>> names; // by block and instruction
    for (std::size_t block = 0; block < std::max<std::size_t>(plan.blocks.size(), 1); ++block) {
        names.emplace_back();
        for (const Instruction& instruction : plan.instructionsOf(block))
            names.back().push_back(quotedJson(nameOf(plan, instruction)));
    }
    std::string out = "{\"displayTimeUnit\":\"ms\",\"left_out\":" + std::to_string(run.untraced())
        + ",\"traceEvents\":[\n"
          R"({"name":"process_name","ph":"M","pid":0,"args":{"name":"simulated devices"}})";
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position) {
        const std::int32_t device = mesh.deviceAt(position);
        const std::string lane = std::to_string(device);
        out += R"(,
{"name":"thread_name","ph":"M","pid":0,"tid":)"
            + lane + R"(,"args":{"name":"device )" + lane + "\"}}";
        for (const InstructionTime& time : run.trace(position)) {
            const Instruction& instruction = plan.instructionsOf(time.block)[time.instruction];
            const std::string& own = names[time.block][time.instruction];
            if (time.wait > 0)
                addEvent(out, own, "wait", device, time.start - time.wait, time.start);
            addEvent(out, own, categoryOf(instruction), device, time.start, time.end);
        }
    }
    return out + "\n]}\n";
}

} // namespace shardscope
