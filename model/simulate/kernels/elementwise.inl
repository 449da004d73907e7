// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise loops, with StableHLO's meaning: integers wrap, Maximum and Minimum keep NaN, pred is a byte that is 0
// or 1. The compiler vectorises them for the instruction set at hand; no operation is reassociated or contracted.
// Floats of 16 bits are computed with as f32, and rounded after every operation.

using Pred = std::uint8_t;
using Int = std::int32_t;
using Unsigned = std::uint32_t;

inline Unsigned bitsOf(float value)
{
    return __builtin_bit_cast(Unsigned, value);
}
inline float floatOf(Unsigned bits)
{
    return __builtin_bit_cast(float, bits);
}

struct Bfloat16 {
    std::uint16_t bits;
    [[nodiscard]] float widened() const { return floatOf(static_cast<Unsigned>(bits) << 16); }
    static Bfloat16 rounded(float value)
    {
        const Unsigned all = bitsOf(value);
        const Unsigned number = (all + 0x7FFFU + (all >> 16 & 1U)) >> 16, quietNan = all >> 16 | 0x40U;
        return { static_cast<std::uint16_t>(value != value ? quietNan : number) };
    }
};

struct Float16 {
    std::uint16_t bits;
    [[nodiscard]] float widened() const
    {
        const Unsigned sign = (bits & 0x8000U) << 16, exponent = bits >> 10 & 0x1FU, mantissa = bits & 0x3FFU;
        const Unsigned small = bitsOf(static_cast<float>(static_cast<Int>(mantissa)) * 0x1p-24F);
        const Unsigned normal = (exponent + 112) << 23 | mantissa << 13, infinite = 0x7F800000U | mantissa << 13;
        return floatOf(sign | (exponent == 31 ? infinite : exponent == 0 ? small : normal));
    }
    static Float16 rounded(float value)
    {
        const Unsigned sign = bitsOf(value) >> 16 & 0x8000U, magnitude = bitsOf(value) & 0x7FFFFFFFU;
        // Below the smallest normal number: whole multiples of 2^-24. Adding 2^23 leaves no other bits.
        const Unsigned capped = magnitude < 0x38800000U ? magnitude : 0U;
        const float steps = floatOf(capped) * 0x1p24F + 0x1p23F;
        const Unsigned small = bitsOf(steps) & 0x7FFFFFU;
        const Unsigned normal = (magnitude - (112U << 23) + 0xFFFU + (magnitude >> 13 & 1U)) >> 13;
        const Unsigned nan = 0x7E00U | (magnitude >> 13 & 0x3FFU);
        const Unsigned finite = magnitude < 0x38800000U ? small : magnitude >= 0x47800000U ? 0x7C00U : normal;
        return { static_cast<std::uint16_t>(sign | (magnitude > 0x7F800000U ? nan : finite)) };
    }
};

template <class T>
constexpr bool isShort = std::is_same_v<T, Bfloat16> || std::is_same_v<T, Float16>;

template <class T>
auto widened(T value)
{
    if constexpr (isShort<T>)
        return value.widened();
    else
        return value;
}
template <class R, class T>
R rounded(T value)
{
    if constexpr (isShort<R> && sizeof(T) == sizeof(double)) {
        // To float with the last bit set where that is not exact, so that rounding again gives what rounding once does.
        float near = static_cast<float>(value);
        const double back = static_cast<double>(near);
        const Unsigned isLarger = __builtin_fabs(back) > __builtin_fabs(value) ? 1U : 0U;
        const Unsigned odd = (bitsOf(near) - isLarger) | 1U;
        return R::rounded(back == value || value != value ? near : floatOf(odd));
    } else if constexpr (isShort<R>)
        return R::rounded(value);
    else
        return static_cast<R>(value);
}

struct AbsOf {
    static float of(float a) { return __builtin_fabsf(a); }
    static double of(double a) { return __builtin_fabs(a); }
    static Int of(Int a) { return a < 0 ? static_cast<Int>(0u - static_cast<Unsigned>(a)) : a; }
};
struct NegateOf {
    static float of(float a) { return -a; }
    static double of(double a) { return -a; }
    static Int of(Int a) { return static_cast<Int>(0u - static_cast<Unsigned>(a)); }
};
struct SqrtOf {
    static float of(float a) { return __builtin_sqrtf(a); }
    static double of(double a) { return __builtin_sqrt(a); }
};
struct RsqrtOf {
    static float of(float a) { return 1.0F / __builtin_sqrtf(a); }
    static double of(double a) { return 1.0 / __builtin_sqrt(a); }
};
struct SignOf {
    static float of(float a) { return a > 0 ? 1.0F : a < 0 ? -1.0F : a; }
    static double of(double a) { return a > 0 ? 1.0 : a < 0 ? -1.0 : a; }
    static Int of(Int a) { return (a > 0) - (a < 0); }
};
struct ExponentialOf {
    static float of(float a) { return static_cast<float>(exponentialInDouble(static_cast<double>(a))); }
    static double of(double a) { return __builtin_exp(a); }
};
struct LogOf {
    static float of(float a) { return __builtin_logf(a); }
    static double of(double a) { return __builtin_log(a); }
};
struct LogisticOf {
    static float of(float a) { return static_cast<float>(1.0 / (1.0 + exponentialInDouble(-static_cast<double>(a)))); }
    static double of(double a) { return 1.0 / (1.0 + __builtin_exp(-a)); }
};
struct TanhOf {
    static float of(float a) { return static_cast<float>(tanhInDouble(static_cast<double>(a))); }
    static double of(double a) { return __builtin_tanh(a); }
};
struct SineOf {
    static float of(float a) { return __builtin_sinf(a); }
    static double of(double a) { return __builtin_sin(a); }
};
struct CosineOf {
    static float of(float a) { return __builtin_cosf(a); }
    static double of(double a) { return __builtin_cos(a); }
};
struct NotOf {
    static Int of(Int a) { return ~a; }
    static Pred of(Pred a) { return a == 0; }
};
struct SameOf {
    template <class T>
    static T of(T a)
    {
        return a;
    }
};

struct AddOf {
    static float of(float a, float b) { return a + b; }
    static double of(double a, double b) { return a + b; }
    static Int of(Int a, Int b) { return static_cast<Int>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)); }
    static Pred of(Pred a, Pred b) { return static_cast<Pred>(a | b); }
};
struct SubtractOf {
    static float of(float a, float b) { return a - b; }
    static double of(double a, double b) { return a - b; }
    static Int of(Int a, Int b) { return static_cast<Int>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b)); }
};
struct MultiplyOf {
    static float of(float a, float b) { return a * b; }
    static double of(double a, double b) { return a * b; }
    static Int of(Int a, Int b) { return static_cast<Int>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b)); }
    static Pred of(Pred a, Pred b) { return static_cast<Pred>(a & b); }
};
struct DivideOf {
    static float of(float a, float b) { return a / b; }
    static double of(double a, double b) { return a / b; }
    static Int of(Int a, Int b) { return b == 0 ? -1 : b == -1 ? NegateOf::of(a) : a / b; }
};
struct MaximumOf {
    template <class T>
    static T of(T a, T b)
    {
        return a > b || a != a ? a : b;
    }
};
struct MinimumOf {
    template <class T>
    static T of(T a, T b)
    {
        return a < b || a != a ? a : b;
    }
};
struct PowerOf {
    static float of(float a, float b) { return __builtin_powf(a, b); }
    static double of(double a, double b) { return __builtin_pow(a, b); }
    static Int of(Int a, Int b)
    {
        if (b < 0)
            return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : a == 0 ? -1 : 0;
        Unsigned base = static_cast<Unsigned>(a);
        Unsigned result = 1;
        for (Unsigned e = static_cast<Unsigned>(b); e != 0; e >>= 1) {
            result *= (e & 1) != 0 ? base : 1;
            base *= base;
        }
        return static_cast<Int>(result);
    }
};
struct AndOf {
    static Int of(Int a, Int b) { return a & b; }
    static Pred of(Pred a, Pred b) { return static_cast<Pred>(a & b); }
};
struct OrOf {
    static Int of(Int a, Int b) { return a | b; }
    static Pred of(Pred a, Pred b) { return static_cast<Pred>(a | b); }
};
struct EqualOf {
    template <class T>
    static Pred of(T a, T b)
    {
        return a == b;
    }
};
struct NotEqualOf {
    template <class T>
    static Pred of(T a, T b)
    {
        return a != b;
    }
};
struct LessOf {
    template <class T>
    static Pred of(T a, T b)
    {
        return a < b;
    }
};
struct LessEqualOf {
    template <class T>
    static Pred of(T a, T b)
    {
        return a <= b;
    }
};
struct GreaterOf {
    template <class T>
    static Pred of(T a, T b)
    {
        return a > b;
    }
};
struct GreaterEqualOf {
    template <class T>
    static Pred of(T a, T b)
    {
        return a >= b;
    }
};
struct ClampOf {
    template <class T>
    static T of(T low, T a, T high)
    {
        return MinimumOf::of(MaximumOf::of(low, a), high);
    }
};

template <class From, class To>
To converted(From a)
{
    if constexpr (std::is_same_v<To, Pred> && !std::is_same_v<From, Pred>)
        return a != From(0);
    else if constexpr (std::is_same_v<To, Int> && std::is_floating_point_v<From>) {
        // Out of range saturates, NaN is 0; the bounds are exact in both float types.
        if (a != a)
            return 0;
        if (a >= From(2147483648.0))
            return 2147483647;
        if (a < From(-2147483648.0))
            return -2147483647 - 1;
        return static_cast<Int>(a);
    } else
        return static_cast<To>(a);
}

template <class To, class From>
To convertedTo(From a)
{
    if constexpr (isShort<To> && (std::is_same_v<From, Int> || std::is_same_v<From, double>))
        return rounded<To>(static_cast<double>(a));
    else if constexpr (isShort<To>)
        return rounded<To>(static_cast<float>(widened(a)));
    else
        return converted<decltype(widened(a)), To>(widened(a));
}

template <class Op, class T, class R>
void unaryLoop(void* out, const void* a, const void*, const void*, std::int64_t n)
{
    R* result = static_cast<R*>(out);
    const T* x = static_cast<const T*>(a);
    SHARDSCOPE_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i)
        result[i] = rounded<R>(Op::of(widened(x[i])));
}

template <class From, class To>
void convertLoop(void* out, const void* a, const void*, const void*, std::int64_t n)
{
    To* result = static_cast<To*>(out);
    const From* x = static_cast<const From*>(a);
    SHARDSCOPE_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i)
        result[i] = convertedTo<To>(x[i]);
}

template <class Op, class T, class R, unsigned scalars>
void binaryLoop(void* out, const void* a, const void* b, const void*, std::int64_t n)
{
    R* result = static_cast<R*>(out);
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    const auto x0 = widened(x[0]);
    const auto y0 = widened(y[0]);
    SHARDSCOPE_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i)
        result[i] =
            rounded<R>(Op::of((scalars & 1) != 0 ? x0 : widened(x[i]), (scalars & 2) != 0 ? y0 : widened(y[i])));
}

template <class T, unsigned scalars>
void selectLoop(void* out, const void* a, const void* b, const void* c, std::int64_t n)
{
    T* result = static_cast<T*>(out);
    const Pred* p = static_cast<const Pred*>(a);
    const T* x = static_cast<const T*>(b);
    const T* y = static_cast<const T*>(c);
    const Pred p0 = p[0];
    const T x0 = x[0];
    const T y0 = y[0];
    SHARDSCOPE_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) {
        const T onTrue = (scalars & 2) != 0 ? x0 : x[i];
        const T onFalse = (scalars & 4) != 0 ? y0 : y[i];
        result[i] = ((scalars & 1) != 0 ? p0 : p[i]) != 0 ? onTrue : onFalse;
    }
}

template <class T, unsigned scalars>
void clampLoop(void* out, const void* a, const void* b, const void* c, std::int64_t n)
{
    T* result = static_cast<T*>(out);
    const T* low = static_cast<const T*>(a);
    const T* x = static_cast<const T*>(b);
    const T* high = static_cast<const T*>(c);
    const auto low0 = widened(low[0]);
    const auto x0 = widened(x[0]);
    const auto high0 = widened(high[0]);
    SHARDSCOPE_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i)
        result[i] = rounded<T>(ClampOf::of((scalars & 1) != 0 ? low0 : widened(low[i]),
            (scalars & 2) != 0 ? x0 : widened(x[i]), (scalars & 4) != 0 ? high0 : widened(high[i])));
}

template <class Op, class T, class R>
ElementwiseFunction binaryBy(unsigned scalars)
{
    switch (scalars & 3) {
    case 1:
        return &binaryLoop<Op, T, R, 1>;
    case 2:
        return &binaryLoop<Op, T, R, 2>;
    case 3:
        return &binaryLoop<Op, T, R, 3>;
    default:
        return &binaryLoop<Op, T, R, 0>;
    }
}

template <class T>
ElementwiseFunction selectBy(unsigned scalars)
{
    constexpr ElementwiseFunction functions[] = { &selectLoop<T, 0>, &selectLoop<T, 1>, &selectLoop<T, 2>,
        &selectLoop<T, 3>, &selectLoop<T, 4>, &selectLoop<T, 5>, &selectLoop<T, 6>, &selectLoop<T, 7> };
    return functions[scalars & 7];
}

template <class T>
ElementwiseFunction clampBy(unsigned scalars)
{
    constexpr ElementwiseFunction functions[] = { &clampLoop<T, 0>, &clampLoop<T, 1>, &clampLoop<T, 2>,
        &clampLoop<T, 3>, &clampLoop<T, 4>, &clampLoop<T, 5>, &clampLoop<T, 6>, &clampLoop<T, 7> };
    return functions[scalars & 7];
}

template <class T>
ElementwiseFunction compareBy(Comparison comparison, unsigned scalars)
{
    switch (comparison) {
    case Comparison::Equal:
        return binaryBy<EqualOf, T, Pred>(scalars);
    case Comparison::NotEqual:
        return binaryBy<NotEqualOf, T, Pred>(scalars);
    case Comparison::Less:
        return binaryBy<LessOf, T, Pred>(scalars);
    case Comparison::LessEqual:
        return binaryBy<LessEqualOf, T, Pred>(scalars);
    case Comparison::Greater:
        return binaryBy<GreaterOf, T, Pred>(scalars);
    case Comparison::GreaterEqual:
        return binaryBy<GreaterEqualOf, T, Pred>(scalars);
    }
    return nullptr;
}

template <class From>
ElementwiseFunction convertTo(DType to)
{
    switch (to) {
    case DType::Pred:
        return &convertLoop<From, Pred>;
    case DType::I32:
        return &convertLoop<From, Int>;
    case DType::BF16:
        return &convertLoop<From, Bfloat16>;
    case DType::F16:
        return &convertLoop<From, Float16>;
    case DType::F32:
        return &convertLoop<From, float>;
    case DType::F64:
        return &convertLoop<From, double>;
    default:
        return nullptr;
    }
}

template <class T>
ElementwiseFunction floatFunction(OpKind kind)
{
    switch (kind) {
    case OpKind::Exponential:
        return &unaryLoop<ExponentialOf, T, T>;
    case OpKind::Log:
        return &unaryLoop<LogOf, T, T>;
    case OpKind::Logistic:
        return &unaryLoop<LogisticOf, T, T>;
    case OpKind::Tanh:
        return &unaryLoop<TanhOf, T, T>;
    case OpKind::Sqrt:
        return &unaryLoop<SqrtOf, T, T>;
    case OpKind::Rsqrt:
        return &unaryLoop<RsqrtOf, T, T>;
    case OpKind::Sine:
        return &unaryLoop<SineOf, T, T>;
    case OpKind::Cosine:
        return &unaryLoop<CosineOf, T, T>;
    default:
        return nullptr;
    }
}

template <class T>
ElementwiseFunction numberFunction(OpKind kind, unsigned scalars)
{
    switch (kind) {
    case OpKind::Abs:
        return &unaryLoop<AbsOf, T, T>;
    case OpKind::Negate:
        return &unaryLoop<NegateOf, T, T>;
    case OpKind::Sign:
        return &unaryLoop<SignOf, T, T>;
    case OpKind::Subtract:
        return binaryBy<SubtractOf, T, T>(scalars);
    case OpKind::Divide:
        return binaryBy<DivideOf, T, T>(scalars);
    case OpKind::Power:
        return binaryBy<PowerOf, T, T>(scalars);
    case OpKind::Clamp:
        return clampBy<T>(scalars);
    default:
        return nullptr;
    }
}

template <class T>
ElementwiseFunction bitFunction(OpKind kind, unsigned scalars)
{
    switch (kind) {
    case OpKind::Not:
        return &unaryLoop<NotOf, T, T>;
    case OpKind::And:
        return binaryBy<AndOf, T, T>(scalars);
    case OpKind::Or:
        return binaryBy<OrOf, T, T>(scalars);
    default:
        return nullptr;
    }
}

template <class T>
ElementwiseFunction anyFunction(const ElementwiseKey& key)
{
    switch (key.kind) {
    case OpKind::ShardingConstraint:
        return &unaryLoop<SameOf, T, T>;
    case OpKind::Add:
        return binaryBy<AddOf, T, T>(key.scalars);
    case OpKind::Multiply:
        return binaryBy<MultiplyOf, T, T>(key.scalars);
    case OpKind::Maximum:
        return binaryBy<MaximumOf, T, T>(key.scalars);
    case OpKind::Minimum:
        return binaryBy<MinimumOf, T, T>(key.scalars);
    case OpKind::Select:
        return selectBy<T>(key.scalars);
    default:
        return nullptr;
    }
}

template <class T>
ElementwiseFunction typedFunction(const ElementwiseKey& key)
{
    if (key.kind == OpKind::Convert)
        return convertTo<T>(key.result);
    if (key.kind == OpKind::Compare)
        return key.result == DType::Pred ? compareBy<T>(key.comparison, key.scalars) : nullptr;
    if (key.operand != key.result)
        return nullptr;
    ElementwiseFunction function = anyFunction<T>(key);
    if constexpr (std::is_floating_point_v<T> || isShort<T>)
        function = function != nullptr ? function : floatFunction<T>(key.kind);
    if constexpr (!std::is_same_v<T, Pred>)
        function = function != nullptr ? function : numberFunction<T>(key.kind, key.scalars);
    if constexpr (std::is_integral_v<T>)
        function = function != nullptr ? function : bitFunction<T>(key.kind, key.scalars);
    return function;
}

ElementwiseFunction elementwiseFunction(const ElementwiseKey& key)
{
    switch (key.operand) {
    case DType::Pred:
        return typedFunction<Pred>(key);
    case DType::I32:
        return typedFunction<Int>(key);
    case DType::BF16:
        return typedFunction<Bfloat16>(key);
    case DType::F16:
        return typedFunction<Float16>(key);
    case DType::F32:
        return typedFunction<float>(key);
    case DType::F64:
        return typedFunction<double>(key);
    default:
        return nullptr;
    }
}

/// Each of `n` elements `times` times, 64 bytes at a time; the last of them may be written twice.
template <class T>
void repeatTyped(T* to, const T* from, std::int64_t n, std::int64_t times)
{
    using Part [[gnu::vector_size(64)]] = T;
    constexpr std::int64_t lanes = 64 / static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t i = 0; i < n; ++i, to += times) {
        const T element = from[i];
        if (times < lanes) {
            for (std::int64_t t = 0; t < times; ++t)
                to[t] = element;
            continue;
        }
        const Part part = Part{} + element;
        for (std::int64_t t = 0; t + lanes <= times; t += lanes)
            __builtin_memcpy(to + t, &part, sizeof part);
        __builtin_memcpy(to + times - lanes, &part, sizeof part);
    }
}

void repeatEach(void* out, const void* in, std::int64_t n, std::int64_t times, std::int64_t elementBytes)
{
    if (elementBytes == 4)
        repeatTyped(static_cast<std::uint32_t*>(out), static_cast<const std::uint32_t*>(in), n, times);
    else if (elementBytes == 8)
        repeatTyped(static_cast<std::uint64_t*>(out), static_cast<const std::uint64_t*>(in), n, times);
    else if (elementBytes == 2)
        repeatTyped(static_cast<std::uint16_t*>(out), static_cast<const std::uint16_t*>(in), n, times);
    else
        repeatTyped(static_cast<std::uint8_t*>(out), static_cast<const std::uint8_t*>(in), n, times);
}
