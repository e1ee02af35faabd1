internal import Bytes
internal import EmulatorHTTP

/// Why the query of a request to the control API is refused.
struct QueryProblem: Error, CustomStringConvertible {
    let description: String
}

/// The query of a request to the control API.
struct Query: Sendable {
    private let pairs: [(String, String)]

    init(_ request: ServerRequest) throws(QueryProblem) {
        guard let pairs = PercentEncoding.parseForm(String(request.query ?? ""), pairsMax: 16)
        else { throw QueryProblem(description: "The query is malformed.") }
        self.pairs = pairs
    }

    /// The first value of that name.
    func text(_ name: String) -> String? { pairs.first { $0.0 == name }?.1 }

    func number(
        _ name: String, _ range: ClosedRange<Int>, or standard: Int
    ) throws(QueryProblem) -> Int {
        guard let text = text(name) else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw QueryProblem(
                description: "\(name) must be a number from \(range.lowerBound) "
                    + "to \(range.upperBound).")
        }
        return number
    }

    /// A number of a thing, from 0.
    func optional(_ name: String) throws(QueryProblem) -> Int? {
        guard text(name) != nil else { return nil }
        return try number(name, 0...Int(Int32.max) * 1_000_000, or: 0)
    }
}
