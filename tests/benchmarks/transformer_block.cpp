// SPDX-License-Identifier: GPL-3.0-or-later
#include "benchmarks/transformer_block.h"

#include <initializer_list>

namespace shardscope::bench {

namespace {

std::string tensor(std::initializer_list<std::int64_t> shape)
{
    std::string type = "tensor<";
    for (const std::int64_t size : shape)
        type += std::to_string(size) + 'x';
    return type + "f32>";
}

/// Writes operations one by one; each gives back the name of its result.
class BlockText {
public:
    explicit BlockText(const TransformerBlock& block)
        : m_block(block)
        , m_x(tensor({ block.batch, block.sequence, block.width }))
        , m_rows(tensor({ block.batch, block.sequence }))
        , m_heads(tensor({ block.batch, block.sequence, block.heads, block.width / block.heads }))
        , m_scores(tensor({ block.batch, block.heads, block.sequence, block.sequence }))
        , m_scoreRows(tensor({ block.batch, block.heads, block.sequence }))
        , m_hidden(tensor({ block.batch, block.sequence, block.hidden() }))
    {
    }

    std::string run()
    {
        const std::string square = tensor({ m_block.width, m_block.width });
        const std::string up = tensor({ m_block.width, m_block.hidden() });
        const std::string down = tensor({ m_block.hidden(), m_block.width });
        const auto argument = [](const char* name, const std::string& type, const char* dims) {
            return std::string(name) + ": " + type + " {sdy.sharding = #sdy.sharding<@mesh, [" + dims + "]>}";
        };
        m_text =
            "module @transformer_block {\n  sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>\n  func.func public @main("
            + argument("%x", m_x, "{\"data\"}, {}, {}") + ", " + argument("%wq", square, "{}, {\"model\"}") + ", "
            + argument("%wk", square, "{}, {\"model\"}") + ", " + argument("%wv", square, "{}, {\"model\"}") + ", "
            + argument("%wo", square, "{\"model\"}, {}") + ", " + argument("%up", up, "{}, {\"model\"}") + ", "
            + argument("%down", down, "{\"model\"}, {}") + ") -> " + m_x + " {\n"
            + "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
              "    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>\n";
        const std::string attended = attention(norm("%x"));
        const std::string middle = add("add %x, " + attended + " : " + m_x);
        const std::string out = add("add " + middle + ", " + mlp(norm(middle)) + " : " + m_x);
        return m_text + "    return " + out + " : " + m_x + "\n  }\n}\n";
    }

private:
    std::string add(const std::string& operation)
    {
        const std::string name = "%" + std::to_string(m_next++);
        m_text += "    " + name + " = stablehlo." + operation + "\n";
        return name;
    }
    std::string constant(const std::string& value, const std::string& type)
    {
        return add("constant dense<" + value + "> : " + type);
    }
    std::string product(const std::string& a, const std::string& b, const std::string& dims, const std::string& aType,
        const std::string& bType, const std::string& type)
    {
        return add("dot_general " + a + ", " + b + ", " + dims + " : (" + aType + ", " + bType + ") -> " + type);
    }
    std::string reduced(const std::string& value, const char* initial, const char* by, const std::string& dimension,
        const std::string& from, const std::string& to)
    {
        return add("reduce(" + value + " init: " + initial + ") applies stablehlo." + by + " across dimensions = ["
            + dimension + "] : (" + from + ", tensor<f32>) -> " + to);
    }
    std::string spread(
        const std::string& value, const std::string& dims, const std::string& from, const std::string& to)
    {
        return add("broadcast_in_dim " + value + ", dims = [" + dims + "] : (" + from + ") -> " + to);
    }

    std::string norm(const std::string& x)
    {
        const std::string squares = add("multiply " + x + ", " + x + " : " + m_x);
        const std::string sums = reduced(squares, "%zero", "add", "2", m_x, m_rows);
        const std::string scale = constant(std::to_string(1.0 / static_cast<double>(m_block.width)), m_rows);
        const std::string means = add("multiply " + sums + ", " + scale + " : " + m_rows);
        const std::string safe = add("add " + means + ", " + constant("1.0e-6", m_rows) + " : " + m_rows);
        const std::string factors = add("rsqrt " + safe + " : " + m_rows);
        return add("multiply " + x + ", " + spread(factors, "0, 1", m_rows, m_x) + " : " + m_x);
    }

    std::string projected(const std::string& x, const std::string& w, const std::string& wType, const std::string& type)
    {
        return product(x, w, "contracting_dims = [2] x [0]", m_x, wType, type);
    }

    std::string attention(const std::string& x)
    {
        const std::string square = tensor({ m_block.width, m_block.width });
        const auto heads = [&](const char* w) {
            return add("reshape " + projected(x, w, square, m_x) + " : (" + m_x + ") -> " + m_heads);
        };
        const std::string q = heads("%wq"), k = heads("%wk"), v = heads("%wv");
        const std::string scores =
            product(q, k, "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]", m_heads, m_heads, m_scores);
        const std::string scaled = add("multiply " + scores + ", " + constant("0.125", m_scores) + " : " + m_scores);
        const std::string highest = reduced(scaled, "%lowest", "maximum", "3", m_scores, m_scoreRows);
        const std::string shifted =
            add("subtract " + scaled + ", " + spread(highest, "0, 1, 2", m_scoreRows, m_scores) + " : " + m_scores);
        const std::string powers = add("exponential " + shifted + " : " + m_scores);
        const std::string sums = reduced(powers, "%zero", "add", "3", m_scores, m_scoreRows);
        const std::string weights =
            add("divide " + powers + ", " + spread(sums, "0, 1, 2", m_scoreRows, m_scores) + " : " + m_scores);
        const std::string perHead =
            tensor({ m_block.batch, m_block.heads, m_block.sequence, m_block.width / m_block.heads });
        const std::string mixed = product(
            weights, v, "batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1]", m_scores, m_heads, perHead);
        const std::string back = add("transpose " + mixed + ", dims = [0, 2, 1, 3] : (" + perHead + ") -> " + m_heads);
        return projected(add("reshape " + back + " : (" + m_heads + ") -> " + m_x), "%wo", square, m_x);
    }

    std::string mlp(const std::string& x)
    {
        const std::string h = projected(x, "%up", tensor({ m_block.width, m_block.hidden() }), m_hidden);
        const auto with = [&](const char* operation, const std::string& a, const std::string& b) {
            return add(std::string(operation) + ' ' + a + ", " + b + " : " + m_hidden);
        };
        const std::string cube = with("multiply", h, with("multiply", h, h));
        const std::string inner = with("add", h, with("multiply", cube, constant("0.044715", m_hidden)));
        const std::string bent =
            add("tanh " + with("multiply", inner, constant("0.7978846", m_hidden)) + " : " + m_hidden);
        const std::string half = with("multiply", h, constant("0.5", m_hidden));
        const std::string gelu = with("multiply", half, with("add", bent, constant("1.0", m_hidden)));
        return product(
            gelu, "%down", "contracting_dims = [2] x [0]", m_hidden, tensor({ m_block.hidden(), m_block.width }), m_x);
    }

    const TransformerBlock& m_block;
    std::string m_x, m_rows, m_heads, m_scores, m_scoreRows, m_hidden; ///< types
    std::string m_text;
    int m_next = 0;
};

} // namespace

std::string TransformerBlock::text() const
{
    return BlockText(*this).run();
}

double TransformerBlock::flops() const
{
    const auto tokens = static_cast<double>(batch * sequence), d = static_cast<double>(width);
    const double projections = 4 * d * d + 2 * d * static_cast<double>(hidden());
    const double attention = 2 * static_cast<double>(sequence) * d;
    return 2 * tokens * (projections + attention);
}

double TransformerBlock::bytes(int dataAxis) const
{
    const auto d = static_cast<double>(width);
    const double parameters = 4 * d * d + 2 * d * static_cast<double>(hidden());
    return 4 * (dataAxis * parameters + 2 * static_cast<double>(batch * sequence) * d);
}

} // namespace shardscope::bench
