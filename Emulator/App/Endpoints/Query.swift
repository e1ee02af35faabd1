internal import Bytes
internal import EmulatorBase

/// Why the query of a request to the control API is refused.
struct QueryProblem: Error, CustomStringConvertible {
    let description: String
}

/// The query of a request to the control API. Unknown parameters are errors.
struct Query: Sendable {
    private let pairs: [(String, String)]

    init(_ request: ServerRequest, _ names: [String]) throws(QueryProblem) {
        guard let pairs = PercentEncoding.parseForm(String(request.query ?? ""), pairsMax: 8)
        else { throw QueryProblem(description: "Invalid query.") }
        for (name, _) in pairs where !names.contains(where: name.isSame(as:)) {
            let known = names.isEmpty ? "none is" : "known are \(names.joined(separator: ", "))"
            throw QueryProblem(description: "Unknown parameter: \(known).")
        }
        self.pairs = pairs
    }

    /// The last value of that name.
    func text(_ name: String) -> String? { pairs.last { $0.0 == name }?.1 }

    func number(
        _ name: String, _ range: ClosedRange<Int>, or standard: Int
    ) throws(QueryProblem) -> Int {
        guard let text = text(name) else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw QueryProblem(
                description: "Invalid \(name): expected \(range.lowerBound) "
                    + "to \(range.upperBound).")
        }
        return number
    }

    /// A record number, from 0; nil without the parameter.
    func position(_ name: String) throws(QueryProblem) -> Int? {
        guard text(name) != nil else { return nil }
        return try number(name, 0...1_000_000_000_000, or: 0)
    }
}
