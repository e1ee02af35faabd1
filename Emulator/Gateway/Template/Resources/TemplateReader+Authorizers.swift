internal import Bytes
internal import EmulatorBase
internal import JSON

extension TemplateReader {
    func httpAuthorizer(
        _ name: String, _ section: TemplateSection
    ) throws(TemplateFailure) -> (authorizer: Authorizer, scopes: [String]) {
        defer { section.finish() }
        let scopes = try section.texts("AuthorizationScopes") ?? []
        if let jwt = try section.section("JwtConfiguration") {
            defer { jwt.finish() }
            // SAM accepts both spellings.
            let lower = try jwt.text("issuer")
            let upper = try jwt.text("Issuer")
            let lowerAudiences = try jwt.texts("audience")
            let audiences = try jwt.texts("Audience") ?? lowerAudiences ?? []
            guard let issuer = lower ?? upper else {
                throw TemplateFailure(jwt.path("issuer"), .missing)
            }
            let expression =
                try section.text("IdentitySource") ?? "$request.header.Authorization"
            guard let source = IdentitySource(parsing: expression) else {
                throw section.wrong("IdentitySource", "such as $request.header.Authorization")
            }
            let authorizer = JWTAuthorizer(
                issuer: issuer, audiences: audiences, identitySource: source)
            return (Authorizer(name: name, kind: .jwt(authorizer)), scopes)
        }
        section.ignore("FunctionInvokeRole", "EnableFunctionDefaultPermissions")
        let function = try functionName(section)
        let isSimple = try section.flag("EnableSimpleResponses") ?? false
        let form: LambdaAuthorizer.Form
        switch try section.requiredText("AuthorizerPayloadFormatVersion") {
        case "2.0", "2": form = .request2(isSimple: isSimple)
        case "1.0", "1": form = .request1
        default: throw section.wrong("AuthorizerPayloadFormatVersion", "1.0 or 2.0")
        }
        var authorizer = LambdaAuthorizer(function: function, form: form, identitySources: [])
        if let identity = try section.section("Identity") {
            defer { identity.finish() }
            authorizer.identitySources = try identitySources(identity)
            authorizer.cacheSeconds = try identity.integer("ReauthorizeEvery", in: 0...3600) ?? 0
        }
        guard authorizer.cacheSeconds == 0 || !authorizer.identitySources.isEmpty else {
            throw TemplateFailure(
                section.path("Identity"), .invalid("caching needs an identity source"))
        }
        return (Authorizer(name: name, kind: .lambda(authorizer)), scopes)
    }

    /// nil for unsupported kinds.
    func restAuthorizer(
        _ name: String, _ section: TemplateSection
    ) throws(TemplateFailure) -> Authorizer? {
        defer { section.finish() }
        guard section.json("UserPoolArn") == nil else {
            section.unsupported("UserPoolArn", "the emulator has no Cognito; every call is refused")
            section.ignore("Identity", "AuthorizationScopes")
            return nil
        }
        section.ignore(
            "FunctionInvokeRole", "DisableFunctionDefaultPermissions", "AuthorizationScopes")
        let type = try section.text("FunctionPayloadType") ?? "TOKEN"
        let isToken = type.isSame(as: "TOKEN")
        guard isToken || type.isSame(as: "REQUEST") else {
            throw section.wrong("FunctionPayloadType", "TOKEN or REQUEST")
        }
        var authorizer = LambdaAuthorizer(
            function: try functionName(section), form: isToken ? .token : .request1,
            identitySources: isToken ? [.header("Authorization")] : [], cacheSeconds: 300)
        guard let identity = try section.section("Identity") else {
            return Authorizer(name: name, kind: .lambda(authorizer))
        }
        defer { identity.finish() }
        authorizer.cacheSeconds = try identity.integer("ReauthorizeEvery", in: 0...3600) ?? 300
        if isToken {
            if let header = try identity.text("Header") {
                authorizer.identitySources = [.header(header)]
            }
            authorizer.tokenPattern = try identity.text("ValidationExpression")
            if let pattern = authorizer.tokenPattern, (try? Regex(pattern)) == nil {
                identity.unsupported(
                    "ValidationExpression", "the emulator cannot read this pattern")
                authorizer.tokenPattern = nil
            }
        } else {
            authorizer.identitySources = try identitySources(identity)
        }
        return Authorizer(name: name, kind: .lambda(authorizer))
    }

    private func identitySources(_ identity: TemplateSection) throws(TemplateFailure)
        -> [IdentitySource]
    {
        var sources: [IdentitySource] = []
        sources += (try identity.texts("Headers") ?? []).map { .header($0) }
        sources += (try identity.texts("QueryStrings") ?? []).map { .query($0) }
        sources += (try identity.texts("Context") ?? []).map { .context($0) }
        sources += (try identity.texts("StageVariables") ?? []).map { .stageVariable($0) }
        return sources
    }

    private func functionName(_ section: TemplateSection) throws(TemplateFailure) -> FunctionName {
        guard let name = FunctionName(arn: try section.requiredText("FunctionArn")) else {
            throw section.wrong("FunctionArn", "the ARN of a function")
        }
        return name
    }

    /// A route with an unknown authorizer would be open to everyone, so this is an error.
    func checkAuthorizers() throws(TemplateFailure) {
        for api in template.apis {
            for route in api.routes {
                guard case .authorizer(let name, _) = route.authorization,
                    !api.authorizers.contains(where: { $0.name.isSame(as: name) })
                else { continue }
                log.warn(
                    "Resources.\(api.logicalID)",
                    "\(route.key) needs the authorizer \(name), which does not exist: every call "
                        + "is refused")
            }
            for authorizer in api.authorizers {
                guard case .lambda(let lambda) = authorizer.kind,
                    !template.functions.contains(where: { $0.name == lambda.function }),
                    !settings.earlier.functions.contains(lambda.function)
                else { continue }
                let templates =
                    settings.earlier.isEmpty ? "this template" : "this template or one before it"
                log.warn(
                    "Resources.\(api.logicalID)",
                    "the function \(lambda.function) of the authorizer \(authorizer.name) is not "
                        + "in \(templates): every call fails")
            }
        }
    }
}

extension FunctionName {
    /// `arn:aws:lambda:…:function:NAME[:QUALIFIER]`, also inside an invocation path; or a name.
    package init?(arn: String) {
        let marks = arn.pieces(at: ":")
        if marks.count == 1 {
            guard !arn.isEmpty else { return nil }
            self.init(arn)
            return
        }
        guard let index = marks.lastIndex(where: { $0.isSame(as: "function") }),
            index + 1 < marks.count
        else { return nil }
        let name = marks[index + 1].halves(at: "/").first
        guard !name.isEmpty else { return nil }
        self.init(name)
    }
}
