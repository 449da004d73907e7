// SPDX-License-Identifier: GPL-3.0-or-later
// A vector that keeps its first N elements inside itself. For the many short lists of this field: the dimensions of a
// shape, the mesh axes of a dimension, the operands of an operation. Elements are trivially copyable. It takes eight
// bytes beside them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace shardscope {

template <class T, std::size_t N>
class SmallVector {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using iterator = T*;
    using const_iterator = const T*;

    SmallVector() = default;
    SmallVector(std::initializer_list<T> items) { assign(items.begin(), items.end()); }
    explicit SmallVector(std::size_t count, const T& value = T()) { resize(count, value); }
    template <std::input_iterator It>
    SmallVector(It first, It last)
    {
        assign(first, last);
    }
    explicit SmallVector(std::span<const T> items) { assign(items.begin(), items.end()); }
    SmallVector(const SmallVector& other) { copy(other); }
    SmallVector& operator=(const SmallVector& other)
    {
        if (this == &other)
            return *this;
        if (isInline() && other.isInline())
            take(other);
        else
            assign(other.begin(), other.end());
        return *this;
    }
    /// What was moved from is empty.
    SmallVector(SmallVector&& other) noexcept
    {
        take(other);
        other.forget();
    }
    SmallVector& operator=(SmallVector&& other) noexcept
    {
        if (this == &other)
            return *this;
        release();
        take(other);
        other.forget();
        return *this;
    }
    ~SmallVector() { release(); }

    template <std::input_iterator It>
    void assign(It first, It last)
    {
        clear();
        if constexpr (std::forward_iterator<It>)
            reserve(static_cast<std::size_t>(std::distance(first, last)));
        for (; first != last; ++first)
            push_back(*first);
    }

    [[nodiscard]] T* data() { return isInline() ? reinterpret_cast<T*>(m_storage) : heap(); }
    [[nodiscard]] const T* data() const { return isInline() ? reinterpret_cast<const T*>(m_storage) : heap(); }
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] T* begin() { return data(); }
    [[nodiscard]] T* end() { return data() + m_size; }
    [[nodiscard]] const T* begin() const { return data(); }
    [[nodiscard]] const T* end() const { return data() + m_size; }
    [[nodiscard]] T& operator[](std::size_t i) { return data()[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return data()[i]; }
    [[nodiscard]] T& front() { return *begin(); }
    [[nodiscard]] const T& front() const { return *begin(); }
    [[nodiscard]] T& back() { return data()[m_size - 1]; }
    [[nodiscard]] const T& back() const { return data()[m_size - 1]; }

    void push_back(const T& value)
    {
        const T copy = value; // value may live inside this vector
        if (m_size == m_capacity)
            reserve(2 * std::size_t{ m_capacity });
        ::new (static_cast<void*>(data() + m_size)) T(copy);
        ++m_size;
    }
    void pop_back() { --m_size; }
    void clear() { m_size = 0; }
    void reserve(std::size_t count)
    {
        if (count <= m_capacity)
            return;
        if (count > std::numeric_limits<std::uint32_t>::max())
            throw std::length_error("SmallVector");
        T* const room = std::allocator<T>().allocate(count);
        std::uninitialized_copy(begin(), end(), room);
        release();
        std::memcpy(m_storage, &room, sizeof room);
        m_capacity = static_cast<std::uint32_t>(count);
    }
    void resize(std::size_t count, const T& value = T())
    {
        const T copy = value;
        if (count > m_capacity)
            reserve(std::max(count, 2 * std::size_t{ m_capacity }));
        if (count > m_size)
            std::uninitialized_fill_n(data() + m_size, count - m_size, copy);
        m_size = static_cast<std::uint32_t>(count);
    }
    iterator insert(const_iterator position, const T& value)
    {
        const std::ptrdiff_t offset = position - begin();
        const T copy = value;
        push_back(copy);
        std::copy_backward(begin() + offset, end() - 1, end());
        *(begin() + offset) = copy;
        return begin() + offset;
    }
    iterator erase(const_iterator position) { return erase(position, position + 1); }
    iterator erase(const_iterator first, const_iterator last)
    {
        const std::ptrdiff_t offset = first - begin();
        std::copy(last, static_cast<const_iterator>(end()), begin() + offset);
        m_size -= static_cast<std::uint32_t>(last - first);
        return begin() + offset;
    }

    friend bool operator==(const SmallVector& a, const SmallVector& b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    [[nodiscard]] bool isInline() const { return m_capacity <= inlineCapacity; }
    [[nodiscard]] T* heap() const
    {
        T* pointer = nullptr;
        std::memcpy(&pointer, m_storage, sizeof pointer);
        return pointer;
    }
    void copy(const SmallVector& other)
    {
        if (other.isInline())
            take(other);
        else
            assign(other.begin(), other.end());
    }
    /// The elements where they are: inside, or on the heap with all that belongs to it.
    void take(const SmallVector& other)
    {
        m_size = other.m_size;
        m_capacity = other.m_capacity;
        std::memcpy(m_storage, other.m_storage, sizeof m_storage);
    }
    void forget()
    {
        m_size = 0;
        m_capacity = inlineCapacity;
    }
    void release()
    {
        if (!isInline())
            std::allocator<T>().deallocate(heap(), m_capacity);
    }

    static constexpr std::size_t storageSize = std::max(N * sizeof(T), sizeof(T*));
    static constexpr auto inlineCapacity = static_cast<std::uint32_t>(storageSize / sizeof(T));

    std::uint32_t m_size = 0;
    std::uint32_t m_capacity = inlineCapacity; ///< more than that: on the heap
    alignas(std::max(alignof(T), alignof(T*))) std::byte m_storage[storageSize]{}; ///< elements, or where they are
};

} // namespace shardscope
