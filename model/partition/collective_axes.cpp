// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/collective_axes.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "partition/lower_collectives.h"
#include "program/body.h"
#include "program/editor.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

constexpr const char* label = "shardscope.axes";
constexpr std::size_t maxCopiedIds = std::size_t{ 1 } << 20; ///< device ids, for handles of their own

bool isCollective(const Operation& operation)
{
    return isCollective(operation.kind) && attributesAs<CollectiveAttributes>(operation.attributes);
}

bool isLabelled(const Program& program, const Operation& operation)
{
    const auto& attributes = program.dictionaries[operation.extra];
    return std::any_of(
        attributes.begin(), attributes.end(), [](const auto& attribute) { return attribute.name == label; });
}

std::size_t idCount(const CollectiveAttributes& attributes)
{
    return std::accumulate(attributes.groups.begin(), attributes.groups.end(), std::size_t{ 0 },
        [](std::size_t sum, const auto& group) { return sum + group.size(); });
}

class Labels {
public:
    Labels(Program& program, const Mesh& mesh)
        : m_program(program)
        , m_mesh(mesh)
    {
        for (const RegionId body : bodies(program))
            walk(program, body, [this](OperationId id) {
                if (isCollective(m_program.operation(id)))
                    m_collectives.push_back(id);
            });
    }

    void run()
    {
        std::vector<OperationId> others; ///< than those that keep their handles
        for (const OperationId id : m_collectives) {
            const Operation& operation = m_program.operation(id);
            const auto& attributes = *attributesAs<CollectiveAttributes>(operation.attributes);
            const bool isNew = isLabelled(m_program, operation);
            if (isNew || (attributes.channelId > 0 && !m_taken.insert(attributes.channelId).second)) {
                others.push_back(id);
                m_ids += idCount(attributes);
            }
            if (!isNew)
                addLabel(id, attributes);
        }
        for (const OperationId id : others)
            setHandle(m_program.operations[id.index]);
    }

private:
    void addLabel(OperationId id, const CollectiveAttributes& attributes)
    {
        const OpKind kind = m_program.operation(id).kind;
        if (attributes.channelId <= 0 && !attributes.useGlobalDeviceIds)
            return; // among replicas
        std::vector<std::vector<std::int64_t>> groups = attributes.groups;
        for (std::vector<std::int64_t>& group : groups)
            std::erase_if(group, [](std::int64_t device) { return device < 0; });
        std::erase_if(groups, [](const auto& group) { return group.empty(); });
        if (kind == OpKind::CollectivePermute) {
            groups = connectedDevices(groups);
        } else if (groups.empty()) { // none are written: all devices
            groups.emplace_back();
            for (std::int64_t position = 0; position < m_mesh.deviceCount(); ++position)
                groups.back().push_back(m_mesh.deviceAt(position));
        }
        const AxisList axes = axesOfGroups(groups, m_mesh);
        if (axes.empty())
            return;
        auto attributesOfText = m_program.dictionaries[m_program.operation(id).extra];
        attributesOfText.push_back(axesLabel(m_mesh, axes));
        m_program.dictionaries.push_back(std::move(attributesOfText));
        m_program.operations[id.index].extra = static_cast<std::uint32_t>(m_program.dictionaries.size() - 1);
    }

    void setHandle(Operation& operation)
    {
        const auto* shared = attributesAs<CollectiveAttributes>(operation.attributes);
        if (m_ids > maxCopiedIds) {
            const auto known = m_shared.find(shared);
            if (known != m_shared.end()) {
                operation.attributes = known->second;
                return;
            }
        }
        CollectiveAttributes own = *shared;
        do
            ++m_last;
        while (m_taken.count(m_last) > 0);
        own.channelId = m_last;
        Attributes attributes = otherAttributes(std::move(own));
        if (m_ids > maxCopiedIds) {
            m_kept.push_back(operation.attributes); // so that its address stays taken
            m_shared.emplace(shared, attributes);
        }
        operation.attributes = std::move(attributes);
    }

    Program& m_program;
    const Mesh& m_mesh;
    std::vector<OperationId> m_collectives; ///< in the order of the text
    std::set<std::int64_t> m_taken; ///< handles
    std::int64_t m_last = 0;
    std::size_t m_ids = 0;
    std::unordered_map<const CollectiveAttributes*, Attributes> m_shared;
    std::vector<Attributes> m_kept;
};

} // namespace

AxisList axesOfGroups(const std::vector<std::vector<std::int64_t>>& groups, const Mesh& mesh)
{
    if (groups.empty() || groups.front().empty())
        return {};
    AxisList varying;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
        const auto coordinate = [&](std::int64_t device) {
            const std::int64_t position =
                device < 0 || device >= maximumDevices ? -1 : mesh.positionOf(static_cast<std::int32_t>(device));
            return position < 0 || position >= mesh.deviceCount() ? -1 : mesh.coordinate(position, axis);
        };
        const std::vector<std::int64_t>& first = groups.front();
        if (std::any_of(first.begin(), first.end(),
                [&](std::int64_t device) { return coordinate(device) != coordinate(first.front()); }))
            varying.push_back(fullAxis(mesh, axis));
    }
    const auto sorted = [](std::vector<std::vector<std::int64_t>> list) {
        for (std::vector<std::int64_t>& group : list)
            std::sort(group.begin(), group.end());
        std::sort(list.begin(), list.end());
        return list;
    };
    return sorted(deviceGroups(mesh, varying)) == sorted(groups) ? varying : AxisList();
}

std::vector<std::vector<std::int64_t>> connectedDevices(const std::vector<std::vector<std::int64_t>>& pairs)
{
    // Every device points towards the one that its group is called after.
    std::unordered_map<std::int64_t, std::int64_t> towards;
    const auto rootOf = [&](std::int64_t device) {
        std::int64_t root = device;
        while (towards[root] != root)
            root = towards[root];
        while (towards[device] != root)
            device = std::exchange(towards[device], root);
        return root;
    };
    for (const std::vector<std::int64_t>& pair : pairs)
        for (const std::int64_t device : pair) {
            towards.emplace(device, device);
            towards[rootOf(device)] = rootOf(pair.front());
        }
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> members;
    for (const auto& each : std::unordered_map(towards))
        members[rootOf(each.first)].push_back(each.first);
    std::vector<std::vector<std::int64_t>> groups;
    for (auto& [root, group] : members) {
        std::sort(group.begin(), group.end());
        groups.push_back(std::move(group));
    }
    std::sort(groups.begin(), groups.end());
    return groups;
}

NamedText axesLabel(const Mesh& mesh, const AxisList& axes)
{
    return { label, '"' + join(axes, ", ", [&](AxisRef ref) { return toString(mesh, ref); }) + '"' };
}

void addLabel(Program& program, OperationId operation, const Mesh& mesh, const AxisList& axes)
{
    program.dictionaries.push_back({ axesLabel(mesh, axes) });
    program.operations[operation.index].extra = static_cast<std::uint32_t>(program.dictionaries.size() - 1);
}

void labelCollectives(Program& program, const Mesh& mesh)
{
    Labels(program, mesh).run();
}

} // namespace shardscope
