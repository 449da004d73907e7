// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in verify_findings.h.
#include "base/codes.h"
#include "program/verify_findings.h"

namespace shardscope::verification {

void checkMesh(const ProgramMesh& mesh, Findings& findings)
{
    const Place place{ .role = "mesh", .source = mesh.source };
    const DeclaredMesh& declared = *mesh.illegal;
    const auto wrong = [&](const char* what, std::vector<Arg> more = {}) {
        more.emplace_back("mesh", mesh.name);
        more.emplace_back("wrong", what);
        findings.add(Code::BadMesh, std::move(more), place);
    };
    if (declared.axes.empty()) {
        if (declared.deviceIds.size() == 1 && declared.deviceIds.front() < 0)
            wrong("id", { { "device", declared.deviceIds.front() } });
        else
            wrong("no_axes", { { "devices", declared.deviceIds.size() } });
        return;
    }
    const Result<Mesh> made = Mesh::create(declared.axes);
    if (!made) { // names, sizes, limits
        std::vector<Arg> args = made.error().args;
        args.emplace_back("mesh", mesh.name);
        findings.add(made.error().code, std::move(args), place);
        return;
    }
    const std::vector<std::int64_t>& ids = declared.deviceIds;
    if (static_cast<std::int64_t>(ids.size()) != made->deviceCount()) {
        wrong("ids", { { "found", ids.size() }, { "devices", made->deviceCount() } });
        return;
    }
    std::vector<bool> seen(ids.size(), false);
    for (const std::int64_t id : ids) {
        if (id < 0 || id >= made->deviceCount()) {
            wrong("id", { { "device", id }, { "devices", made->deviceCount() } });
            return;
        }
        if (seen[static_cast<std::size_t>(id)]) {
            wrong("id_twice", { { "device", id } });
            return;
        }
        seen[static_cast<std::size_t>(id)] = true;
    }
    wrong("plain_order");
}

} // namespace shardscope::verification
