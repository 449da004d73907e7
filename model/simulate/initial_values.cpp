// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/initial_values.h"

#include <cmath>
#include <numbers>

#include "base/hash.h"
#include "simulate/philox.h"
#include "simulate/strided_copy.h"

namespace shardscope {

namespace {

/// Standard deviation sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010): of the last two dimensions, one in, one
/// out, dimensions before them multiplying both, as JAX' initialisers have it.
double xavierDeviation(const Shape& shape)
{
    if (shape.empty())
        return 1;
    double receptive = 1;
    for (std::size_t d = 0; d + 2 < shape.size(); ++d)
        receptive *= static_cast<double>(shape[d]);
    const double out = static_cast<double>(shape.back());
    const double in = shape.size() >= 2 ? static_cast<double>(shape[shape.size() - 2]) : out;
    const double fans = (in + out) * receptive;
    return fans > 0 ? std::sqrt(2 / fans) : 1;
}

/// What stands at every place of one array.
class Source {
public:
    Source(const InitialValues& values, const Program& program, ValueId argument)
    {
        const Value& value = program.value(argument);
        if (const auto found = values.given.find(value.path); found != values.given.end()) {
            m_given = &found->second;
            return;
        }
        const std::uint64_t key = Hasher().add(values.seed).add(std::string_view(value.path)).value();
        m_key = { static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32) };
        switch (value.role) {
        case Role::Parameter:
            m_deviation = xavierDeviation(value.type.shape);
            break;
        case Role::Mu:
        case Role::Nu:
        case Role::Count:
        case Role::Step:
            m_constant = 0;
            break;
        default:
            m_deviation = values.randomInputs && isFloat(value.type.dtype) ? 1 : 0;
            m_constant = 1;
        }
    }

    [[nodiscard]] double at(std::int64_t element) const
    {
        if (m_given != nullptr)
            return element < static_cast<std::int64_t>(m_given->size()) ? (*m_given)[static_cast<std::size_t>(element)]
                                                                        : 0;
        if (m_deviation == 0)
            return m_constant;
        const auto pair = normals(element / 2);
        return m_deviation * pair[static_cast<std::size_t>(element % 2)];
    }

    /// `count` neighbours from `element` on.
    void fill(std::int64_t element, std::int64_t count, double* out) const
    {
        const std::int64_t end = element + count;
        const bool drawn = m_given == nullptr && m_deviation != 0;
        while (element < end) {
            if (drawn && element % 2 == 0 && element + 1 < end) {
                const auto pair = normals(element / 2);
                *out++ = m_deviation * pair[0];
                *out++ = m_deviation * pair[1];
                element += 2;
            } else
                *out++ = at(element++);
        }
    }

private:
    /// Two independent standard normal numbers (Box and Muller, 1958).
    [[nodiscard]] std::array<double, 2> normals(std::int64_t pair) const
    {
        const auto place = static_cast<std::uint64_t>(pair);
        const auto bits =
            philox({ static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32), 0, 0 }, m_key);
        const auto uniform = [&bits](std::size_t i) { // (0, 1), 52 bits and a half
            const std::uint64_t word = (std::uint64_t{ bits[i] } << 32) | bits[i + 1];
            return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
        };
        const double radius = std::sqrt(-2 * std::log(uniform(0)));
        const double angle = 2 * std::numbers::pi * uniform(2);
        return { radius * std::cos(angle), radius * std::sin(angle) };
    }

    const std::vector<double>* m_given = nullptr;
    std::array<std::uint32_t, 2> m_key{};
    double m_deviation = 0;
    double m_constant = 0;
};

} // namespace

double initialValue(const InitialValues& values, const Program& program, ValueId argument, std::int64_t element)
{
    return Source(values, program, argument).at(element);
}

void fillShard(const InitialValues& values, const Program& program, ValueId argument,
    std::span<const IndexRange> ranges, std::span<double> out)
{
    if (out.empty())
        return;
    const Source source(values, program, argument);
    const Shape strides = rowMajorStrides(program.value(argument).type.shape);
    if (ranges.empty()) {
        out[0] = source.at(0);
        return;
    }
    const std::int64_t length = ranges.back().size();
    const std::int64_t rows = static_cast<std::int64_t>(out.size()) / length;
    for (std::int64_t row = 0; row < rows; ++row) {
        std::int64_t rest = row;
        std::int64_t element = ranges.back().begin;
        for (std::size_t d = ranges.size() - 1; d-- > 0;) {
            element += (ranges[d].begin + rest % ranges[d].size()) * strides[d];
            rest /= ranges[d].size();
        }
        source.fill(element, length, out.data() + row * length);
    }
}

} // namespace shardscope
