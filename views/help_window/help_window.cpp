// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/help_window/help_window.h"

#include <QAbstractTextDocumentLayout>
#include <QAction>
#include <QFile>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QUrl>
#include <algorithm>

#include "views/theme/theme.h"
#include "views/widgets/boxes.h"

namespace shardscope {

namespace {

struct Keys {
    QString keys, what;
};
struct KeysOfView {
    QString view;
    QList<Keys> keys;
};

/// Keys that controls and pictures listen to themselves.
QList<KeysOfView> keysInViews()
{
    const auto tr = [](const char* text) { return HelpWindow::tr(text); };
    return {
        { tr("Everywhere"),
            { { tr("Tab, Shift+Tab"), tr("next control, previous control") },
                { tr("F2"), tr("rename or edit what is current") }, { tr("Delete"), tr("remove what is current") },
                { tr("Return"), tr("what a double click does") }, { tr("Menu, Shift+F10"), tr("menu of the row") },
                { tr("Esc"), tr("give up what is held, or typed; else one up in the selection") } } },
        { tr("Mesh"),
            { { tr("Left, Right on a slider"), tr("next smaller, next larger size") },
                { tr("Alt+Up, Alt+Down on a name"), tr("order of the axes") },
                { tr("Space on a name"), tr("mark what is sharded along it") } } },
        { tr("Rules"),
            { { tr("Insert"), tr("new rule") }, { tr("Alt+Up, Alt+Down"), tr("priority of a rule") },
                { tr("Left, Right on the axes below"), tr("what the rule's name would do there") },
                { tr("Return, Ctrl+Return there"), tr("map the name to the axis, add the axis") } } },
        { tr("Shard grid"),
            { { tr("Arrow keys"), tr("from shard to shard") }, { tr("Return, Space"), tr("select its devices") },
                { tr("+, -"), tr("nearer, further away") },
                { tr("1 to 6"), tr("colours by shard, device, host, coordinate, bytes, time") },
                { tr("Alt+arrow on a dimension"), tr("where it goes: rows, columns, slider") } } },
        { tr("Program"),
            { { tr("Arrow keys"), tr("along the edges and through the parts") },
                { tr("Return"), tr("open or fold a part") }, { tr("F, Shift+F"), tr("all of it, the current part") },
                { tr("Ctrl+F, F3, Shift+F3"), tr("find, next, previous") } } },
        { tr("Tensors, Model, Collectives"), { { tr("Ctrl+F"), tr("find") } } },
        { tr("Compare"),
            { { tr("Return on a variant or a mesh"), tr("open it in place of the experiment") },
                { tr("Return on what can be A"), tr("pin it") }, { tr("Ctrl+D"), tr("duplicate a variant") },
                { tr("Alt+Up, Alt+Down"), tr("order of the variants") } } },
        { tr("Players: Program, Propagation, Values"),
            { { tr("Space"), tr("play or stop") }, { tr("[, ]"), tr("one step back, one step on") },
                { tr("Home, End"), tr("the beginning, the end") } } },
        { tr("What if"), { { tr("Ctrl+Return"), tr("apply") }, { tr("Esc"), tr("as it was") } } },
    };
}

/// What the keys do stands below each other in all tables.
QString row(const QString& keys, const QString& what)
{
    return QStringLiteral("<tr><td width=\"%1\"><b>%2</b></td><td>%3</td></tr>")
        .arg(Metrics::scaled(230))
        .arg(keys, what.toHtmlEscaped());
}

QString tableStart()
{
    return QStringLiteral("<table cellspacing=\"0\" cellpadding=\"%1\">").arg(Metrics::scaled(3));
}

} // namespace

HelpWindow::HelpWindow(QWidget* parent)
    : QDialog(parent)
    , m_text(new QTextBrowser(this))
{
    m_text->setAccessibleName(tr("Help"));
    m_text->setOpenLinks(false); // of files that are not there
    connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        if (link.scheme() == QStringLiteral("key"))
            Q_EMIT keyRequested(link.path());
    });
    auto* close = new QPushButton(tr("Close"), this);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    vbox(this, { 12, 12, 12, 12 }, 8, { { m_text, 1 }, hbox({}, styleSpacing, { boxStretch(), close }) });
    resize(Metrics::scaled(768), Metrics::scaled(600));
}

void HelpWindow::present(const QString& title)
{
    setWindowTitle(title);
    show();
    raise();
    activateWindow();
    m_text->setFocus(Qt::OtherFocusReason);
}

void HelpWindow::setPage(const std::function<void(QTextDocument&)>& fill)
{
    // While it is shown, each paragraph that is added would lay out all before it.
    auto* page = new QTextDocument(m_text);
    page->setDefaultFont(m_text->font());
    page->setUndoRedoEnabled(false);
    page->setDocumentMargin(Metrics::scaled(12));
    fill(*page);
    const QPointer<QTextDocument> last = m_text->document();
    m_text->setDocument(page);
    delete last; // the browser's own goes by itself
}

void HelpWindow::showGuide(const QString& view)
{
    QFile guide(QStringLiteral(":/help/window.md"));
    QString text = guide.open(QIODevice::ReadOnly) ? QString::fromUtf8(guide.readAll()) : tr("The guide is not there.");
    static const QRegularExpression picture(
        QStringLiteral("^!\\[.*\\)\\n"), QRegularExpression::MultilineOption); // of the window that is beside it
    setPage([&](QTextDocument& page) { page.setMarkdown(text.remove(picture)); });
    present(tr("Help"));
    m_place.clear();
    QTextBlock found;
    // The paragraph that begins with its name, else one that names it before its colon.
    for (const bool first : { true, false })
        for (QTextBlock block = m_text->document()->begin(); !view.isEmpty() && !found.isValid() && block.isValid();
             block = block.next()) {
            const QString head = block.text().section(QLatin1Char(':'), 0, 0);
            if (block.textList() && block.text().contains(QLatin1Char(':'))
                && (first ? head == view : head.contains(view)))
                found = block;
        }
    m_text->moveCursor(QTextCursor::Start);
    if (!found.isValid())
        return;
    m_place = found.text().section(QLatin1Char('.'), 0, 0);
    m_text->setTextCursor(QTextCursor(found));
    const QRectF at = m_text->document()->documentLayout()->blockBoundingRect(found);
    m_text->verticalScrollBar()->setValue(static_cast<int>(at.top()) - Metrics::scaled(8));
}

void HelpWindow::showKeys(const QList<QAction*>& commands, const QList<QAction*>& changeable)
{
    const int scrolled = isVisible() && windowTitle() == tr("Keys") ? m_text->verticalScrollBar()->value() : 0;
    QString html = QStringLiteral("<h3>%1</h3>").arg(tr("Commands").toHtmlEscaped());
    if (!changeable.isEmpty())
        html += QStringLiteral("<p>%1<br></p>").arg(tr("Click a key that is a link to change it.").toHtmlEscaped());
    const auto add = [&](const QAction& command, const QString& keys) {
        const QString text = command.text().remove(QLatin1Char('&')).remove(QStringLiteral("…"));
        const bool own = std::any_of(
            changeable.begin(), changeable.end(), [&command](const QAction* each) { return each == &command; });
        const QString left = own
            ? QStringLiteral("<a href=\"key:%1\">%2</a>").arg(command.objectName(), keys.toHtmlEscaped())
            : keys.toHtmlEscaped();
        html += row(left, text);
    };
    html += tableStart();
    for (const QAction* command : commands) {
        QStringList keys;
        for (const QKeySequence& each : command->shortcuts())
            keys << each.toString(QKeySequence::NativeText);
        if (!keys.isEmpty())
            add(*command, keys.join(tr(", ")));
    }
    for (const QAction* command : changeable)
        if (command->shortcut().isEmpty())
            add(*command, tr("none", "no key"));
    html += QStringLiteral("</table>");
    for (const KeysOfView& view : keysInViews()) {
        html += QStringLiteral("<h3>%1</h3>").arg(view.view.toHtmlEscaped()) + tableStart();
        for (const Keys& each : view.keys)
            html += row(each.keys.toHtmlEscaped(), each.what);
        html += QStringLiteral("</table>");
    }
    setPage([&](QTextDocument& page) { page.setHtml(html); });
    m_place.clear();
    present(tr("Keys"));
    m_text->verticalScrollBar()->setValue(scrolled);
}

} // namespace shardscope
