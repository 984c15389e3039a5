/** What a CPU profile says: self time by package, and the functions that have most of it. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { round } from './cost.ts'

const CpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
    }),
  ),
  samples: z.array(z.number()),
  /** Microseconds between the samples. */
  timeDeltas: z.array(z.number()),
})

export interface Share {
  readonly name: string
  /** Of the time in which the process did anything. */
  readonly percent: number
}

export interface ProfileSummary {
  readonly busyMs: number
  readonly packages: readonly Share[]
  readonly functions: readonly Share[]
}

const packagesMax = 14
const functionsMax = 20

/** Summarises a `.cpuprofile`. */
export async function summarise(file: string): Promise<ProfileSummary> {
  const { nodes, samples, timeDeltas } = CpuProfile.parse(JSON.parse(await readFile(file, 'utf8')))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const byPackage = new Map<string, number>()
  const byFunction = new Map<string, number>()
  let busy = 0
  for (const [n, id] of samples.entries()) {
    const frame = frames.get(id)
    const us = timeDeltas[n] ?? 0
    if (!frame || frame.functionName === '(idle)') continue
    const owner = packageOf(frame)
    busy += us
    add(byPackage, owner, us)
    const line = frame.url === '' ? '' : `:${frame.lineNumber + 1}`
    const source = frame.url.split('/').at(-1) ?? ''
    add(byFunction, `${frame.functionName || '(anonymous)'} ${owner} ${source}${line}`, us)
  }
  const most = (times: Map<string, number>, max: number): readonly Share[] =>
    [...times]
      .sort(([, a], [, b]) => b - a)
      .slice(0, max)
      .map(([name, us]) => ({ name, percent: round((us * 100) / busy, 1) }))
  return {
    busyMs: Math.round(busy / 1_000),
    packages: most(byPackage, packagesMax),
    functions: most(byFunction, functionsMax),
  }
}

const add = (times: Map<string, number>, name: string, us: number): void =>
  void times.set(name, (times.get(name) ?? 0) + us)

function packageOf(frame: { readonly functionName: string; readonly url: string }): string {
  const [, installed] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(frame.url) ?? []
  if (installed) return installed
  const [, ours] = /\/packages\/([^/]+)\//.exec(frame.url) ?? []
  if (ours) return `signalbox/${ours}`
  if (frame.url.includes('/scripts/bench/')) return 'bench'
  if (frame.url.startsWith('node:')) return 'node'
  return frame.functionName.startsWith('(') ? frame.functionName : 'v8'
}
