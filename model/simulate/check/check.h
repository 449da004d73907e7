// SPDX-License-Identifier: GPL-3.0-or-later
// Sharded results against the unsharded reference.
//
// f64: both sides go their own way from the same initial values. After every step the loss is within 1e-9 relative, and
// every element of a compared array within 1e-9 of the largest magnitude in its array, and 2^-960 for what underflows.
//
// f32: the two sides round differently, and what becomes of that has no useful bound from end to end. Absolute values
// all the way back bound it by 1e7 times the values through eight products of depth 1024. Statistics are too hopeful:
// the roundings of equal terms, as a batch of equal rows has them, do not cancel but add up. And where a relu's operand
// rounds to the other side of 0 the gradient is another one. So a step is checked link by link. The devices' own
// numbers of every contraction and reduction (checkedValues()) are taken over by the reference once they have been
// compared, and the reference computes on from there in double, to the next ones. What is compared then has one sum
// behind it and little else, so that
//
//     |ours - reference| <= (k + 1) u |a|.|b| + 2 a,   u = 2^-24
//
// holds for certain (rounding_bound.h). |a|.|b| is that sum on absolute values. k counts the roundings behind one of
// its terms: one per term on one device, one per device that adds to it, and the few before and after. a is for numbers
// below 2^-126, which f32 cannot tell apart as finely: some 2^-150 per term, nothing beside the rest of it else. That
// is sharp: for n terms of random sign the tolerance is some n^1.5 u of the value, 0.2 % for n = 1024. And it is
// complete: by induction over the links every number of the step is right.
//
// New state is compared on equal gradients: the reference repeats the optimizer in f32 (1 - beta^t loses most of its
// digits there, and the same ones have to be lost), from the devices' gradients and old state, within
//
//     1e-5 |new - old| + 4 eps (|new| + |old|)
//
// relative to the change, then, and to the roundings of what is added up, since the new number itself may cancel; and
// within 2^-148 (2^-100 for parameters, whose change is divided by something small) for what underflows. Each further
// step begins with the devices' state.
//
// Besides, new parameters are compared on the reference's own gradients g, sums of the devices' numbers in double, with
// bounds B of what rounding can make of them (Decided). Adam divides a gradient by about its own size. Its first step
// is r g / (|g| + eps), r the learning rate, so that where |g| <= B its very sign may be noise: 2 r apart, and nothing
// wrong. Where |g| > B the devices' gradient g + d, |d| <= B, has the same sign, and the steps differ by
//
//     r eps |d| / ((|g| + eps) (|g + d| + eps)),   most at |g + d| = |g| - B.
//
// That is nothing where |g| is large against B and eps, and up to r where B is no larger than eps. The roundings of the
// step itself are some r u, which is much of the new parameter p where the old one p0 and the step cancel. So,
// literally, p agrees within 1e-5 |p| but for a few in a hundred thousand, and for every one with |g| > B
//
//     |ours - p| <= 1e-5 max(|p|, |p - p0|) + max(|p(g - B) - p|, |p(g + B) - p|).
//
// In later steps mu and nu have a past, and p(g) may turn once between g - B and g + B: the ends tell how far it goes
// up to the second order in B.
//
// In either case arguments begin equal to the last bit, integers and truth values are equal, all copies of a shard are
// equal bit by bit, and nothing agrees with NaN or where the reference overflows. How far a step in f32 agrees without
// any sharing is counted besides (EndToEnd), and is no criterion.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulate/check/reference.h"
#include "simulate/run/run.h"

namespace shardscope {

struct ValueCheck {
    ValueId value; ///< of the program; for state the new value (a result)
    std::string path; ///< "%12" for a value without a name
    std::int64_t compared = 0; ///< elements, in the last step
    bool held = true; ///< false: the devices do not hold it where it should be compared
    bool withinTolerance = true; ///< every element
    std::optional<ReplicaDifference> copiesDiffer;
    double largestMagnitude = 0; ///< of the reference array
    /// The element that is worst measured by its tolerance; -1 before anything was compared.
    std::int64_t worstElement = -1; ///< row-major global index
    std::int32_t worstDevice = -1; ///< id of the first device that holds it
    double ours = 0, reference = 0, tolerance = 0; ///< there

    [[nodiscard]] bool passed() const { return held && withinTolerance && !copiesDiffer; }
    [[nodiscard]] double largestError() const;
};

/// What agrees when neither side sees anything of the other from the beginning of a step to its end.
struct EndToEnd {
    std::int64_t parameters = 0; ///< elements of new parameters, in the last step
    std::int64_t agree = 0; ///< those within their tolerance
    double gradientDifference = 0; ///< largest, of the largest magnitude in its array; over all steps
};

/// New f32 parameters whose gradients exceed the bounds of their rounding, over all steps; see above. No criterion of
/// its own, since it follows from what is compared.
struct Decided {
    std::int64_t parameters = 0; ///< elements with |g| > B
    std::int64_t apart = 0; ///< of these, further than 1e-5 |p| from the reference
    std::int64_t unexplained = 0; ///< of those, further than cancellation and the bound of the gradient explain
};

struct CheckReport {
    /// Intermediate values, loss, gradients and outputs in program order, then new state. Arguments come first, but
    /// only those that were wrong at the start. So the first one that did not pass is where it begins.
    std::vector<ValueCheck> values;
    bool passed = true;
    double lossOurs = 0; ///< in the last step
    double lossReference = 0; ///< from end to end
    EndToEnd endToEnd;
    Decided decided;
};

/// Runs `steps` steps from the start on both sides and compares after each; a value's line shows its worst step.
/// Errors: those of schedule and Run::create; its OutOfMemory counts what the reference takes, too.
[[nodiscard]] Result<CheckReport> checkAgainstReference(
    std::shared_ptr<const FlatProgram> program, const RunOptions& options, std::int64_t steps = 1);

/// The same for a run that has not made a step yet, begun with `initial`, whose plan keeps checkedValues(program).
/// `program` is what its devices should compute. Takes checkBytes(program), which the caller has counted.
[[nodiscard]] CheckReport checkRun(
    Run& run, const Program& program, const InitialValues& initial, std::int64_t steps = 1);
/// Bytes that a check takes beside its run, most of them for the reference; as double, since they may exceed integers.
[[nodiscard]] double checkBytes(const Program& program);

/// The values of main that are compared apart from new state: results of contractions and reductions, gradients, loss
/// and outputs, and what decisions and functions on the way to them take. In program order.
[[nodiscard]] std::vector<ValueId> checkedValues(const Program& program);

} // namespace shardscope
