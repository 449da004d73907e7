// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/codes.h"
#include "sharding/text.h"
#include "sharding/text_readers.h"

namespace shardscope {

Result<Shape> parseShape(std::string_view written)
{
    constexpr std::size_t mostDimensions = 16;
    constexpr std::int64_t largest = std::int64_t{ 1 } << 60;
    Tokens tokens(written);
    std::vector<Literal> items;
    while (tokens.peek().kind != Tokens::Kind::End) {
        Result<Literal> item = tokens.readLiteral();
        if (!item)
            return tl::unexpected(std::move(item.error()));
        items.push_back(std::move(*item));
        if (!tokens.accept(',') && tokens.peek().kind != Tokens::Kind::End)
            return tokens.unexpected("',' or end of text");
    }
    Shape shape;
    for (const Literal& item : items.size() == 1 && items.front().isSequence() ? items.front().items : items) {
        if (item.isSequence())
            return unexpectedLiteral(item, "a whole number");
        const Result<std::vector<std::int64_t>> size = readNumbers(item);
        if (!size)
            return tl::unexpected(size.error());
        if (size->front() < 0 || size->front() > largest)
            return fail(Code::OutOfRange,
                { { "key", "dimension" }, { "value", size->front() }, { "min", 0 }, { "max", largest } }, item.where());
        if (shape.size() == mostDimensions)
            return fail(Code::TooLarge, { { "what", "dimensions" }, { "limit", mostDimensions } }, item.where());
        shape.push_back(size->front());
    }
    return shape;
}

} // namespace shardscope
