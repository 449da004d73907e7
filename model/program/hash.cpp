// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in program.h and attributes.h.
#include <optional>
#include <ranges>
#include <type_traits>

#include "base/fields.h"
#include "base/hash.h"
#include "program/other_attributes.h"
#include "program/program.h"

namespace shardscope {

namespace {

// Every list is preceded by its length and every alternative by its index, so that different programs never feed the
// same sequence to the hasher.

template <class T>
void add(Hasher& hasher, Id<T> id)
{
    hasher.add(id.index);
}

void add(Hasher& hasher, std::int64_t number)
{
    hasher.add(number);
}
void add(Hasher& hasher, double number)
{
    hasher.add(number);
}
void add(Hasher& hasher, const std::string& text)
{
    hasher.add(std::string_view(text));
}

void add(Hasher& hasher, bool yes)
{
    hasher.add(yes);
}
template <class T>
requires std::is_enum_v<T>
void add(Hasher& hasher, T value)
{
    hasher.add(value);
}
void add(Hasher& hasher, std::uint32_t number)
{
    hasher.add(number);
}
void add(Hasher& hasher, std::int32_t number)
{
    hasher.add(number);
}
void add(Hasher& hasher, const SpecEntry& entry);
void add(Hasher& hasher, const LogicalName& logical)
{
    add(hasher.add(logical.kind), logical.name);
}
void add(Hasher& hasher, const Annotation& annotation);
void add(Hasher& hasher, const Value& value);
void add(Hasher& hasher, const Operation& operation);
void add(Hasher& hasher, const Region& region);
void add(Hasher& hasher, const StatePair& pair);
void add(Hasher& hasher, const Function& function);
void add(Hasher& hasher, const ProgramMesh& mesh);

/// A list, or a struct by its members.
template <class T>
requires(std::ranges::range<T>) void add(Hasher& hasher, const T& list);
template <class T>
requires(std::is_aggregate_v<T> && !std::ranges::range<T>) void add(Hasher& hasher, const T& value);
template <class A, class B>
void add(Hasher& hasher, const std::pair<A, B>& pair);
template <class T>
void add(Hasher& hasher, const std::optional<T>& value);

template <class List>
void addList(Hasher& hasher, const List& list)
{
    hasher.add(list.size());
    for (const auto& item : list)
        add(hasher, item);
}

template <class A, class B>
void add(Hasher& hasher, const std::pair<A, B>& pair)
{
    add(hasher, pair.first);
    add(hasher, pair.second);
}
template <class T>
void add(Hasher& hasher, const std::optional<T>& value)
{
    hasher.add(value.has_value());
    if (value)
        add(hasher, *value);
}
template <class T>
requires(std::ranges::range<T>) void add(Hasher& hasher, const T& list)
{
    hasher.add(list.size());
    for (const auto& item : list)
        add(hasher, item);
}
template <class T>
requires(std::is_aggregate_v<T> && !std::ranges::range<T>) void add(Hasher& hasher, const T& value)
{
    std::apply([&](const auto&... member) { (add(hasher, member), ...); }, fieldsOf(value));
}

void add(Hasher& hasher, const SpecEntry& entry)
{
    addList(hasher.add(entry.kind), entry.axes);
}

void add(Hasher& hasher, const Annotation& annotation)
{
    hasher.add(annotation.index());
    if (const auto* device = std::get_if<DeviceAxes>(&annotation))
        addList(hasher, device->spec.entries);
    else if (const auto* logical = std::get_if<LogicalAxes>(&annotation))
        addList(hasher, logical->names);
    else if (const auto* specified = std::get_if<ExplicitSharding>(&annotation))
        add(hasher, *specified->specified);
}

struct AddAttributes {
    Hasher& hasher;

    void operator()(std::monostate) const { }
    void operator()(const ConstantAttributes& a) const
    {
        addList(hasher, a.values);
        if (a.bytes)
            hasher.add(std::string_view(reinterpret_cast<const char*>(a.bytes->data()), a.bytes->size()));
    }
    void operator()(const DotGeneralAttributes& a) const
    {
        for (const DimensionList* list : { &a.lhsBatch, &a.rhsBatch, &a.lhsContracting, &a.rhsContracting })
            addList(hasher, *list);
    }
    void operator()(const BroadcastAttributes& a) const { addList(hasher, a.dimensions); }
    void operator()(const TransposeAttributes& a) const { addList(hasher, a.permutation); }
    void operator()(const ReduceAttributes& a) const { addList(hasher.add(a.kind), a.dimensions); }
    void operator()(const CompareAttributes& a) const { hasher.add(a.direction).add(a.type); }
    void operator()(const IotaAttributes& a) const { hasher.add(a.dimension); }
    void operator()(const ConstraintAttributes& a) const { add(hasher, a.annotation); }
    void operator()(const SharedAttributes& a) const
    {
        hasher.add(a.held->value.index());
        std::visit([this](const auto& held) { add(hasher, held); }, a.held->value);
    }
};

void add(Hasher& hasher, const Value& value)
{
    addList(hasher.add(value.type.dtype).add(value.type.other), value.type.shape);
    add(hasher, value.definition);
    hasher.add(value.index).add(value.role).add(std::string_view(value.path));
    addList(hasher, value.dimNames);
}

void add(Hasher& hasher, const Operation& operation)
{
    hasher.add(operation.kind);
    addList(hasher, operation.operands);
    addList(hasher, operation.results);
    hasher.add(operation.attributes.index());
    std::visit(AddAttributes{ hasher }, operation.attributes);
    addList(hasher, operation.regions);
    hasher.add(operation.scope).add(operation.extra);
}

void add(Hasher& hasher, const Function& function)
{
    hasher.add(std::string_view(function.name)).add(function.isPublic);
    add(hasher, function.body);
    addList(hasher, function.resultShardings);
}

void add(Hasher& hasher, const ProgramMesh& mesh)
{
    hasher.add(std::string_view(mesh.name)).add(mesh.onlyDevice.value_or(-1));
    for (const MeshAxis& axis : mesh.mesh->axes())
        hasher.add(std::string_view(axis.name)).add(axis.size);
    addList(hasher, mesh.mesh->deviceOrder());
    hasher.add(mesh.undeclared).add(mesh.illegal != nullptr);
    addList(hasher, mesh.invalidAxes);
}

void add(Hasher& hasher, const Region& region)
{
    addList(hasher, region.arguments);
    addList(hasher, region.operations);
    addList(hasher, region.results);
}

void add(Hasher& hasher, const StatePair& pair)
{
    add(hasher, pair.argument);
    hasher.add(pair.result);
}

} // namespace

std::uint64_t hash(const Attributes& attributes)
{
    Hasher hasher;
    hasher.add(attributes.index());
    std::visit(AddAttributes{ hasher }, attributes);
    return hasher.value();
}

std::uint64_t hash(const ProgramSharding& sharding)
{
    Hasher hasher;
    add(hasher, sharding);
    return hasher.value();
}

std::uint64_t hash(const Program& program)
{
    Hasher hasher;
    add(hasher, program.name);
    addList(hasher, program.values);
    addList(hasher, program.operations);
    addList(hasher, program.regions);
    addList(hasher, program.scopes);
    addList(hasher, program.argumentAnnotations);
    addList(hasher, program.resultAnnotations);
    addList(hasher, program.state);
    addList(hasher, program.functions);
    addList(hasher, program.meshes);
    addList(hasher, program.shardings);
    addList(hasher, program.valueShardings);
    addList(hasher, program.unmatchedShardings);
    addList(hasher, program.dictionaries);
    addList(hasher, program.otherTypes);
    return hasher.value();
}

} // namespace shardscope
