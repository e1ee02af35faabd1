internal import AuthOperations
internal import Bytes
internal import HTML

extension AdminPage {
    /// Every setting with its value, where that comes from, and what it switches.
    func settingsHTML() -> HTML {
        let groups = SettingsDocument.standard.groups.map(html)
        return """
            <h2>Settings</h2>
            <p class="soft">Of this process. Secrets are not shown. A change needs a restart.</p>
            \(HTML(joining: groups))
            """
    }

    private func html(_ group: SettingsDocument.Group) -> HTML {
        let rows = group.settings.map { setting in
            (setting, auth.setting(setting.name, isSecret: setting.isSecret))
        }
        let count = rows.count { $0.1 != nil }
        return """
            <details><summary>\(group.title) (\(String(count)) of \(String(rows.count)) \
            set)</summary>
            <dl>\(HTML(joining: rows.map(html)))</dl></details>

            """
    }

    private func html(
        _ setting: SettingsDocument.Setting, _ found: DeploymentSetting?
    ) -> HTML {
        let standard = setting.standard.isEmpty ? "" : ", so \(setting.standard)"
        let value: HTML =
            found.map { found in
                let text = found.value.map { HTML("<code>\($0)</code>") } ?? "<b>set</b>"
                return "\(text) <span class=\"tag\">\(found.source.title)</span>"
            } ?? "<span class=\"soft\">not set\(standard)</span>"
        return """
            <dt><code>\(setting.name)</code></dt><dd>\(value)\
            <small class="soft">\(setting.meaning)</small></dd>

            """
    }
}

extension DeploymentSetting.Source {
    fileprivate var title: String {
        switch self {
        case .environment: "environment"
        case .file: "file"
        case .credential: "systemd credential"
        case .standard: "default"
        }
    }
}
