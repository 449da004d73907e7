// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/initial_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "base/hash.h"
#include "program/element_bits.h"
#include "simulate/kernels/strided_copy.h"
#include "simulate/run/argument_uses.h"
#include "simulate/run/numpy_normal.h"
#include "simulate/run/philox.h"

namespace shardscope {

namespace {

using InitialKind = InitialValue::Kind;
using Words = std::array<std::uint32_t, 4>;

constexpr double leastPositive = 1.0 / 16; ///< of the largest

/// Standard deviation sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010): of the last two dimensions, one in, one
/// out, dimensions before them multiplying both, as JAX' initialisers have it.
double xavierDeviation(const Shape& shape)
{
    if (shape.empty())
        return 1;
    double receptive = 1;
    for (std::size_t d = 0; d + 2 < shape.size(); ++d)
        receptive *= static_cast<double>(shape[d]);
    const double out = static_cast<double>(shape.back());
    const double in = shape.size() >= 2 ? static_cast<double>(shape[shape.size() - 2]) : out;
    const double fans = (in + out) * receptive;
    return fans > 0 ? std::sqrt(2 / fans) : 1;
}

/// Uniform numbers up to this have the variance 1 / terms, those of few terms a smaller one.
double fanInBound(std::int64_t terms)
{
    return std::min(1.0, std::sqrt(3.0 / static_cast<double>(terms)));
}

/// Whole numbers below this are held by a type of integers, as far as they are drawn.
std::int64_t integersHeld(DType dtype)
{
    if (dtype == DType::Pred)
        return 2;
    const int bits = std::min(elementBits(dtype) - (isUnsignedInteger(dtype) ? 0 : 1), 62);
    return std::int64_t{ 1 } << std::max(bits, 1);
}

InitialValue integersOf(DType dtype, std::int64_t least, std::int64_t bound)
{
    InitialValue value;
    value.kind = InitialKind::Integers;
    const std::int64_t held = integersHeld(dtype);
    value.least = std::min(least, held - 1);
    value.bound = std::clamp(bound, value.least + 1, held);
    return value;
}

InitialValue plain(InitialKind kind)
{
    InitialValue value;
    value.kind = kind;
    return value;
}

InitialValue uniform(double low, double high)
{
    InitialValue value = plain(InitialKind::Uniform);
    value.low = low;
    value.high = high;
    return value;
}

/// Of what nothing is asked.
InitialValue freeValue(const TensorType& type)
{
    if (!isFloat(realPart(type.dtype)))
        return integersOf(type.dtype, 0, 8);
    if (type.dtype == DType::F8E8M0FNU)
        return plain(InitialKind::NonNegative);
    return uniform(-1, 1);
}

/// What optimizers begin with zeros.
bool beginsWithZeros(Role role)
{
    return role == Role::Mu || role == Role::Nu || role == Role::Count || role == Role::Step;
}

/// A learning rate, a rate of dropout, a temperature: small enough that no step runs away.
InitialValue smallNumber()
{
    InitialValue value = plain(InitialKind::Constant);
    value.low = 0.001;
    return value;
}

ArgumentStart startByUse(const TensorType& type, const ArgumentUse& use, Role role)
{
    const DType dtype = type.dtype;
    if (!isTensor(dtype))
        return {};
    const bool isCounter = role == Role::Count || role == Role::Step;
    if (beginsWithZeros(role) && dtype != DType::F8E8M0FNU && !(isCounter && use.nonZero))
        return { plain(InitialKind::Zeros), InitialReason::State };
    if (dtype == DType::Pred)
        return { integersOf(dtype, 0, 2), InitialReason::TruthValues };
    if (isFloat(realPart(dtype))) {
        if (type.rank() == 0 && dtype != DType::F8E8M0FNU)
            return { smallNumber(), InitialReason::Scalar };
        if (use.positive)
            return { plain(InitialKind::NonNegative), InitialReason::Positive };
        if (use.fraction && dtype != DType::F8E8M0FNU)
            return { uniform(0, 1), InitialReason::Fraction };
        if (use.terms > 1 && dtype != DType::F8E8M0FNU)
            return { plain(InitialKind::FanIn), InitialReason::Factor };
        return { freeValue(type), InitialReason::Free };
    }
    if (use.bound)
        return { integersOf(dtype, 0, *use.bound), InitialReason::Index };
    if (use.positive) // a divisor
        return { integersOf(dtype, 1, 8), InitialReason::Positive };
    if (type.rank() == 0) // the number of a step
        return { integersOf(dtype, 1, 8), InitialReason::Scalar };
    return { freeValue(type), InitialReason::Free };
}

InitialReason reasonByRole(Role role)
{
    return beginsWithZeros(role)  ? InitialReason::State
        : role == Role::Parameter ? InitialReason::Parameter
                                  : InitialReason::Input;
}

ArgumentStart startByRole(Role role)
{
    if (beginsWithZeros(role))
        return { plain(InitialKind::Zeros), reasonByRole(role) };
    return { plain(role == Role::Parameter ? InitialKind::Xavier : InitialKind::Ones), reasonByRole(role) };
}

bool needsUses(const InitialValues& values)
{
    return values.defaults == InitialDefaults::ByUse
        || std::any_of(values.chosen.begin(), values.chosen.end(), [](const ChosenInitial& chosen) {
               return chosen.value.kind == InitialKind::FanIn || chosen.value.kind == InitialKind::NonNegative;
           });
}

std::vector<ArgumentUse> usesFor(const Program& program, const InitialValues& values)
{
    return needsUses(values) ? argumentUses(program) : std::vector<ArgumentUse>(program.main().arguments.size());
}

/// Per argument of main the argument whose start and random words it has: its own. Master weights that nothing is
/// chosen for begin as the parameter that they are a copy of: "opt/master/layers.0/W1" as "params/layers.0/W1".
std::vector<std::size_t> beginsAs(const Program& program, const InitialValues& values)
{
    constexpr std::string_view masters = "opt/master/", parameters = "params/";
    const std::vector<ValueId>& arguments = program.main().arguments;
    std::vector<std::size_t> as(arguments.size());
    std::map<std::string, std::size_t, std::less<>> numbers;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        as[i] = i;
        if (const Value& argument = program.value(arguments[i]); argument.role == Role::Parameter)
            numbers.try_emplace(*argument.path, i);
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Value& argument = program.value(arguments[i]);
        const std::string& path = argument.path;
        if (argument.role != Role::Master || !path.starts_with(masters)
            || choiceFor(values.chosen, i, path, argument.type.dtype))
            continue;
        const auto found = numbers.find(std::string(parameters).append(path, masters.size()));
        if (found != numbers.end() && program.value(arguments[found->second]).type.shape == argument.type.shape)
            as[i] = found->second;
    }
    return as;
}

std::vector<ArgumentStart> startsOf(const Program& program, const InitialValues& values,
    const std::vector<ArgumentUse>& uses, std::span<const std::size_t> as)
{
    std::vector<ArgumentStart> starts;
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (const std::size_t i : as) {
        const Value& argument = program.value(arguments[i]);
        if (const auto choice = choiceFor(values.chosen, i, argument.path, argument.type.dtype))
            starts.push_back({ values.chosen[*choice].value, InitialReason::Chosen, *choice });
        else if (const auto own = values.defaults == InitialDefaults::ByRole
                ? choiceFor(values.ofNetwork, i, argument.path, argument.type.dtype)
                : std::nullopt)
            starts.push_back({ values.ofNetwork[*own].value, reasonByRole(argument.role) });
        else
            starts.push_back(values.defaults == InitialDefaults::ByRole
                    ? startByRole(argument.role)
                    : startByUse(argument.type, uses[i], argument.role));
    }
    return starts;
}

/// How an argument is put together of others; null where it is none of these, or begins the same as a whole.
const StackedInitial* stackOf(
    const InitialValues& values, const std::string& path, const TensorType& type, const InitialValue& value)
{
    if (values.defaults != InitialDefaults::ByRole || value.kind == InitialKind::Iota
        || value.kind == InitialKind::NumpyNormal || value.kind == InitialKind::File)
        return nullptr;
    const auto found = std::find_if(values.stacks.begin(), values.stacks.end(),
        [&](const StackedInitial& stack) { return stack.argument == path; });
    if (found == values.stacks.end() || found->dimension >= type.rank()
        || type.shape[found->dimension] != static_cast<std::int64_t>(found->parts.size()))
        return nullptr;
    return &*found;
}

} // namespace

/// What stands at every place of one array.
class InitialArrays::Source {
public:
    /// Which of the sequences of random words that a seed has belongs to an argument.
    struct Stream {
        std::array<std::uint32_t, 2> key{};
        std::uint32_t number = 0;

        static Stream ofPath(std::uint64_t seed, std::string_view path)
        {
            return ofNumber(Hasher().add(seed).add(path).value(), 0);
        }
        static Stream ofNumber(std::uint64_t seed, std::size_t number)
        {
            return { { static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32) },
                static_cast<std::uint32_t>(number) };
        }
        [[nodiscard]] Words block(std::int64_t place, std::uint32_t further = 0) const
        {
            const auto at = static_cast<std::uint64_t>(place);
            return philox(
                { static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), number, further }, key);
        }
    };

    static Source drawn(const TensorType& type, const InitialValue& value, const ArgumentUse& use, const Stream& stream)
    {
        Source source;
        source.m_stream = stream;
        source.m_type = type;
        const double bound = fanInBound(use.terms);
        switch (value.kind) {
        case InitialKind::Zeros:
        case InitialKind::File: // whose array is not there
            break;
        case InitialKind::Ones:
            source.m_constant = 1;
            break;
        case InitialKind::Iota:
            source.m_form = Form::Iota;
            source.m_count = isFloat(realPart(type.dtype)) ? std::numeric_limits<std::uint64_t>::max()
                                                           : static_cast<std::uint64_t>(integersHeld(type.dtype));
            break;
        case InitialKind::NumpyNormal: // one after the other: each takes as many random words as it happens to need
            source.m_form = Form::Specified;
            source.m_specified =
                numpyNormals(static_cast<std::uint64_t>(value.least), value.bound, type.elementCount());
            break;
        case InitialKind::Constant:
            source.m_constant = value.low;
            break;
        case InitialKind::Normal:
            source.setNormal(value.low);
            break;
        case InitialKind::Xavier:
            source.setNormal(xavierDeviation(type.shape));
            break;
        case InitialKind::Uniform:
            source.setUniform(value.low, value.high);
            break;
        case InitialKind::FanIn:
            source.setUniform(-bound, bound);
            break;
        case InitialKind::NonNegative:
            source.setUniform(bound * leastPositive, bound);
            break;
        case InitialKind::Integers: {
            const InitialValue held = integersOf(type.dtype, value.least, value.bound);
            source.m_form = Form::Integers;
            source.m_least = held.least;
            source.m_count = static_cast<std::uint64_t>(held.bound) - static_cast<std::uint64_t>(held.least);
            break;
        }
        }
        // Without a sign, and powers of two alone.
        if (type.dtype == DType::F8E8M0FNU && source.m_form != Form::Constant)
            source.m_form = Form::Powers;
        return source;
    }
    /// Of parts along a dimension that has one element for each.
    static Source stacked(const TensorType& type, std::size_t dimension, std::vector<Source> parts)
    {
        Source source;
        source.m_form = Form::Stacked;
        source.m_type = type;
        source.m_parts = std::move(parts);
        for (std::size_t d = dimension + 1; d < type.rank(); ++d)
            source.m_inner *= type.shape[d];
        return source;
    }
    static Source listed(const TensorType& type, const std::vector<double>& numbers)
    {
        Source source;
        source.m_form = Form::Specified;
        source.m_type = type;
        source.m_specified = numbers;
        return source;
    }
    static Source ofFile(const kernels::Array& array)
    {
        Source source;
        source.m_form = Form::Array;
        source.m_type = array.type;
        source.m_array = array;
        return source;
    }

    /// `count` neighbours from `element` on.
    void fill(std::int64_t element, std::int64_t count, double* out) const
    {
        const std::int64_t end = element + count;
        switch (m_form) {
        case Form::Constant:
            std::fill_n(out, count, m_constant);
            return;
        case Form::Normal:
            while (element < end) {
                const std::array<double, 2> pair = normals(element / 2);
                for (auto i = static_cast<std::size_t>(element % 2); i < 2 && element < end; ++i, ++element)
                    *out++ = m_deviation * pair[i];
            }
            return;
        case Form::Uniform:
            forWords(element, end, [&](std::uint32_t word) {
                *out++ = m_middle + m_half * (static_cast<double>(word >> 8) * 0x1p-23 - 1);
            });
            return;
        case Form::Powers:
            forWords(element, end, [&](std::uint32_t word) { *out++ = std::ldexp(1.0, -static_cast<int>(word & 3)); });
            return;
        case Form::Integers:
            forIntegers(element, end, [&](std::int64_t integer) { *out++ = static_cast<double>(integer); });
            return;
        case Form::Iota:
            for (; element < end; ++element)
                *out++ = static_cast<double>(static_cast<std::uint64_t>(element) % m_count);
            return;
        case Form::Specified:
            for (; element < end; ++element)
                *out++ = static_cast<std::size_t>(element) < m_specified.size()
                    ? m_specified[static_cast<std::size_t>(element)]
                    : 0;
            return;
        case Form::Array:
            for (; element < end; ++element)
                *out++ = kernels::numberAt(m_array, element);
            return;
        case Form::Stacked:
            for (const auto parts = static_cast<std::int64_t>(m_parts.size()); element < end;) {
                const std::int64_t row = element / m_inner, place = element % m_inner;
                const std::int64_t length = std::min(m_inner - place, end - element);
                m_parts[static_cast<std::size_t>(row % parts)].fill(row / parts * m_inner + place, length, out);
                element += length;
                out += length;
            }
            return;
        }
    }

    [[nodiscard]] kernels::Array full() const
    {
        if (!isTensor(m_type.dtype))
            return { m_type, {}, {} };
        if (m_form == Form::Array)
            return m_array;
        kernels::Array array = kernels::Array::zeros(m_type);
        const std::int64_t count = array.count();
        if (m_form == Form::Integers) {
            std::int64_t place = 0;
            forIntegers(0, count, [&](std::int64_t integer) { kernels::setInteger(array, place++, integer); });
            return array;
        }
        // Both parts of complex numbers are drawn; what is not drawn is real.
        kernels::Array drawn = m_form == Form::Normal || m_form == Form::Uniform ? kernels::partsOf(array) : array;
        const std::int64_t numbers = drawn.count();
        std::array<double, 256> part{};
        constexpr auto most = static_cast<std::int64_t>(part.size());
        for (std::int64_t begin = 0; begin < numbers; begin += most) {
            const std::int64_t length = std::min(most, numbers - begin);
            fill(begin, length, part.data());
            for (std::int64_t i = 0; i < length; ++i)
                kernels::setNumber(drawn, begin + i, part[static_cast<std::size_t>(i)]);
        }
        return array;
    }

private:
    enum class Form : std::uint8_t { Constant, Normal, Uniform, Powers, Integers, Iota, Specified, Array, Stacked };

    void setNormal(double deviation)
    {
        m_form = deviation > 0 ? Form::Normal : Form::Constant;
        m_deviation = deviation;
    }
    void setUniform(double low, double high)
    {
        m_form = Form::Uniform;
        m_middle = low / 2 + high / 2;
        m_half = high / 2 - low / 2;
    }

    /// Two independent standard normal numbers (Box and Muller, 1958).
    [[nodiscard]] std::array<double, 2> normals(std::int64_t pair) const
    {
        const Words bits = m_stream.block(pair);
        const auto uniform = [&bits](std::size_t i) { // (0, 1), 52 bits and a half
            const std::uint64_t word = (std::uint64_t{ bits[i] } << 32) | bits[i + 1];
            return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
        };
        const double radius = std::sqrt(-2 * std::log(uniform(0)));
        const double angle = 2 * std::numbers::pi * uniform(2);
        return { radius * std::cos(angle), radius * std::sin(angle) };
    }

    /// A random word for each element.
    void forWords(std::int64_t element, std::int64_t end, const auto& take) const
    {
        while (element < end) {
            const Words words = m_stream.block(element / 4);
            for (auto i = static_cast<std::size_t>(element % 4); i < 4 && element < end; ++i, ++element)
                take(words[i]);
        }
    }
    void forIntegers(std::int64_t element, std::int64_t end, const auto& take) const
    {
        const auto held = [&](std::uint64_t word) {
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(m_least) + word % m_count);
        };
        if (m_count <= std::numeric_limits<std::uint32_t>::max())
            return forWords(element, end, [&](std::uint32_t word) { take(held(word)); });
        for (; element < end; ++element) { // two words for each
            const auto i = static_cast<std::size_t>(element % 4);
            const std::uint64_t high = m_stream.block(element / 4, 1)[i];
            take(held((high << 32) | m_stream.block(element / 4)[i]));
        }
    }

    Form m_form = Form::Constant;
    TensorType m_type;
    Stream m_stream;
    double m_constant = 0;
    double m_deviation = 0;
    double m_middle = 0, m_half = 0;
    std::int64_t m_least = 0;
    std::uint64_t m_count = 1;
    std::vector<double> m_specified;
    kernels::Array m_array;
    std::vector<Source> m_parts;
    std::int64_t m_inner = 1; ///< elements of a part that follow each other
};

std::vector<ArgumentStart> argumentStarts(const Program& program, const InitialValues& values)
{
    return startsOf(program, values, usesFor(program, values), beginsAs(program, values));
}

std::vector<UnusedChoice> unusedChoices(const Program& program, std::span<const ChosenInitial> chosen)
{
    std::vector<UnusedChoice> unused;
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        std::optional<std::size_t> named;
        bool counts = false;
        for (std::size_t i = 0; i < arguments.size() && !counts; ++i) {
            const Value& argument = program.value(arguments[i]);
            if (!namesArgument(chosen[c].argument, i, argument.path))
                continue;
            counts = fitsType(chosen[c].value, argument.type.dtype);
            named = named.value_or(i);
        }
        if (!counts)
            unused.push_back({ c, named });
    }
    return unused;
}

InitialArrays::InitialArrays(const Program& program, const InitialValues& values)
{
    const std::vector<ArgumentUse> uses = usesFor(program, values);
    const std::vector<std::size_t> as = beginsAs(program, values);
    m_starts = startsOf(program, values, uses, as);
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Value& argument = program.value(arguments[i]);
        const ArgumentStart& start = m_starts[i];
        m_numbers.emplace_back(arguments[i], i);
        const std::string& drawnPath = program.value(arguments[as[i]]).path;
        auto listed = values.byPath.find(argument.path);
        if (listed == values.byPath.end())
            listed = values.byPath.find(drawnPath);
        if (i < values.arrays.size() && values.arrays[i].bytes)
            m_sources.push_back(std::make_shared<const Source>(Source::ofFile(values.arrays[i])));
        else if (listed != values.byPath.end())
            m_sources.push_back(std::make_shared<const Source>(Source::listed(argument.type, listed->second)));
        else if (const auto step = values.perStep.find(i); step != values.perStep.end()) {
            m_changing.push_back(i);
            m_steps.push_back(step->second);
            m_sources.push_back(std::make_shared<const Source>(Source::listed(argument.type, step->second(0))));
        } else if (start.value.kind == InitialKind::File && values.files.contains(i))
            m_sources.push_back(std::make_shared<const Source>(Source::ofFile(values.files.at(i))));
        else if (const StackedInitial* stack = stackOf(values, drawnPath, argument.type, start.value)) {
            Shape shape;
            for (std::size_t d = 0; d < argument.type.rank(); ++d)
                if (d != stack->dimension)
                    shape.push_back(argument.type.shape[d]);
            const TensorType type{ argument.type.dtype, std::move(shape) };
            std::vector<Source> parts;
            for (const std::string& path : stack->parts)
                parts.push_back(
                    Source::drawn(type, start.value, uses[as[i]], Source::Stream::ofPath(values.seed, path)));
            m_sources.push_back(
                std::make_shared<const Source>(Source::stacked(argument.type, stack->dimension, std::move(parts))));
        } else
            m_sources.push_back(std::make_shared<const Source>(Source::drawn(argument.type, start.value, uses[as[i]],
                values.defaults == InitialDefaults::ByRole
                    ? Source::Stream::ofPath(values.seed, std::string_view(drawnPath))
                    : Source::Stream::ofNumber(values.seed, as[i]))));
        m_types.push_back(argument.type);
    }
    std::sort(m_numbers.begin(), m_numbers.end());
}

void InitialArrays::setStep(std::int64_t step)
{
    for (std::size_t i = 0; i < m_changing.size(); ++i)
        m_sources[m_changing[i]] =
            std::make_shared<const Source>(Source::listed(m_types[m_changing[i]], m_steps[i](step)));
}

const InitialArrays::Source& InitialArrays::sourceOf(ValueId argument) const
{
    const auto found = std::lower_bound(m_numbers.begin(), m_numbers.end(), std::pair(argument, std::size_t{ 0 }));
    return *m_sources[found->second];
}

double InitialArrays::at(ValueId argument, std::int64_t element) const
{
    double number = 0;
    sourceOf(argument).fill(element, 1, &number);
    return number;
}

void InitialArrays::fill(ValueId argument, std::span<const IndexRange> ranges, std::span<double> out) const
{
    if (out.empty())
        return;
    const auto found = std::lower_bound(m_numbers.begin(), m_numbers.end(), std::pair(argument, std::size_t{ 0 }));
    const Source& source = *m_sources[found->second];
    const Shape strides = rowMajorStrides(m_types[found->second].shape);
    if (ranges.empty()) {
        source.fill(0, 1, out.data());
        return;
    }
    const std::int64_t length = ranges.back().size();
    const std::int64_t rows = static_cast<std::int64_t>(out.size()) / length;
    for (std::int64_t row = 0; row < rows; ++row) {
        std::int64_t rest = row;
        std::int64_t element = ranges.back().begin;
        for (std::size_t d = ranges.size() - 1; d-- > 0;) {
            element += (ranges[d].begin + rest % ranges[d].size()) * strides[d];
            rest /= ranges[d].size();
        }
        source.fill(element, length, out.data() + row * length);
    }
}

kernels::Array InitialArrays::array(std::size_t number) const
{
    return m_sources[number]->full();
}

std::vector<kernels::Array> InitialArrays::all() const
{
    std::vector<kernels::Array> arrays;
    for (std::size_t i = 0; i < m_sources.size(); ++i)
        arrays.push_back(array(i));
    return arrays;
}

} // namespace shardscope
