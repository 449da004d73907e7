// SPDX-License-Identifier: GPL-3.0-or-later
// Where the parts of a program stand when it is drawn: geometry, what is at a point, and which way the arrow keys go.
// No widgets, no colours, no text.
//
// Every part that has parts in it is open or folded. An open one is a frame with a head, and in it a level: its parts
// in layers from left to right, the edges between them, and values that come from elsewhere, drawn beside those who
// read them. What is sent for a value stands between the operation that makes it and those who read it. Levels know
// nothing of each other: folding a part changes its own frame and moves what stands around it.
//
//     GraphLayout layout(program, outline, measure);
//     layout.setOpen(0, true);                       // the root
//     for (const GraphItem& item : layout.level(0)->items) ...
#pragma once

#include <QPointF>
#include <QRectF>
#include <compare>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/collective_places.h"
#include "geometry/box_tree.h"
#include "geometry/layered_layout.h"
#include "program/outline/program_outline.h"

namespace shardscope {

struct GraphItem {
    enum class Kind : std::uint8_t {
        Part, ///< an operation or a part of the program, open or folded
        Value, ///< a value that comes from outside of the level, or from far before in it
        Results, ///< what the function or the body returns
        Collective ///< that partitioning puts in for a value
    };
    Kind kind = Kind::Part;
    int part = -1;
    ValueId value; ///< Value, Collective; Results: the first one
    int collective = -1; ///< Collective: number in the list
    int more = 0; ///< so many values beside that one
    bool leaves = false; ///< of an operation: what it makes is also read outside of the level
    int layer = 0;
    QRectF rect; ///< in the frame of the level
};

struct GraphEdge {
    int from = 0, to = 0; ///< items
    ValueId value; ///< the first of those that flow along it
    int more = 0;
    std::vector<QPointF> points; ///< as LayeredPlaces has them, in the frame of the level
};

/// What stands in an open part. Items are sorted by layer and from the top down, edges by the layer they come from.
struct GraphLevel {
    std::vector<GraphItem> items;
    std::vector<GraphEdge> edges;
    std::vector<int> layerStart; ///< first item of each layer, and the number of items
    std::vector<QRectF> layerRects; ///< around the items of each
    std::vector<int> edgeStart; ///< first edge from each layer, and the number of edges
    BoxTree itemTree, edgeTree; ///< to find what lies in a rectangle
    QSizeF size; ///< of the frame

    [[nodiscard]] const GraphItem& item(int index) const { return items[static_cast<std::size_t>(index)]; }
    [[nodiscard]] int layers() const { return static_cast<int>(layerRects.size()); }
};

/// Sizes of what is drawn, in the units of the layout.
struct GraphMeasure {
    std::function<QSizeF(int part)> folded; ///< of operations and of folded parts
    std::function<double(int part)> head; ///< least width of an open part
    std::function<QSizeF(ValueId value, int more, int level)> value;
    std::function<QSizeF(int count)> results;
    std::function<double(OperationId operation)> label; ///< width of what is said of its result
    std::function<double(ValueId value)> shape; ///< the same of a value that stands for itself
    std::function<QSizeF(int collective)> collective;
    double headHeight = 24, padding = 16, labelHeight = 18;
    LayeredSizes sizes;
};

struct GraphPlace {
    int level = -1; ///< part
    int item = -1;
    [[nodiscard]] bool valid() const { return item >= 0; }
    auto operator<=>(const GraphPlace&) const = default;
};

enum class GraphDirection : std::uint8_t { Up, Down, Left, Right };

class GraphLayout {
public:
    /// Edges that would pass more layers are drawn as a value beside who reads it.
    static constexpr int longestEdge = 8;

    GraphLayout(ProgramPtr program, std::shared_ptr<const ProgramOutline> outline, GraphMeasure measure,
        CollectivePlaces collectives = {});

    [[nodiscard]] const ProgramOutline& outline() const { return *m_outline; }
    [[nodiscard]] const Program& program() const { return *m_program; }
    /// What a program shows at first: its body, and the first part in it if that is small. An operation with a body
    /// counts where most operations stand in it.
    void openFirst();
    void setOpen(int part, bool open);
    /// All at once: what is in the list is open, all else is folded.
    void setOpenParts(const std::vector<int>& parts);
    [[nodiscard]] bool isOpen(int part) const { return m_open[static_cast<std::size_t>(part)]; }
    [[nodiscard]] std::vector<int> openParts() const;
    /// Opens what the part stands in.
    void reveal(int part);

    /// Null for what is folded or stands in something folded.
    [[nodiscard]] const GraphLevel* level(int part) const;
    [[nodiscard]] QPointF origin(int part) const { return m_origins[static_cast<std::size_t>(part)]; }
    [[nodiscard]] QSizeF size() const { return m_levels.front() ? m_levels.front()->size : QSizeF(); }

    [[nodiscard]] const GraphItem& item(GraphPlace place) const { return level(place.level)->item(place.item); }
    [[nodiscard]] QRectF rect(GraphPlace place) const;
    /// The innermost item there; its frame counts.
    [[nodiscard]] GraphPlace at(QPointF point) const;
    /// Where a part is drawn: itself, or what it is folded into. Invalid for the root.
    [[nodiscard]] GraphPlace placeOf(int part) const;
    /// Where a value is drawn: the operation that makes it, or what that is folded into, and wherever it is drawn
    /// again.
    [[nodiscard]] std::vector<GraphPlace> placesOf(ValueId value) const;
    /// Where a collective is drawn; invalid where it stands in something folded.
    [[nodiscard]] GraphPlace placeOfCollective(int collective) const;
    [[nodiscard]] const CollectivePlaces& collectives() const { return m_collectives; }
    /// All items, each frame before what is in it.
    [[nodiscard]] std::vector<GraphPlace> places() const;
    /// Where an arrow key leads: along edges to the sides, in the order of reading up and down, into frames and out.
    [[nodiscard]] GraphPlace neighbour(GraphPlace place, GraphDirection direction) const;

private:
    struct LevelBuilder;
    void arrange();
    void makeLevel(int part);
    void setOrigins(int part, QPointF origin);
    [[nodiscard]] GraphPlace enter(int part, GraphDirection direction) const;
    [[nodiscard]] GraphPlace outwards(GraphPlace place, GraphDirection direction) const;
    void forEachLevel(const std::function<void(int)>& visit) const;

    ProgramPtr m_program;
    std::shared_ptr<const ProgramOutline> m_outline;
    GraphMeasure m_measure;
    CollectivePlaces m_collectives;
    std::vector<bool> m_open; ///< by part
    std::vector<std::unique_ptr<GraphLevel>> m_levels; ///< by part; null until needed
    std::vector<QPointF> m_origins; ///< by part, of those that are shown
    std::vector<int> m_itemOfPart; ///< in the level of its parent
    std::vector<std::uint32_t> m_userStart; ///< by ValueId
    std::vector<OperationId> m_users;
    std::vector<bool> m_returned; ///< by ValueId
    // Notes of the level at work.
    std::vector<int> m_childOfOperation, m_levelOfOperation, m_childOfArgument, m_levelOfArgument;
};

} // namespace shardscope
