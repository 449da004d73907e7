// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/slots_layout.h"

#include <algorithm>

#include "geometry/flow_layout.h"
#include "geometry/index_at.h"

namespace shardscope {

namespace {

constexpr int inset = 4, slotGap = 4, between = 6;

int slotWidth(const SlotsLayout::Caption& caption, std::span<const SlotsLayout::Item> items, int unit)
{
    int width = 2 * inset + caption.width + slotGap;
    bool empty = true;
    for (const SlotsLayout::Item& item : items)
        if (item.place == caption.place) {
            width += item.width + (empty ? 0 : slotGap);
            empty = false;
        }
    return empty ? width + unit : width; // room to drop on
}

} // namespace

int SlotsLayout::widthInOneRow(std::span<const Caption> captions, std::span<const Item> items, int unit)
{
    int width = 0;
    for (const Caption& caption : captions)
        width += slotWidth(caption, items, unit) + between;
    return std::max(width - between, 0);
}

int SlotsLayout::widthOfWidest(std::span<const Caption> captions, std::span<const Item> items, int unit)
{
    int width = 0;
    for (const Caption& caption : captions)
        width = std::max(width, slotWidth(caption, items, unit));
    return width;
}

SlotsLayout SlotsLayout::make(std::span<const Caption> captions, std::span<const Item> items, int width, int unit)
{
    SlotsLayout layout;
    std::vector<int> widths;
    for (const Caption& caption : captions)
        widths.push_back(slotWidth(caption, items, unit));
    const int line = unit + 2 * inset + slotGap;
    const FlowLayout flow = FlowLayout::make(widths, std::max(width, 1), line, between);
    layout.height = std::max(flow.height - slotGap, 0);
    for (std::size_t i = 0; i < captions.size(); ++i) {
        const QRect frame = flow.items[i].adjusted(0, 0, 0, -slotGap);
        const QRect caption(frame.left() + inset, frame.top(), captions[i].width, frame.height());
        layout.frames.push_back({ captions[i].place, frame, caption });
        const int count = static_cast<int>(std::count_if(
            items.begin(), items.end(), [&](const Item& item) { return item.place == captions[i].place; }));
        if (count == 0)
            continue;
        int x = caption.right() + 1 + slotGap;
        const int room = frame.right() + 1 - inset - x - (count - 1) * slotGap;
        int wanted = 0;
        for (const Item& item : items)
            wanted += item.place == captions[i].place ? item.width : 0;
        for (std::size_t n = 0; n < items.size(); ++n) {
            if (items[n].place != captions[i].place)
                continue;
            const int shown = wanted <= room ? items[n].width : std::max(room * items[n].width / wanted, 1);
            layout.chips.push_back({ static_cast<int>(n), QRect(x, frame.top() + inset, shown, unit) });
            x += shown + slotGap;
        }
    }
    return layout;
}

int SlotsLayout::chipAt(QPoint point) const
{
    return indexAt(chips, point, &Chip::rect);
}

std::optional<GridPlace> SlotsLayout::placeAt(QPoint point) const
{
    const int slot = indexAt(frames, point, &Slot::frame);
    return slot < 0 ? std::nullopt : std::optional(frames[static_cast<std::size_t>(slot)].place);
}

} // namespace shardscope
