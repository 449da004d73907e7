// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/array_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardscope {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool isWithin(double error, double tolerance)
{
    return std::isfinite(tolerance) && error <= tolerance;
}

/// How much of its tolerance an error takes up: above 1 for all that is not within.
double strain(double error, double tolerance)
{
    if (isWithin(error, tolerance))
        return tolerance > 0 ? error / tolerance : 0;
    const double ratio = error / tolerance;
    return ratio > 1 ? ratio : infinity; // NaN, or no tolerance
}

double toleranceOf(const Tolerances& tolerances, std::size_t element)
{
    return tolerances[tolerances.size() == 1 ? 0 : element];
}

} // namespace

double difference(double a, double b)
{
    return a == b ? 0 : std::fabs(a - b);
}

double largestMagnitude(const std::vector<double>& array)
{
    double largest = 0;
    for (const double element : array)
        largest = std::isnan(element) ? infinity : std::max(largest, std::fabs(element));
    return largest;
}

double relativeDifference(const std::vector<double>& ours, const std::vector<double>& reference)
{
    double largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const double error = difference(ours[i], reference[i]);
        largest = std::isnan(error) ? infinity : std::max(largest, error);
    }
    return largest == 0 ? 0 : largest / largestMagnitude(reference);
}

std::int64_t countWithin(
    const std::vector<double>& ours, const std::vector<double>& reference, const Tolerances& tolerances)
{
    std::int64_t within = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
        within += isWithin(difference(ours[i], reference[i]), toleranceOf(tolerances, i)) ? 1 : 0;
    return within;
}

std::int64_t compareArrays(ValueCheck& line, const std::vector<double>& ours, const std::vector<double>& reference,
    const Tolerances& tolerances)
{
    line.largestMagnitude = std::max(line.largestMagnitude, largestMagnitude(reference));
    line.compared = 0;
    if (ours.size() != reference.size()) {
        line.held = false;
        return 0;
    }
    double worst = line.worstElement < 0 ? -1 : strain(line.largestError(), line.tolerance);
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const double tolerance = toleranceOf(tolerances, i);
        const double now = strain(difference(ours[i], reference[i]), tolerance);
        if (now <= worst)
            continue;
        worst = now;
        line.worstElement = static_cast<std::int64_t>(i);
        line.ours = ours[i];
        line.reference = reference[i];
        line.tolerance = tolerance;
    }
    const std::int64_t within = countWithin(ours, reference, tolerances);
    line.compared = static_cast<std::int64_t>(ours.size());
    line.withinTolerance = line.withinTolerance && within == line.compared;
    return within;
}

} // namespace shardscope
