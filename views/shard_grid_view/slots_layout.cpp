// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shard_grid_view/slots_layout.h"

#include <algorithm>

#include "views/panel/flow_layout.h"

namespace shardscope {

namespace {

constexpr int inset = 4, gap = 4, between = 6;

int widthOf(const SlotsLayout::Caption& caption, std::span<const SlotsLayout::Item> items, int unit)
{
    int width = 2 * inset + caption.width + gap;
    bool empty = true;
    for (const SlotsLayout::Item& item : items)
        if (item.place == caption.place) {
            width += item.width + (empty ? 0 : gap);
            empty = false;
        }
    return empty ? width + unit : width; // room to drop on
}

} // namespace

int SlotsLayout::widthInOneRow(std::span<const Caption> captions, std::span<const Item> items, int unit)
{
    int width = 0;
    for (const Caption& caption : captions)
        width += widthOf(caption, items, unit) + between;
    return std::max(width - between, 0);
}

SlotsLayout SlotsLayout::make(std::span<const Caption> captions, std::span<const Item> items, int width, int unit)
{
    SlotsLayout layout;
    std::vector<int> widths;
    for (const Caption& caption : captions)
        widths.push_back(widthOf(caption, items, unit));
    const int line = unit + 2 * inset + gap;
    const FlowLayout flow = FlowLayout::make(widths, std::max(width, 1), line, between);
    layout.height = std::max(flow.height - gap, 0);
    for (std::size_t i = 0; i < captions.size(); ++i) {
        const QRect frame = flow.items[i].adjusted(0, 0, 0, -gap);
        const QRect caption(frame.left() + inset, frame.top(), captions[i].width, frame.height());
        layout.frames.push_back({ captions[i].place, frame, caption });
        const int count = static_cast<int>(std::count_if(
            items.begin(), items.end(), [&](const Item& item) { return item.place == captions[i].place; }));
        if (count == 0)
            continue;
        int x = caption.right() + 1 + gap;
        const int room = frame.right() + 1 - inset - x - (count - 1) * gap;
        int wanted = 0;
        for (const Item& item : items)
            wanted += item.place == captions[i].place ? item.width : 0;
        for (std::size_t n = 0; n < items.size(); ++n) {
            if (items[n].place != captions[i].place)
                continue;
            const int shown = wanted <= room ? items[n].width : std::max(room * items[n].width / wanted, 1);
            layout.chips.push_back({ static_cast<int>(n), QRect(x, frame.top() + inset, shown, unit) });
            x += shown + gap;
        }
    }
    return layout;
}

int SlotsLayout::chipAt(QPoint point) const
{
    for (std::size_t i = 0; i < chips.size(); ++i)
        if (chips[i].rect.contains(point))
            return static_cast<int>(i);
    return -1;
}

std::optional<GridPlace> SlotsLayout::placeAt(QPoint point) const
{
    for (const Slot& slot : frames)
        if (slot.frame.contains(point))
            return slot.place;
    return std::nullopt;
}

} // namespace shardscope
