// SPDX-License-Identifier: GPL-3.0-or-later
// The dock's rules from and to files, the clipboard and the published sets.
// A part of RulesView, which is declared in rules_view.h.
#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>

#include "document/atomic_file.h"
#include "document/document.h"
#include "views/panel/panel.h"
#include "views/preview/edit_gesture.h"
#include "views/rules_view/rules_menu.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_view.h"
#include "views/widgets/notice_strip.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// "base.yml, line 3, column 5: cause. remedy"
QString errorText(const Diagnostic& error, std::size_t more)
{
    const words::ProblemText text = words::describe(error);
    QStringList where;
    if (!error.where.file.empty())
        where << QFileInfo(QString::fromStdString(error.where.file)).fileName();
    if (!text.where.isEmpty())
        where << text.where;
    QString line = text.inFull();
    if (!where.isEmpty())
        line = QStringLiteral("%1: %2").arg(where.join(QStringLiteral(", ")), line);
    if (more > 0)
        line += QLatin1Char(' ')
            + RulesView::tr("And %1 more.").arg(words::counted(static_cast<qint64>(more), words::Noun::Error));
    return line;
}

QString listed(const std::vector<std::string>& names)
{
    QStringList list;
    for (std::size_t i = 0; i < names.size() && i < 4; ++i)
        list << QString::fromStdString(names[i]);
    QString text = list.join(QStringLiteral(", "));
    if (names.size() > 4)
        text += RulesView::tr(" and %1 more").arg(names.size() - 4);
    return text;
}

QString startFolder(const Document& document)
{
    return document.filePath().isEmpty() ? QString() : QFileInfo(document.filePath()).absolutePath();
}

} // namespace

void RulesView::followMenu()
{
    connect(m_menu, &RulesMenu::setPointedAt, this, &RulesView::previewSet);
    connect(m_menu, &RulesMenu::setChosen, this,
        [this](const PublishedRules* set) { useSet(*set, set->project == "T5X" && m_menu->keepsOwn()); });
    connect(m_menu, &RulesMenu::importRequested, this, &RulesView::askToImport);
    connect(m_menu, &RulesMenu::pasteRequested, this, &RulesView::paste);
    connect(m_menu, &RulesMenu::copyRequested, this, &RulesView::copyAs);
    connect(m_menu, &RulesMenu::saveRequested, this, &RulesView::askToExport);
    connect(m_menu->rewriteBatch(), &QAction::triggered, this, &RulesView::rewriteBatch);
    connect(m_menu, &RulesMenu::compareRequested, this, &RulesView::compareRequested);
}

/// What the set would change is shown as for any edit in the hand, while the menu is open.
void RulesView::previewSet(const PublishedRules* set)
{
    if (!set) {
        m_gesture->end();
        return;
    }
    const QString title =
        QStringLiteral("%1: %2").arg(QString::fromStdString(set->project), QString::fromStdString(set->title));
    if (m_gesture->isActive())
        m_gesture->setTitle(title);
    else
        m_gesture->begin(title);
    if (const QWidget* popup = QApplication::activePopupWidget())
        m_gesture->setPlace(popup->geometry());
    m_gesture->propose(
        withRules(*m_document->experiment(), list(), rulesOf(*set), set->project == "T5X" && m_menu->keepsOwn()));
}

void RulesView::useSet(const PublishedRules& set, bool additional)
{
    RulesText rules = rulesOf(set);
    rules.name = set.title;
    const QString title = tr("rules of %1").arg(QString::fromStdString(set.project));
    if (m_document->edit(withRules(*m_document->experiment(), list(), rules, additional), m_model->inList(title)))
        sayAfterImport(rules);
}

bool RulesView::takeRules(const ReadRules& read)
{
    if (!read) {
        m_notice->say(Severity::Error, errorText(read.error().front(), read.error().size() - 1));
        return false;
    }
    const QString name = QFileInfo(QString::fromStdString(read->name)).fileName();
    if (!m_document->edit(
            withRules(*m_document->experiment(), list(), *read), m_model->inList(tr("rules of %1").arg(name))))
        return false;
    sayAfterImport(*read);
    return true;
}

void RulesView::sayAfterImport(const RulesText& rules)
{
    QStringList stated{ tr("%1 from %2.")
                            .arg(words::counted(static_cast<qint64>(rules.rules.list.size()), words::Noun::Rule),
                                QFileInfo(QString::fromStdString(rules.name)).fileName()) };
    if (rules.innerLists > 0)
        stated << tr("Its rules for parts of the model are not taken: this list holds everywhere in its part.");
    if (rules.passedOver > 0)
        stated << tr("Other keys that say nothing about sharding: %1.").arg(rules.passedOver);
    if (!rules.warnings.empty())
        stated << errorText(rules.warnings.front(), 0);
    const std::vector<std::string> missing = missingAxes(*m_document->experiment());
    if (missing.empty()) {
        m_notice->say(rules.warnings.empty() && rules.innerLists == 0 ? Severity::Info : Severity::Warning,
            stated.join(QLatin1Char(' ')));
        return;
    }
    stated << tr("The mesh has no %1: rules shard nothing along them.").arg(listed(missing));
    m_notice->say(Severity::Warning, stated.join(QLatin1Char(' ')), tr("Add with size 1"),
        [this] { m_document->edit(withMissingAxes(*m_document->experiment()), tr("mesh axes of the rules")); });
}

bool RulesView::importText(const QString& text, const QString& name)
{
    return takeRules(readRules(text.toStdString(), name.toStdString()));
}

bool RulesView::importFile(const QString& path)
{
    const Result<QByteArray> content = readFile(path);
    if (!content) {
        m_notice->say(Severity::Error, errorText(content.error(), 0));
        return false;
    }
    return takeRules(readRules(
        std::string_view(content->constData(), static_cast<std::size_t>(content->size())), path.toStdString()));
}

bool RulesView::exportFile(const QString& path, RulesForm form)
{
    const Result<std::string> text = rulesAsText(*m_document->experiment(), form, list());
    const Result<void> done = text ? writeAtomically(path, *text) : tl::unexpected(text.error());
    if (!done) {
        m_notice->say(Severity::Error, errorText(done.error(), 0));
        return false;
    }
    m_notice->say(Severity::Info, tr("Saved as %1: %2.").arg(formName(form), QFileInfo(path).fileName()));
    return true;
}

void RulesView::copyAs(RulesForm form)
{
    const Result<std::string> text = rulesAsText(*m_document->experiment(), form, list());
    if (!text) {
        m_notice->say(Severity::Error, errorText(text.error(), 0));
        return;
    }
    QApplication::clipboard()->setText(QString::fromStdString(*text));
    m_notice->say(Severity::Info,
        tr("%1 copied as %2.").arg(words::counted(m_model->ruleCount(), words::Noun::Rule), formName(form)));
}

void RulesView::paste()
{
    const QString text = QApplication::clipboard()->text();
    if (text.trimmed().isEmpty()) {
        m_notice->say(Severity::Warning, tr("There is no text to paste: copy rules first."));
        return;
    }
    importText(text, tr("pasted text"));
}

void RulesView::askToImport()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Import rules"), startFolder(*m_document),
        tr("Rules (*.py *.txt *.yml *.yaml *.json);;All files (*)"));
    if (!path.isEmpty())
        importFile(path);
}

void RulesView::askToExport(RulesForm form)
{
    const QString suffix = formSuffix(form);
    QFileDialog dialog(this, tr("Save rules as %1").arg(formName(form)), startFolder(*m_document),
        tr("%1 (*.%2);;All files (*)").arg(formName(form), suffix));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(suffix);
    if (dialog.exec() == QDialog::Accepted && !dialog.selectedFiles().isEmpty())
        exportFile(dialog.selectedFiles().constFirst(), form);
}

void RulesView::dragEnterEvent(QDragEnterEvent* event)
{
    if (!droppedFile(event->mimeData()).isEmpty() || event->mimeData()->hasText())
        event->acceptProposedAction();
}

void RulesView::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    if (const QString file = droppedFile(event->mimeData()); !file.isEmpty())
        importFile(file);
    else
        importText(event->mimeData()->text(), tr("dropped text"));
}

} // namespace shardscope
