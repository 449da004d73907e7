// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of one device: arrays that are made for it are taken from here and counted until nobody holds them.
//
//     const auto store = std::make_shared<DeviceStore>();
//     {
//         const StoreScope scope(*store);
//         Array x = Array::make({ DType::F32, { 256 } }); // store->live() == 1024
//         store->note(); // what is held between two operations
//     }
//     store->live(); // 0, and store->valuesPeak() is 1024
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "simulate/memory.h"

namespace shardscope::evaluate {

/// Used from several threads at once. Large blocks that are given back are kept for those that follow, since pages that
/// the system hands out for the first time cost more than what is computed in them.
class DeviceStore : public std::enable_shared_from_this<DeviceStore> {
public:
    /// Blocks in use and blocks kept are `room` bytes together at most, as far as it depends on what is kept.
    void setRoom(std::int64_t room);

    /// A block that counts until its last owner lets go of it. Throws std::bad_alloc.
    [[nodiscard]] std::shared_ptr<std::byte[]> take(std::int64_t bytes);
    /// A block of somebody else that the device holds: counts as if it were taken from here.
    [[nodiscard]] std::shared_ptr<std::byte[]> adopt(std::shared_ptr<std::byte[]> block, std::int64_t bytes);

    /// Bytes of blocks in use.
    [[nodiscard]] std::int64_t live() const { return m_live.load(std::memory_order_relaxed); }
    /// To be called between two operations, when there are values only.
    void note();
    /// Most bytes at one of these moments, and at any moment, since the last restart().
    [[nodiscard]] std::int64_t valuesPeak() const { return m_valuesPeak.load(std::memory_order_relaxed); }
    [[nodiscard]] std::int64_t peak() const { return m_peak.load(std::memory_order_relaxed); }
    void restart();
    /// Gives what is kept back to the system.
    void trim();

private:
    void count(std::int64_t bytes);
    void release(std::int64_t bytes) { m_live.fetch_sub(bytes, std::memory_order_relaxed); }
    void keep(std::shared_ptr<Arena> block);

    std::atomic<std::int64_t> m_live{ 0 }, m_valuesPeak{ 0 }, m_peak{ 0 };
    std::mutex m_mutex; ///< of what follows
    std::multimap<std::int64_t, std::shared_ptr<Arena>> m_kept; ///< by size
    std::int64_t m_keptBytes = 0, m_room = 0;
};
using DeviceStorePtr = std::shared_ptr<DeviceStore>;

/// Arrays that this thread makes while the scope lives are those of a device.
class StoreScope {
public:
    explicit StoreScope(DeviceStore& store);
    ~StoreScope();
    StoreScope(const StoreScope&) = delete;
    StoreScope& operator=(const StoreScope&) = delete;

    /// The innermost one of this thread; null outside of all scopes.
    [[nodiscard]] static DeviceStore* current();

private:
    DeviceStore* m_before;
};

} // namespace shardscope::evaluate
