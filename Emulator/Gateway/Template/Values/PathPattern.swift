internal import Bytes
internal import EmulatorBase

/// The path of a route: `/users/{id}/{rest+}`.
package struct PathPattern: Sendable, Equatable {
    package enum Segment: Sendable, Equatable {
        case literal(String)
        case parameter(String)
        /// Matches the rest of the path; must be last.
        case greedy(String)
    }

    /// The pattern as in the template.
    package let text: String
    package let segments: [Segment]

    /// Whether both match the same paths: parameter names are ignored.
    package func matchesSamePaths(as other: PathPattern) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { own, other in
                switch (own, other) {
                case (.literal(let text), .literal(let otherText)): text.isSame(as: otherText)
                case (.parameter, .parameter), (.greedy, .greedy): true
                case (.literal, _), (.parameter, _), (.greedy, _): false
                }
            }
    }

    /// Parameters must be whole segments, and their names unique.
    package init?(parsing text: String) {
        guard text.has(prefix: "/"), text.utf8.count <= 2048 else { return nil }
        var segments: [Segment] = []
        var names: [String] = []
        let pieces = text.dropping(prefix: "/").pieces(at: "/")
        for (index, piece) in pieces.enumerated() {
            guard piece.has(prefix: "{") || piece.has(suffix: "}") else {
                guard !piece.utf8.contains(where: { $0 == 0x7B || $0 == 0x7D }) else { return nil }
                segments.append(.literal(piece))
                continue
            }
            guard let segment = Self.parameter(piece) else { return nil }
            let name: String
            switch segment {
            case .greedy(let greedy):
                guard index == pieces.count - 1 else { return nil }
                name = greedy
            case .parameter(let parameter): name = parameter
            case .literal: return nil
            }
            guard !names.containsText(name) else { return nil }
            names.append(name)
            segments.append(segment)
        }
        // "/" is the root, without segments.
        self.segments = segments == [.literal("")] ? [] : segments
        self.text = text
    }

    private static func parameter(_ piece: String) -> Segment? {
        guard piece.has(prefix: "{"), piece.has(suffix: "}") else { return nil }
        let inner = Array(piece.utf8.dropFirst().dropLast())
        let isGreedy = inner.last == UInt8(ascii: "+")
        let name = String(decoding: isGreedy ? inner.dropLast() : inner[...], as: UTF8.self)
        let isLegal = name.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "$"):
                true
            default: false
            }
        }
        guard !name.isEmpty, isLegal else { return nil }
        return isGreedy ? .greedy(name) : .parameter(name)
    }
}
