// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/text_model.h"

#include "words/utf8.h"

namespace shardscope {

ProgramTextModel::ProgramTextModel(QObject* parent)
    : ColumnModel(parent)
{
    setColumns({ { {},
        [this](int row) {
            const std::string_view line = m_text->line(row);
            if (line.size() <= static_cast<std::size_t>(ProgramText::longestShown))
                return words::fromStd(line);
            return words::fromStd(line.substr(0, ProgramText::longestShown)) + QStringLiteral(" …");
        },
        ModelColumn::Look::Code } });
}

void ProgramTextModel::setText(std::shared_ptr<const ProgramText> text)
{
    const bool same = text && m_text && text->lines() > 0 && text->hasLinesOf(*m_text);
    refill(same, [&] {
        m_text = std::move(text);
        if (!same)
            m_marks.clear();
    });
}

void ProgramTextModel::setMarks(std::map<int, Mark> marks)
{
    m_marks = std::move(marks);
    touch();
}

const ProgramTextModel::Mark* ProgramTextModel::mark(int line) const
{
    const auto found = m_marks.find(line);
    return found == m_marks.end() ? nullptr : &found->second;
}

int ProgramTextModel::count() const
{
    return m_text ? m_text->lines() : 0;
}

QVariant ProgramTextModel::cell(int row, int, int role) const
{
    const Mark* wrong = role == Qt::ToolTipRole || role == Qt::AccessibleDescriptionRole ? mark(row) : nullptr;
    return wrong ? QVariant(wrong->text) : QVariant();
}

} // namespace shardscope
