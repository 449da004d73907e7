// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/variant_edits.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "experiment/edit_support.h"

namespace shardscope {

using namespace edit_support;

namespace {

bool hasVariant(const Experiment& experiment, const std::string& name)
{
    return std::any_of(experiment.variants.begin(), experiment.variants.end(),
        [&](const Variant& variant) { return variant.name == name; });
}

Result<void> checkVariantName(const Experiment& experiment, const std::string& name)
{
    const auto wrong = [](std::string found, const char* expected) {
        return fail(Code::WrongType, { { "key", "variant" }, { "expected", expected }, { "found", std::move(found) } });
    };
    if (!isValidName(name))
        return wrong(name.empty() ? "an empty name" : "a control character", "a name without control characters");
    if (hasVariant(experiment, name))
        return wrong(name + ", which is the name of another variant", "another name");
    return {};
}

/// The number in "/variants/3/patch", and what follows it.
std::optional<std::pair<std::size_t, std::string_view>> variantPlace(std::string_view pointer)
{
    constexpr std::string_view list = "/variants/";
    if (!pointer.starts_with(list))
        return std::nullopt;
    pointer.remove_prefix(list.size());
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const auto number = wholeNumber<std::size_t>(pointer.substr(0, end));
    if (!number)
        return std::nullopt;
    return std::pair(*number, pointer.substr(end));
}

/// Notes and unknown keys go where their variants go; `placed` says where, or nothing for one that is gone.
void moveVariants(Experiment& experiment, const std::function<std::optional<std::size_t>(std::size_t)>& placed)
{
    const auto isGone = [&](std::string& pointer) {
        const auto place = variantPlace(pointer);
        if (!place)
            return false;
        const auto next = placed(place->first);
        if (next)
            pointer = "/variants/" + std::to_string(*next) + std::string(place->second);
        return !next;
    };
    moveAdditions(experiment, isGone);
    std::sort(experiment.innerNotes.begin(), experiment.innerNotes.end());
}

} // namespace

Result<Experiment> withVariantAdded(const Experiment& before, Variant variant)
{
    if (before.variants.size() >= maximumVariants)
        return fail(Code::TooLarge,
            { { "what", "variants" }, { "count", before.variants.size() + 1 }, { "limit", maximumVariants } });
    SHARDSCOPE_CHECK(checkVariantName(before, variant.name));
    Experiment after = before;
    after.variants.push_back(std::move(variant));
    return after;
}

Result<Experiment> withVariantDuplicated(const Experiment& before, std::size_t index)
{
    SHARDSCOPE_CHECK(checkIndex("variant", index, before.variants.size()));
    const Variant& original = before.variants[index];
    SHARDSCOPE_TRY(after, withVariantAdded(before, { freeVariantName(before, original.name), original.patch }));
    return withVariantMoved(*after, after->variants.size() - 1, index + 1);
}

Result<Experiment> withVariantRenamed(const Experiment& before, std::size_t index, std::string name)
{
    SHARDSCOPE_CHECK(checkIndex("variant", index, before.variants.size()));
    if (before.variants[index].name == name)
        return before;
    SHARDSCOPE_CHECK(checkVariantName(before, name));
    Experiment after = before;
    after.variants[index].name = std::move(name);
    return after;
}

Result<Experiment> withVariantMoved(const Experiment& before, std::size_t from, std::size_t to)
{
    SHARDSCOPE_CHECK(checkIndex("variant", from, before.variants.size()));
    SHARDSCOPE_CHECK(checkIndex("variant", to, before.variants.size()));
    Experiment after = before;
    moveElement(after.variants, from, to);
    moveVariants(after, [&](std::size_t at) -> std::optional<std::size_t> {
        if (at == from)
            return to;
        if (from < at && at <= to)
            return at - 1;
        return to <= at && at < from ? at + 1 : at;
    });
    return after;
}

Result<Experiment> withVariantRemoved(const Experiment& before, std::size_t index)
{
    SHARDSCOPE_CHECK(checkIndex("variant", index, before.variants.size()));
    Experiment after = before;
    after.variants.erase(after.variants.begin() + static_cast<std::ptrdiff_t>(index));
    moveVariants(
        after, [&](std::size_t at) { return at == index ? std::nullopt : std::optional(at > index ? at - 1 : at); });
    return after;
}

std::string freeVariantName(const Experiment& experiment, const std::string& name)
{
    std::string found = name;
    for (std::size_t number = 2; hasVariant(experiment, found); ++number)
        found = name + " (" + std::to_string(number) + ")";
    return found;
}

} // namespace shardscope
