internal import Contracts
internal import Time

// Dates for people, in UTC. The spaces do not break: a date stays on one line.
extension PageLanguage {
    /// `12 Mar 2026` or `12.03.2026`.
    func day(_ instant: Instant) -> String {
        switch self {
        case .english:
            let day = instant.text("%d\u{A0}%b\u{A0}%Y")
            return day.hasPrefix("0") ? String(day.dropFirst()) : day
        case .german: return instant.text("%d.%m.%Y")
        }
    }

    /// `12 Mar 2026, 19:03` or `12.03.2026, 19:03`.
    func minute(_ instant: Instant) -> String { day(instant) + instant.text(",\u{A0}%H:%M") }
}
