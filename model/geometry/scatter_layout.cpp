// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/scatter_layout.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace shardscope {

namespace {

double logOf(double bytes)
{
    return std::log2(1 + std::max(bytes, 0.0));
}

/// A part of the line between two of its corners, with room around it.
QRectF around(QPointF from, QPointF to)
{
    constexpr double room = 2;
    return QRectF(from, to).normalized().adjusted(-room, -room, room, room);
}

} // namespace

ScatterScale ScatterScale::of(const std::vector<double>& bytes)
{
    constexpr double minimumSpan = 0.5; // of a doubling
    constexpr double apart = 0.15; // of the axis
    std::vector<double> positive;
    std::copy_if(bytes.begin(), bytes.end(), std::back_inserter(positive), [](double each) { return each > 0; });
    if (positive.empty())
        return { 0, minimumSpan };
    const auto [least, most] = std::minmax_element(positive.begin(), positive.end());
    ScatterScale scale{ logOf(*least), logOf(*most), positive.size() < bytes.size() ? apart : 0 };
    if (const double missing = minimumSpan - (scale.maximum - scale.minimum); missing > 0) {
        scale.minimum = std::max(scale.minimum - missing / 2, 0.0); // nobody sends less than nothing
        scale.maximum = scale.minimum + minimumSpan;
    }
    return scale;
}

double ScatterScale::shareOf(double bytes) const
{
    if (logarithmsFrom > 0 && bytes <= 0)
        return 0;
    return logarithmsFrom + (1 - logarithmsFrom) * (logOf(bytes) - minimum) / (maximum - minimum);
}

double ScatterScale::bytesAt(double share) const
{
    if (share < logarithmsFrom)
        return 0;
    const double logarithm = minimum + (share - logarithmsFrom) / (1 - logarithmsFrom) * (maximum - minimum);
    return std::round(std::exp2(logarithm) - 1);
}

ScatterLayout ScatterLayout::make(const QRectF& area, const std::vector<MeshFigures>& meshes)
{
    ScatterLayout layout;
    std::vector<double> sent, state;
    for (std::size_t i = 0; i < meshes.size(); ++i)
        if (meshes[i].sentBytes && meshes[i].stateBytes) {
            layout.dots.push_back({ i, {} });
            sent.push_back(meshes[i].sentBytes->value());
            state.push_back(static_cast<double>(*meshes[i].stateBytes));
        }
    if (layout.dots.empty())
        return layout;
    layout.sent = ScatterScale::of(sent);
    layout.state = ScatterScale::of(state);
    for (std::size_t i = 0; i < layout.dots.size(); ++i)
        layout.dots[i].at = { area.left() + area.width() * layout.sent.shareOf(sent[i]),
            area.bottom() - area.height() * layout.state.shareOf(state[i]) };
    std::vector<QPointF> front;
    for (const Dot& dot : layout.dots)
        if (meshes[dot.mesh].isFront())
            front.push_back(dot.at);
    std::sort(front.begin(), front.end(), [](QPointF a, QPointF b) { return a.x() < b.x(); });
    for (const QPointF& at : front) {
        if (!layout.front.isEmpty())
            layout.front << QPointF(at.x(), layout.front.back().y());
        layout.front << at;
    }
    return layout;
}

int ScatterLayout::dotAt(const QPointF& point, double within) const
{
    int nearest = -1;
    double least = within;
    for (std::size_t i = 0; i < dots.size(); ++i) {
        const double distance = std::hypot(dots[i].at.x() - point.x(), dots[i].at.y() - point.y());
        if (distance <= least) {
            least = distance;
            nearest = static_cast<int>(i);
        }
    }
    return nearest;
}

std::vector<QRectF> ScatterLayout::labelPlaces(
    const QRectF& inside, const std::vector<QSizeF>& texts, std::size_t first) const
{
    constexpr double aside = dotRadius + 8; // clear of the ring around the mesh that is open
    std::vector<QRectF> taken, places(dots.size());
    for (const Dot& dot : dots)
        taken.push_back(QRectF(dot.at.x() - dotRadius, dot.at.y() - dotRadius, 2 * dotRadius, 2 * dotRadius));
    for (qsizetype i = 1; i < front.size(); ++i)
        taken.push_back(around(front[i - 1], front[i]));
    const auto place = [&](std::size_t i) {
        const QPointF at = dots[i].at;
        const double width = texts[i].width(), height = texts[i].height(), left = at.x() - aside - width,
                     right = at.x() + aside, middle = at.y() - height / 2, above = at.y() - height - 3,
                     below = at.y() + 3;
        QRectF found;
        for (const QPointF& corner : { QPointF(right, middle), QPointF(right, above), QPointF(right, below),
                 QPointF(left, middle), QPointF(left, above), QPointF(left, below) }) {
            const QRectF box(corner, texts[i]);
            if (inside.contains(box) && std::none_of(taken.begin(), taken.end(), [&box](const QRectF& other) {
                    return other.intersects(box);
                })) {
                found = box;
                break;
            }
        }
        places[i] = found;
        if (!found.isNull())
            taken.push_back(found);
    };
    if (first < dots.size())
        place(first);
    for (std::size_t i = 0; i < dots.size(); ++i)
        if (i != first)
            place(i);
    return places;
}

} // namespace shardscope
