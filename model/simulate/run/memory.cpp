// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/memory.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <utility>

#include "base/codes.h"

#if defined(__unix__)
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include "base/alignment.h"
#include "base/codes.h"

namespace shardscope {

namespace {

constexpr std::int64_t hugePage = std::int64_t{ 2 } << 20;

/// Small blocks at cache lines, large ones at huge pages.
std::int64_t alignmentFor(std::int64_t bytes)
{
    return Arena::isLarge(bytes) ? hugePage : memoryAlignment;
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

bool Arena::isLarge(std::int64_t bytes)
{
    return bytes > 2 * hugePage;
}

double Arena::bytesTaken(std::int64_t bytes)
{
    const auto alignment = static_cast<double>(alignmentFor(bytes));
    return std::max(1.0, std::ceil(static_cast<double>(bytes) / alignment)) * alignment;
}

Result<void> MemoryBudget::take(double bytes)
{
    m_taken += bytes;
    if (isExceeded() && !m_counts)
        return fail(Code::OutOfMemory, { { "bytes", toBytes(m_taken) }, { "limit", toBytes(m_limit) } });
    return {};
}

namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The number after a key at the beginning of a line, as in /proc/meminfo; `missing` if there is none.
std::int64_t numberAfter(const std::string& file, const std::string& key, std::int64_t missing)
{
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::string word;
        std::int64_t number = 0;
        if (words >> word && word == key && words >> number)
            return number;
    }
    return missing;
}

/// The number that a file consists of; `missing` for any other text, such as "max".
std::int64_t numberIn(const std::string& file, std::int64_t missing)
{
    std::ifstream in(file);
    std::int64_t number = 0;
    return in >> number ? number : missing;
}

/// What a control group leaves. File pages that nobody uses at the moment are given back on demand.
std::int64_t roomIn(const std::string& limitFile, const std::string& usageFile, const std::string& statFile)
{
    const std::int64_t limit = numberIn(limitFile, unlimited);
    if (limit == unlimited)
        return unlimited;
    const std::int64_t used = numberIn(usageFile, 0) - numberAfter(statFile, "inactive_file", 0);
    return std::max<std::int64_t>(limit - std::max<std::int64_t>(used, 0), 0);
}

/// Of the control groups that the process is in, and of all around them.
std::int64_t roomInControlGroups(const std::string& root)
{
    std::int64_t room = unlimited;
    std::ifstream groups(root + "/proc/self/cgroup");
    std::string line;
    while (std::getline(groups, line)) { // hierarchy:controllers:path
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
        const bool unified = controllers == ",,";
        if (!unified && controllers.find(",memory,") == std::string::npos)
            continue;
        const std::string base = root + (unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory");
        std::string path = line.substr(second + 1);
        for (bool more = true; more;) {
            const std::string folder = base + (path == "/" ? "" : path) + '/';
            room = std::min(room,
                unified ? roomIn(folder + "memory.max", folder + "memory.current", folder + "memory.stat")
                        : roomIn(folder + "memory.limit_in_bytes", folder + "memory.usage_in_bytes",
                            folder + "memory.stat"));
            more = path.size() > 1;
            const std::size_t slash = path.rfind('/');
            path = slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
        }
    }
    return room;
}

/// Of the address space, where it is limited (ulimit -v).
std::int64_t roomInAddressSpace(const std::string& root)
{
#if defined(__unix__)
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        const std::int64_t used = numberAfter(root + "/proc/self/status", "VmSize:", 0) * 1024;
        const auto most = static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, unlimited));
        return std::max<std::int64_t>(most - used, 0);
    }
#endif
    return unlimited;
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

} // namespace

std::optional<std::int64_t> availableMemory(const std::string& root)
{
    const std::int64_t kibibytes = numberAfter(root + "/proc/meminfo", "MemAvailable:", 0);
    const std::int64_t system = kibibytes > 0 ? kibibytes * 1024 : machineMemory();
    const std::int64_t room =
        std::min({ system > 0 ? system : unlimited, roomInControlGroups(root), roomInAddressSpace(root) });
    return room == unlimited ? std::nullopt : std::optional(room);
}

} // namespace shardscope
