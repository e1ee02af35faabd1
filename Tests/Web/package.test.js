// The folder Web is a package as it stands.

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {createHash} from "node:crypto";
import {
    cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync,
} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {test} from "node:test";
import {fileURLToPath} from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const web = join(root, "Web");
const text = (path) => readFileSync(join(root, path), "utf8");
const description = JSON.parse(text("Web/package.json"));
// npm adds these by itself.
const always = ["package.json", "README.md", "LICENSE"];

test("the package is public, with the product's version, license and repository", () => {
    const [, version] = text("Sources/Auth/Composition/LatchkeyFunction.swift")
        .match(/static let version = "(.*)"/);
    assert.equal(description.version, version);
    assert.equal(description.private, undefined);
    assert.equal(description.license, "Apache-2.0");
    assert.match(description.repository.url, /^git\+https:/);
    assert.equal(text("Web/LICENSE"), text("LICENSE"));
    for (const name of ["latchkey.js", "latchkey-redirects.js"]) {
        assert.ok(text(`Web/${name}`).startsWith(`// Latchkey ${version}, Apache-2.0\n`), name);
    }
});

test("the hashes in the documents are those of the files", () => {
    for (const name of ["latchkey.js", "latchkey-redirects.js"]) {
        const hash = createHash("sha384").update(text(`Web/${name}`)).digest("base64");
        assert.ok(text("docs/web-client.md").includes(`/${name}": "sha384-${hash}"`), name);
    }
});

/** What `npm pack` puts into the package. */
function packed(t) {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-"));
    t.after(() => rmSync(folder, {recursive: true}));
    const target = join(folder, "node_modules/latchkey");
    mkdirSync(target, {recursive: true});
    for (const name of [...description.files, ...always]) {
        assert.ok(statSync(join(web, name)).isFile(), name);
        cpSync(join(web, name), join(target, name));
    }
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    return folder;
}

test("an app imports the package, its second module and its types", (t) => {
    const folder = packed(t);
    writeFileSync(join(folder, "app.js"), `
        import {Latchkey} from "latchkey";
        const auth = new Latchkey("https://auth.example.com", {storage: {
            getItem: () => null, setItem() {}, removeItem() {}}});
        const problem = await auth.authorized("https://app.example.com/?state=x&code=y")
            .catch(({code}) => code);
        console.log(problem);
        auth.close();`);
    const output = execFileSync("node", ["app.js"], {cwd: folder});
    assert.equal(String(output).trim(), "WRONG_STATE");
    writeFileSync(join(folder, "app.ts"), `
        import {Latchkey, type User} from "latchkey";
        export const user = (auth: Latchkey): Promise<User | null> => auth.signedInWithPage();`);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({compilerOptions: {
        strict: true, noEmit: true, target: "es2022", module: "node16",
        moduleResolution: "node16", types: [], lib: ["es2022", "dom", "dom.iterable"],
    }, include: ["app.ts"]}));
    execFileSync("tsc", ["--project", folder], {stdio: "inherit"});
});

const hasNPM = (() => {
    try {
        execFileSync("npm", ["--version"]);
        return true;
    } catch {
        return false;
    }
})();

test("npm packs the listed files", {skip: !hasNPM && "there is no npm"}, (t) => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-"));
    t.after(() => rmSync(folder, {recursive: true}));
    const [{files, name, version}] = JSON.parse(execFileSync(
        "npm", ["pack", "--json", "--dry-run", "--cache", folder], {cwd: web, stdio: [
            "ignore", "pipe", "ignore"]}));
    assert.equal(`${name} ${version}`, `latchkey ${description.version}`);
    assert.deepEqual(
        files.map(({path}) => path).sort(), [...description.files, ...always].sort());
});
