// Prints the strings of the npm package @clerk/localizations (MIT) as package, key, locale, string, one a line.
// node clerk.mjs FOLDER, the folder being the package's dist.
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
const folder = resolve(process.argv[2]);
for (const file of readdirSync(folder).filter((name) => /^[a-z]{2}-[A-Z]{2}\.mjs$/.test(name))) {
  const locale = file === "en-US.mjs" ? "en" : file.slice(0, 5);
  const walk = (value, path) => {
    if (typeof value === "string") {
      if (!/[\t\n]/.test(value)) console.log(["@clerk/localizations", path.join("."), locale, value].join("\t"));
    } else if (value && typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
    }
  };
  for (const value of Object.values(await import(resolve(folder, file)))) walk(value, []);
}
