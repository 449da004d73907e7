// SPDX-License-Identifier: GPL-3.0-or-later
#include "benchmarks/large_transformer.h"

#include <cmath>
#include <map>

#include "program/differentiate.h"

namespace shardscope::bench {

namespace {

using Names = std::vector<std::string>;

class TransformerBuilder {
public:
    explicit TransformerBuilder(const TransformerSettings& settings)
        : m_settings(settings)
        , m_builder("train_step")
        , m_embed(settings.heads * settings.headSize)
    {
        std::vector<MeshAxis> axes = { { "data", 1024 }, { "model", 16 } };
        if (settings.fourAxes)
            axes = { { "data", 16 }, { "fsdp", 64 }, { "tensor", 8 }, { "sequence", 2 } };
        m_mesh.name = "mesh";
        m_mesh.mesh = std::make_shared<const Mesh>(Mesh::create(axes).value());
    }

    Program build()
    {
        const TransformerSettings& s = m_settings;
        const ValueId tokens = argument("tokens", { s.batch, s.length, s.vocabulary }, { "batch", "sequence", "" });
        const ValueId targets = argument("targets", { s.batch, s.length, s.vocabulary }, { "batch", "sequence", "" });
        const ValueId embedding = parameter("embedding", { s.vocabulary, m_embed }, { "model", "shard" });
        ValueId x = contract(tokens, embedding, { 2 }, { 0 });
        x = constrain(x, { "batch", "sequence", "" });
        for (std::int64_t i = 0; i < s.layers; ++i) {
            m_builder.setScope("layers." + std::to_string(i));
            m_layer = "layers." + std::to_string(i) + "/";
            x = m_builder.binary(OpKind::Add, x, attention(norm(x, "attention_norm")));
            x = m_builder.binary(OpKind::Add, x, mlp(norm(x, "mlp_norm")));
            x = constrain(x, { "batch", "sequence", "" });
        }
        m_builder.setScope("loss");
        m_layer = "head/";
        const ValueId logits =
            contract(norm(x, "norm"), parameter("head", { m_embed, s.vocabulary }, { "shard", "model" }), { 2 }, { 0 });
        const ValueId value = loss(logits, targets);
        const auto gradients = differentiate(m_builder, value, m_parameters);
        m_builder.result(value);
        m_builder.setScope("optimizer");
        for (std::size_t p = 0; p < m_parameters.size(); ++p) {
            const ValueId rate = scalarLike(1e-4, m_parameters[p]);
            const ValueId update = m_builder.binary(OpKind::Multiply, rate, (*gradients)[p]);
            m_builder.result(m_builder.binary(OpKind::Subtract, m_parameters[p], update));
        }
        return withShardings(std::move(m_builder).finish());
    }

private:
    ValueId argument(const std::string& path, const Shape& shape, const Names& names, Role role = Role::Input)
    {
        const ValueId value = m_builder.argument({ DType::BF16, shape }, path, role);
        m_specified.emplace_back(value, sharding(names));
        return value;
    }
    ValueId parameter(const std::string& name, const Shape& shape, const Names& names)
    {
        const ValueId value = argument("params/" + m_layer + name, shape, names, Role::Parameter);
        m_parameters.push_back(value);
        return value;
    }
    ValueId constrain(ValueId value, const Names& names)
    {
        return m_builder.constrain(value, ExplicitSharding{ std::make_shared<const ProgramSharding>(sharding(names)) });
    }
    /// What a name of a dimension becomes on the mesh.
    [[nodiscard]] ProgramSharding sharding(const Names& names) const
    {
        const std::map<std::string, Names> two = { { "batch", { "data" } }, { "model", { "model" } } };
        const std::map<std::string, Names> four = { { "batch", { "data", "fsdp" } }, { "shard", { "fsdp" } },
            { "model", { "tensor" } }, { "sequence", { "sequence" } } };
        const auto& rules = m_settings.fourAxes ? four : two;
        ProgramSharding result;
        for (const std::string& name : names) {
            DimensionSharding& dim = result.sharding.dims.emplace_back();
            dim.open = false;
            if (const auto found = rules.find(name); found != rules.end())
                for (const std::string& axis : found->second)
                    dim.axes.push_back(fullAxis(*m_mesh.mesh, *m_mesh.mesh->axisIndex(axis)));
        }
        return result;
    }

    ValueId scalarLike(double number, ValueId like)
    {
        const TensorType type = m_builder.type(like);
        return m_builder.broadcastScalar(m_builder.constant({ type.dtype, {} }, number), type.shape);
    }
    ValueId contract(ValueId a, ValueId b, Dimensions left, Dimensions right, Dimensions batch = {})
    {
        DotGeneralAttributes attributes;
        attributes.lhsContracting = std::move(left);
        attributes.rhsContracting = std::move(right);
        attributes.lhsBatch = batch;
        attributes.rhsBatch = std::move(batch);
        return m_builder.dotGeneral(a, b, attributes);
    }
    /// Spreads what lost its last dimension over it again.
    ValueId spreadLast(ValueId value, ValueId like)
    {
        const Shape& shape = m_builder.type(like).shape;
        Dimensions dims;
        for (std::size_t d = 0; d + 1 < shape.size(); ++d)
            dims.push_back(static_cast<std::int64_t>(d));
        return m_builder.broadcast(value, shape, dims);
    }
    ValueId norm(ValueId x, const std::string& name)
    {
        const TensorType type = m_builder.type(x);
        const auto last = static_cast<std::int64_t>(type.rank()) - 1;
        const ValueId square = m_builder.binary(OpKind::Multiply, x, x);
        const ValueId sum = m_builder.reduce(ReduceKind::Sum, square, { last });
        const ValueId mean = m_builder.binary(OpKind::Multiply, sum, scalarLike(1.0 / double(m_embed), sum));
        const ValueId shifted = m_builder.binary(OpKind::Add, mean, scalarLike(1e-6, mean));
        const ValueId scaled =
            m_builder.binary(OpKind::Multiply, x, spreadLast(m_builder.unary(OpKind::Rsqrt, shifted), x));
        const ValueId weight = parameter(name, { m_embed }, { "" });
        return m_builder.binary(OpKind::Multiply, scaled, m_builder.broadcast(weight, type.shape, { last }));
    }
    ValueId rotated(ValueId heads)
    {
        const ValueId cosine = m_builder.unary(OpKind::Cosine, scalarLike(0.5, heads));
        const ValueId sine = m_builder.unary(OpKind::Sine, scalarLike(0.5, heads));
        return m_builder.binary(OpKind::Add, m_builder.binary(OpKind::Multiply, heads, cosine),
            m_builder.binary(OpKind::Multiply, m_builder.unary(OpKind::Negate, heads), sine));
    }
    ValueId projected(ValueId x, const std::string& name)
    {
        const TransformerSettings& s = m_settings;
        const ValueId flat = contract(x, parameter(name, { m_embed, m_embed }, { "shard", "model" }), { 2 }, { 0 });
        const ValueId heads = m_builder.reshape(flat, { s.batch, s.length, s.heads, s.headSize });
        return m_builder.transpose(heads, { 0, 2, 1, 3 });
    }
    ValueId attention(ValueId x)
    {
        const TransformerSettings& s = m_settings;
        const ValueId q = rotated(projected(x, "query"));
        const ValueId k = rotated(projected(x, "key"));
        const ValueId v = projected(x, "value");
        ValueId scores = contract(q, k, { 3 }, { 3 }, { 0, 1 });
        scores = m_builder.binary(OpKind::Multiply, scores, scalarLike(1.0 / std::sqrt(double(s.headSize)), scores));
        const ValueId biased = m_builder.binary(OpKind::Add, scores, scalarLike(-1.0, scores));
        const ValueId exponential = m_builder.unary(OpKind::Exponential, biased);
        const ValueId sum = m_builder.reduce(ReduceKind::Sum, exponential, { 3 });
        const ValueId weights = m_builder.binary(OpKind::Divide, exponential, spreadLast(sum, exponential));
        const ValueId mixed = contract(weights, v, { 3 }, { 2 }, { 0, 1 });
        const ValueId back =
            m_builder.reshape(m_builder.transpose(mixed, { 0, 2, 1, 3 }), { s.batch, s.length, m_embed });
        return contract(back, parameter("out", { m_embed, m_embed }, { "model", "shard" }), { 2 }, { 0 });
    }
    ValueId mlp(ValueId x)
    {
        const std::int64_t hidden = m_settings.hidden;
        const ValueId gate = contract(x, parameter("gate", { m_embed, hidden }, { "shard", "model" }), { 2 }, { 0 });
        const ValueId up = contract(x, parameter("up", { m_embed, hidden }, { "shard", "model" }), { 2 }, { 0 });
        const ValueId silu = m_builder.binary(OpKind::Multiply, gate, m_builder.unary(OpKind::Logistic, gate));
        ValueId product = m_builder.binary(OpKind::Multiply, silu, up);
        product = constrain(product, { "batch", "sequence", "model" });
        return contract(product, parameter("down", { hidden, m_embed }, { "model", "shard" }), { 2 }, { 0 });
    }
    ValueId loss(ValueId logits, ValueId targets)
    {
        const ValueId exponential = m_builder.unary(OpKind::Exponential, logits);
        const ValueId sum = m_builder.reduce(ReduceKind::Sum, exponential, { 2 });
        const ValueId normalised =
            m_builder.binary(OpKind::Subtract, logits, spreadLast(m_builder.unary(OpKind::Log, sum), logits));
        const ValueId chosen = m_builder.binary(OpKind::Multiply, normalised, targets);
        return m_builder.unary(OpKind::Negate, m_builder.reduce(ReduceKind::Sum, chosen, { 0, 1, 2 }));
    }

    Program withShardings(Program program)
    {
        program.meshes = { m_mesh };
        Function
            main; // a program without one has nowhere to keep how its results are sharded: they come back replicated
        main.name = "main";
        main.body = RegionId(0);
        program.functions.push_back(std::move(main));
        program.valueShardings.assign(program.values.size(), 0);
        for (const auto& [value, sharding] : m_specified) {
            auto known = std::find(program.shardings.begin(), program.shardings.end(), sharding);
            if (known == program.shardings.end())
                known = program.shardings.insert(known, sharding);
            program.valueShardings[value.index] = static_cast<ShardingIndex>(known - program.shardings.begin() + 1);
        }
        return program;
    }

    const TransformerSettings& m_settings;
    Builder m_builder;
    std::int64_t m_embed;
    ProgramMesh m_mesh;
    std::string m_layer;
    std::vector<ValueId> m_parameters;
    std::vector<std::pair<ValueId, ProgramSharding>> m_specified;
};

} // namespace

Program largeTransformer(const TransformerSettings& settings)
{
    return TransformerBuilder(settings).build();
}

} // namespace shardscope::bench
