@Suite("Guessable passwords") struct GuessablePasswordTests {
    private func refusal(_ password: String, _ address: String = "ada@example.com") throws
        -> AuthError?
    {
        let kit = try AuthKit(
            policy: .passwords(.immediate).with { $0.passwords?.rules.refusesCommon = true })
        return kit.error {
            _ = try kit.auth.register(
                Register.Input(email: try kit.email(address), password: password), Caller())
        }
    }

    @Test(arguments: [
        "password", "PASSWORD", "1q2w3e4r5t6y", "qwerty123456", "passwordpassword",
        "abcabcabcabc", "111111111111", "121212121212", "password2026!", "!!sunshine!!",
        "dragon123456",
    ])
    func `a common password is refused, also with additions`(password: String) throws {
        try expectEqual(refusal(password), .password(.refused(.common)))
    }

    @Test(arguments: [
        "ada@example.com", "ada@example.com!", "xada@example.com", "ADA@EXAMPLE.COM1",
    ])
    func `a password made of the address is refused`(password: String) throws {
        try expectEqual(refusal(password), .password(.refused(.containsAddress)))
    }

    @Test func `a password that is mostly the local part is refused`() throws {
        let defect = try refusal("grace.hopper1", "grace.hopper@example.com")
        expectEqual(defect, .password(.refused(.containsAddress)))
    }

    @Test(arguments: [
        "correct horse battery", "securePassword123", "ada likes long passwords", "zażółć gęślą",
        "tr0ub4dor&3", "hunter2 hunts dragons",
    ])
    func `any other password is accepted`(password: String) throws {
        try expectEqual(refusal(password), nil)
    }
}
