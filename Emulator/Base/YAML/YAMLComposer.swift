internal import JSON

extension YAMLNode {
    /// The maximum number of values of a document, including the values of its aliases: a few lines
    /// of aliases to aliases could otherwise fill the memory ("billion laughs").
    static let sizeMax = 200_000
    static let depthMax = 64

    /// Reads one document.
    package init(parsing bytes: [UInt8]) throws(YAMLFailure) {
        self = try YAMLDocument(parsing: bytes).root
    }
}

/// A document, and the duplicate keys of its mappings. YAML forbids duplicates, and CloudFormation
/// uses the last one.
package struct YAMLDocument: Sendable {
    package struct RepeatedKey: Sendable {
        package let name: String
        /// The position of the key that counts.
        package let place: TextPlace
        /// The line of the earlier key.
        package let line: Int
    }

    package let root: YAMLNode
    package let repeated: [RepeatedKey]

    package init(parsing bytes: [UInt8]) throws(YAMLFailure) {
        (root, repeated) = try bytes.withUnsafeBufferPointer { text throws(YAMLFailure) in
            var composer = YAMLComposer(try YAMLEvents(text))
            return (try composer.document(), composer.repeated)
        }
    }
}

/// Builds the tree of a document; replaces aliases and merge keys by their values.
struct YAMLComposer {
    private let events: YAMLEvents
    private var anchors: [TextKey: YAMLNode] = [:]
    private var size = 0
    private(set) var repeated: [YAMLDocument.RepeatedKey] = []

    init(_ events: YAMLEvents) { self.events = events }

    mutating func document() throws(YAMLFailure) -> YAMLNode {
        _ = try events.next()
        let start = try events.next()
        guard case .documentStart = start.kind else {
            throw YAMLFailure(start.place, "the document is empty")
        }
        let root = try node(try events.next(), depth: 0)
        _ = try events.next()
        let end = try events.next()
        guard case .streamEnd = end.kind else {
            throw YAMLFailure(end.place, "a second document begins here; one is expected")
        }
        return root
    }

    private mutating func node(_ event: YAMLEvent, depth: Int) throws(YAMLFailure) -> YAMLNode {
        guard depth <= YAMLNode.depthMax else { throw tooDeep(event) }
        let node: YAMLNode
        switch event.kind {
        case .alias(let name): return try aliased(name, event, depth)
        case .scalar(let text, let isPlain): node = try scalar(text, isPlain, event)
        case .sequenceStart: node = try tagged(try sequence(event, depth), event)
        case .mappingStart: node = try tagged(try mapping(event, depth), event)
        default: throw YAMLFailure(event.place, "expected a value")
        }
        try count(1, event)
        if let anchor = event.anchor { anchors[TextKey(anchor)] = node }
        return node
    }

    private mutating func aliased(
        _ name: String, _ event: YAMLEvent, _ depth: Int
    ) throws(YAMLFailure) -> YAMLNode {
        guard let node = anchors[TextKey(name)] else {
            throw YAMLFailure(event.place, "the alias *\(name) has no anchor &\(name) before it")
        }
        guard depth + node.depth <= YAMLNode.depthMax else { throw tooDeep(event) }
        try count(node.size, event)
        return node
    }

    private mutating func count(_ more: Int, _ event: YAMLEvent) throws(YAMLFailure) {
        size += more
        guard size <= YAMLNode.sizeMax else {
            throw YAMLFailure(
                event.place, "the document has more than \(YAMLNode.sizeMax) values, with aliases")
        }
    }

    private func tooDeep(_ event: YAMLEvent) -> YAMLFailure {
        YAMLFailure(event.place, "more than \(YAMLNode.depthMax) levels of nesting")
    }

    private mutating func sequence(
        _ start: YAMLEvent, _ depth: Int
    ) throws(YAMLFailure) -> YAMLNode {
        var elements: [YAMLNode] = []
        while true {
            let event = try events.next()
            if case .sequenceEnd = event.kind {
                return YAMLNode(.sequence(elements), at: start.place)
            }
            elements.append(try node(event, depth: depth + 1))
        }
    }

    private mutating func mapping(
        _ start: YAMLEvent, _ depth: Int
    ) throws(YAMLFailure) -> YAMLNode {
        var members: [YAMLMember] = []
        var lines: [TextKey: Int] = [:]
        var merged: [YAMLNode] = []
        while true {
            let event = try events.next()
            if case .mappingEnd = event.kind { break }
            let (name, isMerge) = try key(event)
            if let line = lines.updateValue(event.place.line, forKey: TextKey(name)) {
                repeated.append(.init(name: name, place: event.place, line: line))
                if !isMerge { members.removeAll { $0.name.utf8.elementsEqual(name.utf8) } }
            }
            let value = try node(try events.next(), depth: depth + 1)
            if isMerge {
                merged += try sources(of: value, event)
            } else {
                members.append(YAMLMember(name: name, place: event.place, value: value))
            }
        }
        // A mapping's own members override merged ones, and the first merged mapping overrides
        // later ones (https://yaml.org/type/merge.html).
        for case .mapping(let others) in merged.map(\.content) {
            for other in others
            where lines.updateValue(other.place.line, forKey: TextKey(other.name)) == nil {
                members.append(other)
            }
        }
        return YAMLNode(.mapping(members), at: start.place)
    }

    /// The text of a key, whatever its type: `on` and `404` are names.
    private func key(_ event: YAMLEvent) throws(YAMLFailure) -> (name: String, isMerge: Bool) {
        guard case .scalar(let text, let isPlain) = event.kind else {
            throw YAMLFailure(event.place, "a key must be a text")
        }
        return (text, isPlain && text == "<<")
    }

    private func sources(
        of value: YAMLNode, _ event: YAMLEvent
    ) throws(YAMLFailure) -> [YAMLNode] {
        let sources =
            if case .sequence(let elements) = value.content { elements } else { [value] }
        for source in sources {
            guard case .mapping = source.content else {
                throw YAMLFailure(event.place, "<< needs a mapping, or a list of mappings")
            }
        }
        return sources
    }
}

// Tags.
extension YAMLComposer {
    private static let core = "tag:yaml.org,2002:"

    private func scalar(
        _ text: String, _ isPlain: Bool, _ event: YAMLEvent
    ) throws(YAMLFailure) -> YAMLNode {
        let value: JSON
        switch event.tag {
        case nil: value = isPlain ? PlainScalar.value(text) : .string(text)
        case "!", "\(Self.core)str", "\(Self.core)timestamp": value = .string(text)
        case "\(Self.core)null": value = .null
        case "\(Self.core)bool", "\(Self.core)int", "\(Self.core)float":
            value = PlainScalar.value(text)
        default: return try tagged(YAMLNode(.scalar(.string(text)), at: event.place), event)
        }
        return YAMLNode(.scalar(value), at: event.place)
    }

    /// A node with a CloudFormation tag becomes its long form.
    private func tagged(_ node: YAMLNode, _ event: YAMLEvent) throws(YAMLFailure) -> YAMLNode {
        guard let tag = event.tag, tag != "!", tag != "\(Self.core)map", tag != "\(Self.core)seq"
        else { return node }
        guard let name = ShortForm.member(ofTag: tag) else {
            let shown = tag.hasPrefix(Self.core) ? "!!\(tag.dropFirst(Self.core.count))" : tag
            throw YAMLFailure(
                event.place, "CloudFormation has no tag \(shown); it has \(ShortForm.all)")
        }
        let member = YAMLMember(name: name, place: event.place, value: node)
        return YAMLNode(.mapping([member]), at: event.place)
    }
}
