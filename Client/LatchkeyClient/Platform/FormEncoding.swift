internal import Foundation

/// Percent-encoding of everything but the unreserved characters of RFC 3986 section 2.3.
public enum FormEncoding {
    /// `name=value&…`, as in RFC 6749 appendix B, with `%20` for a space.
    public static func text(_ fields: [(key: String, value: String)]) -> String {
        fields.map { "\(escape($0.key))=\(escape($0.value))" }.joined(separator: "&")
    }

    /// Encodes one name or value.
    public static func escape(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
}
