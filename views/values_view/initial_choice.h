// SPDX-License-Identifier: GPL-3.0-or-later
// What an argument of the program begins with, and what it holds in the next step.
#pragma once

#include <QWidget>
#include <optional>
#include <set>
#include <string>

#include "document/document.h"
#include "program/step_state.h"
#include "simulate/run/initial_values.h"

class QComboBox;

namespace shardscope {

/// Says what an argument holds in the next step: a result of this one, or what it held before. Where the program does
/// not fix that, another result of its type can be chosen.
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
    void takeBack() { apply({}, tr("State as the program says")); }
    void apply(std::string state, const QString& words);
    Document* m_document;
    QComboBox* m_box;
    ProgramPtr m_program;
    std::size_t m_number = 0; ///< of the argument
};

/// Says what an argument begins with, and chooses another of the forms of program/initial_value.h, or a file.
class InitialChoice : public QWidget {
    Q_OBJECT
public:
    explicit InitialChoice(Document* document, QWidget* parent = nullptr);

    /// The argument of the snapshot's program that has this path; hides itself where none has.
    void follow(const SnapshotPtr& snapshot, const std::string& path);
    [[nodiscard]] QComboBox* box() const { return m_box; }
    /// Chooses what a text says; the default for none. What cannot be is said by the document, and changes nothing.
    void choose(const QString& text) { edit(parseInitialValue(text.trimmed().toStdString())); }
    void chooseFile(const QString& path);

Q_SIGNALS:
    void chosen(); ///< the document has been edited

private:
    void askForFile();
    void edit(Result<InitialValue> value);
    void apply(const std::optional<InitialValue>& value);
    void showForce();
    Document* m_document;
    QComboBox* m_box;
    ProgramPtr m_program; ///< whose defaults are these
    std::vector<ArgumentStart> m_defaults;
    std::set<std::size_t> m_ofText; ///< arguments that read another batch in every step, where nothing is chosen
    std::string m_path; ///< of the argument; empty for none
    std::size_t m_number = 0;
    DType m_dtype = DType::F32;
    QString m_inForce; ///< text of the box
};

} // namespace shardscope
