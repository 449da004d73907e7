// SPDX-License-Identifier: GPL-3.0-or-later

/// 32 bytes of a register. (g++ 12 warns about its own intrinsics without a mask.)
template <int which>
inline __m256d half(__m512d r)
{
    return _mm512_maskz_extractf64x4_pd(0xff, r, which);
}

struct F32Lanes {
    using Scalar = float;
    using Register = __m512;
    using Half = halves::F32Lanes; ///< where a full register would be half empty: twice as many at a time on some CPUs
    static constexpr int width = 16;
    static constexpr int registersPerSum = 1; ///< registers in 64 bytes
    static constexpr int tileRows = 6, tileRegisters = 4;
    static Register zero() { return _mm512_setzero_ps(); }
    static Register load(const float* p) { return _mm512_loadu_ps(p); }
    static void store(float* p, Register r) { _mm512_storeu_ps(p, r); }
    static Register broadcast(float x) { return _mm512_set1_ps(x); }
    static Register multiplyAdd(Register a, Register b, Register c) { return _mm512_fmadd_ps(a, b, c); }
    static Register add(Register a, Register b) { return _mm512_add_ps(a, b); }
    static Register multiply(Register a, Register b) { return _mm512_mul_ps(a, b); }
    static Register divide(Register a, Register b) { return _mm512_div_ps(a, b); }
    static Register squareRoot(Register a) { return _mm512_maskz_sqrt_ps(0xffff, a); }
    static float sum(const Register* r)
    {
        const __m512d both = _mm512_castps_pd(r[0]);
        const __m256 x = _mm256_add_ps(_mm256_castpd_ps(half<0>(both)), _mm256_castpd_ps(half<1>(both)));
        const __m128 y = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
        const __m128 z = _mm_add_ps(y, _mm_movehl_ps(y, y));
        return _mm_cvtss_f32(_mm_add_ss(z, _mm_shuffle_ps(z, z, 1)));
    }
    // The levels of the tree of sum(), for two registers at a time.
    /// Lanes i and i + 8: the eight sums of `a`, then those of `b`.
    static Register addHalves(Register a, Register b)
    {
        return add(_mm512_maskz_shuffle_f32x4(0xffff, a, b, 0x44), _mm512_maskz_shuffle_f32x4(0xffff, a, b, 0xee));
    }
    /// Of results of addHalves(): lanes i and i + 4 of each eight.
    static Register addQuarters(Register a, Register b)
    {
        return add(_mm512_maskz_shuffle_f32x4(0xffff, a, b, 0x88), _mm512_maskz_shuffle_f32x4(0xffff, a, b, 0xdd));
    }
    /// Lanes i and i + 2 within 128 bits, which belong to one sum from here on: two of `a`, two of `b`.
    static Register addPairs(Register a, Register b)
    {
        const __m512d x = _mm512_castps_pd(a), y = _mm512_castps_pd(b);
        return add(_mm512_castpd_ps(_mm512_maskz_unpacklo_pd(0xff, x, y)),
            _mm512_castpd_ps(_mm512_maskz_unpackhi_pd(0xff, x, y)));
    }
    /// The last level.
    static Register addNeighbours(Register a, Register b)
    {
        return add(_mm512_maskz_shuffle_ps(0xffff, a, b, 0x88), _mm512_maskz_shuffle_ps(0xffff, a, b, 0xdd));
    }
    /// sum() of sixteen registers at once: out[4 s + r] is that of rows[r][s].
    static void sumSixteen(float* out, const Register (&rows)[4][4])
    {
        Register sums[4]; // 128 bits for each of a row's four
        for (int r = 0; r < 4; ++r)
            sums[r] = addQuarters(addHalves(rows[r][0], rows[r][1]), addHalves(rows[r][2], rows[r][3]));
        store(out, addNeighbours(addPairs(sums[0], sums[1]), addPairs(sums[2], sums[3])));
    }
    static constexpr bool hasParts = true; ///< registers that are loaded and stored in part
    using Part = __mmask16;
    static Part firstLanes(std::int64_t n) { return static_cast<Part>((1U << n) - 1); }
    static Register loadPart(const float* p, Part part) { return _mm512_maskz_loadu_ps(part, p); }
    static void storePart(float* p, Register r, Part part) { _mm512_mask_storeu_ps(p, part, r); }
    static float scalarMultiplyAdd(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
};

struct F64Lanes {
    using Scalar = double;
    using Register = __m512d;
    using Half = halves::F64Lanes;
    static constexpr int width = 8;
    static constexpr int registersPerSum = 1;
    static constexpr int tileRows = 6, tileRegisters = 4;
    static Register zero() { return _mm512_setzero_pd(); }
    static Register load(const double* p) { return _mm512_loadu_pd(p); }
    static void store(double* p, Register r) { _mm512_storeu_pd(p, r); }
    static Register broadcast(double x) { return _mm512_set1_pd(x); }
    static Register multiplyAdd(Register a, Register b, Register c) { return _mm512_fmadd_pd(a, b, c); }
    static Register add(Register a, Register b) { return _mm512_add_pd(a, b); }
    static Register multiply(Register a, Register b) { return _mm512_mul_pd(a, b); }
    static Register divide(Register a, Register b) { return _mm512_div_pd(a, b); }
    static Register squareRoot(Register a) { return _mm512_maskz_sqrt_pd(0xff, a); }
    static double sum(const Register* r)
    {
        const __m256d x = _mm256_add_pd(half<0>(r[0]), half<1>(r[0]));
        const __m128d y = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
        return _mm_cvtsd_f64(_mm_add_sd(y, _mm_unpackhi_pd(y, y)));
    }
    static constexpr bool hasParts = true;
    using Part = __mmask8;
    static Part firstLanes(std::int64_t n) { return static_cast<Part>((1U << n) - 1); }
    static Register loadPart(const double* p, Part part) { return _mm512_maskz_loadu_pd(part, p); }
    static void storePart(double* p, Register r, Part part) { _mm512_mask_storeu_pd(p, part, r); }
    static double scalarMultiplyAdd(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
