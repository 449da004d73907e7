// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/array_edits.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/codes.h"
#include "experiment/edit_support.h"
#include "experiment/model_settings.h"
#include "experiment/rule_edits.h"
#include "experiment/rule_lists.h"

namespace shardscope {

namespace {

using edit_support::checkIndex;
using edit_support::checkName;

constexpr std::size_t maxArrays = 65'536; // as in files

Result<ArraysModel*> listOf(Experiment& experiment)
{
    if (auto* model = std::get_if<ArraysModel>(&experiment.model))
        return model;
    const std::string preset = std::holds_alternative<MlpModel>(experiment.model) ? "mlp"
        : isNetwork(experiment)                                                   ? "transformer"
                                                                                  : "program";
    return fail(Code::UnknownValue,
        { { "key", "preset" }, { "value", preset }, { "known", std::vector<std::string>{ "arrays" } },
            { "nearest", "" } });
}

tl::unexpected<Error> at(const NamedArraySetting& array, Error error)
{
    error.where.path = array.path;
    return tl::unexpected(std::move(error));
}

Result<void> checkType(const NamedArraySetting& array)
{
    if (isArrayType(array.dtype))
        return {};
    std::vector<std::string> known;
    for (int i = 0; isArrayType(static_cast<DType>(i)); ++i)
        known.emplace_back(name(static_cast<DType>(i)));
    return at(array,
        Error{ Code::UnknownValue,
            { { "key", "dtype" }, { "value", std::string(name(array.dtype)) }, { "known", std::move(known) },
                { "nearest", "" } },
            {} });
}

Result<void> checkNames(const NamedArraySetting& array)
{
    for (auto one = array.names.begin(); one != array.names.end(); ++one) {
        if (one->kind != LogicalName::Kind::Name)
            continue;
        if (auto valid = checkName("name", one->name); !valid)
            return at(array, std::move(valid.error()));
        if (std::find(array.names.begin(), one, *one) != one)
            return at(
                array, Error{ Code::DuplicateDimension, { { "dims", std::vector<std::string>{ one->name } } }, {} });
    }
    return {};
}

/// What a file would refuse of one array.
Result<void> checkArray(const NamedArraySetting& array)
{
    SHARDSCOPE_CHECK(checkName("path", array.path));
    if (array.names.size() != array.shape.size())
        return at(array,
            Error{ Code::InvalidAttribute,
                { { "op", "array" }, { "wrong", "names" }, { "names", array.names.size() },
                    { "dimensions", array.shape.size() } },
                {} });
    if (array.shape.size() > maximumArrayRank)
        return at(array, Error{ Code::TooLarge, { { "what", "dimensions" }, { "limit", maximumArrayRank } }, {} });
    SHARDSCOPE_CHECK(checkType(array));
    SHARDSCOPE_CHECK(checkNames(array));
    for (const std::int64_t size : array.shape)
        if (size < 1 || size > edit_support::maximumSize)
            return at(array,
                Error{ Code::OutOfRange,
                    { { "key", "size" }, { "value", size }, { "min", 1 }, { "max", edit_support::maximumSize } }, {} });
    if (auto fits = checkSize({ array.dtype, array.shape }); !fits)
        return at(array, std::move(fits.error()));
    return {};
}

Result<void> checkPath(const ArraysModel& model, std::size_t index, const NamedArraySetting& array)
{
    for (std::size_t i = 0; i < model.arrays.size(); ++i)
        if (i != index && model.arrays[i].path == array.path)
            return at(array, Error{ Code::InvalidAttribute, { { "op", "array" }, { "wrong", "path" } }, {} });
    return {};
}

/// Notes and unknown keys go with their array, those of later ones follow them.
void forgetArray(Experiment& experiment, std::size_t removed)
{
    edit_support::moveAdditions(experiment, [removed](std::string& pointer) {
        constexpr std::string_view arrays = "/model/arrays/";
        if (!pointer.starts_with(arrays))
            return false;
        std::size_t index = 0;
        const char* const end = pointer.data() + pointer.size();
        const auto [rest, error] = std::from_chars(pointer.data() + arrays.size(), end, index);
        if (error != std::errc() || index < removed)
            return false;
        if (index == removed)
            return true;
        pointer = std::string(arrays) + std::to_string(index - 1) + std::string(rest, end);
        return false;
    });
}

LogicalNames namesOf(const Value& value, const Annotation& annotation)
{
    const std::size_t rank = value.type.rank();
    if (const auto* logical = std::get_if<LogicalAxes>(&annotation); logical && logical->names.size() == rank)
        return logical->names;
    LogicalNames names(rank);
    const std::vector<std::string>& declared = value.dimNames;
    for (std::size_t i = 0; i < std::min(rank, declared.size()); ++i) {
        const LogicalName name = declared[i].empty() ? LogicalName::none() : LogicalName::of(declared[i]);
        if (std::find(names.begin(), names.end(), name) == names.end()) // a name stands once in an array
            names[i] = name;
    }
    return names;
}

} // namespace

bool isArrayType(DType type)
{
    return type <= DType::F64;
}

Result<Experiment> withArrayAdded(const Experiment& before, NamedArraySetting array)
{
    Experiment after = before;
    SHARDSCOPE_TRY(model, listOf(after));
    if ((*model)->arrays.size() >= maxArrays)
        return fail(Code::TooLarge, { { "what", "arrays" }, { "limit", maxArrays } });
    SHARDSCOPE_CHECK(checkArray(array));
    SHARDSCOPE_CHECK(checkPath(**model, (*model)->arrays.size(), array));
    (*model)->arrays.push_back(std::move(array));
    return after;
}

Result<Experiment> withArrayReplaced(const Experiment& before, std::size_t index, NamedArraySetting array)
{
    Experiment after = before;
    SHARDSCOPE_TRY(model, listOf(after));
    SHARDSCOPE_CHECK(checkIndex("array", index, (*model)->arrays.size()));
    SHARDSCOPE_CHECK(checkArray(array));
    SHARDSCOPE_CHECK(checkPath(**model, index, array));
    // Rules for this array alone follow it.
    for (InnerRules& inner : after.rules.inner)
        if (inner.within == (*model)->arrays[index].path && checkWithin(after.rules, array.path))
            inner.within = array.path;
    (*model)->arrays[index] = std::move(array);
    return after;
}

Result<Experiment> withArrayRemoved(const Experiment& before, std::size_t index)
{
    Experiment after = before;
    SHARDSCOPE_TRY(model, listOf(after));
    SHARDSCOPE_CHECK(checkIndex("array", index, (*model)->arrays.size()));
    (*model)->arrays.erase((*model)->arrays.begin() + static_cast<std::ptrdiff_t>(index));
    forgetArray(after, index);
    return after;
}

std::vector<ProgramArray> arraysOf(const Program& program)
{
    std::vector<ProgramArray> arrays;
    std::set<std::string> paths;
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Value& value = program.value(arguments[i]);
        if (isOptimizerArray(value.role) || value.role == Role::Count || value.role == Role::Step)
            continue;
        const Annotation annotation =
            i < program.argumentAnnotations.size() ? program.argumentAnnotations[i] : Annotation();
        ProgramArray made;
        made.array.path = *value.path;
        if (made.array.path.empty())
            made.array.path = "arg" + std::to_string(i);
        if (!paths.insert(made.array.path).second)
            continue;
        made.array.names = namesOf(value, annotation);
        made.dimensions = *value.dimNames;
        made.array.shape = *value.type.shape;
        made.array.dtype = value.type.dtype;
        if (const auto* device = std::get_if<DeviceAxes>(&annotation))
            made.declared = device->spec;
        arrays.push_back(std::move(made));
    }
    return arrays;
}

Result<Experiment> withListOfArrays(const Experiment& before, const Program& program)
{
    ArraysModel model;
    for (ProgramArray& each : arraysOf(program)) {
        SHARDSCOPE_CHECK(checkArray(each.array));
        model.arrays.push_back(std::move(each.array));
    }
    if (model.arrays.size() > maxArrays)
        return fail(Code::TooLarge, { { "what", "arrays" }, { "limit", maxArrays } });
    Experiment after = before;
    // The arrays bear the names that a network's parameters have, and there is no optimizer.
    if (isNetwork(before)) {
        after.rules.inner.clear();
        for (std::size_t i = 0; i < before.rules.inner.size(); ++i)
            if (!isForOptimizer(before, before.rules, { static_cast<std::int32_t>(i) })) {
                after.rules.inner.push_back(before.rules.inner[i]);
                after.rules.inner.back().within.insert(0, "params/");
            }
    }
    after.model = std::move(model);
    // What stood inside the former model has no place any more.
    const auto inside = [](const std::string& pointer) { return pointer.starts_with("/model/"); };
    std::erase_if(after.innerNotes, [&](const auto& note) { return inside(note.first); });
    std::erase_if(after.unknownKeys, [&](const UnknownKey& key) { return inside(key.pointer); });
    return after;
}

Result<Experiment> withNameMappedTo(
    const Experiment& before, const std::string& name, const std::vector<std::string>& axes)
{
    const LogicalName wanted = LogicalName::of(name);
    const auto isOfName = [&](const LogicalRule& rule) { return rule.name == wanted; };
    if (axes.empty()) {
        Experiment after = before;
        std::erase_if(after.rules.rules.list, isOfName);
        return after;
    }
    Result<Experiment> after =
        withNameMapped(before, name, axes.size() == 1 ? SpecEntry::axis(axes.front()) : SpecEntry::tuple(axes));
    if (!after || after->rules.rules.isSequence)
        return after;
    std::vector<LogicalRule>& list = after->rules.rules.list;
    const auto first = std::find_if(list.begin(), list.end(), isOfName);
    list.erase(std::remove_if(first + 1, list.end(), isOfName), list.end());
    return after;
}

Result<Experiment> withNamesAsMeshAxes(const Experiment& before, const std::vector<NamedArraySetting>& arrays)
{
    Result<Experiment> after = before;
    for (const MeshAxis& axis : before.mesh.axes) {
        const LogicalName name = LogicalName::of(axis.name);
        const bool used = std::any_of(arrays.begin(), arrays.end(), [&](const NamedArraySetting& array) {
            return std::find(array.names.begin(), array.names.end(), name) != array.names.end();
        });
        if (used && after)
            after = withNameMappedTo(*after, axis.name, { axis.name });
    }
    return after;
}

} // namespace shardscope
