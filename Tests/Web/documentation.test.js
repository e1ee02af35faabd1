// The examples of docs/web-client.md compile.

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {test} from "node:test";
import {fileURLToPath} from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = readFileSync(join(root, "docs/web-client.md"), "utf8");

// Only what the examples use of the frameworks.
const frameworks = `
declare module "react" {
    export function useState<T>(value: T): [T, (value: T) => void];
    export function useEffect(effect: () => void | (() => void), inputs: unknown[]): void;
}
declare module "svelte" {
    export function onMount(work: () => unknown): void;
}
declare namespace JSX {
    interface Element {}
    interface IntrinsicElements {
        button: {onClick?: () => void; children?: unknown};
    }
}`;

test("the examples for pages, React and Svelte", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-"));
    t.after(() => rmSync(folder, {recursive: true}));
    const blocks = [...text.matchAll(/^```(html|tsx|svelte)\n([^]*?)^```/gm)];
    assert.deepEqual(blocks.map(([, kind]) => kind), ["html", "tsx", "svelte"]);
    for (const [, kind, code] of blocks) {
        assert.ok(code.trim().split("\n").length <= 22, `${kind} is too long`);
        const script = kind === "tsx" ? code : code.match(/<script[^>]*>([^]*)<\/script>/)[1];
        const module = JSON.stringify(join(root, "Web/latchkey.js"));
        writeFileSync(
            join(folder, `${kind}.tsx`),
            script.replace(/"[./]+(web\/)?latchkey\.js"/, module)
                .replace('querySelector("button").', 'querySelector("button")!.'));
    }
    writeFileSync(join(folder, "frameworks.d.ts"), frameworks);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({compilerOptions: {
        strict: true, noEmit: true, jsx: "preserve", target: "es2022", module: "es2022",
        moduleResolution: "node", types: [], lib: ["es2022", "dom", "dom.iterable"],
    }, include: ["*.ts", "*.tsx"]}));
    execFileSync("tsc", ["--project", folder], {stdio: "inherit"});
});
