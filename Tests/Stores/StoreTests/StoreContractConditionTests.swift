@Suite("Store contract: conditions")
struct StoreContractConditionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let conditions: [Condition]
        /// Whether they hold for the item below, and for a missing one.
        let present: Bool
        let absent: Bool

        var testDescription: String { name }

        init(_ name: String, _ conditions: [Condition], present: Bool, absent: Bool) {
            self.name = name
            self.conditions = conditions
            self.present = present
            self.absent = absent
        }
    }

    static let attributes: Attributes = [
        "text": .text("t"), "number": .integer(7), "bytes": .bytes([1, 2]), "flag": .flag(true),
        "empty": .text(""), "none": .bytes([]), "max": .integer(.max), "digits": .text("7"),
    ]

    static let rows = [
        Row("no condition", [], present: true, absent: true),
        Row("absent", [.absent], present: false, absent: true),
        Row("present", [.present], present: true, absent: false),
        Row("equal text", [.equals("text", .text("t"))], present: true, absent: false),
        Row("other text", [.equals("text", .text("T"))], present: false, absent: false),
        Row("longer text", [.equals("text", .text("t "))], present: false, absent: false),
        Row("equal empty text", [.equals("empty", .text(""))], present: true, absent: false),
        Row("equal number", [.equals("number", .integer(7))], present: true, absent: false),
        Row("other number", [.equals("number", .integer(-7))], present: false, absent: false),
        Row("equal extreme", [.equals("max", .integer(.max))], present: true, absent: false),
        Row("one less", [.equals("max", .integer(.max - 1))], present: false, absent: false),
        Row("equal bytes", [.equals("bytes", .bytes([1, 2]))], present: true, absent: false),
        Row("other bytes", [.equals("bytes", .bytes([1]))], present: false, absent: false),
        Row("equal empty bytes", [.equals("none", .bytes([]))], present: true, absent: false),
        Row("equal flag", [.equals("flag", .flag(true))], present: true, absent: false),
        Row("other flag", [.equals("flag", .flag(false))], present: false, absent: false),
        Row("number is no text", [.equals("number", .text("7"))], present: false, absent: false),
        Row("text is no number", [.equals("digits", .integer(7))], present: false, absent: false),
        Row("text is no bytes", [.equals("empty", .bytes([]))], present: false, absent: false),
        Row("flag is no number", [.equals("flag", .integer(2))], present: false, absent: false),
        Row("missing equals", [.equals("other", .text("t"))], present: false, absent: false),
        Row("missing equals empty", [.equals("other", .text(""))], present: false, absent: false),
        Row("lacks a missing one", [.lacks("other")], present: true, absent: false),
        Row("lacks a present one", [.lacks("text")], present: false, absent: false),
        Row("lacks an empty one", [.lacks("empty")], present: false, absent: false),
        Row("lacks the false flag", [.lacks("flag")], present: false, absent: false),
        Row(
            "all hold",
            [.present, .equals("text", .text("t")), .equals("number", .integer(7)), .lacks("x")],
            present: true, absent: false),
        Row(
            "the last does not hold",
            [.present, .equals("text", .text("t")), .equals("number", .integer(8))],
            present: false, absent: false),
        Row(
            "the first does not hold",
            [.lacks("text"), .equals("text", .text("t"))], present: false, absent: false),
        Row("a contradiction", [.absent, .present], present: false, absent: false),
        Row("twice the same", [.absent, .absent], present: false, absent: true),
        Row(
            "the same attribute twice", [.equals("text", .text("t")), .equals("text", .text("u"))],
            present: false, absent: false),
    ]

    // moto (5.2.5) compares Python values, `True == 1` (`OpEqual` in `comparisons.py`). DynamoDB
    // compares types first.
    @Test(arguments: Backend.allCases.filter { $0 != .moto })
    func `the true flag is not the number one`(backend: Backend) throws {
        let conditions = [Condition.equals("flag", .integer(1))]
        try check(
            backend, Row("true is not 1", conditions, present: false, absent: false), leaves: nil
        ) { .delete(Self.key, when: $0) }
    }

    @Test(arguments: Backend.allCases, rows)
    func `a put respects its conditions`(backend: Backend, row: Row) throws {
        try check(backend, row, leaves: Item(Self.key, ["new": .flag(true)])) { conditions in
            .put(Item(Self.key, ["new": .flag(true)]), when: conditions)
        }
    }

    @Test(arguments: Backend.allCases, rows)
    func `a delete respects its conditions`(backend: Backend, row: Row) throws {
        try check(backend, row, leaves: nil) { .delete(Self.key, when: $0) }
    }

    @Test(arguments: Backend.allCases, rows.filter { !$0.conditions.isEmpty })
    func `a check respects its conditions and changes nothing`(backend: Backend, row: Row) throws {
        let item = Item(Self.key, Self.attributes)
        try backend.withStore { store, _ throws in
            try expect(store, .check(Self.key, when: row.conditions), holds: row.absent)
            try expectEqual(store.get(Self.key), nil)
            try store.write([.put(item, when: [])])
            try expect(store, .check(Self.key, when: row.conditions), holds: row.present)
            try expectEqual(store.get(Self.key), item)
        }
    }

    private static let key = ItemKey("p", "s")

    private func check(
        _ backend: Backend, _ row: Row, leaves: Item?, _ write: ([Condition]) -> Write
    ) throws {
        let item = Item(Self.key, Self.attributes)
        try backend.withStore { store, _ throws in
            try expect(store, write(row.conditions), holds: row.absent)
            try expectEqual(store.get(Self.key), row.absent ? leaves : nil)
            try store.write([.put(item, when: [])])
            try expect(store, write(row.conditions), holds: row.present)
            try expectEqual(store.get(Self.key), row.present ? leaves : item)
        }
    }

    private func expect(_ store: any KeyValueStore, _ write: Write, holds: Bool) throws {
        if holds {
            try store.write([write])
        } else {
            #expect(throws: StoreFailure.conditionFailed) { try store.write([write]) }
        }
    }
}
