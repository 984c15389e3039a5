import { createStreamGuardrails } from '@signalbox/policies'
import { governedAgent, scriptedModels } from './governed.ts'
import { request } from '../../packages/models/test/support/call.ts'
const models = scriptedModels()
const guardrails = createStreamGuardrails(() => null)
const agent0 = governedAgent('none'),
  agent1 = governedAgent('stream guardrails')
const cpu = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const trivial = {
  push: (_: string, text: string) => ({ type: 'released', text }),
  end: () => ({ type: 'released', text: '' }),
  cut: () => ({ type: 'released', text: '' }),
  redacted: () => [],
  inspect: async ({ args }: never) => ({ type: 'passed', value: args, taken: [] }),
  judge: () => ({ type: 'released', text: '' }),
}
const stream = agent1.guardrails.stream
const about = { availableTools: ['look_up'], availableSkills: [], attempt: 0 }
const kinds: Record<string, () => unknown> = {
  none: () => null,
  trivial: () => trivial,
  noInspect: () => ({ ...guardrails.guard(stream, about), inspect: trivial.inspect }),
  onlyInspect: () => {
    const g = guardrails.guard(stream, about)
    return { ...trivial, inspect: g.inspect, judge: g.judge }
  },
  all: () => guardrails.guard(stream, about),
}
const run = async (name: string) => {
  const agent = name === 'none' ? agent0 : agent1
  for (let turn = 0; turn < 10; turn++) {
    const req = {
      ...request({ provider: 'scripted' as never, tools: agent.tools }),
      model: agent.model,
      guard: kinds[name]!(),
    } as never
    const t = await models.call(req, { delta() {} } as never, new AbortController().signal)
    if (t.verdict !== 'complete') throw new Error(JSON.stringify(t))
  }
}
const names = Object.keys(kinds)
const all: Record<string, number[]> = Object.fromEntries(names.map((n) => [n, []]))
for (let round = 0; round < 160; round++)
  for (let k = 0; k < names.length; k++) {
    const name = names[(k + round) % names.length]!
    const b = cpu()
    await Promise.all(Array.from({ length: 4 }, () => run(name)))
    if (round > 20) all[name]!.push((cpu() - b) / 4)
  }
const med = (a: number[]) => a.toSorted((x, y) => x - y)[a.length >> 1]!
for (const n of names)
  console.log(
    n.padEnd(12),
    med(all[n]!).toFixed(2),
    'diff',
    med(all[n]!.map((s, i) => s - all['none']![i]!)).toFixed(2),
  )
