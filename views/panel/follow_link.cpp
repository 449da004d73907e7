// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panel/follow_link.h"

#include "document/selection.h"
#include "words/links.h"

namespace shardscope {

using namespace Qt::StringLiterals;

QString followLink(Selection& selection, const QString& text)
{
    const auto link = words::readLink(text);
    if (!link)
        return {};
    switch (link->kind) {
    case words::Link::Kind::Value:
        selection.setTensor(link->name);
        return {};
    case words::Link::Kind::Operation:
        selection.setOperation(link->name, link->name.startsWith(u'%') ? QString() : link->name);
        return u"program"_s;
    case words::Link::Kind::Step:
        selection.setStep(-1); // asked for again, it is shown again
        selection.setStep(link->number);
        return u"propagation"_s;
    case words::Link::Kind::Rule:
        selection.setRule(link->number);
        return u"rules"_s;
    }
    return {};
}

} // namespace shardscope
