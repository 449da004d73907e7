// SPDX-License-Identifier: GPL-3.0-or-later
// Modules of HLO text: read, their collectives listed, and every attribute that is known looked at.
#include <algorithm>

#include "fuzz/fuzz.h"
#include "hlo/collectives.h"
#include "hlo/read.h"
#include "hlo/to_stablehlo.h"
#include "program/op_row.h"

namespace shardscope::fuzz {

namespace {

/// The program that the text is, where it is one: its errors are at places of the text.
std::string checkProgram(std::string_view text)
{
    std::vector<Diagnostic> findings;
    const Result<ReadProgram> read = readProgram(text, { .keepIllegalShardings = true, .findings = &findings });
    for (const Diagnostic& finding : findings)
        if (std::string wrong = checkError(finding, text); !wrong.empty())
            return wrong;
    if (!read)
        return checkError(read.error(), text);
    for (const Diagnostic& wrong : verify(read->program))
        if (std::string unusable = checkError(wrong, text); !unusable.empty())
            return unusable;
    for (const std::uint32_t name : read->names)
        if (name != ReadProgram::noName && name > text.size())
            return "a name beyond the text";
    return {};
}

/// "" when all that a module refers to is there, and in the text.
std::string checkModule(const HloModule& module)
{
    for (const HloInstruction& instruction : module.instructions) {
        if (instruction.computation >= module.computations.size() || instruction.shape >= module.shapes.size()
            || instruction.opcode >= module.opcodes.size())
            return "an index beyond its table";
        const std::uint32_t own = module.indexOf(instruction);
        const HloComputation& computation = module.computations[instruction.computation];
        for (const std::uint32_t operand : module.operandsOf(instruction))
            if (operand >= own || operand < computation.firstInstruction)
                return "an operand that does not stand before its reader";
    }
    for (const HloComputation& computation : module.computations)
        if (computation.root != noHloIndex
            && (computation.root < computation.firstInstruction
                || computation.root >= computation.firstInstruction + computation.instructionCount))
            return "a root outside of its computation";
    return {};
}

std::string runHloModule(std::string_view text)
{
    const Result<HloModule> module = readHlo(text);
    if (!module)
        return checkError(module.error(), text);
    if (std::string wrong = checkModule(*module); !wrong.empty())
        return wrong;
    for (const HloInstruction& instruction : module->instructions) {
        (void)hloMetadata(*module, instruction);
        (void)hloFrontendAttribute(*module, module->attribute(instruction, "frontend_attributes"), "k");
    }
    if (const auto aliases = hloAliases(*module); !aliases)
        if (std::string wrong = checkError(aliases.error(), text); !wrong.empty())
            return wrong;
    const Result<HloCollectives> found = collectivesOf(*module);
    if (!found)
        return checkError(found.error(), text);
    for (const HloCollective& collective : found->list)
        if (collective.bytesIn < 0 || collective.bytesOut < 0 || collective.executions.value_or(0) < 0)
            return "a negative number of bytes or executions";
    return checkProgram(text);
}

} // namespace

Target hloModuleTarget()
{
    return { "hlo_module",
        {
            R"(HloModule jit_step, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, entry_computation_layout={(f32[8]{0})->(f32[8]{0})}, num_partitions=4

FileNames
1 "train.py"

FunctionNames
1 "step"

FileLocations
1 {file_name_id=1 function_name_id=1 line=38 end_line=39 column=3 end_column=7}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

%body (t: (s32[], f32[8])) -> (s32[], f32[8]) {
  %t = (s32[], f32[8]{0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %x = f32[8]{0} get-tuple-element(%t), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %g = f32[32]{0} all-gather(%x), channel_id=7, replica_groups=[1,4]<=[2,2]T(1,0), dimensions={0}, use_global_device_ids=true, metadata={op_name="jit(f)/while/body/dot[\'x\']" stack_frame_id=1}
  %r = f32[32]{0} all-reduce(%g), replica_groups=mesh['x'=2,'y'=2] {'y'}, to_apply=%add
  %d = f32[8]{0} dynamic-slice(%r, %i), dynamic_slice_sizes={8}
  ROOT %n = (s32[], f32[8]{0}) tuple(%next, %d)
}

%condition (t: (s32[], f32[8])) -> pred[] {
  %t = (s32[], f32[8]{0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %n = s32[] constant(5)
  ROOT %c = pred[] compare(%i, %n), direction=LT
}, execution_thread="main"

ENTRY %main (p: f32[8]) -> (f32[8]) {
  %p = f32[8]{0:T(128)S(1)} parameter(0), sharding={devices=[4]<=[4]}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}]>",k="v"}
  %zero = s32[] constant(0)
  %init = (s32[], f32[8]{0}) tuple(%zero, %p)
  %loop = (s32[], f32[8]{0}) while(%init), condition=%condition, body=%body, backend_config={"known_trip_count":{"n":"5"}}
  %y = f32[8]{0} get-tuple-element(%loop), index=1
  ROOT %z = (f32[8]{0}) tuple(%y), sharding={{devices=[2,2]<=[4] last_tile_dim_replicate}}
}
)",
            R"(HloModule m, replica_count=2

inside {
  a = bf16[4,<=8]{1,0} parameter(0)
  ROOT rs = bf16[4,?] reduce-scatter(a), replica_groups={{0,1}}, dimensions={0}
}

ENTRY main {
  p = bf16[4,<=8]{1,0} parameter(0)
  s = ((bf16[4,<=8]), /*index=1*/bf16[4,?], u32[]{:S(8)}) async-start(bf16[4,<=8]{1,0} p), calls=inside
  d = bf16[4,?] async-done(((bf16[4,<=8]), bf16[4,?], u32[]) s), calls=inside
  c = f32[2]{0} constant({1, /*i*/2}) // two
  t = token[] after-all()
  k = bf16[4,?] custom-call(d, c), custom_call_target="x", frontend_attributes={kernel_metadata={
"m":"{\"q\": 1}"
}}, backend_config="{\"a\":[1]}"
  ROOT q = f32[2]{0} collective-permute(c), source_target_pairs={{0,1},{1,0}}, channel_id=1
}
)",
            R"(HloModule before, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = pred[] compare(a, b), direction=LT, type=TOTALORDER
}

f {
  x = f32[8,4] parameter(0)
  zero = f32[] constant(0)
  r = f32[8] reduce(x, zero), dimensions={1}, to_apply=add
  ROOT t = (f32[8], f32[8,4]) tuple(r, x)
}

ENTRY main {
  p = f32[8,4] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}, {}]>"}
  i = s32[3,1] constant({ {0}, {2}, {1} })
  image = f32[2,8,8,3] parameter(1)
  kernel = f32[3,3,3,4] parameter(2)
  c = f32[2,4,4,4] convolution(image, kernel), window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=b01f_01io->b01f
  zero = f32[] constant(-inf)
  w = f32[2,4,4,3] reduce-window(image, zero), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=add
  both = (f32[8], f32[8,4]) call(p), to_apply=f
  x = f32[8,4] get-tuple-element(both), index=1
  g = f32[3,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
  n = f32[8,4] scatter(x, i, g), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
  o = f32[8,4] sort(n), dimensions={1}, is_stable=true, to_apply=less
  h = f32[9,6] pad(o, zero), padding=0_1x1_1_0
  l = f32[4,3] slice(h), slice={[0:8:2], [0:3]}
  d = f32[4,4] dot(l, l), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  y = f32[4,4] custom-call(d), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {\"y\"}]>]>"}
  k = (f32[4,2], s32[4,2]) topk(y), k=2, largest=true
  q = pred[] constant(true)
  ROOT z = f32[4,4] conditional(q, d, y), true_computation=same, false_computation=same
}

same {
  ROOT x = f32[4,4] parameter(0)
}
)",
        },
        runHloModule, { { "HloModule m\nENTRY e {\n", "  v# = f32[#] constant(#)\n", "}\n" } } };
}

} // namespace shardscope::fuzz
