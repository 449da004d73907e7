// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/diagnostics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/codes.h"
#include "base/letter_case.h"
#include "base/text.h"

namespace shardscope {

namespace {

using enum Severity;

constexpr std::array rows{
    CodeRow{ Code::Indivisible, "E101", Error, "not_divisible", "dimension does not divide by its mesh axes" },
    CodeRow{ Code::DevicesMismatch, "E102", Error, "devices_mismatch", "mesh does not fit the devices" },
    CodeRow{ Code::DuplicateDimension, "E103", Error, "duplicate_dimension", "dimension name used twice" },
    CodeRow{ Code::UnknownAxis, "E104", Error, "unknown_axis", "unknown mesh axis" },
    CodeRow{ Code::AtomSplit, "E105", Error, "atom_cut", "indivisible unit of a dimension is split" },
    CodeRow{ Code::AxisUsedTwice, "E106", Error, "axis_used_twice", "mesh axis used twice in one spec" },
    CodeRow{ Code::SpecTooLong, "E107", Error, "rank_too_small", "spec has more entries than the array dimensions" },
    CodeRow{ Code::NestedTuple, "E108", Error, "nested_tuple", "tuple inside a tuple in a spec" },
    CodeRow{ Code::RuleArity, "E109", Error, "bad_rule_arity", "rule is not a pair" },
    CodeRow{ Code::RulesType, "E110", Error, "bad_rules_type", "rules are not a sequence of pairs" },
    CodeRow{ Code::UnmatchedAxis, "E111", Error, "unmatched_axis", "dimension without a usable rule" },
    CodeRow{ Code::RuleConflict, "E112", Error, "inconsistent_rules", "combined rules contradict each other" },
    CodeRow{ Code::UnsupportedDims, "E113", Error, "unsupported_dims", "no standard rules for these dimensions" },
    CodeRow{ Code::DuplicateAxis, "E114", Error, "duplicate_axis", "mesh axis name used twice" },
    CodeRow{ Code::InvalidAxisSize, "E115", Error, "invalid_axis_size", "mesh axis size out of range" },
    CodeRow{ Code::NotALogicalSpec, "E116", Error, "not_a_logical_spec", "names that this Flax version cannot take" },
    CodeRow{ Code::Syntax, "E120", Error, "syntax", "text cannot be read" },
    CodeRow{ Code::DuplicateKey, "E121", Error, "duplicate_key", "key occurs twice" },
    CodeRow{ Code::WrongType, "E122", Error, "wrong_type", "value of another type expected" },
    CodeRow{ Code::MissingKey, "E123", Error, "missing_key", "required key is absent" },
    CodeRow{ Code::UnknownValue, "E124", Error, "unknown_value", "value is not one of the known ones" },
    CodeRow{ Code::OutOfRange, "E125", Error, "out_of_range", "number out of range" },
    CodeRow{ Code::TooLarge, "E126", Error, "too_large", "size beyond the limit" },
    CodeRow{ Code::NewerVersion, "E127", Error, "newer_version", "file of a newer major version" },
    CodeRow{ Code::NotAnExperiment, "E128", Error, "not_an_experiment", "not an experiment file" },
    CodeRow{ Code::Unreadable, "E129", Error, "unreadable", "file cannot be read" },
    CodeRow{ Code::Unwritable, "E130", Error, "unwritable", "file cannot be written" },
    CodeRow{ Code::Usage, "E131", Error, "usage", "arguments that cannot be used" },
    CodeRow{ Code::UnknownCommand, "E132", Error, "unknown_command", "no command of that name" },
    CodeRow{ Code::TypeMismatch, "E140", Error, "type_mismatch", "types of an operation do not fit" },
    CodeRow{ Code::InvalidOperand, "E141", Error, "invalid_operand", "operand of an operation is wrong" },
    CodeRow{ Code::InvalidAttribute, "E142", Error, "invalid_attribute", "attribute of an operation is wrong" },
    CodeRow{ Code::UnknownTensor, "E143", Error, "unknown_tensor", "no tensor of that path" },
    CodeRow{ Code::NotExecutable, "E144", Error, "not_executable", "operation cannot be executed" },
    CodeRow{ Code::OutOfMemory, "E145", Error, "out_of_memory", "run needs more memory than there is" },
    CodeRow{ Code::VersionMismatch, "E146", Error, "version_mismatch", "results of different revisions were mixed" },
    CodeRow{
        Code::DeviceCountMismatch, "E150", Error, "device_count_mismatch", "mesh shape and number of devices differ" },
    CodeRow{ Code::NoAxisAssignment, "E151", Error, "no_physical_axis_assignment",
        "mesh axis is no product of whole physical axes" },
    CodeRow{ Code::NoContiguousTopology, "E152", Error, "no_contiguous_topology",
        "no contiguous submeshes on this topology" },
    CodeRow{
        Code::NoContiguousShape, "E153", Error, "no_contiguous_mesh_shape", "no contiguous submeshes for this shape" },
    CodeRow{
        Code::NeedsOneDevicePerChip, "E154", Error, "needs_one_device_per_chip", "chips have more than one device" },
    CodeRow{ Code::DevicesDoNotFillBox, "E155", Error, "devices_do_not_fill_bounding_box",
        "devices do not fill a box of coordinates" },
    CodeRow{ Code::NotACuboid, "E156", Error, "not_a_cuboid", "two devices at one place" },
    CodeRow{
        Code::MeshShapeNotIntegers, "E157", Error, "mesh_shape_not_ints", "mesh shape is not made of whole numbers" },
    CodeRow{ Code::TooFewDevices, "E158", Error, "too_few_devices", "mesh needs more devices than there are" },
    CodeRow{ Code::AxisNamesLength, "E159", Error, "axis_names_length", "number of names and of mesh axes differ" },
    CodeRow{ Code::MultiSlice, "E160", Error, "multi_slice", "devices of several slices in one mesh" },
    CodeRow{
        Code::GranuleCountMismatch, "E161", Error, "granule_count_mismatch", "DCN shape and number of slices differ" },
    CodeRow{ Code::MissingGranuleAttribute, "E162", Error, "missing_granule_attribute", "devices without slices" },
    CodeRow{
        Code::SubmeshNotFactor, "E163", Error, "submesh_not_factor_of_global", "submesh does not divide the hardware" },
    CodeRow{
        Code::HostTiling, "E164", Error, "host_tiling_not_factor_or_multiple", "submesh cannot be tiled by hosts" },
    CodeRow{ Code::HostNotFactor, "E165", Error, "local_not_factor_of_global", "hosts do not divide the hardware" },
    CodeRow{
        Code::ZMajorNeedsAllCores, "E166", Error, "z_major_needs_all_cores", "whole row or plane without all cores" },
    CodeRow{ Code::SubmeshRank, "E167", Error, "submesh_rank", "submesh of another rank than the hardware" },
    CodeRow{ Code::NoDefaultMesh, "E168", Error, "no_default_mesh", "no default mesh for these devices" },
    CodeRow{ Code::GpuPartitions, "E169", Error, "gpu_partitions_not_factor_or_multiple",
        "partitions do not fit the devices of a host" },
    CodeRow{ Code::DcnShapeMismatch, "E170", Error, "dcn_shape_mismatch", "partitions do not fit the hosts" },
    CodeRow{ Code::ZeroDivision, "E171", Error, "zero_division", "division by a size of zero" },
    CodeRow{ Code::DuplicateDevice, "E172", Error, "duplicate_device", "device id used twice" },
    CodeRow{ Code::OrderShape, "E173", Error, "order_shape", "T5X makes a mesh of other sizes" },
    CodeRow{ Code::NoPartitionsAndNoSubmesh, "E180", Error, "no_partitions_and_no_submesh",
        "neither a number of partitions nor a submesh" },
    CodeRow{ Code::LocalDevicesNotContiguous, "E181", Error, "local_devices_not_contiguous",
        "devices of a host do not fill a block of the mesh" },
    CodeRow{ Code::NoLocalDevices, "E182", Error, "no_local_devices", "host without devices in the mesh" },
    CodeRow{ Code::TupleAxisNotSupported, "E183", Error, "tuple_axis_not_supported",
        "T5X cannot chunk a dimension over several mesh axes" },
    CodeRow{ Code::BatchNotDivisibleByDataMesh, "E184", Error, "batch_not_divisible_by_data_mesh_size",
        "batch does not divide by the devices along the data axes" },
    CodeRow{ Code::BatchNotDivisibleByShards, "E185", Error, "batch_not_divisible_by_data_shards",
        "batch does not divide by the hosts along the data axes" },
    CodeRow{ Code::FailedToMap, "E186", Error, "failed_to_map", "names of a parameter cannot be resolved" },
    CodeRow{ Code::UnresolvedAxisSize, "E187", Error, "unresolved_axis_size", "mesh axis sizes are left open" },
    CodeRow{ Code::UndefinedName, "E190", Error, "undefined_name", "name that stands for nothing" },
    CodeRow{ Code::DefinedTwice, "E191", Error, "defined_twice", "name defined twice" },
    CodeRow{ Code::DynamicShape, "E192", Error, "dynamic_shape", "size that only a run knows" },
    CodeRow{ Code::OperandType, "E193", Error, "operand_type", "type in the text is not that of the value" },
    CodeRow{ Code::CountMismatch, "E194", Error, "count_mismatch", "too many or too few" },
    CodeRow{ Code::AttributeMissing, "E195", Error, "attribute_missing", "operation lacks an attribute" },
    CodeRow{ Code::AttributeValue, "E196", Error, "attribute_value", "attribute has a wrong value" },
    CodeRow{ Code::NoProgram, "E197", Error, "no_program", "text without a program" },
    CodeRow{ Code::CompiledProgram, "E198", Error, "compiled_program", "program that has been partitioned already" },
    CodeRow{ Code::NotComparable, "E199", Error, "not_comparable", "texts that cannot be compared" },
    CodeRow{ Code::RankMismatch, "E401", Error, "rank_mismatch", "sharding is of another rank than the array" },
    CodeRow{ Code::BadReshape, "E402", Error, "bad_reshape", "devices do not fill the grid" },
    CodeRow{ Code::BadAxis, "E403", Error, "bad_axis", "axis out of range or used twice" },
    CodeRow{ Code::UnknownMemoryKind, "E404", Error, "unknown_memory_kind", "memory that the devices lack" },
    CodeRow{ Code::TileDevices, "E405", Error, "device_count_differs_from_tiles", "tiles and devices do not match" },
    CodeRow{ Code::DeviceCount, "E406", Error, "device_count_differs_from_num_devices", "tiles of other devices" },
    CodeRow{ Code::SingleTile, "E407", Error, "single_device_tile", "tiles of a single device" },
    CodeRow{ Code::DeviceOutOfRange, "E408", Error, "device_id_out_of_range", "device number out of range" },
    CodeRow{ Code::DeviceTwice, "E409", Error, "device_twice", "device listed twice" },
    CodeRow{
        Code::UnsupportedSharding, "E410", Error, "unsupported_sharding", "kind of sharding that is not used here" },
    CodeRow{ Code::NotOnMesh, "E411", Error, "not_on_mesh", "sharding does not follow the mesh axes" },
    CodeRow{ Code::MissingMesh, "E412", Error, "missing_mesh", "sharding needs a mesh" },
    CodeRow{ Code::MeshMismatch, "E413", Error, "mesh_mismatch", "sharding is over another mesh" },
    CodeRow{ Code::BadSubAxis, "E414", Error, "bad_sub_axis", "part of an axis that does not fit" },
    CodeRow{ Code::OverlappingAxes, "E415", Error, "overlapping_axes", "parts of an axis overlap" },
    CodeRow{ Code::AxisOrder, "E416", Error, "axis_order", "axes are not in the order of the mesh" },
    CodeRow{ Code::BadPriority, "E417", Error, "priority", "priority without anything to propagate" },
    CodeRow{ Code::NonNamedLeaf, "E418", Error, "non_named_leaf", "array without names" },
    CodeRow{ Code::OnlyRankOneAndTwo, "E419", Error, "only_rank_1_and_2", "grid of an array of another rank" },
    CodeRow{ Code::MixedMemoryKinds, "E420", Error, "mixed_memory_kinds", "operands lie in different memories" },
    CodeRow{ Code::UnknownMesh, "E430", Error, "unknown_mesh", "mesh that nothing declares" },
    CodeRow{ Code::SubAxisDoesNotDivide, "E431", Error, "bad_sub_axis_pre_size", "part that does not divide its axis" },
    CodeRow{ Code::BadMesh, "E432", Error, "mesh", "declaration of a mesh is wrong" },
    CodeRow{ Code::BadFactor, "E433", Error, "factor", "factor of a sharding rule is wrong" },
    CodeRow{ Code::BadRule, "E434", Error, "sharding_rule", "sharding rule does not fit its operation" },
    CodeRow{ Code::ManualAxes, "E435", Error, "manual_axes", "manual axes of a computation are wrong" },
    CodeRow{ Code::LocalShape, "E436", Error, "local_shape", "shape inside a manual computation is wrong" },
    CodeRow{ Code::CollectiveMismatch, "E437", Error, "expectation_mismatch",
        "collective does not make the sharding that it states" },
    CodeRow{ Code::BadCollective, "E438", Error, "collective", "collective is wrong" },
    CodeRow{ Code::UnreducedAxes, "E439", Error, "unreduced", "partial values appear or are dropped" },
    CodeRow{ Code::MaximalMesh, "E440", Error, "maximal_mesh", "argument or result on a single device" },
    CodeRow{ Code::ShardingCount, "E441", Error, "sharding_count", "number of shardings is wrong" },
    CodeRow{ Code::TupleSharding, "E442", Error, "tuple_sharding", "one sharding for a tuple of several" },
    CodeRow{ Code::BadManualComputation, "E443", Error, "manual_computation", "manual computation is wrong" },
    CodeRow{ Code::BadEdge, "E444", Error, "data_flow_edge", "data-flow edge is wrong" },
    CodeRow{ Code::BadBarrier, "E445", Error, "propagation_barrier", "barrier that stops nothing" },
    CodeRow{ Code::BadProvenance, "E446", Error, "provenance", "recorded propagation is wrong" },
    CodeRow{ Code::BadShardingGroup, "E447", Error, "bad_sharding_group", "members that cannot have one sharding" },
    CodeRow{ Code::PermutePairs, "E450", Error, "permute_pairs_not_unique", "a device sends or receives twice" },
    CodeRow{ Code::GroupsDoNotCover, "E451", Error, "groups_do_not_cover_axis", "groups do not cover their axes once" },
    CodeRow{ Code::EmptyMesh, "E452", Error, "empty_mesh", "mesh without axes" },
    CodeRow{ Code::ReplicationNotInferred, "E453", Error, "replication_not_inferred",
        "copies that may differ are called equal" },
    CodeRow{ Code::UnknownArchitecture, "E460", Error, "unknown_architecture", "model of an unknown architecture" },
    CodeRow{ Code::UnsupportedBlock, "E461", Error, "unsupported_block", "model with a block that networks lack" },
    CodeRow{ Code::ContradictoryFields, "E462", Error, "contradictory_fields", "values that contradict each other" },
    CodeRow{ Code::SilentlyReplicated, "W201", Warning, "silently_replicated", "array silently replicated" },
    CodeRow{ Code::RuleUnused, "W202", Warning, "rule_unused", "rule never used" },
    CodeRow{ Code::AxisBusy, "W203", Warning, "axis_busy", "mesh axis already used by another dimension" },
    CodeRow{ Code::NullBlocksRule, "W204", Warning, "null_blocks_rule", "a None rule blocks a later rule" },
    CodeRow{ Code::TupleLostAxes, "W205", Warning, "tuple_lost_axes", "one busy axis lost a whole tuple" },
    CodeRow{ Code::ConstraintInactive, "W206", Warning, "constraint_inactive", "sharding constraint is not active" },
    CodeRow{
        Code::FullRematerialise, "W207", Warning, "full_rematerialise", "array is gathered in full and sharded again" },
    CodeRow{ Code::SlowLinkCollective, "W208", Warning, "slow_link_collective", "collective over a slow link" },
    CodeRow{ Code::OverMemoryLimit, "W209", Warning, "over_memory_limit", "device memory exceeded" },
    CodeRow{ Code::MeshNameInLogicalModel, "W210", Warning, "mesh_name_in_logical_model",
        "mesh axis name inside a logical model" },
    CodeRow{ Code::RuleUnknownAxis, "W211", Warning, "rule_unknown_axis", "rule names an axis that the mesh lacks" },
    CodeRow{ Code::AxisUnused, "W212", Warning, "axis_unused", "no array is sharded along a mesh axis" },
    CodeRow{ Code::ParallelismWithoutAxis, "W213", Warning, "parallelism_without_axis",
        "parallelism of an axis that the mesh lacks" },
    CodeRow{ Code::SubmeshNotFourSizes, "W214", Warning, "submesh_not_four_sizes", "submesh without four sizes" },
    CodeRow{ Code::PartitionsAndSubmesh, "W215", Warning, "partitions_and_submesh",
        "both a number of partitions and a submesh" },
    CodeRow{ Code::ChunkTruncated, "W216", Warning, "chunk_truncated", "elements that belong to no host's chunk" },
    CodeRow{ Code::RulesElsewhere, "W217", Warning, "rules_elsewhere", "rules and mesh stand in another file" },
    CodeRow{
        Code::ShardingGroupConflict, "W218", Warning, "sharding_group", "members of a group have other shardings" },
    CodeRow{ Code::PartitionsMismatch, "W219", Warning, "partitions_mismatch",
        "partitions of T5X and the mesh contradict each other" },
    CodeRow{ Code::UnknownKey, "W220", Warning, "unknown_key", "unknown key, kept" },
    CodeRow{ Code::CommentsLost, "W221", Warning, "comments_lost", "comments are lost on save" },
    CodeRow{ Code::NewerMinorVersion, "W222", Warning, "newer_minor_version", "file of a newer minor version" },
    CodeRow{ Code::OpaqueOperation, "W230", Warning, "opaque_operation", "operation that is not known, kept" },
    CodeRow{ Code::FunctionDeclared, "W231", Warning, "function_declared", "function without a body" },
    CodeRow{ Code::ConstantElided, "W232", Warning, "constant_elided", "constant without its elements" },
    CodeRow{ Code::FurtherPrograms, "W233", Warning, "further_programs", "further programs in a text" },
    CodeRow{ Code::UnknownCustomCall, "W234", Warning, "unknown_custom_call", "custom call that is not known" },
    CodeRow{ Code::ShardingIgnored, "W235", Warning, "sharding_ignored", "annotation that does not count" },
    CodeRow{ Code::ExplicitMode, "W236", Warning, "explicit_mode", "refused by JAX's explicit mode" },
    CodeRow{ Code::ReplicationUnproven, "W237", Warning, "replication_unproven",
        "results said to be the same on all devices may differ" },
    CodeRow{ Code::InitialNotUsed, "W238", Warning, "initial_not_used", "chosen values that no argument begins with" },
    CodeRow{ Code::RunSettingNotUsed, "W239", Warning, "run_setting_not_used",
        "a state or a role that the program has no use for" },
    CodeRow{ Code::FieldLeftOut, "W240", Warning, "field_left_out", "part of a model that its network lacks" },
    CodeRow{ Code::UnknownField, "W241", Warning, "unknown_field", "field that is not known, not read" },
    CodeRow{ Code::UnverifiedArchitecture, "W242", Warning, "unverified_architecture",
        "architecture that no real file has confirmed" },
    CodeRow{ Code::SettingWithoutEffect, "W243", Warning, "setting_without_effect", "setting that changes nothing" },
    CodeRow{
        Code::LargeReplicated, "W244", Warning, "large_replicated", "large parameters held in full by every device" },
    CodeRow{ Code::PipelineAxis, "W245", Warning, "pipeline_axis", "mesh axis for a pipeline, which is not modelled" },
    CodeRow{ Code::UnevenArgument, "W246", Warning, "uneven_argument", "argument that its sharding does not divide" },
    CodeRow{ Code::NameWithoutRule, "W247", Warning, "name_without_rule", "logical name that nothing else has" },
    CodeRow{ Code::SizeOneAxis, "I301", Info, "size_one_axis", "mesh axis of size 1" },
    CodeRow{ Code::ProgramNotRun, "I302", Info, "program_not_run", "program that is laid out, not run" },
    CodeRow{ Code::Acknowledged, "I303", Info, "acknowledged", "warning that the experiment acknowledges" },
    CodeRow{ Code::LimitOutOfReach, "I305", Info, "limit_out_of_reach", "limit that nothing reaches" },
    CodeRow{ Code::OwnRandomNumbers, "I306", Info, "own_random_numbers",
        "random numbers that another implementation draws otherwise" },
};

/// Letters to insert, remove or replace, and neighbours to swap.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> twoBefore, before, row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{ 0 });
    for (std::size_t i = 1; i <= a.size(); ++i) {
        twoBefore = std::exchange(before, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({ before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1) });
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], twoBefore[j - 2] + 1);
        }
    }
    return row.back();
}

/// The fewest digits that read as the same number.
std::string shortest(double value)
{
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return { text.data(), end };
}

} // namespace

std::span<const CodeRow> codeRegistry()
{
    return rows;
}

const CodeRow& codeRow(Code code)
{
    const auto found = std::find_if(rows.begin(), rows.end(), [code](const CodeRow& row) { return row.code == code; });
    if (found == rows.end())
        std::abort(); // a code without a row is a programming error; a test walks all of them
    return *found;
}

const ArgValue* Diagnostic::arg(std::string_view name) const
{
    const auto found = std::find_if(args.begin(), args.end(), [name](const Arg& a) { return a.name == name; });
    return found == args.end() ? nullptr : &found->value;
}

std::string Diagnostic::text(std::string_view name) const
{
    const ArgValue* value = arg(name);
    if (!value)
        return {};
    if (const auto* s = std::get_if<std::string>(value))
        return *s;
    if (const auto* i = std::get_if<std::int64_t>(value))
        return std::to_string(*i);
    if (const auto* d = std::get_if<double>(value))
        return shortest(*d);
    return join(std::get<std::vector<std::string>>(*value), ", ");
}

std::int64_t Diagnostic::number(std::string_view name) const
{
    const ArgValue* value = arg(name);
    if (!value)
        return 0;
    if (const auto* i = std::get_if<std::int64_t>(value))
        return *i;
    if (const auto* d = std::get_if<double>(value))
        return static_cast<std::int64_t>(*d);
    return 0;
}

std::vector<std::string> Diagnostic::list(std::string_view name) const
{
    const ArgValue* value = arg(name);
    if (!value)
        return {};
    if (const auto* items = std::get_if<std::vector<std::string>>(value))
        return *items;
    return { text(name) };
}

std::string nearestName(std::string_view name, std::span<const std::string> known)
{
    const auto lower = [](std::string_view text) {
        std::string made(text);
        for (char& c : made)
            c = lowerCase(c);
        return made;
    };
    for (const std::string& candidate : known)
        if (lower(candidate) == lower(name))
            return candidate;
    std::string best;
    constexpr std::size_t leastBeginning = 2; // one letter begins too much
    for (const std::string& candidate : known)
        if (name.size() >= leastBeginning && candidate.starts_with(name)
            && (best.empty() || candidate.size() < best.size()))
            best = candidate;
    if (!best.empty())
        return best;
    // One typing slip in a short name, a few in a long one; a single letter is like no other.
    constexpr std::size_t shortName = 4;
    std::size_t bestDistance = name.size() <= shortName ? std::min<std::size_t>(2, name.size()) : name.size() / 3 + 2;
    for (const std::string& candidate : known) {
        const std::size_t distance = editDistance(name, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

std::vector<Arg> withNearest(std::vector<Arg> args, std::string_view name, std::span<const std::string> known)
{
    if (std::string nearest = nearestName(name, known); !nearest.empty())
        args.emplace_back("nearest", std::move(nearest));
    return args;
}

} // namespace shardscope
