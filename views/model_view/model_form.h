// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a network: which one it is, and in sections that fold its sizes, which have sliders, blocks and training.
// Every change is one edit of the document; steps of one field that follow each other are one. What cannot be is
// refused at the field.
#pragma once

#include <QLabel>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "base/diagnostics.h"
#include "document/document.h"
#include "views/panel/panel.h"

class QBoxLayout;
class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;

namespace shardscope {

class FoldButton;
class LayoutPanel;
class ModelField;
class SizeSpinBox;

class ModelForm : public QWidget {
    Q_OBJECT
public:
    explicit ModelForm(Document* document, QWidget* parent = nullptr);

    /// By the key of what it sets: "batch", "kv_heads", "kv", "expert", "microbatches", "sliding_window",
    /// "window_pattern", "dropout", "parameter_dtype", "compute_dtype", "optimizer", "form", "layers_name", "step";
    /// null where there is no such field, or the model has no such setting.
    [[nodiscard]] ModelField* field(const QString& key) const;
    /// What is sharded beside the rules.
    [[nodiscard]] LayoutPanel* layoutPanel() const { return m_layout; }
    /// "sizes", "blocks", "training", "layout"; all are folded until somebody unfolds them.
    [[nodiscard]] FoldButton* head(const QString& section) const;
    [[nodiscard]] QStringList unfolded() const;
    void setUnfolded(const QStringList& sections); ///< and all others folded; unknown ones are passed over
    /// What is said in the place of fields; "" where there are any.
    [[nodiscard]] QString sentence() const { return m_sentence->isHidden() ? QString() : m_sentence->text(); }

private:
    struct Section {
        QString name;
        FoldButton* head;
        QWidget* body;
        QGridLayout* grid; ///< of its fields, or of the one thing that it holds
        bool ofFields = true;
    };
    struct Size {
        std::string name; ///< as withDimension() knows it, or "expert", "microbatches", "sliding_window", ...
        std::size_t section;
        ModelField* field;
        SizeSpinBox* spin;
    };
    struct Choice {
        std::string name;
        std::size_t section;
        ModelField* field;
        QComboBox* combo;
        bool isFree = false; ///< its text is what counts
    };
    void addNetworks();
    void addSection(const char* name, const QString& title);
    [[nodiscard]] std::size_t sectionOf(const char* name) const;
    /// `none` stands for 0, where the size can be that.
    void addSize(const char* section, const char* name, const QString& title, const QString& none = {});
    void addDropout();
    QComboBox* addChoice(const char* section, const char* name, const QString& title);
    void watch(ModelField* field);
    void refresh();
    void refreshNetworks();
    void refreshSize(const Size& size);
    void refreshChoices();
    void refreshDropout();
    void place(); ///< the fields that the model has, in two columns of their sections
    void placeSection(std::size_t section);
    void acceptAll();
    void chooseNetwork(int index);
    void setSize(std::size_t index, int value);
    void slide(std::size_t index, qint64 value, bool dragging);
    void cancelSlide(std::size_t index);
    void setDropout(double rate);
    /// Steps of this field become one edit from now on.
    void merge(ModelField* field, const QString& before);
    void choose(const std::string& name, ModelField* field, const QComboBox& combo);
    void write(const std::string& name, ModelField* field, const QString& text);
    void makeFree(QComboBox* combo); ///< one of the choices
    bool edit(ModelField* field, Result<Experiment> after, const QString& text, int mergeId);

    Document* m_document;
    ModelField* m_network;
    QComboBox* m_networks;
    RoleLabel* m_sentence;
    QBoxLayout* m_heads;
    QBoxLayout* m_bodies;
    std::vector<Section> m_sections;
    LayoutPanel* m_layout;
    std::vector<Size> m_sizes;
    std::vector<Choice> m_choices;
    ModelField* m_dropout;
    QDoubleSpinBox* m_dropoutRate;
    ModelField* m_merging = nullptr; ///< whose steps are one edit
    int m_mergeId = 0;
    QString m_before; ///< the first of these steps
    ExperimentPtr m_beforeDrag; ///< of the slider that is held
    bool m_editing = false;
};

} // namespace shardscope
