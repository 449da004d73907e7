// SPDX-License-Identifier: GPL-3.0-or-later
// Text part by part: plain words, strong names, mesh axes in their colour.
#pragma once

#include <initializer_list>
#include <span>

#include "sharding/text.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

class Sentence {
public:
    explicit Sentence(const Mesh& mesh)
        : m_mesh(&mesh)
    {
    }
    Sentence& say(const QString& text)
    {
        m_text.push_back({ text, Span::Style::Plain, -1 });
        return *this;
    }
    Sentence& strong(const QString& text)
    {
        m_text.push_back({ text, Span::Style::Strong, -1 });
        return *this;
    }
    Sentence& code(const QString& text)
    {
        m_text.push_back({ text, Span::Style::Code, -1 });
        return *this;
    }
    /// What a place in a pattern stands for.
    struct Part {
        QString text;
        QString link = {};
        Span::Style style = Span::Style::Plain;
    };
    /// A pattern of tr() with %1, %2, ... in it, whose parts may lead somewhere.
    Sentence& fill(const QString& pattern, std::initializer_list<Part> parts)
    {
        qsizetype from = 0;
        for (qsizetype at = pattern.indexOf(QLatin1Char('%')); at >= 0; at = pattern.indexOf(QLatin1Char('%'), from)) {
            const int number = at + 1 < pattern.size() ? pattern[at + 1].digitValue() : -1;
            if (number < 1 || number > static_cast<int>(parts.size())) { // a sign of per cent
                sayMore(pattern.mid(from, at + 1 - from));
                from = at + 1;
                continue;
            }
            sayMore(pattern.mid(from, at - from));
            const Part& part = *(parts.begin() + (number - 1));
            if (part.link.isEmpty() && part.style == Span::Style::Plain)
                sayMore(part.text);
            else
                m_text.push_back({ part.text, part.style, -1, part.link });
            from = at + 2;
        }
        sayMore(pattern.mid(from));
        return *this;
    }
    /// "data", "data and model"
    Sentence& axes(std::span<const AxisRef> list)
    {
        for (std::size_t i = 0; i < list.size(); ++i) {
            between(i, list.size());
            m_text.push_back({ fromStd(toString(*m_mesh, list[i])), Span::Style::Axis, list[i].axis });
        }
        return *this;
    }
    /// What stands before item `i` of a list of `size`: nothing, ", " or " and ".
    Sentence& between(std::size_t i, std::size_t size)
    {
        if (i > 0)
            say(i + 1 == size ? Words::tr(" and ") : QStringLiteral(", "));
        return *this;
    }
    Sentence& append(const Text& text)
    {
        m_text.insert(m_text.end(), text.begin(), text.end());
        return *this;
    }
    [[nodiscard]] bool empty() const { return m_text.empty(); }
    [[nodiscard]] Text take() { return std::move(m_text); }

private:
    /// Plain words go on the span before where that is one.
    void sayMore(const QString& text)
    {
        if (text.isEmpty())
            return;
        if (!m_text.empty() && m_text.back().style == Span::Style::Plain && m_text.back().link.isEmpty())
            m_text.back().text += text;
        else
            say(text);
    }
    const Mesh* m_mesh;
    Text m_text;
};

} // namespace shardscope::words
