// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of kernels share: all instruction sets of this machine, buffers with misaligned starts, random numbers,
// and a single operation by its plain kernel.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "program/op_row.h"
#include "simulate/check/compare.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/element.h"
#include "simulate/kernels/kernel_set.h"

namespace shardscope::test {

inline std::vector<InstructionSet> availableSets()
{
    std::vector<InstructionSet> sets;
    for (const InstructionSet set : { InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512 })
        if (isAvailable(set))
            sets.push_back(set);
    return sets;
}

inline constexpr DType computed[] = { DType::Pred, DType::I32, DType::F32, DType::F64 };

/// A buffer that begins `shift` elements behind a cache line.
struct Buffer {
    DType dtype;
    std::int64_t shift;
    std::vector<std::byte> storage;

    Buffer(DType type, std::int64_t elements, std::int64_t from)
        : dtype(type)
        , shift(from)
        , storage(static_cast<std::size_t>((elements + from + 32) * 8 + 64))
    {
    }
    std::byte* data()
    {
        const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
        return storage.data() + (64 - address % 64) + shift * byteSize(dtype);
    }
    double at(std::int64_t i) { return loadElement(dtype, data(), i); }
    void set(std::int64_t i, double x) { storeElement(dtype, data(), i, x); }
};

inline double drawn(std::mt19937& random, DType dtype)
{
    if (dtype == DType::Pred)
        return static_cast<double>(random() % 2);
    if (dtype == DType::I32)
        return static_cast<double>(static_cast<std::int32_t>(random() % 201) - 100);
    const double x = std::uniform_real_distribution<double>(-2, 2)(random);
    if (dtype == DType::F64)
        return x;
    std::array<std::byte, 8> rounded{};
    storeElement(dtype, rounded.data(), 0, x);
    return loadElement(dtype, rounded.data(), 0);
}

inline void fillRandom(Buffer& buffer, std::int64_t elements, std::mt19937& random)
{
    for (std::int64_t i = 0; i < elements; ++i)
        buffer.set(i, drawn(random, buffer.dtype));
}

/// A program of one operation, so that its plain kernel can say what is right.
struct OneOperation {
    Program program;
    const Operation& operation() const { return program.operations.back(); }
    std::vector<double> evaluate(const std::vector<std::vector<double>>& operands) const
    {
        kernels::Arrays arrays;
        for (std::size_t o = 0; o < operands.size(); ++o) {
            kernels::Array& array =
                arrays.emplace_back(kernels::Array::make(program.value(operation().operands[o]).type));
            for (std::int64_t i = 0; i < array.count(); ++i)
                storeElement(array.type.dtype, array.data(), i, operands[o][static_cast<std::size_t>(i)]);
        }
        const kernels::Evaluate kernel = kernels::evaluator(operation().kind);
        const kernels::Call call{ program, operation(), arrays, nullptr };
        const kernels::Array result = (kernel ? kernel(call) : kernels::evaluateElementwise(call))[0];
        std::vector<double> out;
        for (std::int64_t i = 0; i < result.count(); ++i)
            out.push_back(kernels::numberAt(result, i));
        return out;
    }
};

inline OneOperation oneOperation(
    OpKind kind, const std::vector<TensorType>& operands, const TensorType& result, const Attributes& attributes)
{
    OneOperation one;
    Operation operation;
    operation.kind = kind;
    operation.attributes = attributes;
    for (const TensorType& type : operands) {
        operation.operands.push_back(ValueId(one.program.values.size()));
        one.program.values.push_back({ type, {}, 0, Role::Temporary, {}, {} });
    }
    operation.results.push_back(ValueId(one.program.values.size()));
    one.program.values.push_back({ result, OperationId(0), 0, Role::Temporary, {}, {} });
    one.program.operations.push_back(operation);
    return one;
}

} // namespace shardscope::test
