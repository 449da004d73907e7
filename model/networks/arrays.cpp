// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/arrays.h"

#include <algorithm>
#include <set>

#include "base/codes.h"
#include "program/builder.h"

namespace shardscope {

namespace {

tl::unexpected<Error> invalid(const NamedArraySetting& array, std::vector<Arg> args)
{
    Where where;
    where.path = array.path;
    args.emplace_back("op", "array");
    return fail(Code::InvalidAttribute, std::move(args), std::move(where));
}

/// Parameters have no batch; what has one is read for a step.
Role roleOf(const NamedArraySetting& array)
{
    const LogicalName batch = LogicalName::of("batch");
    return std::find(array.names.begin(), array.names.end(), batch) == array.names.end() ? Role::Parameter
                                                                                         : Role::Input;
}

} // namespace

Result<Program> buildArrays(const std::vector<NamedArraySetting>& arrays)
{
    Builder builder("arrays");
    std::set<std::string> paths;
    std::int64_t bytes = 0;
    for (const NamedArraySetting& array : arrays) {
        const TensorType type{ array.dtype, array.shape };
        if (array.names.size() != array.shape.size())
            return invalid(
                array, { { "wrong", "names" }, { "names", array.names.size() }, { "dimensions", array.shape.size() } });
        if (!paths.insert(array.path).second)
            return invalid(array, { { "wrong", "path" } });
        if (auto fits = checkSize(type); !fits) {
            fits.error().where.path = array.path;
            return tl::unexpected(fits.error());
        }
        if (type.byteCount() > maximumBytes - bytes)
            return fail(
                Code::TooLarge, { { "what", "arrays" }, { "bytes", type.byteCount() }, { "limit", maximumBytes } });
        bytes += type.byteCount();
        std::vector<std::string> dimNames;
        for (const LogicalName& name : array.names)
            dimNames.push_back(name.name);
        builder.argument(type, array.path, roleOf(array), std::move(dimNames), LogicalAxes{ array.names });
    }
    return std::move(builder).finish();
}

} // namespace shardscope
