// SPDX-License-Identifier: GPL-3.0-or-later
// The variants of an experiment file. Declared in sections.h.
#include <algorithm>

#include "experiment/variant_edits.h"
#include "experiment_file/sections.h"

namespace shardscope {

void readVariants(const ValueCursor& value, std::vector<Variant>& variants)
{
    forEachObject(value, "variants", maximumVariants, [&](ObjectCursor& object) {
        Variant variant;
        if (const auto name = object.require("name"))
            if (const auto text = name->asName()) {
                if (std::any_of(variants.begin(), variants.end(), [&](const Variant& v) { return v.name == *text; }))
                    name->wrongType("a name that no other variant has");
                variant.name = *text;
            }
        if (const auto patch = object.require("patch")) {
            if (patch->type() == JsonNode::Type::Object)
                variant.patch = printInline(patch->node());
            else
                patch->wrongType("an object");
        }
        variants.push_back(std::move(variant));
    });
}

} // namespace shardscope
