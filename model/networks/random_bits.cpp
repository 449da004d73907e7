// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/random_bits.h"

#include <array>

namespace shardscope {

namespace {

constexpr unsigned parityOfKeys = 0x1BD11BDA;
constexpr int wordBits = 32;
constexpr std::array<std::array<int, 4>, 2> rotations{ { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } } };

class Threefry {
public:
    Threefry(Builder& builder, const RandomKey& key)
        : b(builder)
    {
        const ValueId parity = b.constant({ DType::U32, {} }, parityOfKeys);
        m_keys = { key.first, key.second, b.binary(OpKind::Xor, b.binary(OpKind::Xor, key.first, key.second), parity) };
    }

    ValueId bits(ValueId x, ValueId y)
    {
        x = plusKey(x, 0, 0);
        y = plusKey(y, 1, 0);
        for (std::size_t group = 0; group < 5; ++group) {
            for (const int rotation : rotations[group % 2]) {
                x = b.binary(OpKind::Add, x, y);
                y = b.binary(OpKind::Xor, rotatedLeft(y, rotation), x);
            }
            x = plusKey(x, group + 1, 0);
            y = plusKey(y, group + 2, static_cast<int>(group) + 1);
        }
        return b.binary(OpKind::Xor, x, y);
    }

private:
    ValueId plusKey(ValueId x, std::size_t number, int term)
    {
        ValueId key = m_keys[number % 3];
        if (term > 0)
            key = b.binary(OpKind::Add, key, b.constant(b.type(key), term));
        return b.binary(OpKind::Add, x, b.broadcastScalar(key, b.type(x).shape));
    }
    ValueId rotatedLeft(ValueId x, int places)
    {
        const TensorType type = b.type(x);
        const ValueId high = b.binary(OpKind::ShiftLeft, x, b.constant(type, places));
        const ValueId low = b.binary(OpKind::ShiftRightLogical, x, b.constant(type, wordBits - places));
        return b.binary(OpKind::Or, high, low);
    }

    Builder& b;
    std::array<ValueId, 3> m_keys;
};

} // namespace

ValueId randomBits(Builder& builder, const RandomKey& key, ValueId high, ValueId low)
{
    return Threefry(builder, key).bits(high, low);
}

} // namespace shardscope
