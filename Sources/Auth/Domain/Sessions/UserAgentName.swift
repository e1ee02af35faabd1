internal import Bytes

/// The common name of a browser and its system: `Firefox, Linux`. Unknown browsers keep their own
/// text.
package struct UserAgentName: Sendable {
    package let text: String

    private static let bytesMax = 80
    /// The order matters, because browsers also claim to be other browsers.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"),
        ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
        ("Mac OS X", "Mac"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]

    package init(_ userAgent: String) {
        func find(_ names: [(mark: String, name: String)]) -> String? {
            names.first { userAgent.utf8.contains(text: $0.mark) }?.name
        }
        let known = [find(Self.browsers), find(Self.systems)].compactMap(\.self)
        text =
            known.isEmpty
            ? String(Substring(userAgent.unicodeScalars.prefix(Self.bytesMax)))
            : known.joined(separator: ", ")
    }
}
