internal import Time

/// Dates of HTTP headers (RFC 9110 section 5.6.7), in the IMF-fixdate form.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    static func text(_ instant: Instant) -> String {
        let calendar = CalendarDate(instant)
        let day = Int(instant.seconds / 86_400 % 7)
        let date = calendar.dateText
        return "\(days[max(0, day)]), \(date.suffix(2)) \(months[calendar.month - 1]) "
            + "\(date.prefix(4)) \(calendar.timeText) GMT"
    }

    static func read(_ text: String) -> Instant? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", words[1].utf8.count == 2,
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        let number = month + 1
        return Instant(
            iso8601: "\(words[3])-\(number < 10 ? "0" : "")\(number)-\(words[1])T\(words[4])Z")
    }
}
