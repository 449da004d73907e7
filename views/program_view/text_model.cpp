// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/text_model.h"

#include "views/theme/theme.h"
#include "words/utf8.h"

namespace shardscope {

ProgramTextModel::ProgramTextModel(QObject* parent)
    : QAbstractListModel(parent)
{
}

void ProgramTextModel::setText(std::shared_ptr<const ProgramText> text)
{
    if (text && m_text && text->lines() > 0 && text->hasLinesOf(*m_text)) {
        m_text = std::move(text);
        Q_EMIT dataChanged(index(0), index(rowCount() - 1));
        return;
    }
    beginResetModel();
    m_text = std::move(text);
    m_marks.clear();
    endResetModel();
}

void ProgramTextModel::setMarks(std::map<int, Mark> marks)
{
    m_marks = std::move(marks);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

const ProgramTextModel::Mark* ProgramTextModel::mark(int line) const
{
    const auto found = m_marks.find(line);
    return found == m_marks.end() ? nullptr : &found->second;
}

int ProgramTextModel::rowCount(const QModelIndex& parent) const
{
    return m_text && !parent.isValid() ? m_text->lines() : 0;
}

QVariant ProgramTextModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_text)
        return {};
    switch (role) {
    case Qt::DisplayRole: {
        const std::string_view line = m_text->line(index.row());
        if (line.size() <= static_cast<std::size_t>(ProgramText::longestShown))
            return words::fromStd(line);
        return words::fromStd(line.substr(0, ProgramText::longestShown)) + QStringLiteral(" …");
    }
    case Qt::FontRole:
        return Metrics::fixed();
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole: {
        const Mark* wrong = mark(index.row());
        return wrong ? wrong->text : QVariant();
    }
    default:
        return {};
    }
}

} // namespace shardscope
