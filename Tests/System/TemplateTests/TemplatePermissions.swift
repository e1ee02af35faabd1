/// What each function may do with the table.
enum TemplatePermissions {
    /// Partitions by action, as used by each function's code. A change here changes what a
    /// compromised function could access, so review it.
    static let table: [String: [String: [String: String]]] = [
        "latchkey": [
            "challenge": ["GetItem": "RATE", "UpdateItem": "RATE", "PutItem": "CHALLENGE RATE"],
            "signin": [
                "GetItem": "AUDITHEAD RATE",
                "BatchGetItem": "AUDITHEAD CHALLENGE EMAIL IDENTITY SPENT USER jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem":
                    "AUDIT AUDITHEAD EMAIL IDENTITY OUTBOX RATE SEALED SIGNINGKEYS SPENT USER USERS "
                    + "jwks",
                "DeleteItem": "CHALLENGE EMAIL OUTBOX USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": refresh, "signout": signOut, "me": verification,
            "export": [
                "GetItem": "EMAIL RATE", "BatchGetItem": "USER",
                "Query": "AUDIT SIGNINGKEYS USER", "UpdateItem": "RATE", "PutItem": "RATE",
            ],
            "delete-account": deleteAccount(frees: "EMAIL IDENTITY USERS"),
            "apple-notifications": appleNotifications(frees: "EMAIL IDENTITY USERS"),
            "sessions": [
                "GetItem": "AUDITHEAD", "BatchGetItem": "AUDITHEAD USER",
                "Query": "SIGNINGKEYS USER", "PutItem": "AUDIT AUDITHEAD", "DeleteItem": "USER",
            ],
            "credentials": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD RATE",
            ],
            "keys": [
                "GetItem": "AUDITHEAD", "Query": "SIGNINGKEYS",
                "PutItem": "AUDIT AUDITHEAD SIGNINGKEYS", "DeleteItem": "SIGNINGKEYS",
            ],
            "authorizer": verification, "register": register, "verify-email": listed(verifyEmail),
            "resend-verification": resendVerification, "login": mailing(logIn),
            "forgot-password": forgotPassword, "reset-password": removing(resetPassword),
            "change-password": changePassword, "devices": devices, "totp": totp,
            "second-factor": secondFactor, "magic-link": magicLink,
            "redeem-magic-link": listed(redeemMagicLink(addingRowsOf: "DELETION EMAIL")),
            "link": link.merging([
                "BatchGetItem": "AUDITHEAD CHALLENGE IDENTITY SPENT USER jwks",
                "DeleteItem": "CHALLENGE OUTBOX jwks",
            ]) { $1 }, "methods": methods, "add-password": addPassword,
            "confirm-email": confirmEmail,
            "admin-login": adminLogin, "admin-logout": adminLogout, "housekeeping": housekeeping(),
            "audit": [
                "GetItem": "ADMINSESSION AUDITHEAD", "BatchGetItem": "AUDITHEAD USER",
                "Query": "AUDIT AUDITHEAD SIGNINGKEYS USERS", "PutItem": "ADMINSESSION",
            ],
            "import-users": listed(importUsers),
            "users": [
                "GetItem": "ADMINSESSION AUDITHEAD USER", "BatchGetItem": "AUDITHEAD USER",
                "Query": "EMAIL SIGNINGKEYS USERS",
                "PutItem": "ADMINSESSION AUDIT AUDITHEAD USER",
                "ConditionCheckItem": "USER",
            ],
        ],
        "shell": [
            "register": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL",
                "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD EMAIL RATE USER",
            ],
            "login": withRefreshRows(mailing(logIn)), "devices": devices,
            "refresh": [
                "GetItem": "AUDITHEAD RATE REFRESH", "BatchGetItem": "AUDITHEAD USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD RATE REFRESH SIGNINGKEYS USER",
                "DeleteItem": "USER",
            ],
            "signout": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD REFRESH USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD RATE USER", "DeleteItem": "USER",
            ],
            "forgot-password": forgotPassword, "reset-password": resetPassword,
            "change-password": withRefreshRows(changePassword), "housekeeping": upkeep,
            "totp": withRefreshRows(totp), "second-factor": withRefreshRows(secondFactor),
            "magic-link": magicLink, "confirm-email": confirmEmail,
            "signin": [
                "GetItem": "AUDITHEAD RATE",
                "BatchGetItem": "AUDITHEAD EMAIL IDENTITY SPENT USER jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem":
                    "AUDIT AUDITHEAD EMAIL IDENTITY OUTBOX RATE REFRESH SIGNINGKEYS SPENT USER "
                    + "jwks",
                "DeleteItem": "OUTBOX USER jwks", "ConditionCheckItem": "USER",
            ],
            // A link makes no account.
            "redeem-magic-link": redeemMagicLink(addingRowsOf: "REFRESH"),
            "export": exports(by: "EMAIL"),
            "audit": [
                "GetItem": "AUDITHEAD", "BatchGetItem": "USER",
                "Query": "AUDIT AUDITHEAD SIGNINGKEYS",
            ],
            "import-users": importUsers,
            "authorizer": verification,
        ],
        "whateat": [
            "signin": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD IDENTITY SPENT USER jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD IDENTITY RATE SIGNINGKEYS SPENT USER jwks",
                "DeleteItem": "USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": refresh, "signout": signOut, "authorizer": verification,
            "audit": verifiesAudit, "export": exports(by: "EMAIL"),
        ],
        // No sessions, so no signing keys, and only leases of key sets are deleted.
        "photolala": [
            "signin": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD IDENTITY SPENT USER jwks",
                "Query": "USER", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD IDENTITY RATE SPENT USER jwks",
                "DeleteItem": "jwks", "ConditionCheckItem": "USER",
            ],
            "audit": verifiesAudit, "export": exports(by: "EMAIL"),
        ],
        // Refresh tokens are found by their hash, and addresses are claimed.
        "livlogios": [
            "signin": [
                "GetItem": "AUDITHEAD RATE",
                "BatchGetItem": "AUDITHEAD EMAIL IDENTITY SPENT USER jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
                "PutItem":
                    "AUDIT AUDITHEAD EMAIL IDENTITY RATE REFRESH SEALED SIGNINGKEYS SPENT USER jwks",
                "DeleteItem": "USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": [
                "GetItem": "AUDITHEAD RATE REFRESH", "BatchGetItem": "AUDITHEAD USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD RATE REFRESH SIGNINGKEYS USER",
                "DeleteItem": "USER",
            ],
            "signout": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD REFRESH USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD RATE", "DeleteItem": "USER",
            ],
            "me": verification, "register": register,
            "verify-email": withRefreshRows(verifyEmail),
            "resend-verification": resendVerification, "login": withRefreshRows(logIn),
            "forgot-password": forgotPassword, "reset-password": removing(resetPassword),
            "change-password": withRefreshRows(changePassword),
            "link": link, "methods": withRefreshRows(methods), "add-password": addPassword,
            "delete-account": deleteAccount(frees: "EMAIL IDENTITY REFRESH"),
            "apple-notifications": appleNotifications(frees: "EMAIL IDENTITY"),
            "housekeeping": housekeeping(frees: "REFRESH"), "audit": verifiesAudit,
            "export": exports(by: "EMAIL"),
        ],
        // Integer ids are counted, and refresh tokens are not replaced.
        "news_app": [
            "signin": [
                "GetItem": "AUDITHEAD PUBLICID RATE",
                "BatchGetItem": "AUDITHEAD EMAIL IDENTITY SPENT USER jwks",
                "Query": "SIGNINGKEYS USER", "UpdateItem": "PUBLICID RATE",
                "PutItem":
                    "AUDIT AUDITHEAD EMAIL IDENTITY PUBLICID RATE SIGNINGKEYS SPENT USER USERS "
                    + "jwks",
                "DeleteItem": "USER jwks", "ConditionCheckItem": "USER",
            ],
            "refresh": [
                "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER",
                "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
                "PutItem": "AUDIT AUDITHEAD RATE SIGNINGKEYS USER",
            ],
            "export": exports(by: "EMAIL PUBLICID"),
            "audit": verifiesAudit.merging([
                "BatchGetItem": "AUDITHEAD", "Query": "AUDIT AUDITHEAD USERS",
            ]) { $1 },
            "me": verification, "admin-login": adminLogin, "admin-logout": adminLogout,
            "users": [
                "GetItem": "ADMINSESSION AUDITHEAD PUBLICID USER",
                "BatchGetItem": "AUDITHEAD USER", "Query": "EMAIL USERS",
                "PutItem": "ADMINSESSION AUDIT AUDITHEAD USER",
            ],
        ],
    ]

    private static let register = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD OUTBOX RATE REGISTRATION", "DeleteItem": "OUTBOX",
    ]
    private static let verifyEmail = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "EMAIL REGISTRATION", "Query": "SIGNINGKEYS",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD EMAIL RATE SIGNINGKEYS USER",
        "DeleteItem": "REGISTRATION",
    ]
    private static let resendVerification = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL", "Query": "REGISTRATION",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD DECOY OUTBOX RATE REGISTRATION",
        "DeleteItem": "OUTBOX",
    ]
    private static let logIn = [
        "GetItem": "AUDITHEAD EMAIL RATE", "BatchGetItem": "AUDITHEAD USER",
        "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD RATE SIGNINGKEYS USER", "DeleteItem": "USER",
        "ConditionCheckItem": "USER",
    ]
    private static let forgotPassword = [
        "GetItem": "AUDITHEAD EMAIL RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "USER",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD DECOY OUTBOX RATE USER",
        "DeleteItem": "OUTBOX",
    ]
    private static let resetPassword = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD OUTBOX RATE USER", "DeleteItem": "IDENTITY OUTBOX USER",
    ]
    private static let changePassword = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "SIGNINGKEYS",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD OUTBOX RATE SIGNINGKEYS USER",
        "DeleteItem": "OUTBOX USER",
    ]
    private static let totp = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "SIGNINGKEYS",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD OUTBOX RATE SEALED SIGNINGKEYS USER",
        "DeleteItem": "OUTBOX USER",
    ]
    private static let secondFactor = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER",
        "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD OUTBOX RATE SIGNINGKEYS USER",
        "DeleteItem": "OUTBOX USER", "ConditionCheckItem": "USER",
    ]
    private static let devices = [
        "GetItem": "AUDITHEAD", "BatchGetItem": "AUDITHEAD USER", "Query": "SIGNINGKEYS USER",
        "PutItem": "AUDIT AUDITHEAD USER", "DeleteItem": "USER",
    ]
    private static let link = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD IDENTITY SPENT USER jwks",
        "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD IDENTITY OUTBOX RATE SEALED SPENT USER jwks",
        "DeleteItem": "OUTBOX jwks", "ConditionCheckItem": "USER",
    ]
    private static let methods = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "SIGNINGKEYS",
        "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD DELETION OUTBOX RATE SIGNINGKEYS USER",
        "DeleteItem": "IDENTITY OUTBOX USER",
    ]
    private static let addPassword = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL USER",
        "Query": "SIGNINGKEYS", "UpdateItem": "RATE",
        "PutItem": "AUDIT AUDITHEAD DECOY EMAIL OUTBOX RATE USER",
        "DeleteItem": "EMAIL OUTBOX USER", "ConditionCheckItem": "EMAIL USER",
    ]
    private static let confirmEmail = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "SIGNINGKEYS",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD OUTBOX RATE USER",
        "DeleteItem": "OUTBOX USER",
    ]
    private static let magicLink = [
        "GetItem": "AUDITHEAD EMAIL RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "USER",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD DECOY MAGICLINK OUTBOX RATE",
        "DeleteItem": "OUTBOX",
    ]
    private static func redeemMagicLink(addingRowsOf rows: String) -> [String: String] {
        [
            "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD EMAIL MAGICLINK USER",
            "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE",
            "PutItem": joined("AUDIT AUDITHEAD OUTBOX RATE SIGNINGKEYS USER", rows),
            "DeleteItem": "IDENTITY MAGICLINK OUTBOX USER", "ConditionCheckItem": "USER",
        ]
    }
    /// Housekeeping where accounts are not deleted.
    private static let upkeep = [
        "GetItem": "AUDITHEAD MASTERKEY USER", "BatchGetItem": "AUDITHEAD",
        "Query": "AUDITHEAD OUTBOX SEALED SIGNINGKEYS",
        "PutItem": "AUDIT AUDITHEAD MASTERKEY OUTBOX SEALED SIGNINGKEYS USER",
        "DeleteItem": "OUTBOX SEALED", "ConditionCheckItem": "USER",
    ]

    /// Where only a direct invocation asks for the audit log.
    private static let verifiesAudit = ["GetItem": "AUDITHEAD", "Query": "AUDIT AUDITHEAD"]

    private static let importUsers = [
        "GetItem": "AUDITHEAD", "PutItem": "AUDIT AUDITHEAD EMAIL USER",
    ]

    /// Where a sign-in on a new device is told by mail.
    private static func mailing(_ actions: [String: String]) -> [String: String] {
        var actions = actions
        for action in ["PutItem", "DeleteItem"] {
            actions[action] = actions[action].map { partitions in
                (partitions.split(separator: " ") + ["OUTBOX"]).sorted().joined(separator: " ")
            }
        }
        return actions
    }

    /// Where the tokens of an identity that goes are revoked by housekeeping.
    private static func removing(_ actions: [String: String]) -> [String: String] {
        var actions = actions
        actions["PutItem"] = actions["PutItem"].map { joined($0, "DELETION") }
        return actions
    }

    /// - Parameter rows: those elsewhere that are deleted with an account.
    private static func deleteAccount(frees rows: String) -> [String: String] {
        [
            "GetItem": "AUDITHEAD IDENTITY USER", "BatchGetItem": "AUDITHEAD USER",
            "Query": "REGISTRATION SEALED SIGNINGKEYS USER",
            "PutItem": "AUDIT AUDITHEAD DELETION OUTBOX USER",
            "DeleteItem": joined("DELETION OUTBOX REGISTRATION SEALED USER", rows),
        ]
    }
    private static func housekeeping(frees rows: String = "") -> [String: String] {
        [
            "GetItem": "AUDITHEAD IDENTITY MASTERKEY USER", "BatchGetItem": "AUDITHEAD",
            "Query": "AUDITHEAD DELETION OUTBOX REGISTRATION SEALED SIGNINGKEYS USER",
            "PutItem": "AUDIT AUDITHEAD DELETION MASTERKEY OUTBOX SEALED SIGNINGKEYS USER",
            "DeleteItem": joined("DELETION OUTBOX REGISTRATION SEALED USER", rows),
            "ConditionCheckItem": "USER",
        ]
    }

    private static func appleNotifications(frees rows: String) -> [String: String] {
        [
            "GetItem": "AUDITHEAD NOTIFICATION RATE",
            "BatchGetItem": "AUDITHEAD IDENTITY NOTIFICATION USER jwks", "Query": "USER",
            "UpdateItem": "RATE",
            "PutItem": "AUDIT AUDITHEAD DELETION NOTIFICATION OUTBOX RATE USER jwks",
            "DeleteItem": joined("OUTBOX USER jwks", rows),
        ]
    }

    private static func joined(_ some: String, _ others: String) -> String {
        (some.split(separator: " ") + others.split(separator: " ")).sorted()
            .joined(separator: " ")
    }

    /// Where refresh tokens are found by a row of theirs.
    private static func withRefreshRows(_ actions: [String: String]) -> [String: String] {
        var actions = actions
        actions["PutItem"] = actions["PutItem"].map { partitions in
            (partitions.split(separator: " ") + ["REFRESH"]).sorted().joined(separator: " ")
        }
        return actions
    }

    /// Where administrators can list the accounts.
    private static func listed(_ actions: [String: String]) -> [String: String] {
        var actions = actions
        actions["PutItem"]? += " USERS"
        return actions
    }

    /// - Parameter rows: those that lead from what names a user to the account.
    private static func exports(by rows: String) -> [String: String] {
        ["GetItem": rows, "Query": "AUDIT USER"]
    }

    private static let verification = ["BatchGetItem": "USER", "Query": "SIGNINGKEYS"]
    private static let refresh = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER", "Query": "SIGNINGKEYS",
        "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD RATE SIGNINGKEYS USER",
        "DeleteItem": "USER",
    ]
    private static let adminLogin = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD", "UpdateItem": "RATE",
        "PutItem": "ADMINSESSION AUDIT AUDITHEAD RATE",
        "DeleteItem": "ADMINSESSION",
    ]
    private static let adminLogout = [
        "GetItem": "AUDITHEAD", "PutItem": "AUDIT AUDITHEAD", "DeleteItem": "ADMINSESSION",
    ]
    private static let signOut = [
        "GetItem": "AUDITHEAD RATE", "BatchGetItem": "AUDITHEAD USER",
        "Query": "SIGNINGKEYS USER", "UpdateItem": "RATE", "PutItem": "AUDIT AUDITHEAD RATE USER",
        "DeleteItem": "USER",
    ]
}
