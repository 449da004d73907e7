// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/halo.h"
#include "base/ceil_divide.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace shardscope {

namespace {

IndexRange blockOf(std::int64_t size, std::int64_t block, std::int64_t device)
{
    return { std::min(device * block, size), std::min((device + 1) * block, size) };
}

std::int64_t common(IndexRange a, IndexRange b)
{
    return std::max<std::int64_t>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

/// The first element that a result reads; with `last` the last one. Nothing if it reads padding only.
std::optional<std::int64_t> elementRead(const DimensionReads& reads, std::int64_t result, bool last)
{
    for (std::int64_t i = 0; i < reads.taps; ++i) {
        const std::int64_t tap = last == (reads.tapSpacing > 0) ? reads.taps - 1 - i : i;
        const std::int64_t at = reads.start + result * reads.stride + tap * reads.tapSpacing;
        if (at >= 0 && at % reads.spread == 0 && at / reads.spread < reads.inputSize)
            return at / reads.spread;
    }
    return {};
}

/// Results read further right one after the other, or further left (stride < 0): only those next to the border of
/// `computed` that read padding have to be gone through.
std::optional<IndexRange> readRange(const DimensionReads& reads, IndexRange computed)
{
    if (computed.size() <= 0)
        return {};
    if (reads.round) {
        std::int64_t begin = (reads.start + computed.begin) % reads.inputSize;
        begin += begin < 0 ? reads.inputSize : 0;
        return IndexRange{ begin, begin + computed.size() };
    }
    // A window that is dilated may pass over the border of the dimension: the next results may read further out.
    const std::int64_t more = reads.taps > 1 ? reads.taps * std::abs(reads.tapSpacing) : 0;
    std::optional<IndexRange> range;
    const auto widen = [&](std::int64_t result) {
        for (const bool last : { false, true })
            if (const auto element = elementRead(reads, result, last)) {
                range = range ? IndexRange{ std::min(range->begin, *element), std::max(range->end, *element + 1) }
                              : IndexRange{ *element, *element + 1 };
            }
    };
    std::int64_t left = more;
    for (std::int64_t o = computed.begin; o < computed.end && (!range || left-- > 0); ++o)
        widen(o);
    if (!range)
        return {};
    left = more;
    bool found = false;
    for (std::int64_t o = computed.end; o-- > computed.begin && (!found || left-- > 0);) {
        found = found || elementRead(reads, o, true).has_value();
        widen(o);
    }
    return range;
}

} // namespace

DimensionReads DimensionReads::slice(std::int64_t size, std::int64_t start, std::int64_t limit, std::int64_t stride)
{
    DimensionReads reads;
    reads.inputSize = size;
    reads.outputSize = ceilDivide(limit - start, stride);
    reads.start = start;
    reads.stride = stride;
    return reads;
}

DimensionReads DimensionReads::pad(std::int64_t size, std::int64_t low, std::int64_t high, std::int64_t interior)
{
    DimensionReads reads;
    reads.inputSize = size;
    reads.outputSize = low + high + size + std::max<std::int64_t>(0, size - 1) * interior;
    reads.start = -low;
    reads.spread = interior + 1;
    return reads;
}

DimensionReads DimensionReads::roll(std::int64_t size, std::int64_t shift)
{
    DimensionReads reads;
    reads.inputSize = size;
    reads.outputSize = size;
    reads.start = -shift;
    reads.round = true;
    return reads;
}

DimensionReads DimensionReads::reverse(std::int64_t size)
{
    DimensionReads reads;
    reads.inputSize = size;
    reads.outputSize = size;
    reads.start = size - 1;
    reads.stride = -1;
    return reads;
}

DimensionReads DimensionReads::window(std::int64_t size, const Window& window)
{
    DimensionReads reads;
    const std::int64_t dilated = size == 0 ? 0 : (size - 1) * window.baseDilation + 1;
    const std::int64_t span = (window.size - 1) * window.dilation + 1;
    reads.inputSize = size;
    reads.outputSize = std::max<std::int64_t>(0, (dilated + window.low + window.high - span) / window.stride + 1);
    reads.start = -window.low;
    reads.stride = window.stride;
    reads.taps = window.size;
    reads.tapSpacing = window.dilation;
    reads.spread = window.baseDilation;
    return reads;
}

std::int64_t Halo::moved() const
{
    return std::accumulate(messages.begin(), messages.end(), std::int64_t{ 0 },
        [](std::int64_t sum, const HaloMessage& message) { return sum + message.elements; });
}

std::int64_t Halo::maxReceived() const
{
    std::int64_t most = 0;
    for (const Device& device : devices)
        most = std::max(most, device.received);
    return most;
}

Halo haloOf(const DimensionReads& reads, std::int64_t devices)
{
    Halo halo;
    const std::int64_t size = reads.inputSize;
    halo.inputBlock = ceilDivide(size, devices);
    halo.outputBlock = ceilDivide(reads.outputSize, devices);
    for (std::int64_t d = 0; d < devices; ++d) {
        Halo::Device device;
        device.held = blockOf(size, halo.inputBlock, d);
        device.computed = blockOf(reads.outputSize, halo.outputBlock, d);
        device.read = readRange(reads, device.computed);
        if (device.read) {
            const IndexRange read = *device.read;
            const IndexRange around{ 0, std::max<std::int64_t>(0, read.end - size) }; // of a round dimension
            for (std::int64_t s = halo.inputBlock > 0 ? 0 : devices; s < devices; ++s) {
                const IndexRange held = blockOf(size, halo.inputBlock, s);
                const std::int64_t elements = common(read, held) + common(around, held);
                if (s == d || elements == 0)
                    continue;
                halo.messages.push_back({ s, d, elements });
                device.received += elements;
                const std::int64_t distance = std::abs(s - d);
                halo.neighbourReach = std::max(halo.neighbourReach, distance);
                halo.ringReach = std::max(halo.ringReach, std::min(distance, devices - distance));
            }
            std::int64_t left = std::max<std::int64_t>(0, device.held.begin - read.begin);
            std::int64_t right = std::max<std::int64_t>(0, read.end - device.held.end);
            for (const std::int64_t turn : { -size, size }) {
                const std::int64_t otherLeft = std::max<std::int64_t>(0, device.held.begin - read.begin - turn);
                const std::int64_t otherRight = std::max<std::int64_t>(0, read.end + turn - device.held.end);
                if (reads.round && otherLeft + otherRight < left + right) {
                    left = otherLeft;
                    right = otherRight;
                }
            }
            halo.left = std::max(halo.left, left);
            halo.right = std::max(halo.right, right);
        }
        halo.devices.push_back(device);
    }
    std::sort(halo.messages.begin(), halo.messages.end());
    const std::int64_t reach = reads.round ? halo.ringReach : halo.neighbourReach;
    halo.reach = halo.messages.empty() ? HaloReach::Local : reach <= 1 ? HaloReach::Neighbours : HaloReach::Further;
    return halo;
}

std::vector<HaloMessage> concatenationMoves(std::span<const std::int64_t> sizes, std::int64_t devices)
{
    const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{ 0 });
    const std::int64_t outputBlock = ceilDivide(total, devices);
    std::vector<HaloMessage> messages;
    for (std::int64_t s = 0; s < devices; ++s)
        for (std::int64_t d = 0; d < devices; ++d) {
            const IndexRange target = blockOf(total, outputBlock, d);
            std::int64_t elements = 0;
            std::int64_t begin = 0;
            for (const std::int64_t size : sizes) {
                IndexRange held = blockOf(size, ceilDivide(size, devices), s);
                held.begin += begin;
                held.end += begin;
                elements += common(held, target);
                begin += size;
            }
            if (s != d && elements > 0)
                messages.push_back({ s, d, elements });
        }
    return messages;
}

} // namespace shardscope
