// SPDX-License-Identifier: GPL-3.0-or-later
// The registry of diagnostic codes. Codes are registered once, here, and never reused; the comment after a code lists
// the arguments that its diagnostics carry. E1xx and E4xx are errors, W2xx warnings, I3xx information.
#pragma once

#include <cstdint>

#include "base/diagnostics.h"

namespace shardscope {

/// The number of a code is the number after its letter: Code::Indivisible is E101.
enum class Code : std::uint16_t {
    // Meshes, shardings and rules
    Indivisible = 101, ///< dim, size, partitions
    DevicesMismatch = 102, ///< product, devices
    DuplicateDimension = 103, ///< dims (names that occur twice)
    UnknownAxis = 104, ///< axis, known (list)
    AtomSplit = 105, ///< as Indivisible, of what counts heads or experts; largest: the most parts that it divides by
    AxisUsedTwice = 106, ///< axes (list); rule (from 1) where a rule names it twice
    SpecTooLong = 107, ///< spec_len, rank
    NestedTuple = 108, ///< rule (from 1) where it stands in a rule
    RuleArity = 109, ///< rule (index), length
    RulesType = 110,
    UnmatchedAxis = 111, ///< dims (list)
    RuleConflict = 112, ///< alias, rule1, rule2: composite rules contradict each other
    UnsupportedDims = 113, ///< activation, parameter
    DuplicateAxis = 114, ///< axis: a mesh axis name used twice
    InvalidAxisSize = 115, ///< axis, size; devices, others, possible (list) if no other axis takes the inverse
    NotALogicalSpec = 116, ///< the 2024 Flax cannot take unconstrained names in a constraint
    // Files and values in them
    Syntax = 120, ///< expected, found, kind
    DuplicateKey = 121, ///< key; other: the one beside it that says the same in another form
    WrongType = 122, ///< key, expected, found
    MissingKey = 123, ///< key; architecture that needs it
    UnknownValue = 124, ///< key, value, known (list), nearest
    OutOfRange = 125, ///< key, value, min, max or below (itself excluded)
    TooLarge = 126, ///< what, bytes or count, limit
    NewerVersion = 127, ///< version, supported
    NotAnExperiment = 128, ///< format
    Unreadable = 129, ///< file, reason; nearest: an example
    Unwritable = 130, ///< file, reason
    // Arguments of a command
    Usage = 131, ///< what; command; option: the one that may be meant
    UnknownCommand = 132, ///< name, nearest
    // Programs
    // What a person can cause has named arguments (`wrong` says what it is); `detail` is for errors of the program.
    TypeMismatch = 140, ///< op, detail; of given values: wrong (given, argument), given, type; wrong unranked: type,
    ///< argument (of a function)
    InvalidOperand = 141, ///< op, detail
    InvalidAttribute =
        142, ///< op, detail; or wrong, ...; of a device order devices, and named, device or unknown_device
    UnknownTensor = 143, ///< path, nearest; of several values called so: several, known (list of the first ones)
    NotExecutable = 144, ///< op; operand, dim, size, partitions: a sum over what does not divide; or wrong: custom_call
    ///< target, type type, body inner, transfer, several_programs, function, unknown, diverged
    ///< (found, devices), groups and groups_twice (device, devices), groups_size (found), other_devices, shape (found,
    ///< expected), single_device (mesh, device), whole_operand and
    ///< other_kind (axes, found, expected), loop_limit (value, limit)
    OutOfMemory = 145, ///< bytes, limit; alone_bytes and shared_bytes where less would fit
    VersionMismatch = 146, ///< detail: an internal result of another revision was handed over
    // Devices and their order
    DeviceCountMismatch = 150, ///< shape, product, devices, shapes (that work); granule, by: inside a slice or host
    NoAxisAssignment = 151, ///< axis (index), axis_name, size, physical, remaining, shapes
    NoContiguousTopology = 152, ///< topology, shape, topologies
    NoContiguousShape = 153, ///< topology, shape, shapes
    NeedsOneDevicePerChip = 154, ///< kind, core
    DevicesDoNotFillBox = 155, ///< box, places, devices, missing (places)
    NotACuboid = 156, ///< box, twice (places), missing
    MeshShapeNotIntegers = 157, ///< found
    TooFewDevices = 158, ///< shape, product, devices, shapes
    AxisNamesLength = 159, ///< names, axes
    MultiSlice = 160, ///< product, slices, in_slice (devices of the first slice)
    GranuleCountMismatch = 161, ///< by, granules, shape, product, shapes
    MissingGranuleAttribute = 162, ///< platform
    SubmeshNotFactor = 163, ///< submesh, bounds, host, submeshes (that work)
    HostTiling = 164, ///< as SubmeshNotFactor, and untiled: works without tiling
    HostNotFactor = 165, ///< as SubmeshNotFactor
    ZMajorNeedsAllCores = 166, ///< as SubmeshNotFactor
    SubmeshRank = 167, ///< as SubmeshNotFactor
    NoDefaultMesh = 168, ///< kind, partitions, bounds, partitions_list, submeshes
    GpuPartitions = 169, ///< partitions, hosts, local, partitions_list
    DcnShapeMismatch = 170, ///< as GpuPartitions
    ZeroDivision = 171, ///< submesh or partitions: a size of 0
    DuplicateDevice = 172, ///< id
    OrderShape = 173, ///< shape (that T5X makes; empty where it makes none of so many axes), wanted
    // Hosts and partitioners
    NoPartitionsAndNoSubmesh = 180,
    LocalDevicesNotContiguous = 181, ///< host, devices, block: the smallest block around them
    NoLocalDevices = 182, ///< host
    TupleAxisNotSupported = 183, ///< dim, axes (list)
    BatchNotDivisibleByDataMesh = 184, ///< batch, size
    BatchNotDivisibleByShards = 185, ///< batch, shards
    FailedToMap = 186, ///< parameter, cause (kind of the error), dims (list): a parameter's names cannot be resolved
    UnresolvedAxisSize = 187, ///< axes (list): sizes that are left open (-1) and cannot be worked out
    // Texts of programs
    UndefinedName = 190, ///< what (value, alias, type, mesh, resource, computation), name; known (list), if any
    DefinedTwice = 191, ///< what (value, alias, mesh, function, computation, entry, root), name
    DynamicShape = 192, ///< type
    OperandType = 193, ///< op, index, given, actual: the type in the text is not the value's
    CountMismatch = 194, ///< what (types, results, shardings, elements, bytes, ...), found, wanted, of
    AttributeMissing = 195, ///< op, attribute
    AttributeValue = 196, ///< attribute, value, wanted
    NoProgram = 197, ///< a text without a function; wrong: entry (of HLO text that ends before it), hlo (a .hlo that
    ///< does not begin so), of files that are no text in UTF-8 bytecode, gzip, utf16, binary, and of files that hold
    ///< something else table, hugging_face, maxtext
    CompiledProgram = 198, ///< what XLA has made for each device was to be laid out otherwise
    NotComparable = 199, ///< wrong: program (a text that XLA has not compiled), order (the other one is compiled),
    ///< devices; devices, wanted
    // Forms of shardings
    RankMismatch = 401, ///< sharding_rank, rank; in programs wrong: rank, token, unranked, maximal, lists, mapping
    BadReshape = 402, ///< shape, cells
    BadAxis = 403, ///< axes, rank: out of range, or twice
    UnknownMemoryKind = 404, ///< kind, platform, known (list)
    TileDevices = 405, ///< tiles, devices: so many are listed
    DeviceCount = 406, ///< tiles, devices: so many there are
    SingleTile = 407,
    DeviceOutOfRange = 408, ///< device, devices
    DeviceTwice = 409, ///< device
    UnsupportedSharding = 410, ///< form
    NotOnMesh = 411, ///< known (list): not parts by axes of the mesh
    MissingMesh = 412,
    MeshMismatch = 413, ///< found, expected; of two meshes of a program found_axes, expected_axes
    BadSubAxis = 414, ///< axis, and pre, size, whole; or axis, other
    OverlappingAxes = 415, ///< axis, other; or wrong dimension, dim
    AxisOrder = 416, ///< axis, other; or wrong dimension, dim, other
    BadPriority = 417,
    NonNamedLeaf = 418, ///< leaf: an array without names
    OnlyRankOneAndTwo = 419, ///< rank
    MixedMemoryKinds = 420, ///< op, kinds (list): operands that lie in different memories
    // Shardings in programs. All say where: op (or function), role and index, as program/verify_shardings.h has it; so
    // do
    // UnknownAxis, AxisUsedTwice, RankMismatch and others when they are found there.
    UnknownMesh = 430, ///< mesh, known (list)
    SubAxisDoesNotDivide = 431, ///< axis, pre, size, whole
    BadMesh =
        432, ///< mesh, wrong: no_axes devices; ids found, devices; id device, devices; id_twice device; plain_order
    BadFactor =
        433, ///< wrong: none, range, twice, size_one, unused, order, two_kinds, reduced; factor; side, tensor, dim
    BadRule = 434, ///< wrong: operands, results (found, expected); list (list, factor); unreadable (found)
    ManualAxes = 435, ///< wrong: unknown axis, known; twice axis; order axis, other, dim; divide dim, size, partitions
    LocalShape = 436, ///< expected, found
    CollectiveMismatch = 437, ///< expected, found: shardings
    BadCollective =
        438, ///< wrong: operand_sharding, empty, empty_move, dimension, mesh, same_mesh, kind, suffix, size; ...
    UnreducedAxes = 439, ///< wrong: introduced, removed, both with _kind, kind, nonlinear (kind), whole, list,
    ///< returned, call_operand,
    ///< call_result, no_sharding; axes or found, expected
    MaximalMesh = 440, ///< a function's argument or result on one device
    ShardingCount = 441, ///< found, expected
    TupleSharding = 442, ///< elements
    BadManualComputation =
        443, ///< wrong: body_argument, body_result (found, expected), meshes, again, bound (axis), outside
    BadEdge = 444, ///< wrong: shape, users, function, owner
    BadBarrier = 445,
    BadProvenance =
        446, ///< wrong: negative, step_twice (step), self, target_twice, range (step, found), no_sharding, unreadable
    BadShardingGroup = 447, ///< group, wrong: shape (found, expected), manual
    // Per-device programs
    PermutePairs = 450, ///< axes (list), source or target: named twice
    GroupsDoNotCover = 451, ///< axes (list), size
    EmptyMesh = 452,
    ReplicationNotInferred = 453, ///< result, axes (list); origin (operation) or argument: where the first one is from
    // Configurations of published models
    UnknownArchitecture = 460, ///< name, known (list); nearest
    UnsupportedBlock = 461, ///< architecture, key, value: a block that the networks lack
    ContradictoryFields = 462, ///< key, value, other, other_value, wrong: divide, at_most, equal
    // Warnings
    SilentlyReplicated = 201, ///< tensor, dim, size, partitions, bytes
    /// rule; nearest: a name without a rule. Or within, nearest: all for a part of the model. Or rules: all there are.
    RuleUnused = 202,
    AxisBusy = 203, ///< rule, axis, tensor, dim, by_dim, by_rule; others: the rule shards other arrays
    NullBlocksRule = 204, ///< rule, blocked
    TupleLostAxes = 205, ///< rule, axes, tensor
    ConstraintInactive = 206, ///< tensor, reason
    FullRematerialise = 207,
    SlowLinkCollective = 208, ///< axis, collectives, bytes; slices where these are joined by slow links
    OverMemoryLimit = 209, ///< bytes, limit
    MeshNameInLogicalModel = 210, ///< tensor, axes
    RuleUnknownAxis = 211, ///< rule, axis
    AxisUnused = 212, ///< axis, size: no array of the experiment is sharded along it; pipeline: it is named for one
    ParallelismWithoutAxis = 213, ///< key, size: MaxText ignores it, since mesh_axes lacks the axis
    SubmeshNotFourSizes = 214, ///< length
    PartitionsAndSubmesh = 215, ///< partitions
    ChunkTruncated = 216, ///< dim, size, chunks, uncovered: elements that belong to no host's chunk
    RulesElsewhere = 217, ///< key, value: a MaxText configuration takes mesh and rules from another file; taken: it has
    ///< none, and those of this published set are taken
    ShardingGroupConflict = 218, ///< group, found, expected: members with different shardings
    PartitionsMismatch = 219, ///< T5X: partitions asked for do not fit the mesh that is given
    UnknownKey = 220, ///< key, nearest, known (list): kept as it is
    CommentsLost = 221, ///< comments in a file are dropped on save
    NewerMinorVersion = 222, ///< version, supported
    OpaqueOperation = 230, ///< op, nearest: kept, but nothing is known of it
    FunctionDeclared = 231, ///< name: has no body and is left out
    ConstantElided = 232, ///< type: the text leaves the elements out
    FurtherPrograms = 233, ///< count: programs of the text that are not read
    UnknownCustomCall = 234, ///< target: nothing passes it
    ShardingIgnored =
        235, ///< op, attribute: a second way of annotation that does not count beside the first; or found,
    ///< expected: so many shardings for so many results
    ExplicitMode = 236, ///< op, wrong (explicit_mode.h), ...: JAX's explicit mode would refuse it
    ReplicationUnproven = 237, ///< as ReplicationNotInferred: of a program that was read
    InitialNotUsed = 238, ///< argument (as it was given), value, wrong: name (nearest, known); kind (type, known)
    RunSettingNotUsed =
        239, ///< key: state, of a network that has its own; or argument, known: a role for no argument; or
    ///< tf.aliasing_output, argument, value, of a program: results (so many there are), other (argument that has that
    ///< result) or given, type (of argument and result)
    FieldLeftOut = 240, ///< key, value: of a model's configuration, which the network lacks; without more it changes no
    ///< shape; parameters: missing (of a part that is left out), language_model (it names another head)
    UnknownField = 241, ///< key, nearest: of a model's configuration, and nothing is read from it
    UnverifiedArchitecture = 242, ///< architecture: its reader has seen no real file
    SettingWithoutEffect = 243, ///< settings (list of keys), needs (key), values (list): they count only where that has
    ///< one of these (is not 0)
    LargeReplicated = 244, ///< tensors, bytes, of (parameters of a device), devices: held in full by all of them
    PipelineAxis =
        245, ///< axis, size: named for a pipeline, which is not modelled; parts: parameters are sharded along it
    UnevenArgument = 246, ///< dim, size, partitions, axes (list): an argument of a program is padded, which JAX refuses
    NameWithoutRule =
        247, ///< name, nearest: in a constraint or a parameter's spec, and neither a rule nor an array has it
    // Information
    SizeOneAxis = 301, ///< axis
    ProgramNotRun = 302, ///< a program that was read is laid out, and no step of it runs
    Acknowledged = 303, ///< finding ("W206"), reason, and the arguments of that finding
    LimitOutOfReach = 305, ///< settings (a key), value, wrong: window, capacity; reach: it limits below that alone
    OwnRandomNumbers = 306, ///< op (the first), times: random numbers whose bits the specification leaves open
};

} // namespace shardscope
