/// The attributes of an item, with ascending names.
///
/// An array and no dictionary: an item has a dozen attributes, and to hash their names took longer
/// than to compare them. Names are ASCII, for which the order of strings is that of bytes.
package struct Attributes: Sendable {
    package typealias Element = (key: String, value: Attribute)

    private var elements: [Element] = []

    package init() {}

    package init(minimumCapacity: Int) { elements.reserveCapacity(minimumCapacity) }

    package subscript(name: String) -> Attribute? {
        get {
            for element in elements where element.key == name { return element.value }
            return nil
        }
        set {
            let place = elements.firstIndex { $0.key >= name } ?? elements.endIndex
            let isThere = place < elements.endIndex && elements[place].key == name
            switch (newValue, isThere) {
            case (let value?, true): elements[place].value = value
            case (let value?, false): elements.insert((name, value), at: place)
            case (nil, true): elements.remove(at: place)
            case (nil, false): break
            }
        }
    }

    /// Adds an attribute whose name is greater than all others; false if it is not.
    mutating func append(_ name: String, _ value: Attribute) -> Bool {
        if let last = elements.last, last.key >= name { return false }
        elements.append((name, value))
        return true
    }

    package var keys: [String] { elements.map(\.key) }
    package var values: [Attribute] { elements.map(\.value) }

    package func filter(_ isIncluded: (Element) -> Bool) -> Attributes {
        var filtered = self
        filtered.elements.removeAll { !isIncluded($0) }
        return filtered
    }
}

extension Attributes: RandomAccessCollection {
    package var startIndex: Int { elements.startIndex }
    package var endIndex: Int { elements.endIndex }
    package subscript(index: Int) -> Element { elements[index] }
}

extension Attributes: Hashable {
    package static func == (left: Attributes, right: Attributes) -> Bool {
        left.elements.elementsEqual(right.elements, by: ==)
    }

    package func hash(into hasher: inout Hasher) {
        for (name, value) in elements {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, Attribute)...) {
        self.init(minimumCapacity: elements.count)
        for (name, value) in elements { self[name] = value }
    }
}
