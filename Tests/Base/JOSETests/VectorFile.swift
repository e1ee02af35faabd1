import Foundation
import JSON

/// The vector files, parsed with our own JSON parser.
enum VectorFile {
    static func load(_ path: String) throws -> JSON {
        let file = url(path)
        return try JSON.parse(
            [UInt8](Data(contentsOf: file)),
            limits: JSONLimits(bytesMax: 1 << 20, depthMax: 16))
    }

    static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url(folder).path())
            .filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
    }

    private static func url(_ path: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/\(path)")
    }

    /// The public members of a JWK that also has private ones.
    static func publicHalf(_ jwk: JSON) throws -> JSONObject {
        var object = jwk.objectValue ?? JSONObject()
        for name in ["d", "p", "q", "dp", "dq", "qi"] { object[name] = nil }
        return object
    }
}
