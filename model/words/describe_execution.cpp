// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/diagnostic_reader.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

ProblemText notExecutable(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    const QString op = arg("op");
    if (wrong == "custom_call")
        return { Words::tr("%1 calls %2, and nobody knows what that computes").arg(op, arg.quote("target")),
            Words::tr("Export the program without this call, or replace it by operations of StableHLO."), {} };
    if (wrong == "shard_boundary")
        return { Words::tr(
                     "%1 begins or ends a computation on shards that does not fit its boundaries: one of these has "
                     "no sharding or shards of another size, or a sharded array is read without a boundary")
                     .arg(op),
            Words::tr("Give each boundary the sharding of its full array, and pass every sharded array through one."),
            {} };
    if (wrong == "type")
        return { Words::tr("%1 has a value of %2, which is no array of known size").arg(op, arg("type")),
            Words::tr("Export the program with fixed shapes and without quantised types."), {} };
    if (wrong == "body")
        return { arg.has("inner")
                ? Words::tr("the body of %1 holds %2; only elementwise operations on scalars are executed there")
                      .arg(op, arg("inner"))
                : Words::tr("the body of %1 holds more than elementwise operations on scalars").arg(op),
            Words::tr("Write the body with elementwise operations."), {} };
    if (wrong == "transfer")
        return { Words::tr("%1 exchanges values with a host or another program, and there is none").arg(op),
            Words::tr("Pass these values as arguments and results of main."), {} };
    if (wrong == "several_programs")
        return { Words::tr("%1 runs different functions on its devices").arg(op),
            Words::tr("All devices run one function: choose by partition_id inside it."), {} };
    if (wrong == "function")
        return { Words::tr("%1 does not give each device what its function takes, or does not take what that returns")
                     .arg(op),
            Words::tr("List the operands of all devices one after the other, and the results likewise."), {} };
    if (wrong == "other_devices")
        return { Words::tr("%1 runs on the devices of a mesh, inside of what runs on other devices").arg(op),
            Words::tr("Use one mesh for manual computations that stand in each other."), {} };
    if (wrong == "shape")
        return { Words::tr("%1 is given the sizes of %2, and its result is declared as %3")
                     .arg(op, arg("found"), arg("expected")),
            Words::tr("Give it sizes that make the declared shape."), {} };
    if (wrong == "single_device")
        return { Words::tr("it is to be computed on device %1 alone (mesh %2), and all devices run one program")
                     .arg(arg.number("device"), arg.quote("mesh")),
            Words::tr("Give its result a sharding over a mesh of all devices."), {} };
    if (wrong == "whole_operand")
        return { Words::tr("it reduces along %1, and its operand is not partial along %1: every device along it holds "
                           "the full value")
                     .arg(arg("axes")),
            Words::tr("Take the axes off it, or compute its operand from what is sharded along them and summed over."),
            {} };
    if (wrong == "other_kind")
        return { Words::tr("it reduces along %1 by %2, and its operand is partial by %3 there")
                     .arg(arg("axes"), arg("expected"), arg("found")),
            Words::tr("Reduce with %1.").arg(arg("found")), {} };
    if (wrong == "unknown")
        return { Words::tr("%1 is kept as it is, and nobody knows what it computes").arg(op),
            Words::tr("Replace it by operations of StableHLO."), {} };
    if (wrong == "recursion")
        return { Words::tr("%1 calls a function that calls itself, by way of others or not").arg(op),
            Words::tr("Write what is repeated as a loop, stablehlo.while."), {} };
    if (wrong == "calls")
        return { Words::tr("%1 and the calls in each other make more than %2 operations, each written out")
                     .arg(op, count(d.number("limit"))),
            Words::tr("Call a function in fewer places, or from a loop."), {} };
    if (wrong == "diverged")
        return { Words::tr("%1 is reached by %2 of the %3 devices of a group; the others took another branch or left "
                           "the loop")
                     .arg(op, arg.number("found"), arg.number("devices")),
            Words::tr("All devices of a group have to take part: choose the branch by a value that is the same on all "
                      "of them."),
            {} };
    if (wrong == "groups" && d.arg("missing")) {
        const QString replicas = d.number("devices") == 1
            ? Words::tr("there is one replica, of which all devices are partitions")
            : Words::tr("there are %1 replicas, of which all devices are partitions").arg(arg.number("devices"));
        return { Words::tr("%1 has no %2, so that its groups name replicas: it names replica %3, and %4",
                     "operation, attribute, number, there is one replica")
                     .arg(op, arg("missing"), arg.number("device"), replicas),
            d.text("missing") == "channel_handle"
                ? Words::tr(
                    "Give it channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, and a reduction or a "
                    "gather use_global_device_ids as well: its groups name partitions then.")
                : Words::tr("Give it use_global_device_ids beside its channel_handle: its groups name devices then."),
            {} };
    }
    if (wrong == "groups" && d.arg("reference"))
        return { Words::tr("%1 names device %2, and the reference is the program on one device")
                     .arg(op, arg.number("device")),
            Words::tr("The devices run it; without a reference their results are not checked."), {} };
    if (wrong == "groups")
        return { d.number("devices") == 1
                ? Words::tr("%1 names device %2, and there is one device").arg(op, arg.number("device"))
                : Words::tr("%1 names device %2, and there are %3")
                      .arg(op, arg.number("device"), counted(d.number("devices"), Noun::Device)),
            Words::tr("Run the program on as many devices as it was made for."), {} };
    if (wrong == "groups_twice")
        return { Words::tr("%1 names device %2 in two groups").arg(op, arg.number("device")),
            Words::tr("Name every device once."), {} };
    if (wrong == "groups_size")
        return { Words::tr("%1 has a group of %2, which does not go with the shapes of its operand and result")
                     .arg(op, counted(d.number("found"), Noun::Device)),
            Words::tr("Give all groups the size that the shapes were made for."), {} };
    if (wrong == "loop_limit") {
        std::string value = d.text("value");
        value = value.empty() ? d.text("op") : '%' + value.substr(0, value.find('#')); // all its results are one loop
        const QString loop = d.where.line > 0
            ? Words::tr("the loop %1 in line %2").arg(fromStd(value), QString::number(d.where.line))
            : Words::tr("the loop %1").arg(fromStd(value));
        return { Words::tr("%1 has not ended: the limit on the trips of all loops of a run is %2")
                     .arg(loop, count(d.number("limit"))),
            Words::tr("Look at its condition, which may never become false. Where the loop is right, let it make more "
                      "trips: `shardscope run --loop-limit N`."),
            {} };
    }
    return {};
}

} // namespace

ProblemText describeExecution(const Diagnostic& d)
{
    const Reader arg(d);
    switch (d.code) {
    case Code::NotExecutable:
        return notExecutable(d);
    case Code::TypeMismatch:
        if (d.text("wrong") != "argument")
            return {};
        return { Words::tr("%1 is %2, and should be %3").arg(arg("op"), arg("given"), arg("type")),
            Words::tr("Give an array of that shape and element type."), {} };
    case Code::PermutePairs:
        return { arg.has("source") || d.arg("source")
                ? Words::tr("place %1 along %2 sends twice").arg(arg.number("source"), arg("axes"))
                : Words::tr("place %1 along %2 receives twice").arg(arg.number("target"), arg("axes")),
            Words::tr("Name every source and every target once."), {} };
    case Code::GroupsDoNotCover:
        return { Words::tr("the groups do not hold each of the %1 places along %2 exactly once")
                     .arg(arg.number("size"), arg("axes")),
            Words::tr("List every place from 0 to %1 in one group.").arg(count(d.number("size") - 1)), {} };
    case Code::EmptyMesh:
        return { Words::tr("the mesh has no axes"), Words::tr("Give the mesh at least one axis."), {} };
    case Code::ReplicationNotInferred:
    case Code::ReplicationUnproven: {
        const QString axes = arg("axes");
        const QString origin = arg.has("origin") ? Words::tr("%1 makes it differ").arg(arg("origin"))
            : d.arg("argument") ? Words::tr("argument %1 is sharded along it").arg(arg.number("argument"))
                                : Words::tr("it is computed from values that differ");
        return { Words::tr("result %1 is said to be the same on all devices along %2, but may differ: %3")
                     .arg(arg.number("result"), axes, origin),
            d.code == Code::ReplicationUnproven
                ? Words::tr(
                    "Sum over %1 before it is returned, or mention %1 in its out sharding. Where all devices have "
                    "gathered the same, nothing is wrong: as in JAX, the check does not see that.")
                      .arg(axes)
                : Words::tr("Sum over %1 before it is returned, or mention %1 in its out sharding.").arg(axes),
            {} };
    }
    default:
        return {};
    }
}

} // namespace shardscope::words
