internal import AuthOperations
internal import Bytes
internal import Contracts

extension AdminTexts {
    /// The message for a refused request. Errors that no page of this server can cause have the
    /// English text that other clients get.
    func problem(_ error: APIError, _ response: ErrorResponse) -> String {
        if let text = signIn.problem(error) { return text }
        switch error {
        case .request(let error): return problem(error) ?? response.message
        case .auth(.oauth(.unacceptable(let problem))):
            let member = AdminLook.label(of: problem.member).map { self($0) } ?? problem.member
            guard let rule = rule(problem) else {
                return self(.problemMember, "member", member, "rule", problem.rule)
            }
            return self(.problemRule, "member", member, "rule", rule)
        case .auth(let error): return Self.problem(error).map { self($0) } ?? response.message
        }
    }

    /// The rule that a description of an app breaks; nil for one that no page can cause.
    func rule(_ problem: ClientMetadata.Problem) -> String? {
        typealias Rule = ClientMetadata.Problem.Rule
        if problem.member.isSame(as: ClientMetadata.algorithmName),
            problem.rule.hasPrefix(Rule.algorithm)
        {
            let names = problem.rule.dropFirst(Rule.algorithm.count).split(separator: " ")
                .filter { $0 != "or" }.joined(separator: " \(self(.ruleOr)) ")
            return self(.ruleAlgorithm, "names", names)
        }
        if let unknown = problem.unknownScope {
            let names = unknown.known.joined(separator: ", ")
            return self(.ruleScope, "scope", unknown.scope, "names", names)
        }
        let rules: [(String, AdminText)] = [
            (Rule.name, .ruleName), (Rule.redirectURI, .ruleUri), (Rule.profile, .ruleProfile),
            (Rule.proofs, .ruleProofs), (Rule.resource, .ruleResource),
            (Rule.stored, .ruleStored),
        ]
        return rules.first { $0.0.isSame(as: problem.rule) }.map { self($0.1) }
    }

    private func problem(_ error: RequestError) -> String? {
        switch error {
        case .notFound: self(.problemNotFound)
        case .foreignForm: self(.problemForm)
        case .invalidField(_, .notEmailAddress): self(.problemEmail)
        case .invalidField(let name, .tooLong(let count)):
            self(.problemLong, "field", signIn.field(name), "count", "\(count)")
        case .invalidField(let name, .notOneOf(let choices)):
            self(
                .problemChoice, "field", signIn.field(name), "choices",
                choices.joined(separator: ", "))
        default: nil
        }
    }

    private static func problem(_ error: AuthError) -> AdminText? {
        switch error {
        case .administration(.userNotFound): .problemUser
        case .administration(.ownAccount): .problemOwn
        case .accessToken(.administratorsOnly): .problemRole
        case .session(.stepUpRequired): .problemProof
        case .account(.emailTaken): .problemTaken
        case .account(.disabled): .problemDisabled
        case .account(.guest): .problemGuest
        case .method(.last): .problemLastMethod
        case .method(.notFound): .problemMethod
        case .emailLink(.noAddress): .problemNoEmail
        case .emailLink(.alreadyVerified): .problemVerified
        case .secondFactor(.notEnabled): .problemNoFactor
        case .password(.notSet): .problemNoPassword
        case .hook(.refused(.beforeSignUp, _)): .problemSignUp
        case .oauth(.clientNotFound): .problemClient
        case .oauth(.configuredClient): .problemConfigured
        case .oauth(.notGranted): .problemApplication
        default: nil
        }
    }
}
