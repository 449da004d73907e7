// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings that the experiment knows of become information, with its reason.
#include <algorithm>

#include "analysis/problems.h"
#include "base/codes.h"

namespace shardscope {

namespace {

bool isAt(const Problem& problem, const Snapshot& snapshot, const std::string& place)
{
    const Where& where = problem.diagnostic.where;
    return place.empty() || where.path == place || where.pointer == place
        || (snapshot.program && std::any_of(problem.values.begin(), problem.values.end(), [&](ValueId value) {
               return *snapshot.program->value(value).path == place;
           }));
}

} // namespace

void acknowledgeKnown(Snapshot& snapshot)
{
    for (Problem& problem : snapshot.problems) {
        Diagnostic& found = problem.diagnostic;
        if (found.severity() != Severity::Warning)
            continue;
        const std::vector<Acknowledgement>& all = snapshot.experiment->acknowledged;
        const auto known = std::find_if(all.begin(), all.end(), [&](const Acknowledgement& each) {
            return each.finding == found.id() && isAt(problem, snapshot, each.at);
        });
        if (known == all.end())
            continue;
        std::vector<Arg> args{ { "finding", known->finding }, { "reason", known->reason } };
        args.insert(args.end(), found.args.begin(), found.args.end());
        found = { Code::Acknowledged, std::move(args), found.where };
    }
}

} // namespace shardscope
