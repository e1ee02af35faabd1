import Foundation

struct User: Codable, Identifiable {
    let id: Int
    let appleId: String
    let email: String
    let fullName: String?
    let isAdmin: Bool
    let createdAt: Date

    /// Parses the server's JSON, whose names are in snake_case.
    init(json: Data) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            return try (try? fractional.parse(text)) ?? Date.ISO8601FormatStyle().parse(text)
        }
        self = try decoder.decode(User.self, from: json)
    }
}
