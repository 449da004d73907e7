// SPDX-License-Identifier: GPL-3.0-or-later
// What commands say of arrays: their elements, and what sums up many of them.
#pragma once

#include <string>
#include <vector>

#include "experiment_file/array_text.h"
#include "partition/device_program.h"
#include "report.h"
#include "simulate/kernels/array.h"

namespace shardscope::cli {

/// Arrays of more elements are summed up unless they are asked for.
inline constexpr std::int64_t maxListedElements = 64;

/// Arrays stand on one line in a text whose other members have a line each: they are put in afterwards.
class ArrayTexts {
public:
    /// The elements of `all` arrays, or of small ones.
    explicit ArrayTexts(bool all)
        : m_all(all)
    {
    }
    /// Adds the members "value", where the elements are wanted, and "summary": shape, type, least, greatest and mean of
    /// the finite elements, and the SHA-256 of numpy's a.tobytes().
    void describe(Json& json, const kernels::Array& array);
    [[nodiscard]] Json described(const kernels::Array& array);
    /// In the order in which they were described.
    [[nodiscard]] std::string print(const Json& json) const;

private:
    bool m_all;
    std::vector<std::string> m_texts;
};

/// A number; true is 1.
[[nodiscard]] Json scalarJson(const kernels::Array& scalar);

/// As NumPy prints it: of large ones the corners.
void printArray(Console& console, const kernels::Array& array, const QString& indent);
/// Shards of one array, by device id: devices that hold the same stand together.
void printShards(
    Console& console, const QString& name, const kernels::Arrays& shards, const ShardedArray& how, const MeshPtr& mesh);

} // namespace shardscope::cli
