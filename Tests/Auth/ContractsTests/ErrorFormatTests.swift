import Foundation
import FunctionRuntime

/// Checks an envelope and returns its code and message; nil if there is no code.
private typealias Envelope = @Sendable (JSONObject, _ status: Int) -> (String?, String?)?

private let envelopes: [String: Envelope] = [
    "latchkey": nested, "livlogios": nested, "photolala": nested,
    "whateat": { body, _ in
        expectEqual(body.members.map(\.name), ["error", "code"])
        return (body["code"]?.stringValue, body["error"]?.stringValue)
    },
    "shell": { body, _ in
        #expect(Set(body.members.map(\.name)).isSubset(of: ["error", "message", "field"]))
        return (body["error"]?.stringValue, body["message"]?.stringValue)
    },
    "news_app": { body, status in
        expectEqual(body.members.map(\.name), ["detail"])
        let problems = body["detail"]?.arrayValue
        #expect(body["detail"]?.stringValue != nil || problems?.count == 1)
        expectEqual(problems != nil, status == 422)
        return nil
    },
]

private let nested: Envelope = { body, _ in
    expectEqual(body.members.map(\.name), ["error"])
    guard let error = body["error"]?.objectValue else { return (nil, nil) }
    let known = Set(["code", "message", "field", "reason", "action"])
    #expect(Set(error.members.map(\.name)).isSubset(of: known))
    return (error["code"]?.stringValue, error["message"]?.stringValue)
}

@Suite("Errors in the formats of the contracts") struct ErrorFormatTests {
    private func expectCases<Value>(_ count: Int, in samples: [Value]) {
        let names = samples.map { Mirror(reflecting: $0).children.first?.label ?? "\($0)" }
        expectEqual(Set(names).count, count, "\(names)")
    }

    @Test func `the samples contain every case`() {
        expectCases(14, in: RequestError.samples)
        expectCases(21, in: AuthError.samples)
        let nested = AuthError.samples.filter {
            switch $0 {
            case .account, .session, .device, .emailLink: true
            default: false
            }
        }
        expectEqual(Set(nested.map { "\($0)" }).count, 12, "\(nested)")
        expectCases(27, in: OAuthError.samples)
        expectCases(12, in: FieldDefect.samples)
        expectCases(4, in: PasswordError.samples)
        expectCases(6, in: PasswordDefect.samples)
        expectCases(4, in: HookError.samples)
        expectCases(6, in: SignInError.samples)
        expectCases(13, in: IdentityFailure.samples)
    }

    static let contracts = Contract.names

    private static func answer(
        _ contract: Contract, _ error: APIError, _ operation: AuthOperation
    ) -> (Answer, ErrorCode) {
        let request = Request(method: "POST", path: "/", requestID: "1")
        return contract.errors.answer(to: error, FailedRequest(operation, request))
    }

    private static let golden = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Golden/errors")

    @Test func `each contract of this repository has a golden file of errors`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.golden.path)
        let names = Set(files.map { String($0.prefix { $0 != "." }) })
        #expect(names.isSuperset(of: envelopes.keys))
        #expect(names.isSubset(of: Self.contracts))
    }

    /// All error responses of a contract, so that changes are visible in review.
    /// `LATCHKEY_UPDATE_GOLDEN=1` updates the file. A contract may do without one.
    @Test(arguments: contracts)
    func `error responses match the golden file`(name: String) throws {
        let file = Self.golden.appending(path: "\(name).txt")
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        let rendered = Self.rendered(try #require(Contract.named(name)))
        if ProcessInfo.processInfo.environment["LATCHKEY_UPDATE_GOLDEN"] == "1" {
            try Data(rendered.utf8).write(to: file)
        }
        let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let (expected, actual) = (golden.split(separator: "\n"), rendered.split(separator: "\n"))
        for (index, (left, right)) in zip(expected, actual).enumerated() where left != right {
            Issue.record("line \(index + 1) of Golden/errors/\(name).txt:\n- \(left)\n+ \(right)")
            return
        }
        expectEqual(
            expected.count, actual.count,
            "another number of answers: LATCHKEY_UPDATE_GOLDEN=1 writes Golden/errors/\(name).txt")
    }

    /// A line for each error and each distinct response to it, with the operations that return it:
    /// `*` stands for all others, so that a new operation changes few lines.
    private static func rendered(_ contract: Contract) -> String {
        var lines = ""
        for error in APIError.samples {
            var answers: [(answer: String, operations: [String])] = []
            for operation in contract.endpoints.map(\.operation) {
                let text = rendered(answer(contract, error, operation).0)
                if let index = answers.firstIndex(where: { $0.answer == text }) {
                    answers[index].operations.append(operation.name)
                } else {
                    answers.append((text, [operation.name]))
                }
            }
            let most = answers.map(\.operations.count).max()
            let usual = answers.firstIndex { $0.operations.count == most }
            for (index, (answer, operations)) in answers.enumerated() {
                let who = index == usual ? "*" : operations.joined(separator: ",")
                lines += "\(name(of: error)) [\(who)] \(answer)\n"
            }
        }
        return lines
    }

    private static func rendered(_ answer: Answer) -> String {
        let headers = answer.headers.map { " {\($0.name): \($0.value)}" }.joined()
        return
            "\(answer.status)\(headers) "
            + (answer.json?.text ?? String(describing: answer.body))
    }

    private static func name(of error: APIError) -> String {
        switch error {
        case .request(let error): "request.\(error)"
        case .auth(let error): "auth.\(error)"
        }
    }

    @Test(arguments: contracts)
    func `every error has a status, a code and the contract's envelope`(name: String) throws {
        let contract = try #require(Contract.named(name))
        for operation in contract.endpoints.map(\.operation) {
            for error in APIError.samples {
                let (answer, standardCode) = Self.answer(contract, error, operation)
                if name == "livlogios", error == .request(.insecureScheme) {
                    expectEqual(answer, .text(400, "HTTPS required"))
                    continue
                }
                if name == "news_app", error == .auth(.administration(.sessionMissing)) {
                    expectEqual(answer.status, 303)
                    continue
                }
                #expect((400...599).contains(answer.status), "\(error)")
                guard let envelope = envelopes[name] else {
                    #expect(answer.body != nil, "\(error)")
                    continue
                }
                let body = try #require(answer.json?.objectValue)
                guard let (code, message) = envelope(body, answer.status) else { continue }
                #expect(code == standardCode.text && code?.isEmpty == false)
                expectEqual(message.map { $0.utf8.count > 5 }, true)
            }
        }
    }

    @Test(arguments: contracts) func `internal errors are 5xx, client errors are 4xx`(
        name: String
    ) throws {
        let contract = try #require(Contract.named(name))
        for error in APIError.samples {
            let status = Self.answer(contract, error, .signIn).0.status
            switch error {
            case .auth(.unavailable), .auth(.notConfigured), .auth(.fault),
                .auth(.storage(.refused)), .auth(.hook(.unavailable)),
                .auth(.signIn(.identityRejected(.keysUnavailable))):
                #expect(status >= 500, "\(error)")
            case .request(.notFound), .request(.methodNotAllowed), .auth(.accessToken),
                .auth(.refreshToken), .auth(.proof), .auth(.session), .auth(.storage),
                .auth(.password),
                .auth(.secondFactor), .auth(.passkey), .auth(.hook), .auth(.device),
                .auth(.emailLink), .auth(.method),
                .auth(.account(.emailTaken)), .auth(.account(.guest)),
                .auth(.notificationRejected), .auth(.signIn(.codeInvalid)),
                .auth(.administration), .auth(.oauth):
                break  // not possible in every contract
            case .request, .auth(.signIn), .auth(.account), .auth(.rateLimited):
                #expect(status < 500, "\(name) \(error)")
            }
        }
    }

    @Test func `a failed refresh tells whether to retry or to sign in`() {
        for error in APIError.samples {
            let answer = Self.answer(.latchkey, error, .refresh).0
            let action = answer["error"]?["action"]?.stringValue
            switch error {
            case .auth(.refreshToken), .auth(.account), .request(.missingField),
                .request(.invalidField):
                expectEqual(action, "reauthenticate", "\(error)")
            case .auth(.proof(.expired)), .auth(.proof(.replayed)), .auth(.rateLimited),
                .auth(.unavailable), .auth(.fault):
                expectEqual(action, "retry", "\(error)")
            default: expectEqual(action == "retry", answer.status >= 500, "\(error)")
            }
            expectEqual(Self.answer(.latchkey, error, .signIn).0["error"]?["action"], nil)
        }
    }
}
