/// The tags of CloudFormation: `!Sub x` is `{"Fn::Sub": "x"}`.
enum ShortForm {
    /// `!Ref` and `!Condition` stand for members without `Fn::`.
    private static let plain = ["Ref", "Condition"]
    private static let functions = [
        "And", "Base64", "Cidr", "Equals", "FindInMap", "GetAtt", "GetAZs", "If", "ImportValue",
        "Join", "Length", "Not", "Or", "Select", "Split", "Sub", "ToJsonString", "Transform",
    ]

    /// The long form of a tag; nil if CloudFormation has no such tag.
    static func member(ofTag tag: String) -> String? {
        guard tag.utf8.first == UInt8(ascii: "!") else { return nil }
        let name = String(tag.dropFirst())
        if plain.contains(name) { return name }
        return functions.contains(name) ? "Fn::\(name)" : nil
    }

    static let all = (plain + functions).sorted().map { "!\($0)" }.joined(separator: " ")
}
