// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for every file of the core: what nearly all of them include. Headers of the project are not here, since
// an edit of one would compile everything anew.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>
