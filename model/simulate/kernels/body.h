// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies of reductions, sorts, scattered updates and maps: functions of scalars, translated once into a list of
// elementwise steps, then applied to single elements or to runs of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "program/program.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/elementwise.h"

namespace shardscope::kernels {

class Body {
public:
    /// Nothing where the body holds an operation that is not elementwise; `refused` is set to it, then.
    static std::optional<Body> translate(
        const Program& program, RegionId region, std::optional<OperationId>* refused = nullptr);
    /// Of one binary operation, as the attribute of a reduction says it.
    static Body ofKind(ReduceKind kind, std::span<const DType> types);

    struct Register {
        DType dtype = DType::F32;
        std::vector<std::byte> constant; ///< empty where it is computed, given or read from outside
    };
    struct Step {
        ElementKernel kernel;
        std::array<std::uint32_t, 3> operands{};
        std::uint32_t result = 0;
    };
    std::vector<Register> registers; ///< arguments first
    std::vector<Step> steps;
    std::vector<std::uint32_t> results;
    std::vector<std::pair<ValueId, std::uint32_t>> outside; ///< scalars that it reads from around itself
    std::size_t arguments = 0;
};

/// A body about to be applied, with its scratch memory.
class BodyRun {
public:
    /// The body is known to be translatable: the program was found executable.
    BodyRun(const Call& call, RegionId region);
    explicit BodyRun(Body body);

    /// results[r][i] = body(arguments[0][i], arguments[1][i], ...) for i < count. Results may stand where arguments
    /// stand.
    void run(std::span<const std::byte* const> arguments, std::span<std::byte* const> results, std::int64_t count);
    [[nodiscard]] const Body& body() const { return m_body; }

private:
    void prepare();

    static constexpr std::int64_t partLength = 256;
    Body m_body;
    std::vector<std::vector<std::byte>> m_memory; ///< by register
    std::vector<const std::byte*> m_places; ///< by register
    bool m_single = false; ///< one step from arguments to the result
};

} // namespace shardscope::kernels
