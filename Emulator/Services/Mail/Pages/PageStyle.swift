internal import HTML

/// The style of the mailbox's pages.
enum PageStyle {
    static let css: HTML = """
        *{box-sizing:border-box}
        body{margin:0;background:var(--page);color:var(--ink);
        font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
        a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
        .bar,.main{max-width:60rem;margin:0 auto;padding:0 1.25rem}
        .bar{display:flex;align-items:center;gap:1rem;padding-top:1.5rem;padding-bottom:1rem;
        flex-wrap:wrap}
        .bar h1{font-size:1.25rem;margin:0;letter-spacing:-.01em}
        .count{color:var(--soft);font-size:.85rem}.space{flex:1}
        input{font:inherit;padding:.4rem .7rem;border:1px solid var(--line);border-radius:.5rem;
        background:var(--card);color:inherit;min-width:0;flex:1 1 8rem}
        button,.button{font:inherit;font-size:.85rem;padding:.4rem .8rem;cursor:pointer;
        border:1px solid var(--line);border-radius:.5rem;background:var(--card);color:inherit}
        button:hover,.button:hover{border-color:var(--soft);text-decoration:none}
        .danger{color:var(--bad)}form{margin:0;display:flex;flex-wrap:wrap;gap:.5rem;min-width:0}
        .card{background:var(--card);border:1px solid var(--line);border-radius:.8rem;
        overflow:hidden;margin-bottom:1.25rem}
        .row{display:grid;grid-template-columns:minmax(9rem,15rem) 1fr auto;gap:1rem;
        padding:.75rem 1.1rem;border-top:1px solid var(--line);color:inherit;align-items:baseline}
        .row:first-child{border-top:0}.row:hover{background:var(--tint);text-decoration:none}
        .who,.what{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
        .who{font-weight:600}.what span{color:var(--soft);margin-left:.5rem}
        .when{color:var(--soft);font-size:.8rem;white-space:nowrap;
        font-variant-numeric:tabular-nums}
        .tag{display:inline-block;font-size:.72rem;line-height:1.5;padding:0 .45rem;
        border-radius:.4rem;background:var(--tint);color:var(--accent);margin-right:.4rem;
        font-weight:500;font-style:normal}
        .tag.bad{background:var(--bad-tint);color:var(--bad)}
        .empty{padding:3.5rem 1.5rem;text-align:center;color:var(--soft)}
        .empty b{display:block;color:var(--ink);font-size:1.05rem;margin-bottom:.3rem}
        .inside{padding:1.25rem 1.4rem}.inside h2{margin:0 0 .8rem;font-size:1.35rem;
        line-height:1.3;overflow-wrap:anywhere}
        dl{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1rem;margin:0}
        dt{color:var(--soft);font-size:.85rem}dd{margin:0;overflow-wrap:anywhere}
        .found{display:flex;flex-wrap:wrap;gap:.5rem;padding:1rem 1.4rem;
        border-top:1px solid var(--line)}
        .code{font:600 1.25rem/1.3 ui-monospace,Menlo,Consolas,monospace;letter-spacing:.12em;
        padding:.3rem .8rem;border-radius:.5rem;background:var(--tint);color:var(--accent)}
        .link{flex-basis:100%;overflow-wrap:anywhere;font-size:.9rem}
        h3{font-size:.8rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);
        margin:0;padding:.8rem 1.4rem;border-bottom:1px solid var(--line);font-weight:600}
        pre{margin:0;padding:1.1rem 1.4rem;white-space:pre-wrap;overflow-wrap:anywhere;
        font:13.5px/1.55 ui-monospace,Menlo,Consolas,monospace}
        iframe{display:block;width:100%;height:32rem;border:0;background:#fff}
        .note{padding:.7rem 1.4rem;background:var(--bad-tint);color:var(--bad);font-size:.9rem}
        details summary{cursor:pointer;padding-left:1.4rem}details[open] pre{border-top:1px solid var(--line)}
        summary h3{display:inline-block;border:0;padding-left:.3rem}
        h3+.row{border-top:0}.row{padding-left:1.4rem;padding-right:1.4rem}
        @media(max-width:40rem){.row{grid-template-columns:1fr auto;gap:.1rem .8rem}
        .what{grid-column:1/-1;grid-row:2}}
        """
}

extension HTML {
    static func page(_ title: String, _ body: (inout HTML) -> Void) -> String {
        var content = HTML()
        body(&content)
        return document(title: title, style: PageStyle.css, body: content).text
    }
}
