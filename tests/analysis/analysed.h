// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments that tests start from, and what the pipeline makes of them without a cache from before.
#pragma once

#include <QtGlobal>
#include <memory>
#include <string_view>
#include <utility>

#include "analysis/analyse.h"
#include "experiment/builtin.h"

namespace shardscope::test {

inline Experiment example(std::string_view id)
{
    for (const Example& candidate : builtinExamples())
        if (candidate.id == id)
            return candidate.make();
    qFatal("no such example");
}

inline SnapshotPtr analysed(Experiment experiment)
{
    AnalysisCache cache;
    return analyse(std::make_shared<const Experiment>(std::move(experiment)), 1, cache);
}

} // namespace shardscope::test
