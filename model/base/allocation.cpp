// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that is not there is an exception, std::bad_alloc, as the language has it: mimalloc as Debian builds it ends
// the program in its own operator new. These take its place; nothing declares them but <new>. The sanitizers bring
// operators of their own, and this file is not part of their builds.
#include <cstdlib>
#include <mimalloc.h>
#include <new>

namespace {

/// Every stage of an analysis makes programs and drops them. Memory that goes back to the system after 25 ms, as
/// mimalloc would have it, is asked for again by the next stage or the next edit: of a large program that takes longer
/// than all the rest. A setting of mimalloc in the environment comes first.
const bool keepsFreedMemory = [] {
    constexpr long milliseconds = 10'000;
#if MI_MALLOC_VERSION >= 210
    mi_option_set_default(mi_option_purge_delay, milliseconds);
#else
    mi_option_set_default(mi_option_decommit_delay, milliseconds);
    mi_option_set_default(mi_option_segment_decommit_delay, milliseconds);
#endif
    return true;
}();

/// Memory of that size from `allocate`; asks the handler for more as long as there is one.
template <class Allocate>
void* allocated(const Allocate& allocate)
{
    for (;;) {
        if (void* const memory = allocate())
            return memory;
        const std::new_handler handler = std::get_new_handler();
        if (!handler)
            return nullptr;
        handler();
    }
}

void* plainMemory(std::size_t size)
{
    return allocated([size] { return std::malloc(size == 0 ? 1 : size); });
}

void* alignedMemory(std::size_t size, std::align_val_t alignment)
{
    const auto step = static_cast<std::size_t>(alignment);
    if (size > ~std::size_t{} - step)
        return nullptr;
    const std::size_t rounded = (size + step - 1) / step * step;
    return allocated([=] { return std::aligned_alloc(step, rounded == 0 ? step : rounded); });
}

void* orThrow(void* memory)
{
    if (!memory)
        throw std::bad_alloc();
    return memory;
}

} // namespace

[[gnu::weak]] void* operator new(std::size_t size)
{
    return orThrow(plainMemory(size));
}
[[gnu::weak]] void* operator new[](std::size_t size)
{
    return orThrow(plainMemory(size));
}
[[gnu::weak]] void* operator new(std::size_t size, std::align_val_t alignment)
{
    return orThrow(alignedMemory(size, alignment));
}
[[gnu::weak]] void* operator new[](std::size_t size, std::align_val_t alignment)
{
    return orThrow(alignedMemory(size, alignment));
}
[[gnu::weak]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return plainMemory(size);
}
[[gnu::weak]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept
{
    return plainMemory(size);
}
[[gnu::weak]] void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    return alignedMemory(size, alignment);
}
[[gnu::weak]] void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    return alignedMemory(size, alignment);
}
[[gnu::weak]] void operator delete(void* memory) noexcept
{
    std::free(memory);
}
[[gnu::weak]] void operator delete[](void* memory) noexcept
{
    std::free(memory);
}
[[gnu::weak]] void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
[[gnu::weak]] void operator delete[](void* memory, std::size_t) noexcept
{
    std::free(memory);
}
[[gnu::weak]] void operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
[[gnu::weak]] void operator delete[](void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
[[gnu::weak]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}
[[gnu::weak]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}
[[gnu::weak]] void operator delete(void* memory, const std::nothrow_t&) noexcept
{
    std::free(memory);
}
[[gnu::weak]] void operator delete[](void* memory, const std::nothrow_t&) noexcept
{
    std::free(memory);
}
