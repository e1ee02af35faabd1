internal import Bytes

/// The attributes of an item or of a map value, with unique names.
///
/// An array in the order of the names' UTF-8 bytes instead of a dictionary: `String` keys would
/// unify canonically equivalent names, and an item has few attributes.
package struct AttributeMap: Sendable {
    package private(set) var members: [(name: String, value: AttributeValue)]

    package init() { members = [] }

    /// Names must be distinct.
    init(unique members: [(name: String, value: AttributeValue)]) {
        self.members = members.sorted { $0.name.precedes($1.name) }
    }

    /// Names must be distinct and sorted.
    init(sorted members: [(name: String, value: AttributeValue)]) { self.members = members }

    package var isEmpty: Bool { members.isEmpty }
    package var count: Int { members.count }

    package subscript(name: String) -> AttributeValue? {
        get {
            let index = index(of: name)
            return index.isFound ? members[index.place].value : nil
        }
        set {
            let index = index(of: name)
            switch (index.isFound, newValue) {
            case (true, let value?): members[index.place].value = value
            case (true, nil): members.remove(at: index.place)
            case (false, let value?): members.insert((name, value), at: index.place)
            case (false, nil): break
            }
        }
    }

    /// The members with names for which the closure returns true.
    func filter(_ isIncluded: (String) -> Bool) -> AttributeMap {
        AttributeMap(sorted: members.filter { isIncluded($0.name) })
    }

    private func index(of name: String) -> (place: Int, isFound: Bool) {
        // For a few members a linear search is faster.
        if members.count <= 8, let place = members.firstIndex(where: { $0.name.isSame(as: name) }) {
            return (place, true)
        }
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if members[middle].name.precedes(name) { low = middle + 1 } else { high = middle }
        }
        return (low, low < members.count && members[low].name.isSame(as: name))
    }
}

extension AttributeMap: Equatable {
    package static func == (left: AttributeMap, right: AttributeMap) -> Bool {
        left.count == right.count
            && zip(left.members, right.members).allSatisfy {
                $0.name.isSame(as: $1.name) && $0.value == $1.value
            }
    }
}
