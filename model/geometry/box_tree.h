// SPDX-License-Identifier: GPL-3.0-or-later
// Which of many rectangles lie within another one, without a look at all of them.
//
// Rectangles stand in groups of sixteen under a common frame, groups in groups, and so on, in the order in which they
// are given. What lies side by side in that order ought to lie side by side in the plane.
//
//     BoxTree tree(boxes);
//     tree.visit(seen, [&](int box) { draw(box); return true; }); // ascending; false stops
#pragma once

#include <QRectF>
#include <algorithm>
#include <cstddef>
#include <vector>

namespace shardscope {

class BoxTree {
public:
    BoxTree() = default;
    explicit BoxTree(const std::vector<QRectF>& boxes)
    {
        std::vector<Box> rows;
        rows.reserve(boxes.size());
        for (const QRectF& box : boxes)
            rows.push_back({ box.left(), box.top(), box.right(), box.bottom() });
        m_levels.push_back(std::move(rows));
        while (m_levels.back().size() > group) {
            const std::vector<Box>& below = m_levels.back();
            std::vector<Box> frames;
            for (std::size_t i = 0; i < below.size(); ++i)
                if (i % group == 0)
                    frames.push_back(below[i]);
                else
                    frames.back().add(below[i]);
            m_levels.push_back(std::move(frames));
        }
    }

    /// Rectangles that overlap `within` or touch it; those without a width or a height count as well.
    template <class Visit>
    void visit(const QRectF& within, const Visit& each) const
    {
        if (!m_levels.empty())
            (void)visit(m_levels.size() - 1, 0, { within.left(), within.top(), within.right(), within.bottom() }, each);
    }
    /// How many, or some number above `most` if there are more than that.
    [[nodiscard]] int count(const QRectF& within, int most) const
    {
        int found = 0;
        visit(within, [&](int) { return ++found <= most; });
        return found;
    }

private:
    static constexpr std::size_t group = 16;
    struct Box {
        double left, top, right, bottom;
        void add(const Box& other)
        {
            left = std::min(left, other.left);
            top = std::min(top, other.top);
            right = std::max(right, other.right);
            bottom = std::max(bottom, other.bottom);
        }
        [[nodiscard]] bool meets(const Box& other) const
        {
            return left <= other.right && right >= other.left && top <= other.bottom && bottom >= other.top;
        }
    };

    template <class Visit>
    bool visit(std::size_t level, std::size_t first, const Box& within, const Visit& each) const
    {
        const std::vector<Box>& boxes = m_levels[level];
        for (std::size_t i = first; i < std::min(first + group, boxes.size()); ++i)
            if (boxes[i].meets(within)
                && !(level == 0 ? each(static_cast<int>(i)) : visit(level - 1, i * group, within, each)))
                return false;
        return true;
    }

    std::vector<std::vector<Box>> m_levels; ///< [0] the rectangles themselves
};

} // namespace shardscope
