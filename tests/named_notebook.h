// SPDX-License-Identifier: GPL-3.0-or-later
// Named arrays and their rules from short texts, and those of Penzai's notebook.
#pragma once

#include <vector>

#include "experiment/edits.h"
#include "experiment/named_state.h"
#include "sharding/text.h"

namespace shardscope {

inline NamedArraySetting array(const char* path, const char* axes)
{
    ArrayAxes read = *parseArrayAxes(axes);
    NamedArraySetting made;
    made.path = path;
    made.names = std::move(read.names);
    made.shape = std::move(read.shape);
    return made;
}

inline RulesSetting rulesOf(const char* text, bool mapping)
{
    RulesSetting rules;
    rules.rules = *parseRules(text);
    rules.rules.isSequence = !mapping;
    return rules;
}

/// The notebook: foo 4 x bar 2, a to bar, b to foo.
inline Experiment penzaiNotebook(std::vector<NamedArraySetting> arrays = {
                                     array("one", "a 4, b 8, c 6"), array("two", "a 8"), array("three", "b 4, d 12") })
{
    Experiment experiment;
    experiment.title = "notebook";
    experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 1, 8 };
    experiment.mesh.axes = { { "foo", 4 }, { "bar", 2 } };
    experiment.rules = rulesOf("[('a', 'bar'), ('b', 'foo')]", true);
    experiment.model = ArraysModel{ std::move(arrays) };
    return experiment;
}

} // namespace shardscope
