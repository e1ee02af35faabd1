@Suite("Wycheproof JOSE vectors")
struct WycheproofTests {
    /// The number of all cases, of accepted ones, and of valid ones refused by algorithm.
    @Test(arguments: [
        ("json_web_signature", 401, 20, 26), ("json_web_key", 26, 3, 2),
        ("json_web_crypto", 83, 4, 2),
    ])
    func `verification agrees with Wycheproof, case by case`(
        file: String, total: Int, accepted: Int, otherAlgorithm: Int
    ) throws {
        var counts = (total: 0, accepted: 0, otherAlgorithm: 0)
        let groups = try VectorFile.load("wycheproof/\(file)_test.json")["testGroups"]
        for group in try #require(groups?.arrayValue) {
            let keys = keySet(of: group)
            for test in try #require(group["tests"]?.arrayValue) {
                let id = try Int(#require(test["tcId"]?.int64Value))
                let isValid = test["result"]?.stringValue == "valid"
                let token = try #require(test["jws"] ?? test["jwe"])
                let expected = VectorPolicy.accepts(
                    token, isValid: isValid, id: id, isSignatureFile: file == "json_web_signature")
                let result = Result { try verify(token, with: keys) }
                expectEqual(
                    (try? result.get()) != nil, expected,
                    "tcId \(id): \(test["comment"]?.stringValue ?? ""): \(result)")
                counts.total += 1
                if expected { counts.accepted += 1 }
                if isValid, !VectorPolicy.hasOurAlgorithm(token) { counts.otherAlgorithm += 1 }
            }
        }
        #expect(counts == (total, accepted, otherAlgorithm))
    }

    /// The group's keys as a key set; nil if that is refused.
    private func keySet(of group: JSON) -> KeySet? {
        guard let key = group["public"] ?? group["private"] else { return nil }
        let jwks = key["keys"] == nil ? ["keys": [key]] : key
        let hasSecret = jwks["keys"]?.arrayValue?.contains { $0["kty"] == "oct" } ?? false
        return try? KeySet(jwks: jwks, holding: hasSecret ? .secrets : .publicKeys)
    }

    /// A token in JSON is passed as its text.
    private func verify(_ token: JSON, with keys: KeySet?) throws -> JWS.Verified {
        guard let keys else { throw TokenFailure.unknownKeyID }
        return try JWS.verify(token.stringValue ?? token.text, keys: keys)
    }

    @Test func `the mislabelled cases are equal to the valid one, byte for byte`() throws {
        let file = try VectorFile.load("wycheproof/json_web_signature_test.json")
        let tests = file["testGroups"]?.arrayValue?.flatMap { $0["tests"]?.arrayValue ?? [] }
        func token(_ id: Int) -> String? {
            tests?.first { $0["tcId"]?.int64Value == Int64(id) }?["jws"]?.stringValue
        }
        let valid = try #require(token(357))
        for id in VectorPolicy.mislabelled { expectEqual(token(id), valid) }
    }
}
