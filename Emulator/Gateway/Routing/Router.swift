internal import Bytes
internal import EmulatorBase

/// The routes of one API, most specific first.
struct Router: Sendable {
    struct Match: Sendable {
        /// The position of the route in the template.
        let index: Int
        let route: APIRoute
        /// The parameters as they are in the path, not decoded.
        let parameters: [(name: String, value: String)]

        var specificity: Specificity { Specificity(route) }
    }

    enum Result: Sendable {
        case route(Match)
        /// The path matches, but not with this method.
        case otherMethod
        case nothing
    }

    private let kind: API.Kind
    private let ordered: [(index: Int, route: APIRoute)]

    init(_ api: API) {
        kind = api.kind
        ordered = api.routes.enumerated()
            .map { (index: $0.offset, route: $0.element, rank: Specificity($0.element)) }
            .sorted { $0.rank < $1.rank }
            .map { ($0.index, $0.route) }
    }

    /// `path` is without its stage.
    func match(method: String, path: String) -> Result {
        let segments = Self.segments(path, kind: kind)
        var found: PathPattern?
        for (index, route) in ordered {
            // In a REST API the path selects the resource first, then the method. An HTTP API
            // continues with less specific routes.
            if let found, kind == .rest, route.pattern != found { continue }
            guard let parameters = Self.parameters(of: route.pattern, segments) else { continue }
            guard route.method.map({ $0.isSame(as: method) }) ?? true else {
                found = found ?? route.pattern
                continue
            }
            return .route(Match(index: index, route: route, parameters: parameters))
        }
        return found == nil ? .nothing : .otherMethod
    }

    /// The methods of the resource at that path; nil means `ANY`.
    func methods(at path: String) -> [String?] {
        let segments = Self.segments(path, kind: kind)
        let fitting = ordered.filter { Self.parameters(of: $0.route.pattern, segments) != nil }
        guard let pattern = fitting.first?.route.pattern else { return [] }
        return fitting.filter { $0.route.pattern == pattern }.map(\.route.method)
    }

    private static func segments(_ path: String, kind: API.Kind) -> [Segment] {
        var pieces = path.dropping(prefix: "/").pieces(at: "/")
        if pieces.count == 1, pieces[0].isEmpty { return [] }
        // REST treats `/a/` like `/a`.
        if kind == .rest, pieces.last?.isEmpty ?? false { pieces.removeLast() }
        return pieces.map { Segment(raw: $0, decoded: PercentText.plain($0)) }
    }

    private struct Segment {
        let raw: String
        let decoded: String
    }

    /// nil if the pattern does not match.
    private static func parameters(
        of pattern: PathPattern?, _ segments: [Segment]
    ) -> [(name: String, value: String)]? {
        guard let pattern else { return [] }
        var parameters: [(name: String, value: String)] = []
        for (index, wanted) in pattern.segments.enumerated() {
            guard index < segments.count else { return nil }
            switch wanted {
            case .literal(let text):
                guard segments[index].decoded.isSame(as: text) else { return nil }
            case .parameter(let name):
                guard !segments[index].raw.isEmpty else { return nil }
                parameters.append((name, segments[index].raw))
            case .greedy(let name):
                let rest = segments[index...].map(\.raw).joined(separator: "/")
                guard !rest.isEmpty else { return nil }
                parameters.append((name, rest))
                return parameters
            }
        }
        return pattern.segments.count == segments.count ? parameters : nil
    }
}

/// The precedence of routes: exact, then parameters, then greedy, then `$default`; then more
/// literal segments; then literals further left; then a specific method.
struct Specificity: Comparable {
    private let ranks: [Int]

    init(_ route: APIRoute) {
        guard let pattern = route.pattern else {
            ranks = [3]
            return
        }
        let kinds = pattern.segments.map { segment in
            switch segment {
            case .literal: 0
            case .parameter: 1
            case .greedy: 2
            }
        }
        let literals = kinds.count { $0 == 0 }
        ranks =
            [kinds.max() ?? 0, -literals] + kinds + [-1, route.method == nil ? 1 : 0]
    }

    static func < (left: Specificity, right: Specificity) -> Bool {
        left.ranks.lexicographicallyPrecedes(right.ranks)
    }
}
