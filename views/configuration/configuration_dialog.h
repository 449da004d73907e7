// SPDX-License-Identifier: GPL-3.0-or-later
// What a model's config.json says, before anything is opened: which keys are read, left out or not known, and what is
// assumed. The architecture can be chosen by hand where the file's own is not known; mesh and rules are asked for.
#pragma once

#include <QDialog>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "interchange/hugging_face.h"
#include "views/panel/panel.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace shardscope {

class ConfigurationDialog : public QDialog {
    Q_OBJECT
public:
    /// `present` proposes its mesh; its rules can be kept.
    ConfigurationDialog(
        const QString& fileName, std::string text, const Experiment& present, QWidget* parent = nullptr);

    [[nodiscard]] QComboBox* families() const { return m_families; } ///< data: "" = as the file says, "llama", ...
    [[nodiscard]] QLineEdit* meshField() const { return m_mesh; }
    [[nodiscard]] QComboBox* ruleSets() const { return m_rules; } ///< data: "" = default, "none", "present", or an id
    /// Groups of keys; under each, key, value, and what becomes of it.
    [[nodiscard]] QTreeWidget* fields() const { return m_fields; }
    /// how many parameters there are, or why nothing can be opened
    [[nodiscard]] QString stateText() const { return m_state->text(); }
    /// Of reading, with the file's name.
    [[nodiscard]] std::vector<Diagnostic> warnings() const;
    /// With the choices that are made. Errors: those of readHuggingFace(), parseMesh() and networkExperiment().
    [[nodiscard]] Result<Experiment> experiment() const;

private:
    void readAgain();
    void showFields();
    void showState();
    void nameDefaultRules();
    [[nodiscard]] Result<MeshSetting> mesh() const;

    QString m_fileName;
    std::string m_text;
    RulesSetting m_presentRules;
    Result<ReadHuggingFace> m_read;
    QComboBox* m_families;
    QLineEdit* m_mesh;
    QComboBox* m_rules;
    QTreeWidget* m_fields;
    RoleLabel* m_state;
    QPushButton* m_open;
};

} // namespace shardscope
