// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/memory.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace shardscope {

namespace {

constexpr std::int64_t hugePage = std::int64_t{ 2 } << 20;

/// Small blocks at cache lines, large ones at huge pages.
std::int64_t alignmentFor(std::int64_t bytes)
{
    return bytes > 2 * hugePage ? hugePage : 64;
}

} // namespace

Arena::Arena(std::int64_t bytes)
    : m_bytes(bytes)
{
    const std::int64_t alignment = alignmentFor(bytes);
    const std::int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
    m_data = static_cast<std::byte*>(::operator new(static_cast<std::size_t>(rounded == 0 ? alignment : rounded),
        std::align_val_t(static_cast<std::size_t>(alignment)), std::nothrow));
#if defined(__unix__) && defined(MADV_HUGEPAGE)
    if (m_data != nullptr && alignment == hugePage)
        ::madvise(m_data, static_cast<std::size_t>(rounded), MADV_HUGEPAGE); // only advice: ignored where impossible
#endif
}

Arena::~Arena()
{
    if (m_data != nullptr)
        ::operator delete(m_data, std::align_val_t(static_cast<std::size_t>(alignmentFor(m_bytes))));
}

Arena::Arena(Arena&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr))
    , m_bytes(std::exchange(other.m_bytes, 0))
{
}

Arena& Arena::operator=(Arena&& other) noexcept
{
    std::swap(m_data, other.m_data);
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

Result<void> MemoryBudget::take(double bytes)
{
    m_taken += bytes;
    if (m_taken > static_cast<double>(m_limit))
        return fail(Code::OutOfMemory,
            { { "bytes", static_cast<std::int64_t>(std::min(m_taken, 9e18)) }, { "limit", m_limit } });
    return {};
}

std::int64_t machineMemory()
{
#if defined(_SC_PHYS_PAGES)
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page = ::sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? std::int64_t{ pages } * page : 0;
#else
    return 0;
#endif
}

} // namespace shardscope
