// SPDX-License-Identifier: GPL-3.0-or-later
// NumPy's files, with bytes as the description of the format has them.
#include <QtTest>

#include <bit>
#include <cstring>

#include "base/codes.h"
#include "interchange/npy.h"
#include "interchange/npz.h"
#include "registered_test.h"

using namespace shardscope;
using namespace std::string_literals;

namespace {

/// A file of a version with this dictionary: length of the header in two bytes, from version 2 on in four.
std::string file(int version, const std::string& dictionary, const std::string& data)
{
    std::string text = "\x93NUMPY"s + static_cast<char>(version) + '\0';
    const std::size_t size = dictionary.size() + 1;
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
        text += static_cast<char>(size >> (8 * i) & 0xff);
    return text + dictionary + '\n' + data;
}

std::string header(const char* descr, const char* shape, const char* fortran = "False")
{
    return "{'descr': '"s + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

template <class T>
std::vector<T> elements(const std::string& text)
{
    const auto head = readNpyHeader(text);
    if (!head)
        qFatal("header: %s", std::string(head.error().kind()).c_str());
    const auto bytes = readNpyElements(text, *head);
    if (!bytes)
        qFatal("elements: %s", std::string(bytes.error().kind()).c_str());
    std::vector<T> out(bytes->size() / sizeof(T));
    if (!bytes->empty())
        std::memcpy(out.data(), bytes->data(), bytes->size());
    return out;
}

struct Entry {
    std::string name, content;
    int method = 0;
};

std::string number(std::uint64_t value, int bytes)
{
    std::string text;
    for (int i = 0; i < bytes; ++i)
        text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
}

/// A ZIP archive: per entry a local header and the bytes, then the directory, then its end.
std::string archive(const std::vector<Entry>& entries)
{
    std::string text, directory;
    for (const Entry& entry : entries) {
        const std::string common = number(20, 2) + number(0, 2) + number(static_cast<std::uint64_t>(entry.method), 2)
            + number(0, 2) + number(0x21, 2) + number(0, 4) + number(entry.content.size(), 4)
            + number(entry.content.size(), 4) + number(entry.name.size(), 2);
        directory += "PK\x01\x02"s + number(20, 2) + common + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 2)
            + number(0, 4) + number(text.size(), 4) + entry.name;
        text += "PK\x03\x04"s + common + number(3, 2) + entry.name + "xyz" + entry.content; // three bytes of extras
    }
    return text + directory + "PK\x05\x06"s + number(0, 4) + number(entries.size(), 2) + number(entries.size(), 2)
        + number(directory.size(), 4) + number(text.size(), 4) + number(0, 2);
}

} // namespace

class TestNpy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void versions()
    {
        const std::string data("\x01\x00\x00\x00\xfe\xff\xff\xff", 8);
        for (const int version : { 1, 2, 3 }) {
            const std::string text = file(version, header("<i4", "(2,)"), data);
            const auto head = readNpyHeader(text);
            QVERIFY(head);
            QVERIFY(head->holds({ DType::I32, { 2 } }));
            QVERIFY(!head->holds({ DType::I32, { 2, 1 } }));
            QVERIFY(!head->holds({ DType::U32, { 2 } }));
            QCOMPARE(elements<std::int32_t>(text), (std::vector<std::int32_t>{ 1, -2 }));
        }
        const auto newer = readNpyHeader(file(4, header("<i4", "(2,)"), data));
        QCOMPARE(newer.error().code, Code::NewerVersion);
    }

    void byteOrders()
    {
        QCOMPARE(elements<std::int16_t>(file(1, header(">i2", "(2,)"), "\x01\x02\xff\xfe"s)),
            (std::vector<std::int16_t>{ 0x102, -2 }));
        QCOMPARE(elements<double>(file(1, header(">f8", "()"), "\x3f\xf8\0\0\0\0\0\0"s)), (std::vector<double>{ 1.5 }));
        // A complex number is two numbers: each is turned by itself.
        QCOMPARE(
            elements<float>(file(1, header(">c8", "(1,)"), "\x3f\x80\0\0\xc0\0\0\0"s)), (std::vector<float>{ 1, -2 }));
    }

    void orders()
    {
        // [[1, 2, 3], [4, 5, 6]], the first index fastest: 1 4 2 5 3 6.
        QCOMPARE(elements<std::uint8_t>(file(1, header("|u1", "(2, 3)", "True"), "\x01\x04\x02\x05\x03\x06"s)),
            (std::vector<std::uint8_t>{ 1, 2, 3, 4, 5, 6 }));
        // Three dimensions [2, 2, 2]: element [i, j, k] stands at i + 2 j + 4 k.
        QCOMPARE(elements<std::uint8_t>(file(1, header("|u1", "(2, 2, 2)", "True"), "\0\1\2\3\4\5\6\7"s)),
            (std::vector<std::uint8_t>{ 0, 4, 2, 6, 1, 5, 3, 7 }));
    }

    void types()
    {
        const std::vector<std::pair<const char*, DType>> known{ { "|b1", DType::Pred }, { "|i1", DType::I8 },
            { "<i2", DType::I16 }, { "<i4", DType::I32 }, { "<i8", DType::I64 }, { "|u1", DType::U8 },
            { "<u2", DType::U16 }, { "<u4", DType::U32 }, { "<u8", DType::U64 }, { "<f2", DType::F16 },
            { "<f4", DType::F32 }, { "<f8", DType::F64 }, { "<c8", DType::C64 }, { "<c16", DType::C128 } };
        for (const auto& [descr, dtype] : known) {
            const auto size = static_cast<std::size_t>(byteSize(dtype));
            const auto head = readNpyHeader(file(1, header(descr, "(1,)"), std::string(size, '\0')));
            QVERIFY2(head && head->holds({ dtype, { 1 } }), descr);
            // What is written has the same name.
            const std::string written = writeNpy({ dtype, { 1 } }, std::vector<std::byte>(size).data());
            QVERIFY2(written.find(descr) != std::string::npos, descr);
        }
        // Truth values are 0 or 1, whatever byte says true.
        QCOMPARE(elements<std::uint8_t>(file(1, header("|b1", "(3,)"), "\x00\x01\x07"s)),
            (std::vector<std::uint8_t>{ 0, 1, 1 }));
        for (const char* other : { "<U5", "|O", "<M8[ns]", "<f16", "|S3", "<V4", "" })
            QCOMPARE(readNpyHeader(file(1, header(other, "(1,)"), {})).error().code, Code::UnknownValue);
        const auto record = readNpyHeader(
            file(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", std::string(4, '\0')));
        QCOMPARE(record.error().code, Code::UnknownValue);
    }

    void rawBytes()
    {
        const std::string two = file(1, header("<V2", "(1,)"), "\x80\x3f"s);
        const auto head = readNpyHeader(two);
        QVERIFY(head);
        QVERIFY(head->holds({ DType::BF16, { 1 } }));
        QVERIFY(!head->holds({ DType::F16, { 1 } })); // NumPy has it, so nobody writes it so
        QVERIFY(!head->holds({ DType::F8E5M2, { 1 } }));
        QCOMPARE(elements<std::uint16_t>(two), (std::vector<std::uint16_t>{ 0x3f80 }));
        QCOMPARE(head->text(), std::string("raw bytes (V2) of shape 1"));
        const auto one = readNpyHeader(file(1, header("|V1", "()"), "\x38"s));
        QVERIFY(one && one->holds({ DType::F8E4M3FN, {} }) && !one->holds({ DType::I4, {} }));
        const auto small = readNpyHeader(file(1, header("|i1", "()"), "\x03"s));
        QVERIFY(small && small->holds({ DType::I4, {} }) && small->holds({ DType::I8, {} })
            && !small->holds({ DType::U4, {} }));
    }

    void headers()
    {
        // Other quotes, another order, no comma at the end, numbers of Python 2.
        const auto head = readNpyHeader(
            file(2, "{\"shape\":(3L,4L),'fortran_order':False , \"descr\" : '<f4'}   ", std::string(48, '\0')));
        QVERIFY(head);
        QVERIFY(head->holds({ DType::F32, { 3, 4 } }));
        const std::vector<std::pair<std::string, Code>> wrong{ { "", Code::Syntax }, { "{", Code::Syntax },
            { "{'descr': '<f4', 'fortran_order': False}", Code::MissingKey },
            { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", Code::DuplicateKey },
            { "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", Code::Syntax },
            { "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", Code::OutOfRange },
            { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", Code::OutOfRange },
            { "{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 4000000000)}", Code::TooLarge },
            { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", Code::Syntax },
            { "{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", Code::Syntax },
            { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", Code::Syntax } };
        for (const auto& [text, code] : wrong) {
            const auto read = readNpyHeader(file(1, text, {}));
            QVERIFY2(!read, text.c_str());
            QVERIFY2(read.error().code == code, text.c_str());
        }
        QCOMPARE(readNpyHeader("").error().code, Code::Syntax);
        QCOMPARE(readNpyHeader("PK\x03\x04").error().code, Code::Syntax);
        const std::string full = file(1, header("<f4", "()"), "abcd");
        for (std::size_t size = 0; size < full.size() - 4; ++size)
            QCOMPARE(readNpyHeader(std::string_view(full).substr(0, size)).error().code, Code::Syntax);
        // A header that is said to be longer than anybody's.
        QCOMPARE(readNpyHeader("\x93NUMPY\x02\x00\xff\xff\xff\xff"s).error().code, Code::TooLarge);
    }

    void sizes()
    {
        const std::string text = file(1, header("<f4", "(3,)"), "0123456789");
        const auto head = readNpyHeader(text);
        QVERIFY(head);
        const auto sharded = readNpyElements(text, *head);
        QCOMPARE(sharded.error().code, Code::CountMismatch);
        QCOMPARE(sharded.error().number("found"), 10);
        QCOMPARE(sharded.error().number("wanted"), 12);
        const std::string more = text + "abc";
        QCOMPARE(readNpyElements(more, *head).error().code, Code::CountMismatch);
        // A shape whose elements nobody has room for, in a file of a few bytes: refused before memory is taken.
        const std::string huge = file(1, header("<f8", "(1000000, 1000000, 10000)"), "01234567");
        const auto giant = readNpyHeader(huge);
        QVERIFY(giant);
        QCOMPARE(readNpyElements(huge, *giant).error().code, Code::CountMismatch);
        // Without elements, whatever the other sizes.
        const std::string none = file(1, header("<f8", "(0, 9000000000000000000, 7)", "True"), "");
        QVERIFY(elements<double>(none).empty());
    }

    void written()
    {
        const std::vector<float> numbers{ 1, 2, 3, 4, 5, 6 };
        const std::string text = writeNpy({ DType::F32, { 2, 3 } }, reinterpret_cast<const std::byte*>(numbers.data()));
        // 118 bytes of header behind the 10 before it, the last one a new line: elements begin at a multiple of 64.
        QCOMPARE(text.size(), std::size_t{ 128 + 24 });
        QCOMPARE(text.substr(0, 10), "\x93NUMPY\x01\x00\x76\x00"s);
        QCOMPARE(text.substr(10, 59), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"s);
        QCOMPARE(text[127], '\n');
        QCOMPARE(elements<float>(text), numbers);
        QVERIFY(
            writeNpy({ DType::F32, { 6 } }, reinterpret_cast<const std::byte*>(numbers.data())).find("'shape': (6,), }")
            != std::string::npos);
        QVERIFY(writeNpy({ DType::F32, {} }, reinterpret_cast<const std::byte*>(numbers.data())).find("'shape': (), }")
            != std::string::npos);
        const std::byte bits[2]{};
        QVERIFY(writeNpy({ DType::BF16, {} }, bits).find("'<V2'") != std::string::npos);
        QVERIFY(writeNpy({ DType::F8E5M2, {} }, bits).find("'|V1'") != std::string::npos);
        QVERIFY(writeNpy({ DType::U4, {} }, bits).find("'|u1'") != std::string::npos);
    }

    void archives()
    {
        const std::string x = file(1, header("<f4", "()"), "abcd");
        const std::string text = archive({ { "x.npy", x }, { "arr_1.npy", "other" } });
        const auto read = readNpz(text);
        QVERIFY(read);
        QCOMPARE(read->size(), std::size_t{ 2 });
        QCOMPARE((*read)[0].name, std::string("x"));
        QCOMPARE(std::string((*read)[0].file), x);
        QCOMPARE((*read)[1].name, std::string("arr_1"));
        QCOMPARE(std::string((*read)[1].file), std::string("other"));
        QVERIFY(readNpz(archive({}))->empty());
        QCOMPARE(readNpz(archive({ { "x.npy", x, 8 } })).error().code, Code::UnknownValue);
        QCOMPARE(readNpz(archive({ { "x.npy", x }, { "x.npy", x } })).error().code, Code::DuplicateKey);
        for (std::size_t size = 0; size < text.size(); ++size)
            QVERIFY(!readNpz(std::string_view(text).substr(0, size)));
        std::string far = text; // the directory says that it stands behind the end
        far[far.size() - 3] = '\x7f';
        QCOMPARE(readNpz(far).error().code, Code::Syntax);
    }
};

REGISTER_TEST(TestNpy)
#include "test_npy.moc"
