// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/experiment.h"

#include <algorithm>

namespace shardscope {

bool isValidName(std::string_view name)
{
    return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
        const auto code = static_cast<unsigned char>(c);
        return code < 0x20 || code == 0x7f;
    });
}

Result<Mesh> makeMesh(const MeshSetting& setting)
{
    return Mesh::create(setting.axes, setting.deviceOrder);
}

} // namespace shardscope
