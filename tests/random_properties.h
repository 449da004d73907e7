// SPDX-License-Identifier: GPL-3.0-or-later
// Properties that hold for random input, tried by RapidCheck in as many cases as tests/random_cases.h says.
#pragma once

#include <iostream>
#include <string>
#include <utility>

#include <rapidcheck.h>

#include "random_cases.h"

namespace shardscope::test {

/// Whether the property holds in `cases` random cases, scaled; says on standard error what was tried and where it does
/// not hold. All else that the variable RC_PARAMS says (a seed, a case to reproduce) is obeyed.
template <class Property>
[[nodiscard]] bool propertyHolds(int cases, const std::string& description, Property&& property)
{
    rc::detail::TestParams params = rc::detail::configuration().testParams;
    params.maxSuccess = randomCases(cases);
    rc::detail::TestMetadata metadata;
    metadata.id = metadata.description = description;
    std::cerr << "\n- " << description << '\n';
    const auto result = rc::detail::checkTestable(std::forward<Property>(property), metadata, params);
    rc::detail::printResultMessage(result, std::cerr);
    std::cerr << std::endl;
    return result.template is<rc::detail::SuccessResult>();
}

} // namespace shardscope::test
