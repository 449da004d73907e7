// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/diagnostic_reader.h"
#include "words/things.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

ProblemText problem(const QString& cause, const QString& remedy)
{
    return { cause, remedy, {} };
}

QString roleText(const Diagnostic& d)
{
    const std::string role = d.text("role");
    const QString number = d.arg("index") ? QLatin1Char(' ') + count(d.number("index")) : QString();
    if (role == "argument")
        return Words::tr("argument%1").arg(number);
    if (role == "function_result")
        return Words::tr("returned value%1").arg(number);
    if (role == "operand")
        return Words::tr("operand%1").arg(number);
    if (role == "result")
        return Words::tr("result%1").arg(number);
    if (role == "in_sharding")
        return Words::tr("in sharding%1").arg(number);
    if (role == "out_sharding")
        return Words::tr("out sharding%1").arg(number);
    if (role == "body_argument")
        return Words::tr("argument%1 of the body").arg(number);
    if (role == "body_result")
        return Words::tr("value%1 returned by the body").arg(number);
    if (role == "axes")
        return Words::tr("its axes");
    if (role == "rule")
        return Words::tr("its sharding rule");
    if (role == "edges")
        return Words::tr("its propagation edges");
    if (role == "direction")
        return Words::tr("its direction");
    if (role == "mesh")
        return Words::tr("mesh");
    return Words::tr("its sharding");
}

/// What the mesh, the rule, the collective is called for; `known` may be missing.
QString didYouMean(const Reader& arg, std::string_view name, const QString& none)
{
    if (!arg.has("known"))
        return none;
    const QString nearest = arg.nearest(name, "known");
    return nearest.isEmpty() ? Words::tr("There is %1.").arg(arg("known"))
                             : Words::tr("Did you mean %1? There is %2.").arg(nearest, arg("known"));
}

ProblemText describeMesh(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    if (wrong == "no_axes")
        return problem(Words::tr("it has no axes, and %1 are listed").arg(counted(d.number("devices"), Noun::Device)),
            Words::tr("Without axes it is one device: list one id, or none for a mesh that shards nothing."));
    if (wrong == "ids")
        return problem(
            Words::tr("%1 device ids for %2").arg(arg.number("found"), counted(d.number("devices"), Noun::Device)),
            Words::tr("List every id once: as many as the product of the axis sizes."));
    if (wrong == "id")
        return problem(Words::tr("there is no device %1").arg(arg("device")),
            d.number("devices") > 0
                ? Words::tr("The ids are those from 0 to %1, each once.").arg(count(d.number("devices") - 1))
                : Words::tr("Ids count from 0."));
    if (wrong == "id_twice")
        return problem(Words::tr("device %1 stands twice in the list").arg(arg.number("device")),
            Words::tr("List every id once."));
    return problem(
        Words::tr("the listed devices are in plain order"), Words::tr("Leave the list out: it says nothing."));
}

ProblemText describeFactor(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    const QString where = d.arg("dim") ? (d.text("side") == "results" ? Words::tr("dimension %1 of result %2")
                                                                      : Words::tr("dimension %1 of operand %2"))
                                             .arg(arg.number("dim"), arg.number("tensor"))
                                       : QString();
    if (wrong == "none")
        return problem(Words::tr("%1 has no factor").arg(where),
            Words::tr("Give every dimension at least one; one that goes with no other gets its own."));
    if (wrong == "range")
        return problem(Words::tr("%1 has the factor %2, whose size is not given").arg(where, arg("factor")),
            Words::tr("Use factors that stand between the braces with their sizes."));
    if (wrong == "twice")
        return problem(Words::tr("%1 has the factor %2, which the array has already").arg(where, arg("factor")),
            Words::tr("A factor runs over one dimension of an array."));
    if (wrong == "size_one")
        return problem(Words::tr("%1 has the factor %2 of size 1 beside others").arg(where, arg("factor")),
            Words::tr("Leave it out: it changes nothing."));
    if (wrong == "unused")
        return problem(Words::tr("no dimension has the factor %1").arg(arg("factor")),
            Words::tr("Leave its size out, or put it where it belongs."));
    if (wrong == "two_kinds")
        return problem(
            Words::tr("the factor %1 is listed under %2 and under %3").arg(arg("factor"), arg("list"), arg("other")),
            Words::tr("A factor is of one kind."));
    if (wrong == "reduced")
        return problem(Words::tr("the factor %1 is reduced and stands in a result").arg(arg("factor")),
            Words::tr("What is reduced is gone in the result: take it out of one of them."));
    return problem(Words::tr("%1 lists the factor %2 out of order, or twice").arg(arg("list"), arg("factor")),
        Words::tr("List each factor once, in the order of the letters."));
}

ProblemText describeRule(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    if (wrong == "list")
        return problem(
            Words::tr("%1 lists the factor %2, which the rule does not have").arg(arg("list"), arg("factor")),
            Words::tr("List factors that stand between the braces with their sizes."));
    if (wrong == "none")
        return problem(Words::tr("%1 has no rule of its own").arg(arg.quote("op")),
            Words::tr("Propagation knows what it does with shardings: give a rule to what is computed before or after "
                      "it."));
    if (wrong == "argument")
        return problem(Words::tr("%1 is not what an operation computes first").arg(arg.quote("found")),
            Words::tr("Rules belong to operations: name the first result of one."));
    if (wrong == "operands" || wrong == "results")
        return problem((wrong == "operands" ? Words::tr("the number of operands is %1 in it, at the operation %2")
                                            : Words::tr("the number of results is %1 in it, at the operation %2"))
                           .arg(arg.number("found"), arg.number("expected")),
            Words::tr("Write one list of factors for each, [] for a scalar."));
    return problem(Words::tr("%1 is no sharding rule").arg(arg.quote("found")),
        Words::tr("A rule looks like ([i, k], [k, j])->([i, j]) {i=2, j=4, k=8} reduction={k}."));
}

/// A sharding and its array do not go together.
ProblemText describeRank(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    if (wrong == "token")
        return problem(Words::tr("what has no dimensions has a sharding with dimensions or axes"),
            Words::tr("Write a sharding without either: <@mesh, []>."));
    if (wrong == "unranked")
        return problem(Words::tr("the array's rank is not known, so that it cannot have a sharding"),
            Words::tr("Give it a shape, or leave the sharding out."));
    if (wrong == "maximal")
        return problem(Words::tr("its mesh is a single device, and the sharding has dimensions or axes"),
            Words::tr("Nothing is sharded on one device: write a sharding without either: <@mesh, []>."));
    if (wrong == "lists")
        return problem(Words::tr("%1 of axes for an array of rank %2", "2 lists")
                           .arg(counted(d.number("sharding_rank"), Thing::List), arg.number("rank")),
            Words::tr("Give one list per dimension, an empty one where nothing happens."));
    return problem((d.text("side") == "results" ? Words::tr("%1 of factors for result %2 of rank %3", "2 lists")
                                                : Words::tr("%1 of factors for operand %2 of rank %3", "2 lists"))
                       .arg(counted(d.number("sharding_rank"), Thing::List), arg.number("tensor"), arg.number("rank")),
        Words::tr("Give one list of factors per dimension."));
}

ProblemText describeManualAxes(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    if (wrong == "unknown")
        return problem(Words::tr("%1 is to be manual, and the mesh has no such axis").arg(arg.quote("axis")),
            didYouMean(arg, "axis", Words::tr("Use an axis of the mesh.")));
    if (wrong == "twice")
        return problem(Words::tr("%1 is made manual twice").arg(arg.quote("axis")), Words::tr("List it once."));
    if (wrong == "order")
        return problem(Words::tr("in dimension %1 the manual axis %2 stands after the free axis %3")
                           .arg(arg.number("dim"), arg.quote("axis"), arg.quote("other")),
            Words::tr("Write manual axes first: the body sees what is left of the dimension."));
    return problem(Words::tr("dimension %1 has size %2, which the manual axes would split into %3 shards")
                       .arg(arg.number("dim"), arg.number("size"), arg.number("partitions")),
        Words::tr("Manual axes have to divide the dimension."));
}

ProblemText describeCollective(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    if (wrong == "operand_sharding")
        return problem(Words::tr("the operand has no sharding, so there is nothing to start from"),
            Words::tr("Give the operand a sharding."));
    if (wrong == "empty")
        return problem(Words::tr("no axes are listed"), Words::tr("List at least one, or leave the operation out."));
    if (wrong == "empty_move")
        return problem(Words::tr("one of the moves has no axes"), Words::tr("Leave that move out."));
    if (wrong == "dimension")
        return problem(Words::tr("there is no dimension %1").arg(arg("dim")),
            d.number("rank") > 0 ? Words::tr("The array has the dimensions 0 to %1.").arg(count(d.number("rank") - 1))
                                 : Words::tr("The array has no dimensions."));
    if (wrong == "mesh")
        return problem(
            Words::tr("the operand is on the mesh %1, the result on %2").arg(arg.quote("found"), arg.quote("expected")),
            Words::tr(
                "Both have to be on one mesh; a collective_permute may have the same axes and other device ids."));
    if (wrong == "same_mesh")
        return problem(Words::tr("the meshes %1 and %2 are the same but for their names")
                           .arg(arg.quote("found"), arg.quote("expected")),
            Words::tr("Use one of them for both."));
    if (wrong == "kind")
        return problem(Words::tr("the result is not to be added up"),
            Words::tr("What this operation makes are partial sums: use the kind sum."));
    if (wrong == "suffix")
        return problem(Words::tr("dimension %1 is sharded by {%2}, whose end is not {%3}")
                           .arg(arg.number("dim"), arg("found"), arg("axes")),
            Words::tr("Only the last axes of a dimension can be taken off it."));
    return problem(Words::tr("dimension %1 had %2 shards and is to have %3")
                       .arg(arg.number("dim"), arg.number("expected"), arg.number("found")),
        Words::tr("A permutation moves shards and leaves their sizes."));
}

ProblemText describeUnreduced(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    const QString found = arg.has("found") ? arg("found") : Words::tr("none");
    const QString expected = arg.has("expected") ? arg("expected") : Words::tr("none");
    if (wrong == "introduced")
        return problem(Words::tr("its result is unreduced over %1, its operands are not").arg(arg("axes")),
            Words::tr("This operation makes no partial values: take the axes off the result."));
    if (wrong == "removed")
        return problem(Words::tr("its operands are unreduced over %1, its result is not").arg(arg("axes")),
            Words::tr("Reduce first: with a sharding constraint, a reshard or an all_reduce."));
    if (wrong == "nonlinear")
        return d.text("kind") == "max" || d.text("kind") == "min"
            ? problem(
                Words::tr("the %1 over %2 is still to be found among the partial values of its operands, and what it "
                          "makes of them does not keep their order")
                    .arg(d.text("kind") == "max" ? Words::tr("greatest") : Words::tr("least"), arg("axes")),
                Words::tr("Reduce first: with a sharding constraint, a reshard or an all_reduce."))
            : problem(Words::tr("operands of it are partial values that are still to be added up over %1, and what it "
                                "makes of them does not add up to what it makes of the sum")
                          .arg(arg("axes")),
                Words::tr("Reduce first: with a sharding constraint, a reshard or an all_reduce."));
    if (wrong == "whole")
        return problem(Words::tr("its result is said to be unreduced over %1, and every device along that has all of "
                                 "it: nothing that is sharded along that is summed over")
                           .arg(arg("axes")),
            Words::tr("Take the axes off the result."));
    if (wrong == "introduced_kind")
        return problem(Words::tr("its result is unreduced over %1 with %2, and it makes partial values of a %3")
                           .arg(arg("axes"), found, expected),
            Words::tr("Use the kind %1.").arg(expected));
    if (wrong == "removed_kind")
        return problem(Words::tr("its operand is unreduced over %1 with %2, and it reduces with %3")
                           .arg(arg("axes"), found, expected),
            Words::tr("Reduce with %1.").arg(found));
    if (wrong == "kind")
        return problem(Words::tr("what is unreduced over %1 with %2 would be with %3 afterwards")
                           .arg(arg("axes"), expected, found),
            Words::tr("Keep the kind %1 until it is reduced.").arg(expected));
    if (wrong == "no_sharding")
        return problem(Words::tr("the operand has no sharding, so nothing in it is to be reduced"),
            Words::tr("Give the operand a sharding that is unreduced over the axes."));
    if (wrong == "call_operand")
        return problem(Words::tr("it is unreduced over %1, the function expects %2").arg(found, expected),
            Words::tr("Reshard it before the call, or change the function's argument."));
    if (wrong == "call_result")
        return problem(Words::tr("it is unreduced over %1, the function returns %2").arg(found, expected),
            Words::tr("Give it the unreduced axes that the function states."));
    return problem(Words::tr("it is unreduced over %1, and %2 is stated").arg(found, expected),
        Words::tr("Reduce it first, or state the axes over which it is unreduced."));
}

ProblemText describeComputation(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    if (wrong == "again")
        return problem(Words::tr("%1 is manual around it already").arg(arg.quote("axis")),
            Words::tr("Use an axis that is free there."));
    if (wrong == "bound")
        return problem(Words::tr("%1 is manual here, so that nothing can be sharded along it").arg(arg.quote("axis")),
            Words::tr(
                "Inside a manual computation arrays are what one device along its axes has: leave the axis out."));
    if (wrong == "outside")
        return problem(Words::tr("a manual computation uses a value from outside"),
            Words::tr("Hand it in as an operand, with a sharding."));
    if (wrong == "meshes")
        return problem(Words::tr("its shardings are not on one mesh with axes"),
            Words::tr("The manual axes are those of one mesh: use it for all in and out shardings."));
    return problem((wrong == "body_result" ? Words::tr("values returned by the body: %1, by the operation: %2")
                                           : Words::tr("values taken by the body: %1, by the operation: %2"))
                       .arg(arg.number("found"), arg.number("expected")),
        Words::tr("Both have to be as many."));
}

ProblemText describeEdge(const Diagnostic& d)
{
    const std::string wrong = d.text("wrong");
    if (wrong == "shape")
        return problem(
            Words::tr("its value has no static shape"), Words::tr("Leave the edge out: nothing flows there."));
    if (wrong == "users")
        return problem(
            Words::tr("its value is used by others too"), Words::tr("Let the others use the edge's result."));
    if (wrong == "function")
        return problem(Words::tr("its value is neither an argument of a function nor a result of a call"),
            Words::tr("Use a data_flow_edge where the value belongs to a loop, a branch or a computation."));
    return problem(Words::tr("its value is the result of a sharding operation"),
        Words::tr("An edge belongs to a loop, a branch, a barrier or a computation."));
}

ProblemText describeProvenance(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    const QString remedy = Words::tr("The edges are written by propagation: leave them out and propagate again.");
    if (wrong == "negative")
        return problem(Words::tr("step %1 does not exist").arg(arg("step")), remedy);
    if (wrong == "step_twice")
        return problem(Words::tr("step %1 occurs twice").arg(arg.number("step")), remedy);
    if (wrong == "self")
        return problem(
            Words::tr("in step %1 an axis goes from %2 to itself").arg(arg.number("step"), arg("found")), remedy);
    if (wrong == "target_twice")
        return problem(Words::tr("step %1 names %2 twice").arg(arg.number("step"), arg("found")), remedy);
    if (wrong == "range")
        return problem(
            Words::tr("step %1 names %2, which the operation does not have").arg(arg.number("step"), arg("found")),
            remedy);
    if (wrong == "no_sharding")
        return problem(Words::tr("step %1 names values without shardings").arg(arg.number("step")), remedy);
    return problem(Words::tr("%1 cannot be read").arg(arg.quote("found")), remedy);
}

} // namespace

QString programPlace(const Diagnostic& d)
{
    if (!d.arg("role"))
        return {};
    if (d.arg("op"))
        return Words::tr("%1, %2", "stablehlo.add, result 1").arg(fromStd(d.text("op")), roleText(d));
    if (d.arg("function"))
        return Words::tr("function %1, %2", "function main, argument 0").arg(fromStd(d.text("function")), roleText(d));
    if (d.arg("mesh") && d.text("role") == "mesh")
        return Words::tr("mesh %1").arg(quoted(fromStd(d.text("mesh"))));
    return roleText(d);
}

ProblemText describeProgramSharding(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    switch (d.code) {
    case Code::RankMismatch:
        return wrong.empty() || wrong == "rank" ? ProblemText() : describeRank(d);
    case Code::OverlappingAxes:
        return wrong.empty() ? ProblemText()
                             : problem(Words::tr("dimension %1 occurs twice").arg(arg.number("dim")),
                                 Words::tr("A dimension can be the source or the target of one move."));
    case Code::AxisOrder:
        return wrong.empty()
            ? ProblemText()
            : problem(Words::tr("dimension %1 stands after dimension %2").arg(arg.number("dim"), arg.number("other")),
                Words::tr("List the moves by their source dimensions, in ascending order."));
    case Code::UnknownMesh:
        return problem(Words::tr("there is no mesh %1").arg(arg.quote("mesh")),
            didYouMean(arg, "mesh", Words::tr("Declare it, or use one that the program declares.")));
    case Code::SubAxisDoesNotDivide:
        return problem(Words::tr("%1 has size %2 and no part :(%3)%4")
                           .arg(arg.quote("axis"), arg.number("whole"), arg("pre"), arg("size")),
            Words::tr("In :(m)k, m times k has to divide the axis."));
    case Code::BadMesh:
        return describeMesh(d);
    case Code::BadFactor:
        return describeFactor(d);
    case Code::BadRule:
        return describeRule(d);
    case Code::ManualAxes:
        return describeManualAxes(d);
    case Code::LocalShape:
        return problem(Words::tr("it is %1, where the manual axes leave %2").arg(arg("found"), arg("expected")),
            Words::tr("Inside, every dimension is divided by the manual axes that shard it."));
    case Code::CollectiveMismatch:
        return problem(Words::tr("it states %1 and makes %2").arg(arg("found"), arg("expected")),
            Words::tr("State what the operation makes of its operand."));
    case Code::BadCollective:
        return describeCollective(d);
    case Code::UnreducedAxes:
        return wrong == "list"
            ? problem(Words::tr("it states unreduced={%1} and makes unreduced={%2}").arg(arg("found"), arg("expected")),
                Words::tr("State what the operation makes of its operand."))
            : describeUnreduced(d);
    case Code::MaximalMesh:
        return problem(Words::tr("it is on a single device"),
            Words::tr("Arguments and results of functions have to be on all devices: move it inside the function."));
    case Code::ShardingCount:
        return problem(Words::tr("%1 shardings for %2").arg(arg.number("found"), arg.number("expected")),
            Words::tr("Give one sharding each."));
    case Code::TupleSharding:
        return problem(Words::tr("one sharding for a tuple of %1").arg(arg.number("elements")),
            Words::tr("Only a tuple of one array can have a sharding: shard its elements where they are made."));
    case Code::BadManualComputation:
        return describeComputation(d);
    case Code::BadEdge:
        return describeEdge(d);
    case Code::BadBarrier:
        return problem(Words::tr("a barrier that lets axes pass both ways stops nothing"),
            Words::tr("Use NONE, FORWARD or BACKWARD, or leave it out."));
    case Code::BadProvenance:
        return describeProvenance(d);
    case Code::BadShardingGroup:
        return wrong == "manual"
            ? problem(Words::tr("group %1 has members inside and outside of a manual computation, or in two of them")
                          .arg(arg("group")),
                Words::tr("Members have one sharding: keep them all in one body, or all outside."))
            : problem(Words::tr("group %1 has members of the types %2 and %3")
                          .arg(arg("group"), arg("expected"), arg("found")),
                Words::tr("Members have one sharding: they need one shape."));
    case Code::ShardingGroupConflict:
        return problem(
            Words::tr("group %1 has a member with %2 and one with %3").arg(arg("group"), arg("found"), arg("expected")),
            Words::tr(
                "Give all members one sharding. Until then each keeps its own, and where it is used it has one that "
                "all share, after a constraint that propagation adds."));
    default:
        return {};
    }
}

} // namespace shardscope::words
