// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of what a benchmark measures, by name, and what they come to.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/foreign_load.h"

namespace shardscope::bench {

struct Sample {
    double milliseconds = 0;
    double foreign = 0; ///< share of the machine that others used, see foreignLoad()
};

/// Milliseconds.
struct Line {
    double clean = 0; ///< median of the clean samples, 0 without any
    double all = 0; ///< median of all
    double best = 0;
    std::size_t cleanSamples = 0;
    std::size_t samples = 0;

    [[nodiscard]] bool isConclusive() const { return cleanSamples >= cleanSamplesNeeded; }
    /// The median of the clean samples where there are any, else of all, for orientation.
    [[nodiscard]] double typical() const { return cleanSamples > 0 ? clean : all; }
};

inline Line lineOf(const std::vector<Sample>& list)
{
    std::vector<double> clean, all;
    for (const Sample& sample : list) {
        all.push_back(sample.milliseconds);
        if (sample.foreign <= largestForeignLoad)
            clean.push_back(sample.milliseconds);
    }
    return { median(clean), median(all), all.empty() ? 0 : *std::min_element(all.begin(), all.end()), clean.size(),
        all.size() };
}

class Measurements {
public:
    void add(const std::string& name, const Sample& sample) { m_samples[name].push_back(sample); }
    [[nodiscard]] std::map<std::string, Line> lines() const
    {
        std::map<std::string, Line> lines;
        for (const auto& [name, list] : m_samples)
            lines.emplace(name, lineOf(list));
        return lines;
    }

private:
    std::map<std::string, std::vector<Sample>> m_samples;
};

/// "reached" or not, or that nothing can be said.
inline const char* verdict(bool conclusive, bool reached)
{
    return !conclusive ? "inconclusive, others used the machine" : reached ? "reached" : "not reached";
}

} // namespace shardscope::bench
