/**
 * The shape of the source, as a test: which package may know which, how large a file may grow, what a package may export.
 *
 * A1 Arrows only point left: core ← engine ← postgres | bullmq | models | tools | policies ← server ← cli. The console shares core's schemas,
 *    and the client knows nobody.
 *    `embedded`, `demo` and `testing` are no part of production. The command line gives the first to the server, plays the second
 *    and passes the third on.
 * A2 The only door of a package is its `exports`; nobody reaches into another one's files.
 * A3 A check that saw nothing fails: an empty scan is not a clean one.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, it } from 'vitest'

import { type SourceFile, readSources } from './architecture/source-file.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const adapters = ['postgres', 'bullmq', 'models', 'tools', 'policies']
const mayKnow: Record<string, readonly string[]> = {
  core: [],
  client: [],
  console: ['core'],
  engine: ['core'],
  ...Object.fromEntries(adapters.map((name) => [name, ['core', 'engine']])),
  embedded: ['engine'],
  server: ['core', 'engine', ...adapters, 'console'],
  demo: ['core', 'engine', ...adapters, 'server', 'embedded'],
  testing: ['core', 'engine', ...adapters, 'server', 'embedded'],
  cli: ['core', 'engine', ...adapters, 'server', 'embedded', 'demo', 'testing'],
}
const hiddenNames = /(^|\/)(utils?|helpers?|shared|common|types|misc)(\/|\.tsx?$)/
/** Written by a program, and as long as what it is made of. */
const generated = new Set(['packages/client/src/generated.ts'])
const limits = { medianFileLines: 90, fileLines: 450, functionLines: 70 }

const packages = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
)
const sources = readSources(root)
const byPath = new Map(sources.map((file) => [file.path, file]))

describe('arrows', () => {
  it('sees a source file in every package, and edges between them', () => {
    expect([...new Set(sources.map((file) => file.package))].toSorted()).toEqual(packages)
    expect(Object.keys(mayKnow)).toEqual(expect.arrayContaining(packages))
    expect(sources.flatMap(packagesKnown).length).toBeGreaterThan(20)
  })

  it('point left only', () => {
    expect(
      offences((file) =>
        packagesKnown(file).filter((name) => !mayKnow[file.package]?.includes(name)),
      ),
    ).toEqual([])
  })

  it('go through the door of a package', () => {
    const doors = new Set(packages.flatMap(doorsOf))
    expect(
      offences((file) =>
        file.specifiers.filter((specifier) =>
          specifier.startsWith('.')
            ? !normalize(join(file.path, '..', specifier)).startsWith(`packages/${file.package}/`)
            : specifier.startsWith('@signalbox/') && !doors.has(specifier),
        ),
      ),
    ).toEqual([])
  })

  it('leave core without I/O: only XState, Zod and its own files', () => {
    expect(
      offences((file) =>
        file.package === 'core'
          ? file.specifiers.filter((specifier) => !/^(\.|xstate$|zod$)/.test(specifier))
          : [],
      ),
    ).toEqual([])
  })

  it('leave passports and stream guardrails without I/O: a decision is made again by them, years later', () => {
    const pure = /^packages\/policies\/src\/(?:passport|guardrails)\//
    const may = /^(?:@signalbox\/(?:core|engine)|re2js|tldts|zod)$/
    const judging = sources.filter(({ path }) => pure.test(path))
    expect(judging.length).toBeGreaterThan(80)
    expect(
      judging.flatMap(({ path, specifiers }) =>
        specifiers
          .filter((specifier) =>
            specifier.startsWith('.')
              ? !pure.test(normalize(join(path, '..', specifier)))
              : !may.test(specifier),
          )
          .map((specifier) => `${path}: ${specifier}`),
      ),
    ).toEqual([])
  })

  it('leave the client to every platform: the parser of server-sent events and its own files', () => {
    expect(
      offences((file) =>
        file.package === 'client'
          ? file.specifiers.filter((specifier) => !/^(\.|eventsource-parser$)/.test(specifier))
          : [],
      ),
    ).toEqual([])
  })
})

describe('connections', () => {
  it('to Postgres always have a listener for their errors: a lost one without it would end the process', () => {
    const making = sources.filter(
      ({ path, specifiers }) =>
        specifiers.includes('pg') &&
        /new (?:Client|Pool)\(/.test(readFileSync(join(root, path), 'utf8')),
    )
    expect(making.length).toBeGreaterThan(3)
    expect(
      making
        .map(({ path }) => path)
        .filter((path) => !readFileSync(join(root, path), 'utf8').includes(".on('error'")),
    ).toEqual([])
  })
})

describe('sizes', () => {
  it(`keeps the median file at ${limits.medianFileLines} lines and every file within ${limits.fileLines}`, () => {
    const lengths = sources.map((file) => file.lines).toSorted((left, right) => left - right)
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(limits.medianFileLines)
    expect(
      offences((file) =>
        file.lines > limits.fileLines && !generated.has(file.path) ? [`${file.lines} lines`] : [],
      ),
    ).toEqual([])
  })

  it(`keeps every function within ${limits.functionLines} lines`, () => {
    const functions = sources.flatMap((file) => file.functions)
    expect(functions.length).toBeGreaterThan(100)
    expect(functions.filter(({ lines }) => lines > limits.functionLines)).toEqual([])
  })
})

describe('names', () => {
  it('say what is inside', () => {
    expect(sources.map((file) => file.path).filter((path) => hiddenNames.test(path))).toEqual([])
  })

  it('are exported one by one: no default export, no `export *` of values', () => {
    expect(
      offences((file) => [
        ...(file.exports.has('default') ? ['default export'] : []),
        ...(file.starExports > 0 ? ['export *'] : []),
      ]),
    ).toEqual([])
  })

  it('are explained where they are declared, if a package exports them', () => {
    expect(
      packages.flatMap((name) => {
        const index = byPath.get(`packages/${name}/src/index.ts`)
        return [...(index?.exports.keys() ?? [])]
          .filter((exported) => index !== undefined && !isDocumented(index, exported))
          .map((exported) => `${name}: ${exported}`)
      }),
    ).toEqual([])
  })
})

describe('manifests', () => {
  it('of the installed package name every library the packages need, in the same version, and no other', () => {
    const used = sources.filter((file) => file.package === 'cli').flatMap((file) => file.specifiers)
    const own = Object.entries(dependenciesOf('cli')).filter(([library]) => used.includes(library))
    const others = packages.filter((name) => name !== 'cli').map((name) => dependenciesOf(name))
    expect(dependenciesOf('cli')).toEqual(Object.assign(Object.fromEntries(own), ...others))
    for (const one of others) expect(dependenciesOf('cli')).toMatchObject(one)
  })
})

function packagesKnown(file: SourceFile): string[] {
  return file.specifiers
    .map((specifier) => /^(?:@signalbox\/([^/]+)|(signalbox)(?:\/|$))/.exec(specifier))
    .flatMap((match) => (match === null ? [] : [match[1] ?? 'cli']))
    .filter((name) => name !== file.package)
}

function offences(find: (file: SourceFile) => readonly string[]): string[] {
  return sources.flatMap((file) => find(file).map((what) => `${file.path}: ${what}`))
}

function doorsOf(name: string): string[] {
  const { exports } = manifestOf(name)
  return Object.keys(exports ?? {}).map((door) => `@signalbox/${name}${door.slice(1)}`)
}

function dependenciesOf(name: string): Record<string, string> {
  const all = Object.entries(manifestOf(name).dependencies ?? {})
  return Object.fromEntries(all.filter(([library]) => !library.startsWith('@signalbox/')))
}

interface Manifest {
  readonly exports?: Record<string, string>
  readonly dependencies?: Record<string, string>
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
}

function isDocumented(file: SourceFile, name: string): boolean {
  const exported = file.exports.get(name)
  if (exported === undefined) return false
  if ('documented' in exported) return exported.documented
  if (name === '*') return true
  const origin = byPath.get(exported.from)
  // A name that another package declares is explained over there.
  return origin === undefined || isDocumented(origin, exported.name)
}
