package import JSON

/// An expression as text, with its placeholders. Each name and each value has its own placeholder,
/// numbered in order.
package struct ExpressionText: Equatable {
    package private(set) var text = ""
    package private(set) var names: JSONObject?
    package private(set) var values: JSONObject?

    mutating func add(_ text: String) { self.text += text }

    mutating func add(name: String) {
        let key = "#n\(names?.count ?? 0)"
        names = names ?? [:]
        names?[key] = .string(name)
        text += key
    }

    mutating func add(value: AttributeValue) {
        let key = ":v\(values?.count ?? 0)"
        values = values ?? [:]
        values?[key] = value.json
        text += key
    }

    mutating func add(_ path: DocumentPath) {
        add(name: path.root)
        for element in path.rest {
            switch element {
            case .name(let name):
                add(".")
                add(name: name)
            case .index(let index): add("[\(index)]")
            }
        }
    }

    /// `name(a, b)`
    mutating func add<Part>(
        function: String, _ parts: [Part], _ addPart: (inout ExpressionText, Part) -> Void
    ) {
        add("\(function)(")
        addList(parts, separator: ", ", addPart)
        add(")")
    }

    mutating func addList<Part>(
        _ parts: [Part], separator: String, _ addPart: (inout ExpressionText, Part) -> Void
    ) {
        for (index, part) in parts.enumerated() {
            if index > 0 { add(separator) }
            addPart(&self, part)
        }
    }
}
