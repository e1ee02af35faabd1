internal import Bytes
internal import EmulatorAWS
internal import EmulatorBase
internal import JSON
internal import Time

extension SESService {
    private static let identitiesMax = 10_000

    func accountDetails(_ exchange: SESOperationContext) throws(SESFailure) -> JSONObject {
        try exchange.require("ses:GetAccount", "*")
        var filter = MailFilter()
        filter.since = exchange.now - .days(1)
        let recent = filter
        let sent = try kept { () throws(MailboxFailure) in
            try mailbox.list(recent, limit: mailbox.limits.messagesMax)
                .count { $0.summary.source == IncomingMail.Source.ses.rawValue }
        }
        let faults = mailbox.faults.all.map(\.fault)
        let isSuspended = faults.contains(.accountSuspended)
        return [
            "DedicatedIpAutoWarmupEnabled": false,
            "EnforcementStatus": isSuspended ? "SHUTDOWN" : "HEALTHY",
            "ProductionAccessEnabled": true,
            "SendQuota": [
                "Max24HourSend": 50_000, "MaxSendRate": 14, "SentLast24Hours": .number(sent),
            ],
            "SendingEnabled": .bool(!isSuspended && !faults.contains(.sendingPaused)),
            "SuppressionAttributes": ["SuppressedReasons": []],
        ]
    }

    /// Identities are verified immediately.
    func createIdentity(_ exchange: SESOperationContext) throws(SESFailure) -> JSONObject {
        let name = try exchange.body.requiredText("EmailIdentity", bytesMax: 320).asciiLowercased
        try exchange.require("ses:CreateEmailIdentity", arn(identity: name, exchange))
        let address = name.utf8.contains(UInt8(ascii: "@")) ? name : "postmaster@\(name)"
        do throws(AddressFailure) {
            try MailAddress.check(Array(address.utf8))
        } catch {
            throw .badRequest("Invalid email identity: \(error.message)")
        }
        let known = try kept { () throws(MailboxFailure) in try mailbox.documents(.identity) }
        guard !known.contains(where: { $0.name.isSame(as: name) }) else {
            throw .alreadyExists("Email identity \(name) already exists.")
        }
        guard known.count < Self.identitiesMax else {
            throw .limitExceeded("The account has \(Self.identitiesMax) identities")
        }
        let document: JSON = ["createdAt": .number(exchange.now.milliseconds)]
        try kept { () throws(MailboxFailure) in try mailbox.put(.identity, name, document) }
        return [
            "IdentityType": .string(Self.type(name)), "VerifiedForSendingStatus": true,
            "DkimAttributes": Self.dkim,
        ]
    }

    func identity(_ name: String, _ exchange: SESOperationContext) throws(SESFailure) -> JSONObject
    {
        let name = name.asciiLowercased
        try exchange.require("ses:GetEmailIdentity", arn(identity: name, exchange))
        let found = try kept { () throws(MailboxFailure) in
            try mailbox.document(.identity, name)
        }
        guard found != nil else { throw Self.unknown(name) }
        return [
            "IdentityType": .string(Self.type(name)), "FeedbackForwardingStatus": true,
            "VerifiedForSendingStatus": true, "VerificationStatus": "SUCCESS",
            "DkimAttributes": Self.dkim,
            "MailFromAttributes": ["BehaviorOnMxFailure": "USE_DEFAULT_VALUE"],
            "Policies": [:], "Tags": [],
        ]
    }

    func listIdentities(_ exchange: SESOperationContext) throws(SESFailure) -> JSONObject {
        try exchange.require("ses:ListEmailIdentities", "*")
        let known = try kept { () throws(MailboxFailure) in try mailbox.documents(.identity) }
        let page =
            exchange.call.method == "GET"
            ? try SESPage(exchange.call.query, sizeMax: 1000)
            : try SESPage(body: exchange.call.body)
        var answer: JSONObject = [
            "EmailIdentities": .array(
                known.dropFirst(page.start).prefix(page.size).map { identity in
                    [
                        "IdentityType": .string(Self.type(identity.name)),
                        "IdentityName": .string(identity.name), "SendingEnabled": true,
                        "VerificationStatus": "SUCCESS",
                    ]
                })
        ]
        answer["NextToken"] = page.next(of: known.count)
        return answer
    }

    func deleteIdentity(_ name: String, _ exchange: SESOperationContext) throws(SESFailure)
        -> JSONObject
    {
        let name = name.asciiLowercased
        try exchange.require("ses:DeleteEmailIdentity", arn(identity: name, exchange))
        let isGone = try kept { () throws(MailboxFailure) in
            try mailbox.delete(.identity, name)
        }
        guard isGone else { throw Self.unknown(name) }
        return JSONObject()
    }

    private static func unknown(_ name: String) -> SESFailure {
        .notFound("Email identity \(name) does not exist.")
    }

    private static func type(_ name: String) -> String {
        name.utf8.contains(UInt8(ascii: "@")) ? "EMAIL_ADDRESS" : "DOMAIN"
    }

    private static let dkim: JSON = [
        "SigningEnabled": false, "Status": "NOT_STARTED", "Tokens": [],
        "SigningAttributesOrigin": "AWS_SES",
    ]
}

/// A page of a list. The token is the position of the next page.
struct SESPage {
    let start: Int
    let size: Int

    private static let tokenBytesMax = 20

    init(_ query: String, sizeMax: Int) throws(SESFailure) {
        guard let pairs = PercentEncoding.parseForm(query, pairsMax: 16) else {
            throw .badRequest("The query is malformed")
        }
        func value(_ name: String) -> String? { pairs.first { $0.0.isSame(as: name) }?.1 }
        try self.init(
            token: value("NextToken"), size: value("PageSize").map { Int64($0) ?? -1 },
            sizeMax: sizeMax)
    }

    /// Reads the request of `list-identities`, whose body may be missing.
    init(body: [UInt8]) throws(SESFailure) {
        let json = body.isEmpty ? nil : try? JSON.parse(body, limits: .request)
        try self.init(
            token: json?["NextToken"]?.stringValue, size: json?["PageSize"]?.int64Value,
            sizeMax: 1000)
    }

    private init(token: String?, size: Int64?, sizeMax: Int) throws(SESFailure) {
        let start = token.map { $0.utf8.count <= Self.tokenBytesMax ? Int($0) ?? -1 : -1 } ?? 0
        guard start >= 0 else { throw .badRequest("NextToken is invalid") }
        if let size {
            guard (0...Int64(sizeMax)).contains(size) else {
                throw .badRequest("PageSize is not a number from 0 to \(sizeMax)")
            }
        }
        self.start = start
        self.size = size.map { $0 == 0 ? sizeMax : Int($0) } ?? sizeMax
    }

    func next(of count: Int) -> JSON? {
        start + size < count ? .string(String(start + size)) : nil
    }
}
