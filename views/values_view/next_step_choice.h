// SPDX-License-Identifier: GPL-3.0-or-later
// Says what an argument holds in the next step: a result of this one, or what it held before. Where the program does
// not fix that, another result of its type can be chosen.
#pragma once

#include <QWidget>
#include <optional>
#include <string>

#include "document/document.h"
#include "program/step_state.h"

class QComboBox;

namespace shardscope {

class NextStepChoice : public QWidget {
    Q_OBJECT
public:
    explicit NextStepChoice(Document* document, QWidget* parent = nullptr);

    /// The argument of the snapshot's program that has this path; hides itself where none has.
    void follow(const SnapshotPtr& snapshot, const std::string& path);
    [[nodiscard]] QComboBox* box() const { return m_box; }

Q_SIGNALS:
    void chosen(); ///< the document has been edited

private:
    void list(const StepState& state);
    void choose(std::optional<std::size_t> result);
    void takeBack();
    void apply(std::string state, const QString& words);
    Document* m_document;
    QComboBox* m_box;
    ProgramPtr m_program;
    std::size_t m_number = 0; ///< of the argument
};

} // namespace shardscope
