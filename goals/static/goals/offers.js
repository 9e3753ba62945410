// What the message box completes: commands after a slash at its beginning, artifacts after an @.

import { read } from "./send.js";

const SOON = 120;

export function commands(url) {
  let all = null;
  return {
    pattern: /^(?<word>\/[^\s/]{0,40})$/,
    async find(word) {
      all ??= (await read(url)).results;
      return all
        .filter((one) => one.name.startsWith(word.toLowerCase()))
        .map((one) => ({ insert: `${one.name} `, label: one.usage, detail: one.description }));
    },
  };
}

export function artifacts(url) {
  let latest = 0;
  return {
    pattern: /(?:^|[\s(])(?<word>@[^\s@.:]{0,100})$/,
    async find(word) {
      const mine = ++latest;
      await new Promise((done) => setTimeout(done, SOON));
      if (mine !== latest) return [];
      const found = (await read(`${url}?q=${encodeURIComponent(word.slice(1))}`)).results;
      return found.map((one) => ({ insert: `@${one.name} `, label: `@${one.name}`, detail: one.description }));
    },
  };
}
