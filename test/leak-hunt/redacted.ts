/**
 * What guardrails take out, in places where it would otherwise be kept: arguments of calls that run, that a policy denies, that a
 * person rejects, that nobody answers, the result of a tool, and an answer. Tokens by `secrets`; addresses and cards by `pii`.
 */
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'
import type { Flock } from './canary.ts'
import { addressOf, hunted, tokenOf } from './cuts.ts'

const leaking = 'show_note'
const listing = 'show_person'

/** What becomes of it, and how the run ends that the model then goes on with. */
export const redactions = [
  'executed',
  'denied',
  'rejected',
  'expired',
  'shown',
  'mailed',
  'listed',
  'said',
] as const
export type Redacted = (typeof redactions)[number]
export const redactedName = (which: Redacted): string => `redacted-${which}`
/** Those whose call is executed, without what was taken out. */
export const executed: readonly Redacted[] = ['executed', 'mailed']

const personal = { use: 'pii', arguments: true, toolResults: true } as const

const governed: Readonly<Record<Redacted, ConfigInput['agents'][string]['guardrails']>> = {
  executed: { stream: ['secrets'] },
  denied: { stream: ['secrets'], provider: { use: 'allowlist', deniedTools: [hunted] } },
  rejected: { stream: ['secrets'], approvalTools: [hunted] },
  expired: { stream: ['secrets'], approvalTools: [hunted] },
  shown: { stream: ['secrets'] },
  mailed: { stream: [personal] },
  listed: { stream: [personal] },
  said: { stream: [personal] },
}

interface Flocks {
  readonly tokens: Flock
  readonly cards: Flock
}

const saved = (said: () => string) => ({
  name: hunted,
  args: { path: '/a.md', content: said(), list: [{ deep: said() }] },
})

/** Agents, their scripts, and the tools whose results hold what is to be taken out. */
export function redacting({ tokens, cards }: Flocks) {
  const token = (): string => `the token ${tokenOf(tokens.next())} of somebody`
  const person = (): string =>
    `write to ${addressOf(tokens.next())} about the card ${cards.next()}, please`
  const agents = redactions.map((which) => {
    const agent: ConfigInput['agents'][string] = {
      instructions: '',
      model: { provider: 'scripted', model: redactedName(which) },
      tools: [hunted, leaking, listing],
      guardrails: governed[which],
      title: {},
      ...(which === 'expired' ? { approvals: { expiresMs: 1000 } } : {}),
    }
    return [redactedName(which), agent] as const
  })
  const callOf = (which: Exclude<Redacted, 'said'>) => {
    if (which === 'shown') return { name: leaking, args: {} }
    if (which === 'listed') return { name: listing, args: {} }
    return saved(which === 'mailed' ? person : token)
  }
  const scripts = redactions.map((which) => {
    const first =
      which === 'said'
        ? { text: `I write. Now ${person()}`, chunkSize: 7 }
        : { text: 'I write. ', calls: [callOf(which)] }
    return [
      redactedName(which),
      (_: unknown, turn: number) => (turn === 0 ? first : { text: 'That was it.' }),
    ] as const
  })
  return {
    agents: Object.fromEntries(agents),
    tools: [showing(leaking, token()), showing(listing, person())],
    scripts: Object.fromEntries(scripts),
  }
}

const showing = (name: string, shown: string) =>
  defineTool({
    name,
    description: 'Shows something.',
    effect: 'read',
    input: z.object({}),
    run: (_args, { progress }) => {
      progress('I look.')
      return shown
    },
  })

/** Rejects every call of the agent that waits for a person, until the run has ended. */
export async function rejectAll(api: string, ended: () => boolean): Promise<number> {
  let rejected = 0
  while (!ended()) {
    const answer = await fetch(`${api}/approvals`)
    // A server that is too busy is asked again.
    const waiting = z
      .array(z.looseObject({ approval_id: z.string() }))
      .safeParse(await answer.json())
    for (const each of waiting.data ?? []) {
      if (!JSON.stringify(each).includes(redactedName('rejected'))) continue
      const body = JSON.stringify({ decision: 'reject', message: 'No.' })
      const headers = { 'content-type': 'application/json' }
      const said = await fetch(`${api}/approvals/${each.approval_id}`, {
        method: 'POST',
        headers,
        body,
      })
      if (said.ok) rejected += 1
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return rejected
}
