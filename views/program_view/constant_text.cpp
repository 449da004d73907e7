// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/constant_text.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

namespace shardscope {

using namespace Qt::StringLiterals;

namespace {

template <class T>
std::optional<T> held(const std::vector<std::byte>& bytes)
{
    if (bytes.size() != sizeof(T))
        return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
}

/// Six digits: single precision has hardly more, and a box has little room.
QString number(double value)
{
    return QString::number(value, 'g', 6);
}

template <class T>
QString text(const std::vector<std::byte>& bytes)
{
    const std::optional<T> value = held<T>(bytes);
    if (!value)
        return {};
    if constexpr (std::is_floating_point_v<T>)
        return number(static_cast<double>(*value));
    else
        return QString::number(*value);
}

} // namespace

QString splatText(const ConstantAttributes& constant, DType type)
{
    if (constant.values.size() == 1)
        return type == DType::Pred ? (constant.values[0] != 0 ? u"true"_s : u"false"_s)
                                   : QString::number(constant.values[0]);
    if (!constant.bytes)
        return {};
    const std::vector<std::byte>& bytes = *constant.bytes;
    switch (type) {
    case DType::Pred:
        return bytes.size() != 1 ? QString() : bytes[0] != std::byte(0) ? u"true"_s : u"false"_s;
    case DType::I8:
        return text<std::int8_t>(bytes);
    case DType::I16:
        return text<std::int16_t>(bytes);
    case DType::I32:
        return text<std::int32_t>(bytes);
    case DType::I64:
        return text<std::int64_t>(bytes);
    case DType::U8:
        return text<std::uint8_t>(bytes);
    case DType::U16:
        return text<std::uint16_t>(bytes);
    case DType::U32:
        return text<std::uint32_t>(bytes);
    case DType::U64:
        return text<std::uint64_t>(bytes);
    case DType::F32:
        return text<float>(bytes);
    case DType::F64:
        return text<double>(bytes);
    case DType::BF16: // the upper half of a float
        if (const auto half = held<std::uint16_t>(bytes))
            return number(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(*half) << 16)));
        return {};
    default:
        return {};
    }
}

} // namespace shardscope
