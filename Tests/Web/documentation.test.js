// The examples of docs/web-client.md compile, and the examples that show a file equal it.

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {test} from "node:test";
import {fileURLToPath} from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = readFileSync(join(root, "docs/web-client.md"), "utf8");

const page = readFileSync(join(root, "docs/web-apps.md"), "utf8");

// Only what the examples use of the frameworks.
const frameworks = `
declare module "react" {
    export function useState<T>(value: T): [T, (value: T) => void];
    export function useEffect(effect: () => void | (() => void), inputs: unknown[]): void;
}
declare module "svelte" {
    export function onMount(work: () => void | (() => void)): void;
}
declare module "vue" {
    export function onMounted(work: () => void): void;
    export function onUnmounted(work: () => void): void;
    export function shallowRef<T>(): {value: T | undefined};
}
declare module "@angular/core" {
    export function Injectable(options: {providedIn: "root"}): (target: Function) => void;
    export function signal<T>(value: T): {(): T; set(value: T): void};
}
declare namespace JSX {
    interface Element {}
    interface IntrinsicElements {
        button: {onClick?: () => void; children?: unknown};
    }
}
declare const google: {accounts: {id: {
    initialize(settings: {
        client_id: string; nonce?: string; callback?: (response: {credential: string}) => void;
    }): void;
    renderButton(parent: HTMLElement, options: {type: "standard" | "icon"}): void;
}}};
declare const AppleID: {auth: {
    init(settings: {
        clientId: string; scope?: string; redirectURI: string; state?: string; nonce?: string;
        usePopup?: boolean;
    }): void;
    signIn(): Promise<{
        authorization: {code: string; id_token: string; state?: string};
        user?: {email?: string; name?: {firstName?: string; lastName?: string}};
    }>;
}};`;

const scripts = (kind, code) =>
    /tsx|^ts$|js/.test(kind) ? code : code.match(/<script[^>]*>([^]*)<\/script>/)[1];

test("the examples for pages and frameworks", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-"));
    t.after(() => rmSync(folder, {recursive: true}));
    const blocks = [...text.matchAll(/^```(tsx|svelte|ts)\n([^]*?)^```/gm)];
    assert.deepEqual(blocks.map(([, kind]) => kind), ["tsx", "svelte", "ts", "ts"]);
    for (const [index, [, kind, code]] of blocks.entries()) {
        assert.ok(code.trim().split("\n").length <= 22, `${kind} is too long`);
        const module = JSON.stringify(join(root, "Web/latchkey.js"));
        writeFileSync(
            join(folder, `example${index}.tsx`),
            scripts(kind, code).replace(/"latchkey"/, module));
    }
    writeFileSync(join(folder, "frameworks.d.ts"), frameworks);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({compilerOptions: {
        strict: true, noEmit: true, jsx: "preserve", target: "es2022", module: "es2022",
        moduleResolution: "node", types: [], lib: ["es2022", "dom", "dom.iterable"],
        experimentalDecorators: true,
    }, include: ["*.ts", "*.tsx"]}));
    execFileSync("tsc", ["--project", folder], {stdio: "inherit"});
});

test("the scripts of the example pages have no type errors", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-"));
    t.after(() => rmSync(folder, {recursive: true}));
    for (const name of ["app.js", "buttons.js", "form.js"]) {
        const code = readFileSync(join(root, "Examples/web", name), "utf8");
        writeFileSync(join(folder, name), code.replace(
            "./latchkey/latchkey.js", join(root, "Web/latchkey.js")));
    }
    writeFileSync(join(folder, "frameworks.d.ts"), frameworks);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({compilerOptions: {
        checkJs: true, noEmit: true, target: "es2022", module: "es2022", jsx: "preserve",
        moduleResolution: "node", types: [], lib: ["es2022", "dom", "dom.iterable"],
    }, include: ["*.js", "*.d.ts"]}));
    execFileSync("tsc", ["--project", folder], {stdio: "inherit"});
});

for (const [name, document] of [
    ["index.html", text], ["app.js", text], ["buttons.html", page], ["buttons.js", page],
    ["backend.mjs", page], ["backend.py", page],
]) {
    test(`the documents have Examples/web/${name} word for word`, () => {
        const code = readFileSync(join(root, "Examples/web", name), "utf8");
        assert.ok(document.includes(`\n${code}\`\`\``), name);
    });
}
