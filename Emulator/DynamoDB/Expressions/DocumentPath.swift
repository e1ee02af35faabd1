internal import Bytes

/// A document path such as `a.b[1]`, with its names substituted.
struct DocumentPath: Equatable {
    enum Element: Equatable {
        case name(String)
        case index(Int)

        static func == (left: Element, right: Element) -> Bool {
            switch (left, right) {
            case (.name(let left), .name(let right)): left.isSame(as: right)
            case (.index(let left), .index(let right)): left == right
            case (.name, _), (.index, _): false
            }
        }
    }

    /// The top-level attribute.
    let root: String
    let rest: [Element]

    var elements: [Element] { [.name(root)] + rest }

    /// `[a, b, [1]]`: the form in messages.
    var description: String {
        let parts = elements.map { element in
            switch element {
            case .name(let name): name
            case .index(let index): "[\(index)]"
            }
        }
        return "[\(parts.joined(separator: ", "))]"
    }

    func value(in item: AttributeMap) -> AttributeValue? {
        var value = item[root]
        for element in rest {
            switch (element, value) {
            case (.name(let name), .map(let map)?): value = map[name]
            case (.index(let index), .list(let list)?):
                value = index < list.count ? list[index] : nil
            case (.name, _), (.index, _): return nil
            }
        }
        return value
    }
}

extension DocumentPath {
    /// Why two paths of one expression conflict; nil if they do not.
    static func clash(_ paths: [DocumentPath]) -> String? {
        guard paths.count > 1 else { return nil }
        for (index, path) in paths.enumerated() {
            for earlier in paths[..<index] {
                guard let kind = earlier.clash(with: path) else { continue }
                return "Two document paths \(kind) with each other; must remove or rewrite one "
                    + "of these paths; path one: \(earlier.description), "
                    + "path two: \(path.description)"
            }
        }
        return nil
    }

    private func clash(with other: DocumentPath) -> String? {
        guard root.isSame(as: other.root) else { return nil }
        for (left, right) in zip(rest, other.rest) where left != right {
            switch (left, right) {
            case (.name, .index), (.index, .name): return "conflict"
            case (.name, .name), (.index, .index): return nil
            }
        }
        return "overlap"
    }
}
