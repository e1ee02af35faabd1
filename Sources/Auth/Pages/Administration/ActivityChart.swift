internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import HTML
internal import Time

/// Bars of sign-ins and refusals, as an image in the page. No script is needed.
struct ActivityChart {
    let title: AdminText
    let texts: AdminTexts
    let bars: [(from: Instant, counts: ActivityCounts)]
    /// The text for a time below the bars.
    let label: (Instant) -> String

    private static let (width, height) = (600, 120)

    var html: HTML {
        let total = bars.reduce(ActivityCounts()) { $0 + $1.counts }
        let highest = bars.map { max($0.counts.signIns, $0.counts.refusals) }.max() ?? 0
        let step = Self.width / max(1, bars.count)
        let shapes = bars.enumerated().map { index, bar in
            HTML(joining: [
                Self.bar(
                    "ok", bar.counts.signIns, of: highest, x: index * step, width: step / 2 - 1),
                Self.bar(
                    "not", bar.counts.refusals, of: highest, x: index * step + step / 2 - 1,
                    width: step / 2 - 1),
            ])
        }
        let most = texts(highest == 0 ? .chartNone : .chartHighest, "count", "\(highest)")
        let (first, last) = (
            bars.first.map { label($0.from) } ?? "", bars.last.map { label($0.from) } ?? ""
        )
        let counts = [
            texts.count(total.signIns, .countSignIn, .countSignIns),
            texts.count(total.refusals, .countRefusal, .countRefusals),
        ]
        let words = "\(texts(title)): \(counts.joined(separator: ", "))"
        // The caption has the colours of the bars.
        let caption: HTML = """
            \(texts(title)): <span class="ok">\(counts[0])</span>, \
            <span class="not">\(counts[1])</span>
            """
        return """
            <figure class="chart"><figcaption>\(caption)</figcaption>
            <svg viewBox="0 0 \(String(Self.width)) \(String(Self.height))" role="img" \
            aria-label="\(words)" preserveAspectRatio="none">
            \(HTML(joining: shapes))</svg>
            <p class="scale"><small>\(first)</small><small>\(most)</small>\
            <small>\(last)</small></p></figure>

            """
    }

    private static func bar(
        _ style: HTML, _ value: Int64, of highest: Int64, x: Int, width: Int
    ) -> HTML {
        guard value > 0 else { return HTML() }
        // The bar has a minimum height, so that a single request is visible next to thousands.
        let tall = max(2, Int(value * Int64(height) / highest))
        return """
            <rect class="\(style)" x="\(String(x))" y="\(String(height - tall))" \
            width="\(String(max(1, width)))" height="\(String(tall))"/>

            """
    }
}

extension AdminPage {
    /// The chart; empty in a function, because only servers count.
    func activityHTML() throws -> HTML {
        guard let hours = try auth.activity(by: .hour), let days = try auth.activity(by: .day)
        else { return HTML() }
        let refusals = (auth.activity?.refusals ?? []).map { refusal in
            HTML(
                """
                <li><span>\(refusal.operation)<small>\(String(refusal.status)) \(refusal.code)\
                </small></span>\(time(refusal.at))</li>

                """)
        }
        let day = ActivityChart(title: .chartDay, texts: texts, bars: hours) { $0.text("%H:%M") }
        let month = ActivityChart(
            title: .chartMonth, texts: texts, bars: days, label: texts.language.day)
        return """
            <div class="charts">
            \(day.html)\(month.html)</div>
            <p class="soft">\(texts(.chartAbout))</p>
            <details><summary>\(texts(.chartRefusals, "count", "\(refusals.count)"))</summary>
            <ul class="rows">
            \(HTML(joining: refusals))</ul></details>
            """
    }
}
