// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks of "Penzai: jitting and sharding".
// Declared in task_lists.h.
#include "experiment/edits.h"
#include "experiment/rule_edits.h"
#include "tasks/task_lists.h"

namespace shardscope {

namespace {

Result<Experiment> fourAlongBar(const Experiment& start)
{
    return withAxisSizes(start, { 2, 4 });
}

Result<Experiment> fourBelowEachOther(const Experiment& start)
{
    SHARDSCOPE_TRY(rows, withNameMapped(start, "four", SpecEntry::axis("x")));
    return withNameMapped(*rows, "two", SpecEntry::tuple({ "y", "z" }));
}

Result<Experiment> neuronsFirst(const Experiment& start)
{
    return withRuleInserted(
        start, RuleList{}, 0, LogicalRule{ LogicalName::of("neurons"), SpecEntry::axis("devices") });
}

} // namespace

std::vector<Task> penzaiTasks()
{
    constexpr std::string_view group = "penzai";
    using Goal = Condition::Kind;
    return {
        { "transpose-the-grid", group, "penzai-positional",
            "How do the eight devices lie as 2 rows and 4 columns over the array reshape_4_2?",
            "The mesh has an axis for every factor of 8. Choose which of them shard the rows and which the columns.",
            { { Goal::ArrayLaidOut, "reshape_4_2", 0, "P(x, (y, z))" }, { Goal::MeshKept }, { Goal::ModelKept } },
            &fourBelowEachOther },
        { "smaller-second-array", group, "penzai-name-to-name",
            "Can every device hold at most 8 bytes of the array two, with the same mapping?",
            "Its only name goes to bar. The axes of the mesh may have other sizes.",
            { { Goal::ArrayAtMost, "two", 8 }, { Goal::DevicesKept }, { Goal::RulesKept }, { Goal::ModelKept } },
            &fourAlongBar },
        { "neurons-instead", group, "penzai-tiny-transformer",
            "Can the MLP be sharded along its neurons while everything else stays along embedding?",
            "A mesh axis shards one dimension of an array: the rule that comes first decides which.",
            { { Goal::ShardedByRule, "blocks/0/mlp/gating/kernel", 0, {}, "neurons", "devices" },
                { Goal::ShardedByRule, "blocks/0/attention/query/kernel", 0, {}, "embedding", "devices" },
                { Goal::CopiesAtMost, {}, 1 }, { Goal::MeshKept }, { Goal::ModelKept } },
            &neuronsFirst },
    };
}

} // namespace shardscope
