// SPDX-License-Identifier: GPL-3.0-or-later
// The program as text, line by line, each with the operation that it shows. The text is held once, as bytes; lines
// become strings when they are looked at.
#pragma once

#include <QAbstractListModel>
#include <string>
#include <vector>

#include "program/program.h"

namespace shardscope {

struct ProgramText {
    std::string text;
    std::vector<std::size_t> starts; ///< of the lines; one more, behind the last line
    std::vector<OperationId> operations; ///< by line; invalid where it shows none
    std::vector<ValueId> arguments; ///< by line: the argument of main that it shows
    std::vector<int> lineOfOperation, lineOfArgument; ///< -1 for none; the second by number of the argument
    int longest = 0; ///< in bytes

    static ProgramText of(const Program& program);
    [[nodiscard]] int lines() const { return static_cast<int>(operations.size()); }
    [[nodiscard]] std::string_view line(int index) const;
    /// The next line from `from` on that contains the text, whatever the case of plain letters; around the end. -1 for
    /// none.
    [[nodiscard]] int find(std::string_view wanted, int from, bool backwards) const;
};

class ProgramTextModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit ProgramTextModel(QObject* parent = nullptr);
    void setText(std::shared_ptr<const ProgramText> text);
    [[nodiscard]] const ProgramText* text() const { return m_text.get(); }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    std::shared_ptr<const ProgramText> m_text;
};

} // namespace shardscope
