// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes: dictionaries as they stand in the text, and the values in them.
// A part of Reader, which is declared in reader.h.
#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "base/codes.h"
#include "stablehlo/element_values.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

/// What all aliases of a text may grow to together, in characters.
constexpr std::size_t maximumExpansion = 1'000'000;

/// The first attribute whose name another one before it has; null if each has its own.
const NamedAttribute* repeated(const std::vector<NamedAttribute>& attributes)
{
    constexpr std::size_t few = 16;
    if (attributes.size() <= few) {
        for (std::size_t i = 1; i < attributes.size(); ++i)
            for (std::size_t before = 0; before < i; ++before)
                if (attributes[before].name == attributes[i].name)
                    return &attributes[i];
        return nullptr;
    }
    std::unordered_set<std::string_view> names;
    for (const NamedAttribute& attribute : attributes)
        if (!names.insert(attribute.name).second)
            return &attribute;
    return nullptr;
}

} // namespace

bool Reader::readNamed(Scanner& s, NamedAttribute& attribute, bool pretty)
{
    attribute = {};
    attribute.position = s.position();
    if (s.raw() == '"') {
        attribute.name = s.quoted();
        if (attribute.name.size() < 3)
            return s.expected("the name of an attribute");
        attribute.name = attribute.name.substr(1, attribute.name.size() - 2);
    } else {
        attribute.name = s.word();
        if (attribute.name.empty())
            return s.expected("the name of an attribute");
    }
    if (!s.accept('='))
        return true;
    const std::size_t begin = s.position();
    if (!s.skipValue(pretty))
        return false;
    attribute.value = s.since(begin);
    return true;
}

bool Reader::readDictionary(Scanner& s, std::vector<NamedAttribute>& attributes)
{
    return s.list('{', '}', [&] { return readNamed(s, attributes.emplace_back(), false); }) && checkNames(attributes);
}

bool Reader::checkNames(const std::vector<NamedAttribute>& attributes)
{
    const NamedAttribute* again = repeated(attributes);
    return !again || m_scanner.problem(Code::DuplicateKey, { { "key", std::string(again->name) } }, again->position);
}

bool Reader::resolve(std::string_view& value)
{
    for (int depth = 0; !value.empty() && value[0] == '#'; ++depth) {
        std::size_t length = 1;
        while (length < value.size() && (isWordCharacter(value[length]) || value[length] == '-'))
            ++length;
        const std::string_view name = value.substr(0, length);
        if (name.find('.') != std::string_view::npos || length != value.size())
            return true; // "#sdy.sharding<...>"
        const std::string_view meaning = m_aliases.find(name);
        if (meaning.empty() || depth >= maximumAttributeDepth)
            return m_scanner.problem(Code::UndefinedName, { { "what", "alias" }, { "name", std::string(name) } },
                static_cast<std::size_t>(value.data() - m_text.data()));
        value = meaning;
    }
    return true;
}

bool Reader::keptText(std::string_view value, std::string& kept, int depth)
{
    Scanner s = m_scanner.within(value);
    const std::size_t limit = s.rawPosition() + value.size();
    if (depth > 0) {
        m_expanded += value.size();
        if (depth > maximumAttributeDepth || m_expanded > maximumExpansion)
            return s.problem(
                Code::TooLarge, { { "what", "characters of aliases" }, { "limit", maximumExpansion } }, s.position());
    }
    while (s.rawPosition() < limit) {
        const std::size_t before = s.rawPosition();
        s.skipBlanks();
        if (s.rawPosition() > before) {
            if (!kept.empty() && kept.back() != ' ')
                kept += ' ';
            continue;
        }
        const char c = s.raw();
        if (c == '"') {
            const std::string_view text = s.quoted();
            if (text.empty())
                return s.expected("a string that ends on its line");
            kept += text;
            continue;
        }
        if (c == '#' || c == '!') {
            s.step();
            const std::string_view name = s.suffix();
            const std::string_view full = s.since(before);
            const std::string_view meaning = m_aliases.find(full);
            if (name.find('.') == std::string_view::npos && s.raw() != '<' && !meaning.empty()) {
                if (!keptText(meaning, kept, depth + 1))
                    return false;
            } else {
                kept += full;
            }
            continue;
        }
        kept += c;
        s.step();
    }
    while (depth == 0 && !kept.empty() && kept.back() == ' ')
        kept.pop_back();
    return true;
}

std::uint32_t Reader::addDictionary(Dictionary dictionary)
{
    if (dictionary.empty())
        return 0;
    std::string key;
    for (const NamedText& entry : dictionary)
        key += entry.name + '\0' + entry.text + '\0';
    const auto [found, added] =
        m_dictionaries.emplace(std::move(key), static_cast<std::uint32_t>(m_program.dictionaries.size()));
    if (added)
        m_program.dictionaries.push_back(std::move(dictionary));
    return found->second;
}

bool Reader::keep(const std::vector<NamedAttribute>& attributes, std::uint32_t& index, Dictionary dictionary)
{
    for (const NamedAttribute& attribute : attributes) {
        if (attribute.taken)
            continue;
        NamedText entry{ std::string(attribute.name), {} };
        if (!keptText(attribute.value, entry.text))
            return false;
        if (entry.text == "unit")
            entry.text.clear();
        dictionary.push_back(std::move(entry));
    }
    std::stable_sort(
        dictionary.begin(), dictionary.end(), [](const NamedText& a, const NamedText& b) { return a.name < b.name; });
    index = addDictionary(std::move(dictionary));
    return true;
}

NamedAttribute* Reader::find(std::vector<NamedAttribute>& attributes, std::string_view name)
{
    const auto found =
        std::find_if(attributes.begin(), attributes.end(), [&](const NamedAttribute& a) { return a.name == name; });
    return found == attributes.end() ? nullptr : &*found;
}

NamedAttribute* Reader::take(Pending& op, std::string_view name, std::string_view other)
{
    NamedAttribute* found = find(op.attributes, name);
    NamedAttribute* second = other.empty() || other == name ? nullptr : find(op.attributes, other);
    if (found && second) // the same under the name of the pretty form
        (void)m_scanner.problem(Code::DuplicateKey, { { "key", std::string(other) } }, second->position);
    if (!found)
        found = second;
    if (found)
        found->taken = true;
    return found;
}

bool Reader::open(const NamedAttribute& attribute, Scanner& s)
{
    std::string_view value = attribute.value;
    if (!resolve(value))
        return false;
    if (value.empty())
        return attributeProblem(attribute, "a value");
    s = s.within(value);
    return true;
}

bool Reader::needs(Pending& op, std::string_view name)
{
    return m_scanner.problem(
        Code::AttributeMissing, { { "op", std::string(op.name) }, { "attribute", std::string(name) } }, op.position);
}

bool Reader::attributeProblem(const NamedAttribute& attribute, std::string wanted)
{
    std::string shown(attribute.value.substr(0, 60));
    if (attribute.value.size() > shown.size())
        shown += "…";
    return m_scanner.problem(Code::AttributeValue,
        { { "attribute", std::string(attribute.name) }, { "value", std::move(shown) },
            { "wanted", std::move(wanted) } },
        attribute.position);
}

bool Reader::takeInteger(Pending& op, std::string_view name, std::string_view other, bool required, std::int64_t& value)
{
    const NamedAttribute* attribute = take(op, name, other);
    if (!attribute)
        return !required || needs(op, name);
    Scanner s = m_scanner;
    return open(*attribute, s) && s.integer(value);
}

bool Reader::readBool(Scanner& s, bool& value)
{
    const std::string_view word = s.peekWord();
    std::int64_t number = 0;
    if (word == "true" || word == "false") {
        value = word == "true";
        (void)s.word();
        return true;
    }
    if (!s.integer(number))
        return false;
    value = number != 0;
    return true;
}

bool Reader::takeBool(Pending& op, std::string_view name, bool& value)
{
    const NamedAttribute* attribute = take(op, name);
    if (!attribute)
        return true;
    if (attribute->value.empty() || attribute->value == "unit") {
        value = true;
        return true;
    }
    Scanner s = m_scanner;
    return open(*attribute, s) && readBool(s, value);
}

bool Reader::takeString(Pending& op, std::string_view name, std::string& value)
{
    const NamedAttribute* attribute = take(op, name);
    if (!attribute)
        return true;
    Scanner s = m_scanner;
    return open(*attribute, s) && s.string(value);
}

bool Reader::takeSymbol(Pending& op, std::string_view name, bool required, std::string& value)
{
    const NamedAttribute* attribute = take(op, name);
    if (!attribute)
        return !required || needs(op, name);
    Scanner s = m_scanner;
    return open(*attribute, s) && s.symbol(value);
}

bool Reader::takeNumber(Pending& op, std::string_view name, double& value)
{
    const NamedAttribute* attribute = take(op, name);
    if (!attribute)
        return needs(op, name);
    Scanner s = m_scanner;
    if (!open(*attribute, s))
        return false;
    return readNumber(s, DType::F64, value) || attributeProblem(*attribute, "a number");
}

bool Reader::takeWord(Pending& op, std::string_view name, std::string_view other, bool required,
    std::initializer_list<std::string_view> words, std::size_t& index)
{
    const NamedAttribute* attribute = take(op, name, other);
    if (!attribute)
        return !required || needs(op, name);
    Scanner s = m_scanner;
    if (!open(*attribute, s))
        return false;
    if (s.accept('#')) { // "#stablehlo<comparison_direction EQ>", "#stablehlo.comparison_direction<EQ>"
        const std::string_view dialect = s.suffix();
        if (!s.require('<'))
            return false;
        if (dialect.find('.') == std::string_view::npos)
            (void)s.word();
    } else {
        (void)s.accept('<');
    }
    std::string held;
    std::string_view word;
    if (s.at('"')) {
        if (!s.string(held))
            return false;
        word = held;
    } else {
        word = s.word();
    }
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) {
        std::string wanted = "one of";
        for (const std::string_view w : words)
            wanted += (w == *words.begin() ? " " : ", ") + std::string(w);
        return attributeProblem(*attribute, std::move(wanted));
    }
    index = static_cast<std::size_t>(found - words.begin());
    return true;
}

bool Reader::readIntegers(Scanner& s, std::vector<std::int64_t>& values, Shape* shape)
{
    constexpr std::size_t maximum = 16'777'216;
    const std::size_t begin = s.position();
    if (s.accept("dense")) {
        s.seek(begin);
        ConstantAttributes constant;
        TensorType type;
        if (!readElements(s, constant, type))
            return false;
        if (!constant.bytes || isFloat(type.dtype) || isComplex(type.dtype))
            return s.expectedAt(begin, "whole numbers");
        const auto count = static_cast<std::size_t>(type.elementCount());
        if (count > maximum)
            return s.problem(Code::TooLarge, { { "what", "numbers in an attribute" }, { "limit", maximum } }, begin);
        const auto size = static_cast<std::size_t>(byteSize(type.dtype));
        const bool splat = constant.bytes->size() == size;
        values.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            values.push_back(integerAt(type.dtype, constant.bytes->data() + (splat ? 0 : i * size)));
        if (shape)
            *shape = type.shape;
        return true;
    }
    char close = ']';
    if (s.accept("array<")) {
        if (s.word().empty())
            return s.expected("the type of the numbers");
        close = '>';
        if (!s.accept(':'))
            return s.require('>');
    } else if (!s.require('[')) {
        return false;
    }
    if (s.accept(close))
        return true;
    do {
        std::int64_t value = 0;
        bool truth = false;
        const char first = s.peek();
        if (first == 't' || first == 'f') {
            if (!readBool(s, truth))
                return false;
            value = truth;
        } else if (!s.integer(value)) {
            return false;
        }
        values.push_back(value);
        if (s.accept(':') && s.word().empty())
            return s.expected("a type");
    } while (s.accept(','));
    return s.require(close);
}

bool Reader::readDimensions(Scanner& s, DimensionList& dimensions)
{
    m_numbers.clear();
    if (!readIntegers(s, m_numbers))
        return false;
    dimensions = m_parts.dimensions(m_numbers);
    return true;
}

bool Reader::takeDimensions(
    Pending& op, std::string_view name, std::string_view other, bool required, DimensionList& dimensions)
{
    const NamedAttribute* attribute = take(op, name, other);
    if (!attribute)
        return !required || needs(op, name);
    Scanner s = m_scanner;
    return open(*attribute, s) && readDimensions(s, dimensions);
}

bool Reader::readPairs(const NamedAttribute& attribute, std::vector<std::vector<std::int64_t>>& rows)
{
    Scanner s = m_scanner;
    if (!open(attribute, s))
        return false;
    if (s.at("dense")) {
        std::vector<std::int64_t> values;
        Shape shape;
        if (!readIntegers(s, values, &shape))
            return false;
        if (shape.size() != 2)
            return attributeProblem(attribute, "a table of whole numbers");
        const auto width = static_cast<std::size_t>(shape[1]);
        if (width == 0)
            return true; // rows without numbers say nothing
        for (std::size_t i = 0; i < values.size(); i += width)
            rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(i),
                values.begin() + static_cast<std::ptrdiff_t>(i + width));
        return true;
    }
    return s.list('[', ']', [&] { return readIntegers(s, rows.emplace_back()); });
}

bool Reader::readStructure(const NamedAttribute& attribute, std::vector<NamedAttribute>& fields)
{
    Scanner s = m_scanner;
    if (!open(attribute, s))
        return false;
    if (s.accept('#'))
        (void)s.suffix();
    return s.listWithTrailingComma('<', '>', [&] { return readNamed(s, fields.emplace_back(), false); });
}

} // namespace shardscope::mlir
