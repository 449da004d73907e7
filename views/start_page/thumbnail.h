// SPDX-License-Identifier: GPL-3.0-or-later
// A small picture of an experiment: the shards of the array that is worth a first look, else the mesh.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "experiment/experiment.h"
#include "sharding/layout.h"

class QPainter;
class QRect;

namespace shardscope {

struct Theme;

struct Thumbnail {
    std::optional<Layout> array; ///< absent where nothing could be laid out, or there is no array
    std::vector<std::int64_t> mesh; ///< sizes of the mesh's axes
};

/// Analyses the experiment as far as its layouts: some milliseconds.
[[nodiscard]] Thumbnail thumbnailOf(const Experiment& experiment, const std::stop_token& stop = {});

/// In the middle of `room`, in colours and patterns of the shard grid. `pixelRatio` is that of the painted device.
void paintThumbnail(
    QPainter& painter, const QRect& room, const Thumbnail& thumbnail, const Theme& theme, qreal pixelRatio);

} // namespace shardscope
