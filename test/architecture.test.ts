/**
 * The shape of the source, as a test: which package may know which, how large a file may grow, what a package may export.
 *
 * A1 Arrows only point left: core ← engine ← postgres | bullmq | models | tools | policies ← server ← cli. The console shares core's schemas,
 *    and the client knows nobody.
 *    `embedded`, `demo` and `testing` are no part of production. The command line gives the first to the server, plays the second
 *    and passes the third on.
 * A2 The only door of a package is its `exports`; nobody reaches into another one's files.
 * A3 A check that saw nothing fails: an empty scan is not a clean one.
 * A4 Folders point one way, too: of two that stand side by side, at most one knows the other, directly or through others. Loose files of a
 *    folder are its face and its ground, and may know its folders and be known by them.
 * A5 A name that is exported by more than one file stands in `docs/contributing/words.md`: as one thing, or as one of few with two meanings.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'

import { assignedFunctions, type SourceFile, readSources } from './architecture/source-file.ts'

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
const limits = { fileLines: 450, functionLines: 70, ambiguousNames: 40 }
/** Most of their code runs with every turn of a run. */
const everyTurn: ReadonlySet<string> = new Set(['core', 'engine', 'postgres', 'policies', 'models'])
/** The floor above the kernel: its folders are laid out anew with the wires. */
const notLaidOut: ReadonlySet<string> = new Set(['server', 'cli'])

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

  it('leave passports, the audit of scripts and stream guardrails without I/O: a decision is made again by them, years later', () => {
    const pure = /^packages\/policies\/src\/(?:bash-audit|guardrails|passport|shell)\//
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

describe('folders', () => {
  it('that stand side by side do not know each other both ways', () => {
    const kernel = sources.filter((file) => !notLaidOut.has(file.package))
    const arrows = folderArrows(kernel)
    expect(arrows.size).toBeGreaterThan(20)
    const known = new Map<string, Set<string>>()
    for (const [from, to] of arrows.values())
      known.set(from, (known.get(from) ?? new Set()).add(to))
    const circles = [...arrows].filter(([, [from, to]]) => leadsTo(known, { from: to, to: from }))
    expect(circles.map(([example]) => example)).toEqual([])
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

describe('closures', () => {
  it('are not assigned to a property by what turns pass through: V8 keeps them, and what they hold, for long (decision 0056)', () => {
    const forms = [
      'query.callback = (error, result) => done(error)',
      'if (a) x.y = function () {}',
      'this.#stop ??= async () => {}',
      "slots['a'] = ((a) => a) as Stop",
      'map.get(id)!.stop = <T>(a: T) => (b: T) => a',
      'a.b = c.d = () => {}',
    ]
    for (const form of forms)
      expect(assignedFunctions('form.ts', form, parseSync('form.ts', form)), form).toHaveLength(1)
    const others = 'const f = () => 1; o.k = f; o = { k: () => 1 }; class A { k = () => 1 }'
    expect(assignedFunctions('form.ts', others, parseSync('form.ts', others))).toEqual([])
    const often = sources.filter(({ package: name }) => everyTurn.has(name))
    expect(often.length).toBeGreaterThan(100)
    expect(often.flatMap(({ assigned }) => assigned)).toEqual([])
  })
})

describe('sizes', () => {
  it(`keeps every file within ${limits.fileLines} lines`, () => {
    expect(sources.length).toBeGreaterThan(500)
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

describe('words', () => {
  const page = readFileSync(join(root, 'docs/contributing/words.md'), 'utf8')
  const [, oneThing = '', twoMeanings = ''] = page.split(
    /^## (?:One thing, several files|Two meanings)$/m,
  )
  const same = namesIn(oneThing)
  const ambiguous = namesIn(twoMeanings)
  const exporters = new Map<string, number>()
  for (const file of sources)
    if (!generated.has(file.path))
      for (const [name, exported] of file.exports)
        if ('documented' in exported) exporters.set(name, (exporters.get(name) ?? 0) + 1)
  const repeated = [...exporters].filter(([, files]) => files > 1).map(([name]) => name)

  it('that several files export are on the page of words', () => {
    expect(repeated.length).toBeGreaterThan(20)
    expect([...same, ...ambiguous].toSorted()).toEqual(repeated.toSorted())
  })

  it(`have two meanings at most ${limits.ambiguousNames} times`, () => {
    expect(ambiguous.length).toBeLessThanOrEqual(limits.ambiguousNames)
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

/** What of the folders that stand side by side knows what, by a file that shows it. */
function folderArrows(
  files: readonly SourceFile[],
): Map<string, readonly [from: string, to: string]> {
  const arrows = new Map<string, readonly [string, string]>()
  for (const { path, specifiers } of files)
    for (const specifier of specifiers.filter((each) => each.startsWith('.'))) {
      const target = normalize(join(path, '..', specifier))
      const [here, there] = [path.split('/').slice(0, -1), target.split('/').slice(0, -1)]
      const shared = here.findIndex((folder, at) => folder !== there[at])
      // One of the two is inside the other: a folder and its loose files.
      if (shared < 0 || there.length <= shared) continue
      const until = (folders: readonly string[]): string => folders.slice(0, shared + 1).join('/')
      arrows.set(`${path} -> ${target}`, [until(here), until(there)])
    }
  return arrows
}

function leadsTo(
  known: ReadonlyMap<string, ReadonlySet<string>>,
  way: { readonly from: string; readonly to: string },
): boolean {
  const seen = new Set([way.from])
  for (const folder of seen) for (const next of known.get(folder) ?? []) seen.add(next)
  return seen.has(way.to)
}

/** The names of the tables of a section: all that stands in backticks in a row, before its last column where there are more than two. */
const namesIn = (section: string): readonly string[] =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((line) => [
      ...(line.split(' | ')[line.startsWith('| `') ? 0 : 1] ?? '').matchAll(/`(\w+)`/g),
    ])
    .map(([, name = '']) => name)

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
