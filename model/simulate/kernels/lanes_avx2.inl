// SPDX-License-Identifier: GPL-3.0-or-later

struct F32Lanes {
    using Scalar = float;
    using Register = __m256;
    static constexpr int width = 8;
    static constexpr int registersPerSum = 2; ///< registers in 64 bytes
    static constexpr int tileRows = 4, tileRegisters = 3;
    static constexpr bool hasParts = false;
    static Register zero() { return _mm256_setzero_ps(); }
    static Register load(const float* p) { return _mm256_loadu_ps(p); }
    static void store(float* p, Register r) { _mm256_storeu_ps(p, r); }
    static Register broadcast(float x) { return _mm256_set1_ps(x); }
    static Register multiplyAdd(Register a, Register b, Register c) { return _mm256_fmadd_ps(a, b, c); }
    static Register add(Register a, Register b) { return _mm256_add_ps(a, b); }
    static Register multiply(Register a, Register b) { return _mm256_mul_ps(a, b); }
    static Register divide(Register a, Register b) { return _mm256_div_ps(a, b); }
    static Register squareRoot(Register a) { return _mm256_sqrt_ps(a); }
    static float sum(const Register* r)
    {
        const __m256 x = _mm256_add_ps(r[0], r[1]);
        const __m128 y = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
        const __m128 z = _mm_add_ps(y, _mm_movehl_ps(y, y));
        return _mm_cvtss_f32(_mm_add_ss(z, _mm_shuffle_ps(z, z, 1)));
    }
    static float scalarMultiplyAdd(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
};

struct F64Lanes {
    using Scalar = double;
    using Register = __m256d;
    static constexpr int width = 4;
    static constexpr int registersPerSum = 2;
    static constexpr int tileRows = 4, tileRegisters = 3;
    static constexpr bool hasParts = false;
    static Register zero() { return _mm256_setzero_pd(); }
    static Register load(const double* p) { return _mm256_loadu_pd(p); }
    static void store(double* p, Register r) { _mm256_storeu_pd(p, r); }
    static Register broadcast(double x) { return _mm256_set1_pd(x); }
    static Register multiplyAdd(Register a, Register b, Register c) { return _mm256_fmadd_pd(a, b, c); }
    static Register add(Register a, Register b) { return _mm256_add_pd(a, b); }
    static Register multiply(Register a, Register b) { return _mm256_mul_pd(a, b); }
    static Register divide(Register a, Register b) { return _mm256_div_pd(a, b); }
    static Register squareRoot(Register a) { return _mm256_sqrt_pd(a); }
    static double sum(const Register* r)
    {
        const __m256d x = _mm256_add_pd(r[0], r[1]);
        const __m128d y = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
        return _mm_cvtsd_f64(_mm_add_sd(y, _mm_unpackhi_pd(y, y)));
    }
    static double scalarMultiplyAdd(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
