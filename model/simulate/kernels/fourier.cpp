// SPDX-License-Identifier: GPL-3.0-or-later
// Fourier transforms of any length, along the last one, two or three dimensions. Computed in double and rounded once.
// Declared in call.h.
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "simulate/kernels/call.h"
#include "simulate/kernels/position.h"

namespace shardscope::kernels {

namespace {

using Wave = std::complex<double>;
using Waves = std::vector<Wave>;

/// Lengths up to this are computed as they are defined.
constexpr std::size_t definedUpTo = 16;

/// exp(-2 pi i k / n) for k < count
Waves rootsOfUnity(std::size_t n, std::size_t count)
{
    Waves roots(count);
    for (std::size_t k = 0; k < count; ++k)
        roots[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    return roots;
}

/// Transforms of one length: X[k] = sum of x[j] exp(-2 pi i j k / n). Powers of two by halves (Cooley and Tukey, 1965),
/// other lengths as a convolution of such a length (Bluestein, 1970).
class Transform {
public:
    explicit Transform(std::size_t n)
        : m_length(n)
    {
        if (std::has_single_bit(n)) {
            m_roots = rootsOfUnity(n, n / 2);
            return;
        }
        if (n <= definedUpTo) {
            m_roots = rootsOfUnity(n, n);
            return;
        }
        m_padded = std::bit_ceil(2 * n - 1);
        m_roots = rootsOfUnity(m_padded, m_padded / 2);
        m_chirp.resize(n); // exp(-pi i k^2 / n)
        for (std::size_t k = 0; k < n; ++k)
            m_chirp[k] =
                std::polar(1.0, -std::numbers::pi * static_cast<double>(k * k % (2 * n)) / static_cast<double>(n));
        m_answer.assign(m_padded, {});
        for (std::size_t k = 0; k < n; ++k)
            m_answer[k] = m_answer[(m_padded - k) % m_padded] = std::conj(m_chirp[k]);
        byHalves(m_answer);
    }

    void run(Waves& x) const
    {
        if (std::has_single_bit(m_length))
            byHalves(x);
        else if (m_padded == 0)
            asDefined(x);
        else
            asConvolution(x);
    }

private:
    void byHalves(Waves& x) const
    {
        const std::size_t n = x.size();
        for (std::size_t i = 1, reversed = 0; i < n; ++i) {
            std::size_t bit = n / 2;
            for (; (reversed & bit) != 0; bit /= 2)
                reversed ^= bit;
            reversed ^= bit;
            if (i < reversed)
                std::swap(x[i], x[reversed]);
        }
        for (std::size_t size = 2; size <= n; size *= 2)
            for (std::size_t begin = 0; begin < n; begin += size)
                for (std::size_t k = 0; k < size / 2; ++k) {
                    const Wave odd = x[begin + k + size / 2] * m_roots[k * (n / size)];
                    x[begin + k + size / 2] = x[begin + k] - odd;
                    x[begin + k] += odd;
                }
    }

    void asDefined(Waves& x) const
    {
        Waves out(m_length);
        for (std::size_t k = 0; k < m_length; ++k)
            for (std::size_t j = 0; j < m_length; ++j)
                out[k] += x[j] * m_roots[j * k % m_length];
        x = std::move(out);
    }

    void asConvolution(Waves& x) const
    {
        Waves padded(m_padded);
        for (std::size_t k = 0; k < m_length; ++k)
            padded[k] = x[k] * m_chirp[k];
        byHalves(padded);
        for (std::size_t k = 0; k < m_padded; ++k)
            padded[k] = std::conj(padded[k] * m_answer[k]); // conjugated before and after, a transform is the inverse
        byHalves(padded);
        for (std::size_t k = 0; k < m_length; ++k)
            x[k] = std::conj(padded[k]) / static_cast<double>(m_padded) * m_chirp[k];
    }

    std::size_t m_length, m_padded = 0;
    Waves m_roots; ///< of m_padded, or of the length itself
    Waves m_chirp, m_answer; ///< of a convolution
};

/// Complex numbers in their shape, row-major.
struct Field {
    Shape shape;
    Waves waves;
};

/// Along one dimension. The inverse divides by its length.
void transform(Field& field, std::size_t dimension, bool inverse)
{
    const std::size_t n = at(field.shape[dimension]);
    const Transform along(n);
    const std::size_t step = at(stridesOf(field.shape)[dimension]);
    Waves line(n);
    for (std::size_t first = 0; first < field.waves.size(); ++first) {
        if (first / step % n != 0)
            continue;
        for (std::size_t k = 0; k < n; ++k)
            line[k] = inverse ? std::conj(field.waves[first + k * step]) : field.waves[first + k * step];
        along.run(line);
        for (std::size_t k = 0; k < n; ++k)
            field.waves[first + k * step] = inverse ? std::conj(line[k]) / static_cast<double>(n) : line[k];
    }
}

/// Another length of the last dimension, which `taken` fills: (line of the old length, line of the new one).
template <class F>
void relength(Field& field, std::int64_t length, F taken)
{
    const std::size_t before = at(field.shape.back()), after = at(length);
    const std::size_t lines = before == 0 ? 0 : field.waves.size() / before;
    Waves waves(lines * after);
    for (std::size_t line = 0; line < lines; ++line)
        taken(field.waves.data() + line * before, waves.data() + line * after);
    field.shape.back() = length;
    field.waves = std::move(waves);
}

/// Of real numbers half of the last dimension is kept, and the other half follows from it.
Arrays fourier(const Call& call)
{
    const auto& own = call.own<FftAttributes>();
    const TensorType& type = call.type();
    if (type.elementCount() == 0 || call.operands[0].count() == 0)
        return { Array::zeros(type) };
    const Array operand = converted(call.operands[0], DType::C128);
    Field field{ *operand.type.shape, Waves(operand.as<Wave>(), operand.as<Wave>() + operand.count()) };
    const std::size_t rank = type.rank(), count = own.length.size();
    const bool inverse = own.type == FftType::Ifft || own.type == FftType::Irfft;
    const auto others = [&] {
        for (std::size_t d = rank - count; d + 1 < rank; ++d)
            transform(field, d, inverse);
    };
    if (own.type == FftType::Irfft) { // the half of the last dimension goes by the others first
        others();
        const std::size_t length = at(own.length.back());
        relength(field, own.length.back(), [&](const Wave* half, Wave* full) {
            for (std::size_t k = 0; k < length; ++k)
                full[k] = k <= length / 2 ? half[k] : std::conj(half[length - k]);
        });
        transform(field, rank - 1, true);
    } else {
        transform(field, rank - 1, inverse);
        if (own.type == FftType::Rfft)
            relength(field, type.shape.back(),
                [&](const Wave* full, Wave* half) { std::copy(full, full + type.shape.back(), half); });
        others();
    }
    Array result = Array::make({ DType::C128, type.shape });
    std::copy(field.waves.begin(), field.waves.end(), result.as<Wave>());
    return { converted(result, type.dtype) };
}

} // namespace

Evaluate fourierEvaluator(OpKind kind)
{
    return kind == OpKind::Fft ? fourier : nullptr;
}

} // namespace shardscope::kernels
