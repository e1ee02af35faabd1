internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import JSON
internal import Time

/// The audit log for users and for administrators, and its verification.
struct AuditEndpoints {
    /// The path of a user's own events.
    let path: String
    let event: @Sendable (AuditEntry) -> JSON
    /// The administration of users, if the contract has one.
    var users: UserEndpoints?

    var all: [Endpoint] {
        [own, Self.verification, .inspectSessions, .inspectSession]
            + (users.map { administration($0) } ?? [])
    }

    private var own: Endpoint {
        .signedIn(.listAudit, .get(path)) { call, principal, auth in
            Answer(
                page(
                    try auth.listAudit(
                        of: principal.user.id,
                        limit: try call.pageLimit(ListAudit.pageStandard, max: ListAudit.pageMax),
                        after: call.query("after"))))
        }
    }

    private func administration(_ users: UserEndpoints) -> [Endpoint] {
        [
            .guarded(
                by: users.administrator(for: .userAudit), .userAudit,
                .get("\(users.path)/{id}/audit"), selectedBy: DirectSelector("id")
            ) { call, _, auth in
                guard let user = try auth.userID(shownAs: call.parameter("id")) else {
                    throw AuthError.administration(.userNotFound)
                }
                return Answer(
                    page(
                        withReasons: true,
                        try auth.listAudit(
                            of: user,
                            limit: try call.pageLimit(
                                ListAudit.pageStandard, max: ListAudit.pageMax),
                            after: call.query("after"))))
            },
            .guarded(
                by: users.administrator(for: .unownedAudit), .unownedAudit,
                .get("/auth/admin/audit"), selectedBy: DirectSelector("chain")
            ) { call, _, auth in
                Answer(
                    page(
                        withReasons: true,
                        try auth.listAudit(
                            of: try chain(call, auth),
                            limit: try call.pageLimit(
                                ListAudit.pageStandard, max: ListAudit.pageMax),
                            after: call.query("after"))))
            },
            .guarded(
                by: users.administrator(for: .verifyAudit), .verifyAudit,
                .post("/auth/admin/audit/verify"), needs: [.auditKeys],
                selectedBy: DirectSelector("action", is: "verifyAsAdministrator")
            ) { call, _, auth in Answer(try Self.verified(call, auth, includesHeads: false)) },
        ]
    }

    /// Verifies the log, for direct invocation and schedules, which IAM authorizes: `{"action":
    /// "verify"}`.
    static let verification = Endpoint(
        .verifyAudit, nil, needs: [.auditKeys], selectedBy: DirectSelector("action", is: "verify")
    ) { call, auth in Answer(try verified(call, auth, includesHeads: true)) }

    // MARK: Requests

    /// The chain that the request names by `email`, `address` or `chain`; without these, the chain
    /// of the administration.
    private func chain(_ call: Call, _ auth: AuthServices) throws -> AuditChain {
        func value(_ name: String) throws -> String? {
            try call.query(name) ?? call.body.text(name)
        }
        if let text = try value("email") {
            guard let email = EmailAddress(parsing: text) else {
                throw RequestError.invalidField("email", .notEmailAddress)
            }
            return auth.auditChain(ofEmail: email)
        }
        if let address = try value("address") { return auth.auditChain(ofAddress: address) }
        let name = try value("chain") ?? AuditChain.administration.name
        guard let chain = AuditChain(named: name) else {
            throw RequestError.invalidField("chain", .notOneOf(Self.chainExamples))
        }
        return chain
    }

    // MARK: Answers

    /// - Parameter withReasons: whether the answer contains the reasons that administrators wrote.
    /// Only administrators get them.
    private func page(withReasons: Bool = false, _ page: AuditPage) -> JSON {
        let events = page.entries.map { entry in
            var event = event(entry)
            if withReasons, let reason = entry.reason, var members = event.objectValue {
                members["reason"] = .string(reason)
                event = .object(members)
            }
            return event
        }
        var body: JSONObject = ["events": .array(events)]
        body["next"] = page.next.map { .string($0) }
        return .object(body)
    }

    private static func verified(
        _ call: Call, _ auth: AuthServices, includesHeads: Bool
    ) throws -> JSON {
        // The member is read even if there are anchors, so that a wrong type is always refused.
        let after = try call.body.text("after")
        let report =
            call.body.has("anchors")
            ? try auth.verifyAudit(
                anchors: try call.body.objects("anchors", max: VerifyAudit.anchorsMax).map(anchor))
            : try auth.verifyAudit(after: after, until: call.deadline)
        var body: JSONObject = [
            "intact": .bool(report.findings.isEmpty),
            "chains": .number(report.chains), "events": .number(report.events),
            "findings": .array(report.findings.map(finding)),
        ]
        if includesHeads { body["heads"] = .array(report.heads.map(head)) }
        body["next"] = report.next.map { .string($0) }
        return .object(body)
    }

    private static func finding(_ finding: AuditFinding) -> JSON {
        [
            "chain": .string(finding.chain), "defect": .string(finding.defect.rawValue),
            "first": .number(JSONNumber(finding.first)), "last": .number(JSONNumber(finding.last)),
        ]
    }

    private static func head(_ anchor: AuditAnchor) -> JSON {
        [
            "chain": .string(anchor.chain), "sequence": .number(JSONNumber(anchor.sequence)),
            "link": .string(Hex.encode(anchor.link)),
            "expiresAt": .number(JSONNumber(anchor.expiresAt.milliseconds)),
        ]
    }

    private static func anchor(_ fields: Fields) throws -> AuditAnchor {
        let chain = try fields.required("chain")
        guard AuditChain(named: chain) != nil else {
            throw RequestError.invalidField("chain", .notOneOf(chainExamples))
        }
        guard let link = Hex.decode(try fields.required("link")) else {
            throw RequestError.invalidField("link", .notText)
        }
        guard let sequence = try fields.integer("sequence"),
            let expiresAt = try fields.integer("expiresAt")
        else { throw RequestError.missingField("sequence") }
        return AuditAnchor(
            chain: chain, sequence: sequence, link: link,
            expiresAt: Instant(milliseconds: expiresAt))
    }

    private static let chainExamples = ["ADMINISTRATION", "MAIL"]
}
