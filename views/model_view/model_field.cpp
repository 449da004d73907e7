// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model_view/model_field.h"

#include <QBoxLayout>
#include <QEvent>

#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/size_slider.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

ModelField::ModelField(const QString& title, QWidget* control, QWidget* parent)
    : QWidget(parent)
    , m_control(control)
    , m_title(new QLabel(title, this))
    , m_message(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::error, this))
{
    m_control->setParent(this);
    m_control->setAccessibleName(title);
    m_control->installEventFilter(this);
    m_title->setBuddy(m_control);
    m_message->hide();
    vbox(this, {}, 2, { hbox({}, styleSpacing, { { m_title, 1 }, m_control }), m_message });
}

void ModelField::setSlider(SizeSlider* slider)
{
    m_slider = slider;
    slider->setAccessibleName(tr("%1, as a slider", "a size").arg(title()));
    slider->installEventFilter(this);
    static_cast<QBoxLayout*>(layout())->insertWidget(1, slider);
}

void ModelField::refuse(const Diagnostic& diagnostic)
{
    const words::ProblemText text = words::describe(diagnostic);
    m_message->setText(words::fromStd(diagnostic.id()) + QLatin1Char(' ') + text.cause);
    m_message->setToolTip(plainTip(text.remedy));
    m_control->setAccessibleDescription(text.cause);
    m_message->show();
}

void ModelField::accept()
{
    m_message->hide();
    m_message->setText({});
    m_control->setAccessibleDescription({});
}

bool ModelField::eventFilter(QObject* watched, QEvent* event)
{
    if ((watched == m_control || watched == m_slider) && event->type() == QEvent::FocusOut)
        Q_EMIT left();
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope
