// SPDX-License-Identifier: GPL-3.0-or-later
// Reading slices of what devices hold: a few elements of one device's shard, or of the global array by way of its
// layout. Never copies an array as a whole.
//
//     const RunReader reader(run);
//     if (reader.held(w) == Held::Yes) {
//         const Sample corner{ { { 0, 1 }, { 0, 1, 2 } } };
//         std::vector<double> numbers(corner.count());
//         readGlobal(reader, w, corner, numbers); // w[0, 0] w[0, 1] w[0, 2] w[1, 0] ...
//     }
//
// A reader looks at the memory in which a step computes: it is used between two steps, by whoever runs them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sharding/layout.h"
#include "simulate/run/run.h"

namespace shardscope {

/// Per dimension the indices that are read, ascending. All their combinations are read, the last dimension fastest:
/// { {0, 512}, {3} } of a matrix are its elements (0, 3) and (512, 3). An array without dimensions has one element.
struct Sample {
    std::vector<std::vector<std::int64_t>> indices;
    [[nodiscard]] std::size_t count() const;
};

/// Calls element(offset) for every element of a sample, in order; `offset` counts with the given strides.
template <class Function>
void forEachElement(const Sample& sample, std::span<const std::int64_t> strides, const Function& element)
{
    if (sample.indices.empty()) {
        element(std::int64_t{ 0 });
        return;
    }
    if (sample.count() == 0)
        return;
    const std::size_t last = sample.indices.size() - 1;
    std::vector<std::size_t> at(last, 0);
    for (;;) {
        std::int64_t row = 0;
        for (std::size_t d = 0; d < last; ++d)
            row += sample.indices[d][at[d]] * strides[d];
        for (const std::int64_t index : sample.indices[last])
            element(row + index * strides[last]);
        std::size_t d = last;
        while (d > 0 && ++at[d - 1] == sample.indices[d - 1].size())
            at[--d] = 0;
        if (d == 0)
            return;
    }
}

/// Whether a value can be read, and why not.
enum class Held : std::uint8_t {
    Yes,
    NoStep, ///< no step has been taken, or the last one was broken off
    NoMemory, ///< it lives only in registers, is a constant, or nobody needs it
    NotKept, ///< its memory may hold another value by the end of the step, or it was never stored
};

class ValueReader {
public:
    virtual ~ValueReader() = default;
    [[nodiscard]] virtual Held held(ValueId value) const = 0;

    // Of a value that is held.
    [[nodiscard]] virtual DType dtype(ValueId value) const = 0;
    [[nodiscard]] virtual Layout layout(ValueId value) const = 0;
    /// Elements of the shard at a mesh position. Indices are local, below Layout::shardShape(): after the end of the
    /// array stands padding. `out` has room for sample.count().
    virtual void readLocal(ValueId value, std::int64_t position, const Sample& sample, std::span<double> out) const = 0;

protected:
    ValueReader() = default;
    ValueReader(const ValueReader&) = default;
    ValueReader& operator=(const ValueReader&) = default;
};

/// Elements of the global array by global indices: each from the first holder of its shard; partial values are added
/// up over the devices that hold the parts.
void readGlobal(const ValueReader& reader, ValueId value, const Sample& sample, std::span<double> out);

/// The shard that an element of the array lies in: who holds it says Layout::holders().
[[nodiscard]] std::int64_t shardOfElement(const Layout& layout, std::span<const std::int64_t> index);
/// Elements of a shard by dimension that belong to the array; what is after them is padding.
[[nodiscard]] Shape validExtent(const Layout& layout, std::int64_t position);

/// What the devices of a run hold. The run outlives this.
class RunReader final : public ValueReader {
public:
    explicit RunReader(const Run& run)
        : m_run(run)
    {
    }
    [[nodiscard]] Held held(ValueId value) const override;
    [[nodiscard]] DType dtype(ValueId value) const override;
    [[nodiscard]] Layout layout(ValueId value) const override;
    void readLocal(ValueId value, std::int64_t position, const Sample& sample, std::span<double> out) const override;

private:
    const Run& m_run;
};

/// ours - reference; 0 for what is the same, two infinities or two that are not a number included.
[[nodiscard]] double differenceFrom(double reference, double ours);
/// `values` of a sample of a global array, as differences from the same elements of a whole row-major one.
void subtractReference(
    std::span<const double> reference, const Shape& shape, const Sample& sample, std::span<double> values);

} // namespace shardscope
