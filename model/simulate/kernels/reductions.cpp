// SPDX-License-Identifier: GPL-3.0-or-later
// reduce, reduce_window, select_and_scatter and map: bodies applied to many elements at once, in the order of the
// reduced elements.
// Declared in call.h.
#include <algorithm>
#include <cstring>
#include <limits>

#include "simulate/kernels/body.h"
#include "simulate/kernels/call.h"
#include "simulate/kernels/position.h"

namespace shardscope::kernels {

namespace {

bool has(std::span<const std::int64_t> dims, std::size_t d)
{
    return std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(d)) != dims.end();
}

std::vector<DType> typesOf(std::span<const Array> arrays)
{
    std::vector<DType> types;
    for (const Array& array : arrays)
        types.push_back(array.type.dtype);
    return types;
}

/// acc = body(acc, inputs[k]) for every k of the reduced dimensions, for all kept elements together.
void fold(BodyRun& body, std::span<const Array> inputs, std::span<const std::int64_t> dims, std::span<Array> results)
{
    const Shape& shape = inputs[0].type.shape;
    Dimensions order; // reduced dimensions first
    std::int64_t reduced = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (has(dims, d)) {
            order.push_back(static_cast<std::int64_t>(d));
            reduced *= shape[d];
        }
    }
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (!has(dims, d))
            order.push_back(static_cast<std::int64_t>(d));
    const std::int64_t kept = results[0].count();
    if (reduced == 0 || kept == 0)
        return;
    Arrays ordered;
    for (const Array& input : inputs)
        ordered.push_back(std::is_sorted(order.begin(), order.end()) ? input : transposed(input, order));
    std::vector<const std::byte*> bodyOperands(2 * inputs.size());
    std::vector<std::byte*> put(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        bodyOperands[i] = put[i] = results[i].data();
    for (std::int64_t k = 0; k < reduced; ++k) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            bodyOperands[inputs.size() + i] = ordered[i].data() + k * kept * inputs[i].elementBytes();
        body.run(bodyOperands, put, kept);
    }
}

BodyRun reducer(const Call& call, std::span<const Array> inputs)
{
    if (!call.operation.regions.empty())
        return BodyRun(call, call.operation.regions[0]);
    const auto* builtin = std::get_if<ReduceAttributes>(&call.operation.attributes);
    const auto* variadic = attributesAs<VariadicReduceAttributes>(call.operation.attributes);
    return BodyRun(Body::ofKind(builtin ? builtin->kind : *variadic->kind, typesOf(inputs)));
}

Arrays variadicReduce(const Call& call)
{
    const std::size_t count = call.operands.size() / 2;
    const std::span<const Array> inputs = call.operands.first(count), inits = call.operands.subspan(count);
    BodyRun body = reducer(call, inputs);
    Arrays results;
    for (std::size_t i = 0; i < count; ++i)
        results.push_back(broadcast(inits[i], {}, call.type(i)));
    fold(body, inputs, call.own<VariadicReduceAttributes>().dimensions, results);
    return results;
}

/// The built-in networks' reduce begins with the identity of its kind.
Arrays plainReduce(const Call& call)
{
    const auto& own = std::get<ReduceAttributes>(call.operation.attributes);
    Array identity = Array::make({ call.type().dtype, {} });
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (own.kind) {
    case ReduceKind::Max:
        setNumber(identity, 0, call.type().dtype == DType::Pred ? 0 : -infinity);
        break;
    case ReduceKind::Min:
        setNumber(identity, 0, infinity);
        break;
    case ReduceKind::And: // all bits
        setInteger(identity, 0, call.type().dtype == DType::Pred ? 1 : -1);
        break;
    default:
        setNumber(identity, 0, own.kind == ReduceKind::Product ? 1 : 0);
    }
    BodyRun body = reducer(call, call.operands.first(1));
    Arrays results{ broadcast(identity, {}, call.type()) };
    fold(body, call.operands.first(1), own.dimensions, results);
    return results;
}

/// Where the elements under a window stand, dimension by dimension: for every window the element of the operand at a
/// place of the window, or -1 for padding.
class Windows {
public:
    Windows(const WindowAttributes& own, const Shape& operand, const Shape& windows)
        : m_own(own)
        , m_operand(operand)
        , m_windows(windows)
        , m_strides(stridesOf(operand))
    {
        m_elements.resize(operand.size());
    }
    [[nodiscard]] Shape window() const { return { m_own.dimensions.begin(), m_own.dimensions.end() }; }

    /// To the next place, row-major, at which a window may have an element; false if there is none.
    [[nodiscard]] bool advanceToElements(Shape& place) const
    {
        Shape first, last;
        for (std::size_t d = 0; d < place.size(); ++d) {
            const std::int64_t stride = entry(m_own.strides, d), base = entry(m_own.baseDilations, d),
                               dilation = entry(m_own.windowDilations, d), low = lowPadding(d);
            const std::int64_t least = low - (m_windows[d] - 1) * stride, most = low + (m_operand[d] - 1) * base;
            if (m_operand[d] == 0 || most < 0)
                return false;
            first.push_back(least <= 0 ? 0 : (least - 1) / dilation + 1);
            last.push_back(std::min(m_own.dimensions[d] - 1, most / dilation));
            if (first[d] > last[d])
                return false;
        }
        std::size_t d = 0;
        while (d < place.size() && place[d] >= first[d] && place[d] <= last[d])
            ++d;
        if (d == place.size() || place[d] > last[d]) {
            while (d > 0 && place[d - 1] == last[d - 1])
                --d;
            if (d-- == 0)
                return false;
            ++place[d++];
        }
        std::copy(first.begin() + static_cast<std::ptrdiff_t>(d), first.end(),
            place.begin() + static_cast<std::ptrdiff_t>(d));
        return true;
    }

    /// For every window, row-major, the offset of its element at that place; -1 for padding.
    void offsets(std::span<const std::int64_t> place, std::vector<std::int64_t>& out)
    {
        for (std::size_t d = 0; d < m_windows.size(); ++d) {
            const std::int64_t stride = entry(m_own.strides, d), base = entry(m_own.baseDilations, d),
                               dilation = entry(m_own.windowDilations, d), low = lowPadding(d);
            m_elements[d].assign(at(m_windows[d]), -1);
            for (std::int64_t w = 0; w < m_windows[d]; ++w) {
                const std::int64_t dilated = w * stride + place[d] * dilation - low;
                if (dilated >= 0 && dilated % base == 0 && dilated / base < m_operand[d])
                    m_elements[d][at(w)] = dilated / base;
            }
        }
        out.clear();
        Shape index;
        index.resize(m_windows.size(), 0);
        do {
            std::int64_t offset = 0;
            for (std::size_t d = 0; d < m_windows.size() && offset >= 0; ++d) {
                const std::int64_t element = m_elements[d][at(index[d])];
                offset = element < 0 ? -1 : offset + element * m_strides[d];
            }
            out.push_back(offset);
        } while (advance(index, m_windows));
    }

private:
    static std::int64_t entry(const Dimensions& list, std::size_t i) { return list.empty() ? 1 : list[i]; }
    [[nodiscard]] std::int64_t lowPadding(std::size_t d) const
    {
        return m_own.padding.empty() ? 0 : m_own.padding[d].first;
    }

    const WindowAttributes& m_own;
    const Shape &m_operand, &m_windows;
    Shape m_strides;
    std::vector<std::vector<std::int64_t>> m_elements;
};

void pick(const Array& from, const std::vector<std::int64_t>& offsets, const Array& otherwise, Array& to)
{
    const std::int64_t bytes = from.elementBytes();
    std::byte* out = to.data();
    for (const std::int64_t offset : offsets) {
        std::memcpy(out, offset < 0 ? otherwise.data() : from.data() + offset * bytes, at(bytes));
        out += bytes;
    }
}

Arrays reduceWindow(const Call& call)
{
    const std::size_t count = call.operands.size() / 2;
    const std::span<const Array> inputs = call.operands.first(count), inits = call.operands.subspan(count);
    BodyRun body = reducer(call, inputs);
    Arrays results, shifted;
    std::vector<const std::byte*> bodyOperands(2 * count);
    std::vector<std::byte*> put(count);
    for (std::size_t i = 0; i < count; ++i) {
        results.push_back(broadcast(inits[i], {}, call.type(i)));
        shifted.push_back(Array::make(call.type(i)));
        bodyOperands[i] = put[i] = results[i].data();
        bodyOperands[count + i] = shifted[i].data();
    }
    if (results[0].count() == 0)
        return results;
    Windows windows(call.own<WindowAttributes>(), inputs[0].type.shape, call.type().shape);
    const Shape window = windows.window();
    Shape place;
    place.resize(window.size(), 0);
    if (std::find(window.begin(), window.end(), 0) != window.end())
        return results;
    // Padding of all windows at once: where it changes nothing, no more of it does, until there are elements again.
    const auto padded = [&] {
        std::vector<std::byte*> made(count);
        for (std::size_t i = 0; i < count; ++i)
            made[i] = shifted[i].data();
        body.run(bodyOperands, made, results[0].count());
        bool changed = false;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t bytes = at(results[i].count() * results[i].elementBytes());
            changed = changed || std::memcmp(results[i].data(), made[i], bytes) != 0;
            std::memcpy(results[i].data(), made[i], bytes);
        }
        return changed;
    };
    std::vector<std::int64_t> offsets;
    for (bool more = true; more;) {
        windows.offsets(place, offsets);
        for (std::size_t i = 0; i < count; ++i)
            pick(inputs[i], offsets, inits[i], shifted[i]);
        const bool isPadding =
            std::all_of(offsets.begin(), offsets.end(), [](std::int64_t offset) { return offset < 0; });
        if (isPadding && !padded()) {
            more = windows.advanceToElements(place);
            continue;
        }
        if (!isPadding)
            body.run(bodyOperands, put, results[0].count());
        more = advance(place, window);
    }
    return results;
}

Arrays selectAndScatter(const Call& call)
{
    const Array &operand = call.operands[0], &source = call.operands[1], &init = call.operands[2];
    Array result = broadcast(init, {}, call.type());
    const std::int64_t bytes = operand.elementBytes(), count = source.count();
    if (count == 0 || result.count() == 0)
        return { result };
    BodyRun select(call, call.operation.regions[0]), scatter(call, call.operation.regions[1]);
    Windows windows(call.own<WindowAttributes>(), operand.type.shape, source.type.shape);
    const Shape window = windows.window();
    std::vector<std::int64_t> selected(at(count), -1), offsets;
    Shape place;
    place.resize(window.size(), 0);
    do {
        windows.offsets(place, offsets);
        for (std::int64_t i = 0; i < count; ++i) {
            if (offsets[at(i)] < 0)
                continue;
            std::byte keeps{ 0 };
            if (selected[at(i)] >= 0) {
                const std::array<const std::byte*, 2> pair{ operand.data() + selected[at(i)] * bytes,
                    operand.data() + offsets[at(i)] * bytes };
                const std::array<std::byte*, 1> chosen{ &keeps };
                select.run(pair, chosen, 1);
            }
            if (keeps == std::byte{ 0 })
                selected[at(i)] = offsets[at(i)];
        }
    } while (windows.advanceToElements(place));
    for (std::int64_t i = 0; i < count; ++i) {
        if (selected[at(i)] < 0)
            continue;
        std::byte* target = result.data() + selected[at(i)] * bytes;
        const std::array<const std::byte*, 2> pair{ target, source.data() + i * bytes };
        const std::array<std::byte*, 1> put{ target };
        scatter.run(pair, put, 1);
    }
    return { result };
}

Arrays map(const Call& call)
{
    BodyRun body(call, call.operation.regions[0]);
    Array result = Array::make(call.type());
    std::vector<const std::byte*> bodyOperands;
    for (const Array& operand : call.operands)
        bodyOperands.push_back(operand.data());
    const std::array<std::byte*, 1> put{ result.data() };
    body.run(bodyOperands, put, result.count());
    return { result };
}

} // namespace

Evaluate reductionEvaluator(OpKind kind)
{
    switch (kind) {
    case OpKind::VariadicReduce:
        return variadicReduce;
    case OpKind::Reduce:
        return plainReduce;
    case OpKind::ReduceWindow:
        return reduceWindow;
    case OpKind::SelectAndScatter:
        return selectAndScatter;
    case OpKind::Map:
        return map;
    default:
        return nullptr;
    }
}

} // namespace shardscope::kernels
