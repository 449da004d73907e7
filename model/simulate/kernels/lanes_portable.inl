// SPDX-License-Identifier: GPL-3.0-or-later
// 16-byte vectors by the compilers' vector extension: SSE on x86-64, NEON on AArch64, plain code elsewhere.

template <class T>
struct PortableLanes {
    using Scalar = T;
    typedef T Register __attribute__((vector_size(16)));
    static constexpr int width = 16 / sizeof(T);
    static constexpr int registersPerSum = 4; ///< registers in 64 bytes
    static constexpr int tileRows = 4, tileRegisters = 2;
    static constexpr bool hasParts = false;
    static Register zero() { return Register{}; }
    static Register load(const T* p)
    {
        Register r;
        __builtin_memcpy(&r, p, sizeof r);
        return r;
    }
    static void store(T* p, Register r) { __builtin_memcpy(p, &r, sizeof r); }
    static Register broadcast(T x) { return x - Register{}; } // keeps -0
    static Register multiplyAdd(Register a, Register b, Register c) { return a * b + c; }
    static Register add(Register a, Register b) { return a + b; }
    static Register multiply(Register a, Register b) { return a * b; }
    static Register divide(Register a, Register b) { return a / b; }
    static Register squareRoot(Register a)
    {
        for (int i = 0; i < width; ++i)
            a[i] = sizeof(T) == 4 ? static_cast<T>(__builtin_sqrtf(static_cast<float>(a[i])))
                                  : static_cast<T>(__builtin_sqrt(static_cast<double>(a[i])));
        return a;
    }
    static T sum(const Register* r)
    {
        const Register x = (r[0] + r[2]) + (r[1] + r[3]);
        if constexpr (width == 4)
            return (x[0] + x[2]) + (x[1] + x[3]);
        else
            return x[0] + x[1];
    }
    static T scalarMultiplyAdd(T a, T b, T c) { return a * b + c; }
};
using F32Lanes = PortableLanes<float>;
using F64Lanes = PortableLanes<double>;
