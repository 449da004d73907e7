// SPDX-License-Identifier: GPL-3.0-or-later
// Text piece by piece: plain words, strong names, mesh axes in their colour.
#pragma once

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
    const Mesh* m_mesh;
    Text m_text;
};

} // namespace shardscope::words
