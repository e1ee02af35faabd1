import Foundation

protocol SessionRepository: Actor {
    func saveSession(accessToken: String, refreshToken: String, expiresAt: Date) async throws
    func getSession() async throws -> Session?
    func clearSession() async throws
}

struct Session: Sendable {
    let accessToken: String
    let refreshToken: String
    let expiresAt: Date
}
