/// The members of an object, in order, with unique names.
package struct JSONObject: Sendable {
    package private(set) var members: [(name: String, value: JSON)]

    /// If a name occurs twice, the first position and the last value are kept.
    package init(_ members: [(String, JSON)] = []) {
        self.members = []
        self.members.reserveCapacity(members.count)
        var seen = SeenNames()
        for (name, value) in members {
            if seen.insert(name, among: self.members) {
                self.members.append((name, value))
            } else {
                self[name] = value
            }
        }
    }

    /// The parser uses this, because it has refused duplicates.
    init(unique members: [(name: String, value: JSON)]) { self.members = members }

    /// The member of that name, compared as UTF-8 bytes; setting nil removes it.
    package subscript(name: String) -> JSON? {
        get { index(of: name).map { members[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    package var isEmpty: Bool { members.isEmpty }
    package var count: Int { members.count }

    private func index(of name: String) -> Int? {
        for index in members.indices where members[index].name.hasSameBytes(as: name) {
            return index
        }
        return nil
    }
}

extension JSONObject: Equatable {
    /// Objects with the same members in any order are equal (RFC 8259 section 4).
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        // The usual case first, in linear time: members in the same order.
        let inOrder = zip(left.members, right.members).allSatisfy {
            $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value
        }
        if inOrder { return true }
        guard left.count > SeenNames.comparedMax else {
            return left.members.allSatisfy { right[$0.name] == $0.value }
        }
        let values = [[UInt8]: JSON](
            uniqueKeysWithValues: right.members.map { (Array($0.name.utf8), $0.value) })
        return left.members.allSatisfy { values[Array($0.name.utf8)] == $0.value }
    }
}
