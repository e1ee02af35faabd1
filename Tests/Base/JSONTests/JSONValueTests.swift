import BaseTestSupport

@Suite("JSON values") struct JSONValueTests {
    @Test func `literals look like the resulting JSON`() {
        let id = "u1"
        let body: JSON = [
            "user": [
                "id": .string(id), "roles": ["a", "b"], "age": 7, "admin": false, "name": .null,
            ],
            "path": "a/b",
        ]
        expectEqual(
            body.text,
            #"{"user":{"id":"u1","roles":["a","b"],"age":7,"admin":false,"name":null},"path":"a/b"}"#
        )
    }

    @Test(arguments: [
        ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#), ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#),
        ("\u{0}\u{1F}", #""\u0000\u001f""#), ("\u{7F}é€𝄞", "\"\u{7F}é€𝄞\""), ("\r\n", #""\r\n""#),
    ])
    func `escapes exactly the required characters`(text: String, expected: String) {
        expectEqual(JSON.string(text).text, expected)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-9223372036854775808", Int64.min),
            ("9223372036854775807", Int64.max), ("9223372036854775808", nil), ("1.0", nil),
            ("1e2", nil), ("0.5", nil),
        ] as [(String, Int64?)])
    func `int64 requires integer notation`(literal: String, expected: Int64?) throws {
        let number = try #require(JSONNumber(literal: literal))
        expectEqual(number.int64, expected)
        expectEqual(JSON.number(number).int64Value, expected)
    }

    @Test(arguments: [
        "", "+1", "01", "1.", ".1", "1e", "--1", "0x1", "1 ", " 1", "٣", "Infinity", "1_0",
    ])
    func `invalid numbers are refused`(literal: String) {
        expectEqual(JSONNumber(literal: literal), nil)
    }

    @Test func `names and strings are compared as bytes`() {
        var object: JSONObject = ["K": 1]
        expectEqual(object["\u{212A}"], nil)
        object["\u{212A}"] = 2
        expectEqual(object.count, 2)
        #expect(JSON.string("\u{E9}") != .string("e\u{301}"))
        #expect(JSON.object(["\u{E9}": 1]) != ["e\u{301}": 1])
    }

    @Test func `setting keeps the order, nil removes a member and null does not`() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3, "a": 4]
        object["b"] = nil
        object["d"] = .null
        object["c"] = "x"
        object["missing"] = nil
        expectEqual(JSON.object(object).text, #"{"a":4,"c":"x","d":null}"#)
        expectEqual(object["d"]?.isNull, true)
    }

    @Test func `the order of members is preserved but not compared`() {
        let one: JSON = ["a": 1, "b": [1, 2]]
        let other: JSON = ["b": [1, 2], "a": 1]
        expectEqual(one, other)
        #expect(one.text != other.text)
        #expect(one != ["a": 1, "b": [2, 1]])
        #expect(one != ["a": 1])
        #expect(one != ["a": 1, "c": [1, 2]])
    }

    @Test(arguments: [.null, true, 1, "1", [1], ["a": 1]] as [JSON])
    func `accessors return nil for other types`(value: JSON) {
        expectEqual(value.isNull, value == .null)
        expectEqual(value.boolValue != nil, value == true)
        expectEqual(value.int64Value != nil, value == 1)
        expectEqual(value.stringValue != nil, value == "1")
        expectEqual(value.arrayValue != nil, value == [1])
        expectEqual(value.objectValue != nil, value == ["a": 1])
        expectEqual(value["a"], value == ["a": 1] ? 1 : nil)
    }

    // Strings are scanned eight bytes at a time, so each kind of byte is tested at each position.
    @Test(arguments: 0..<20)
    func `an escape is recognised at every position of a string`(position: Int) throws {
        let before = String(repeating: "a", count: position)
        for escape in [
            #"\""#, #"\\"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#, #"\u0000"#, #"\u001f"#,
        ] {
            for rest in ["", "b", String(repeating: "é", count: 9)] {
                let text = "\"\(before)\(escape)\(rest)\""
                try expectEqual(JSON.parse(text, limits: .request).text, text)
            }
        }
    }

    @Test(arguments: 0..<20)
    func `a control character is refused at every position of a string`(position: Int) {
        for byte in UInt8(0)..<0x20 {
            var text = Array("\"aaaaaaaaaaaaaaaaaaaa\"".utf8)
            text[1 + position] = byte
            #expect(throws: JSONFailure.syntax(offset: 1 + position)) {
                _ = try JSON.parse(text, limits: .request)
            }
        }
    }

    @Test(arguments: 0..<20)
    func `a byte that is not UTF-8 is refused at every position of a string`(position: Int) {
        for byte in UInt8(0x80)...0xFF {
            var text = Array("\"aaaaaaaaaaaaaaaaaaaa\"".utf8)
            text[1 + position] = byte
            #expect(throws: JSONFailure.notUTF8(offset: 1)) {
                _ = try JSON.parse(text, limits: .request)
            }
        }
    }

    @Test(arguments: [3, 40])
    func `a duplicate member keeps the first position and the last value`(count: Int) {
        let names = (0..<count).map { "n\($0)" }
        let twice = JSONObject(
            names.map { ($0, .string("first")) } + names.map { ($0, .string("second")) })
        expectEqual(twice, JSONObject(names.map { ($0, .string("second")) }))
        expectEqual(twice.members.map(\.name), names)
    }

    // Comparing each member with all others took minutes for objects of the maximum response size.
    @Test func `large objects in different order are compared in reasonable time`() {
        let members = (0..<100_000).map { ("n\($0)", JSON.number($0)) }
        let object = JSONObject(members)
        expectEqual(object, JSONObject(members.reversed()))
        #expect(object != JSONObject(members.dropLast() + [("n99999", 0)]))
        #expect(object != JSONObject(members.dropLast() + [("other", 99_999)]))
    }
}
