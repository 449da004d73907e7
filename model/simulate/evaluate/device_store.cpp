// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/device_store.h"

#include <new>
#include <utility>

namespace shardscope::evaluate {

namespace {

/// Smaller blocks are the business of the usual allocator, which keeps them too.
constexpr std::int64_t keptFrom = std::int64_t{ 1 } << 20;

thread_local DeviceStore* currentStore = nullptr;

void raise(std::atomic<std::int64_t>& highest, std::int64_t value)
{
    std::int64_t known = highest.load(std::memory_order_relaxed);
    while (known < value && !highest.compare_exchange_weak(known, value, std::memory_order_relaxed)) { }
}

} // namespace

void DeviceStore::count(std::int64_t bytes)
{
    raise(m_peak, m_live.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

void DeviceStore::note()
{
    raise(m_valuesPeak, live());
}

void DeviceStore::restart()
{
    m_valuesPeak.store(live(), std::memory_order_relaxed);
    m_peak.store(live(), std::memory_order_relaxed);
}

void DeviceStore::setRoom(std::int64_t room)
{
    const std::scoped_lock lock(m_mutex);
    m_room = room;
}

void DeviceStore::trim()
{
    const std::scoped_lock lock(m_mutex);
    m_kept.clear();
    m_keptBytes = 0;
}

void DeviceStore::keep(std::shared_ptr<Arena> block)
{
    const std::scoped_lock lock(m_mutex);
    const std::int64_t bytes = block->bytes();
    if (live() + m_keptBytes + bytes > m_room)
        return;
    try { // called where nothing may be thrown
        m_kept.emplace(bytes, std::move(block));
        m_keptBytes += bytes;
    } catch (const std::bad_alloc&) {
        return; // the block goes back to the system
    }
}

std::shared_ptr<std::byte[]> DeviceStore::take(std::int64_t bytes)
{
    if (bytes < keptFrom) {
        auto* block = new std::byte[static_cast<std::size_t>(bytes)];
        count(bytes);
        return { block, [store = shared_from_this(), bytes](std::byte* held) {
                    delete[] held;
                    store->release(bytes);
                } };
    }
    std::shared_ptr<Arena> block;
    {
        const std::scoped_lock lock(m_mutex);
        if (const auto fits = m_kept.lower_bound(bytes); fits != m_kept.end() && fits->first <= bytes + bytes / 4) {
            block = std::move(fits->second);
            m_keptBytes -= fits->first;
            m_kept.erase(fits);
        }
        while (!block && !m_kept.empty() && live() + m_keptBytes + bytes > m_room) {
            m_keptBytes -= m_kept.begin()->first;
            m_kept.erase(m_kept.begin());
        }
    }
    if (!block)
        block = std::make_shared<Arena>(bytes);
    if (block->data() == nullptr)
        throw std::bad_alloc();
    count(bytes);
    return { block->data(), [store = shared_from_this(), block, bytes](std::byte*) mutable {
                store->release(bytes);
                store->keep(std::move(block));
            } };
}

std::shared_ptr<std::byte[]> DeviceStore::adopt(std::shared_ptr<std::byte[]> block, std::int64_t bytes)
{
    std::byte* const data = block.get();
    if (data == nullptr)
        return block;
    count(bytes);
    return { data, [store = shared_from_this(), block = std::move(block), bytes](std::byte*) mutable {
                block.reset();
                store->release(bytes);
            } };
}

StoreScope::StoreScope(DeviceStore& store)
    : m_before(std::exchange(currentStore, &store))
{
}

StoreScope::~StoreScope()
{
    currentStore = m_before;
}

DeviceStore* StoreScope::current()
{
    return currentStore;
}

} // namespace shardscope::evaluate
