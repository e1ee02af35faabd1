internal import EmulatorDynamoDB
internal import JSON

extension FuzzTarget {
    /// A parsed expression is unchanged when it is written and parsed again, and has the same
    /// result.
    ///
    /// The input is an expression; after a line end may follow
    /// `{"names": {…}, "values": {…}, "item": {…}}`.
    static let expressions = FuzzTarget("expressions") { (input) throws(BrokenProperty) in
        let parts = input.split(separator: 0x0A, maxSplits: 1)
        guard let first = parts.first, let text = String(validating: first, as: UTF8.self) else {
            return
        }
        let given = parts.count == 2 ? try? JSON.parse(Array(parts[1]), limits: .request) : nil
        let names = given?["names"]?.objectValue ?? ExpressionDefaults.names
        let values = given?["values"]?.objectValue ?? ExpressionDefaults.values
        let item = given?["item"] ?? .object(ExpressionDefaults.item)
        try checkCondition(text, names, values, item)
        try checkUpdate(text, names, values, item)
    }

    private static func checkCondition(
        _ text: String, _ names: JSONObject, _ values: JSONObject, _ item: JSON
    ) throws(BrokenProperty) {
        guard let condition = try? ConditionText(parsing: text, names: names, values: values) else {
            return
        }
        let written = condition.written
        // Names and values that occur twice have two placeholders when written.
        guard written.text.utf8.count <= ConditionText.bytesMax else { return }
        let again = try? ConditionText(
            parsing: written.text, names: written.names, values: written.values)
        guard let again else {
            throw BrokenProperty("a written condition is refused: \(written.text)")
        }
        try require(again.written == written, "a written condition differs: \(written.text)")
        try require(
            (try? condition.holds(for: item)) == (try? again.holds(for: item)),
            "a written condition decides otherwise: \(written.text)")
    }

    private static func checkUpdate(
        _ text: String, _ names: JSONObject, _ values: JSONObject, _ item: JSON
    ) throws(BrokenProperty) {
        guard let update = try? UpdateText(parsing: text, names: names, values: values) else {
            return
        }
        let written = update.written
        guard written.text.utf8.count <= ConditionText.bytesMax else { return }
        let again = try? UpdateText(
            parsing: written.text, names: written.names, values: written.values)
        guard let again else {
            throw BrokenProperty("a written update is refused: \(written.text)")
        }
        try require(again.written == written, "a written update differs: \(written.text)")
        try require(
            (try? update.applied(to: item)) == (try? again.applied(to: item)),
            "a written update has another result: \(written.text)")
    }
}

/// The names, values and item for inputs without their own.
private enum ExpressionDefaults {
    static let names: JSONObject = ["#a": "a", "#b": "b.c", "#c": "SET"]
    static let values: JSONObject = [
        ":s": ["S": "text"], ":n": ["N": "1"], ":m": ["N": "-2.50"], ":b": ["B": "AAE="],
        ":l": ["L": [["S": "x"], ["N": "3"]]], ":z": ["SS": ["x", "y"]], ":t": ["S": "S"],
    ]
    static let item: JSONObject = [
        "a": ["N": "1"], "b": ["S": "text"], "c": ["M": ["d": ["L": [["N": "7"]]]]],
        "e": ["SS": ["x", "z"]], "b.c": ["BOOL": true], "f": ["L": [["S": "x"]]],
    ]
}
