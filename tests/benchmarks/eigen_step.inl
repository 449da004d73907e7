// SPDX-License-Identifier: GPL-3.0-or-later
// Included by the translation units that differ in their compiler flags, with SHARDSCOPE_SPACE set to their namespace.
// Eigen's namespace is renamed per unit, so that the linker does not mix code made with different flags.
#define Eigen SHARDSCOPE_EIGEN
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

#include <atomic>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

#include "eigen_step.h"

namespace shardscope::bench::SHARDSCOPE_SPACE {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Index = Eigen::Index;

constexpr float beta1 = 0.9F, beta2 = 0.999F, epsilon = 1e-8F, learningRate = 1e-3F;

/// Runs a body on some threads at once; within it they can wait for each other. Waiting spins, nothing being faster,
/// but not for long between two jobs.
class Team {
public:
    explicit Team(int threads)
        : m_threads(threads)
    {
        for (int t = 1; t < threads; ++t)
            m_helpers.emplace_back([this, t] {
                for (unsigned job = 0;; ++job) {
                    wait([&] { return m_jobs.load(std::memory_order_acquire) != job; });
                    m_jobs.wait(job); // asleep while others are measured
                    if (m_stop.load())
                        return;
                    m_body(t);
                    m_done.fetch_add(1, std::memory_order_release);
                }
            });
    }
    ~Team()
    {
        m_stop.store(true);
        m_jobs.fetch_add(1);
        m_jobs.notify_all();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    [[nodiscard]] int threads() const { return m_threads; }
    void run(std::function<void(int)> body)
    {
        m_body = std::move(body);
        m_done.store(0);
        m_jobs.fetch_add(1, std::memory_order_release);
        m_jobs.notify_all();
        m_body(0);
        waitUntil([&] { return m_done.load(std::memory_order_acquire) == m_threads - 1; });
    }
    void barrier()
    {
        const unsigned round = m_round.load(std::memory_order_acquire);
        if (m_arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == m_threads) {
            m_arrived.store(0, std::memory_order_relaxed);
            m_round.fetch_add(1, std::memory_order_release);
        } else
            waitUntil([&] { return m_round.load(std::memory_order_acquire) != round; });
    }

private:
    template <class Condition>
    static void wait(const Condition& condition, int spins = 20000)
    {
        for (int spin = 0; spin < spins && !condition(); ++spin)
            __builtin_ia32_pause();
    }
    template <class Condition>
    static void waitUntil(const Condition& condition)
    {
        while (!condition()) {
            wait(condition);
            std::this_thread::yield();
        }
    }

    int m_threads;
    std::function<void(int)> m_body;
    std::atomic<unsigned> m_jobs{ 0 };
    std::atomic<unsigned> m_round{ 0 };
    std::atomic<int> m_arrived{ 0 }, m_done{ 0 };
    std::atomic<bool> m_stop{ false };
    std::vector<std::jthread> m_helpers;
};

struct Scales {
    float step, nu;
    explicit Scales(int count)
        : step(learningRate / (1 - std::pow(beta1, static_cast<float>(count))))
        , nu(1 / (1 - std::pow(beta2, static_cast<float>(count))))
    {
    }
};

/// Adam in blocks that stay in the cache, so that every array is read and written once.
void adam(float* p, float* m, float* v, const float* g, Index count, Scales scales)
{
    constexpr Index block = 2048;
    for (Index i = 0; i < count; i += block) {
        const Index n = std::min(block, count - i);
        using Array = Eigen::Map<Eigen::ArrayXf>;
        Array pa(p + i, n), ma(m + i, n), va(v + i, n);
        const Eigen::Map<const Eigen::ArrayXf> ga(g + i, n);
        ma = beta1 * ma + (1 - beta1) * ga;
        va = beta2 * va + (1 - beta2) * ga.square();
        pa -= scales.step * ma / ((va * scales.nu).sqrt() + epsilon);
    }
}

void fillWeights(Matrix& w, unsigned seed)
{
    unsigned state = seed * 2654435761U + 1;
    const float scale = std::sqrt(6.0F / static_cast<float>(w.rows() + w.cols()));
    for (Index i = 0; i < w.size(); ++i) {
        state = state * 1664525U + 1013904223U;
        w.data()[i] = scale * (static_cast<float>(state >> 8) / 8388608.0F - 1.0F);
    }
}

struct Parameter {
    Matrix p, m, v;
    Parameter(Index rows, Index columns, unsigned seed)
        : p(rows, columns)
        , m(Matrix::Zero(rows, columns))
        , v(Matrix::Zero(rows, columns))
    {
        fillWeights(p, seed);
    }
};

class EigenStep final : public PlainStep {
public:
    EigenStep(const StepSize& size, int threads)
        : m_size(size)
        , m_team(threads)
    {
        const Index d = size.width;
        for (Index i = 0; i < 2 * size.layers; ++i)
            m_parameters.emplace_back(d, d, static_cast<unsigned>(i));
        m_inputs.assign(static_cast<std::size_t>(2 * size.layers + 1), Matrix::Ones(size.batch, d));
        m_gradients.assign(static_cast<std::size_t>(threads), Matrix::Zero(d / threads, d));
        m_cotangents.assign(2, Matrix::Zero(size.batch, d));
    }

    float step() override
    {
        ++m_count;
        m_team.run([this](int thread) { work(thread); });
        return m_inputs.back().sum();
    }

private:
    void work(int thread)
    {
        const Index part = m_size.width / m_team.threads();
        const Index begin = part * thread;
        const std::size_t count = m_parameters.size();
        for (std::size_t i = 0; i < count; ++i) {
            auto out = m_inputs[i + 1].middleCols(begin, part);
            out.noalias() = m_inputs[i] * m_parameters[i].p.middleCols(begin, part);
            if (i % 2 == 0)
                out = out.cwiseMax(0.0F);
            m_team.barrier();
        }
        if (thread == 0)
            m_cotangents[count % 2].setOnes();
        m_team.barrier();
        const Scales scales(m_count);
        Matrix& gradient = m_gradients[static_cast<std::size_t>(thread)];
        for (std::size_t i = count; i-- > 0;) {
            Parameter& w = m_parameters[i];
            const Matrix& dy = m_cotangents[(i + 1) % 2];
            if (i > 0) {
                auto dx = m_cotangents[i % 2].middleCols(begin, part);
                dx.noalias() = dy * w.p.middleRows(begin, part).transpose();
                if (i % 2 == 1)
                    dx = (m_inputs[i].middleCols(begin, part).array() > 0.0F).select(dx, 0.0F);
            }
            gradient.noalias() = m_inputs[i].middleCols(begin, part).transpose() * dy;
            const Index first = begin * m_size.width;
            adam(w.p.data() + first, w.m.data() + first, w.v.data() + first, gradient.data(), gradient.size(), scales);
            m_team.barrier();
        }
    }

    StepSize m_size;
    int m_count = 0;
    std::vector<Parameter> m_parameters;
    std::vector<Matrix> m_inputs; ///< of each product; the last one is the output
    std::vector<Matrix> m_gradients; ///< one per thread, its rows
    std::vector<Matrix> m_cotangents;
    Team m_team;
};

class DeviceLoopStep final : public PlainStep {
public:
    DeviceLoopStep(const StepSize& size, int threads)
        : m_size(size)
        , m_team(threads)
    {
        const Index d = size.width;
        for (int device = 0; device < devices; ++device) {
            Device& one = m_devices.emplace_back();
            for (Index i = 0; i < 2 * size.layers; ++i) {
                one.parameters.emplace_back(i % 2 == 0 ? d : d / model, i % 2 == 0 ? d / model : d,
                    static_cast<unsigned>(i * model + device % model));
                one.gradients.push_back(Matrix::Zero(one.parameters.back().p.rows(), one.parameters.back().p.cols()));
            }
            one.inputs.assign(static_cast<std::size_t>(2 * size.layers + 1), Matrix::Ones(size.batch / data, d));
        }
    }

    float step() override
    {
        ++m_count;
        const std::size_t count = m_devices[0].parameters.size();
        for (std::size_t i = 0; i < count; ++i) {
            eachDevice([i](Device& device) {
                device.inputs[i + 1].noalias() = device.inputs[i] * device.parameters[i].p;
                if (i % 2 == 0)
                    device.inputs[i + 1] = device.inputs[i + 1].cwiseMax(0.0F);
            });
            if (i % 2 == 1)
                addOverModel([i](Device& device) -> Matrix& { return device.inputs[i + 1]; });
        }
        eachDevice([](Device& device) {
            device.cotangent = Matrix::Ones(device.inputs.back().rows(), device.inputs.back().cols());
        });
        for (std::size_t i = count; i-- > 0;) {
            eachDevice([i](Device& device) {
                device.gradients[i].noalias() = device.inputs[i].transpose() * device.cotangent;
                if (i > 0)
                    device.cotangent = (device.cotangent * device.parameters[i].p.transpose()).eval();
                if (i % 2 == 1)
                    device.cotangent = (device.inputs[i].array() > 0.0F).select(device.cotangent, 0.0F);
            });
            if (i % 2 == 0 && i > 0)
                addOverModel([](Device& device) -> Matrix& { return device.cotangent; });
        }
        for (std::size_t i = 0; i < count; ++i)
            addOverData([i](Device& device) -> Matrix& { return device.gradients[i]; });
        const Scales scales(m_count);
        eachDevice([&](Device& device) {
            for (std::size_t i = 0; i < count; ++i) {
                auto p = device.parameters[i].p.array();
                auto m = device.parameters[i].m.array();
                auto v = device.parameters[i].v.array();
                const auto g = device.gradients[i].array();
                m = beta1 * m + (1 - beta1) * g;
                v = beta2 * v + (1 - beta2) * g.square();
                p -= scales.step * m / ((v * scales.nu).sqrt() + epsilon);
            }
        });
        return m_devices[0].inputs.back().sum() + m_devices[model].inputs.back().sum();
    }

private:
    static constexpr int data = 2, model = 4, devices = data * model;
    struct Device {
        std::vector<Parameter> parameters;
        std::vector<Matrix> gradients;
        std::vector<Matrix> inputs;
        Matrix cotangent;
    };

    template <class F>
    void eachDevice(const F& f)
    {
        m_team.run([&](int thread) {
            for (int device = thread; device < devices; device += m_team.threads())
                f(m_devices[static_cast<std::size_t>(device)]);
        });
    }
    template <class Get>
    void addGroup(int first, int stride, int size, const Get& get)
    {
        Matrix sum = get(m_devices[static_cast<std::size_t>(first)]);
        for (int member = 1; member < size; ++member)
            sum += get(m_devices[static_cast<std::size_t>(first + member * stride)]);
        for (int member = 0; member < size; ++member)
            get(m_devices[static_cast<std::size_t>(first + member * stride)]) = sum;
    }
    template <class Get>
    void addOverModel(const Get& get)
    {
        m_team.run([&](int thread) {
            for (int row = thread; row < data; row += m_team.threads())
                addGroup(row * model, 1, model, get);
        });
    }
    template <class Get>
    void addOverData(const Get& get)
    {
        m_team.run([&](int thread) {
            for (int column = thread; column < model; column += m_team.threads())
                addGroup(column, model, data, get);
        });
    }

    StepSize m_size;
    int m_count = 0;
    std::vector<Device> m_devices;
    Team m_team;
};

class FloorStep final : public PlainStep {
public:
    FloorStep(const StepSize& size, int copies, int threads)
        : m_threads(threads)
        , m_team(threads)
    {
        for (int copy = 0; copy < copies; ++copy)
            for (Index i = 0; i < 2 * size.layers; ++i)
                m_parameters.emplace_back(size.width, size.width, static_cast<unsigned>(i));
        m_sums.assign(static_cast<std::size_t>(threads) * 16, 0);
    }

    float step() override
    {
        const Scales scales(++m_count);
        m_team.run([&](int thread) {
            for (const Parameter& w : m_parameters) {
                const Index part = w.p.size() / m_threads;
                m_sums[static_cast<std::size_t>(thread) * 16] +=
                    Eigen::Map<const Eigen::ArrayXf>(w.p.data() + part * thread, part).sum();
            }
            for (Parameter& w : m_parameters) {
                const Index part = w.p.size() / m_threads;
                stream(
                    w.p.data() + part * thread, w.m.data() + part * thread, w.v.data() + part * thread, part, scales);
            }
        });
        return m_sums[0];
    }

private:
    static void stream(float* __restrict p, float* __restrict m, float* __restrict v, Index count, Scales scales)
    {
        constexpr Index line = 16, ahead = 512;
        const float g = 1e-3F;
        for (Index i = 0; i + line <= count; i += line) {
            __builtin_prefetch(p + i + ahead, 1, 2);
            __builtin_prefetch(m + i + ahead, 1, 2);
            __builtin_prefetch(v + i + ahead, 1, 2);
            for (Index j = i; j < i + line; ++j) {
                const float mu = beta1 * m[j] + (1 - beta1) * g;
                const float nu = beta2 * v[j] + (1 - beta2) * g * g;
                m[j] = mu;
                v[j] = nu;
                p[j] -= scales.step * mu / (__builtin_sqrtf(nu * scales.nu) + epsilon);
            }
        }
    }

    int m_threads;
    int m_count = 0;
    std::vector<Parameter> m_parameters;
    std::vector<float> m_sums;
    Team m_team;
};

class PeakStep final : public PlainStep {
public:
    explicit PeakStep(int threads)
        : m_team(threads)
    {
        m_sums.assign(static_cast<std::size_t>(threads) * 16, 0);
    }

    float step() override
    {
        m_team.run([this](int thread) { m_sums[static_cast<std::size_t>(thread) * 16] = chains(); });
        return m_sums[0];
    }

private:
    static float chains()
    {
        using Packet = Eigen::internal::packet_traits<float>::type;
        constexpr int width = Eigen::internal::packet_traits<float>::size, count = 12;
        constexpr auto rounds = static_cast<int>(peakFlops / (2.0 * count * width));
        volatile float unknown = 0.5F;
        const float start = unknown; // nothing can be computed beforehand
        const Packet factor = Eigen::internal::pset1<Packet>(start), addend = Eigen::internal::pset1<Packet>(start + 1);
        Packet sums[count];
        for (Packet& sum : sums)
            sum = addend;
        for (int round = 0; round < rounds; ++round)
#pragma GCC unroll 12
            for (int i = 0; i < count; ++i)
                sums[i] = Eigen::internal::pmadd(sums[i], factor, addend);
        float all = 0;
        for (const Packet& sum : sums)
            all += Eigen::internal::predux(sum);
        return all;
    }

    std::vector<float> m_sums;
    Team m_team;
};

class EigenProduct final : public PlainStep {
public:
    EigenProduct(Index size, int threads)
        : m_left(size, size)
        , m_right(size, size)
        , m_out(Matrix::Zero(size, size))
        , m_team(threads)
    {
        fillWeights(m_left, 1);
        fillWeights(m_right, 2);
    }

    float step() override
    {
        m_team.run([this](int thread) {
            const Index part = m_left.rows() / m_team.threads(), begin = part * thread;
            m_out.middleRows(begin, part).noalias() = m_left.middleRows(begin, part) * m_right;
        });
        return m_out(0, 0);
    }

private:
    Matrix m_left, m_right, m_out;
    Team m_team;
};

} // namespace

std::unique_ptr<PlainStep> peakStep(int threads)
{
    return std::make_unique<PeakStep>(threads);
}

std::unique_ptr<PlainStep> eigenProduct(std::int64_t size, int threads)
{
    return std::make_unique<EigenProduct>(size, threads);
}

std::unique_ptr<PlainStep> eigenStep(const StepSize& size, int threads)
{
    return std::make_unique<EigenStep>(size, threads);
}

std::unique_ptr<PlainStep> deviceLoopStep(const StepSize& size, int threads)
{
    return std::make_unique<DeviceLoopStep>(size, threads);
}

std::unique_ptr<PlainStep> floorStep(const StepSize& size, int copies, int threads)
{
    return std::make_unique<FloorStep>(size, copies, threads);
}

} // namespace shardscope::bench::SHARDSCOPE_SPACE
