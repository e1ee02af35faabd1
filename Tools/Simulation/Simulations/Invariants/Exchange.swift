import JSON

/// One request and its answer.
struct Exchange {
    /// Method and path.
    let operation: String
    let body: JSON
    let bearer: String?
    let status: Int
    let answer: JSON?
    let origin: Origin
    let number: Int
    /// The step at which the function began.
    let startedAt: Int
    /// Whether no other function ran meanwhile.
    let startedAlone: Bool

    var isSuccess: Bool { (200..<300).contains(status) }
}
