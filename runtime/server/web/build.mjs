// Builds the page into dist/, which the Go package embeds. With --tests it builds the tests into .test/ instead, for node's test runner.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const at = (...parts) => join(here, ...parts);

if (process.argv.includes("--tests")) {
  await rm(at(".test"), { recursive: true, force: true });
  const tests = (await readdir(at("test"))).filter((name) => name.endsWith(".test.ts"));
  if (tests.length === 0) throw new Error("no test files in test/");
  await build({
    entryPoints: tests.map((name) => at("test", name)),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    outdir: at(".test"),
    outExtension: { ".js": ".mjs" },
    logLevel: "warning",
  });
} else {
  // .gitkeep stays: without one file in dist the Go package does not compile on a fresh clone.
  await mkdir(at("dist"), { recursive: true });
  for (const name of await readdir(at("dist"))) {
    if (name !== ".gitkeep") await rm(at("dist", name), { recursive: true });
  }
  await build({
    entryPoints: { podlife: at("src", "main.ts"), style: at("src", "style.css") },
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022", "chrome105", "firefox115", "safari16.4"],
    legalComments: "linked",
    outdir: at("dist"),
    logLevel: "warning",
  });
  for (const name of await readdir(at("public"))) await copyFile(at("public", name), at("dist", name));
}
