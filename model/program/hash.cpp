// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"
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

template <class List>
void addList(Hasher& hasher, const List& list)
{
    hasher.add(list.size());
    for (const auto& item : list)
        add(hasher, item);
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
}

struct AddAttributes {
    Hasher& hasher;

    void operator()(std::monostate) const { }
    void operator()(const ConstantAttributes& a) const { addList(hasher, a.values); }
    void operator()(const DotGeneralAttributes& a) const
    {
        for (const Dimensions* list : { &a.lhsBatch, &a.rhsBatch, &a.lhsContracting, &a.rhsContracting })
            addList(hasher, *list);
    }
    void operator()(const BroadcastAttributes& a) const { addList(hasher, a.dimensions); }
    void operator()(const TransposeAttributes& a) const { addList(hasher, a.permutation); }
    void operator()(const ReduceAttributes& a) const { addList(hasher.add(a.kind), a.dimensions); }
    void operator()(const CompareAttributes& a) const { hasher.add(a.direction); }
    void operator()(const IotaAttributes& a) const { hasher.add(a.dimension); }
    void operator()(const ConstraintAttributes& a) const { add(hasher, a.annotation); }
};

void add(Hasher& hasher, const Value& value)
{
    addList(hasher.add(value.type.dtype), value.type.shape);
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
    hasher.add(operation.scope);
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
    return hasher.value();
}

} // namespace shardscope
