// SPDX-License-Identifier: GPL-3.0-or-later
// A transformer as one long program: attention of four heads, gated MLP and norms for every layer, a loss and the
// backward pass. Its operations bear scopes, or none, as in a program that was read from a text.
//
//     Program program = test::transformerProgram(126); // some 30,000 operations
#pragma once

#include <QtGlobal>
#include <string>
#include <vector>

#include "program/builder.h"
#include "program/differentiate.h"

namespace shardscope::test {

class TransformerBuilder {
public:
    explicit TransformerBuilder(bool scoped)
        : m_builder("transformer")
        , m_scoped(scoped)
    {
    }

    Program build(int layers)
    {
        std::vector<ValueId> weights;
        const auto weight = [&](std::int64_t in, std::int64_t out, const std::string& path) {
            weights.push_back(m_builder.argument({ DType::F32, { in, out } }, "params/" + path, Role::Parameter));
            return weights.back();
        };
        const ValueId input = m_builder.argument({ DType::F32, { tokens, width } }, "x", Role::Input);
        ValueId x = input;
        for (int i = 0; i < layers; ++i) {
            const std::string layer = "layers." + std::to_string(i);
            scope(layer + "/attention");
            const ValueId normed = norm(x);
            for (int head = 0; head < heads; ++head) {
                const std::string own = layer + "/head" + std::to_string(head);
                const ValueId q = m_builder.dot(normed, weight(width, headWidth, own + "/q"));
                const ValueId k = m_builder.dot(normed, weight(width, headWidth, own + "/k"));
                const ValueId v = m_builder.dot(normed, weight(width, headWidth, own + "/v"));
                const ValueId scores = m_builder.dot(q, m_builder.transpose(k, { 1, 0 }));
                const ValueId mixed = m_builder.dot(softmax(scores), v);
                x = m_builder.binary(OpKind::Add, x, m_builder.dot(mixed, weight(headWidth, width, own + "/out")));
            }
            scope(layer + "/mlp");
            const ValueId inner = norm(x);
            const ValueId gate = m_builder.dot(inner, weight(width, hidden, layer + "/gate"));
            const ValueId up = m_builder.dot(inner, weight(width, hidden, layer + "/up"));
            const ValueId gated = m_builder.binary(OpKind::Multiply,
                m_builder.binary(OpKind::Multiply, gate, m_builder.unary(OpKind::Logistic, gate)), up);
            x = m_builder.binary(OpKind::Add, x, m_builder.dot(gated, weight(hidden, width, layer + "/down")));
            m_builder.named(x, layer + "/y", Role::Activation);
        }
        scope("loss");
        const ValueId loss = m_builder.named(
            m_builder.reduce(ReduceKind::Sum, m_builder.binary(OpKind::Multiply, x, x), { 0, 1 }), "loss", Role::Loss);
        const auto gradients = differentiate(m_builder, loss, weights);
        if (!gradients)
            qFatal("no gradients");
        for (std::size_t i = 0; i < weights.size(); ++i) {
            m_builder.named(
                (*gradients)[i], "grad(" + m_builder.program().value(weights[i]).path + ')', Role::Gradient);
            m_builder.result((*gradients)[i]);
        }
        m_builder.result(loss);
        return std::move(m_builder).finish();
    }

private:
    static constexpr std::int64_t tokens = 32, width = 64, headWidth = 16, hidden = 256;
    static constexpr int heads = 4;

    void scope(const std::string& name)
    {
        if (m_scoped)
            m_builder.setScope(name);
    }
    ValueId spread(ValueId rows, std::int64_t columns) { return m_builder.broadcast(rows, { tokens, columns }, { 0 }); }
    ValueId norm(ValueId x)
    {
        const ValueId squares = m_builder.reduce(ReduceKind::Sum, m_builder.binary(OpKind::Multiply, x, x), { 1 });
        const ValueId mean = m_builder.binary(
            OpKind::Divide, squares, m_builder.constant({ DType::F32, { tokens } }, static_cast<double>(width)));
        const ValueId scale = m_builder.unary(
            OpKind::Sqrt, m_builder.binary(OpKind::Add, mean, m_builder.constant({ DType::F32, { tokens } }, 1e-6)));
        return m_builder.binary(OpKind::Divide, x, spread(scale, width));
    }
    ValueId softmax(ValueId scores)
    {
        const ValueId powers = m_builder.unary(OpKind::Exponential, scores);
        return m_builder.binary(
            OpKind::Divide, powers, spread(m_builder.reduce(ReduceKind::Sum, powers, { 1 }), tokens));
    }

    Builder m_builder;
    bool m_scoped;
};

inline Program transformerProgram(int layers, bool scoped = true)
{
    return TransformerBuilder(scoped).build(layers);
}

} // namespace shardscope::test
