internal import AuthDomain
internal import Bytes
package import JOSE
package import JSON
package import Time

/// A server for which clients can get access tokens (RFC 8707).
package struct ProtectedResource: Equatable, Sendable {
    /// The absolute URI, which is the audience of the resource's tokens.
    package let uri: String
    /// The resource's name, by language.
    package let name: [String: String]
    package let scopes: [ScopeWord]
    /// The algorithm that signs the resource's tokens; nil for the default.
    package var algorithm: Algorithm?
    /// The lifetime of the resource's tokens; nil for the default.
    package var lifetime: Span?
    /// Whether the resource's tokens must be bound to a key.
    package var requiresProof = false

    package struct ScopeWord: Equatable, Sendable {
        package let word: String
        /// The meaning of the scope, by language.
        package let meaning: [String: String]

        package init(word: String, meaning: [String: String]) {
            self.word = word
            self.meaning = meaning
        }
    }

    package init(uri: String, name: [String: String], scopes: [ScopeWord]) {
        self.uri = uri
        self.name = name
        self.scopes = scopes
    }

    /// Whether the text can be a resource: https, or http on this machine, without a fragment.
    package static func isURI(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && !"\"\\<>#".utf8.contains($0)
        }
        return isPlain && text.utf8.count <= 255
            && RedirectURI(registering: text).map { $0.kind != .app } ?? false
    }

    /// The metadata with which clients find the provider (RFC 9728 section 2).
    package func metadata(issuer: String) -> JSONObject {
        var document: JSONObject = [
            "resource": .string(uri), "authorization_servers": [.string(issuer)],
        ]
        if !scopes.isEmpty {
            document["scopes_supported"] = .array(scopes.map { .string($0.word) })
        }
        document["bearer_methods_supported"] = ["header"]
        document["resource_name"] = name.text(in: "en").map { .string($0) }
        // Adds the name in each language (section 2.1).
        for (language, text) in name.sorted(by: { $0.key < $1.key })
        where !language.isSame(as: "en") {
            document["resource_name#\(language)"] = .string(text)
        }
        if requiresProof { document["dpop_bound_access_tokens_required"] = true }
        return document
    }

    package func has(_ word: String) -> Bool { scopes.contains { $0.word.isSame(as: word) } }
}

extension [String: String] {
    /// The text in the language, else in English, else in any language.
    package func text(in language: String) -> String? {
        self[language] ?? self["en"] ?? self.min { $0.key < $1.key }?.value
    }
}
