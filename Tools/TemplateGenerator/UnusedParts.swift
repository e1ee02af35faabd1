import JSON

/// Removes shared parts of a template that nothing in it refers to.
enum UnusedParts {
    /// Other stacks and requests use these parts from outside the template.
    private static let roots: Set = ["Api", "ApiMapping", "Table"]

    static func removed(from template: JSON, sharedBy shared: JSONObject) -> JSON {
        var document = template.objectValue ?? [:]
        var before = -1
        while before != size(of: document) {
            before = size(of: document)
            keep("Resources", of: &document) { name, document in
                shared["Resources"]?[name] == nil || roots.contains(name)
                    || document["Resources"]?[name]?["Type"] == "AWS::Serverless::Function"
                    || used(name, by: document, in: ["Globals", "Resources"])
            }
            keep("Conditions", of: &document) { name, document in
                used(name, by: document, in: ["Globals", "Conditions", "Resources"])
            }
            keep("Parameters", of: &document) { name, document in
                shared["Parameters"]?[name] == nil
                    || used(name, by: document, in: ["Globals", "Resources", "Conditions"])
            }
        }
        let names = Set(
            ["Parameters", "Resources", "Conditions"].flatMap {
                document[$0]?.objectValue?.members ?? []
            }.map(\.name))
        for section in ["Rules", "Outputs"] {
            let members = document[section]?.objectValue?.members ?? []
            let whole = members.filter { references(in: $0.value).isSubset(of: names) }
            document[section] =
                whole.isEmpty ? nil : .object(JSONObject(whole.map { ($0.name, $0.value) }))
        }
        return .object(document)
    }

    private static func size(of document: JSONObject) -> Int {
        document.members.reduce(0) { $0 + ($1.value.objectValue?.count ?? 0) }
    }

    private static func keep(
        _ section: String, of document: inout JSONObject,
        where isKept: (String, JSONObject) -> Bool
    ) {
        guard let members = document[section]?.objectValue?.members else { return }
        let whole = document
        let kept = members.filter { isKept($0.name, whole) }
        document[section] =
            kept.isEmpty ? nil : .object(JSONObject(kept.map { ($0.name, $0.value) }))
    }

    private static func used(
        _ name: String, by document: JSONObject, in sections: [String]
    ) -> Bool {
        sections.contains { section in
            (document[section]?.objectValue?.members ?? []).contains {
                $0.name != name && references(in: $0.value).contains(name)
            }
        }
    }

    /// The names in `Ref`, `Fn::GetAtt`, `Fn::Sub`, `Fn::If`, `Condition` and `DependsOn`, without
    /// AWS's own.
    private static func references(in json: JSON) -> Set<String> {
        switch json {
        case .object(let object):
            return object.members.reduce(into: Set()) { names, member in
                switch (member.name, member.value) {
                case ("Ref", .string(let name)), ("Condition", .string(let name)),
                    ("DependsOn", .string(let name)):
                    names.insert(name)
                case ("Fn::GetAtt", .array(let items)), ("Fn::If", .array(let items)):
                    names.formUnion(items.first?.stringValue.map { [$0] } ?? [])
                    names.formUnion(references(in: member.value))
                case ("Fn::Sub", .string(let text)):
                    names.formUnion(
                        text.matches(of: /\$\{([A-Za-z0-9]+)[}.]/).map { String($0.1) })
                default:
                    names.formUnion(references(in: member.value))
                }
            }
        case .array(let items):
            return items.reduce(into: Set()) { $0.formUnion(references(in: $1)) }
        case .string, .number, .bool, .null:
            return []
        }
    }
}
