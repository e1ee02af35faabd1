@Suite("Texts of errors") struct ErrorTextTests {
    @Test(arguments: [
        AuthError.signedOut, .signInAgain(code: "SECRET"), .offline,
        .unavailable(retryAfter: nil), .rateLimited(retryAfter: .seconds(90)), .storeLocked,
        .storeFailed("SECRET"), .superseded, .unsupported("SECRET"), .cancelled,
        .refused(Refusal(status: 400, code: "SECRET", message: "SECRET", reason: "SECRET")),
    ])
    func `error texts for people contain no text of the server or the system`(error: AuthError) {
        let text = error.localizedDescription
        #expect(text.hasSuffix(".") && text.count > 10 && !text.contains("SECRET"), "\(text)")
    }

    @Test func `waiting times are shown in seconds or minutes`() {
        expectEqual(
            AuthError.rateLimited(retryAfter: .seconds(90)).localizedDescription,
            "Too many attempts. Please try again in 90 seconds.")
        expectEqual(
            AuthError.unavailable(retryAfter: .seconds(601)).localizedDescription,
            "The server does not answer. Please try again in 11 minutes.")
    }

    @Test func `a wrong password has its own text`() {
        let error = AuthError.refused(Refusal(status: 401, code: "INVALID_CREDENTIALS"))
        expectEqual(error.localizedDescription, "The address or the password is wrong.")
    }

    @Test func `a mistyped address has its own text`() {
        let error = AuthError.refused(Refusal(status: 400, code: "INVALID_REQUEST", field: "email"))
        expectEqual(error.localizedDescription, "That is not an e-mail address.")
    }
}
