// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/program_outline.h"

#include "program/outline/outline_builder.h"

namespace shardscope {

ProgramOutline ProgramOutline::build(const Program& program)
{
    return OutlineBuilder(program).build();
}

std::string ProgramOutline::key(int index) const
{
    const ProgramPart& at = part(index);
    std::string own;
    switch (at.kind) {
    case PartKind::Module:
        return {};
    case PartKind::Function:
    case PartKind::Scope:
        own = at.name;
        break;
    case PartKind::Source: // of which several bear one name
        own = at.name + " at " + std::to_string(at.position);
        break;
    case PartKind::Functions:
        own = "functions";
        break;
    case PartKind::Repeat:
        own = "as " + key(at.model);
        break;
    case PartKind::Block:
        own = "block " + std::to_string(at.number) + " of " + std::to_string(at.position);
        break;
    case PartKind::Body:
        own = "body " + std::to_string(at.number);
        break;
    case PartKind::Operation:
        own = "#" + std::to_string(at.position);
        break;
    }
    return at.parent < 0 ? own : key(at.parent) + '/' + own;
}

} // namespace shardscope
