// SPDX-License-Identifier: GPL-3.0-or-later
// What the views share: the ribbon over results that are out of date, headings, and the page of an empty view.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>
#include <functional>

#include "document/document.h"
#include "views/theme/theme.h"

class QComboBox;
class QMimeData;
class QToolButton;

namespace shardscope {

/// What a view draws: the newest analysis that laid the arrays out, or the newest one if none ever did; may be null. It
/// has a plan only if it is ok().
[[nodiscard]] SnapshotPtr shownSnapshot(const Document& document);

/// The same for pictures, which show a change that is looked at before it is made.
[[nodiscard]] SnapshotPtr picturedSnapshot(const Document& document);

/// The one local file of a drag, or "".
[[nodiscard]] QString droppedFile(const QMimeData* data);

/// What screen readers call a control, and its tool tip.
void describe(QWidget* control, const QString& name, const QString& tip);
/// The same where both are one text.
void describe(QWidget* control, const QString& name);
/// In a label or on a button, which is hidden where there is nothing to say.
template <typename Label>
void showText(Label* label, const QString& text)
{
    label->setText(text);
    label->setVisible(!text.isEmpty());
}
/// One more entry, with its tool tip.
void addEntry(QComboBox* box, const QString& text, const QString& tip);
void heightFollowsWidth(QWidget* widget, QSizePolicy::Policy across = QSizePolicy::Preferred,
    QSizePolicy::Policy down = QSizePolicy::Preferred);
/// As wide as so many characters, however long its entries are.
void fitBox(QComboBox* box, int characters);

/// A label in one of the theme's text roles that follows the theme and the application's font.
class RoleLabel : public QLabel {
    Q_OBJECT
public:
    enum class Size : std::uint8_t { Normal, Small, Semibold, Title, Fixed };
    enum Fit : std::uint8_t { OneLine, Wrapped, Elided }; ///< what becomes of a text that is too wide
    RoleLabel(const QString& text, Size size, Fit fit, QColor Theme::*colour = &Theme::text, QWidget* parent = nullptr);
    RoleLabel(Size size, Fit fit, QColor Theme::*colour = &Theme::text, QWidget* parent = nullptr)
        : RoleLabel({}, size, fit, colour, parent)
    {
    }
    RoleLabel(const QString& text, Size size, QColor Theme::*colour = &Theme::text, QWidget* parent = nullptr)
        : RoleLabel(text, size, OneLine, colour, parent)
    {
    }
    explicit RoleLabel(Size size, QColor Theme::*colour = &Theme::text, QWidget* parent = nullptr)
        : RoleLabel({}, size, OneLine, colour, parent)
    {
    }
    void setColour(QColor Theme::*colour);
    /// Shortened to the width it gets, at its end or where `mode` says; the whole text is then the tool tip. Names of
    /// tensors are shortened in the middle, before their last part (elidedName()): what differs stands at their ends.
    void setElided(bool elided, Qt::TextElideMode mode = Qt::ElideRight);
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void apply();
    Size m_size;
    QColor Theme::*m_colour;
    bool m_elided = false;
    QString m_tip; ///< the whole text, while it is shortened
    Qt::TextElideMode m_mode = Qt::ElideRight;
    bool m_applying = false;
};

/// A strip that says that what is below is of an earlier state, or in a picture of a change that is only looked at,
/// with buttons to make it or to leave it. Hidden while the document's newest analysis is shown; never covers anything.
class StaleRibbon : public QWidget {
    Q_OBJECT
public:
    enum class Shows : bool { States, Previews };
    explicit StaleRibbon(Document* document, QWidget* parent = nullptr, Shows shows = Shows::States);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void follow();
    [[nodiscard]] bool isPreview() const { return m_shows == Shows::Previews && m_document->preview(); }
    Document* m_document;
    Shows m_shows;
    QToolButton* m_apply = nullptr;
    QToolButton* m_leave = nullptr;
};

/// One sentence and at most one button, centred.
class EmptyPage : public QWidget {
    Q_OBJECT
public:
    explicit EmptyPage(const QString& sentence, const QString& button = {}, QWidget* parent = nullptr);
    void setSentence(const QString& sentence) { m_sentence->setText(sentence); }
    [[nodiscard]] QString sentence() const { return m_sentence->text(); }
    [[nodiscard]] bool hasButton() const { return !m_button->isHidden(); }
    void setButton(const QString& text) { showText(m_button, text); } ///< "" hides it
    void setIcon(const QString& name, QColor Theme::*colour);

Q_SIGNALS:
    void clicked();

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyIcon();
    QLabel* m_icon;
    RoleLabel* m_sentence;
    QPushButton* m_button;
    QString m_iconName;
    QColor Theme::*m_iconColour = &Theme::text;
};

/// Words that are said again below a control that has no room for them. Has no height at widths at which it is not
/// needed. Since that is told by a function of the width, a layout can ask
/// for any width before it decides: nothing is shown or hidden while something is resized.
class OverflowLabel : public RoleLabel {
    Q_OBJECT
public:
    OverflowLabel(Size size, QColor Theme::*colour, std::function<bool(int width)> isNeeded, QWidget* parent);

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override { return { 0, 0 }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { 0, 0 }; }

private:
    std::function<bool(int width)> m_isNeeded;
};

} // namespace shardscope
