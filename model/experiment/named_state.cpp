// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/named_state.h"

#include <algorithm>
#include <unordered_map>

#include "base/codes.h"
#include "experiment/array_edits.h"
#include "experiment/model_settings.h"
#include "experiment/reserved_names.h"
#include "experiment/rule_lists.h"
#include "rules/dialect_comparison.h"
#include "rules/name_to_name.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

constexpr std::int64_t largestSize = std::int64_t{ 1 } << 40;

LogicalName nameOf(std::string text)
{
    return text == unconstrainedWord ? LogicalName::unconstrained() : LogicalName::of(std::move(text));
}

bool isNamed(const LogicalName& name)
{
    return name.kind == LogicalName::Kind::Name;
}

/// Reads "a 4, b: 8, c=6, 3" character by character, so that places are those of the text.
class AxesReader {
public:
    explicit AxesReader(std::string_view text)
        : m_text(text)
    {
    }

    Result<ArrayAxes> read()
    {
        ArrayAxes axes;
        skipBlanks();
        while (m_at < m_text.size()) {
            SHARDSCOPE_CHECK(readAxis(axes));
            skipBlanks();
            if (m_at == m_text.size())
                break;
            if (m_text[m_at] != ',')
                return unexpected("','");
            ++m_at;
            skipBlanks();
        }
        return axes;
    }

private:
    Result<void> readAxis(ArrayAxes& axes)
    {
        const std::size_t begin = m_at;
        std::string word = readWord();
        if (word.empty())
            return unexpected("an axis such as a 4");
        skipBlanks();
        LogicalName name = LogicalName::none();
        std::size_t sizeBegin = begin;
        if (!isNumber(word)) {
            if (m_at < m_text.size() && (m_text[m_at] == ':' || m_text[m_at] == '=')) {
                ++m_at;
                skipBlanks();
            }
            sizeBegin = m_at;
            std::string digits = readWord();
            if (digits.empty() || !isNumber(digits)) {
                m_at = sizeBegin;
                return unexpected("the size of " + word);
            }
            name = nameOf(std::exchange(word, std::move(digits)));
        }
        SHARDSCOPE_TRY(size, sizeOf(word, sizeBegin));
        if (isNamed(name) && std::ranges::find(axes.names, name) != axes.names.end())
            return fail(Code::DuplicateDimension, { { "dims", std::vector<std::string>{ name.name } } }, at(begin));
        if (axes.names.size() == maximumArrayRank)
            return fail(Code::TooLarge, { { "what", "dimensions" }, { "limit", maximumArrayRank } }, at(begin));
        axes.names.push_back(std::move(name));
        axes.shape.push_back(*size);
        return {};
    }

    static bool isNumber(std::string_view text)
    {
        return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    }
    void skipBlanks()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
    }
    std::string readWord()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && std::string_view(" \t,:=()[]").find(m_text[m_at]) == std::string_view::npos)
            ++m_at;
        return std::string(m_text.substr(begin, m_at - begin));
    }
    Result<std::int64_t> sizeOf(const std::string& digits, std::size_t begin) const
    {
        std::int64_t size = 0;
        for (const char digit : digits)
            size = size > largestSize ? size : 10 * size + (digit - '0');
        if (size < 1 || size > largestSize)
            return fail(Code::OutOfRange,
                { { "key", "size" }, { "value", digits }, { "min", 1 }, { "max", largestSize } }, at(begin));
        return size;
    }
    [[nodiscard]] Where at(std::size_t place) const
    {
        Where where;
        where.line = 1;
        where.column = 1; // columns count characters
        for (std::size_t i = 0; i < place; ++i)
            where.column += (static_cast<unsigned char>(m_text[i]) & 0xC0U) != 0x80U ? 1 : 0;
        return where;
    }
    [[nodiscard]] tl::unexpected<Error> unexpected(std::string expected) const
    {
        const bool end = m_at >= m_text.size();
        return fail(Code::Syntax,
            { { "expected", std::move(expected) },
                { "found", end ? std::string("the end of the text") : std::string(1, m_text[m_at]) } },
            at(std::min(m_at, m_text.size())));
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

Result<ArrayAxes> parsePlain(std::string_view text)
{
    SHARDSCOPE_TRY(shape, parseShape(text));
    if (shape->size() > maximumArrayRank)
        return fail(Code::TooLarge, { { "what", "dimensions" }, { "limit", maximumArrayRank } });
    for (const std::int64_t size : *shape)
        if (size < 1 || size > largestSize)
            return fail(
                Code::OutOfRange, { { "key", "size" }, { "value", size }, { "min", 1 }, { "max", largestSize } });
    return ArrayAxes{ LogicalNames(shape->size()), std::move(*shape) };
}

/// The spec on the mesh. It stays, padded, where all that is wrong is that it does not divide.
void place(Reading& reading, PartitionSpec spec, const NamedArraySetting& array, const MeshPtr& mesh)
{
    if (const Result<void> valid = validate(spec, *mesh, array.shape); !valid) {
        reading.problem = valid.error();
        reading.problem->where.path = array.path;
        if (valid.error().code != Code::Indivisible)
            return;
    }
    reading.layout = Layout(mesh, toTensorSharding(spec, *mesh, array.shape.size()), array.shape);
    reading.spec = std::move(spec);
    reading.bytesPerDevice = byteSize(array.dtype);
    for (const std::int64_t size : reading.layout->shardShape())
        reading.bytesPerDevice = saturatingProduct(reading.bytesPerDevice, size);
}

void placeError(Reading& reading, Error error, const NamedArraySetting& array)
{
    error.where.path = array.path;
    if (error.code == Code::NonNamedLeaf)
        error.args.assign(1, Arg("leaf", array.path));
    reading.problem = std::move(error);
}

Reading readAsMapping(const NamedArraySetting& array, const LogicalRules& rules, const MeshPtr& mesh)
{
    Reading reading;
    const Result<Resolution> resolution = resolveMapping(array.names, rules);
    if (resolution)
        place(reading, resolution->spec(), array, mesh);
    else
        placeError(reading, resolution.error(), array);
    return reading;
}

Reading readAsSpecified(
    const ProgramArray& each, const RulesSetting& setting, const LogicalRules& rules, const MeshPtr& mesh)
{
    const NamedArraySetting& array = each.array;
    Reading reading;
    if (each.declared) {
        place(reading, *each.declared, array, mesh);
        return reading;
    }
    SystemResult result =
        resolveIn({ setting.dialect, setting.version }, { array.path, array.names, array.shape }, rules, *mesh);
    if (result.spec)
        place(reading, std::move(*result.spec), array, mesh);
    else if (result.error)
        placeError(reading, std::move(*result.error), array);
    return reading;
}

/// Where the entries of a mapping would stand on the dimensions that they are meant for.
std::optional<PartitionSpec> meantSpec(const NamedArraySetting& array, const PartitionSpec& spec)
{
    const auto first = std::ranges::find_if(array.names, isNamed);
    const auto unnamed = static_cast<std::size_t>(first - array.names.begin());
    const auto last = array.names.end();
    if (unnamed == 0 || first == last || !std::all_of(first, last, isNamed))
        return std::nullopt;
    PartitionSpec meant;
    meant.entries.assign(unnamed, SpecEntry::none());
    for (std::size_t i = 0; i + unnamed < array.names.size(); ++i)
        meant.entries.push_back(i < spec.size() ? spec.entries[i] : SpecEntry::none());
    const auto shardsNothing = [](const SpecEntry& entry) { return entry.axes.empty(); };
    if (std::ranges::all_of(meant.entries, shardsNothing))
        return std::nullopt;
    return meant;
}

} // namespace

Result<ArrayAxes> parseArrayAxes(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin != std::string_view::npos && (text[begin] == '[' || text[begin] == '('))
        return parsePlain(text);
    return AxesReader(text).read();
}

std::string nameText(const LogicalName& name)
{
    return name.kind == LogicalName::Kind::Unconstrained ? std::string(unconstrainedWord) : name.name;
}

std::string axesText(const LogicalNames& names, const Shape& shape)
{
    std::string text;
    bool plain = true;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::string name = i < names.size() ? nameText(names[i]) : std::string();
        plain = plain && name.empty();
        text += (text.empty() ? "" : ", ") + name + (name.empty() ? "" : " ") + std::to_string(shape[i]);
    }
    return plain && !text.empty() ? '[' + text + ']' : text;
}

std::vector<NamedArraySetting> NamedTree::settings() const
{
    std::vector<NamedArraySetting> all;
    all.reserve(arrays.size());
    for (const ProgramArray& each : arrays)
        all.push_back(each.array);
    return all;
}

NamedTree namedTree(const Experiment& experiment, const Program* program)
{
    NamedTree tree;
    tree.rules = experiment.rules;
    if (const auto* list = std::get_if<ArraysModel>(&experiment.model)) {
        tree.arrays.reserve(list->arrays.size());
        for (const NamedArraySetting& array : list->arrays)
            tree.arrays.push_back({ array, {} });
        return tree;
    }
    const bool network = isNetwork(experiment);
    tree.source = network ? NamedTree::Source::Network : NamedTree::Source::Text;
    if (network && program)
        tree.arrays = arraysOf(*program);
    return tree;
}

RuleList listOf(const NamedArraySetting& array, const NamedTree& tree)
{
    const std::string_view path =
        tree.source == NamedTree::Source::Network ? networkPartPath(array.path) : std::string_view(array.path);
    return listFor(tree.rules, path);
}

ArrayOutcome outcomeOf(const ProgramArray& each, const NamedTree& tree, const MeshPtr& mesh)
{
    ArrayOutcome outcome;
    const NamedArraySetting& array = each.array;
    const bool unnamed = !array.names.empty() && std::ranges::none_of(array.names, isNamed);
    outcome.ignored = unnamed && tree.ignoreUnnamed;
    const LogicalRules rules = readableRules(tree.rules, listOf(array, tree));
    Reading mapping = outcome.ignored ? Reading() : readAsMapping(array, rules, mesh);
    outcome.meant = mapping.problem ? std::nullopt : meantSpec(array, mapping.spec);
    if (tree.isMapping() && !each.declared) {
        outcome.specified = std::move(mapping);
    } else {
        outcome.specified = readAsSpecified(each, tree.rules, rules, mesh);
        outcome.mapping = std::move(mapping);
    }
    return outcome;
}

std::vector<ArrayOutcome> outcomesOf(const NamedTree& tree, const MeshPtr& mesh)
{
    std::vector<ArrayOutcome> outcomes;
    outcomes.reserve(tree.arrays.size());
    for (const ProgramArray& array : tree.arrays)
        outcomes.push_back(outcomeOf(array, tree, mesh));
    return outcomes;
}

std::vector<MappedName> mappedNames(const NamedTree& tree)
{
    std::vector<MappedName> names;
    std::unordered_map<std::string, std::size_t> places;
    const auto find = [&](const std::string& name) -> MappedName& {
        const auto [place, isNew] = places.emplace(name, names.size());
        if (isNew)
            names.push_back({ name, {}, {}, 0 });
        return names[place->second];
    };
    for (const ProgramArray& each : tree.arrays)
        for (const LogicalName& name : each.array.names)
            if (isNamed(name) && listOf(each.array, tree).isOuter())
                ++find(name.name).uses; // a name stands once in an array
    std::unordered_map<std::string, std::vector<std::size_t>> rulesOf;
    const std::vector<LogicalRule>& list = tree.rules.rules.list;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!isNamed(list[i].name))
            continue;
        MappedName& name = find(list[i].name.name);
        std::vector<std::size_t>& rules = rulesOf[name.name];
        if (rules.empty())
            name.axes = list[i].target.axes;
        rules.push_back(i);
        if (list[i].target.axes != name.axes)
            name.conflicts.push_back(i);
    }
    for (MappedName& name : names)
        if (!name.conflicts.empty())
            name.conflicts = rulesOf[name.name];
    return names;
}

} // namespace shardscope
