// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/published_rules.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/codes.h"
#include "sharding/parse_names.h"

namespace shardscope {

namespace {

const Literal* find(const Literal& object, std::string_view key)
{
    for (std::size_t i = 0; i + 1 < object.items.size(); i += 2)
        if (object.items[i].text == key)
            return &object.items[i + 1];
    return nullptr;
}

Result<std::string> stringOf(const Literal& object, const char* key, bool required)
{
    const Literal* value = find(object, key);
    if (!value)
        return required ? Result<std::string>(fail(Code::MissingKey, { { "key", key } }, object.where()))
                        : Result<std::string>(std::string());
    if (value->kind != Literal::Kind::String)
        return unexpectedLiteral(*value, "a string");
    return value->text;
}

Result<std::vector<std::string>> stringsOf(const Literal& object, const char* key)
{
    const Literal* list = find(object, key);
    if (!list)
        return fail(Code::MissingKey, { { "key", key } }, object.where());
    if (!list->isSequence())
        return unexpectedLiteral(*list, "a list of names");
    std::vector<std::string> strings;
    for (const Literal& item : list->items) {
        if (item.kind != Literal::Kind::String)
            return unexpectedLiteral(item, "a name in quotes");
        strings.push_back(item.text);
    }
    return strings;
}

Dialect dialectOf(const std::string& project)
{
    if (project == "MaxText")
        return Dialect::MaxText;
    return project == "T5X" ? Dialect::T5x : Dialect::FlaxLinen;
}

Result<PublishedRules> readSet(const Literal& object)
{
    if (object.kind != Literal::Kind::Mapping)
        return unexpectedLiteral(object, "a rule set { ... }");
    PublishedRules set;
    struct Member {
        const char* key;
        std::string PublishedRules::*member;
        bool required;
    };
    for (const Member& each :
        { Member{ "id", &PublishedRules::id, true }, { "project", &PublishedRules::project, true },
            { "title", &PublishedRules::title, true }, { "source", &PublishedRules::source, true },
            { "note", &PublishedRules::note, false }, { "overrides", &PublishedRules::overrides, false } }) {
        SHARDSCOPE_TRY(text, stringOf(object, each.key, each.required));
        set.*each.member = std::move(*text);
    }
    SHARDSCOPE_TRY(axes, stringsOf(object, "mesh_axes"));
    set.meshAxes = std::move(*axes);
    const Literal* rules = find(object, "rules");
    if (!rules)
        return fail(Code::MissingKey, { { "key", "rules" } }, object.where());
    SHARDSCOPE_TRY(read, toLogicalRules(*rules));
    set.rules = std::move(*read);
    set.dialect = dialectOf(set.project);
    return set;
}

std::vector<PublishedRules> standardRules()
{
    std::vector<PublishedRules> sets;
    for (const int activation : { 1, 2 })
        for (const int parameter : { 1, 2 }) {
            const std::string a = std::to_string(activation);
            const std::string p = std::to_string(parameter);
            PublishedRules set;
            set.id = "t5x-a" + a + "p" + p;
            set.project = "T5X";
            set.title = "Standard rules, activations " + a + "-D, parameters " + p + "-D";
            set.source = "google-research/t5x t5x/partitioning.py @cc342d41";
            set.dialect = Dialect::T5x;
            set.meshAxes = { "data", "model" };
            set.rules = *t5xStandardRules(activation, parameter, LogicalRules());
            sets.push_back(std::move(set));
        }
    return sets;
}

} // namespace

Result<std::vector<PublishedRules>> readPublishedRules(std::string_view text)
{
    Tokens tokens(text);
    SHARDSCOPE_TRY(list, tokens.readLiteral());
    if (!list->isSequence())
        return unexpectedLiteral(*list, "a list of rule sets");
    if (tokens.peek().kind != Tokens::Kind::End)
        return tokens.unexpected("end of text");
    std::vector<PublishedRules> sets;
    for (const Literal& item : list->items) {
        SHARDSCOPE_TRY(set, readSet(item));
        sets.push_back(std::move(*set));
    }
    return sets;
}

const std::vector<PublishedRules>& publishedRules()
{
    static const std::vector<PublishedRules> all = [] {
        std::vector<PublishedRules> sets = standardRules();
        for (const std::string_view file : resources::ruleSetFiles()) {
            Result<std::vector<PublishedRules>> read = readPublishedRules(file);
            if (!read)
                std::abort(); // the files are compiled in, and a test reads them all
            std::move(read->begin(), read->end(), std::back_inserter(sets));
        }
        return sets;
    }();
    return all;
}

std::vector<MeshAxis> withDeclaredAxes(std::span<const MeshAxis> axes, std::span<const std::string> declared)
{
    std::vector<MeshAxis> result;
    std::size_t named = 0;
    for (const std::string& name : declared) {
        const auto found =
            std::find_if(axes.begin(), axes.end(), [&](const MeshAxis& axis) { return axis.name == name; });
        named += found == axes.end() ? 0U : 1U;
        result.push_back(found == axes.end() ? MeshAxis{ name, 1 } : *found);
    }
    if (named == declared.size())
        return { axes.begin(), axes.end() };
    for (const MeshAxis& axis : axes)
        if (std::find(declared.begin(), declared.end(), axis.name) == declared.end())
            result.push_back(axis);
    return result;
}

const PublishedRules* findPublishedRules(std::string_view id)
{
    const std::vector<PublishedRules>& all = publishedRules();
    const auto found = std::find_if(all.begin(), all.end(), [&](const PublishedRules& set) { return set.id == id; });
    return found == all.end() ? nullptr : &*found;
}

} // namespace shardscope
