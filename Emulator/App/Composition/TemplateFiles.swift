internal import Bytes
internal import EmulatorBase
package import EmulatorGateway
internal import EmulatorLambda
internal import EmulatorThirdParties
internal import JSON

/// The files of `--template`: stacks of one account, deployed in their order.
package struct TemplateFiles: Sendable {
    private let files: [TemplateFile]
    /// Parameters from the command line, which override those in the templates' `Metadata`.
    private let parameters: [(name: String, value: String)]

    package init(_ paths: [String], parameters: [(name: String, value: String)]) {
        files = paths.map { TemplateFile(path: $0) }
        self.parameters = parameters
    }

    /// The stamps change when a file changes.
    var stamps: [FileStamp?] { files.map(\.stamp) }

    package func read(_ addresses: EmulatorAddresses) throws -> LoadedTemplate {
        let open = try files.map { try $0.open() }
        try checkParameters(open)
        var stacks: [Stack] = []
        for one in open {
            let settings = settings(of: one, after: stacks, addresses)
            let stack = Stack(open: one, settings: settings, template: try one.template(settings))
            try check(stack, after: stacks)
            stacks.append(stack)
        }
        let joined = Template(joining: stacks.map(\.template))
        return LoadedTemplate(
            template: joined, settings: stacks.first?.settings ?? TemplateSettings(),
            examples: open.flatMap(\.metadata.examples),
            otherFixtures: open.compactMap(\.metadata.otherFixtures).first,
            problems: stacks.flatMap { $0.warnings(areRefused: true) },
            warnings: stacks.flatMap { $0.warnings(areRefused: false) }
                + Self.hiddenRoutes(of: joined, in: stacks))
    }

    /// The identity providers are read once, at the start, so changes need a restart.
    func identityConfiguration() throws -> IdentityConfiguration {
        let given = try files.map { try $0.open() }.filter { $0.metadata.identity != nil }
        guard let one = given.first, let identity = one.metadata.identity else { return .standard }
        guard given.count == 1 else {
            throw CommandFailure(
                "\(given[1].at("Metadata.Emulator.Identity")): Metadata.Emulator.Identity is in "
                    + "\(one.at("Metadata.Emulator.Identity")) too; only one template can have it")
        }
        do throws(DefinitionFailure) {
            return try IdentityConfiguration(.object(identity))
        } catch {
            throw CommandFailure("\(one.file.path): Metadata.Emulator.Identity: \(error.text)")
        }
    }

    private struct Stack {
        let open: OpenTemplate
        package let settings: TemplateSettings
        package let template: Template

        func warnings(areRefused: Bool) -> [String] {
            template.warnings.filter { $0.isRefused == areRefused }
                .map { "\(open.file.at($0.place)): \($0)" }
        }
    }

    private func checkParameters(_ templates: [OpenTemplate]) throws {
        let known = templates.flatMap(\.parameters)
        for (name, _) in parameters where !known.contains(where: { $0.isSame(as: name) }) {
            var names: [String] = []
            for name in known where !names.contains(where: { $0.isSame(as: name) }) {
                names.append(name)
            }
            throw CommandFailure(
                "--parameter \(name): no template has this parameter. Parameters: "
                    + (names.isEmpty ? "none" : names.joined(separator: ", ")))
        }
    }

    private func settings(
        of open: OpenTemplate, after stacks: [Stack], _ addresses: EmulatorAddresses
    ) -> TemplateSettings {
        let ofPlayground = addresses.playgroundURL == nil ? [] : open.metadata.playground
        let usual = Self.overridden(open.metadata.parameters, by: ofPlayground)
        let own = parameters.filter { given in
            open.parameters.contains { $0.isSame(as: given.name) }
        }.map { given in
            guard open.metadata.lists.contains(given.name), !given.value.isEmpty,
                let list = usual.first(where: { $0.name.isSame(as: given.name) })
            else { return given }
            let added = given.value.pieces(at: ",")
            let others = list.value.pieces(at: ",").filter { !added.containsText($0) }
            return (given.name, (added + others).joined(separator: ","))
        }
        let isSecret = { (name: String) in open.secrets.contains { $0.isSame(as: name) } }
        let all = Self.overridden(usual.filter { !isSecret($0.name) }, by: own)
        var settings = TemplateSettings(
            accountID: AWSAccount.id, region: AWSAccount.region, baseURL: addresses.appURL,
            issuerURL: addresses.issuerURL, directory: open.file.directory,
            parameters: all.map { ($0.name, addresses.filled(intoValue: $0.value)) })
        settings.secrets = usual.filter { isSecret($0.name) }
            .map { ($0.name, addresses.filled(intoValue: $0.value)) }
        guard !stacks.isEmpty else { return settings }
        settings.stackName = Self.unique(
            open.file.stackName, among: stacks.map(\.settings.stackName))
        for stack in stacks {
            settings.earlier.functions += stack.template.functions.map(\.name)
            settings.earlier.exports += stack.template.exports.map { ($0.name, $0.value) }
        }
        return settings
    }

    private static func overridden(
        _ usual: [(name: String, value: String)], by own: [(name: String, value: String)]
    ) -> [(name: String, value: String)] {
        usual.filter { usual in !own.contains { $0.name.isSame(as: usual.name) } } + own
    }

    private static func unique(_ name: String, among others: [String]) -> String {
        var candidate = name
        var count = 1
        while others.contains(where: { $0.isSame(as: candidate) }) {
            count += 1
            candidate = "\(name)-\(count)"
        }
        return candidate
    }

    private func check(_ stack: Stack, after stacks: [Stack]) throws {
        for earlier in stacks {
            guard let conflict = stack.template.conflict(with: earlier.template) else { continue }
            let place = stack.open.at(conflict.path)
            let earlierPlace = earlier.open.at(conflict.earlierPath)
            throw CommandFailure(
                "\(place): the \(conflict.kind.rawValue) \(conflict.name) is in \(earlierPlace) "
                    + "too; give one of them another \(conflict.kind.property)")
        }
    }

    /// Warnings about routes that another stack's routes hide. On AWS, each API has its own
    /// address.
    private static func hiddenRoutes(of joined: Template, in stacks: [Stack]) -> [String] {
        joined.routes.compactMap { listed in
            guard let hidden = listed.hidden else { return nil }
            return "\(place(of: listed.route, in: stacks)): \(listed.route.key) is a route of "
                + "\(place(of: hidden, in: stacks)) too, which is served here; this one is below "
                + "\(Gateway.apiPrefix)\(listed.api.id)/"
        }
    }

    private static func place(of route: APIRoute, in stacks: [Stack]) -> String {
        let stack = stacks.first { stack in
            stack.template.functions.contains { $0.name == route.function }
        }
        return stack.map { $0.open.at(route.path) } ?? route.path
    }
}

/// The templates of a running emulator, joined.
package struct LoadedTemplate: Sendable {
    package let template: Template
    /// The settings of the first template; account, region and addresses are the same for all.
    package let settings: TemplateSettings
    /// Example commands to print, with titles.
    package let examples: [(title: String, command: String)]
    let otherFixtures: OtherFixtures?
    /// What AWS refuses, each with its position.
    package let problems: [String]
    /// The other warnings, each with its position.
    package let warnings: [String]
}
