// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/rule_trace_view.h"

#include <QFrame>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QToolButton>

#include "analysis/explain.h"
#include "document/document.h"
#include "document/selection.h"
#include "experiment/mesh_order.h"
#include "experiment/rule_edits.h"
#include "rules/name_to_name.h"
#include "sharding/parse_names.h"
#include "sharding/text.h"
#include "views/rules_view/trace_matrix.h"
#include "views/theme/icons.h"
#include "views/theme/style.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/low_room.h"
#include "words/dialects.h"
#include "words/rule_names.h"
#include "words/rule_text.h"
#include "words/trace_words.h"
#include "words/utf8.h"

namespace shardscope {
namespace {
QString namesText(const LogicalNames& names)
{
    const auto textOf = [](const LogicalName& name) {
        return name.kind == LogicalName::Kind::Name ? QString::fromStdString(name.name) : QStringLiteral("None");
    };
    return words::texts(names, textOf).join(QStringLiteral(", "));
}

/// The annotation of a tensor, its own or inherited.
std::optional<ResolvedAnnotation> annotationOf(const Snapshot& snapshot, const QString& path)
{
    const TensorRow* row = snapshot.row(path.toStdString());
    if (!row || !snapshot.laidOut())
        return std::nullopt;
    const Explanation explanation = explain(snapshot, row->value);
    return explanation.annotation ? std::optional(*explanation.annotation) : std::nullopt;
}

QString markUp(const words::Text& text)
{
    QString html;
    for (const words::Span& span : text) {
        const QString part = span.text.toHtmlEscaped();
        if (span.style == words::Span::Style::Axis && span.axis >= 0)
            html += QStringLiteral("<b style='color:%1'>%2</b>").arg(Theme::current().meshAxis(span.axis).name(), part);
        else if (span.style == words::Span::Style::Plain)
            html += part;
        else
            html += QStringLiteral("<b>%1</b>").arg(part);
    }
    return html;
}

} // namespace

RuleTraceView::RuleTraceView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent)
    , m_names(new QLineEdit(this))
    , m_step(new RoleLabel(RoleLabel::Size::Semibold, &Theme::text, this))
    , m_steps{ new QToolButton(this), new QToolButton(this), new QToolButton(this), new QToolButton(this) }
    , m_scroll(new QScrollArea(this))
    , m_matrix(new TraceMatrix)
    , m_below(new QWidget(this))
    , m_whyTitle(new RoleLabel(RoleLabel::Size::Semibold, &Theme::text, m_below))
    , m_why(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::text, m_below))
    , m_soFar(new RoleLabel(RoleLabel::Size::Fixed, RoleLabel::Wrapped, &Theme::text, m_below))
    , m_tally(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, m_below))
    , m_others(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, m_below))
    , m_compare(new QPushButton(tr("Compare"), m_below))
    , m_whatIf(new QFrame(m_below))
    , m_whatIfTitle(new RoleLabel(RoleLabel::Size::Semibold, RoleLabel::Wrapped, &Theme::text, m_whatIf))
    , m_whatIfSpecs(new RoleLabel(RoleLabel::Size::Fixed, RoleLabel::Wrapped, &Theme::text, m_whatIf))
    , m_apply(new QPushButton(tr("Apply"), m_whatIf))
    , m_join(new QPushButton(m_whatIf))
    , m_empty(new EmptyPage(QString(), QString(), this))
{
    m_names->setFont(Metrics::fixed());
    m_names->setAccessibleName(tr("Logical names of the array, separated by commas"));
    m_names->setPlaceholderText(tr("batch, embed"));
    m_names->setToolTip(tr("Names of the selected tensor; type others to trace them"));
    const auto step = [this](QToolButton* button, const char* icon, const QString& name, int by) {
        connect(makeFlat(button, QLatin1String(icon), name, {}, 12), &QToolButton::clicked, this, [this, by] {
            const int last = m_matrix->traceLayout().rules - 1;
            m_matrix->setCurrentRule(by == -2 ? 0 : by == 2 ? last : std::clamp(m_matrix->currentRule() + by, 0, last));
        });
    };
    const auto& [first, previous, next, last] = m_steps;
    step(first, "first", tr("First rule"), -2);
    step(previous, "previous", tr("Previous rule"), -1);
    step(next, "next", tr("Next rule"), 1);
    step(last, "last", tr("Last rule"), 2);

    auto* label = new RoleLabel(tr("Array"), RoleLabel::Size::Small, &Theme::secondary, this);
    label->setBuddy(m_names);
    m_head = hbox({ 8, 6, 8, 6 }, 4,
        { { hbox({}, 4, { label, { m_names, 1 } }), 1 },
            hbox({}, styleSpacing, { first, previous, m_step, next, last, boxStretch() }) });

    makePlain(m_scroll, m_matrix, false); // the matrix itself is where Tab goes; before the proxy, which would follow
    m_scroll->setFocusProxy(m_matrix);
    m_scroll->setAccessibleName(tr("Rules and dimensions"));

    m_why->setTextFormat(Qt::RichText);
    m_why->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_whatIf->setFrameShape(QFrame::StyledPanel);
    m_whatIf->setAutoFillBackground(true);
    m_whatIf->setBackgroundRole(QPalette::AlternateBase);
    setPrimary(m_apply);
    auto* choices = hbox({}, 6, { m_apply, m_join, boxStretch() });
    vbox(m_whatIf, { 10, 8, 10, 8 }, styleSpacing, { m_whatIfTitle, m_whatIfSpecs, choices });
    m_soFar->setAccessibleName(tr("Result so far"));
    m_compare->setObjectName(QStringLiteral("compareDialects"));
    m_compare->setToolTip(tr("Compares two dialects on all arrays"));
    m_compare->setProperty("link", true);
    setQuiet(m_compare);
    auto* why = vbox({}, 3, { m_whyTitle, m_why, m_soFar, m_tally, boxStretch() });
    m_two = hbox({}, 12, { { why, 1 }, { m_whatIf, 1, Qt::AlignTop } });
    auto* foot = hbox({}, styleSpacing, { { m_others, 1 }, { m_compare, 0, Qt::AlignTop } });
    vbox(m_below, { 12, 6, 12, 4 }, 3, { m_two, foot });

    vbox(this, { 1, 0, 1, 1 }, 0, { m_head, { m_scroll, 10 }, m_below, boxStretch(), { m_empty, 100 } });
    setFocusProxy(m_matrix);
    tabOrder({ last, m_matrix, m_apply, m_join, m_compare });

    connect(m_names, &QLineEdit::editingFinished, this, [this] {
        if (m_names->isModified())
            traceNames(m_names->text());
    });
    connect(m_matrix, &TraceMatrix::currentRuleChanged, this, [this](int rule) {
        showCurrentRule();
        m_selection->setRule(ruleNumber({ m_list, rule }));
    });
    connect(m_matrix, &TraceMatrix::moveRequested, this, &RuleTraceView::moveRule);
    connect(m_apply, &QPushButton::clicked, this, &RuleTraceView::applyWhatIf);
    connect(m_join, &QPushButton::clicked, this, &RuleTraceView::joinRules);
    connect(m_compare, &QPushButton::clicked, this, &RuleTraceView::compareRequested);
    connect(document, &Document::experimentChanged, this, &RuleTraceView::refresh);
    connect(document, &Document::snapshotChanged, this, &RuleTraceView::refresh);
    connect(selection, &Selection::changed, this, [this] {
        if (m_typed && m_typedFor != m_selection->tensor())
            m_typed.reset(); // another tensor was chosen: back to what is selected
        refresh();
        if (const int rule = selectedRule(); rule >= 0)
            m_matrix->setCurrentRule(rule);
    });
    refresh();
}

RuleTraceView::~RuleTraceView()
{
    m_names->disconnect(this); // a line edit that loses the focus while the window closes says that editing finished
}

void RuleTraceView::placeFor(int width) const
{
    m_head->setDirection(width < Metrics::scaled(420) ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_two->setDirection(width < Metrics::scaled(440) ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

int RuleTraceView::contentHeight(int width) const
{
    placeFor(width);
    const bool isScrolled = !m_scroll->isHidden() && m_matrix->minimumSizeHint().width() > width; // to the side
    return (hasHeightForWidth() ? heightForWidth(width) : sizeHint().height())
        + (isScrolled ? m_scroll->horizontalScrollBar()->sizeHint().height() : 0);
}

int RuleTraceView::spareHeight() const
{
    if (m_scroll->isHidden())
        return 0;
    constexpr int leastRows = 4;
    const TraceLayout& layout = m_matrix->traceLayout();
    const int least = layout.head.height() + leastRows * layout.row(0).height();
    return std::max(std::min(m_scroll->sizeHint().height(), m_scroll->maximumHeight()) - least, 0);
}

void RuleTraceView::traceNames(const QString& names)
{
    Result<LogicalNames> parsed = parseNames(names.toStdString());
    m_typedFor = m_selection->tensor();
    if (!parsed) { // what was typed stays to be mended
        m_typed.reset();
        m_note.clear();
        showNothing(words::describe(parsed.error()).cause);
        m_names->setModified(false);
        return;
    }
    m_names->setModified(false);
    if (parsed->empty())
        m_typed.reset();
    else
        m_typed = std::move(*parsed);
    refresh();
}

void RuleTraceView::refresh()
{
    m_note.clear();
    m_shape.clear();
    const Experiment& now = *m_document->experiment();
    if (m_typed) { // names that stand nowhere have the rules that are edited
        m_list = rulePlace(m_selection->rule()).list;
        if (!hasList(now.rules, m_list))
            m_list = {};
        showTrace(*m_typed);
        return;
    }
    m_list = listOfArray(now, now.rules, m_selection->tensor().toStdString());
    const SnapshotPtr snapshot = m_document->lastGood();
    if (!snapshot || m_selection->tensor().isEmpty()) {
        showNothing(tr("Choose a tensor, or type logical names, to see what every rule does."));
        return;
    }
    const std::optional<ResolvedAnnotation> annotation = annotationOf(*snapshot, m_selection->tensor());
    const LogicalAxes* axes = annotation ? std::get_if<LogicalAxes>(&annotation->declared) : nullptr;
    m_note = annotation && annotation->problem ? words::describe(*annotation->problem).cause : QString();
    if (!axes || axes->names.empty()) {
        showNothing(tr("%1 is not annotated with logical names: no rule is asked. Type names above to trace them.")
                        .arg(words::tensorName(m_selection->tensor().toStdString())));
        return;
    }
    if (const TensorRow* row = snapshot->row(m_selection->tensor().toStdString()))
        m_shape = row->type.shape;
    showTrace(axes->names);
}

void RuleTraceView::showControls(bool shown)
{
    m_step->setVisible(shown);
    for (QToolButton* button : m_steps)
        button->setVisible(shown);
}

void RuleTraceView::showNothing(const QString& why)
{
    m_empty->setSentence(why);
    m_empty->show();
    m_scroll->hide();
    m_below->hide();
    showControls(false);
    if (!m_names->isModified() && !m_typed)
        m_names->clear();
    setKeyFigure({});
}

void RuleTraceView::showTrace(const LogicalNames& names)
{
    const Experiment& now = *m_document->experiment();
    if (!m_names->hasFocus() || !m_names->isModified()) {
        m_names->setText(namesText(names));
        m_names->setCursorPosition(0); // of what does not fit the beginning is seen
    }
    LogicalRules rules = readableRules(now.rules, m_list);
    auto resolution = resolveRules(names, rules, now.rules.version);
    if (!resolution) {
        showNothing(words::describe(resolution.error()).cause);
        return;
    }
    if (rules.list.empty()) {
        showNothing(words::noRulesText(now, m_document->snapshot(), m_list));
        return;
    }
    TraceSubject subject{ names, std::move(rules), std::move(*resolution), {} };
    for (const MeshAxis& axis : now.mesh.axes)
        subject.meshAxes.push_back(axis.name);
    const QString figure = QString::fromStdString(toColumn(subject.resolution.spec()));
    m_matrix->setSubject(std::move(subject));
    // As high as it needs to be, so that what it is about follows right below; more rules than fit are scrolled.
    m_scroll->setMaximumHeight(m_matrix->sizeHint().height() + 14);
    m_empty->hide();
    m_scroll->show();
    m_below->show();
    showControls(true);
    if (m_matrix->currentRule() < 0) {
        // Begin with the first rule that was skipped, or else one that fired: that is what one wonders about.
        const auto& traces = m_matrix->subject().resolution.rules;
        int start = 0;
        while (start + 1 < static_cast<int>(traces.size())
            && traces[static_cast<std::size_t>(start)].verdict != Verdict::Applied)
            ++start;
        for (int i = static_cast<int>(traces.size()) - 1; i >= 0; --i) {
            const Verdict verdict = traces[static_cast<std::size_t>(i)].verdict;
            if (verdict != Verdict::Applied && verdict != Verdict::NoSuchDimension)
                start = i;
        }
        const QSignalBlocker quiet(m_matrix);
        m_matrix->setCurrentRule(selectedRule() >= 0 ? selectedRule() : start);
    }
    showCurrentRule();
    showOthers();
    setKeyFigure(figure);
}

int RuleTraceView::selectedRule() const
{
    const RulePlace place = rulePlace(m_selection->rule());
    return place.list == m_list ? place.rule : -1;
}

QString RuleTraceView::inList(const QString& edit) const
{
    const QString within = words::withinText(m_document->experiment()->rules, m_list);
    return within.isEmpty() ? edit : tr("%1 %2", "edit, within a part of the model").arg(edit, within);
}

int RuleTraceView::blocker() const
{
    const int rule = m_matrix->currentRule();
    if (rule < 0)
        return -1;
    const RuleTrace& trace = m_matrix->subject().resolution.rules[static_cast<std::size_t>(rule)];
    return trace.byRule >= 0 && trace.byRule < rule ? trace.byRule : -1;
}

void RuleTraceView::showCurrentRule()
{
    const int rule = m_matrix->currentRule(), count = m_matrix->traceLayout().rules;
    if (rule < 0)
        return;
    const QRect row = m_matrix->traceLayout().row(rule);
    m_scroll->ensureVisible(m_scroll->horizontalScrollBar()->value() + 1, row.center().y(), 0, row.height() / 2 + 2);
    m_step->setText(tr("Rule %1 of %2").arg(rule + 1).arg(count));
    m_step->setToolTip(words::withinText(m_document->experiment()->rules, m_list));
    for (std::size_t i = 0; i < m_steps.size(); ++i)
        m_steps[i]->setEnabled(i < 2 ? rule > 0 : rule + 1 < count);
    const TraceSubject& subject = m_matrix->subject();
    const RuleTrace& trace = subject.resolution.rules[static_cast<std::size_t>(rule)];
    const QString name = words::ruleName(m_document->experiment()->rules, { m_list, rule });
    m_whyTitle->setText(
        trace.verdict == Verdict::Applied ? tr("Why %1 fired").arg(name) : tr("Why %1 did not fire").arg(name));
    QString why = markUp(words::verdictReason(trace, subject.rules, subject.names, subject.meshAxes));
    if (!why.endsWith(QLatin1Char('.')))
        why += QLatin1Char('.');
    if (!trace.lostAxes.empty())
        why += QLatin1Char(' ')
            + tr("A tuple is all or nothing, so %1 is lost as well.")
                  .arg(words::texts(trace.lostAxes, words::fromStd).join(QStringLiteral(", ")).toHtmlEscaped());
    if (!m_list.isOuter())
        why += QLatin1Char(' ')
            + tr("The rules %1 replace those outside.")
                  .arg(words::withinText(m_document->experiment()->rules, m_list).toHtmlEscaped());
    if (!m_note.isEmpty())
        why +=
            QStringLiteral("<p style='color:%1'>%2</p>").arg(Theme::current().warning.name(), m_note.toHtmlEscaped());
    m_why->setText(why);

    m_soFar->setText(rule + 1 < count
            ? tr("After rule %1: %2").arg(rule + 1).arg(QString::fromStdString(toColumn(subject.specAfter(rule))))
            : tr("After the last rule: %1").arg(QString::fromStdString(toColumn(subject.specAfter(rule)))));
    const auto tally = [&subject](const QString& what, Verdict verdict) {
        return QStringLiteral("%1 %2").arg(what).arg(subject.count(verdict));
    };
    m_tally->setText(QStringList{ tally(tr("applied"), Verdict::Applied), tally(tr("axis busy"), Verdict::AxisBusy),
        QStringLiteral("%1 %2")
            .arg(tr("dimension already set"))
            .arg(subject.count(Verdict::DimensionSet) + subject.count(Verdict::BlockedByNull)),
        tally(tr("no such dimension"), Verdict::NoSuchDimension) }
                         .join(QStringLiteral("  ·  ")));
    const std::optional<Experiment> together = joined();
    m_join->setVisible(together.has_value());
    if (together)
        m_join->setText(tr("Make it %1")
                            .arg(words::targetText(
                                rulesIn(together->rules, m_list)[static_cast<std::size_t>(trace.byRule)].target)));
    const int before = blocker();
    m_whatIf->setVisible(before >= 0);
    if (before < 0)
        return;
    LogicalRules moved = subject.rules;
    const LogicalRule taken = moved.list[static_cast<std::size_t>(rule)];
    moved.list.erase(moved.list.begin() + rule);
    moved.list.insert(moved.list.begin() + before, taken);
    const auto other = resolveRules(subject.names, moved, m_document->experiment()->rules.version);
    m_whatIfTitle->setText(tr("What if rule %1 comes before rule %2?").arg(rule + 1).arg(before + 1));
    const QString now = QString::fromStdString(toColumn(subject.resolution.spec()));
    m_whatIfSpecs->setText(other ? QStringLiteral("%1 → %2").arg(now, QString::fromStdString(toColumn(other->spec())))
                                 : words::describe(other.error()).cause);
    m_apply->setEnabled(other.has_value());
}

std::optional<Experiment> RuleTraceView::joined() const
{
    const int rule = m_matrix->currentRule();
    if (rule < 0)
        return std::nullopt;
    const TraceSubject& subject = m_matrix->subject();
    const RuleTrace& trace = subject.resolution.rules[static_cast<std::size_t>(rule)];
    if (trace.verdict != Verdict::DimensionSet || trace.byRule < 0)
        return std::nullopt;
    const Experiment& now = *m_document->experiment();
    const auto by = static_cast<std::size_t>(trace.byRule);
    const std::vector<LogicalRule>& list = rulesIn(now.rules, m_list);
    if (by >= list.size() || list[by].target.axes.empty())
        return std::nullopt;
    Experiment after = now;
    for (const std::string& axis : subject.rules.list[static_cast<std::size_t>(rule)].target.axes) {
        Result<Experiment> more = withAxisAppendedToRule(after, m_list, by, axis);
        if (!more)
            return std::nullopt; // the rule has that axis already
        after = std::move(*more);
    }
    return after == now ? std::nullopt : std::optional(std::move(after));
}

bool RuleTraceView::joinRules()
{
    std::optional<Experiment> together = joined();
    if (!together)
        return false;
    const RuleTrace& trace = m_matrix->subject().resolution.rules[static_cast<std::size_t>(m_matrix->currentRule())];
    const int by = trace.byRule;
    if (!m_document->edit(std::move(*together), inList(tr("more axes for rule %1").arg(by + 1))))
        return false;
    m_matrix->setCurrentRule(by);
    return true;
}

void RuleTraceView::showOthers()
{
    const Experiment& now = *m_document->experiment();
    const Result<Mesh> mesh = makeMesh(now.hardware.devices, now.mesh);
    const bool hasOrder = now.rules.rules.isSequence; // which another system could walk, and a mapping has not
    m_others->setText(mesh && hasOrder ? words::elsewhere({ now.rules.dialect, now.rules.version },
                          { {}, m_matrix->subject().names, m_shape }, m_matrix->subject().rules, *mesh)
                                       : QString());
}

bool RuleTraceView::applyWhatIf()
{
    const int rule = m_matrix->currentRule(), before = blocker();
    if (before < 0)
        return false;
    const bool done = m_document->edit(withRuleMoved(*m_document->experiment(), m_list, static_cast<std::size_t>(rule),
                                           static_cast<std::size_t>(before)),
        inList(tr("rule %1 moved to %2").arg(rule + 1).arg(words::ordinal(before + 1))));
    if (done)
        m_matrix->setCurrentRule(before);
    return done;
}

void RuleTraceView::moveRule(int rule, int step)
{
    const int to = rule + step;
    if (rule < 0 || to < 0 || to >= m_matrix->traceLayout().rules)
        return;
    if (m_document->edit(withRuleMoved(*m_document->experiment(), m_list, static_cast<std::size_t>(rule),
                             static_cast<std::size_t>(to)),
            inList(tr("rule %1 moved to %2").arg(rule + 1).arg(words::ordinal(to + 1)))))
        m_matrix->setCurrentRule(to);
}

} // namespace shardscope
