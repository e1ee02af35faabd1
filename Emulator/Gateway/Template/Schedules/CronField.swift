internal import Bytes
internal import EmulatorBase

/// One of the six fields.
package enum CronField: Sendable, Equatable {
    case minute, hour, dayOfMonth, month, dayOfWeek, year

    package var name: String {
        switch self {
        case .minute: "minutes"
        case .hour: "hours"
        case .dayOfMonth: "day-of-month"
        case .month: "month"
        case .dayOfWeek: "day-of-week"
        case .year: "year"
        }
    }

    var range: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .dayOfMonth: 1...31
        case .month: 1...12
        case .dayOfWeek: 1...7
        case .year: 1970...2199
        }
    }

    private var names: [String] {
        switch self {
        case .month:
            [
                "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
            ]
        case .dayOfWeek: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
        case .minute, .hour, .dayOfMonth, .year: []
        }
    }

    /// A number, or a name in upper case.
    func value(_ text: String) -> Int? {
        if let index = names.firstIndex(where: { $0.isSame(as: text) }) {
            return range.lowerBound + index
        }
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit),
            let number = Int(text), range.contains(number)
        else { return nil }
        return number
    }
}

/// The values that a field allows.
struct CronSet: Sendable, Equatable {
    private let field: CronField
    private var allowed: [Bool]

    /// `*`, numbers, ranges, steps, and lists of them.
    init(parsing text: String, field: CronField) throws(ScheduleFailure) {
        self.field = field
        allowed = Array(repeating: false, count: field.range.count)
        for piece in text.pieces(at: ",") {
            let (span, stepText) = piece.halves(at: "/")
            var step = 1
            if let stepText {
                guard (1...4).contains(stepText.utf8.count),
                    stepText.utf8.allSatisfy(\.isDigit), let number = Int(stepText),
                    number > 0
                else { throw .field(field) }
                step = number
            }
            guard let (first, last) = Self.bounds(span, field, isStepped: stepText != nil) else {
                throw .field(field)
            }
            for value in stride(from: first, through: last, by: step) {
                allowed[value - field.range.lowerBound] = true
            }
        }
    }

    private static func bounds(
        _ text: String, _ field: CronField, isStepped: Bool
    ) -> (Int, Int)? {
        if text.isSame(as: "*") { return (field.range.lowerBound, field.range.upperBound) }
        let (first, second) = text.halves(at: "-")
        guard let low = field.value(first) else { return nil }
        // `5/15` is every 15 starting at 5.
        guard let second else { return (low, isStepped ? field.range.upperBound : low) }
        guard let high = field.value(second), low <= high else { return nil }
        return (low, high)
    }

    func contains(_ value: Int) -> Bool {
        field.range.contains(value) && allowed[value - field.range.lowerBound]
    }

    /// The smallest allowed value that is at least `value`.
    func first(from value: Int) -> Int? {
        guard value <= field.range.upperBound else { return nil }
        return (max(value, field.range.lowerBound)...field.range.upperBound).first(where: contains)
    }
}
