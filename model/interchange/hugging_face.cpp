// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/hugging_face.h"

#include <algorithm>

#include "base/codes.h"
#include "interchange/config_fields.h"
#include "interchange/hugging_face_families.h"
#include "networks/check_transformer.h"
#include "sharding/literal.h"

namespace shardscope {

namespace {

constexpr std::size_t maximumConfigValues = 200'000;

/// An error at the end of a truncated text, in a string or before a bracket is closed, says so.
Error atItsEnd(Error error, std::string_view text)
{
    const std::size_t end = text.find_last_not_of(" \t\r\n") + 1;
    const auto lines = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    const bool isOpen = error.text("expected").starts_with("closing ") && error.where.line == lines;
    if (end == 0 || error.code != Code::Syntax || (error.text("found") != "end of text" && !isOpen))
        return error;
    const std::size_t start = text.substr(0, end).rfind('\n') + 1; // 0 where there is one line
    error.where.line = static_cast<int>(lines);
    error.where.column = 1
        + static_cast<int>(std::count_if(text.begin() + static_cast<std::ptrdiff_t>(start),
            text.begin() + static_cast<std::ptrdiff_t>(end),
            [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
    error.args.emplace_back("truncated", 1);
    return error;
}

Result<Literal> parseConfig(std::string_view text)
{
    if (text.size() > maximumConfigBytes)
        return fail(Code::TooLarge, { { "what", "file" }, { "bytes", text.size() }, { "limit", maximumConfigBytes } });
    Tokens tokens(text, Tokens::Language::Python, maximumConfigValues);
    Result<Literal> root = tokens.readLiteral();
    if (!root)
        return tl::unexpected(atItsEnd(std::move(root.error()), text));
    if (tokens.peek().kind != Tokens::Kind::End)
        return tokens.unexpected("end of text");
    if (root->kind != Literal::Kind::Mapping)
        return unexpectedLiteral(*root, "an object with the model's configuration");
    return std::move(*root);
}

tl::unexpected<Error> unknownArchitecture(const std::string& name, Where where)
{
    std::vector<std::string> known = huggingFaceFamilies();
    std::vector<Arg> args = withNearest({ { "name", name } }, name, known);
    args.emplace_back("known", std::move(known));
    return fail(Code::UnknownArchitecture, std::move(args), std::move(where));
}

/// The string under a key, null where there is none. Of "architectures" the first of the list.
Result<const Literal*> nameUnder(const Literal& value, const char* key)
{
    const Literal* const name = value.isSequence() && !value.items.empty() ? &value.items.front() : &value;
    if (name->kind != Literal::Kind::String)
        return fail(
            Code::WrongType, { { "key", key }, { "expected", "a string" }, { "found", name->shown() } }, name->where());
    return name;
}

/// By "model_type", else by the class in "architectures". Where both are known they have to agree.
Result<const HuggingFaceFamily*> familyOf(ConfigFields& fields, Where begin)
{
    const Literal* unknown = nullptr;
    const HuggingFaceFamily* family = nullptr;
    const Literal* type = nullptr;
    for (const char* key : { "model_type", "architectures" }) {
        const Literal* const value = fields.take(key);
        if (!value || (value->isSequence() && value->items.empty()))
            continue;
        SHARDSCOPE_TRY(name, nameUnder(*value, key));
        const HuggingFaceFamily* const found = findHuggingFaceFamily((*name)->text);
        if (!found)
            unknown = unknown ? unknown : *name;
        else if (family && found != family)
            return fail(Code::ContradictoryFields,
                { { "key", "model_type" }, { "value", type->text }, { "other", key }, { "other_value", (*name)->text },
                    { "wrong", "equal" } },
                (*name)->where());
        else if (!family) {
            family = found;
            type = *name;
        }
    }
    if (family)
        return family;
    if (unknown)
        return unknownArchitecture(unknown->text, unknown->where());
    return fail(Code::MissingKey, { { "key", "model_type" } }, std::move(begin));
}

/// The class in "architectures" where it is no language model: one with another head ("ForSequenceClassification"), or
/// without one ("LlamaModel", "T5EncoderModel"). Null where it is one, or no name of a class.
const Literal* otherClass(const ConfigFields& fields)
{
    const Literal* const classes = fields.peek("architectures");
    if (!classes || (classes->isSequence() && classes->items.empty()))
        return nullptr;
    const Literal& name = classes->isSequence() ? classes->items.front() : *classes;
    const std::string_view text = name.text;
    const bool isClass = text.ends_with("Model") || text.find("For") != std::string_view::npos;
    for (const char* end : { "ForCausalLM", "LMHeadModel", "ForConditionalGeneration" })
        if (text.ends_with(end))
            return nullptr;
    return isClass ? &name : nullptr;
}

} // namespace

Result<ReadHuggingFace> readHuggingFace(std::string_view text, std::string_view as)
{
    const HuggingFaceFamily* family = nullptr;
    if (!as.empty()) {
        family = findHuggingFaceFamily(as);
        if (!family)
            return unknownArchitecture(std::string(as), {});
    }
    SHARDSCOPE_TRY(root, parseConfig(text));
    ConfigFields fields;
    if (const Literal* const inner = memberOf(*root, "text_config"); inner && inner->kind == Literal::Kind::Mapping)
        SHARDSCOPE_CHECK(fields.add(*inner));
    SHARDSCOPE_CHECK(fields.add(*root));
    if (!family) {
        SHARDSCOPE_TRY(found, familyOf(fields, root->where()));
        family = *found;
    }
    ReadHuggingFace result;
    result.architecture = family->name;
    result.verified = family->verified;
    fields.setArchitecture(result.architecture);
    result.settings = family->read(fields);
    result.settings.form = LayerForm::Scanned; // as presets have it
    if (fields.error())
        return tl::unexpected(*fields.error());
    if (Result<void> checked = checkTransformer(result.settings); !checked) {
        checked.error().where = root->where();
        return tl::unexpected(std::move(checked.error()));
    }
    if (!result.verified)
        result.warnings.push_back(
            { Code::UnverifiedArchitecture, { { "architecture", result.architecture } }, root->where() });
    if (const Literal* const name = otherClass(fields))
        result.warnings.push_back({ Code::FieldLeftOut,
            { { "key", "architectures" }, { "value", name->text }, { "parameters", "language_model" } },
            name->where() });
    fields.finish(result);
    return result;
}

bool looksLikeHuggingFace(std::string_view text)
{
    constexpr std::string_view type = "\"model_type\"", classes = "\"architectures\"";
    if (text.find(type) == std::string_view::npos && text.find(classes) == std::string_view::npos)
        return false;
    const Result<Literal> root = parseConfig(text);
    return root && !memberOf(*root, "format") && (memberOf(*root, "model_type") || memberOf(*root, "architectures"));
}

std::vector<std::string> huggingFaceFamilies()
{
    std::vector<std::string> names;
    for (const HuggingFaceFamily& family : huggingFaceFamilyRows())
        names.emplace_back(family.name);
    return names;
}

} // namespace shardscope
