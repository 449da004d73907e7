// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/verify_manual.h"

#include <algorithm>

#include "base/codes.h"
#include "program/program_mesh.h"

namespace shardscope::verification {

namespace {

bool isNamed(const Mesh& mesh, AxisRef ref, const std::vector<std::string>& names)
{
    const auto axis = static_cast<std::size_t>(ref.axis);
    return axis < mesh.rank() && std::find(names.begin(), names.end(), mesh.axis(axis).name) != names.end();
}

std::string typeText(const Program& program, const TensorType& type)
{
    if (type.dtype == DType::Other)
        return type.other < program.otherTypes.size() ? program.otherTypes[type.other] : "?";
    return toString(type);
}

class ManualCheck {
public:
    ManualCheck(const Program& program, OperationId id, const ManualComputationAttributes& attributes,
        const ManualScope* around, Findings& findings)
        : m_program(program)
        , m_id(id)
        , m_operation(program.operation(id))
        , m_attributes(attributes)
        , m_around(around)
        , m_findings(findings)
    {
    }

    void run() const
    {
        const bool hasBody = !m_operation.regions.empty();
        const std::vector<ValueId> none;
        const Region* body = hasBody ? &m_program.regions[m_operation.regions[0].index] : nullptr;
        const std::vector<ValueId>& arguments = body ? body->arguments : none;
        const std::vector<ValueId>& returned = body ? body->results : none;
        const bool counts = count("in_sharding", m_attributes.in.size(), m_operation.operands.size())
            & count("out_sharding", m_attributes.out.size(), m_operation.results.size());
        const bool inside = number("body_argument", arguments.size(), m_operation.operands.size())
            & number("body_result", returned.size(), m_operation.results.size());
        checkAxes();
        if (!counts || !inside)
            return;
        for (std::size_t i = 0; i < arguments.size(); ++i)
            checkPair(m_attributes.in[i], m_operation.operands[i], arguments[i], i, true);
        for (std::size_t i = 0; i < returned.size(); ++i)
            checkPair(m_attributes.out[i], m_operation.results[i], returned[i], i, false);
    }

private:
    [[nodiscard]] Place at(const char* role, std::int64_t index = -1, ValueId value = {}) const
    {
        return { .operation = m_id, .role = role, .index = index, .value = value };
    }
    [[nodiscard]] bool count(const char* role, std::size_t found, std::size_t expected) const
    {
        if (found != expected)
            m_findings.add(Code::ShardingCount, { { "found", found }, { "expected", expected } }, at(role));
        return found == expected;
    }
    [[nodiscard]] bool number(const char* role, std::size_t found, std::size_t expected) const
    {
        if (found != expected)
            m_findings.add(Code::BadManualComputation,
                { { "wrong", role }, { "found", found }, { "expected", expected } }, at(role));
        return found == expected;
    }

    /// The manual axes: known, each once, over one mesh, and not manual already.
    void checkAxes() const
    {
        const std::vector<std::string>& names = m_attributes.manualAxes;
        if (names.empty() || (m_attributes.in.empty() && m_attributes.out.empty()))
            return;
        const Mesh* mesh = commonMesh(m_program, m_attributes);
        if (!mesh || mesh->rank() == 0) {
            if (!hasUnusableMesh())
                m_findings.add(Code::BadManualComputation, { { "wrong", "meshes" } }, at("axes"));
            return;
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!mesh->axisIndex(names[i]))
                m_findings.add(Code::ManualAxes,
                    { { "wrong", "unknown" }, { "axis", names[i] }, { "known", mesh->axisNames() } }, at("axes"));
            if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i])
                != names.begin() + static_cast<std::ptrdiff_t>(i))
                m_findings.add(Code::ManualAxes, { { "wrong", "twice" }, { "axis", names[i] } }, at("axes"));
            for (const ManualScope* scope = m_around; scope; scope = scope->outer) {
                const std::vector<std::string>& bound = scope->computation->manualAxes;
                if (scope->mesh && *scope->mesh == *mesh
                    && std::find(bound.begin(), bound.end(), names[i]) != bound.end())
                    m_findings.add(
                        Code::BadManualComputation, { { "wrong", "again" }, { "axis", names[i] } }, at("axes"));
            }
        }
    }
    [[nodiscard]] bool hasUnusableMesh() const
    {
        const auto unusable = [&](const ProgramSharding& sharding) {
            const ProgramMesh& mesh = m_program.meshes[sharding.mesh];
            return mesh.undeclared || mesh.illegal;
        };
        return std::any_of(m_attributes.in.begin(), m_attributes.in.end(), unusable)
            || std::any_of(m_attributes.out.begin(), m_attributes.out.end(), unusable);
    }

    /// What the manual axes of a sharding make of the type outside, against the type inside.
    void checkPair(
        const ProgramSharding& sharding, ValueId outside, ValueId inside, std::size_t index, bool isArgument) const
    {
        const char* role = isArgument ? "in_sharding" : "out_sharding";
        const ProgramMesh& mesh = m_program.meshes[sharding.mesh];
        const TensorType& global = m_program.value(outside).type;
        const TensorType& local = m_program.value(inside).type;
        TensorType expected = global;
        if (isTensor(global.dtype)) {
            if (mesh.undeclared || mesh.illegal || sharding.sharding.rank() != global.rank())
                return; // reported with the sharding
            for (std::size_t dim = 0; dim < global.rank(); ++dim) {
                const std::int64_t parts = manualParts(mesh, sharding.sharding.dims[dim].axes, dim, role, index);
                const std::int64_t size = global.shape[dim];
                if (size == dynamicSize)
                    continue;
                if (size % parts != 0) {
                    m_findings.add(Code::ManualAxes,
                        { { "wrong", "divide" }, { "dim", dim }, { "size", size }, { "partitions", parts } },
                        at(role, static_cast<std::int64_t>(index), outside));
                    return;
                }
                expected.shape.edit()[dim] = size / parts;
            }
        }
        if (expected != local)
            m_findings.add(Code::LocalShape,
                { { "expected", typeText(m_program, expected) }, { "found", typeText(m_program, local) } },
                at(isArgument ? "body_argument" : "body_result", static_cast<std::int64_t>(index), inside));
    }
    /// Product of the manual axes of a dimension, which have to be its first.
    [[nodiscard]] std::int64_t manualParts(
        const ProgramMesh& mesh, const AxisList& axes, std::size_t dim, const char* role, std::size_t index) const
    {
        std::int64_t parts = 1;
        const AxisRef* free = nullptr;
        for (const AxisRef& ref : axes) {
            if (!isNamed(*mesh.mesh, ref, m_attributes.manualAxes)) {
                free = free ? free : &ref;
                continue;
            }
            parts = saturatingProduct(parts, std::max<std::int64_t>(ref.size, 1));
            if (free)
                m_findings.add(Code::ManualAxes,
                    { { "wrong", "order" }, { "axis", axisText(mesh, ref) }, { "other", axisText(mesh, *free) },
                        { "dim", dim } },
                    at(role, static_cast<std::int64_t>(index)));
        }
        return parts;
    }

    const Program& m_program;
    OperationId m_id;
    const Operation& m_operation;
    const ManualComputationAttributes& m_attributes;
    const ManualScope* m_around;
    Findings& m_findings;
};

} // namespace

std::string boundAxis(const Program& program, const ProgramSharding& sharding, const ManualScope* scope)
{
    const Mesh& mesh = *program.meshes[sharding.mesh].mesh;
    for (; scope; scope = scope->outer) {
        if (!scope->mesh || (scope->mesh != &mesh && *scope->mesh != mesh))
            continue;
        const auto find = [&](const AxisList& list) -> std::string {
            for (const AxisRef ref : list)
                if (isNamed(mesh, ref, scope->computation->manualAxes))
                    return mesh.axis(static_cast<std::size_t>(ref.axis)).name;
            return {};
        };
        for (const DimensionSharding& dim : sharding.sharding.dims)
            if (std::string found = find(dim.axes); !found.empty())
                return found;
        for (const AxisList* list : { &sharding.sharding.replicated, &sharding.sharding.unreduced })
            if (std::string found = find(*list); !found.empty())
                return found;
    }
    return {};
}

const Mesh* commonMesh(const Program& program, const ManualComputationAttributes& attributes)
{
    const Mesh* common = nullptr;
    for (const auto* list : { &attributes.in, &attributes.out })
        for (const ProgramSharding& sharding : *list) {
            const Mesh* mesh = program.meshes[sharding.mesh].mesh.get();
            if (!common || common->rank() == 0)
                common = mesh;
            else if (mesh->rank() > 0 && mesh != common && *mesh != *common)
                return nullptr;
        }
    return common;
}

void checkManualComputation(const Program& program, OperationId id, const ManualScope* around, Findings& findings)
{
    if (const auto* attributes = attributesAs<ManualComputationAttributes>(program.operation(id).attributes))
        ManualCheck(program, id, *attributes, around, findings).run();
}

void checkNamedComputation(const Program& program, OperationId id, Findings& findings)
{
    const Operation& operation = program.operation(id);
    const auto* attributes = attributesAs<NamedComputationAttributes>(operation.attributes);
    if (!attributes)
        return;
    const auto count = [&](const char* role, std::size_t found, std::size_t expected) {
        if (found != 0 && found != expected)
            findings.add(Code::ShardingCount, { { "found", found }, { "expected", expected } },
                { .operation = id, .role = role });
    };
    count("in_sharding", attributes->in.size(), operation.operands.size());
    count("out_sharding", attributes->out.size(), operation.results.size());
}

} // namespace shardscope::verification
