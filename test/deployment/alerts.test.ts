/**
 * The alerts and the dashboard that `deploy/` offers. Would catch: an expression that Prometheus refuses, a metric or a label that was
 * renamed, an alert that no page explains.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { knownMetrics } from './known-metrics.ts'
import { mistakesIn } from './promql.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** As Prometheus reads it: it refuses keys that it does not know. */
const Duration = z.string().regex(/^(\d+(ms|[smhdwy]))+$/)
const Text = z.string().min(1)
const Rule = z.strictObject({
  alert: z.string().regex(/^Signalbox[A-Z]\w+$/),
  expr: Text,
  for: Duration.optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({ summary: Text, description: Text }),
})
const Rules = z.strictObject({
  groups: z.array(z.strictObject({ name: Text, rules: z.array(Rule).min(1) })).min(1),
})
const { groups } = Rules.parse(parse(read('deploy/prometheus/signalbox.rules.yml')))
const rules = groups.flatMap((group) => group.rules)

const Target = z.looseObject({ refId: Text, expr: Text, legendFormat: z.string() })
const Place = z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() })
const Panel = z.looseObject({
  id: z.number(),
  type: z.enum(['row', 'stat', 'timeseries']),
  title: Text,
  gridPos: Place,
  targets: z.array(Target).default([]),
})
const Variable = z.looseObject({ name: Text, query: z.unknown() })
const Dashboard = z.looseObject({
  title: Text,
  uid: Text,
  schemaVersion: z.number(),
  templating: z.object({ list: z.array(Variable) }),
  panels: z.array(Panel).min(1),
})
const dashboard = Dashboard.parse(JSON.parse(read('deploy/grafana/signalbox.json')))

const metrics = knownMetrics()

describe('expressions', () => {
  it('are refused if they do not parse, or name what is not there', () => {
    const known = new Map([['signalbox_x', ['queue']]])
    const all = [
      'max by (queue) (signalbox_x{queue=~"a.*"}) > 0',
      'max(signalbox_x',
      'signalbox_y > 0',
      'signalbox_x{agent="a"}',
      'sum by (agent) (signalbox_x)',
      '1 > 0',
    ]
    expect(all.map((each) => mistakesIn(each, known).length)).toEqual([0, 1, 2, 1, 1, 1])
  })
})

describe('alerts', () => {
  it.each(rules)('$alert has an expression over metrics that exist', ({ expr }) => {
    expect(mistakesIn(expr, metrics)).toEqual([])
  })

  it('have names of their own, and say nothing by a label that they do not have', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { alert, expr, annotations } of rules)
      for (const [, label = ''] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) {
        const by = /by \(([^)]*)\)/.exec(expr)?.[1]
        const kept = by?.split(', ') ?? [...(metrics.get(expr.split(/[^\w]/, 1)[0] ?? '') ?? [])]
        const isKept = kept.includes(label) || (by === undefined && label === 'instance')
        expect(isKept, `${alert} has no label ${label}`).toBe(true)
      }
  })

  it('are explained in the docs, each of them, and no other', () => {
    const page = read('docs/operations.md')
    const explained = [...page.matchAll(/^\| `(Signalbox\w+)` \|/gm)].map(([, name = '']) => name)
    expect(explained.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
  })
})

describe('the dashboard', () => {
  const drawn = dashboard.panels.filter(({ type }) => type !== 'row')

  it.each(drawn)('panel "$title" asks for metrics that exist', ({ targets }) => {
    expect(targets.length).toBeGreaterThan(0)
    expect(targets.flatMap(({ expr }) => mistakesIn(expr, metrics))).toEqual([])
  })

  it('shows each series under labels that its expression keeps', () => {
    for (const { title, targets } of drawn)
      for (const { expr, legendFormat } of targets)
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect(/by \(([^)]*)\)/.exec(expr)?.[1]?.split(', '), title).toContain(label)
  })

  it('has panels that do not lie over each other, with ids of their own', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
  })

  it('uses the variables that it has, and only those', () => {
    const names = dashboard.templating.list.map(({ name }) => name)
    const text = JSON.stringify(dashboard)
    const used = [...text.matchAll(/\$\{?(?!__)([a-z]+)/g)].map(([, name = '']) => name)
    expect([...new Set(used)].toSorted()).toEqual(names.toSorted())
  })
})
