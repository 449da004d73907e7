// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of a program's text as a list. Only lines that are looked at become strings.
#pragma once

#include <QString>
#include <map>

#include "pipeline/program_text.h"
#include "views/widgets/column_model.h"

namespace shardscope {

class ProgramTextModel : public ColumnModel {
    Q_OBJECT
public:
    /// What is wrong with a line.
    struct Mark {
        Severity severity = Severity::Error;
        QString text; ///< one sentence per problem, on lines of their own
    };
    explicit ProgramTextModel(QObject* parent = nullptr);
    /// A text with the lines of the one before takes its place without a reset: what is current stays, and nothing
    /// scrolls.
    void setText(std::shared_ptr<const ProgramText> text);
    [[nodiscard]] const ProgramText* text() const { return m_text.get(); }
    void setMarks(std::map<int, Mark> marks); ///< by line
    [[nodiscard]] const Mark* mark(int line) const; ///< null for none
    [[nodiscard]] const std::map<int, Mark>& marks() const { return m_marks; }

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    std::shared_ptr<const ProgramText> m_text;
    std::map<int, Mark> m_marks;
};

} // namespace shardscope
