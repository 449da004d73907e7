// SPDX-License-Identifier: GPL-3.0-or-later
// Devices against the unsharded reference, for any program: a network, a text, a table of arrays.
//
// The reference is a run of the unsharded program on one device, operation by operation, with plain kernels. A step is
// compared at checkedValues(): wherever devices add up, use a fast kernel for a function, or leave a loop. After each
// comparison the devices' value replaces that of the reference, so that the reference computes the next operations from
// the devices' own numbers. Rounding errors therefore do not pile up: each compared value has one sum or one function
// between it and values that were compared before it. If every such link is within its bound, then by induction the
// whole step is right. Between the links both sides round alike and have to be equal to the last bit.
//
// How far the devices' x may be from the reference's r (eps = 2^-23 for f32, 2^-52 for f64; u = eps / 2):
//
//     a sum of k terms         |x - r| <= (k + 2) u |a|.|b| + (k + 3 + devices) s
//                              r and |a|.|b| in f64, s the smallest number of the type (rounding_bound.h); twice u in
//                              f64, where r rounds as well; for f16 and bf16, which are summed in f32 and then rounded,
//                              (k + 2) u of f32 and devices + 2 roundings of their own
//     a reduce of f32, f64     h in place of k + 2, if that is less: the most additions that one term passes through on
//                              a device, in 16 lanes (f64: 8), and among devices
//     exp, tanh, a power, ...  |x - r| <= 8 eps |r|, and 2^-126 (f64: 2^-1022) where it vanishes
//     new state                |x - r| <= c |r - old| + 4 eps (|r| + |old|), c = 1e-5, in f64 1e-9: relative to the
//                              change, since an optimizer divides by what may be small, and to what is added up
//     out of a loop, a branch, |x - r| <= 256 eps max|r| + 4 max|n - r| (4 and 2 eps in place of 256 for f16 and bf16,
//     or of addends            and for floats of 8 bits): n is the same reference with sums that are off by as much as
//                              another order of adding makes them (rounding_noise.h)
//     anything else            equal; so are integers, truth values and arguments
//
// For example the product of x: 16x24 and W: 24x40 in f32, elements of about 1. |a|.|b| is about 24 where r, a sum of
// both signs, is about 5. So x may be off by 26 * 2^-24 * 24 = 3.7e-5, some 7e-6 of r. That holds for certain: no order
// of the sums gives more. A single product left out is off by 1.
//
// All copies of a shard are equal bit by bit, and nothing agrees with NaN: an element that is NaN or infinite on one
// side alone is wrong. One that is on both sides says nothing, and where a result of main has no others it is not
// compared. Each further step begins with the devices' state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulate/check/links.h"
#include "simulate/run/run.h"

namespace shardscope {

struct ValueCheck {
    ValueId value; ///< of the program; for state the new value (a result)
    std::string path; ///< "%12" for a value that has a number for a name, or no name
    std::vector<std::size_t> results; ///< main returns it as these
    std::int64_t compared = 0; ///< elements, in the last step
    std::int64_t notFinite = 0; ///< NaN or infinite on both sides, in the last step
    std::int64_t beyond = 0; ///< elements beyond their tolerance, in the step where they are most
    bool held = true; ///< false: the devices do not hold it where it should be compared
    std::optional<ReplicaDifference> copiesDiffer;
    double largestMagnitude = 0; ///< of the finite elements of the reference
    /// The element that is worst measured by its tolerance; -1 where all are equal.
    std::int64_t worstElement = -1; ///< row-major global index
    std::int32_t worstDevice = -1; ///< id of the first device that holds it
    double ours = 0, reference = 0, tolerance = 0, largestError = 0; ///< there

    [[nodiscard]] bool passed() const { return held && beyond == 0 && !copiesDiffer; }
};

enum class CheckVerdict : std::uint8_t {
    Agrees,
    Differs,
    NotCompared ///< every element of a result is NaN or infinite on both sides
};

struct CheckReport {
    /// In the order in which the reference computes them. Arguments come first, but only those that were wrong at the
    /// start. So the first one that did not pass is where it begins.
    std::vector<ValueCheck> values;
    std::optional<double> loss, lossReference; ///< in the last step

    [[nodiscard]] CheckVerdict verdict() const;
    [[nodiscard]] bool passed() const { return verdict() == CheckVerdict::Agrees; }
    /// Null where all passed.
    [[nodiscard]] const ValueCheck* firstDifference() const;
    /// Elements of all results that were compared, and those that are finite on neither side.
    [[nodiscard]] std::int64_t compared() const;
    [[nodiscard]] std::int64_t notFinite() const;
};

/// Runs `steps` steps from the start on both sides and compares after each; a value's line shows its worst step. State
/// is that of the program on devices. Errors: those of unsharded(), flatten(), schedule(), Run::create() and
/// Run::failure(); OutOfMemory counts what the reference takes, too.
[[nodiscard]] Result<CheckReport> checkAgainstReference(
    std::shared_ptr<const FlatProgram> program, const RunOptions& options, std::int64_t steps = 1);

/// The unsharded side of a check.
class CheckReference {
public:
    /// `devices`: what is compared with it; `program`: what they should compute.
    [[nodiscard]] static Result<CheckReference> of(ProgramPtr program, const FlatProgram& devices);

    /// Bytes that a check takes beside the run of the devices, not less than at its peak.
    [[nodiscard]] Result<double> bytes(const RunOptions& options) const;

    std::shared_ptr<const Plan> plan;
    std::vector<LinkStep> steps;

private:
    double m_largest = 0; ///< of what is taken to compare one value
    double m_kept = 0; ///< of what is kept of a step: old state, sums that are off
};

/// The same for a run that has not made a step yet, begun with `options.initial`, whose plan keeps checkedValues() of
/// the program on devices.
[[nodiscard]] Result<CheckReport> checkRun(
    const CheckReference& reference, Run& run, const RunOptions& options, std::int64_t steps = 1);

} // namespace shardscope
