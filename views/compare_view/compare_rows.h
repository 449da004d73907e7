// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as a tree of two levels: sections, and in each what differs, with A, B and B − A. Without a window.
//
//     Inputs
//       mesh axis data                2          4
//     Memory per device
//       parameters                8 MiB     16 MiB     +8 MiB
//     Sent per device and step
//       along data                8 MiB     24 MiB    +16 MiB
//
// Memory and what is sent are there whether they differ or not; other sections only where something does.
#pragma once

#include <QString>
#include <vector>

#include "comparison/comparison.h"
#include "views/widgets/column_model.h"

namespace shardscope {

struct CompareRow : TreeNode {
    QString name;
    QString before, after, difference;
    double bytes = 0; ///< B − A, of what is held or sent; 0 where it is about no bytes
    QString path = {}; ///< of an array that B has
    QString about = {}; ///< more than the columns say
    bool isSection = false;
    bool isStrong = false; ///< a sum
};

/// [0] is the root.
[[nodiscard]] std::vector<CompareRow> compareRows(const SnapshotComparison& comparison);

/// What a bar at full length stands for. While something is dragged the scale of its start holds, so that growing is
/// seen as growing; it gives way only to what would not fit.
class HeldScale {
public:
    void follow(double largest, bool held);
    /// From −1 to 1; 0 without a scale.
    [[nodiscard]] double share(double value) const;
    [[nodiscard]] double full() const { return m_full; }

private:
    double m_full = 0;
};

} // namespace shardscope
