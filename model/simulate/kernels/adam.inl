// SPDX-License-Identifier: GPL-3.0-or-later
// Adam's update in one pass. Every operation is rounded on its own, as in the separate instructions.

template <class L>
class AdamUpdate {
public:
    using T = typename L::Scalar;
    using Register = typename L::Register;

    explicit AdamUpdate(const AdamOperands<T>& operands)
        : m_operands(operands)
    {
    }
    /// What is beyond the arrays may belong to another core, which would have to fetch it back.
    [[gnu::always_inline]] void prefetch(std::int64_t i, std::int64_t end) const
    {
        i = i < end ? i : end - 1;
        prefetchNear(m_operands.mu + i);
        prefetchNear(m_operands.nu + i);
        prefetchNear(m_operands.parameter + i);
    }
    /// A register from element i on, by functions that load and store it.
    template <class Load, class Store>
    [[gnu::always_inline]] void several(std::int64_t i, const Register& g, const Load& load, const Store& store) const
    {
        const AdamOperands<T>& o = m_operands;
        Register oldMu, oldNu, p;
        load(oldMu, o.mu + i);
        load(oldNu, o.nu + i);
        load(p, o.parameter + i);
        const Register mu = L::add(L::multiply(oldMu, m_muDecay), L::multiply(g, m_muGain));
        const Register nu = L::add(L::multiply(oldNu, m_nuDecay), L::multiply(L::multiply(g, g), m_nuGain));
        const Register divisor = L::add(L::squareRoot(L::multiply(nu, m_scale)), m_epsilon);
        store(o.newMu + i, mu);
        store(o.newNu + i, nu);
        store(o.newParameter + i, L::add(p, L::divide(L::multiply(mu, m_step), divisor)));
    }
    [[gnu::always_inline]] void full(std::int64_t i, const Register& g) const
    {
        several(
            i, g, [](Register& to, const T* from) { to = L::load(from); },
            [](T* to, const Register& value) { L::store(to, value); });
    }
    [[gnu::always_inline]] void one(std::int64_t i, T g) const
    {
        const AdamOperands<T>& o = m_operands;
        const T oldMu = o.mu[i], oldNu = o.nu[i], p = o.parameter[i];
        const T mu = oldMu * o.muDecay + g * o.muGain;
        const T nu = oldNu * o.nuDecay + (g * g) * o.nuGain;
        o.newMu[i] = mu;
        o.newNu[i] = nu;
        o.newParameter[i] = p + (mu * o.step) / (SqrtOf::of(nu * o.scale) + o.epsilon);
    }

private:
    const AdamOperands<T> m_operands;
    const Register m_muDecay = L::broadcast(m_operands.muDecay), m_muGain = L::broadcast(m_operands.muGain);
    const Register m_nuDecay = L::broadcast(m_operands.nuDecay), m_nuGain = L::broadcast(m_operands.nuGain);
    const Register m_scale = L::broadcast(m_operands.scale), m_epsilon = L::broadcast(m_operands.epsilon);
    const Register m_step = L::broadcast(m_operands.step);
};

template <class L>
void adamLoop(const AdamOperands<typename L::Scalar>& o, std::int64_t n)
{
    using T = typename L::Scalar;
    constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
    constexpr std::int64_t ahead = 2048 / static_cast<std::int64_t>(sizeof(T)); // elements, that are prefetched
    const AdamUpdate<L> update(o);
    std::int64_t i = 0;
    for (; i + line <= n; i += line) {
        const std::int64_t next = i + ahead, end = n + o.following;
        if (!o.gradientIsCached)
            prefetchNear(o.gradient + (next < end ? next : end - 1));
        update.prefetch(next, end);
#pragma GCC unroll 8
        for (std::int64_t j = 0; j < line; j += L::width)
            update.full(i + j, L::load(o.gradient + i + j));
    }
    for (; i + L::width <= n; i += L::width)
        update.full(i, L::load(o.gradient + i));
    for (; i < n; ++i)
        update.one(i, o.gradient[i]);
}

/// Takes the gradient as its registers are computed: the divisions of one update go on beside the next ones' products.
template <class L>
struct AdamOfGradient {
    using T = typename L::Scalar;
    using Register = typename L::Register;

    AdamUpdate<L> update;
    std::int64_t columns;
    std::int64_t ahead; ///< elements
    std::int64_t end; ///< of the arrays

    [[gnu::always_inline]] void full(std::int64_t row, std::int64_t column, const Register& g) const
    {
        const std::int64_t i = row * columns + column;
        update.prefetch(i + ahead, end);
        update.full(i, g);
    }
    template <class Part>
    [[gnu::always_inline]] void part(std::int64_t row, std::int64_t column, const Register& g, Part lanes) const
    {
        update.several(
            row * columns + column, g, [lanes](Register& to, const T* from) { to = L::loadPart(from, lanes); },
            [lanes](T* to, const Register& value) { L::storePart(to, value, lanes); });
    }
    [[gnu::always_inline]] void one(std::int64_t row, std::int64_t column, T g) const
    {
        update.one(row * columns + column, g);
    }
};

template <class L>
void adamOfProducts(const AdamOperands<typename L::Scalar>& o, const FewTermsOperands<typename L::Scalar>* of,
    std::int64_t products, std::int64_t m, std::int64_t n, std::int64_t k)
{
    // What is needed next stands in the four rows after these; in long rows, further on in the same ones.
    constexpr std::int64_t longRow = 4096, furtherOn = 512; // elements
    const AdamOfGradient<L> target{ AdamUpdate<L>(o), n, n <= longRow ? 4 * n : furtherOn, m * n + o.following };
    if (products == 1)
        Products<L>::template allRowsOf<1>(of, m, n, k, target);
    else
        Products<L>::template allRowsOf<2>(of, m, n, k, target);
}
