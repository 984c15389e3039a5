#!/usr/bin/env node
// Written for any Node, so that an old one gets a sentence instead of a syntax error.
// In the repository it runs the sources, never a build, which could be stale; in the installed package there is only the build.
import { existsSync } from 'node:fs'

const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`signalbox needs Node.js 22.18 or newer; this is ${process.version}.`)
  process.exitCode = 1
} else {
  const source = new URL('../src/main.ts', import.meta.url)
  const built = new URL('../dist/packages/cli/src/main.js', import.meta.url)
  await import((existsSync(source) ? source : built).href)
}
