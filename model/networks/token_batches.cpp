// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/token_batches.h"

#include <algorithm>
#include <utility>

#include "base/codes.h"
#include "base/hash.h"

namespace shardscope {

namespace {

unsigned char byteAt(const std::string& text, std::int64_t place)
{
    return static_cast<unsigned char>(text[static_cast<std::size_t>(place)]);
}

} // namespace

TokenBatches::TokenBatches(std::string text, const BatchShape& shape, std::uint64_t seed)
    : m_text(std::move(text))
    , m_shape(shape)
    , m_seed(seed)
{
}

Result<TokenBatches> TokenBatches::create(
    std::string text, const BatchShape& shape, std::int64_t vocab, std::uint64_t seed)
{
    const auto size = static_cast<std::int64_t>(text.size());
    if (shape.encoderLength >= size || shape.length >= size - shape.encoderLength)
        return fail(Code::TooLarge,
            { { "what", "training text" }, { "count", shape.encoderLength + shape.length }, { "limit", size } });
    unsigned char largest = 0;
    for (std::int64_t place = 0; place < size; ++place)
        largest = std::max(largest, byteAt(text, place));
    if (largest >= vocab)
        return fail(Code::OutOfRange,
            { { "key", "vocab" }, { "value", vocab }, { "min", static_cast<std::int64_t>(largest) + 1 },
                { "max", std::int64_t{ 1 } << 31 } });
    return TokenBatches(std::move(text), shape, seed);
}

std::int64_t TokenBatches::begin(std::int64_t step, std::int64_t sequence) const
{
    const auto places = static_cast<std::uint64_t>(m_text.size()) - static_cast<std::uint64_t>(m_shape.encoderLength)
        - static_cast<std::uint64_t>(m_shape.length);
    const std::uint64_t drawn = Hasher().add(m_seed).add(step).add(sequence).value() % places;
    return m_shape.encoderLength + static_cast<std::int64_t>(drawn);
}

std::vector<double> TokenBatches::bytes(std::int64_t step, std::int64_t offset, std::int64_t length) const
{
    std::vector<double> numbers;
    numbers.reserve(static_cast<std::size_t>(m_shape.batch * length));
    for (std::int64_t sequence = 0; sequence < m_shape.batch; ++sequence) {
        const std::int64_t first = begin(step, sequence) + offset;
        for (std::int64_t i = 0; i < length; ++i)
            numbers.push_back(byteAt(m_text, first + i));
    }
    return numbers;
}

std::vector<double> TokenBatches::tokens(std::int64_t step) const
{
    return bytes(step, 0, m_shape.length);
}

std::vector<double> TokenBatches::targets(std::int64_t step) const
{
    return bytes(step, 1, m_shape.length);
}

std::vector<double> TokenBatches::encoderTokens(std::int64_t step) const
{
    return bytes(step, -m_shape.encoderLength, m_shape.encoderLength);
}

} // namespace shardscope
