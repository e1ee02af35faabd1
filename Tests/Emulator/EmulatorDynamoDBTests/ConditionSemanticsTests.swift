import JSON
import TestSupport
import Testing

/// DynamoDB Developer Guide, "Condition and filter expressions".
@Suite("DynamoDB condition semantics")
struct ConditionSemanticsTests {
    private static let item =
        #"{"pk":{"S":"a"},"n":{"N":"5"},"m":{"N":"5"},"s":{"S":"hello"},"é":{"S":"x"},"b":{"B":"AQID"},"#
        + #""t":{"BOOL":true},"u":{"NULL":true},"l":{"L":[{"N":"1"},{"S":"x"},{"L":[{"S":"deep"}]}]},"#
        + #""d":{"M":{"x":{"N":"1"},"y":{"M":{"z":{"S":"in"}}}}},"ss":{"SS":["b","a"]},"#
        + #""ns":{"NS":["1","2.0"]},"bs":{"BS":["AQ==","Ag=="]},"nested":{"L":[{"SS":["p","q"]}]},"dot.ted":{"S":"dot"}}"#

    private static let values: KeyValuePairs = [
        ":five": #"{"N":"5"}"#, ":fivePlain": #"{"N":"5.00"}"#, ":six": #"{"N":"6"}"#,
        ":one": #"{"N":"1"}"#, ":three": #"{"N":"3"}"#, ":two": #"{"N":"2"}"#,
        ":hello": #"{"S":"hello"}"#, ":he": #"{"S":"he"}"#, ":ell": #"{"S":"ell"}"#,
        ":textFive": #"{"S":"5"}"#, ":true": #"{"BOOL":true}"#, ":null": #"{"NULL":true}"#,
        ":ba": #"{"SS":["a","b"]}"#, ":twoOne": #"{"NS":["2","1.0"]}"#, ":a": #"{"S":"a"}"#,
        ":x": #"{"S":"x"}"#, ":bin": #"{"B":"AQID"}"#, ":binPart": #"{"B":"AgM="}"#,
        ":typeS": #"{"S":"S"}"#, ":typeL": #"{"S":"L"}"#, ":typeNS": #"{"S":"NS"}"#,
        ":in": #"{"S":"in"}"#, ":deep": #"{"S":"deep"}"#, ":qp": #"{"L":[{"SS":["q","p"]}]}"#,
        ":list": #"{"L":[{"S":"deep"}]}"#, ":empty": #"{"S":""}"#,
    ]

    @Test(
        arguments: [
            ("n = :five", true), ("n = :fivePlain", true), ("n = :textFive", false),
            ("n <> :textFive", true), ("n < :textFive", false), ("n >= :textFive", false),
            ("n < :six", true), ("n <= :five", true), ("n > :five", false), ("n >= :five", true),
            (":six > n", true), ("n = m", true), ("n <> m", false), ("n < m", false),
            // A missing attribute equals nothing and is unequal to everything, even to another
            // missing attribute.
            ("gone = :five", false), ("gone <> :five", true), ("gone < :five", false),
            ("gone >= :five", false), ("gone = away", false), ("gone <> away", true),
            ("NOT gone = :five", true), ("gone BETWEEN :one AND :six", false),
            ("n BETWEEN :one AND :six", true), ("n BETWEEN :six AND :six", false),
            ("n BETWEEN :five AND :five", true), (":three BETWEEN :one AND n", true),
            ("n IN (:one, :five)", true), ("n IN (:one, :textFive)", false),
            ("gone IN (:one)", false),
            ("attribute_exists(n)", true), ("attribute_exists(gone)", false),
            ("attribute_not_exists(gone)", true), ("attribute_exists(d.x)", true),
            ("attribute_exists(d.q)", false), ("attribute_exists(l[2][0])", true),
            ("attribute_exists(l[3])", false), ("attribute_exists(l.x)", false),
            ("attribute_exists(s[0])", false), ("attribute_not_exists(gone.x.y[3])", true),
            ("d.y.z = :in", true), ("l[0] = :one", true), ("l[2][0] = :deep", true),
            ("attribute_type(s, :typeS)", true), ("attribute_type(l, :typeL)", true),
            ("attribute_type(ns, :typeNS)", true), ("attribute_type(n, :typeS)", false),
            ("attribute_type(gone, :typeS)", false),
            ("begins_with(s, :he)", true), ("begins_with(s, :ell)", false),
            ("begins_with(n, :he)", false), ("begins_with(gone, :he)", false),
            ("begins_with(s, :empty)", true), ("begins_with(:hello, :he)", true),
            ("contains(s, :ell)", true), ("contains(s, :x)", false),
            ("contains(b, :binPart)", true),
            ("contains(ss, :a)", true), ("contains(ss, :he)", false), ("contains(ns, :two)", true),
            ("contains(l, :x)", true), ("contains(l, :one)", true), ("contains(l, :list)", true),
            ("contains(l, :deep)", false), ("contains(n, :five)", false),
            ("contains(gone, :x)", false),
            ("contains(:hello, s)", true), ("contains(d, :x)", false),
            ("size(s) = :five", true), ("size(b) = :three", true), ("size(l) = :three", true),
            ("size(d) = :two", true), ("size(ss) = :two", true), ("size(ns) >= :two", true),
            ("size(n) = :one", false), ("size(t) = :one", false), ("size(gone) = :one", false),
            ("size(n) <> :one", true), ("size(:hello) = n", true), ("size(s) = size(:hello)", true),
            ("#e = :x", true), ("size(#dot) = :three", true),
            // Sets are unordered, at any depth.
            ("ss = :ba", true), ("ns = :twoOne", true), ("nested = :qp", true),
            ("ss <> :ba", false),
            ("b = :bin", true), ("t = :true", true), ("u = :null", true), ("t = :null", false),
            ("l < l", nil), ("d < n", false), ("t >= :five", false),
            // NOT has a higher precedence than AND, AND than OR; comparisons have the highest.
            ("NOT n = :five", false), ("NOT NOT n = :five", true),
            ("NOT n = :six AND n = :five", true),
            ("NOT (n = :six AND n = :five)", true), ("n = :six AND n = :six OR n = :five", true),
            ("n = :five OR n = :six AND n = :six", true),
            ("(n = :five OR n = :six) AND n = :six", false),
            ("not n = :six and s begins_with", nil), ("n = :five aNd s = :hello", true),
            ("(n) = (:five)", true), ("NOT attribute_exists(gone)", true),
            ("n=:five AND(s=:hello)", true), ("NOT n BETWEEN :one AND :six OR n = :five", true),
        ] as [(String, Bool?)])
    func `conditions are evaluated`(condition: String, expected: Bool?) throws {
        let kit = try DynamoDBHarness()
        try kit.put(Self.item)
        func uses(_ name: String) -> Bool {
            condition.ranges(of: name).contains { range in
                let next = condition[range.upperBound...].first
                return next.map { !($0.isLetter || $0.isNumber || $0 == "_") } ?? true
            }
        }
        let values = Self.values.filter { uses($0.0) }.map { #""\#($0.0)":\#($0.1)"# }
        var members =
            values.isEmpty
            ? "" : #","ExpressionAttributeValues":{\#(values.joined(separator: ","))}"#
        let names = ["#e": "é", "#dot": "dot.ted"].filter { condition.contains($0.key) }
        if !names.isEmpty {
            let list = names.map { #""\#($0.key)":"\#($0.value)""# }.joined(separator: ",")
            members += #","ExpressionAttributeNames":{\#(list)}"#
        }
        let answer = kit.call(
            "DeleteItem",
            #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"ConditionExpression":"\#(condition)"\#(members)}"#
        )
        let type = answer.body["__type"]?.stringValue ?? ""
        switch expected {
        case true?: expectEqual(answer.status, 200, "\(answer.text)")
        case false?: #expect(type.hasSuffix("ConditionalCheckFailedException"), "\(answer.text)")
        case nil: #expect(type.hasSuffix("ValidationException"), "\(answer.text)")
        }
    }

    @Test func `canonically equivalent names are different attributes`() throws {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"a"},"e\u0301":{"S":"two"},"\u00e9":{"S":"one"}}"#)
        let item = try #require(try kit.item(#"{"pk":{"S":"a"}}"#)?.objectValue)
        expectEqual(item.count, 3)
        let other = try kit.item(#"{"pk":{"S":"\u212a"}}"#)
        expectEqual(other, nil)
    }
}
