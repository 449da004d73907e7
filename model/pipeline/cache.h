// SPDX-License-Identifier: GPL-3.0-or-later
// The cache behind AnalysisCache: for each stage the newest few results by their inputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "pipeline/analyse.h"

namespace shardscope {

/// Results of one stage. An entry is found by the hash of its input and confirmed by comparing the input itself, so
/// that a collision of hashes costs time but never gives a wrong result.
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
    void insert(std::uint64_t hash, Input input, std::shared_ptr<const Output> output)
    {
        const std::lock_guard lock(m_mutex);
        if (m_entries.size() == capacity)
            m_entries.erase(m_entries.begin());
        m_entries.push_back({ hash, std::move(input), std::move(output) });
    }

private:
    static constexpr std::size_t capacity = 16;
    struct Entry {
        std::uint64_t hash;
        Input input;
        std::shared_ptr<const Output> output;
    };
    std::mutex m_mutex;
    std::vector<Entry> m_entries; ///< oldest use first
};

/// Everything that propagation and what follows it depend on.
struct LayoutInput {
    ProgramPtr program; ///< compared by identity: the build stage gives the same program for the same model
    Mesh mesh;
    std::vector<std::optional<TensorSharding>> arguments, results, constraints;
    bool onlyPropagate = false; ///< no step can run of this: who holds what is all there is to know
    bool operator==(const LayoutInput&) const = default;
};

/// Results of propagate, partition and schedule, which share their inputs. Stages after a failed one are absent.
struct LayoutOutput {
    MeshPtr mesh;
    std::shared_ptr<const PropagationResult> propagation;
    std::shared_ptr<const DeviceProgram> deviceProgram;
    std::shared_ptr<const Plan> plan;
    std::optional<Diagnostic> error;
    std::vector<StageTime> times;
};

struct AnalysisCache::Impl {
    StageCache<ModelSetting, Program> programs;
    StageCache<LayoutInput, LayoutOutput> layouts;
};

} // namespace shardscope
