internal import HTML

/// The common frame of all pages. No external resources, no script.
struct PageFrame {
    let title: String
    let content: HTML

    var html: HTML {
        HTML.document(
            title: title, style: Self.style,
            body: """
                <main>
                \(content)
                </main>
                <footer>Latchkey emulator. No real account is used and no password is \
                needed.</footer>
                """)
    }

    private static let style: HTML = """
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;
        justify-content:center;gap:16px;padding:24px 16px;background:var(--page);color:var(--ink);
        font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
        main{width:100%;max-width:440px;padding:32px;background:var(--card);
        border:1px solid var(--line);border-radius:16px;box-shadow:0 8px 28px rgb(0 0 0/.07)}
        footer{max-width:440px;font-size:13px;color:var(--soft);text-align:center;
        text-wrap:balance}
        h1{margin:0;font-size:24px;line-height:1.25;letter-spacing:-.01em}
        p{margin:8px 0 0;overflow-wrap:anywhere;text-wrap:pretty}
        .app{font-weight:600}
        .soft{color:var(--soft)}
        fieldset{margin:24px 0 0;padding:0;border:0;min-width:0}
        legend{padding:0;margin-bottom:8px;font-size:14px;font-weight:600;color:var(--soft)}
        .choice{display:grid;grid-template-columns:auto auto 1fr;align-items:center;gap:0 12px;
        padding:12px;border:1px solid var(--line);border-radius:12px;cursor:pointer}
        .choice+.choice{margin-top:8px}
        .choice:hover{background:var(--tint)}
        .choice:has(input:checked){border-color:var(--accent);background:var(--tint);
        box-shadow:inset 0 0 0 1px var(--accent)}
        .choice:has(input:focus-visible){outline:2px solid var(--accent);outline-offset:2px}
        input[type=radio]{width:18px;height:18px;margin:0;accent-color:var(--accent)}
        .face{display:grid;place-items:center;width:36px;height:36px;border-radius:50%;
        background:var(--accent);color:var(--on-accent);font-size:15px;font-weight:600}
        .face.none{background:none;border:1.5px dashed var(--field);color:var(--soft)}
        .who{min-width:0;overflow-wrap:anywhere;line-height:1.35}
        .who small{display:block;font-size:14px;color:var(--soft)}
        .two{grid-template-columns:auto 1fr}
        .new{display:none;gap:12px;padding:12px 4px 0}
        fieldset:has(.other:checked) .new{display:grid}
        @supports not selector(:has(*)){.new{display:grid}}
        .new label{display:grid;gap:4px;font-size:14px;color:var(--soft)}
        .new input{width:100%;padding:10px 12px;border:1px solid var(--field);border-radius:8px;
        background:var(--card);color:var(--ink);font:inherit}
        .new input:focus-visible,button:focus-visible{outline:2px solid \
        var(--accent);outline-offset:2px}
        .asks{margin-top:24px;padding:16px;border-radius:12px;background:var(--page);font-size:15px}
        .asks p{margin:0;font-weight:600;font-size:14px;color:var(--soft)}
        .asks ul{margin:4px 0 0;padding-left:20px}
        .problem{margin-top:16px;padding:12px 16px;border-radius:12px;background:var(--bad-tint);
        color:var(--bad)}
        .problem+.soft{margin-top:16px}
        .actions{display:flex;flex-direction:row-reverse;gap:12px;margin-top:28px}
        button{flex:1;min-height:48px;padding:0 16px;border:1px solid \
        var(--field);border-radius:12px;
        background:none;color:var(--ink);font:inherit;font-weight:600;cursor:pointer}
        button.main{border-color:var(--accent);background:var(--accent);color:var(--on-accent)}
        button:hover{filter:brightness(1.08)}
        code{font:14px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
        @media(max-width:420px){main{padding:24px 20px}.actions{flex-direction:column}
        button{flex:none}.choice{gap:0 8px;padding:12px 10px}.face{width:32px;height:32px}}
        """
}
