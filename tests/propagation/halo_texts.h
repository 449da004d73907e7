// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs of operations that read beyond a device's block: slices, pads, reverses, concatenations, windows and
// convolutions, one behind the other, over arrays that are sharded along several dimensions.
//
//     const std::string text = halo_texts::write(seed);
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "split_mix.h"

namespace halo_texts {

using Sizes = std::vector<int>;

class Writer {
public:
    explicit Writer(std::uint64_t seed)
        : m_random(seed * 6151 + 29)
    {
    }

    std::string run()
    {
        static const std::vector<Sizes> meshes{ { 2 }, { 4 }, { 2, 2 }, { 8 }, { 2, 4 }, { 3 }, { 2, 2, 2 } };
        m_mesh = meshes[m_random.below(meshes.size())];
        const bool convolves = m_random.once(3);
        const std::size_t rank = convolves ? 3 + m_random.below(2) : 1 + m_random.below(3);
        m_bounds.resize(rank);
        for (std::size_t axis = 0; axis < m_mesh.size(); ++axis)
            if (!m_random.once(8)) {
                // The spatial dimensions of a convolution are what this is about.
                const std::size_t d = convolves && !m_random.once(5) ? 1 + m_random.below(rank - 2) : below(rank);
                m_bounds[d].push_back(static_cast<int>(axis));
            }
        Sizes shape;
        for (std::size_t d = 0; d < rank; ++d)
            shape.push_back(parts(d) * (1 + static_cast<int>(m_random.below(parts(d) > 1 ? 6 : 3))));
        std::string value = argument(shape, true);
        const std::size_t wanted = 1 + m_random.below(3);
        for (std::size_t tries = 0, declared = 0; tries < 60 && declared < wanted; ++tries) {
            const bool done = convolves && !m_random.once(3) ? convolution(value, shape) : movement(value, shape);
            declared += done ? 1 : 0;
        }
        // Within a computation over one more axis, which stays out of it: all copies are equal.
        const bool within = m_random.once(6);
        std::string axes;
        int count = within ? 2 : 1;
        for (std::size_t a = 0; a < m_mesh.size(); ++a) {
            axes += (a == 0 ? "\"x" : ", \"x") + std::to_string(a) + "\"=" + std::to_string(m_mesh[a]);
            count *= m_mesh[a];
        }
        if (within)
            axes = m_random.once(2) ? "\"m\"=2, " + axes : axes + ", \"m\"=2";
        std::string devices;
        for (int id = m_random.once(5) ? count : 0; id-- > 0;)
            devices += (devices.empty() ? ", device_ids=[" : ", ") + std::to_string(id);
        devices += devices.empty() ? "" : "]";
        const std::string results = type(shape) + " {sdy.sharding = #sdy.sharding" + sharding(shape) + "}";
        std::string specified, names, types, inside, slices;
        for (std::size_t i = 0; i < m_arguments.size(); ++i) {
            const Argument& one = m_arguments[i];
            const std::string comma = i == 0 ? "" : ", ", number = std::to_string(i);
            specified += comma + (within ? "%given" : "%arg") + number + ": " + type(one.shape)
                + (one.sharding.empty() ? "" : " {sdy.sharding = #sdy.sharding" + one.sharding + "}");
            names += comma + "%given" + number;
            types += comma + type(one.shape);
            inside += comma + "%arg" + number + ": " + type(one.shape);
            slices += comma + (one.sharding.empty() ? full(one.shape.size()) : one.sharding);
        }
        std::string text = "module {\n  sdy.mesh @mesh = <[" + axes + "]" + devices + ">\n  func.func @main("
            + specified + ") -> (" + results + ") {\n";
        if (!within)
            return text + m_body + "    return " + value + " : " + type(shape) + "\n  }\n}\n";
        return text + "    %all = sdy.manual_computation(" + names + ") in_shardings=[" + slices + "] out_shardings=["
            + sharding(shape) + "] manual_axes={\"m\"} (" + inside + ") {\n" + m_body + "    sdy.return " + value
            + " : " + type(shape) + "\n    } : (" + types + ") -> " + type(shape) + "\n    return %all : " + type(shape)
            + "\n  }\n}\n";
    }

private:
    std::size_t below(std::size_t end) { return m_random.below(end); }
    int number(int from, int to)
    {
        return from + static_cast<int>(m_random.below(static_cast<std::size_t>(to - from + 1)));
    }
    [[nodiscard]] int parts(std::size_t d) const
    {
        int product = 1;
        for (const int axis : d < m_bounds.size() ? m_bounds[d] : std::vector<int>())
            product *= m_mesh[static_cast<std::size_t>(axis)];
        return product;
    }
    static std::string list(const Sizes& numbers)
    {
        std::string text;
        for (const int number : numbers)
            text += (text.empty() ? "" : ", ") + std::to_string(number);
        return text;
    }
    static std::string type(const Sizes& shape)
    {
        std::string text = "tensor<";
        for (const int size : shape)
            text += std::to_string(size) + 'x';
        return text + "i32>";
    }
    [[nodiscard]] std::string sharding(const Sizes& shape) const
    {
        std::string text = "<@mesh, [";
        for (std::size_t d = 0; d < shape.size(); ++d) {
            std::string axes;
            for (const int axis : shape[d] % parts(d) == 0 && d < m_bounds.size() ? m_bounds[d] : std::vector<int>())
                axes += (axes.empty() ? "\"x" : ", \"x") + std::to_string(axis) + '"';
            text += (d == 0 ? "{" : ", {") + axes + '}';
        }
        return text + "]>";
    }
    static std::string full(std::size_t rank)
    {
        std::string text = "<@mesh, [";
        for (std::size_t d = 0; d < rank; ++d)
            text += d == 0 ? "{}" : ", {}";
        return text + "]>";
    }
    std::string argument(const Sizes& shape, bool sharded)
    {
        m_arguments.push_back({ shape, sharded ? sharding(shape) : std::string() });
        return "%arg" + std::to_string(m_arguments.size() - 1);
    }
    std::string fresh() { return "%" + std::to_string(m_values++); }
    std::string line(const std::string& operation)
    {
        const std::string name = fresh();
        m_body += "    " + name + " = " + operation + "\n";
        return name;
    }
    std::string scalar(int value)
    {
        return line("stablehlo.constant dense<" + std::to_string(value) + "> : tensor<i32>");
    }
    void take(std::string& value, Sizes& shape, const std::string& operation, const Sizes& result)
    {
        value = line(operation);
        shape = result;
        value = line("sdy.sharding_constraint " + value + " " + sharding(shape) + " : " + type(shape));
    }
    /// As it should come out: not empty, not large, most often cut evenly where it was cut.
    bool isGood(const Sizes& shape)
    {
        int elements = 1;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            elements *= std::max(1, shape[d]);
            if (shape[d] < 1 || shape[d] > 96 || (shape[d] % parts(d) != 0 && !m_random.once(20)))
                return false;
        }
        return elements <= 4096;
    }

    bool movement(std::string& value, Sizes& shape)
    {
        switch (below(6)) {
        case 0:
            return slice(value, shape);
        case 1:
            return pad(value, shape);
        case 2:
            return reverse(value, shape);
        case 3:
            return concatenate(value, shape);
        default:
            return windows(value, shape);
        }
    }

    bool slice(std::string& value, Sizes& shape)
    {
        Sizes result = shape;
        std::string ranges;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            int start = 0, limit = shape[d], stride = 1;
            for (int tries = 0; tries < 12 && (parts(d) > 1 || m_random.once(3)); ++tries) {
                start = number(0, shape[d] - 1);
                limit = number(start + 1, shape[d]);
                stride = number(1, 3);
                if (((limit - start + stride - 1) / stride) % parts(d) == 0)
                    break;
            }
            result[d] = (limit - start + stride - 1) / stride;
            ranges += (d == 0 ? "" : ", ") + std::to_string(start) + ":" + std::to_string(limit) + ":"
                + std::to_string(stride);
        }
        if (!isGood(result))
            return false;
        take(value, shape, "stablehlo.slice " + value + " [" + ranges + "] : (" + type(shape) + ") -> " + type(result),
            result);
        return true;
    }

    bool pad(std::string& value, Sizes& shape)
    {
        const std::size_t rank = shape.size();
        Sizes low(rank), high(rank), inner(rank), result = shape;
        for (std::size_t d = 0; d < rank; ++d)
            for (int tries = 0; tries < 12; ++tries) {
                low[d] = number(-3, 6);
                high[d] = number(-3, 6);
                inner[d] = m_random.once(3) ? number(1, 2) : 0;
                result[d] = shape[d] + low[d] + high[d] + inner[d] * (shape[d] - 1);
                if (result[d] > 0 && result[d] % parts(d) == 0)
                    break;
            }
        if (!isGood(result))
            return false;
        const std::string filling = scalar(m_random.once(2) ? 7 : 0);
        take(value, shape,
            "stablehlo.pad " + value + ", " + filling + ", low = [" + list(low) + "], high = [" + list(high)
                + "], interior = [" + list(inner) + "] : (" + type(shape) + ", tensor<i32>) -> " + type(result),
            result);
        return true;
    }

    bool reverse(std::string& value, Sizes& shape)
    {
        Sizes dimensions;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (m_random.once(2))
                dimensions.push_back(static_cast<int>(d));
        if (dimensions.empty())
            return false;
        take(
            value, shape, "stablehlo.reverse " + value + ", dims = [" + list(dimensions) + "] : " + type(shape), shape);
        return true;
    }

    bool concatenate(std::string& value, Sizes& shape)
    {
        const std::size_t along = below(shape.size());
        std::vector<std::string> names{ value };
        std::vector<Sizes> shapes{ shape };
        Sizes result = shape;
        for (std::size_t i = 1 + below(2); i > 0; --i) {
            Sizes other = shape;
            if (m_random.once(3)) { // the array itself, or a part of it
                const int start = m_random.once(2) ? 0 : number(0, shape[along] - 1);
                std::string ranges;
                for (std::size_t d = 0; d < shape.size(); ++d)
                    ranges +=
                        (d == 0 ? "" : ", ") + std::to_string(d == along ? start : 0) + ":" + std::to_string(shape[d]);
                other[along] = shape[along] - start;
                names.push_back(
                    line("stablehlo.slice " + value + " [" + ranges + "] : (" + type(shape) + ") -> " + type(other)));
            } else {
                other[along] = parts(along) * number(1, 3) + (m_random.once(4) ? 1 : 0);
                names.push_back(argument(other, !m_random.once(4)));
            }
            shapes.push_back(other);
            result[along] += other[along];
        }
        if (m_random.once(2)) {
            std::swap(names.front(), names.back());
            std::swap(shapes.front(), shapes.back());
        }
        if (!isGood(result))
            return false;
        std::string operands, types;
        for (std::size_t i = 0; i < names.size(); ++i) {
            operands += (i == 0 ? "" : ", ") + names[i];
            types += (i == 0 ? "" : ", ") + type(shapes[i]);
        }
        take(value, shape,
            "stablehlo.concatenate " + operands + ", dim = " + std::to_string(along) + " : (" + types + ") -> "
                + type(result),
            result);
        return true;
    }

    struct Window {
        int size = 1, stride = 1, dilation = 1, baseDilation = 1, low = 0, high = 0;
        [[nodiscard]] int count(int length) const
        {
            const int room = (length - 1) * baseDilation + 1 + low + high - (size - 1) * dilation - 1;
            return room < 0 ? 0 : room / stride + 1;
        }
    };
    Window window(int length, int sharded)
    {
        Window w;
        for (int tries = 0; tries < 16; ++tries) {
            w.size = number(1, 5);
            w.stride = m_random.once(3) ? number(2, 3) : 1;
            w.dilation = m_random.once(4) ? 2 : 1;
            w.baseDilation = m_random.once(4) ? 2 : 1;
            w.low = number(-1, 4);
            w.high = number(-1, 4);
            if (m_random.once(8)) { // sums of all before
                w = Window();
                w.size = length;
                w.low = length - 1;
            } else if (m_random.once(3)) { // as long as before
                w.stride = w.baseDilation = 1;
                w.low = number(0, (w.size - 1) * w.dilation);
                w.high = (w.size - 1) * w.dilation - w.low;
            }
            if (w.count(length) > 0 && w.count(length) % sharded == 0)
                break;
        }
        return w;
    }

    bool windows(std::string& value, Sizes& shape)
    {
        Sizes size, stride, dilation, baseDilation, result;
        std::string padding;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const Window w = m_random.once(4) ? Window() : window(shape[d], parts(d));
            size.push_back(w.size);
            stride.push_back(w.stride);
            dilation.push_back(w.dilation);
            baseDilation.push_back(w.baseDilation);
            padding += (d == 0 ? "[" : ", [") + std::to_string(w.low) + ", " + std::to_string(w.high) + "]";
            result.push_back(w.count(shape[d]));
        }
        if (!isGood(result))
            return false;
        const bool sums = m_random.once(2);
        const int initial = m_random.once(2) ? 0 : 5;
        const std::string start = scalar(initial), left = fresh(), right = fresh(), both = fresh();
        take(value, shape,
            "\"stablehlo.reduce_window\"(" + value + ", " + start + ") <{base_dilations = array<i64: "
                + list(baseDilation) + ">, padding = dense<[" + padding + "]> : tensor<" + std::to_string(shape.size())
                + "x2xi64>, window_dilations = array<i64: " + list(dilation) + ">, window_dimensions = array<i64: "
                + list(size) + ">, window_strides = array<i64: " + list(stride) + ">}> ({\n    ^bb0(" + left
                + ": tensor<i32>, " + right + ": tensor<i32>):\n      " + both + " = stablehlo."
                + (sums ? "add " : "maximum ") + left + ", " + right + " : tensor<i32>\n      stablehlo.return " + both
                + " : tensor<i32>\n    }) : (" + type(shape) + ", tensor<i32>) -> " + type(result),
            result);
        return true;
    }

    /// Batch first, features last. With a kernel as large as the array (and cut like it) it is the gradient of one.
    bool convolution(std::string& value, Sizes& shape)
    {
        const std::size_t spatial = shape.size() - 2;
        const bool gradient = m_random.once(4);
        Sizes kernel, result{ shape[0] }, stride, leftDilation, rightDilation;
        std::string padding, reversal, input, ofKernel;
        for (std::size_t i = 0; i < spatial; ++i) {
            Window w = window(shape[1 + i], parts(1 + i));
            if (gradient) {
                w = Window();
                w.dilation = m_random.once(3) ? 2 : 1;
                w.low = number(0, 3);
                w.high = number(0, 3);
                w.size = (shape[1 + i] + w.dilation - 1) / w.dilation;
                w.size -= w.size % parts(1 + i);
                if (w.size < 1)
                    return false;
            }
            kernel.push_back(w.size);
            result.push_back(w.count(shape[1 + i]));
            stride.push_back(w.stride);
            leftDilation.push_back(w.baseDilation);
            rightDilation.push_back(w.dilation);
            padding += (i == 0 ? "[" : ", [") + std::to_string(w.low) + ", " + std::to_string(w.high) + "]";
            reversal += (i == 0 ? "" : ", ") + std::string(m_random.once(3) ? "true" : "false");
            input += std::to_string(i) + ", ";
        }
        const int features = m_random.once(3) ? parts(shape.size() - 1) : parts(shape.size() - 1) * 2;
        kernel.push_back(shape.back());
        kernel.push_back(features);
        result.push_back(features);
        if (gradient ? std::any_of(result.begin(), result.end(), [](int size) { return size < 1 || size > 96; })
                     : !isGood(result))
            return false;
        // The kernel's spatial dimensions are cut as the array's; batch and features are not.
        std::vector<std::vector<int>> slices(shape.size());
        for (std::size_t i = 0; i < spatial; ++i)
            slices[i] = m_bounds[1 + i];
        std::swap(slices, m_bounds);
        const std::string weights = argument(kernel, gradient);
        std::swap(slices, m_bounds);
        take(value, shape,
            "stablehlo.convolution(" + value + ", " + weights + ") dim_numbers = [b, " + input + "f]x[" + input
                + "i, o]->[b, " + input + "f], window = {stride = [" + list(stride) + "], pad = [" + padding
                + "], lhs_dilate = [" + list(leftDilation) + "], rhs_dilate = [" + list(rightDilation)
                + "], reverse = [" + reversal + "]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : ("
                + type(shape) + ", " + type(kernel) + ") -> " + type(result),
            result);
        return true;
    }

    shardscope::test::SplitMix m_random;
    Sizes m_mesh;
    std::vector<std::vector<int>> m_bounds; ///< per dimension: the axes that cut it
    struct Argument {
        Sizes shape;
        std::string sharding; ///< empty: whole on every device
    };
    std::vector<Argument> m_arguments;
    std::string m_body;
    int m_values = 0;
};

/// A legal program of one function, whose results are whole numbers that wrap around.
[[nodiscard]] inline std::string write(std::uint64_t seed)
{
    return Writer(seed).run();
}

} // namespace halo_texts
