internal import EmulatorBase
internal import JSON

/// Explains a refresh token of Latchkey's functions. The functions say what a refresh would do with
/// it.
struct RefreshTokenExplanation {
    private let token: String
    private let functions: LatchkeyFunctions

    /// The prefix in the contract `latchkey`.
    private static let prefix = "lkr_"
    /// Functions refuse longer ones.
    private static let bytesMax = 2048

    init(_ token: String, _ functions: LatchkeyFunctions) {
        self.token = token
        self.functions = functions
    }

    /// nil if the token is not a refresh token of these functions.
    func verdict() -> TokenVerdict? {
        let hasPrefix = token.has(prefix: Self.prefix)
        // A token with three parts is a JWT, one with five is encrypted.
        guard hasPrefix || ![3, 5].contains(token.pieces(at: ".").count),
            token.utf8.count <= Self.bytesMax
        else { return nil }
        let (answer, problem) = functions.find(
            ["action": "session", "refreshToken": .string(token)], expecting: "isGenuine"
        ) { $0["isGenuine"] == true }
        guard answer != nil || hasPrefix else { return nil }
        var verdict = TokenVerdict(subject: "refresh token of Latchkey", checks: [])
        if let answer {
            verdict.claims = JSONObject(
                ["user", "family", "generation"].map { ($0, answer[$0] ?? .null) })
            verdict.checks = [TokenCheck(.proof, .passed, "A function has verified it.")]
            verdict.checks += Self.checks(answer)
        } else if let problem {
            verdict.checks = [TokenCheck(.proof, .skipped, problem)]
            verdict.doubt = problem
        } else {
            verdict.checks = [
                TokenCheck(
                    .proof, .failed,
                    "It is not whole, or was not issued with the master key of these functions.")
            ]
        }
        return verdict
    }

    private static func checks(_ answer: JSON) -> [TokenCheck] {
        let check = TokenCheck(ofSession: answer["session"], answer["family"])
        guard let session = answer["session"] else { return [check] }
        return [
            check,
            TokenCheck(
                .expiry, session["state"] == "expired" ? .failed : .passed,
                value: session["expiresAt"], expected: "in the future",
                "The session ends then unless it is refreshed."),
            generation(answer, session),
        ]
    }

    private static func generation(_ answer: JSON, _ session: JSON) -> TokenCheck {
        func check(_ verdict: TokenCheck.Verdict, _ explanation: String) -> TokenCheck {
            TokenCheck(
                .generation, verdict, value: answer["generation"],
                expected: session["generation"]?.text ?? "", explanation)
        }
        switch answer["use"]?.stringValue {
        case "replaced": return check(.passed, "It is the current one: a refresh replaces it.")
        case "kept": return check(.passed, "It is the current one, and a refresh keeps it.")
        case "successorRepeated":
            let left = session["graceLeftMilliseconds"]?.int64Value ?? 0
            return check(
                .passed,
                "It was replaced; for another \(left) ms a refresh with it gets the same successor."
            )
        case "reuse":
            return check(
                .failed, "It was replaced: presenting it again is reuse, and ends the session.")
        case "neverIssued":
            return check(.failed, "It was never issued: the session has a lower generation.")
        default: return check(.skipped, "The session has expired.")
        }
    }
}

extension TokenCheck {
    /// - Parameter session: the session in a function's answer; nil if there is none.
    init(ofSession session: JSON?, _ family: JSON?) {
        let state = session?["state"]?.stringValue
        let sentence =
            switch state {
            case nil: "There is no such session: signed out, revoked, or ended and deleted."
            case "active": "The session is active."
            case "expired": "The session has expired."
            case "signedOutEverywhere": "The session has ended: its user signed out everywhere."
            case "accountDeleted": "The session has ended: the account is deleted."
            case "accountDisabled": "The account is disabled."
            case "passkeyRemoved": "The session has ended: its passkey was removed."
            case let state?: "The session has ended: \(state)."
            }
        self.init(
            .session, state == "active" ? .passed : .failed, value: family,
            expected: "an active session", sentence)
    }
}
