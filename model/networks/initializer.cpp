// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/initializer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string_view>
#include <utility>

#include "base/codes.h"
#include "networks/random_bits.h"

namespace shardscope {

namespace {

using InitialKind = InitialValue::Kind;

class InitializerBuilder {
public:
    InitializerBuilder(const Program& step, std::span<const ChosenInitial> initial)
        : m_step(step)
        , m_initial(initial)
        , b("init")
    {
    }

    Result<Program> build()
    {
        const ValueId key = b.argument({ DType::U32, { 2 } }, "key", Role::Input, { "words" }, DeviceAxes{});
        b.setScope("key");
        m_key = { word(key, 0), word(key, 1) };
        const std::vector<ValueId>& arguments = m_step.main().arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const Value& value = m_step.value(arguments[i]);
            if (value.role == Role::Input)
                continue;
            const std::string path = value.path;
            b.setScope(path);
            SHARDSCOPE_TRY(made, arrayOf(i, value, path));
            b.result(b.named(*made, path, value.role, value.dimNames), m_step.argumentAnnotations[i]);
        }
        return std::move(b).finish();
    }

private:
    ValueId word(ValueId key, std::int64_t number) { return b.reshape(b.slice(key, { number }, { number + 1 }), {}); }

    static DType drawnIn(DType dtype) { return dtype == DType::F64 ? DType::F64 : DType::F32; }
    ValueId inType(ValueId value, DType dtype)
    {
        return b.type(value).dtype == dtype ? value : b.convert(value, dtype);
    }

    Result<ValueId> arrayOf(std::size_t number, const Value& value, const std::string& path)
    {
        constexpr std::string_view masters = "opt/master/";
        const auto choice = choiceFor(m_initial, number, path, value.type.dtype);
        if (!choice && value.role == Role::Master && path.starts_with(masters))
            if (const auto of = m_unrounded.find("params/" + path.substr(masters.size())); of != m_unrounded.end())
                return inType(of->second, value.type.dtype);
        InitialValue start;
        if (choice) {
            start = m_initial[*choice].value;
        } else if (value.role == Role::Parameter) {
            start.kind = InitialKind::Normal;
            start.low = deviationOf(value.type.shape);
        }
        SHARDSCOPE_TRY(made, drawn(start, value.type));
        if (value.role == Role::Parameter)
            m_unrounded.emplace(path, *made);
        return inType(*made, value.type.dtype);
    }

    static double deviationOf(const Shape& shape)
    {
        double fans = 0;
        for (std::size_t d = shape.size() - std::min<std::size_t>(shape.size(), 2); d < shape.size(); ++d)
            fans += static_cast<double>(shape[d]);
        return std::sqrt(2 / std::max(fans, 1.0));
    }

    /// Perhaps not rounded to the type yet.
    Result<ValueId> drawn(const InitialValue& start, const TensorType& type)
    {
        switch (start.kind) {
        case InitialKind::Zeros:
            return b.constant(type, 0);
        case InitialKind::Ones:
            return b.constant(type, 1);
        case InitialKind::Constant:
            return b.constant(type, start.low);
        case InitialKind::Normal: {
            const ValueId quantile = b.unary(OpKind::ChloErfInv, uniform(type));
            return times(quantile, std::numbers::sqrt2 * start.low);
        }
        case InitialKind::Uniform: {
            const ValueId scaled = times(uniform(type), (start.high - start.low) / 2);
            return b.binary(OpKind::Add, scaled, b.constant(b.type(scaled), (start.high + start.low) / 2));
        }
        default:
            return fail(Code::InvalidAttribute, { { "op", "init" }, { "detail", toString(start) } });
        }
    }
    ValueId times(ValueId value, double factor)
    {
        return b.binary(OpKind::Multiply, value, b.constant(b.type(value), factor));
    }

    /// From -1 + 2^-24 to 1 - 2^-24.
    ValueId uniform(const TensorType& type)
    {
        const TensorType words{ DType::U32, type.shape };
        const ValueId bits = randomBits(b, ownKey(), rowNumbers(words), columnNumbers(words));
        const ValueId high = b.binary(OpKind::ShiftRightLogical, bits, b.constant(words, 8));
        const ValueId scaled = times(b.convert(high, drawnIn(type.dtype)), 0x1p-23);
        return b.binary(OpKind::Add, scaled, b.constant(b.type(scaled), 0x1p-24 - 1));
    }
    /// Each array has a key of its own, which follows from the key and the array's number.
    RandomKey ownKey()
    {
        const TensorType scalar{ DType::U32, {} };
        const auto next = [&] {
            const ValueId number = b.constant(scalar, static_cast<double>(m_keysMade++));
            return randomBits(b, m_key, b.constant(scalar, 0), number);
        };
        const ValueId first = next();
        return { first, next() };
    }
    /// The index in the last dimension, and that of all others in row-major order.
    ValueId columnNumbers(const TensorType& words)
    {
        return words.rank() == 0 ? b.constant(words, 0) : b.iota(words, static_cast<std::int64_t>(words.rank()) - 1);
    }
    ValueId rowNumbers(const TensorType& words)
    {
        if (words.rank() < 2)
            return b.constant(words, 0);
        ValueId rows = b.iota(words, 0);
        for (std::size_t d = 1; d + 1 < words.rank(); ++d) {
            const ValueId size = b.constant(words, static_cast<double>(words.shape[d] & 0xFFFFFFFF));
            rows = b.binary(
                OpKind::Add, b.binary(OpKind::Multiply, rows, size), b.iota(words, static_cast<std::int64_t>(d)));
        }
        return rows;
    }

    const Program& m_step;
    std::span<const ChosenInitial> m_initial;
    Builder b;
    RandomKey m_key;
    std::int64_t m_keysMade = 0;
    std::map<std::string, ValueId> m_unrounded; ///< parameters by their paths, as they were drawn
};

} // namespace

Result<Program> initializerOf(const Program& step, std::span<const ChosenInitial> initial)
{
    return InitializerBuilder(step, initial).build();
}

} // namespace shardscope
