// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/config_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/alike.h"
#include "base/codes.h"
#include "base/text.h"

namespace shardscope {

namespace {

constexpr std::int64_t maximumConfigSize = std::numeric_limits<std::int32_t>::max();

/// Keys of any architecture that change neither shapes nor operations, in order.
constexpr std::array neutralKeys = std::to_array<std::string_view>({ "_attn_implementation",
    "_attn_implementation_autoset", "_commit_hash", "_name_or_path", "_num_labels", "add_cross_attention",
    "architectures", "attention_dropout", "attn_config.attn_impl", "attn_config.attn_pdrop", "attn_implementation",
    "attn_pdrop", "auto_map", "aux_loss_alpha", "bad_words_ids", "begin_suppress_tokens", "boi_token_index",
    "bos_token_id", "cache_implementation", "chunk_size_feed_forward", "classifier_dropout", "decoder_start_token_id",
    "diversity_penalty", "do_sample", "dropout_rate", "early_stopping", "emb_pdrop", "embd_pdrop",
    "encoder_no_repeat_ngram_size", "eoi_token_index", "eos_token_id", "ep_size", "exponential_decay_length_penalty",
    "finetuning_task", "forced_bos_token_id", "forced_eos_token_id", "gradient_checkpointing", "hidden_dropout",
    "id2label", "image_token_index", "init_config", "init_device", "initializer_factor", "initializer_range",
    "is_decoder", "is_encoder_decoder", "keys_to_ignore_at_inference", "label2id", "length_penalty", "max_length",
    "min_length", "mm_tokens_per_image", "model_type", "n_ctx", "no_repeat_ngram_size", "num_beam_groups", "num_beams",
    "num_return_sequences", "output_attentions", "output_hidden_states", "output_past", "output_router_logits",
    "output_scores", "pad_token_id", "prefix", "pretraining_tp", "problem_type", "pruned_heads",
    "remove_invalid_values", "reorder_and_upcast_attn", "repetition_penalty", "resid_pdrop", "return_dict",
    "return_dict_in_generate", "router_aux_loss_coef", "router_jitter_noise", "sep_token_id", "seq_aux",
    "summary_activation", "summary_first_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj",
    "suppress_tokens", "task_specific_params", "temperature", "text_config", "tf_legacy_loss", "tie_encoder_decoder",
    "tokenizer_class", "tokenizer_name", "top_k", "top_p", "torchscript", "transformers_version", "typical_p",
    "unk_token_id", "use_bfloat16", "use_cache", "verbose" });
static_assert(std::is_sorted(neutralKeys.begin(), neutralKeys.end()));

bool isTrue(const Literal& value)
{
    return value.kind == Literal::Kind::Name && (value.text == "true" || value.text == "True");
}
bool isFalse(const Literal& value)
{
    return value.kind == Literal::Kind::Name && (value.text == "false" || value.text == "False");
}

/// null, false, 0, [] and {} turn off what they are for.
bool isOff(const Literal& value)
{
    if (value.kind == Literal::Kind::Number)
        return wholeNumber<double>(value.text) == 0.0;
    if (value.isSequence() || value.kind == Literal::Kind::Mapping)
        return value.items.empty();
    return value.kind == Literal::Kind::None || isFalse(value);
}

std::string forPeople(const Literal& value)
{
    if (value.isSequence())
        return "a list";
    if (value.kind == Literal::Kind::Mapping)
        return "an object";
    return value.kind == Literal::Kind::None ? "null" : value.shown();
}

} // namespace

const Literal* memberOf(const Literal& object, std::string_view key)
{
    if (object.kind == Literal::Kind::Mapping)
        for (std::size_t i = 0; i + 1 < object.items.size(); i += 2)
            if (object.items[i].kind == Literal::Kind::String && object.items[i].text == key)
                return &object.items[i + 1];
    return nullptr;
}

Result<void> ConfigFields::add(const Literal& object, const std::string& prefix)
{
    if (m_objects++ == 0)
        m_begin = object.where();
    for (std::size_t i = 0; i + 1 < object.items.size(); i += 2) {
        const Literal& key = object.items[i];
        if (key.kind != Literal::Kind::String)
            return unexpectedLiteral(key, "a key in quotes");
        Field field{ prefix + key.text, &key, &object.items[i + 1], Treatment::Unread, m_objects };
        const auto [at, isNew] = m_index.try_emplace(field.key, m_fields.size());
        if (isNew)
            m_fields.push_back(std::move(field));
        else if (m_fields[at->second].object == m_objects)
            return fail(Code::DuplicateKey, { { "key", field.key } }, key.where());
        else
            m_overridden.push_back({ field.key, forPeople(*field.value), key.line });
    }
    return {};
}

void ConfigFields::addInner(const std::string& key)
{
    const Literal* const object = take(key);
    if (!object)
        return;
    if (object->kind != Literal::Kind::Mapping)
        wrongType(key, "an object", *object);
    else if (const Result<void> added = add(*object, key + '.'); !added && !m_error)
        m_error = added.error();
}

ConfigFields::Field* ConfigFields::find(std::string_view key)
{
    m_asked.emplace_back(key);
    const auto at = m_index.find(key);
    return at != m_index.end() ? &m_fields[at->second] : nullptr;
}

const Literal* ConfigFields::peek(std::string_view key) const
{
    const auto at = m_index.find(key);
    return at != m_index.end() ? m_fields[at->second].value : nullptr;
}

const Literal* ConfigFields::take(std::string_view key)
{
    Field* const field = find(key);
    if (!field)
        return nullptr;
    field->treatment = Treatment::Used;
    return field->value->kind != Literal::Kind::None ? field->value : nullptr;
}

Where ConfigFields::whereOf(std::string_view key) const
{
    const auto at = m_index.find(key);
    return at != m_index.end() ? m_fields[at->second].value->where() : m_begin;
}

void ConfigFields::report(Code code, std::vector<Arg> args, Where where)
{
    if (!m_error)
        m_error = Error{ code, std::move(args), std::move(where) };
}

void ConfigFields::wrongType(std::string_view key, const char* expected, const Literal& found)
{
    report(Code::WrongType, { { "key", key }, { "expected", expected }, { "found", found.shown() } }, found.where());
}

void ConfigFields::assume(std::string_view key, std::string value)
{
    m_assumed.push_back({ std::string(key), std::move(value), 0 });
}

std::int64_t ConfigFields::toSize(std::string_view key, const Literal& value, std::int64_t least)
{
    std::string_view digits = value.text;
    if (digits.starts_with('-') || digits.starts_with('+'))
        digits.remove_prefix(1);
    if (value.kind != Literal::Kind::Number || digits.find_first_not_of("0123456789") != std::string_view::npos) {
        wrongType(key, "a whole number", value);
        return 1;
    }
    const auto size = wholeNumber<std::int64_t>(value.text); // none where it is beyond 64 bits
    if (size && *size >= least && *size <= maximumConfigSize)
        return *size;
    report(Code::OutOfRange,
        { { "key", key }, { "value", value.shown() }, { "min", least }, { "max", maximumConfigSize } }, value.where());
    return 1;
}

std::int64_t ConfigFields::size(std::string_view key, std::int64_t fallback)
{
    if (const Literal* const value = take(key))
        return toSize(key, *value, 1);
    if (fallback > 0)
        assume(key, std::to_string(fallback));
    else
        report(Code::MissingKey, { { "key", key }, { "architecture", m_architecture } }, whereOf(key));
    return std::max<std::int64_t>(fallback, 1);
}

std::int64_t ConfigFields::count(std::string_view key)
{
    const Literal* const value = take(key);
    if (!value)
        assume(key, "0");
    return value ? toSize(key, *value, 0) : 0;
}

double ConfigFields::real(std::string_view key, double fallback)
{
    const Literal* const value = take(key);
    if (!value) {
        assume(key, Diagnostic{ Code::OutOfRange, { { "value", fallback } }, {} }.text("value"));
        return fallback;
    }
    const auto number =
        value->kind == Literal::Kind::Number ? wholeNumber<double>(value->text) : std::optional<double>();
    if (!number)
        wrongType(key, "a number", *value);
    else if (std::isfinite(*number) && *number >= 0)
        return *number;
    else
        report(Code::OutOfRange, { { "key", key }, { "value", value->shown() }, { "min", 0 } }, value->where());
    return fallback;
}

bool ConfigFields::flag(std::string_view key, bool fallback)
{
    const Literal* const value = take(key);
    if (!value) {
        assume(key, fallback ? "true" : "false");
        return fallback;
    }
    if (!isTrue(*value) && !isFalse(*value))
        wrongType(key, "true or false", *value);
    return isTrue(*value);
}

std::string ConfigFields::word(std::string_view key, const std::string& fallback)
{
    const Literal* const value = take(key);
    if (!value) {
        assume(key, fallback);
        return fallback;
    }
    if (value->kind == Literal::Kind::String)
        return value->text;
    wrongType(key, "a string", *value);
    return fallback;
}

void ConfigFields::ignore(std::string_view key)
{
    if (Field* const field = find(key))
        field->treatment = Treatment::Ignored;
}

ConfigFields::Field* ConfigFields::findOn(std::string_view key, std::string_view neutral)
{
    Field* const field = find(key);
    if (!field)
        return nullptr;
    if (field->treatment == Treatment::Unread)
        field->treatment = Treatment::Ignored;
    const Literal& value = *field->value;
    if (isOff(value) || (!neutral.empty() && value.text == neutral))
        return nullptr;
    const auto number = wholeNumber<double>(neutral);
    const bool isSameNumber =
        number && value.kind == Literal::Kind::Number && wholeNumber<double>(value.text) == number;
    return isSameNumber ? nullptr : field;
}

void ConfigFields::leaveOut(std::string_view key, std::string_view neutral)
{
    Field* const field = findOn(key, neutral);
    if (!field)
        return;
    field->treatment = Treatment::LeftOut;
    m_warnings.push_back(
        { Code::FieldLeftOut, { { "key", key }, { "value", forPeople(*field->value) } }, field->keyLiteral->where() });
}

void ConfigFields::leaveOutPart(std::string_view key, std::string_view neutral)
{
    const std::size_t before = m_warnings.size();
    leaveOut(key, neutral);
    if (m_warnings.size() > before)
        m_warnings.back().args.push_back({ "parameters", "missing" });
}

void ConfigFields::refuse(std::string_view key, std::string_view neutral)
{
    if (const Field* const field = findOn(key, neutral))
        report(Code::UnsupportedBlock,
            { { "architecture", m_architecture }, { "key", key }, { "value", forPeople(*field->value) } },
            field->keyLiteral->where());
}

void ConfigFields::unknownValue(std::string_view key, const std::string& value, std::vector<std::string> known)
{
    std::vector<Arg> args = withNearest({ { "key", key }, { "value", value } }, value, known);
    args.emplace_back("known", std::move(known));
    report(Code::UnknownValue, std::move(args), whereOf(key));
}

void ConfigFields::contradict(
    std::string_view key, std::int64_t value, std::string_view other, std::int64_t otherValue, const char* wrong)
{
    report(Code::ContradictoryFields,
        { { "key", key }, { "value", value }, { "other", other }, { "other_value", otherValue }, { "wrong", wrong } },
        whereOf(m_index.contains(key) ? key : other));
}

void ConfigFields::finish(ReadHuggingFace& result)
{
    constexpr std::size_t maximumWarnings = 50; // of keys that are not known; the others are counted
    std::size_t unknown = 0;
    result.ignored = std::move(m_overridden);
    for (const Field& field : m_fields) {
        const ConfigField listed{ field.key, forPeople(*field.value), field.keyLiteral->line };
        const bool isNeutral = std::binary_search(neutralKeys.begin(), neutralKeys.end(), field.key);
        if (field.treatment == Treatment::Used)
            result.used.push_back(listed);
        else if (field.treatment == Treatment::Ignored || (field.treatment == Treatment::Unread && isNeutral))
            result.ignored.push_back(listed);
        else if (field.treatment == Treatment::Unread && ++unknown <= maximumWarnings)
            m_warnings.push_back({ Code::UnknownField,
                { { "key", field.key }, { "nearest", nearestName(field.key, m_asked) } }, field.keyLiteral->where() });
    }
    const auto byLine = [](const ConfigField& a, const ConfigField& b) { return a.line < b.line; };
    std::stable_sort(result.ignored.begin(), result.ignored.end(), byLine);
    result.assumed = std::move(m_assumed);
    std::vector<Diagnostic> warnings = summedUp(std::move(m_warnings));
    countMore(warnings, Code::UnknownField, unknown > maximumWarnings ? unknown - maximumWarnings : 0);
    result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
}

} // namespace shardscope
