// Keyboard shortcuts for frequent actions. They have no effect while somebody types.

export const keys = [
    ["g and a letter", "a screen: the letter is in its tooltip"],
    ["j, k", "the next row, the previous row"],
    ["Enter", "open the row"],
    ["Esc", "back to the list"],
    ["/", "search"],
    ["space", "pause, resume"],
    ["?", "these keys"],
];

export function listen({go, help, screen}) {
    let isGoing = false;
    addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        const target = event.target;
        const isTyping = target.matches("input, textarea, select, [contenteditable]");
        if (document.querySelector("dialog[open]")) return;
        if (event.key === "Escape") {
            if (isTyping) target.blur();
            else screen()?.back?.();
            return;
        }
        if (isTyping) return;
        // On a button or a link, the key has its usual effect.
        const isControl = target.closest("a, button, summary");
        if (isControl && (event.key === "Enter" || event.key === " ")) return;
        if (isGoing) {
            isGoing = false;
            if (go(event.key)) event.preventDefault();
            return;
        }
        const act = {
            g: () => { isGoing = true; setTimeout(() => { isGoing = false; }, 1500); },
            "?": help,
            "/": () => document.querySelector("main [type=search]")?.focus(),
            j: () => screen()?.step?.(1),
            k: () => screen()?.step?.(-1),
            " ": () => screen()?.pause?.(),
            Enter: () => screen()?.enter?.(),
        }[event.key];
        if (!act) return;
        if (event.key === " " && !screen()?.pause) return;
        event.preventDefault();
        act();
    });
}

/** Moves the focus among the rows' links. */
export function stepAmong(links, by) {
    const index = links.indexOf(document.activeElement);
    const next = links[index < 0 ? (by > 0 ? 0 : links.length - 1)
        : Math.min(links.length - 1, Math.max(0, index + by))];
    next?.focus();
    next?.scrollIntoView({block: "nearest"});
}
