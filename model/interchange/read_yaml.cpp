// SPDX-License-Identifier: GPL-3.0-or-later
// A part of YamlNode, which is declared in yaml_text.h.
#include "base/codes.h"
#include "interchange/yaml_text.h"

#include <yaml.h>

#include <algorithm>
#include <array>
#include <unordered_set>

namespace shardscope {

namespace {

/// One parser event at a time.
class Events {
public:
    explicit Events(std::string_view text)
        : m_end(endOf(text))
        , m_ready(yaml_parser_initialize(&m_parser) == 1)
    {
        if (m_ready)
            yaml_parser_set_input_string(&m_parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
    ~Events()
    {
        drop();
        if (m_ready)
            yaml_parser_delete(&m_parser);
    }
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;

    [[nodiscard]] const yaml_event_t& now() const { return m_event; }
    [[nodiscard]] Where where() const { return whereOf(m_event.start_mark); }

    /// Errors: Syntax; TooLarge for memory that is not there and for nesting beyond the library's own limit.
    Result<void> next()
    {
        drop();
        if (!m_ready)
            return fail(Code::TooLarge, { { "what", "YAML text" } });
        m_held = yaml_parser_parse(&m_parser, &m_event) == 1;
        if (m_held)
            return {};
        m_event = {};
        if (m_parser.error == YAML_MEMORY_ERROR)
            return fail(Code::TooLarge, { { "what", "YAML text" } });
        Where where = whereOf(m_parser.problem_mark);
        if (m_parser.error == YAML_READER_ERROR) // which knows the byte alone; text was read up to the mark
            where = whereOf(m_parser.mark);
        return fail(Code::Syntax,
            { { "expected", "YAML text" }, { "problem", m_parser.problem ? m_parser.problem : "it cannot be read" } },
            std::move(where));
    }

private:
    static Where endOf(std::string_view text)
    {
        Where end;
        end.line = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
        const std::size_t last = text.rfind('\n');
        const std::string_view line = text.substr(last == std::string_view::npos ? 0 : last + 1);
        end.column = 1 + static_cast<int>(std::count_if(line.begin(), line.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; // not inside a character
        }));
        return end;
    }
    /// The library puts the end of the text on a line of its own, and knows more kinds of line breaks.
    [[nodiscard]] Where whereOf(const yaml_mark_t& mark) const
    {
        Where where;
        where.line = static_cast<int>(mark.line) + 1;
        where.column = static_cast<int>(mark.column) + 1;
        return where.line > m_end.line ? m_end : where;
    }
    void drop()
    {
        if (m_held)
            yaml_event_delete(&m_event);
        m_held = false;
    }

    yaml_parser_t m_parser{};
    yaml_event_t m_event{};
    Where m_end;
    bool m_ready;
    bool m_held = false;
};

class TreeReader {
public:
    TreeReader(std::string_view text, const YamlLimits& limits)
        : m_events(text)
        , m_limits(limits)
    {
    }

    Result<YamlNode> document()
    {
        YamlNode root; // of an empty text: null
        for (bool read = false;;) {
            SHARDSCOPE_CHECK(m_events.next());
            switch (m_events.now().type) {
            case YAML_STREAM_START_EVENT:
            case YAML_DOCUMENT_END_EVENT:
                break;
            case YAML_STREAM_END_EVENT:
            case YAML_NO_EVENT:
                return root;
            case YAML_DOCUMENT_START_EVENT:
                if (read)
                    return fail(Code::Syntax, { { "expected", "end of text" }, { "found", "another document" } },
                        m_events.where());
                break;
            default: {
                SHARDSCOPE_TRY(node, value(0));
                root = std::move(*node);
                read = true;
            }
            }
        }
    }

private:
    /// The value that begins with the present event.
    Result<YamlNode> value(std::size_t depth)
    {
        if (depth > m_limits.depth)
            return fail(Code::TooLarge, { { "what", "nesting" }, { "limit", m_limits.depth } }, m_events.where());
        if (++m_nodes > m_limits.nodes)
            return fail(Code::TooLarge, { { "what", "values" }, { "limit", m_limits.nodes } }, m_events.where());
        YamlNode node;
        const Where where = m_events.where();
        node.line = where.line;
        node.column = where.column;
        const yaml_event_t& event = m_events.now();
        switch (event.type) {
        case YAML_SCALAR_EVENT: {
            const auto& scalar = event.data.scalar;
            node.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
            node.quoted = scalar.style != YAML_PLAIN_SCALAR_STYLE;
            return node;
        }
        case YAML_SEQUENCE_START_EVENT:
            node.type = YamlNode::Type::List;
            return items(std::move(node), YAML_SEQUENCE_END_EVENT, depth);
        case YAML_MAPPING_START_EVENT:
            node.type = YamlNode::Type::Mapping;
            return items(std::move(node), YAML_MAPPING_END_EVENT, depth);
        case YAML_ALIAS_EVENT:
            return fail(Code::Syntax, { { "expected", "a value" }, { "found", "an alias" } }, where);
        default:
            return fail(Code::Syntax, { { "expected", "a value" }, { "found", "end of text" } }, where);
        }
    }

    Result<YamlNode> items(YamlNode node, yaml_event_type_t end, std::size_t depth)
    {
        std::unordered_set<std::string> keys;
        for (;;) {
            SHARDSCOPE_CHECK(m_events.next());
            if (m_events.now().type == end)
                return node;
            SHARDSCOPE_TRY(item, value(depth + 1));
            const bool isKey = node.type == YamlNode::Type::Mapping && node.items.size() % 2 == 0;
            if (isKey && item->type != YamlNode::Type::Scalar)
                return fail(Code::Syntax, { { "expected", "a key" }, { "found", item->shown() } }, item->where());
            if (isKey && !keys.insert(item->text).second)
                return fail(Code::DuplicateKey, { { "key", item->text } }, item->where());
            node.items.push_back(std::move(*item));
        }
    }

    Events m_events;
    YamlLimits m_limits;
    std::size_t m_nodes = 0;
};

} // namespace

Result<YamlNode> parseYaml(std::string_view text, const YamlLimits& limits)
{
    if (text.size() > limits.bytes)
        return fail(Code::TooLarge, { { "what", "YAML text" }, { "bytes", text.size() }, { "limit", limits.bytes } });
    return TreeReader(text, limits).document();
}

bool YamlNode::isNull() const
{
    constexpr std::array<std::string_view, 5> words{ "", "~", "null", "Null", "NULL" };
    return type == Type::Scalar && !quoted && std::find(words.begin(), words.end(), text) != words.end();
}

Where YamlNode::where() const
{
    Where where;
    where.line = line;
    where.column = column;
    return where;
}

std::string YamlNode::shown() const
{
    switch (type) {
    case Type::List:
        return "a list";
    case Type::Mapping:
        return "a mapping";
    case Type::Scalar:
        break;
    }
    constexpr std::size_t limit = 24;
    if (text.empty())
        return quoted ? "''" : "nothing";
    if (text.size() <= limit)
        return "'" + text + "'";
    std::size_t end = limit; // not inside a character
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
        --end;
    return "'" + text.substr(0, end) + "...'";
}

} // namespace shardscope
