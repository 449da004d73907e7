// SPDX-License-Identifier: GPL-3.0-or-later
// A vector that keeps its first N elements inside itself. For the many short lists of this field: the dimensions of a
// shape, the mesh axes of a dimension, the operands of an operation. Elements are trivially copyable.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

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
    SmallVector(const SmallVector&) = default;
    SmallVector& operator=(const SmallVector&) = default;
    /// What was moved from is empty.
    SmallVector(SmallVector&& other) noexcept
        : m_size(std::exchange(other.m_size, 0))
        , m_inline(other.m_inline)
        , m_heap(std::move(other.m_heap))
    {
        other.m_heap.clear();
    }
    SmallVector& operator=(SmallVector&& other) noexcept
    {
        if (this == &other)
            return *this;
        m_size = std::exchange(other.m_size, 0);
        m_inline = other.m_inline;
        m_heap = std::move(other.m_heap);
        other.m_heap.clear();
        return *this;
    }
    ~SmallVector() = default;

    template <std::input_iterator It>
    void assign(It first, It last)
    {
        clear();
        for (; first != last; ++first)
            push_back(*first);
    }

    [[nodiscard]] T* data() { return m_heap.empty() ? m_inline.data() : m_heap.data(); }
    [[nodiscard]] const T* data() const { return m_heap.empty() ? m_inline.data() : m_heap.data(); }
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
        resize(m_size + 1);
        back() = copy;
    }
    void pop_back() { --m_size; }
    void clear()
    {
        m_size = 0;
        m_heap.clear();
    }
    void resize(std::size_t count, const T& value = T())
    {
        if (count > N && m_heap.empty()) {
            m_heap.reserve(2 * count);
            m_heap.assign(m_inline.begin(), m_inline.begin() + static_cast<std::ptrdiff_t>(m_size));
            m_heap.resize(count); // not empty from here on, even when there was nothing to copy
        }
        if (count > m_heap.size() && !m_heap.empty())
            m_heap.resize(count);
        const std::size_t before = m_size;
        m_size = count;
        for (std::size_t i = before; i < count; ++i)
            data()[i] = value;
    }
    iterator insert(const_iterator position, const T& value)
    {
        const std::ptrdiff_t offset = position - begin();
        const T copy = value;
        resize(m_size + 1);
        std::copy_backward(begin() + offset, end() - 1, end());
        *(begin() + offset) = copy;
        return begin() + offset;
    }
    iterator erase(const_iterator position) { return erase(position, position + 1); }
    iterator erase(const_iterator first, const_iterator last)
    {
        const std::ptrdiff_t offset = first - begin();
        std::copy(last, static_cast<const_iterator>(end()), begin() + offset);
        m_size -= static_cast<std::size_t>(last - first);
        return begin() + offset;
    }

    friend bool operator==(const SmallVector& a, const SmallVector& b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    std::size_t m_size = 0;
    std::array<T, N> m_inline{};
    std::vector<T> m_heap; ///< in use, for all elements, once it is not empty
};

} // namespace shardscope
