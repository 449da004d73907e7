// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of a transformer are built with: where a part stands, its parameters, and small formulas.
//
//     const NetworkPart mlp(layer, "mlp");                   // scope and paths "decoder/layers.0/mlp"
//     ValueId h = b.dot(x, mlp.parameter("wi/kernel"));      // params/decoder/layers.0/mlp/wi/kernel
//     h = mlp.activation(h, "hidden", { Axis::Batch, Axis::Length, Axis::HiddenMlp });
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "networks/transformer_axes.h"
#include "program/builder.h"

namespace shardscope {

/// By path, without "params/".
using ParameterValues = std::map<std::string, ValueId, std::less<>>;

/// A part of the network while it is built: operations get its scope as long as it lives. Parts end in the reverse
/// order of their beginning.
class NetworkPart {
public:
    /// The network itself.
    NetworkPart(Builder& builder, const TransformerSettings& settings, const ParameterValues& parameters);
    NetworkPart(const NetworkPart& parent, std::string_view name);
    /// The same with other values for parameters: of one trip of a loop.
    NetworkPart(const NetworkPart& parent, std::string_view name, const ParameterValues& parameters);
    NetworkPart(const NetworkPart&) = delete;
    NetworkPart& operator=(const NetworkPart&) = delete;
    ~NetworkPart();

    [[nodiscard]] Builder& builder() const { return m_builder; }
    [[nodiscard]] const TransformerSettings& settings() const { return m_settings; }
    [[nodiscard]] const std::string& path() const { return m_path; }
    /// Of the network, not of this part alone.
    [[nodiscard]] const ParameterValues& parameters() const { return m_parameters; }
    [[nodiscard]] bool has(std::string_view name) const;
    /// In the element type of activations, or in another one.
    [[nodiscard]] ValueId parameter(std::string_view name) const;
    [[nodiscard]] ValueId parameter(std::string_view name, DType dtype) const;
    /// x plus the bias "name", if there is one, whose dimensions are the last ones of x.
    [[nodiscard]] ValueId withBias(ValueId x, std::string_view name) const;
    /// Names a value after the part, with its dimensions.
    ValueId named(ValueId x, std::string_view name, std::initializer_list<Axis> axes) const;
    /// The same after a constraint by logical names.
    ValueId activation(ValueId x, std::string_view name, std::initializer_list<Axis> axes) const;

private:
    [[nodiscard]] std::string pathOf(std::string_view name) const;

    Builder& m_builder;
    const TransformerSettings& m_settings;
    const ParameterValues& m_parameters;
    std::string m_path;
    std::string m_outerScope;
};

/// The element type in which sums over many elements and exponentials are computed: f32 instead of a narrower one.
[[nodiscard]] DType accurateType(DType dtype);
/// The same value where it has that type.
[[nodiscard]] ValueId converted(Builder& builder, ValueId x, DType dtype);
/// x · factor, x + term.
[[nodiscard]] ValueId times(Builder& builder, ValueId x, double factor);
[[nodiscard]] ValueId plus(Builder& builder, ValueId x, double term);
/// A vector along the last dimension of a larger shape, or an array along its last ones.
[[nodiscard]] ValueId spreadAlongLast(Builder& builder, ValueId x, const Shape& shape);
/// What was reduced over the last dimension of a shape, spread over that again.
[[nodiscard]] ValueId spreadOverLast(Builder& builder, ValueId x, const Shape& shape);
[[nodiscard]] ValueId reducedOverLast(Builder& builder, ReduceKind kind, ValueId x);
/// The maximum over the last dimension, which derivatives take for a constant.
[[nodiscard]] ValueId fixedMaximum(Builder& builder, ValueId x);
/// exp(x - m) / sum(exp(x - m)) over the last dimension, with its maximum m.
[[nodiscard]] ValueId softmax(Builder& builder, ValueId x);
/// c · tanh(x / c); x itself for c = 0.
[[nodiscard]] ValueId softCapped(Builder& builder, ValueId x, double cap);

} // namespace shardscope
