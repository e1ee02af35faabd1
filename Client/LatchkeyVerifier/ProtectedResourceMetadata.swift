public import Foundation
internal import JSON

/// A resource's metadata, with which clients find the provider (RFC 9728 section 2).
public struct ProtectedResourceMetadata: Sendable {
    /// The path of the metadata at the resource's own host:
    /// `/.well-known/oauth-protected-resource`, followed by the resource's path.
    public let path: String
    /// The path with scheme and host, as challenges contain it.
    public let url: String
    /// The document. Serve it as `application/json`.
    public let json: Data

    /// - Parameter resource: a URL without a fragment.
    init(
        resource: URLComponents, uri: String, issuer: String, name: String?, scopes: [String]
    ) {
        // The well-known path is inserted between the host and the resource's path (section 3.1).
        // If the resource's path is only a slash, the slash is omitted.
        let ownPath = resource.percentEncodedPath == "/" ? "" : resource.percentEncodedPath
        let query = resource.percentEncodedQuery.map { "?\($0)" } ?? ""
        path = "/.well-known/oauth-protected-resource\(ownPath)\(query)"
        var origin = resource
        (origin.path, origin.query) = ("", nil)
        url = (origin.string ?? "") + path
        var document: JSONObject = [
            "resource": .string(uri), "authorization_servers": [.string(issuer)],
        ]
        if !scopes.isEmpty { document["scopes_supported"] = .array(scopes.map { .string($0) }) }
        document["bearer_methods_supported"] = ["header"]
        document["resource_name"] = name.map { .string($0) }
        json = Data(document.serialized)
    }
}
