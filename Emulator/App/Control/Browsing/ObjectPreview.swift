internal import Bytes
internal import EmulatorAWS
internal import EmulatorBase
internal import HTTP

/// The beginning of an object for the dashboard. Its content is untrusted, so it is sent as an
/// image of a known type or as plain text, whatever its own type is, and a browser never runs it.
struct ObjectPreview: Sendable {
    let store: ObjectStore

    private static let bytesMax = 4 << 20
    /// The types of images that are shown. SVG is left out, because it is a document.
    private static let images = [
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif",
    ]

    func response(
        _ bucket: String, _ request: ServerRequest
    ) throws(BrowsingFailure) -> ServerResponse {
        let object: PortableObject?
        do {
            guard let key = try Query(request, ["key"]).text("key") else {
                throw QueryProblem(description: "The parameter key is missing.")
            }
            object = try store.beginning(of: key, in: bucket, bytesMax: Self.bytesMax)
        } catch let problem as QueryProblem {
            throw BrowsingFailure(400, problem.description)
        } catch {
            throw BrowsingFailure(500, "\(error)")
        }
        guard let object else { throw BrowsingFailure(404, "Object not found.") }
        let type = object.headers.first { $0.name.lowercased() == "content-type" }?.value
        let image = Self.images.first { $0 == type?.lowercased() }
        return ServerResponse(
            status: 200,
            headers: [
                HTTPHeader("Content-Type", image ?? "text/plain; charset=utf-8"),
                HTTPHeader("Content-Security-Policy", "sandbox; default-src 'none'"),
                HTTPHeader("Cross-Origin-Resource-Policy", "same-origin"),
                HTTPHeader("X-Content-Type-Options", "nosniff"),
                HTTPHeader("Cache-Control", "no-store"),
            ], body: object.bytes)
    }
}
