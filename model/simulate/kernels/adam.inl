// SPDX-License-Identifier: GPL-3.0-or-later
// Adam's update in one pass. Every operation is rounded on its own, as in the separate instructions.

template <class L>
void adamLoop(const AdamOperands<typename L::Scalar>& o, std::int64_t n)
{
    using T = typename L::Scalar;
    using Register = typename L::Register;
    constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
    constexpr std::int64_t ahead = 2048 / static_cast<std::int64_t>(sizeof(T)); // elements, that are prefetched
    const Register muDecay = L::broadcast(o.muDecay), muGain = L::broadcast(o.muGain);
    const Register nuDecay = L::broadcast(o.nuDecay), nuGain = L::broadcast(o.nuGain);
    const Register scale = L::broadcast(o.scale), epsilon = L::broadcast(o.epsilon), step = L::broadcast(o.step);
    const auto update = [&](std::int64_t i) {
        const Register g = L::load(o.gradient + i);
        const Register oldMu = L::load(o.mu + i);
        const Register oldNu = L::load(o.nu + i);
        const Register p = L::load(o.parameter + i);
        const Register mu = L::add(L::multiply(oldMu, muDecay), L::multiply(g, muGain));
        const Register nu = L::add(L::multiply(oldNu, nuDecay), L::multiply(L::multiply(g, g), nuGain));
        const Register divisor = L::add(L::squareRoot(L::multiply(nu, scale)), epsilon);
        L::store(o.newMu + i, mu);
        L::store(o.newNu + i, nu);
        L::store(o.newParameter + i, L::add(p, L::divide(L::multiply(mu, step), divisor)));
    };
    std::int64_t i = 0;
    for (; i + line <= n; i += line) {
        if (!o.gradientIsCached)
            prefetchNear(o.gradient + i + ahead);
        prefetchNear(o.mu + i + ahead);
        prefetchNear(o.nu + i + ahead);
        prefetchNear(o.parameter + i + ahead);
#pragma GCC unroll 8
        for (std::int64_t j = 0; j < line; j += L::width)
            update(i + j);
    }
    for (; i + L::width <= n; i += L::width)
        update(i);
    for (; i < n; ++i) {
        const T g = o.gradient[i], oldMu = o.mu[i], oldNu = o.nu[i], p = o.parameter[i];
        const T mu = oldMu * o.muDecay + g * o.muGain;
        const T nu = oldNu * o.nuDecay + (g * g) * o.nuGain;
        o.newMu[i] = mu;
        o.newNu[i] = nu;
        o.newParameter[i] = p + (mu * o.step) / (SqrtOf::of(nu * o.scale) + o.epsilon);
    }
}
