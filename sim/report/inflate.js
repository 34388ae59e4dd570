// Part of Tenon, under the Apache License v2.0.
//
// A page's data as the program puts them in: JSON, gzip, base64.
"use strict";

async function inflate(base64) {
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser is too old: it has no DecompressionStream");
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
