// SPDX-License-Identifier: GPL-3.0-or-later
// The readers of rules, specs and meshes. What they accept, they print and read again as the same.
#include "fuzz/fuzz.h"
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
        },
        runRules };
}

Target specTarget()
{
    return { "spec",
        { "P('data', None)", "jax.sharding.PartitionSpec(('pod', 'data'), 'model', P.UNCONSTRAINED)",
            "P((pod, data), -, ?)", "data, -, model", R"(["data", null, [], ["x"]])" },
        [](std::string_view text) {
            return roundTrip(text, parseSpec, [](const PartitionSpec& spec) { return toJax(spec); });
        } };
}

Target meshTarget()
{
    return { "mesh", { "data=2,model=4", "Mesh('data': 2, 'model': 4)", "pod = 2 , data=1024, \"x\"=1" },
        [](std::string_view text) {
            return roundTrip(text, parseMesh, [](const Mesh& mesh) { return toJax(mesh); });
        } };
}

} // namespace shardscope::fuzz
