// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes as points: to the right what they send, upwards what a device holds.
#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>
#include <vector>

#include "analysis/mesh_search.h"

namespace shardscope {

/// A logarithmic axis of bytes from the minimum to the maximum there is, and further where these are nearly the same:
/// what differs by little lies close together. Zero stands at the beginning of the axis, apart from the other numbers:
/// a logarithm of it would press these together.
struct ScatterScale {
    double minimum = 0, maximum = 1; ///< logarithms to the base 2, of one byte more
    double logarithmsFrom = 0; ///< the share of the axis at which they begin; more than 0 where there are zeros
    static ScatterScale of(const std::vector<double>& bytes);
    [[nodiscard]] double shareOf(double bytes) const; ///< from 0 to 1
    [[nodiscard]] double bytesAt(double share) const;
};

/// Where the points lie.
struct ScatterLayout {
    static constexpr double dotRadius = 5;
    struct Dot {
        std::size_t mesh = 0;
        QPointF at;
    };
    std::vector<Dot> dots; ///< of the meshes that have both figures, in their order
    ScatterScale sent, state; ///< across, and upwards
    QList<QPointF> front; ///< from left to right: across to what sends more, then down to what holds less
    static ScatterLayout make(const QRectF& area, const std::vector<MeshFigures>& meshes);
    /// The nearest dot within so many pixels, -1 for none.
    [[nodiscard]] int dotAt(const QPointF& point, double within) const;
    /// Places for a text of that size beside each dot: empty where it would lie on another one, on a dot or on the
    /// line, or not within `inside`. The dot `first` has the first choice, the others in their order.
    [[nodiscard]] std::vector<QRectF> labelPlaces(
        const QRectF& inside, const std::vector<QSizeF>& texts, std::size_t first = 0) const;
};

} // namespace shardscope
