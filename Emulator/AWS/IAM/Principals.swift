internal import Bytes

/// The names by which policies can refer to the caller.
package struct PrincipalNames: Sendable, Equatable {
    package var account: String?
    /// A session has two ARNs: its own and its role's.
    package var arns: [String]
    /// `accounts.google.com`, or the ARN of an OpenID Connect provider.
    package var federated: [String]
    package var service: String?
    /// false if only the principal itself matches, and not its account.
    var countsAccount = true

    package init(
        account: String? = nil, arns: [String] = [], federated: [String] = [],
        service: String? = nil
    ) {
        self.account = account
        self.arns = arns
        self.federated = federated
        self.service = service
    }

    package static let anonymous = PrincipalNames()

    var withoutAccount: PrincipalNames {
        var names = self
        names.countsAccount = false
        return names
    }
}

/// `PolicyPrincipal` or `NotPrincipal`.
enum PrincipalChoice: Sendable, Equatable {
    case among([PolicyPrincipal])
    case except([PolicyPrincipal])

    func holds(for names: PrincipalNames) -> Bool {
        switch self {
        case .among(let principals): principals.contains { $0.matches(names) }
        case .except(let principals): !principals.contains { $0.matches(names) }
        }
    }
}

enum PolicyPrincipal: Sendable, Equatable {
    case everyone
    case account(String)
    case arn(String)
    case federated(String)
    case service(String)

    func matches(_ names: PrincipalNames) -> Bool {
        switch self {
        case .everyone: true
        case .account(let id): names.countsAccount && names.account?.isSame(as: id) ?? false
        case .arn(let arn): names.arns.contains(where: arn.isSame(as:))
        case .federated(let name): names.federated.contains(where: name.isSame(as:))
        case .service(let name): names.service?.isSame(as: name) ?? false
        }
    }

    /// An account is named by its number or by the ARN of its root user.
    init?(kind: String, name: String) {
        switch kind {
        case "AWS":
            let parts = name.split(separator: ":", omittingEmptySubsequences: false)
            if name == "*" {
                self = .everyone
            } else if name.utf8.count == 12, name.utf8.allSatisfy(\.isDigit) {
                self = .account(name)
            } else if parts.count == 6, parts[0] == "arn", parts[2] == "iam", parts[5] == "root" {
                self = .account(String(parts[4]))
            } else if parts.count >= 6, parts[0] == "arn", !name.utf8.contains(UInt8(ascii: "*")) {
                self = .arn(name)
            } else {
                return nil
            }
        case "Federated": self = .federated(name)
        case "Service": self = .service(name)
        case "CanonicalUser": self = .arn(name)
        default: return nil
        }
    }
}
