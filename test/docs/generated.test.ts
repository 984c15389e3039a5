/**
 * The committed pages are what the generators give, and links lead somewhere. Would catch: a schema that changed without
 * its reference, a code without a row, a heading that was renamed.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { eventSchemas, isEventType, ledgerSchemas, reservedTypes } from '@signalbox/core'
import { problemKinds } from '@signalbox/server'
import { describe, expect, it } from 'vitest'
import { clientTypes, clientTypesPath } from '../../scripts/docs/client-types.ts'
import { generatedPages } from '../../scripts/docs/pages.ts'
import { knownMetrics } from '../deployment/known-metrics.ts'
import { readPages } from './pages.ts'
import { root } from './sandbox.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

describe('generated pages', () => {
  for (const [path, text] of generatedPages(root))
    it(`${path} is what "node scripts/docs/main.ts" writes`, () => {
      expect(read(path)).toBe(text)
    })

  it(`${clientTypesPath} is what it writes`, async () => {
    expect(read(clientTypesPath)).toBe(await clientTypes())
  })

  it('name every event type and every problem code', () => {
    const events = read('docs/events.md')
    for (const type of Object.keys(eventSchemas)) expect(events).toContain(`### ${type}\n`)
    const api = read('docs/api.md')
    for (const code of Object.keys(problemKinds)) expect(api).toContain(`| \`${code}\` |`)
  })

  it('call reserved exactly what no source writes', () => {
    const sources = globSync('packages/{engine,server,postgres}/src/**/*.ts', { cwd: root })
    const functions = globSync('migrations/functions/*.sql', { cwd: root })
    const text = [...sources, ...functions].map(read).join('\n')
    const acts = sources
      .filter((path) => !path.startsWith('packages/postgres/src/read/'))
      .map(read)
      .join('\n')
    const isWritten = (type: string): boolean =>
      ['fact', 'event'].some((how) =>
        text.replaceAll(/\(\s+/g, '(').includes(`${how}('${type}'`),
      ) ||
      text.includes(`'type', '${type}'`) ||
      // The ledger's are data, too; what reads them names them as well.
      (Object.hasOwn(ledgerSchemas, type) && acts.includes(`'${type}'`))
    const unwritten = Object.keys(eventSchemas)
      .filter(isEventType)
      .filter((type) => !isWritten(type) && !isVerdict(type))
    expect(unwritten.toSorted()).toEqual([...reservedTypes].toSorted())
  })
})

/** Verdicts are written by the decider, as data: `type: '…'`. */
function isVerdict(type: string): boolean {
  const sources = globSync('packages/core/src/{verdict/**/*,machine/**/*,decide}.ts', { cwd: root })
  return sources.some((path) => read(path).includes(`type: '${type}'`))
}

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
const anchors = (path: string): readonly string[] =>
  [...read(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => slug(heading))

describe('metrics', () => {
  it('that pages name exist, with these labels', () => {
    const known = knownMetrics()
    const named = readPages().flatMap(({ path }) => [
      ...read(path).matchAll(
        /\bsignalbox_([a-z_]+(?:_total|_seconds|_open|_up|_waiting|_mine|_info))\b(?:\{([^}]*)\})?/g,
      ),
    ])
    expect(named.length).toBeGreaterThan(10)
    for (const [, name = '', filter = ''] of named) {
      const own = known.get(`signalbox_${name}`) ?? known.get(`signalbox_${name}_count`)
      expect(own, name).toBeDefined()
      for (const [, label] of filter.matchAll(/(\w+)=/g)) expect(own).toContain(label)
    }
  })

  it('are in the table of the page for operators, each of ours with its labels, and no other', () => {
    const page = read('docs/operations.md')
    const listed = [...page.matchAll(/^\| `(signalbox_\w+)` \|([^|]*)\|.+\|$/gm)]
    const known = [...knownMetrics()].filter(
      ([name]) => !/_(bucket|sum)$|^signalbox_(nodejs|process)_/.test(name),
    )
    const expected = known.map(([name, labels]): [string, string[]] => [
      name.replace(/_count$/, ''),
      labels.filter((label) => !['job', 'instance'].includes(label)),
    ])
    const shown = listed.map(([, name = '', labels = '']): [string, string[]] => [
      name,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
    ])
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected))
  })
})

describe('the index', () => {
  it('names every page of the documentation', () => {
    const index = read('docs/README.md')
    const pages = readPages().flatMap(
      ({ path }) => /^docs\/(?!README)([^/]+\.md)$/.exec(path)?.[1] ?? [],
    )
    expect(pages.length).toBeGreaterThan(25)
    expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([])
  })
})

describe('links', () => {
  for (const { path } of readPages())
    it(`of ${path} lead somewhere`, () => {
      const dead = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^https?:/.test(target))
        .filter((target) => {
          const [file = '', anchor] = target.split('#', 2)
          const to = file === '' ? path : join(dirname(path), file)
          return (
            !existsSync(join(root, to)) || (anchor !== undefined && !anchors(to).includes(anchor))
          )
        })
      expect(dead).toEqual([])
    })
})
