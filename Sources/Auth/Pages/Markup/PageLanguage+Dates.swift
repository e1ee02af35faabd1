internal import Contracts
internal import Time

// Dates for people, in UTC. The spaces are non-breaking, so that a date is not split between two
// lines.
extension PageLanguage {
    private var dayFormat: String {
        switch self {
        case .english: "%d\u{A0}%b\u{A0}%Y"
        case .german: "%d.%m.%Y"
        }
    }

    /// `12 Mar 2026` or `12.03.2026`.
    func day(_ instant: Instant) -> String {
        let day = instant.text(dayFormat)
        return self == .english && day.hasPrefix("0") ? String(day.dropFirst()) : day
    }

    /// `12 Mar 2026, 19:03` or `12.03.2026, 19:03`.
    func minute(_ instant: Instant) -> String { day(instant) + instant.text(",\u{A0}%H:%M") }
}
