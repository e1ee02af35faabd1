import Foundation

/// The time format of RFC 9110 section 5.6.7 that servers generate:
/// `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    /// Seconds since 1970, nil for another format.
    package static func seconds(_ text: String) -> Double? {
        guard text.hasSuffix(" GMT") else { return nil }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)?.timeIntervalSince1970
    }
}
