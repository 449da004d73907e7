// SPDX-License-Identifier: GPL-3.0-or-later
// Which elements of an array are shown: a plane of it, globally or as the devices hold it. Plain values, without a
// window: the table of numbers and the heat map both draw what this says.
//
//     f32[4, 8, 16] with dimension 1 down, 2 across and index {2, 0, 0}: the plane [2, :, :], 8 rows of 16 columns
#pragma once

#include <QStringList>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/snapshot.h"
#include "program/types.h"
#include "simulate/run/value_reader.h"
#include "words/grid_subject.h"

namespace shardscope {

struct ShownValues {
    GridSubject subject; ///< the array with its layout and the names of its dimensions
    DType dtype = DType::F32;
    bool local = false; ///< by the devices' own indices, padding included; else by those of the array
    /// Mesh positions. Local: those whose shards are shown, in this order. Global: at most one, whose part is marked.
    std::vector<std::int64_t> positions = {};
    int rows = -1; ///< dimension that goes down, -1 where the array has none
    int columns = -1; ///< that goes across
    Shape index = {}; ///< where the plane lies in the other dimensions
    bool difference = false; ///< what is shown are differences from the reference
    bool fromStart = false; ///< and these from what the array began with
    double referenceMagnitude = 0; ///< the largest finite magnitude in the reference, 0 = not known
    /// The root mean square up to which differences from the reference count as rounding; absent: not known, or from
    /// the start.
    std::optional<double> allowedDifference = {};

    /// The last two dimensions, and the first plane of the others.
    void takeDefaultPlane();
    [[nodiscard]] std::size_t rank() const { return subject.layout.shape().size(); }
    /// Some dimension has size 0: there is no element that could be read, whatever plane is shown.
    [[nodiscard]] bool isEmpty() const;
    /// Elements in a dimension of what one view shows: of the array, or of a shard with its padding.
    [[nodiscard]] std::int64_t size(int dimension) const;
    /// Of the plane; 0 of an empty array.
    [[nodiscard]] std::int64_t rowCount() const { return isEmpty() ? 0 : size(rows); }
    [[nodiscard]] std::int64_t columnCount() const { return isEmpty() ? 0 : size(columns); }
    /// How many belong to the array at a mesh position; -1: to the global one. None where a shard's plane is padding.
    [[nodiscard]] std::int64_t validRows(std::int64_t position) const;
    [[nodiscard]] std::int64_t validColumns(std::int64_t position) const;

    /// Index of an element, global or local.
    [[nodiscard]] Shape indexAt(std::int64_t row, std::int64_t column) const;
    /// Its index in the array; nothing for padding.
    [[nodiscard]] std::optional<Shape> globalIndexAt(
        std::int64_t position, std::int64_t row, std::int64_t column) const;
    /// The shard that it lies in.
    [[nodiscard]] std::int64_t shardAt(std::int64_t position, std::int64_t row, std::int64_t column) const;
    /// The device at a position holds it.
    [[nodiscard]] bool holds(std::int64_t position, std::span<const std::int64_t> globalIndex) const;
    /// "embed 12, hidden 300".
    [[nodiscard]] QString indexText(std::span<const std::int64_t> index) const;
    /// What one should know about the numbers: that they are parts, or were; that some devices are left out.
    [[nodiscard]] QStringList notes(const TensorRow& row) const;
};

/// Reads elements at a mesh position by local indices; -1: by global ones. False while nothing can be read.
using ReadSample = std::function<bool(std::int64_t position, const Sample& sample, std::span<double> out)>;

/// The elements at some rows and columns of what is shown, row by row.
bool readPlane(const ShownValues& shown, const ReadSample& read, std::int64_t position,
    const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns, std::vector<double>& out);

/// "-0.01234", "+1.2e-07" for a difference, "true", "NaN", "∞".
[[nodiscard]] QString valueText(double value, DType dtype, bool difference);

} // namespace shardscope
