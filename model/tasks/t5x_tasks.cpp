// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks of "T5X: partitioning".
// Declared in task_lists.h.
#include "experiment/edits.h"
#include "experiment/rule_edits.h"
#include "tasks/task_lists.h"

namespace shardscope {

namespace {

constexpr std::int64_t kibibyte = 1024, mebibyte = 1024 * kibibyte;

/// What standard_logical_axis_rules gives for two dimensions of both: model is asked for first where it is free, and
/// data where batch does not have it.
Result<Experiment> embedOverBothAxes(const Experiment& start)
{
    const auto embed = [](const char* axis) { return LogicalRule{ LogicalName::of("embed"), SpecEntry::axis(axis) }; };
    SHARDSCOPE_TRY(without, withRuleRemoved(start, RuleList{}, 2));
    SHARDSCOPE_TRY(model, withRuleInserted(*without, RuleList{}, 6, embed("model")));
    return withRuleInserted(*model, RuleList{}, 7, embed("data"));
}

Result<Experiment> additionalRuleFirst(const Experiment& start)
{
    return withRuleMoved(start, RuleList{}, 13, 0);
}

Result<Experiment> sixAlongData(const Experiment& start)
{
    return withAxisSizes(start, { 2, 6, 2 });
}

} // namespace

std::vector<Task> t5xTasks()
{
    constexpr std::string_view group = "t5x";
    using Goal = Condition::Kind;
    return {
        { "two-dimensions", group, "t5x-a1p1", "Which rules for embed bring the arrays under 104 MiB per device?",
            "embed is replicated so far. It can take model where no other dimension has it, and data where batch does "
            "not: two rules of one name, after those that are to come first.",
            { { Goal::PeakAtMost, {}, 104 * mebibyte }, { Goal::MeshKept }, { Goal::ModelKept } }, &embedOverBothAxes },
        { "additional-rule-counts", group, "t5x-additional-rules",
            "Where does the additional rule for embed have to stand to have an effect?",
            "An earlier rule of that name keeps embed replicated.",
            { { Goal::ShardedByRule, "layers_0/mlp/wi/kernel", 0, {}, "embed", "data" }, { Goal::RulesKept },
                { Goal::MeshKept } },
            &additionalRuleFirst },
        { "smaller-slices-of-the-batch", group, "t5x-replica-data-model",
            "Can every device take 8 rows of the batch, with the same rules and 24 devices?",
            "The batch is sharded over replica and data together. Take devices from model.",
            { { Goal::ArrayAtMost, "batch/tokens", 16 * kibibyte }, { Goal::DevicesKept }, { Goal::RulesKept },
                { Goal::ModelKept } },
            &sixAlongData },
    };
}

} // namespace shardscope
