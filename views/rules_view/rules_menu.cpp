// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/rules_menu.h"

#include <algorithm>
#include <vector>

#include "views/theme/icons.h"
#include "views/widgets/plain_tip.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr RulesForm forms[] = { RulesForm::Flax, RulesForm::T5x, RulesForm::MaxText, RulesForm::Json };

QString tipOf(const PublishedRules& set)
{
    QStringList lines{ QString::fromStdString(set.source) };
    lines << RulesMenu::tr("Mesh axes: %1").arg(words::texts(set.meshAxes, words::fromStd).join(QStringLiteral(", ")));
    if (!set.note.empty())
        lines << QString::fromStdString(set.note);
    if (!set.overrides.empty())
        lines << RulesMenu::tr("Meant to be merged over %1").arg(QString::fromStdString(set.overrides));
    return plainTip(lines.join(QLatin1Char('\n')));
}

} // namespace

QString formName(RulesForm form)
{
    switch (form) {
    case RulesForm::Flax:
        return RulesMenu::tr("Flax tuples");
    case RulesForm::T5x:
        return RulesMenu::tr("T5X tuples");
    case RulesForm::MaxText:
        return RulesMenu::tr("MaxText YAML");
    case RulesForm::Json:
        return RulesMenu::tr("JSON");
    }
    return {};
}

QString formSuffix(RulesForm form)
{
    return form == RulesForm::MaxText ? QStringLiteral("yml")
        : form == RulesForm::Json     ? QStringLiteral("json")
                                      : QStringLiteral("py");
}

RulesMenu::RulesMenu(QWidget* parent)
    : QMenu(parent)
{
    QAction* title = addSection(tr("Published rule sets"));
    title->setObjectName(QStringLiteral("publishedSets"));
    std::vector<std::string> projects;
    for (const PublishedRules& set : publishedRules())
        if (std::find(projects.begin(), projects.end(), set.project) == projects.end())
            projects.push_back(set.project);
    for (const std::string& project : projects)
        addProject(project);

    addSection(tr("Parts of the model"));
    QAction* part = addAction(shardscope::icon(QStringLiteral("add")), tr("&Rules for a part of the model…"), this,
        &RulesMenu::partRequested);
    part->setObjectName(QStringLiteral("rulesForPart"));
    part->setToolTip(
        tr("Rules that are bound inside a part of the model, as logical_axis_rules around a module: for its "
           "arrays they replace the others"));

    addSection(tr("Import and export"));
    QAction* open =
        addAction(shardscope::icon(QStringLiteral("open")), tr("&Import rules…"), this, &RulesMenu::importRequested);
    open->setObjectName(QStringLiteral("importRules"));
    open->setToolTip(tr("Flax or T5X tuples, a MaxText configuration, JSON, or the rules of another experiment; a file "
                        "can also be dropped on the dock"));
    QAction* paste = addAction(tr("&Paste rules"), this, &RulesMenu::pasteRequested);
    paste->setObjectName(QStringLiteral("pasteRules"));
    addForms(addMenu(tr("&Copy as")), false);
    addForms(addMenu(tr("&Save as")), true);
    addSeparator();
    QAction* compare = addAction(
        shardscope::icon(QStringLiteral("compare")), tr("Compare &dialects"), this, &RulesMenu::compareRequested);
    compare->setObjectName(QStringLiteral("compareDialects"));
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToHide, this, [this] { Q_EMIT setPointedAt(nullptr); });
}

void RulesMenu::addProject(const std::string& project)
{
    QMenu* menu = addMenu(QString::fromStdString(project));
    menu->setToolTipsVisible(true);
    for (const PublishedRules& set : publishedRules()) {
        if (set.project != project)
            continue;
        const auto rules = static_cast<qint64>(set.rules.list.size());
        QAction* choose = menu->addAction(
            tr("%1 (%2)").arg(QString::fromStdString(set.title), words::counted(rules, words::Noun::Rule)));
        choose->setObjectName(QStringLiteral("set-") + QString::fromStdString(set.id));
        choose->setToolTip(tipOf(set));
        const PublishedRules* chosen = &set;
        connect(choose, &QAction::triggered, this, [this, chosen] { Q_EMIT setChosen(chosen); });
        connect(choose, &QAction::hovered, this, [this, chosen] { Q_EMIT setPointedAt(chosen); });
    }
    if (project == "T5X") {
        menu->addSeparator();
        m_keepOwn = menu->addAction(tr("Keep my rules after them (additional_rules)"));
        m_keepOwn->setObjectName(QStringLiteral("keepOwnRules"));
        m_keepOwn->setCheckable(true);
        m_keepOwn->setToolTip(tr("The rules there are now come after those of the set, where they only fill gaps"));
        connect(m_keepOwn, &QAction::hovered, this, [this] { Q_EMIT setPointedAt(nullptr); });
        m_rewriteBatch = menu->addAction(tr("Split the batch over replica and data"));
        m_rewriteBatch->setObjectName(QStringLiteral("rewriteBatch"));
        m_rewriteBatch->setToolTip(tr("Every rule for batch becomes (replica, data), as T5X' partitioner makes it on a "
                                      "mesh of replica, data and model"));
        connect(m_rewriteBatch, &QAction::hovered, this, [this] { Q_EMIT setPointedAt(nullptr); });
    }
    connect(menu, &QMenu::aboutToHide, this, [this] { Q_EMIT setPointedAt(nullptr); });
}

void RulesMenu::addForms(QMenu* menu, bool save)
{
    for (const RulesForm form : forms) {
        QAction* action = menu->addAction(save ? tr("%1…").arg(formName(form)) : formName(form));
        action->setObjectName(
            (save ? QStringLiteral("saveAs%1") : QStringLiteral("copyAs%1")).arg(static_cast<int>(form)));
        connect(action, &QAction::triggered, this, [this, form, save] {
            if (save)
                Q_EMIT saveRequested(form);
            else
                Q_EMIT copyRequested(form);
        });
    }
}

} // namespace shardscope
