package import JSON

/// A value of a YAML document and its position.
package struct YAMLNode: Sendable {
    package enum Content: Sendable {
        case scalar(JSON)
        case sequence([YAMLNode])
        case mapping([YAMLMember])
    }

    package let content: Content
    package let place: TextPlace
    /// The number of values in the node, including the values of aliases.
    let size: Int
    /// The nesting depth.
    let depth: Int

    init(_ content: Content, at place: TextPlace) {
        self.content = content
        self.place = place
        let children =
            switch content {
            case .scalar: [YAMLNode]()
            case .sequence(let elements): elements
            case .mapping(let members): members.map(\.value)
            }
        size = children.reduce(1) { $0 + $1.size }
        depth = (children.map(\.depth).max() ?? -1) + 1
    }

    package var json: JSON {
        switch content {
        case .scalar(let value): value
        case .sequence(let elements): .array(elements.map(\.json))
        case .mapping(let members):
            .object(JSONObject(members.map { ($0.name, $0.value.json) }))
        }
    }
}

/// A key of a mapping with its value.
package struct YAMLMember: Sendable {
    package let name: String
    package let place: TextPlace
    package let value: YAMLNode
}

extension YAMLNode {
    /// The position of a path such as `Resources.Api.Properties.Tags[0]`, or of the longest part of
    /// the path that exists; nil if none exists.
    package func place(of path: String) -> (place: TextPlace, isWhole: Bool)? {
        var rest = Array(path.utf8)[...]
        var node = self
        var found: TextPlace?
        while !rest.isEmpty {
            if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst() }
            switch node.content {
            case .mapping(let members):
                guard let (member, after) = Self.member(members, beginning: rest) else {
                    return found.map { ($0, false) }
                }
                found = member.place
                (node, rest) = (member.value, after)
            case .sequence(let elements):
                guard let (index, after) = Self.index(beginning: rest),
                    elements.indices.contains(index)
                else { return found.map { ($0, false) } }
                found = elements[index].place
                (node, rest) = (elements[index], after)
            case .scalar: return found.map { ($0, false) }
            }
        }
        return found.map { ($0, true) }
    }

    /// The member with the longest name that is a prefix of the path: names may contain dots.
    private static func member(
        _ members: [YAMLMember], beginning path: ArraySlice<UInt8>
    ) -> (YAMLMember, ArraySlice<UInt8>)? {
        let fitting = members.filter { member in
            guard path.starts(with: member.name.utf8) else { return false }
            let next = path.dropFirst(member.name.utf8.count).first
            return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
        }
        let longest = fitting.max { $0.name.utf8.count < $1.name.utf8.count }
        return longest.map { ($0, path.dropFirst($0.name.utf8.count)) }
    }

    /// `[12]`
    private static func index(
        beginning path: ArraySlice<UInt8>
    ) -> (Int, ArraySlice<UInt8>)? {
        guard path.first == UInt8(ascii: "["), let end = path.firstIndex(of: UInt8(ascii: "]")),
            let index = Int(String(decoding: path[(path.startIndex + 1)..<end], as: UTF8.self))
        else { return nil }
        return (index, path[(end + 1)...])
    }
}
