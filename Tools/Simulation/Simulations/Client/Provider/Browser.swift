import Bytes
import LatchkeyClient

/// A person's browser: it keeps the cookies of the server, and sends its forms.
final class Browser: @unchecked Sendable {
    let person: Int
    private let network: SimulatedNetwork
    /// Called with the session's cookie if a lost response may have replaced the cookie.
    private let onLoss: (String) -> Void
    private var cookies: [(name: String, value: String)] = []

    static let session = "__Host-latchkey"

    init(
        person: Int, _ network: SimulatedNetwork, onLoss: @escaping (String) -> Void
    ) {
        self.person = person
        self.network = network
        self.onLoss = onLoss
    }

    /// The tokens of the pages' session.
    var tokens: (refresh: String, access: String)? { Self.tokens(value(Self.session)) }

    static func tokens(_ cookie: String?) -> (refresh: String, access: String)? {
        let parts = cookie?.split(separator: "~", omittingEmptySubsequences: false) ?? []
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }

    private func value(_ name: String) -> String? { cookies.first { $0.name == name }?.value }

    /// The name of the request for which the person signs in.
    var request: String? {
        let parts = value(Self.session + "-next")?.split(separator: "~") ?? []
        return parts.count >= 2 && parts[0] == "consent" ? String(parts[1]) : nil
    }

    func keep(refresh: String, access: String) {
        forgetSession()
        cookies.append((Self.session, "\(refresh)~\(access)"))
    }

    func forgetSession() { cookies.removeAll { $0.name == Self.session } }

    func open(_ path: String, _ pairs: [(String, String)] = []) async -> WireAnswer? {
        await send(.get(path, pairs))
    }

    func submit(_ path: String, _ pairs: [(String, String)]) async -> WireAnswer? {
        await send(.form(path, pairs, [(name: "Sec-Fetch-Site", value: "same-origin")]))
    }

    private func send(_ request: WireRequest) async -> WireAnswer? {
        var request = request
        let cookie = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        if !cookie.isEmpty { request.headers.append((name: "Cookie", value: cookie)) }
        let answer = await network.exchange(request)
        if answer?.status ?? 500 >= 500, let held = request.sessionCookie { onLoss(held) }
        for (name, value) in answer?.setCookies ?? [] {
            cookies.removeAll { $0.name == name }
            if let value { cookies.append((name, value)) }
        }
        return answer
    }
}

extension WireAnswer {
    /// The cookies that the response sets. The value of a removed cookie is nil.
    var setCookies: [(name: String, value: String?)] {
        headers.filter { $0.name == "set-cookie" }.compactMap { header in
            let parts = header.value.split(separator: ";")
            guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
            let isRemoved = parts.contains { $0 == " Max-Age=0" }
            let value = String(pair[pair.index(after: equals)...])
            return (String(pair[..<equals]), isRemoved ? nil : value)
        }
    }

    /// The state that the browser keeps until the sign-in is complete.
    var next: String? { setCookies.last { $0.name == Browser.session + "-next" }?.value }

    var location: String? { headers.first { $0.name == "location" }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of a hidden field in a page.
    func hidden(_ name: String) -> String? {
        let mark = "<input type=\"hidden\" name=\"\(name)\" value=\""
        guard let place = text.firstRange(of: mark) else { return nil }
        return String(text[place.upperBound...].prefix { $0 != "\"" })
    }

    /// The number that follows this text in a page.
    func number(after mark: String) -> Int? {
        guard let place = text.firstRange(of: mark) else { return nil }
        return Int(text[place.upperBound...].prefix(while: \.isNumber))
    }

    func asks(for field: String) -> Bool { text.contains("name=\"\(field)\"") }
}

/// The target of a redirect.
struct Redirect {
    /// The URL without its query.
    let address: String
    let parameters: [String: String]
    let isOfServer: Bool

    init?(_ location: String?) {
        guard let location else { return nil }
        let address = String(location.prefix { $0 != "?" })
        let query = location.dropFirst(address.count + 1)
        parameters = Dictionary(
            PercentEncoding.parseForm(String(query), pairsMax: 64) ?? [],
            uniquingKeysWith: { first, _ in first })
        isOfServer = !address.contains(":")
        self.address = address
    }

    /// The last part of the address, which names the page.
    var page: String { address.split(separator: "/").last.map(String.init) ?? "" }
}

extension WireRequest {
    /// The members of a form, or of a page's query. Repeated members are joined.
    var fields: [String: String]? {
        guard path.hasPrefix("/oauth/") || path.hasPrefix("/auth/ui/") else { return nil }
        let isForm = headers.contains {
            $0.name == "Content-Type" && $0.value == "application/x-www-form-urlencoded"
        }
        guard isForm || method == "GET" else { return nil }
        let text = isForm ? String(decoding: body, as: UTF8.self) : query
        return Dictionary(PercentEncoding.parseForm(text, pairsMax: 64) ?? []) { "\($0) \($1)" }
    }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The cookie of the pages' session.
    var sessionCookie: String? {
        header("Cookie")?.split(separator: ";").lazy
            .map { $0.drop { $0 == " " } }.first { $0.hasPrefix(Browser.session + "=") }
            .map { String($0.dropFirst(Browser.session.count + 1)) }
    }
}
