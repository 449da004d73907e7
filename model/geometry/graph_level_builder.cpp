// SPDX-License-Identifier: GPL-3.0-or-later
// Builds one level of the layout.
// Declared in graph_layout.h.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "geometry/element_ref.h"
#include "geometry/graph_layout.h"

namespace shardscope {

/// One level: its parts as boxes, edges where values flow, values from elsewhere.
struct GraphLayout::LevelBuilder {
    struct Flow { ///< a value from one child of the level to another one
        int from, to;
        ValueId value;
        auto operator<=>(const Flow&) const = default;
    };
    struct Use { ///< of a value that is drawn beside who reads it
        ValueId value;
        int layer, child, more;
        auto operator<=>(const Use&) const = default;
    };

    GraphLayout& layout;
    const int part;
    const ProgramPart& in;
    int children = 0; ///< and collectives: what edges lead between
    std::vector<std::pair<OperationId, int>> operations; ///< all that stand in the level, and in which child
    std::vector<std::pair<RegionId, int>> bodies;
    std::vector<Flow> flows;
    std::vector<std::pair<ValueId, int>> outside; ///< values from outside and the operation that reads them
    std::vector<LayeredEdge> edges;
    std::vector<std::pair<ValueId, int>> carried; ///< by edge: a value, and how many more
    std::vector<GraphItem> items; ///< children first
    std::map<std::uint32_t, int> sent; ///< by value: the collective that others read it from
    std::map<std::pair<std::uint32_t, int>, int> sentFor; ///< by value and reader: the collective that it goes to

    LevelBuilder(GraphLayout& of, int index)
        : layout(of)
        , part(index)
        , in(of.m_outline->part(index))
    {
    }

    GraphLevel build()
    {
        for (const int index : in.children)
            addChild(index);
        children = static_cast<int>(items.size());
        findFlows();
        for (const Flow& flow : flows)
            join(flow);
        setLayers();
        addResults();
        for (int child = 0; child < children; ++child)
            items[static_cast<std::size_t>(child)].leaves = leaves(child);
        return place();
    }

    /// With what is sent for it before and after it.
    void addChild(int index)
    {
        const ProgramPart& of = layout.m_outline->part(index);
        const CollectivePlaces& collectives = layout.m_collectives;
        std::vector<std::pair<ValueId, int>> firsts, lasts; // of chains of collectives, by operand
        if (of.kind == PartKind::Operation && !collectives.empty())
            for (const ValueId operand : layout.m_program->operation(of.operation).operands)
                if (const std::vector<int>* chain = collectives.before(operand, of.operation)) {
                    const bool known = std::any_of(
                        firsts.begin(), firsts.end(), [&](const auto& other) { return other.first == operand; });
                    if (known)
                        continue;
                    firsts.emplace_back(operand, static_cast<int>(items.size()));
                    lasts.emplace_back(operand, addChain(*chain, operand));
                }
        const int child = static_cast<int>(items.size());
        items.emplace_back().part = index;
        collect(index, child);
        for (const auto& [operand, first] : firsts)
            sentFor[{ operand.index, child }] = first;
        for (const auto& [operand, last] : lasts)
            flows.push_back({ last, child, operand });
        if (of.kind == PartKind::Operation && !collectives.empty())
            for (const ValueId result : layout.m_program->operation(of.operation).results)
                if (const std::vector<int>* chain = collectives.after(result)) {
                    flows.push_back({ child, static_cast<int>(items.size()), result });
                    sent[result.index] = addChain(*chain, result);
                }
    }

    /// One after another; returns the last one.
    int addChain(const std::vector<int>& chain, ValueId value)
    {
        for (std::size_t i = 0; i < chain.size(); ++i) {
            const int at = static_cast<int>(items.size());
            GraphItem& item = items.emplace_back();
            item.kind = GraphItem::Kind::Collective;
            item.value = value;
            item.collective = chain[i];
            if (i > 0)
                flows.push_back({ at - 1, at, value });
        }
        return static_cast<int>(items.size()) - 1;
    }

    /// Where a value is read from that an operation of the level makes.
    [[nodiscard]] int sourceOf(ValueId value, OperationId definition) const
    {
        const auto last = sent.find(value.index);
        return last == sent.end() ? layout.m_childOfOperation[definition.index] : last->second;
    }

    void collect(int index, int child)
    {
        const ProgramPart& of = layout.m_outline->part(index);
        if (of.kind == PartKind::Operation) {
            operations.emplace_back(of.operation, child);
            layout.m_childOfOperation[of.operation.index] = child;
            layout.m_levelOfOperation[of.operation.index] = part;
        }
        if (of.region.valid()) { // of a function or a body
            bodies.emplace_back(of.region, child);
            for (const ValueId argument : layout.m_program->regions[of.region.index].arguments) {
                layout.m_childOfArgument[argument.index] = child;
                layout.m_levelOfArgument[argument.index] = part;
            }
        }
        for (const int each : of.children)
            collect(each, child);
    }

    void findFlows()
    {
        for (const auto& [operation, child] : operations)
            for (const ValueId operand : layout.m_program->operation(operation).operands)
                addUse(operand, child);
        for (const auto& [region, child] : bodies)
            for (const ValueId result : layout.m_program->regions[region.index].results)
                addUse(result, child);
        std::sort(flows.begin(), flows.end());
        flows.erase(std::unique(flows.begin(), flows.end()), flows.end());
        std::sort(outside.begin(), outside.end());
        outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
    }

    void addUse(ValueId value, int child)
    {
        const OperationId definition = layout.m_program->value(value).definition;
        const auto through = sentFor.find({ value.index, child });
        const int reader = through == sentFor.end() ? child : through->second;
        if (definition.valid() && layout.m_levelOfOperation[definition.index] == part) {
            const int source = layout.m_childOfOperation[definition.index];
            if (source < child)
                flows.push_back({ sourceOf(value, definition), reader, value });
            if (source <= child)
                return;
        }
        if (!definition.valid() && layout.m_levelOfArgument[value.index] == part
            && layout.m_childOfArgument[value.index] == child)
            return; // of a body within
        if (layout.m_outline->part(items[static_cast<std::size_t>(child)].part).kind == PartKind::Operation)
            outside.emplace_back(value, reader);
    }

    /// One edge for all that flows from one child to another one; flows come sorted.
    void join(const Flow& flow)
    {
        if (!edges.empty() && edges.back().from == flow.from && edges.back().to == flow.to) {
            ++carried.back().second;
            return;
        }
        edges.push_back({ flow.from, flow.to });
        carried.emplace_back(flow.value, 0);
    }

    void setLayers()
    {
        std::vector<int> layers = layersOf(children, edges);
        if (in.kind == PartKind::Module || in.kind == PartKind::Functions) { // main by itself, the others in rows
            const int columns = std::clamp(static_cast<int>(std::sqrt(2.0 * children)), 2, 8);
            const int alone = in.kind == PartKind::Module ? 1 : 0;
            for (int child = alone; child < children; ++child)
                ref(layers, child) = alone + (child - alone) / columns;
        }
        std::vector<Use> uses;
        for (const auto& [value, child] : outside)
            uses.push_back({ value, ref(layers, child), child, 0 });
        std::size_t kept = 0;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const LayeredEdge edge = edges[i];
            if (ref(layers, edge.to) - ref(layers, edge.from) > longestEdge) {
                uses.push_back({ carried[i].first, ref(layers, edge.to), edge.to, carried[i].second });
                continue;
            }
            edges[kept] = edge;
            carried[kept++] = carried[i];
        }
        edges.resize(kept);
        carried.resize(kept);
        std::sort(uses.begin(), uses.end());
        constexpr int shared = 2; // layers over which readers share one drawing of a value
        for (std::size_t i = 0; i < uses.size(); ++i) {
            const Use& use = uses[i];
            const GraphItem& last = items.back();
            if (last.kind != GraphItem::Kind::Value || last.value != use.value || last.more != 0 || use.more != 0
                || use.layer - last.layer > shared) {
                GraphItem item;
                item.kind = GraphItem::Kind::Value;
                item.value = use.value;
                item.more = use.more;
                item.layer = use.layer - 1;
                items.push_back(item);
            }
            edges.push_back({ static_cast<int>(items.size()) - 1, use.child });
            carried.emplace_back(use.value, use.more);
        }
        int highest = 0;
        for (int child = 0; child < children; ++child)
            ref(items, child).layer = ref(layers, child);
        for (const GraphItem& item : items)
            highest = std::min(highest, item.layer);
        for (GraphItem& item : items)
            item.layer -= highest;
    }

    void addResults()
    {
        if (!in.region.valid())
            return;
        const std::vector<ValueId>& results = layout.m_program->regions[in.region.index].results;
        if (results.empty())
            return;
        GraphItem item;
        item.kind = GraphItem::Kind::Results;
        item.value = results.front();
        item.more = static_cast<int>(results.size()) - 1;
        for (const GraphItem& other : items)
            item.layer = std::max(item.layer, other.layer + 1);
        const int index = static_cast<int>(items.size());
        std::vector<Flow> returned;
        for (const ValueId result : results) {
            const OperationId definition = layout.m_program->value(result).definition;
            if (definition.valid() && layout.m_levelOfOperation[definition.index] == part)
                returned.push_back({ sourceOf(result, definition), index, result });
        }
        std::sort(returned.begin(), returned.end());
        returned.erase(std::unique(returned.begin(), returned.end()), returned.end());
        for (const Flow& flow : returned)
            if (item.layer - ref(items, flow.from).layer <= longestEdge)
                join(flow);
        items.push_back(item);
    }

    /// Whether others than those in the level read what an operation makes.
    [[nodiscard]] bool leaves(int child) const
    {
        if (items[static_cast<std::size_t>(child)].part < 0)
            return false;
        const ProgramPart& of = layout.m_outline->part(items[static_cast<std::size_t>(child)].part);
        if (of.kind != PartKind::Operation)
            return false;
        for (const ValueId result : layout.m_program->operation(of.operation).results) {
            if (layout.m_returned[result.index] && !in.region.valid())
                return true;
            for (std::uint32_t i = layout.m_userStart[result.index]; i < layout.m_userStart[result.index + 1]; ++i)
                if (layout.m_levelOfOperation[layout.m_users[i].index] != part)
                    return true;
        }
        return false;
    }

    [[nodiscard]] LayeredBox box(const GraphItem& item) const
    {
        LayeredBox box;
        box.layer = item.layer;
        QSizeF size;
        if (item.kind == GraphItem::Kind::Value) {
            size = layout.m_measure.value(item.value, item.more, part);
        } else if (item.kind == GraphItem::Kind::Results) {
            size = layout.m_measure.results(item.more + 1);
        } else if (item.kind == GraphItem::Kind::Collective) {
            size = layout.m_measure.collective(item.collective);
        } else if (layout.isOpen(item.part)) {
            size = layout.m_levels[static_cast<std::size_t>(item.part)]->size;
        } else {
            size = layout.m_measure.folded(item.part);
        }
        const ProgramPart* of = item.part >= 0 ? &layout.m_outline->part(item.part) : nullptr;
        double label = 0;
        if (of && of->kind == PartKind::Operation && !layout.isOpen(item.part))
            label = layout.m_measure.label(of->operation);
        else if (item.kind == GraphItem::Kind::Value && item.more == 0)
            label = layout.m_measure.shape(item.value);
        if (label > 0)
            box.label = QSizeF(label, layout.m_measure.labelHeight);
        box.width = size.width();
        box.height = size.height();
        return box;
    }

    GraphLevel place()
    {
        std::vector<LayeredBox> boxes;
        boxes.reserve(items.size());
        for (const GraphItem& item : items)
            boxes.push_back(box(item));
        const LayeredPlaces places = placeInLayers(boxes, edges, layout.m_measure.sizes);

        GraphLevel level;
        const double padding = layout.m_measure.padding;
        const double head = part == 0 ? 0 : layout.m_measure.headHeight;
        const double wanted = part == 0 ? 0 : layout.m_measure.head(part);
        const double width = std::max(places.size.width() + 2 * padding, wanted);
        const QPointF offset(std::floor((width - places.size.width()) / 2), head + padding);
        level.size = QSizeF(width, head + 2 * padding + places.size.height());
        for (std::size_t i = 0; i < items.size(); ++i)
            items[i].rect = QRectF(places.boxes[i] + offset, QSizeF(boxes[i].width, boxes[i].height));
        const std::size_t layers = places.layerBegin.size();
        level.layerRects.resize(layers);

        // In the order of reading.
        std::vector<int> order(items.size()), rank(items.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [this](int a, int b) {
            const GraphItem &first = ref(items, a), &second = ref(items, b);
            return std::tuple(first.layer, first.rect.top()) < std::tuple(second.layer, second.rect.top());
        });
        level.layerStart.assign(layers + 1, 0);
        std::vector<QRectF> shown; // with what is written below
        for (std::size_t i = 0; i < order.size(); ++i) {
            ref(rank, order[i]) = static_cast<int>(i);
            const GraphItem& item = level.items.emplace_back(ref(items, order[i]));
            ++ref(level.layerStart, item.layer + 1);
            if (item.part >= 0)
                ref(layout.m_itemOfPart, item.part) = static_cast<int>(i);
            const QSizeF label = ref(boxes, order[i]).label;
            const double aside = std::max(layout.m_measure.sizes.straight, label.width() - item.rect.width());
            shown.push_back(item.rect.adjusted(0, 0, aside, std::max(0.0, label.height())));
            ref(level.layerRects, item.layer) |= item.rect;
        }
        level.itemTree = BoxTree(shown);
        std::partial_sum(level.layerStart.begin(), level.layerStart.end(), level.layerStart.begin());
        for (std::size_t i = 0; i < edges.size(); ++i) {
            GraphEdge& edge = level.edges.emplace_back();
            edge.from = ref(rank, edges[i].from);
            edge.to = ref(rank, edges[i].to);
            std::tie(edge.value, edge.more) = carried[i];
            for (const QPointF& point : places.edges[i])
                edge.points.push_back(point + offset);
        }
        std::sort(level.edges.begin(), level.edges.end(),
            [](const GraphEdge& a, const GraphEdge& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
        level.edgeStart.assign(layers + 1, 0);
        shown.clear();
        for (const GraphEdge& edge : level.edges) {
            ++ref(level.edgeStart, level.item(edge.from).layer + 1);
            const auto [left, right] = std::minmax_element(edge.points.begin(), edge.points.end(),
                [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
            const auto [top, bottom] = std::minmax_element(edge.points.begin(), edge.points.end(),
                [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); });
            shown.emplace_back(QPointF(left->x(), top->y()), QPointF(right->x(), bottom->y()));
        }
        level.edgeTree = BoxTree(shown);
        std::partial_sum(level.edgeStart.begin(), level.edgeStart.end(), level.edgeStart.begin());
        return level;
    }
};

void GraphLayout::makeLevel(int part)
{
    if (ref(m_levels, part))
        return;
    for (const int child : m_outline->part(part).children)
        if (isOpen(child))
            makeLevel(child);
    ref(m_levels, part) = std::make_unique<GraphLevel>(LevelBuilder(*this, part).build());
}

} // namespace shardscope
