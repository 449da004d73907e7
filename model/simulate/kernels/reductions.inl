// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions of neighbouring elements to one.

template <class L>
void sumRow(void* out, const void* in, std::int64_t n)
{
    using T = typename L::Scalar;
    const T* x = static_cast<const T*>(in);
    constexpr std::int64_t step = L::width * L::registersPerSum;
    typename L::Register sums[count(L::registersPerSum)];
    for (int w = 0; w < L::registersPerSum; ++w)
        sums[w] = L::zero();
    std::int64_t i = 0;
    for (; i + step <= n; i += step)
        for (int w = 0; w < L::registersPerSum; ++w)
            sums[w] = L::add(sums[w], L::load(x + i + w * L::width));
    T sum = L::sum(sums);
    for (; i < n; ++i)
        sum = AddOf::of(sum, x[i]);
    *static_cast<T*>(out) = sum;
}

template <class Op, class T>
void reduceRow(void* out, const void* in, std::int64_t n)
{
    const T* x = static_cast<const T*>(in);
    T result = x[0];
    for (std::int64_t i = 1; i < n; ++i)
        result = Op::of(result, x[i]);
    *static_cast<T*>(out) = result;
}

/// The largest (smallest) element by 64 bytes of partial results: in any order it is the same one, if not with the same
/// sign of zero.
template <bool isLargest, class T>
void extremeOfRow(void* out, const void* in, std::int64_t n)
{
    using Op = std::conditional_t<isLargest, MaximumOf, MinimumOf>;
    using Part [[gnu::vector_size(64)]] = T;
    constexpr std::int64_t lanes = 64 / static_cast<std::int64_t>(sizeof(T));
    const T* x = static_cast<const T*>(in);
    if (n < 2 * lanes)
        return reduceRow<Op, T>(out, in, n);
    const auto take = [](auto& part, const auto& next) {
        if constexpr (isLargest)
            part = ((part > next) | (part != part)) ? part : next;
        else
            part = ((part < next) | (part != part)) ? part : next;
    };
    Part part;
    __builtin_memcpy(&part, x, sizeof part);
    std::int64_t i = lanes;
    for (; i + lanes <= n; i += lanes) {
        Part next;
        __builtin_memcpy(&next, x + i, sizeof next);
        take(part, next);
    }
    using Half [[gnu::vector_size(32)]] = T;
    using Quarter [[gnu::vector_size(16)]] = T;
    Half halves[2];
    __builtin_memcpy(halves, &part, sizeof part);
    take(halves[0], halves[1]);
    Quarter quarters[2];
    __builtin_memcpy(quarters, &halves[0], sizeof halves[0]);
    take(quarters[0], quarters[1]);
    T results[16 / sizeof(T)];
    __builtin_memcpy(results, &quarters[0], sizeof results);
    for (std::int64_t half = lanes / 8; half > 0; half /= 2)
        for (std::int64_t l = 0; l < half; ++l)
            results[l] = Op::of(results[l], results[l + half]);
    for (; i < n; ++i)
        results[0] = Op::of(results[0], x[i]);
    *static_cast<T*>(out) = results[0];
}

template <class T>
RowReduction rowReductionOf(ReduceKind kind)
{
    switch (kind) {
    case ReduceKind::Sum:
        return &reduceRow<AddOf, T>;
    case ReduceKind::Max:
        if constexpr (std::is_floating_point_v<T>)
            return &extremeOfRow<true, T>;
        else
            return &reduceRow<MaximumOf, T>;
    case ReduceKind::Min:
        if constexpr (std::is_floating_point_v<T>)
            return &extremeOfRow<false, T>;
        else
            return &reduceRow<MinimumOf, T>;
    case ReduceKind::Product:
        return &reduceRow<MultiplyOf, T>;
    case ReduceKind::And:
        if constexpr (std::is_integral_v<T>)
            return &reduceRow<AndOf, T>;
        return nullptr;
    case ReduceKind::Or:
        if constexpr (std::is_integral_v<T>)
            return &reduceRow<OrOf, T>;
        return nullptr;
    }
    return nullptr;
}

RowReduction rowReductionFunction(const ReduceKey& key)
{
    switch (key.dtype) {
    case DType::Pred:
        return rowReductionOf<Pred>(key.kind);
    case DType::I32:
        return rowReductionOf<Int>(key.kind);
    case DType::F32:
        return key.kind == ReduceKind::Sum ? &sumRow<F32Lanes> : rowReductionOf<float>(key.kind);
    case DType::F64:
        return key.kind == ReduceKind::Sum ? &sumRow<F64Lanes> : rowReductionOf<double>(key.kind);
    default:
        return nullptr;
    }
}

KernelSet makeSet(InstructionSet set)
{
    return { set, &elementwiseFunction, &rowReductionFunction, &repeatEach, Products<F32Lanes>::functions(),
        Products<F64Lanes>::functions(), Products<ScalarLanes<std::int32_t>>::functions(),
        { &adamLoop<F32Lanes>, &adamOfProducts<F32Lanes> }, { &adamLoop<F64Lanes>, &adamOfProducts<F64Lanes> } };
}
