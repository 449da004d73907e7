// SPDX-License-Identifier: GPL-3.0-or-later
// A value behind one pointer that its copies share: for lists and texts of which a program holds the same few many
// times, or seldom any. To readers it is the value itself; whoever changes it gets a copy of their own.
//
//     Shared<Shape> a = { 8, 4 }, b = a;   // one list
//     b[1] = 2;                            // two lists
//     const Shape& shape = a;              // lives as long as `a` is neither changed nor destroyed
//
// An empty list or text takes no memory. Different threads may read, copy, change and destroy different handles of one
// value at the same time. As with all containers that share, elements of a handle that is not const count as changed,
// and a reference or iterator to them must not be kept beyond the next copy of the handle.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace shardscope {

template <class T>
class Shared {
    static constexpr bool isText = std::same_as<T, std::string>;

public:
    using value_type = typename T::value_type;
    using size_type = std::size_t;
    using const_iterator = typename T::const_iterator;
    using iterator = typename T::iterator;

    Shared() noexcept = default;
    Shared(T value) // NOLINT: stands for the value
        : m_block(value.empty() ? nullptr : new Block{ { 1 }, std::move(value) })
    {
    }
    Shared(std::initializer_list<value_type> items)
        : Shared(T(items))
    {
    }
    Shared(std::string_view text) requires isText // NOLINT: as std::string is made from it
        : Shared(T(text))
    {
    }
    Shared(const char* text) requires isText // NOLINT: likewise
        : Shared(T(text))
    {
    }
    Shared(const Shared& other) noexcept
        : m_block(other.m_block)
    {
        if (m_block)
            m_block->owners.fetch_add(1, std::memory_order_relaxed);
    }
    Shared(Shared&& other) noexcept
        : m_block(std::exchange(other.m_block, nullptr))
    {
    }
    Shared& operator=(const Shared& other) noexcept
    {
        Shared(other).swap(*this);
        return *this;
    }
    Shared& operator=(Shared&& other) noexcept
    {
        Shared(std::move(other)).swap(*this);
        return *this;
    }
    ~Shared() { release(); }
    void swap(Shared& other) noexcept { std::swap(m_block, other.m_block); }

    [[nodiscard]] const T& operator*() const { return m_block ? m_block->value : none(); }
    [[nodiscard]] const T* operator->() const { return &**this; }
    operator const T&() const& { return **this; } // NOLINT: reads as the value
    operator T() const&& { return **this; } // NOLINT: likewise, where the handle is about to go
    operator std::string_view() const requires isText { return **this; } // NOLINT: likewise

    [[nodiscard]] bool empty() const { return !m_block || m_block->value.empty(); }
    [[nodiscard]] std::size_t size() const { return m_block ? m_block->value.size() : 0; }
    [[nodiscard]] const value_type* data() const { return (**this).data(); }
    [[nodiscard]] const_iterator begin() const { return (**this).begin(); }
    [[nodiscard]] const_iterator end() const { return (**this).end(); }
    [[nodiscard]] const value_type& operator[](std::size_t i) const { return (**this)[i]; }
    [[nodiscard]] const value_type& front() const { return (**this).front(); }
    [[nodiscard]] const value_type& back() const { return (**this).back(); }
    [[nodiscard]] value_type* data() { return edit().data(); }
    [[nodiscard]] iterator begin() { return edit().begin(); }
    [[nodiscard]] iterator end() { return edit().end(); }
    [[nodiscard]] value_type& operator[](std::size_t i) { return edit()[i]; }
    [[nodiscard]] value_type& front() { return edit().front(); }
    [[nodiscard]] value_type& back() { return edit().back(); }
    [[nodiscard]] const char* c_str() const requires isText { return (**this).c_str(); }
    [[nodiscard]] bool starts_with(std::string_view part) const requires isText { return (**this).starts_with(part); }
    [[nodiscard]] bool ends_with(std::string_view part) const requires isText { return (**this).ends_with(part); }

    /// The value, to be changed: no other handle sees what is done to it. Do not keep the reference.
    [[nodiscard]] T& edit()
    {
        if (!m_block)
            m_block = new Block{ { 1 }, T() };
        else if (m_block->owners.load(std::memory_order_acquire) != 1)
            Shared(new Block{ { 1 }, m_block->value }).swap(*this);
        return m_block->value;
    }
    void push_back(const value_type& item) { edit().push_back(item); }
    template <class... Args>
    value_type& emplace_back(Args&&... args)
    {
        return edit().emplace_back(std::forward<Args>(args)...);
    }
    void pop_back() { edit().pop_back(); }
    void resize(std::size_t count, const value_type& item = value_type()) { edit().resize(count, item); }
    template <std::input_iterator It>
    void assign(It first, It last)
    {
        *this = T(first, last);
    }
    iterator insert(const_iterator position, const value_type& item)
    {
        const std::ptrdiff_t offset = position - std::as_const(*this).begin();
        T& value = edit();
        return value.insert(value.begin() + offset, item);
    }
    iterator erase(const_iterator position) { return erase(position, position + 1); }
    iterator erase(const_iterator first, const_iterator last)
    {
        const std::ptrdiff_t offset = first - std::as_const(*this).begin(), count = last - first;
        T& value = edit();
        return value.erase(value.begin() + offset, value.begin() + offset + count);
    }
    void clear() { *this = Shared(); }

    friend bool operator==(const Shared& a, const Shared& b) { return a.m_block == b.m_block || *a == *b; }
    friend bool operator==(const Shared& a, const T& b) { return *a == b; }
    friend bool operator==(const Shared& a, const char* b) requires isText { return *a == b; }
    friend bool operator==(const Shared& a, std::string_view b) requires isText { return *a == b; }
    friend T operator+(const Shared& a, std::string_view b) requires isText { return T(*a).append(b); }
    friend T operator+(std::string_view a, const Shared& b) requires isText { return T(a).append(*b); }

private:
    struct Block {
        std::atomic<std::uint32_t> owners;
        T value;
    };
    explicit Shared(Block* block)
        : m_block(block)
    {
    }
    void release()
    {
        if (m_block && m_block->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete m_block;
    }
    static const T& none()
    {
        static const T empty{};
        return empty;
    }

    Block* m_block = nullptr; ///< null for an empty value
};

} // namespace shardscope
