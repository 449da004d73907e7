// SPDX-License-Identifier: GPL-3.0-or-later
// The readers of rules, specs and meshes. What they accept, they print and read again as the same.
#include "base/codes.h"
#include "fuzz/fuzz.h"
#include "rules/dialect.h"
#include "sharding/text.h"

namespace shardscope::fuzz {

namespace {

/// `read` the text, `print` the value and read it again.
template <class Read, class Print>
std::string roundTrip(std::string_view text, Read read, Print print)
{
    const auto value = read(text);
    if (!value)
        return checkError(value.error(), text);
    const std::string printed = print(*value);
    const auto again = read(printed);
    if (!again)
        return "cannot read its own text " + printed;
    return *again == *value ? std::string() : "reads its own text differently: " + printed;
}

/// What rules resolve to, in every dialect, on meshes small and large.
std::string putOnMeshes(const PartitionSpec& spec)
{
    static const std::vector<Mesh> meshes{ *Mesh::create({ { "x", 2 }, { "y", 3 }, { "data", 1 } }),
        *Mesh::create({ { "x", 65'536 }, { "model", 16 } }), *Mesh::create({}) };
    const std::vector<std::int64_t> shape{ 6, 8, 5 };
    for (const Mesh& mesh : meshes)
        for (const Dialect dialect : { Dialect::FlaxLinen, Dialect::T5x, Dialect::MaxText }) {
            const SpecOnMesh left = onMesh(spec, dialect, mesh, shape);
            const Result<void> valid = validate(left.spec, mesh, shape);
            if (!valid && dialect == Dialect::MaxText && valid.error().code != Code::AxisUsedTwice)
                return "MaxText is left with " + toJax(left.spec);
            if (!valid && valid.error().code == Code::UnknownAxis)
                return "an axis that the mesh lacks is left in " + toJax(left.spec);
        }
    return {};
}

std::string runRules(std::string_view text)
{
    Result<LogicalRules> rules = parseRules(text);
    if (!rules)
        return checkError(rules.error(), text);
    bool pairs = true;
    for (const LogicalRule& rule : rules->list)
        pairs = pairs && rule.arity == 2;
    const Result<Resolution> resolution = resolve(
        { LogicalName::of("batch"), LogicalName::none(), LogicalName::of("embed") }, *rules, FlaxVersion::Year2024);
    if (pairs && rules->isSequence && !resolution)
        return "pairs cannot be resolved";
    if (resolution)
        if (const std::string wrong = putOnMeshes(resolution->spec()); !wrong.empty())
            return wrong;
    return pairs ? roundTrip(text, parseRules, toPython) : std::string();
}

} // namespace

Target rulesTarget()
{
    return { "rules",
        {
            R"([["batch", "data"], ["embed", null], ["mlp", ["model", "pod"]]])",
            "rules = (('batch', 'data'),  # comment\n         (\"embed\", None),\n         ('heads', ('x', 'y')),)\n",
            "RULES: Sequence[Any] = [('a', P.UNCONSTRAINED), (None, 'x'), ('b', ()), ('c', ('x', ('y',)))]",
            "{'a': 'x', 'b\\n\\u00e9': None}",
            "logical_axis_rules: [\n  ['batch', ['data', 'fsdp']],\n]",
            "[('batch', ('x', 'x', 'x', 'x')), ('embed', ('y', 'model', 'y'))]",
        },
        runRules, { { "[", "('n#', 'x'),", "]" }, { "[('batch', (", "'x#',", "))]" }, { "{", "'n#': None,", "}" } } };
}

Target specTarget()
{
    return { "spec",
        { "P('data', None)", "jax.sharding.PartitionSpec(('pod', 'data'), 'model', P.UNCONSTRAINED)",
            "P((pod, data), -, ?)", "data, -, model", R"(["data", null, [], ["x"]])" },
        [](std::string_view text) {
            return roundTrip(text, parseSpec, [](const PartitionSpec& spec) { return toJax(spec); });
        },
        { { "P(", "'x#',", ")" }, { "P((", "'x#',", "))" } } };
}

Target meshTarget()
{
    return { "mesh", { "data=2,model=4", "Mesh('data': 2, 'model': 4)", "pod = 2 , data=1024, \"x\"=1" },
        [](std::string_view text) { return roundTrip(text, parseMesh, [](const Mesh& mesh) { return toJax(mesh); }); },
        { { "", "x#=1,", "y=1" }, { "Mesh(", "'x#': 1,", ")" } } };
}

} // namespace shardscope::fuzz
