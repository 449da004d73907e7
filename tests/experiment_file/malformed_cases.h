// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are wrong, each with what the reader has to say about it. '@' marks the place and is not part of the text.
#pragma once

#include <string>
#include <vector>

#include "base/codes.h"
#include "base/diagnostics.h"

namespace shardscope::malformed {

enum class Schema {
    Rejects, ///< the schema refuses the file as well
    Cannot, ///< it cannot say so: a rule between several values
    NoJson, ///< it is not JSON in the strict sense
};

struct Case {
    std::string name;
    std::string marked; ///< the whole file
    Code code;
    std::string pointer;
    Schema schema = Schema::Rejects;

    [[nodiscard]] std::string text() const
    {
        std::string out = marked;
        out.erase(out.find('@'), 1);
        return out;
    }
    [[nodiscard]] int line() const
    {
        int line = 1;
        for (std::size_t i = 0; i < marked.find('@'); ++i)
            line += marked[i] == '\n';
        return line;
    }
    /// In characters, from 1.
    [[nodiscard]] int column() const
    {
        int column = 1;
        for (std::size_t i = 0; i < marked.find('@'); ++i)
            column = marked[i] == '\n'                                   ? 1
                : (static_cast<unsigned char>(marked[i]) & 0xC0) == 0x80 ? column
                                                                         : column + 1;
        return column;
    }
};

/// A file that is right but for this part of its object.
inline std::string with(const std::string& part)
{
    return "{ \"format\": \"sharding-experiment\", \"version\": \"1.0\",\n  \"title\": \"größer\", " + part + "\n}\n";
}
inline std::string array(const std::string& members)
{
    return with("\"model\": { \"preset\": \"arrays\", \"arrays\": [ " + members + " ] }");
}
inline std::string rules(const std::string& list)
{
    return with("\"rules\": { \"list\": [ " + list + " ] }");
}
inline std::string program(const std::string& shardingRules)
{
    return with("\"model\": { \"preset\": \"program\", \"text\": [], \"sharding_rules\": " + shardingRules + " }");
}
/// Of a program's values, behind a mesh with the axis data.
inline std::string shardings(const std::string& object)
{
    return with("\"mesh\": { \"axes\": [[\"data\", 2]] }, \"model\": { \"preset\": \"program\", \"text\": [], "
                "\"shardings\": "
        + object + " }");
}
inline std::string transformer(const std::string& members)
{
    return with("\"model\": { \"preset\": \"transformer\", " + members + " }");
}
inline std::string axes(const std::string& list)
{
    return with("\"mesh\": { \"axes\": [ " + list + " ] }");
}

inline std::vector<Case> cases()
{
    using enum Code;
    using enum Schema;
    const std::string many17 = "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1";
    std::string axes17;
    std::string deep;
    for (int i = 0; i < 17; ++i)
        axes17 += (i > 0 ? ", [\"a" : "[\"a") + std::to_string(i) + "\", 1]";
    for (int i = 0; i < 100; ++i)
        deep += i == 63 ? "@[" : "["; // the root object is the first level, the list of the key the second
    return {
        // No JSON
        { "empty", "@", Syntax, "", NoJson },
        { "only blanks", " \n\n @", Syntax, "", NoJson },
        { "a word", "@hello", Syntax, "", NoJson },
        { "two values", "{} @{}", Syntax, "", NoJson },
        { "no colon", with(R"("a" @1)"), Syntax, "/a", NoJson },
        { "no comma", with(R"("a": 1 @"b": 2)"), Syntax, "", NoJson },
        { "two commas", with(R"("a": 1,@, "b": 2)"), Syntax, "", NoJson },
        { "key without quotes", with(R"(@a: 1)"), Syntax, "", NoJson },
        { "key in single quotes", with(R"(@'a': 1)"), Syntax, "", NoJson },
        { "value missing", with(R"("a": @, "b": 1)"), Syntax, "/a", NoJson },
        { "list not closed", with(R"("a": [1, 2@})"), Syntax, "/a", NoJson },
        { "Python's None", with(R"("a": @None)"), Syntax, "/a", NoJson },
        { "truth in capitals", with(R"("a": @True)"), Syntax, "/a", NoJson },
        { "not a number", with(R"("a": @NaN)"), Syntax, "/a", NoJson },
        { "minus infinity", with(R"("a": @-Infinity)"), Syntax, "/a", NoJson },
        { "plus sign", with(R"("a": @+1)"), Syntax, "/a", NoJson },
        { "leading zero", with(R"("a": @01)"), Syntax, "/a", NoJson },
        { "bare point", with(R"("a": @1.)"), Syntax, "/a", NoJson },
        { "bare exponent", with(R"("a": @1e)"), Syntax, "/a", NoJson },
        { "hexadecimal", with(R"("a": 0@x10)"), Syntax, "", NoJson },
        { "string over two lines", with("\"a\": @\"b\nc\""), Syntax, "/a", NoJson },
        { "control character", with("\"a\": \"b@\x01\""), Syntax, "/a", NoJson },
        { "unknown escape", with(R"("a": "b@\q")"), Syntax, "/a", NoJson },
        { "short unicode escape", with(R"("a": "b@\u12")"), Syntax, "/a", NoJson },
        { "half a surrogate pair", with(R"("a": "b@\ud800")"), Syntax, "/a", NoJson },
        { "wrong order of surrogates", with(R"("a": "b@\udc00\ud800")"), Syntax, "/a", NoJson },
        { "not UTF-8", with("\"a\": \"b@\xFF\""), Syntax, "/a", NoJson },
        { "overlong UTF-8", with("\"a\": \"b@\xC0\xAF\""), Syntax, "/a", NoJson },
        { "comment not closed", "{ \"format\": @/* \"sharding-experiment\" }", Syntax, "/format", NoJson },
        { "single slash", with(R"("a": 1, @/ b)"), Syntax, "", NoJson },
        { "integer beyond 64 bits", with(R"("a": @18446744073709551616)"), OutOfRange, "/a", NoJson },
        { "integer below 64 bits", with(R"("a": @-9223372036854775809)"), OutOfRange, "/a", NoJson },
        { "number beyond double", with(R"("a": [1, @1e999])"), OutOfRange, "/a/1", NoJson },
        { "key twice", with(R"("mesh": { "axes": [], @"axes": [["a", 8]] })"), DuplicateKey, "/mesh/axes", NoJson },
        { "unknown key twice", with(R"("a/b": 1, @"a/b": 2)"), DuplicateKey, "/a~1b", NoJson },
        { "nested too deep", with("\"a\": " + deep), TooLarge,
            "/a/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/"
            "0/0/0/"
            "0/0/0/0/0/0/0/0/0",
            NoJson },

        // No experiment
        { "a list", "@[]", WrongType, "" },
        { "a number", "@7", WrongType, "" },
        { "empty object", "@{}", MissingKey, "/format" },
        { "without version", R"(@{ "format": "sharding-experiment" })", MissingKey, "/version" },
        { "another format", R"({ "format": @"geojson", "version": "1.0" })", NotAnExperiment, "/format" },
        { "format of another type", R"({ "format": @1, "version": "1.0" })", WrongType, "/format" },
        { "version as a number", R"({ "format": "sharding-experiment", "version": @1.0 })", WrongType, "/version" },
        { "version in words", R"({ "format": "sharding-experiment", "version": @"new" })", WrongType, "/version" },
        { "version with three parts", R"({ "format": "sharding-experiment", "version": @"1.0.0" })", WrongType,
            "/version" },
        { "newer major version", R"({ "format": "sharding-experiment", "version": @"2.0", "mesh": 1 })", NewerVersion,
            "/version" },

        // Wrong types
        { "title", R"({ "format": "sharding-experiment", "version": "1.0", "title": @3 })", WrongType, "/title" },
        { "notes", with(R"("notes": @["a"])"), WrongType, "/notes" },
        { "inner notes", with(R"("hardware": { "notes": @1 })"), WrongType, "/hardware/notes" },
        { "section as a list", with(R"("hardware": @[])"), WrongType, "/hardware" },
        { "section null", with(R"("rules": @null)"), WrongType, "/rules" },
        { "count as a string", with(R"("hardware": { "hosts": @"2" })"), WrongType, "/hardware/hosts" },
        { "count with a fraction", with(R"("hardware": { "hosts": @2.5 })"), WrongType, "/hardware/hosts" },
        { "no such mesh of constraints", with(R"("rules": { "constraint_mesh": @"global" })"), UnknownValue,
            "/rules/constraint_mesh" },
        { "switch as a number", with(R"("rules": { "bound_when_traced": @1 })"), WrongType,
            "/rules/bound_when_traced" },
        { "number as a string", with(R"("step": { "learning_rate": @"fast" })"), WrongType, "/step/learning_rate" },
        { "seed with a fraction", with(R"("run": { "seed": @0.5 })"), WrongType, "/run/seed" },

        // Unknown values
        { "platform", with(R"("hardware": { "platform": @"tpuv" })"), UnknownValue, "/hardware/platform" },
        { "dialect", with(R"("rules": { "dialect": @"flax-lynen" })"), UnknownValue, "/rules/dialect" },
        { "Flax version", with(R"("rules": { "version": @"2023" })"), UnknownValue, "/rules/version" },
        { "fallback", with(R"("rules": { "fallback": @"raise" })"), UnknownValue, "/rules/fallback" },
        { "preset", with(R"("model": { "preset": @"mpl" })"), UnknownValue, "/model/preset" },
        { "no preset", with(R"("model": @{ "layers": 2 })"), MissingKey, "/model/preset" },
        { "element type", with(R"("model": { "preset": "mlp", "dtype": @"float32" })"), UnknownValue, "/model/dtype" },
        { "integers do not train", with(R"("model": { "preset": "mlp", "dtype": @"i32" })"), UnknownValue,
            "/model/dtype" },
        { "axes", with(R"("model": { "preset": "mlp", "axes": @"logic" })"), UnknownValue, "/model/axes" },
        { "loss", with(R"("model": { "preset": "mlp", "loss": @"mean" })"), UnknownValue, "/model/loss" },
        { "optimizer", with(R"("step": { "optimizer": @"adan" })"), UnknownValue, "/step/optimizer" },
        { "norm", transformer(R"("norm": @"batch")"), UnknownValue, "/model/norm" },
        { "integers for parameters", transformer(R"("parameter_dtype": @"i32")"), UnknownValue,
            "/model/parameter_dtype" },
        { "no head size", transformer(R"("dims": { "head_size": @0 })"), OutOfRange, "/model/dims/head_size" },
        { "a constraint on nothing", transformer(R"("constraints": @[{ "at": "decoder/attention", "names": [] }])"),
            UnknownValue, "/model/constraints", Cannot },
        { "a constraint without axes", transformer(R"("constraints": [@{ "at": "decoder" }])"), MissingKey,
            "/model/constraints/0/names" },
        { "a spec with too many entries",
            transformer(R"("parameter_specs": @[{ "at": "**/wo/kernel", "spec": [null, null, null] }])"), SpecTooLong,
            "/model/parameter_specs", Cannot },
        { "experts as a number", transformer(R"("experts": @8)"), WrongType, "/model/experts" },
        { "no room with an expert", transformer(R"("experts": { "capacity_factor": @0 })"), OutOfRange,
            "/model/experts/capacity_factor" },
        { "heads that cannot share", transformer(R"("dims": { "heads": 4, "kv_heads": @3 })"), InvalidAttribute,
            "/model/dims/kv_heads", Cannot },
        { "odd heads that are rotated", transformer(R"("dims": { "head_size": @15 })"), InvalidAttribute,
            "/model/dims/head_size", Cannot },
        { "a fraction that is odd", transformer(R"("rotary_fraction": @0.1)"), InvalidAttribute,
            "/model/rotary_fraction", Cannot },
        { "more experts than there are", transformer(R"("experts": { "experts": 4, "per_token": @5 })"), OutOfRange,
            "/model/experts/per_token", Cannot },
        { "one kernel for other numbers of heads",
            transformer(R"("dims": { "heads": 4, "kv_heads": 2 }, "fused_qkv": @true)"), InvalidAttribute,
            "/model/fused_qkv", Cannot },
        { "latent attention with shared keys", transformer(R"("latent": @{ "rank": 8 })"), InvalidAttribute,
            "/model/latent", Cannot },
        { "an odd number of latent elements that are rotated",
            transformer(R"("dims": { "kv_heads": 4 }, "latent": { "rotary_size": @3 })"), InvalidAttribute,
            "/model/latent/rotary_size", Cannot },
        { "more layers without experts than layers", transformer(R"("experts": { "dense_layers": @3 })"), OutOfRange,
            "/model/experts/dense_layers", Cannot },
        { "score of a router", transformer(R"("experts": { "score": @"max" })"), UnknownValue, "/model/experts/score" },
        { "experts that count for nothing", transformer(R"("experts": { "scale": @0 })"), OutOfRange,
            "/model/experts/scale" },
        { "all dropped", transformer(R"("dropout": @1)"), OutOfRange, "/model/dropout" },
        { "seed of dropout", transformer(R"("dropout_seed": @65536)"), OutOfRange, "/model/dropout_seed" },
        { "windows in fewer than no layers", transformer(R"("window_pattern": @-1)"), OutOfRange,
            "/model/window_pattern" },
        { "positions divided by zero", transformer(R"("rotary_factor": @0)"), OutOfRange, "/model/rotary_factor" },
        { "parallel blocks with an encoder", transformer(R"("encoder_layers": 2, "parallel_block": @true)"),
            InvalidAttribute, "/model/parallel_block", Cannot },
        { "optimizer of a transformer",
            with(R"("model": { "preset": "transformer" }, "step": { "optimizer": @"lion" })"), UnknownValue,
            "/step/optimizer" },
        { "microbatches", with(R"("model": { "preset": "transformer" }, "step": { "microbatches": @3 })"),
            InvalidAttribute, "/step/microbatches", Cannot },
        { "strategy", with(R"("propagation": { "strategy": @"agressive" })"), UnknownValue, "/propagation/strategy" },
        { "parameters on the host in words", with(R"("placement": { "params_on_devices": @"host" })"), WrongType,
            "/placement/params_on_devices" },
        { "placement as a word", with(R"("placement": @"pinned_host")"), WrongType, "/placement" },
        { "unknown memory", array(R"({ "path": "x", "names": [], "shape": [], "memory_kind": @"hbm" })"),
            UnknownMemoryKind, "/model/arrays/0/memory_kind" },
        { "memory in capitals", array(R"({ "path": "x", "names": [], "shape": [], "memory_kind": @"DEVICE" })"),
            UnknownMemoryKind, "/model/arrays/0/memory_kind" },
        { "memory of nothing", array(R"({ "path": "x", "names": [], "shape": [], "memory_kind": @"" })"),
            UnknownMemoryKind, "/model/arrays/0/memory_kind" },
        { "memory as a number", array(R"({ "path": "x", "names": [], "shape": [], "memory_kind": @1 })"), WrongType,
            "/model/arrays/0/memory_kind" },
        { "conservative in words", with(R"("propagation": { "conservative": @"yes" })"), WrongType,
            "/propagation/conservative" },
        { "sharding rules as a list", program(R"(@["0", "([i])->([i]) {i=8}"])"), WrongType, "/model/sharding_rules" },
        { "sharding rule that is none", program(R"({ "0": @"i to j" })"), BadRule, "/model/sharding_rules/0" },
        { "sharding rule as a number", program(R"({ "0": @1 })"), WrongType, "/model/sharding_rules/0" },
        { "two rules of one operation", program(R"({ "0": "([i])->([i]) {i=8}", @"0": "([i])->([i]) {i=8}" })"),
            DuplicateKey, "/model/sharding_rules/0", NoJson },
        { "device order in words", with(R"("mesh": { "axes": [["a", 8]], "device_order": @"column-major" })"),
            UnknownValue, "/mesh/device_order" },

        // Quantities
        { "memory as a number", with(R"("hardware": { "memory_per_device": @16 })"), WrongType,
            "/hardware/memory_per_device" },
        { "memory in an unknown unit", with(R"("hardware": { "memory_per_device": @"16 Gb" })"), WrongType,
            "/hardware/memory_per_device" },
        { "memory of nothing", with(R"("hardware": { "memory_per_device": @"0 GiB" })"), WrongType,
            "/hardware/memory_per_device", Cannot },
        { "bandwidth without time", with(R"("hardware": { "links": { "ici": @"45 GB" } })"), WrongType,
            "/hardware/links/ici" },
        { "negative bandwidth", with(R"("hardware": { "links": { "dcn": @"-6 GB/s" } })"), WrongType,
            "/hardware/links/dcn", Cannot },

        // Sizes
        { "no host", with(R"("hardware": { "hosts": @0 })"), OutOfRange, "/hardware/hosts" },
        { "billions of hosts", with(R"("hardware": { "hosts": @4000000000 })"), OutOfRange, "/hardware/hosts" },
        { "too many devices", with(R"("hardware": { "hosts": 2048, "devices_per_host": @1024 })"), TooLarge,
            "/hardware/devices_per_host", Cannot },
        { "axis of size zero", axes(R"(["a", @0])"), InvalidAxisSize, "/mesh/axes/0/1" },
        { "axis of negative size", axes(R"(["a", 2], ["b", @-4])"), InvalidAxisSize, "/mesh/axes/1/1" },
        { "axis with a fraction", axes(R"(["a", @2.5])"), WrongType, "/mesh/axes/0/1" },
        { "axis of billions", axes(R"(@["a", 4000000000])"), TooLarge, "/mesh/axes/0" },
        { "mesh of too many devices", axes(R"(["a", 1024], ["b", 1024], @["c", 2])"), TooLarge, "/mesh/axes/2",
            Cannot },
        { "too many axes", with("\"mesh\": { \"axes\": @[" + axes17 + "] }"), TooLarge, "/mesh/axes" },
        { "too many layers", with(R"("model": { "preset": "mlp", "layers": @4097 })"), OutOfRange, "/model/layers" },
        { "dimension of size zero", with(R"("model": { "preset": "mlp", "dims": { "batch": @0 } })"), OutOfRange,
            "/model/dims/batch" },
        { "dimension beyond abstract evaluation",
            with(R"("model": { "preset": "mlp", "dims": { "hidden": @2000000000000 } })"), OutOfRange,
            "/model/dims/hidden" },
        { "array of too many bytes",
            array(R"({ "path": "x", "names": [null, null], "shape": @[1099511627776, 1099511627776] })"), TooLarge,
            "/model/arrays/0/shape", Cannot },
        { "rank 17", array(R"({ "path": "x", "names": [], "shape": @[)" + many17 + "] }"), TooLarge,
            "/model/arrays/0/shape" },
        { "negative size", array(R"({ "path": "x", "names": ["a"], "shape": [@-1] })"), OutOfRange,
            "/model/arrays/0/shape/0" },
        { "runs", with(R"("run": { "runs": @0 })"), OutOfRange, "/run/runs" },
        { "loops in the billions", with(R"("run": { "loops": @4000000000 })"), OutOfRange, "/run/loops" },
        { "negative seed", with(R"("run": { "seed": @-1 })"), OutOfRange, "/run/seed" },
        { "unknown kind of initial values", with(R"("run": { "initial": { "x": @"zeroes" } })"), UnknownValue,
            "/run/initial/x" },
        { "initial values of no deviation", with(R"("run": { "initial": { "a/b": @"normal" } })"), CountMismatch,
            "/run/initial/a~1b", Cannot },
        { "initial values below zero", with(R"("run": { "initial": { "x": @"integers 0" } })"), OutOfRange,
            "/run/initial/x", Cannot },
        { "initial value as a number", with(R"("run": { "initial": { "x": @0 } })"), WrongType, "/run/initial/x" },
        { "state that is no text", with(R"("run": { "state": @0 })"), WrongType, "/run/state" },
        { "state of one number", with(R"("run": { "state": @"0" })"), Syntax, "/run/state" },
        { "argument twice in the state", with(R"("run": { "state": @"0=1,0=2" })"), DuplicateKey, "/run/state",
            Cannot },
        { "unknown role", with(R"("run": { "roles": { "arg0": @"weight" } })"), UnknownValue, "/run/roles/arg0" },
        { "roles as a list", with(R"("run": { "roles": @[] })"), WrongType, "/run/roles" },
        { "initial values as a list", with(R"("run": { "initial": @[] })"), WrongType, "/run/initial" },
        { "negative learning rate", with(R"("step": { "learning_rate": @-0.1 })"), OutOfRange, "/step/learning_rate" },
        { "beta of one", with(R"("step": { "beta1": @1 })"), OutOfRange, "/step/beta1" },

        // Names
        { "axis without a name", axes(R"([@"", 2])"), WrongType, "/mesh/axes/0/0" },
        { "control character in a name", axes(R"([@"a\nb", 2])"), WrongType, "/mesh/axes/0/0" },
        { "reserved word for an axis", axes(R"(["a", 2], [@"P.UNCONSTRAINED", 2])"), WrongType, "/mesh/axes/1/0" },
        { "reserved word among axes", rules(R"(["a", ["x", @"P.UNCONSTRAINED"]])"), WrongType, "/rules/list/0/1/1" },
        { "axis twice", axes(R"(["a", 2], @["a", 4])"), DuplicateAxis, "/mesh/axes/1", Cannot },
        { "axis as an object", axes(R"(@{ "a": 2 })"), WrongType, "/mesh/axes/0" },
        { "axis without a size", axes(R"(@["a"])"), WrongType, "/mesh/axes/0" },
        { "mesh without axes", with(R"("mesh": @{})"), MissingKey, "/mesh/axes" },
        { "axis twice in a rule", rules(R"(["a", ["x", @"x"]])"), AxisUsedTwice, "/rules/list/0/1/1" },
        { "logical name twice in an array", array(R"({ "path": "x", "names": ["a", @"a"], "shape": [2, 2] })"),
            DuplicateDimension, "/model/arrays/0/names/1", Cannot },
        { "path twice",
            array(R"({ "path": "x", "names": [], "shape": [] }, { "path": @"x", "names": [], "shape": [] })"),
            DuplicateKey, "/model/arrays/1/path", Cannot },
        { "array without a path", array(R"(@{ "names": [], "shape": [] })"), MissingKey, "/model/arrays/0/path" },
        { "more names than dimensions", array(R"({ "path": "x", "names": @["a", "b"], "shape": [2] })"), WrongType,
            "/model/arrays/0/names", Cannot },
        { "arrays without arrays", with(R"("model": @{ "preset": "arrays" })"), MissingKey, "/model/arrays" },

        // Device order
        { "order too short", with(R"("mesh": { "axes": [["a", 4]], "device_order": @[0, 1] })"), InvalidAttribute,
            "/mesh/device_order", Cannot },
        { "order names a device twice", with(R"("mesh": { "axes": [["a", 3]], "device_order": [0, 1, @1] })"),
            InvalidAttribute, "/mesh/device_order/2", Cannot },
        { "order names a device that is not there", with(R"("mesh": { "axes": [["a", 2]], "device_order": [0, @2] })"),
            OutOfRange, "/mesh/device_order/1", Cannot },
        { "order as a number", with(R"("mesh": { "axes": [["a", 2]], "device_order": @1 })"), WrongType,
            "/mesh/device_order" },

        { "order by an unknown builder", with(R"("mesh": { "axes": [["a", 2]], "device_order": @"create_mesh" })"),
            UnknownValue, "/mesh/device_order" },
        { "order without a method", with(R"("mesh": { "axes": [["a", 2]], "device_order": @{ "dcn": {} } })"),
            MissingKey, "/mesh/device_order/method" },
        { "slices of an axis in words",
            with(R"("mesh": { "axes": [["a", 2]], "device_order": { "method": "hybrid", "dcn": { "a": @"2" } } })"),
            WrongType, "/mesh/device_order/dcn/a" },
        { "slices as a list",
            with(R"("mesh": { "axes": [["a", 2]], "device_order": { "method": "hybrid", "dcn": @[2] } })"), WrongType,
            "/mesh/device_order/dcn" },
        { "negative submesh",
            with(R"("mesh": { "axes": [["a", 2]], "device_order": { "method": "t5x", "submesh": [@-1] } })"),
            OutOfRange, "/mesh/device_order/submesh/0" },

        // Topologies
        { "unknown machine", with(R"("hardware": { "topology": @"tpu-v9:4" })"), UnknownValue, "/hardware/topology",
            Cannot },
        { "topology as a number", with(R"("hardware": { "topology": @4 })"), WrongType, "/hardware/topology" },
        { "topology of nothing", with(R"("hardware": { "platform": "tpu", "topology": @{} })"), MissingKey,
            "/hardware/topology/chips" },
        { "chips in two directions", with(R"("hardware": { "platform": "tpu", "topology": { "chips": @[4, 4] } })"),
            WrongType, "/hardware/topology/chips" },
        { "chips of CPUs", with(R"("hardware": { "topology": { "chips": @[4, 4, 1] } })"), WrongType,
            "/hardware/topology/chips", Cannot },
        { "hosts that do not divide",
            with(R"("hardware": { "platform": "tpu", "topology": { "chips": [4, 4, 1], "host_chips": @[3, 1, 1] } })"),
            OutOfRange, "/hardware/topology/host_chips", Cannot },
        { "hosts beside a topology", with(R"("hardware": { "hosts": @3, "topology": "cpu:2x4" })"), WrongType,
            "/hardware/hosts", Cannot },
        { "kind beside a topology", with(R"("hardware": { "device": @"TPU v5p", "topology": "tpu-v4:2x2x1" })"),
            WrongType, "/hardware/device", Cannot },
        { "device twice", with(R"("hardware": { "topology": { "devices": [[0, 0], @[0, 1]] } })"), DuplicateDevice,
            "/hardware/topology/devices/1", Cannot },
        { "ids with a gap", with(R"("hardware": { "topology": { "devices": [[0, 0], [@2, 0]] } })"), OutOfRange,
            "/hardware/topology/devices/1/0", Cannot },
        { "device without coordinates",
            with(R"("hardware": { "platform": "tpu", "topology": { "devices": [@[0, 0]] } })"), WrongType,
            "/hardware/topology/devices/0", Cannot },
        { "no devices", with(R"("hardware": { "topology": { "devices": @[] } })"), OutOfRange,
            "/hardware/topology/devices" },

        // Shardings of a program's values
        { "shardings as a list", shardings(R"(@["arg0"])"), WrongType, "/model/shardings" },
        { "sharding of a word", shardings(R"({ "the first": @"[{}]" })"), WrongType, "/model/shardings/the first" },
        { "sharding as a list", shardings(R"({ "arg0": @["data"] })"), WrongType, "/model/shardings/arg0" },
        { "sharding without brackets", shardings(R"({ "arg0": @"{data}" })"), Syntax, "/model/shardings/arg0" },
        { "axis behind the open end", shardings(R"({ "result1": @"[{?, data}]" })"), Syntax, "/model/shardings/result1",
            Cannot },
        { "axis twice", shardings(R"({ "f/12#1": @"[{data}, {data}]" })"), AxisUsedTwice, "/model/shardings/f~112#1",
            Cannot },
        { "priority of nothing", shardings(R"({ "arg0": @"[{}p1]" })"), BadPriority, "/model/shardings/arg0", Cannot },

        // Rules
        { "rules of a part without a path", with(R"("rules": { "inner": [ @{ "rules": [] } ] })"), MissingKey,
            "/rules/inner/0/within" },
        { "a part without rules", with(R"("rules": { "inner": [ @{ "within": "a" } ] })"), MissingKey,
            "/rules/inner/0/rules" },
        { "a part without a name", with(R"("rules": { "inner": [ { "within": @"", "rules": [] } ] })"), WrongType,
            "/rules/inner/0/within" },
        { "a part that ends with a slash", with(R"("rules": { "inner": [ { "within": @"a/", "rules": [] } ] })"),
            WrongType, "/rules/inner/0/within" },
        { "a part twice",
            with(R"("rules": { "inner": [ { "within": "a", "rules": [] }, { "within": @"a", "rules": [] } ] })"),
            WrongType, "/rules/inner/1/within", Schema::Cannot },
        { "a part that is a number", with(R"("rules": { "inner": [ { "within": @1, "rules": [] } ] })"), WrongType,
            "/rules/inner/0/within" },
        { "rules of a part as a mapping", with(R"("rules": { "inner": [ { "within": "a", "rules": @{} } ] })"),
            RulesType, "/rules/inner/0/rules" },
        { "a rule of a part with one element",
            with(R"("rules": { "inner": [ { "within": "a", "rules": [ @["batch"] ] } ] })"), RuleArity,
            "/rules/inner/0/rules/0" },
        { "parts as an object", with(R"("rules": { "inner": @{} })"), WrongType, "/rules/inner" },
        { "rules as a mapping", with(R"("rules": { "list": @{ "batch": "data" } })"), RulesType, "/rules/list" },
        { "rule of one", rules(R"(@["batch"])"), RuleArity, "/rules/list/0" },
        { "rule of three", rules(R"(["a", "b"], @["batch", "data", "model"])"), RuleArity, "/rules/list/1" },
        { "rule as a string", rules(R"(@"batch")"), WrongType, "/rules/list/0" },
        { "nested tuple", rules(R"(["a", ["x", @["y"]]])"), NestedTuple, "/rules/list/0/1/1" },
        { "number for an axis", rules(R"(["a", @1])"), WrongType, "/rules/list/0/1" },
        { "rule without a name", rules(R"([@"", "x"])"), WrongType, "/rules/list/0/0" },
        { "device axes", with(R"("model": { "preset": "mlp", "device_axes": { "batch": @7 } })"), WrongType,
            "/model/device_axes/batch" },
    };
}

} // namespace shardscope::malformed
