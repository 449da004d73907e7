// SPDX-License-Identifier: GPL-3.0-or-later
// The cache in AnalysisCache: for each stage the newest few results by their inputs, fewer where they are large.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "experiment/builtin.h"
#include "pipeline/analysis_cache.h"
#include "pipeline/snapshot.h"
#include "program/annotated_program.h"

namespace shardscope {

/// Results of one stage. An entry is found by the hash of its input and confirmed by comparing the input itself, so
/// that a collision of hashes costs time but never gives a wrong result. At most `capacity` entries are kept, of
/// `largestWeight` together; the newest is kept whatever it weighs.
template <class Input, class Output>
class StageCache {
public:
    [[nodiscard]] std::shared_ptr<const Output> find(std::uint64_t hash, const Input& input)
    {
        const std::lock_guard lock(m_mutex);
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            if (m_entries[i].hash != hash || !(m_entries[i].input == input))
                continue;
            std::rotate(m_entries.begin() + static_cast<std::ptrdiff_t>(i),
                m_entries.begin() + static_cast<std::ptrdiff_t>(i) + 1, m_entries.end());
            return m_entries.back().output;
        }
        return nullptr;
    }
    /// `weight`: of input and output together, in values of a program.
    void insert(std::uint64_t hash, Input input, std::shared_ptr<const Output> output, std::size_t weight)
    {
        const std::lock_guard lock(m_mutex);
        m_entries.push_back({ hash, std::move(input), std::move(output), weight });
        m_weight += weight;
        std::size_t dropped = 0;
        while (dropped + 1 < m_entries.size() && (m_entries.size() - dropped > capacity || m_weight > largestWeight))
            m_weight -= m_entries[dropped++].weight;
        m_entries.erase(m_entries.begin(), m_entries.begin() + static_cast<std::ptrdiff_t>(dropped));
    }

    void clear()
    {
        const std::lock_guard lock(m_mutex);
        m_entries.clear();
        m_weight = 0;
    }

    static constexpr std::size_t capacity = 16;
    /// A program of the usual size has some hundreds of values, a very deep one half a million. A value takes about a
    /// kilobyte in all the results of a layout.
    static constexpr std::size_t largestWeight = std::size_t{ 1 } << 18;

private:
    struct Entry {
        std::uint64_t hash;
        Input input;
        std::shared_ptr<const Output> output;
        std::size_t weight;
    };
    std::mutex m_mutex;
    std::size_t m_weight = 0; ///< of all entries
    std::vector<Entry> m_entries; ///< oldest use first
};

/// What a program with its annotations inside is made of.
struct AnnotationInput {
    SourcePtr source; ///< compared by identity: the build stage gives the same program for the same model
    Mesh mesh;
    AnnotationShardings shardings; ///< that rules give
    ProgramModel specified; ///< the shardings and sharding rules that the experiment adds to a text; without the text
    std::string platform; ///< which memories there are
    bool operator==(const AnnotationInput&) const = default;
};
struct AnnotatedStage {
    SourcePtr source;
    MeshPtr mesh;
    ProgramPtr program;
    std::vector<Problem> problems;
    bool legal = true; ///< nothing is wrong with the program or its shardings, so that they can be propagated
};

/// Everything that propagation and what follows it depend on.
struct LayoutInput {
    std::shared_ptr<const AnnotatedStage> annotated; ///< compared by identity, as AnnotationInput::source
    PropagationSetting propagation = {};
    std::string state = {}; ///< roles follow from it
    std::vector<ChosenRole> roles = {};
    bool operator==(const LayoutInput&) const = default;
};
/// A snapshot has these under the same names.
struct LayoutStage {
    std::shared_ptr<const AnnotatedStage> annotated; ///< so that LayoutInput's stays the only one at its address
    ProgramPtr program;
    std::shared_ptr<const PropagationResult> propagation;
    std::shared_ptr<const DeviceStages> deviceStages;
    std::vector<std::string> elsewhere; ///< meshes over other devices: what lies on them is drawn unsharded
    std::optional<Diagnostic> error; ///< then the others are absent
};

struct AnalysisCache::Impl {
    StageCache<ModelSetting, SourceProgram> sources;
    StageCache<AnnotationInput, AnnotatedStage> annotated;
    StageCache<LayoutInput, LayoutStage> layouts;
    std::mutex countMutex;
    std::vector<StageCount> counts;

    void clear();
    /// Takes the stages of one analysis into the counts.
    void count(const std::vector<StageTime>& times);
};

} // namespace shardscope
