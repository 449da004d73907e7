// SPDX-License-Identifier: GPL-3.0-or-later
// One element at a time: for element types without vector code of their own. The compiler vectorises what it can.

template <class T>
struct ScalarLanes {
    using Scalar = T;
    using Register = T;
    static constexpr int width = 1;
    static constexpr int registersPerSum = 1;
    static constexpr int tileRows = 4, tileRegisters = 4;
    static constexpr bool hasParts = false;
    static Register zero() { return T(0); }
    static Register load(const T* p) { return *p; }
    static void store(T* p, Register r) { *p = r; }
    static Register broadcast(T x) { return x; }
    static Register multiplyAdd(Register a, Register b, Register c)
    {
        return static_cast<T>(
            static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b) + static_cast<std::uint32_t>(c));
    }
    static Register add(Register a, Register b)
    {
        return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    }
    static T sum(const Register* r) { return r[0]; }
    static T scalarMultiplyAdd(T a, T b, T c) { return multiplyAdd(a, b, c); }
};
