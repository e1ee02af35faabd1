internal import Bytes
package import FunctionRuntime
internal import HTTP

package enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    /// - Parameter wish: an `Accept-Language` header.
    package init(preferredBy wish: String?) {
        let chosen = LanguagePreference(header: wish).choose(
            among: [Self.english.rawValue, Self.german.rawValue],
            otherwise: Self.english.rawValue)
        self = chosen == Self.german.rawValue ? .german : .english
    }
}

extension Request {
    private static let localeBytesMax = 100

    /// The language tags in the page's address, separated by spaces (OpenID Connect Core section
    /// 3.1.2.1). Links between pages preserve them.
    package var locales: String? {
        guard let text = queryValue("ui_locales") else { return nil }
        let isList =
            (1...Self.localeBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == 0x20 }
        return isList ? text : nil
    }

    /// The tags of the address as an `Accept-Language` header, or else the browser's header.
    package var languageWish: String? {
        locales.map { $0.split(separator: " ").joined(separator: ", ") }
            ?? header("accept-language")
    }

    package var pageLanguage: PageLanguage { PageLanguage(preferredBy: languageWish) }

    /// - Parameter address: the address of another page. The language tags of this page are added
    ///   to it.
    package func keepingLocales(_ address: String) -> String {
        guard let locales, !address.utf8.contains(text: "ui_locales=") else { return address }
        let mark = address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return "\(address)\(mark)ui_locales=\(PercentEncoding.encode(locales))"
    }
}
