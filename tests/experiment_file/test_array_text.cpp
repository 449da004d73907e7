// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays as nested lists: exact both ways.
#include <QtTest>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/codes.h"
#include "experiment_file/array_text.h"
#include "registered_test.h"
#include "stablehlo/element_values.h"

using namespace shardscope;

namespace {

Result<std::vector<std::byte>> read(const std::string& text, const TensorType& type)
{
    const JsonText json = parseJson(text);
    if (!json.complete || !json.errors.empty())
        return tl::unexpected(json.errors.front());
    return readArrayText(json.root, type, "x");
}

/// The bits of a single element.
std::uint64_t bits(const std::string& text, DType dtype)
{
    const auto bytes = read(text, { dtype, {} });
    if (!bytes)
        qFatal("%s: %s", text.c_str(), std::string(bytes.error().kind()).c_str());
    std::uint64_t out = 0;
    std::memcpy(&out, bytes->data(), bytes->size());
    return out;
}

Code codeOf(const std::string& text, const TensorType& type)
{
    const auto bytes = read(text, type);
    return bytes ? Code{} : bytes.error().code;
}

/// The text of an element, and that it is read back bit by bit.
std::string shown(DType dtype, std::uint64_t pattern)
{
    std::array<std::byte, 8> bytes{};
    std::memcpy(bytes.data(), &pattern, bytes.size());
    return elementText(dtype, bytes.data());
}

} // namespace

class TestArrayText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void complexNumbersArePairs()
    {
        const TensorType type{ DType::C64, { 2 } };
        const auto bytes = read("[[1, -2.5], [0, \"inf\"]]", type);
        QVERIFY(bytes && bytes->size() == 16);
        std::array<float, 4> parts{};
        std::memcpy(parts.data(), bytes->data(), bytes->size());
        QVERIFY((parts == std::array<float, 4>{ 1, -2.5F, 0, std::numeric_limits<float>::infinity() }));
        QCOMPARE(arrayText(type, bytes->data()), std::string("[[1, -2.5], [0, \"inf\"]]"));
        QCOMPARE(codeOf("[1, 2]", type), Code::WrongType);
        QCOMPARE(codeOf("[[1, 2, 3], [1, 2]]", type), Code::WrongType);
        QCOMPARE(codeOf("[[1, 1e39], [1, 2]]", type), Code::OutOfRange);
    }
    void nested()
    {
        const auto bytes = read("[[1, 2, 3], [4, 5, 6]]", { DType::I16, { 2, 3 } });
        QVERIFY(bytes);
        QCOMPARE(arrayText({ DType::I16, { 2, 3 } }, bytes->data()), std::string("[[1, 2, 3], [4, 5, 6]]"));
        QCOMPARE(arrayText({ DType::I16, { 6, 1 } }, bytes->data()), std::string("[[1], [2], [3], [4], [5], [6]]"));
        QVERIFY(read("[[], []]", { DType::F32, { 2, 0 } })->empty());
        QCOMPARE(arrayText({ DType::F32, { 2, 0 } }, nullptr), std::string("[[], []]"));
        QCOMPARE(arrayText({ DType::F32, { 0, 5 } }, nullptr), std::string("[]"));
    }

    void ragged()
    {
        const auto wrong = read("[[1, 2],\n [3]]", { DType::I32, { 2, 2 } });
        QCOMPARE(wrong.error().code, Code::CountMismatch);
        QCOMPARE(wrong.error().text("of"), std::string("x[1]"));
        QCOMPARE(wrong.error().where.line, 2);
        QCOMPARE(wrong.error().where.column, 2);
        QCOMPARE(codeOf("[[1, 2], 3]", { DType::I32, { 2, 2 } }), Code::WrongType);
        QCOMPARE(codeOf("[[1, 2], [3, [4]]]", { DType::I32, { 2, 2 } }), Code::WrongType);
        QCOMPARE(codeOf("[1, 2, 3, 4]", { DType::I32, { 2, 2 } }), Code::CountMismatch);
        QCOMPARE(codeOf("5", { DType::I32, { 1 } }), Code::WrongType);
        QCOMPARE(codeOf("[5]", { DType::I32, {} }), Code::WrongType);
        // A shape that nobody has room for costs what the text has.
        QCOMPARE(codeOf("[[1, 2]]", { DType::F64, { 1, std::int64_t{ 1 } << 50 } }), Code::CountMismatch);
    }

    void integers()
    {
        QCOMPARE(bits("18446744073709551615", DType::U64), ~std::uint64_t{ 0 });
        QCOMPARE(bits("9007199254740993", DType::I64), std::uint64_t{ 9007199254740993 }); // no double has it
        QCOMPARE(bits("-9223372036854775808", DType::I64), std::uint64_t{ 1 } << 63);
        QCOMPARE(bits("-128", DType::I8), std::uint64_t{ 0x80 });
        QCOMPARE(bits("-8", DType::I4), std::uint64_t{ 0xf8 }); // held in a byte with its sign
        const std::vector<std::pair<const char*, DType>> beyond{ { "18446744073709551616", DType::U64 },
            { "9223372036854775808", DType::I64 }, { "-1", DType::U8 }, { "256", DType::U8 }, { "128", DType::I8 },
            { "-129", DType::I8 }, { "8", DType::I4 }, { "2", DType::I2 }, { "4", DType::U2 },
            { "2147483648", DType::I32 } };
        for (const auto& [text, dtype] : beyond)
            QVERIFY2(codeOf(text, { dtype, {} }) == Code::OutOfRange, text);
        QCOMPARE(codeOf("1.0", { DType::I32, {} }), Code::WrongType);
        QCOMPARE(codeOf("true", { DType::I32, {} }), Code::WrongType);
        QCOMPARE(codeOf("\"1\"", { DType::I32, {} }), Code::WrongType);
        QCOMPARE(shown(DType::U64, ~std::uint64_t{ 0 }), std::string("18446744073709551615"));
        QCOMPARE(shown(DType::I64, std::uint64_t{ 1 } << 63), std::string("-9223372036854775808"));
    }

    void truth()
    {
        QCOMPARE(bits("true", DType::Pred), std::uint64_t{ 1 });
        QCOMPARE(bits("false", DType::Pred), std::uint64_t{ 0 });
        QCOMPARE(codeOf("1", { DType::Pred, {} }), Code::WrongType);
        QCOMPARE(shown(DType::Pred, 1), std::string("true"));
    }

    void floats()
    {
        QCOMPARE(bits("0.1", DType::F64), std::bit_cast<std::uint64_t>(0.1));
        QCOMPARE(bits("0.1", DType::F32), std::uint64_t{ std::bit_cast<std::uint32_t>(0.1F) });
        QCOMPARE(bits("1", DType::BF16), std::uint64_t{ 0x3f80 });
        QCOMPARE(bits("-0.0", DType::F32), std::uint64_t{ 0x80000000 });
        QCOMPARE(bits("-0", DType::F32), std::uint64_t{ 0x80000000 });
        QCOMPARE(bits("5e-324", DType::F64), std::uint64_t{ 1 });
        QCOMPARE(codeOf("1e-400", { DType::F64, {} }), Code::OutOfRange); // no double is near to it
        QVERIFY(std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits("\"nan\"", DType::F32)))));
        QCOMPARE(bits("\"inf\"", DType::F16), std::uint64_t{ 0x7c00 });
        QCOMPARE(bits("\"-inf\"", DType::BF16), std::uint64_t{ 0xff80 });
        QCOMPARE(codeOf("\"infinity\"", { DType::F32, {} }), Code::WrongType);
        QCOMPARE(codeOf("null", { DType::F32, {} }), Code::WrongType);
        // Too large for the type, and infinity where there is none: said, and not quietly made into something else.
        QCOMPARE(codeOf("1e39", { DType::F32, {} }), Code::OutOfRange);
        QCOMPARE(codeOf("65520", { DType::F16, {} }), Code::OutOfRange);
        QCOMPARE(bits("65519.99", DType::F16), std::uint64_t{ 0x7bff });
        QCOMPARE(codeOf("\"inf\"", { DType::F8E4M3FN, {} }), Code::OutOfRange);
        QCOMPARE(shown(DType::F32, std::bit_cast<std::uint32_t>(0.1F)), std::string("0.1"));
        QCOMPARE(shown(DType::F64, std::bit_cast<std::uint64_t>(-std::numeric_limits<double>::infinity())),
            std::string("\"-inf\""));
        QCOMPARE(shown(DType::F16, 0x7e00), std::string("\"nan\""));
    }

    /// Between two neighbours the text decides, even where a double cannot tell.
    void roundsOnce()
    {
        // 1 + 2^-8 stands just between the bfloat16 numbers 1 (0x3f80) and 1 + 2^-7 (0x3f81); half goes to even.
        QCOMPARE(bits("1.00390625", DType::BF16), std::uint64_t{ 0x3f80 });
        QCOMPARE(bits("1.00390625000000000000000000000001", DType::BF16), std::uint64_t{ 0x3f81 });
        QCOMPARE(bits("1.00390624999999999999999999999999", DType::BF16), std::uint64_t{ 0x3f80 });
        // 1 + 3 * 2^-8, between 0x3f81 and 0x3f82.
        QCOMPARE(bits("1.01171875", DType::BF16), std::uint64_t{ 0x3f82 });
        QCOMPARE(bits("1.01171874999999999999999999999999", DType::BF16), std::uint64_t{ 0x3f81 });
        QCOMPARE(bits("-1.01171874999999999999999999999999", DType::BF16), std::uint64_t{ 0xbf81 });
        // 1 + 2^-24 of f32, and as one with an exponent.
        QCOMPARE(bits("1.000000059604644775390625", DType::F32), std::uint64_t{ 0x3f800000 });
        QCOMPARE(bits("1.000000059604644775390625000000001", DType::F32), std::uint64_t{ 0x3f800001 });
        QCOMPARE(bits("0.1000000059604644775390625000000001e1", DType::F32), std::uint64_t{ 0x3f800001 });
        QCOMPARE(bits("16777217", DType::F32), std::uint64_t{ 0x4b800000 });
        QCOMPARE(bits("16777217.0000000000000001", DType::F32), std::uint64_t{ 0x4b800001 });
        // f16: 2049 stands between 2048 and 2050.
        QCOMPARE(bits("2049", DType::F16), std::uint64_t{ 0x6800 });
        QCOMPARE(bits("2049.00000000000000000000001", DType::F16), std::uint64_t{ 0x6801 });
        // f8E4M3FN: 1.0625 stands between 1 (0x38) and 1.125 (0x39).
        QCOMPARE(bits("1.0625", DType::F8E4M3FN), std::uint64_t{ 0x38 });
        QCOMPARE(bits("1.06250000000000000000000001", DType::F8E4M3FN), std::uint64_t{ 0x39 });
        // Half of the smallest f16, 2^-25: nothing, and a little more.
        QCOMPARE(bits("2.98023223876953125e-8", DType::F16), std::uint64_t{ 0 });
        QCOMPARE(bits("2.980232238769531250000000000001e-8", DType::F16), std::uint64_t{ 1 });
    }

    /// Every number of a type of 16 bits or fewer, and many doubles, come back as they were.
    void roundTrip()
    {
        for (const DType dtype : { DType::F16, DType::BF16, DType::F8E4M3FN, DType::F8E5M2, DType::F8E4M3FNUZ,
                 DType::F8E8M0FNU, DType::F4E2M1FN, DType::F6E2M3FN }) {
            const bool otherAttributes = byteSize(dtype) == 2;
            const std::uint64_t count = otherAttributes ? 0x10000
                : dtype == DType::F4E2M1FN              ? 16
                : dtype == DType::F6E2M3FN              ? 64
                                                        : 0x100;
            for (std::uint64_t pattern = 0; pattern < count; ++pattern) {
                const std::string text = shown(dtype, pattern);
                const std::uint64_t again = bits(text, dtype);
                if (text != "\"nan\"")
                    QVERIFY2(again == pattern, text.c_str());
            }
        }
        std::uint64_t state = 1;
        for (int i = 0; i < 20'000; ++i) {
            state = state * 6364136223846793005 + 1442695040888963407;
            if (std::isfinite(std::bit_cast<double>(state)))
                QCOMPARE(bits(shown(DType::F64, state), DType::F64), state);
            const std::uint64_t half = state >> 32;
            if (std::isfinite(std::bit_cast<float>(static_cast<std::uint32_t>(half))))
                QCOMPARE(bits(shown(DType::F32, half), DType::F32), half);
        }
    }

    void forPeople()
    {
        std::vector<std::int32_t> numbers(100);
        std::iota(numbers.begin(), numbers.end(), 0);
        const auto* bytes = reinterpret_cast<const std::byte*>(numbers.data());
        using Lines = std::vector<std::string>;
        QCOMPARE(arrayLines({ DType::I32, {} }, bytes), (Lines{ "0" }));
        QCOMPARE(arrayLines({ DType::I32, { 3 } }, bytes), (Lines{ "[0, 1, 2]" }));
        QCOMPARE(arrayLines({ DType::I32, { 2, 2 } }, bytes + 4 * 8), (Lines{ "[[ 8,  9],", " [10, 11]]" }));
        QCOMPARE(arrayLines({ DType::I32, { 2, 1, 2 } }, bytes), (Lines{ "[[[0, 1]],", " [[2, 3]]]" }));
        QCOMPARE(arrayLines({ DType::I32, { 100 } }, bytes, 10, 2), (Lines{ "[ 0,  1, ..., 98, 99]" }));
        QCOMPARE(arrayLines({ DType::I32, { 10, 10 } }, bytes, 10, 1),
            (Lines{ "[[ 0, ...,  9],", " ...", " [90, ..., 99]]" }));
        QCOMPARE(arrayLines({ DType::I32, { 0, 4 } }, nullptr), (Lines{ "[]" }));
        QCOMPARE(indexOf(5, std::vector<std::int64_t>{ 2, 3 }), (Shape{ 1, 2 }));
    }
};

REGISTER_TEST(TestArrayText)
#include "test_array_text.moc"
