// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations on integers, which wrap around. A division by zero gives -1 (all bits set) and the dividend as
// the rest.
// Declared in elementwise.h.
#include <bit>
#include <limits>
#include <type_traits>

#include "simulate/kernels/elementwise.h"

namespace shardscope::kernels {

namespace {

/// Wraps around in 64 bits; what is stored is the low bits.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
Wrapping<T> wrap(T value)
{
    return static_cast<Wrapping<T>>(value);
}

template <class T>
T quotient(T a, T b)
{
    if (b == 0)
        return static_cast<T>(~T{ 0 });
    if constexpr (std::is_signed_v<T>)
        if (b == -1)
            return static_cast<T>(Wrapping<T>{ 0 } - wrap(a));
    return static_cast<T>(a / b);
}
template <class T>
T rest(T a, T b)
{
    if (b == 0)
        return a;
    if constexpr (std::is_signed_v<T>)
        if (b == -1)
            return 0;
    return static_cast<T>(a % b);
}
template <class T>
T power(T base, T exponent)
{
    if constexpr (std::is_signed_v<T>)
        if (exponent < 0) // the whole part of a fraction
            return base == 1 ? T(1) : base == -1 ? ((exponent & 1) != 0 ? T(-1) : T(1)) : T(0);
    Wrapping<T> result = 1, square = wrap(base);
    for (auto left = static_cast<std::make_unsigned_t<T>>(exponent); left != 0;
         left = static_cast<std::make_unsigned_t<T>>(left >> 1)) {
        if ((left & 1) != 0)
            result *= square;
        square *= square;
    }
    return static_cast<T>(result);
}

/// Shifts by as many bits as there are, or more, leave nothing; by negative numbers as well.
template <class T>
bool isBeyond(T shift)
{
    return static_cast<std::make_unsigned_t<T>>(shift) >= sizeof(T) * 8;
}

template <class T>
ElementFunction compare(Comparison direction)
{
    switch (direction) {
    case Comparison::Equal:
        return binaryLoop<std::uint8_t, T>([](T a, T b) { return a == b; });
    case Comparison::NotEqual:
        return binaryLoop<std::uint8_t, T>([](T a, T b) { return a != b; });
    case Comparison::Less:
        return binaryLoop<std::uint8_t, T>([](T a, T b) { return a < b; });
    case Comparison::LessEqual:
        return binaryLoop<std::uint8_t, T>([](T a, T b) { return a <= b; });
    case Comparison::Greater:
        return binaryLoop<std::uint8_t, T>([](T a, T b) { return a > b; });
    default:
        return binaryLoop<std::uint8_t, T>([](T a, T b) { return a >= b; });
    }
}

template <class T>
ElementFunction functionOf(OpKind kind, const Attributes& attributes)
{
    using U = std::make_unsigned_t<T>;
    switch (kind) {
    case OpKind::Abs:
        return unaryLoop<T, T>([](T a) { return a < 0 ? Wrapping<T>{ 0 } - wrap(a) : wrap(a); });
    case OpKind::Negate:
        return unaryLoop<T, T>([](T a) { return Wrapping<T>{ 0 } - wrap(a); });
    case OpKind::Sign:
        return unaryLoop<T, T>([](T a) { return a > 0 ? 1 : a < 0 ? -1 : 0; });
    case OpKind::Not:
        return unaryLoop<T, T>([](T a) { return ~a; });
    case OpKind::PopulationCount:
        return unaryLoop<T, T>([](T a) { return std::popcount(static_cast<U>(a)); });
    case OpKind::CountLeadingZeros:
        return [](const std::byte* const* in, std::byte* out, std::int64_t n, const ElementContext& context) {
            const T* a = reinterpret_cast<const T*>(in[0]);
            T* r = reinterpret_cast<T*>(out);
            for (std::int64_t i = 0; i < n; ++i)
                r[i] = static_cast<T>(std::countl_zero(static_cast<U>(a[i])) - context.mantissaBits);
        };
    case OpKind::ChloSquare:
        return unaryLoop<T, T>([](T a) { return wrap(a) * wrap(a); });
    case OpKind::Real:
    case OpKind::ChloConj:
        return unaryLoop<T, T>([](T a) { return a; });
    case OpKind::Add:
        return binaryLoop<T, T>([](T a, T b) { return wrap(a) + wrap(b); });
    case OpKind::Subtract:
        return binaryLoop<T, T>([](T a, T b) { return wrap(a) - wrap(b); });
    case OpKind::Multiply:
        return binaryLoop<T, T>([](T a, T b) { return wrap(a) * wrap(b); });
    case OpKind::Divide:
        return binaryLoop<T, T>([](T a, T b) { return quotient(a, b); });
    case OpKind::Remainder:
        return binaryLoop<T, T>([](T a, T b) { return rest(a, b); });
    case OpKind::Maximum:
        return binaryLoop<T, T>([](T a, T b) { return a > b ? a : b; });
    case OpKind::Minimum:
        return binaryLoop<T, T>([](T a, T b) { return a < b ? a : b; });
    case OpKind::Power:
        return binaryLoop<T, T>([](T a, T b) { return power(a, b); });
    case OpKind::And:
        return binaryLoop<T, T>([](T a, T b) { return a & b; });
    case OpKind::Or:
        return binaryLoop<T, T>([](T a, T b) { return a | b; });
    case OpKind::Xor:
        return binaryLoop<T, T>([](T a, T b) { return a ^ b; });
    case OpKind::ShiftLeft:
        return binaryLoop<T, T>([](T a, T b) { return isBeyond(b) ? Wrapping<T>{ 0 } : wrap(a) << b; });
    case OpKind::ShiftRightLogical:
        return binaryLoop<T, T>([](T a, T b) { return isBeyond(b) ? U{ 0 } : static_cast<U>(static_cast<U>(a) >> b); });
    case OpKind::ShiftRightArithmetic:
        return binaryLoop<T, T>([](T a, T b) {
            using S = std::make_signed_t<T>;
            return static_cast<S>(a) >> (isBeyond(b) ? static_cast<T>(sizeof(T) * 8 - 1) : b);
        });
    case OpKind::Compare: {
        const auto* own = std::get_if<CompareAttributes>(&attributes);
        return compare<T>(own ? own->direction : Comparison::Equal);
    }
    case OpKind::Clamp: // least, value, most
        return [](const std::byte* const* in, std::byte* out, std::int64_t n, const ElementContext&) {
            const T* least = reinterpret_cast<const T*>(in[0]);
            const T* value = reinterpret_cast<const T*>(in[1]);
            const T* most = reinterpret_cast<const T*>(in[2]);
            T* r = reinterpret_cast<T*>(out);
            for (std::int64_t i = 0; i < n; ++i) {
                const T raised = value[i] > least[i] ? value[i] : least[i];
                r[i] = raised < most[i] ? raised : most[i];
            }
        };
    default:
        return nullptr;
    }
}

} // namespace

ElementFunction integerFunction(OpKind kind, DType computed, const Attributes& attributes)
{
    switch (computed) {
    case DType::I8:
        return functionOf<std::int8_t>(kind, attributes);
    case DType::I16:
        return functionOf<std::int16_t>(kind, attributes);
    case DType::I32:
        return functionOf<std::int32_t>(kind, attributes);
    case DType::I64:
        return functionOf<std::int64_t>(kind, attributes);
    case DType::U8:
        return functionOf<std::uint8_t>(kind, attributes);
    case DType::U16:
        return functionOf<std::uint16_t>(kind, attributes);
    case DType::U32:
        return functionOf<std::uint32_t>(kind, attributes);
    case DType::U64:
        return functionOf<std::uint64_t>(kind, attributes);
    default:
        return nullptr;
    }
}

} // namespace shardscope::kernels
