// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace shardscope {

namespace {

constexpr int orderSweeps = 6;
constexpr int placeSweeps = 24, fewPlaceSweeps = 10, fewestPlaceSweeps = 6;
constexpr std::size_t maxForCounting = 4000; ///< connections, beyond which less is tried and crossings are not counted
constexpr std::size_t maxForFewSweeps = 50'000; ///< connections, beyond which still less is tried

/// A box, or the place that an edge holds in a layer that it passes. Layers are worked out as if they stood below each
/// other, and are turned in the end: left and right here is up and down there.
struct LayerSlot {
    int box = -1;
    double left = 0, right = 0; ///< from its middle
    int layer = 0, index = 0; ///< index within the layer
    double x = 0; ///< of its middle
};
/// Between neighbouring layers.
struct Link {
    int upper = 0, lower = 0; ///< slots
    double port = 0; ///< where it arrives, from the middle of the lower one
    double weight = 1; ///< how much the lower one wants to stand below the upper one
    bool main = true; ///< not from a box that nothing leads to: constants and the like stand aside
};

/// Lists of links by slot, in one part of memory.
class Adjacency {
public:
    template <class SlotOf>
    Adjacency(std::size_t slots, const std::vector<Link>& links, SlotOf slotOf)
        : m_start(slots + 1)
        , m_links(links.size())
    {
        for (const Link& link : links)
            ++m_start[static_cast<std::size_t>(slotOf(link)) + 1];
        std::partial_sum(m_start.begin(), m_start.end(), m_start.begin());
        std::vector<std::size_t> at(m_start.begin(), m_start.end() - 1);
        for (std::size_t i = 0; i < links.size(); ++i)
            m_links[at[static_cast<std::size_t>(slotOf(links[i]))]++] = i;
    }
    [[nodiscard]] auto begin(int slot) const { return m_links.begin() + offset(slot); }
    [[nodiscard]] auto end(int slot) const { return m_links.begin() + offset(slot + 1); }

private:
    [[nodiscard]] std::ptrdiff_t offset(int slot) const
    {
        return static_cast<std::ptrdiff_t>(m_start[static_cast<std::size_t>(slot)]);
    }
    std::vector<std::size_t> m_start, m_links;
};

class Placement {
public:
    Placement(const std::vector<LayeredBox>& boxes, const std::vector<LayeredEdge>& edges, const LayeredSizes& sizes)
        : m_boxes(boxes)
        , m_sizes(sizes)
    {
        makeSlots();
        makeLinks(edges);
    }

    LayeredPlaces run()
    {
        const Adjacency up(m_slots.size(), m_links, [](const Link& link) { return link.lower; });
        const Adjacency down(m_slots.size(), m_links, [](const Link& link) { return link.upper; });
        order(up, down);
        setPorts(up);
        place(up, down);
        return result();
    }

private:
    LayerSlot& slot(int index) { return m_slots[static_cast<std::size_t>(index)]; }
    [[nodiscard]] const LayerSlot& slot(int index) const { return m_slots[static_cast<std::size_t>(index)]; }
    std::vector<int>& layer(int index) { return m_layers[static_cast<std::size_t>(index)]; }

    int addSlot(LayerSlot added)
    {
        const int index = static_cast<int>(m_slots.size());
        added.index = static_cast<int>(layer(added.layer).size());
        layer(added.layer).push_back(index);
        m_slots.push_back(added);
        return index;
    }

    void makeSlots()
    {
        int layers = 1;
        for (const LayeredBox& box : m_boxes)
            layers = std::max(layers, box.layer + 1);
        m_layers.resize(static_cast<std::size_t>(layers));
        for (std::size_t i = 0; i < m_boxes.size(); ++i) {
            const LayeredBox& box = m_boxes[i];
            const double half = std::ceil(box.height / 2);
            addSlot({ static_cast<int>(i), half, half + box.label.height(), box.layer, 0, 0 });
        }
    }

    void makeLinks(const std::vector<LayeredEdge>& edges)
    {
        m_edges.reserve(edges.size());
        std::vector<bool> reached(m_boxes.size());
        for (const LayeredEdge& edge : edges)
            reached[static_cast<std::size_t>(edge.to)] = true;
        for (const LayeredEdge& edge : edges) {
            std::vector<int>& way = m_edges.emplace_back();
            const int first = slot(edge.from).layer, last = slot(edge.to).layer;
            way.push_back(edge.from); // boxes are the first slots
            for (int between = first + 1; between < last; ++between)
                way.push_back(addSlot({ -1, m_sizes.thread / 2, m_sizes.thread / 2, between, 0, 0 }));
            way.push_back(edge.to);
            for (std::size_t i = 1; i < way.size(); ++i) {
                const bool threads = slot(way[i - 1]).box < 0 && slot(way[i]).box < 0;
                const bool thread = slot(way[i - 1]).box < 0 || slot(way[i]).box < 0;
                const bool main = reached[static_cast<std::size_t>(edge.from)];
                m_links.push_back({ way[i - 1], way[i], 0, threads ? 8.0 : thread ? 2.0 : main ? 1.0 : 0.002, main });
            }
        }
    }

    /// Boxes of a layer by the mean place of what they are connected with above, then below, and so on; the order with
    /// the fewest crossings stays.
    void order(const Adjacency& up, const Adjacency& down)
    {
        const bool counts = m_links.size() <= maxForCounting;
        std::vector<std::vector<int>> best = m_layers;
        std::int64_t fewest = counts ? crossings(down) : std::numeric_limits<std::int64_t>::max();
        for (int sweep = 0; sweep < orderSweeps && fewest > 0; ++sweep) {
            const bool downwards = sweep % 2 == 0;
            const int count = static_cast<int>(m_layers.size());
            for (int i = 1; i < count; ++i)
                orderLayer(downwards ? i : count - 1 - i, downwards ? up : down, downwards);
            const std::int64_t found = counts ? crossings(down) : 0;
            if (!counts || found < fewest) {
                best = m_layers;
                fewest = counts ? found : fewest;
            }
        }
        m_layers = std::move(best);
        for (const std::vector<int>& slots : m_layers)
            for (std::size_t i = 0; i < slots.size(); ++i)
                slot(slots[i]).index = static_cast<int>(i);
    }

    void orderLayer(int index, const Adjacency& neighbours, bool downwards)
    {
        std::vector<int>& slots = layer(index);
        if (slots.size() < 2)
            return;
        std::vector<std::pair<double, int>> means;
        means.reserve(slots.size());
        for (const int each : slots) {
            double sum = 0;
            int count = 0;
            for (auto link = neighbours.begin(each); link != neighbours.end(each); ++link, ++count)
                sum += slot(downwards ? m_links[*link].upper : m_links[*link].lower).index;
            means.emplace_back(count == 0 ? slot(each).index : sum / count, each);
        }
        std::stable_sort(means.begin(), means.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < slots.size(); ++i) {
            slots[i] = means[i].second;
            slot(slots[i]).index = static_cast<int>(i);
        }
    }

    /// Pairs of links between two layers that change sides, counted with a tree of sums.
    [[nodiscard]] std::int64_t crossings(const Adjacency& down) const
    {
        std::int64_t count = 0;
        std::vector<int> ends, sums;
        for (std::size_t i = 0; i + 1 < m_layers.size(); ++i) {
            const std::size_t room = m_layers[i + 1].size();
            sums.assign(room + 1, 0);
            int seen = 0;
            for (const int upper : m_layers[i]) {
                ends.clear();
                for (auto link = down.begin(upper); link != down.end(upper); ++link)
                    ends.push_back(slot(m_links[*link].lower).index);
                for (const int end : ends) {
                    int before = 0; // ends that do not lie to the right
                    for (std::size_t k = static_cast<std::size_t>(end) + 1; k > 0; k &= k - 1)
                        before += sums[k];
                    count += seen - before;
                }
                for (const int end : ends)
                    for (std::size_t k = static_cast<std::size_t>(end) + 1; k <= room; k += k & (~k + 1))
                        ++sums[k];
                seen += static_cast<int>(ends.size());
            }
        }
        return count;
    }

    /// Arrows into one box stand side by side, in the order of what they come from; where one of them alone is part of
    /// the main line, it arrives in the middle.
    void setPorts(const Adjacency& up)
    {
        std::vector<std::size_t> links;
        for (std::size_t i = 0; i < m_boxes.size(); ++i) {
            const int box = static_cast<int>(i);
            links.assign(up.begin(box), up.end(box));
            if (links.size() < 2)
                continue;
            std::stable_sort(links.begin(), links.end(), [this](std::size_t a, std::size_t b) {
                return slot(m_links[a].upper).index < slot(m_links[b].upper).index;
            });
            double middle = static_cast<double>(links.size() - 1) / 2;
            int lines = 0;
            for (std::size_t k = 0; k < links.size(); ++k)
                if (m_links[links[k]].main && ++lines == 1)
                    middle = static_cast<double>(k);
            if (lines != 1)
                middle = static_cast<double>(links.size() - 1) / 2;
            const double most = std::max(middle, static_cast<double>(links.size() - 1) - middle);
            const double step = std::min(m_sizes.port, m_boxes[i].height * 0.4 / most);
            for (std::size_t k = 0; k < links.size(); ++k)
                m_links[links[k]].port = step * (static_cast<double>(k) - middle);
        }
    }

    void place(const Adjacency& up, const Adjacency& down)
    {
        for (const std::vector<int>& slots : m_layers) {
            double x = 0;
            for (const int each : slots) {
                x += slot(each).left;
                slot(each).x = x;
                x += slot(each).right + m_sizes.gap;
            }
            for (const int each : slots)
                slot(each).x -= x / 2;
        }
        const int count = static_cast<int>(m_layers.size());
        const int sweeps = m_links.size() <= maxForCounting ? placeSweeps
            : m_links.size() <= maxForFewSweeps             ? fewPlaceSweeps
                                                            : fewestPlaceSweeps;
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            const bool both = sweep >= sweeps / 2, downwards = sweep % 2 == 0;
            for (int i = 0; i < count; ++i)
                placeLayer(downwards ? i : count - 1 - i, up, down, both || downwards, both || !downwards);
        }
    }

    /// Every slot as near as can be to where its neighbours want it, in the order that is set: neighbours that would
    /// come too close form a group that stands where it suits the group best.
    void placeLayer(int index, const Adjacency& up, const Adjacency& down, bool byUpper, bool byLower)
    {
        const std::vector<int>& slots = layer(index);
        std::vector<Group>& groups = m_groups;
        std::vector<double>& shift = m_shift;
        groups.clear();
        shift.assign(slots.size(), 0);
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const LayerSlot& each = slot(slots[i]);
            if (i > 0)
                shift[i] = shift[i - 1] + slot(slots[i - 1]).right + m_sizes.gap + each.left;
            double sum = 0, weight = 0;
            const auto add = [&](double wanted, double by) {
                sum += wanted * by;
                weight += by;
            };
            if (byUpper)
                for (auto link = up.begin(slots[i]); link != up.end(slots[i]); ++link)
                    add(slot(m_links[*link].upper).x - m_links[*link].port, m_links[*link].weight);
            if (byLower)
                for (auto link = down.begin(slots[i]); link != down.end(slots[i]); ++link)
                    add(slot(m_links[*link].lower).x + m_links[*link].port, m_links[*link].weight);
            if (weight == 0)
                add(each.x, 0.1);
            Group group{ sum - shift[i] * weight, weight, 1 };
            while (!groups.empty() && groups.back().mean() >= group.mean()) {
                group.sum += groups.back().sum;
                group.weight += groups.back().weight;
                group.count += groups.back().count;
                groups.pop_back();
            }
            groups.push_back(group);
        }
        std::size_t at = 0;
        for (const Group& group : groups)
            for (const std::size_t end = at + group.count; at < end; ++at)
                slot(slots[at]).x = group.mean() + shift[at];
    }

    LayeredPlaces result()
    {
        LayeredPlaces places;
        double left = std::numeric_limits<double>::max(), right = std::numeric_limits<double>::lowest();
        for (const LayerSlot& each : m_slots) {
            left = std::min(left, each.x - each.left);
            right = std::max(right, each.x + each.right);
        }
        if (m_slots.empty())
            left = right = 0;
        // Whole pixels, without bringing neighbours nearer than they may be: all of a layer round the same way.
        for (LayerSlot& each : m_slots)
            each.x = std::floor(each.x - left + 0.5);
        std::vector<double> widest(m_layers.size()); // way aside below each layer
        for (const Link& link : m_links) {
            double& most = widest[static_cast<std::size_t>(slot(link.upper).layer)];
            most = std::max(most, std::abs(slot(link.lower).x + link.port - slot(link.upper).x));
        }
        double y = 0;
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            double length = 0;
            for (const int each : m_layers[i])
                if (slot(each).box >= 0) {
                    const LayeredBox& box = m_boxes[static_cast<std::size_t>(slot(each).box)];
                    length = std::max({ length, box.width, box.label.width() });
                }
            places.layerBegin.push_back(y);
            places.layerEnd.push_back(y + length);
            y += length + m_sizes.straight + m_sizes.curve + std::floor(std::min(40.0, widest[i] * 0.06));
        }
        for (std::size_t i = 0; i < m_boxes.size(); ++i)
            places.boxes.emplace_back(places.layerBegin[static_cast<std::size_t>(m_slots[i].layer)],
                m_slots[i].x - std::ceil(m_boxes[i].height / 2));
        std::size_t link = 0;
        for (const std::vector<int>& way : m_edges) {
            std::vector<QPointF>& points = places.edges.emplace_back();
            for (std::size_t i = 1; i < way.size(); ++i, ++link) {
                const LayerSlot &upper = slot(way[i - 1]), &lower = slot(way[i]);
                const auto at = static_cast<std::size_t>(upper.layer);
                const double begin = upper.box < 0
                    ? places.layerBegin[at]
                    : places.layerBegin[at] + m_boxes[static_cast<std::size_t>(upper.box)].width;
                points.emplace_back(begin, upper.x);
                points.emplace_back(places.layerEnd[at] + m_sizes.straight, upper.x);
                if (i + 1 == way.size()) {
                    const double end = lower.x + m_links[link].port;
                    points.emplace_back(places.layerBegin[at + 1] - m_sizes.straight, end);
                    points.emplace_back(places.layerBegin[at + 1], end);
                }
            }
        }
        places.size = QSizeF(places.layerEnd.back(), std::ceil(right - left));
        return places;
    }

    /// Neighbours in a layer that stand as near to each other as they may, placed together.
    struct Group {
        double sum, weight;
        std::size_t count;
        [[nodiscard]] double mean() const { return sum / weight; }
    };

    const std::vector<LayeredBox>& m_boxes;
    const LayeredSizes m_sizes;
    std::vector<Group> m_groups; ///< of placeLayer(), which is called for every layer many times
    std::vector<double> m_shift; ///< of placeLayer(), too
    std::vector<LayerSlot> m_slots;
    std::vector<Link> m_links;
    std::vector<std::vector<int>> m_edges; ///< slots along each edge
    std::vector<std::vector<int>> m_layers; ///< slots from left to right
};

} // namespace

std::vector<int> layersOf(int boxes, const std::vector<LayeredEdge>& edges)
{
    std::vector<LayeredEdge> sorted = edges;
    std::sort(sorted.begin(), sorted.end(), [](LayeredEdge a, LayeredEdge b) { return a.from < b.from; });
    std::vector<int> layers(static_cast<std::size_t>(boxes), 0);
    const auto at = [&layers](int box) -> int& { return layers[static_cast<std::size_t>(box)]; };
    for (const LayeredEdge& edge : sorted) // all edges into edge.from came before: sources lie before it
        at(edge.to) = std::max(at(edge.to), at(edge.from) + 1);
    for (auto edge = sorted.rbegin(); edge != sorted.rend();) {
        const int from = edge->from;
        int latest = std::numeric_limits<int>::max();
        for (; edge != sorted.rend() && edge->from == from; ++edge)
            latest = std::min(latest, at(edge->to) - 1);
        at(from) = latest;
    }
    return layers;
}

LayeredPlaces placeInLayers(
    const std::vector<LayeredBox>& boxes, const std::vector<LayeredEdge>& edges, const LayeredSizes& sizes)
{
    LayeredPlaces places = Placement(boxes, edges, sizes).run();
    breakIntoRows(places, boxes, edges, sizes);
    return places;
}

} // namespace shardscope
