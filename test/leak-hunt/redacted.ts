/**
 * Tokens that a guardrail takes out, in places where they would otherwise be kept: arguments of calls that run, that a policy denies, that
 * a person rejects, that nobody answers, and the result of a tool.
 */
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'
import type { Flock } from './canary.ts'
import { hunted, tokenOf } from './cuts.ts'

const leaking = 'show_note'

/** What becomes of the call, and how the run ends that the model then goes on with. */
export const redactions = ['executed', 'denied', 'rejected', 'expired', 'shown'] as const
export type Redacted = (typeof redactions)[number]
export const redactedName = (which: Redacted): string => `redacted-${which}`

const governed: Readonly<Record<Redacted, ConfigInput['agents'][string]['guardrails']>> = {
  executed: {},
  denied: { provider: { use: 'allowlist', deniedTools: [hunted] } },
  rejected: { approvalTools: [hunted] },
  expired: { approvalTools: [hunted] },
  shown: {},
}

/** Agents, their scripts, and the tool whose result holds a token. */
export function redacting(flock: Flock) {
  const said = (): string => `the token ${tokenOf(flock.next())} of somebody`
  const agents = redactions.map((which) => {
    const agent: ConfigInput['agents'][string] = {
      instructions: '',
      model: { provider: 'scripted', model: redactedName(which) },
      tools: [hunted, leaking],
      guardrails: { stream: ['secrets'], ...governed[which] },
      ...(which === 'expired' ? { approvals: { expiresMs: 1000 } } : {}),
    }
    return [redactedName(which), agent] as const
  })
  const scripts = redactions.map((which) => {
    const name = which === 'shown' ? leaking : hunted
    const args =
      which === 'shown' ? {} : { path: '/a.md', content: said(), list: [{ deep: said() }] }
    const call = { text: 'I write. ', calls: [{ name, args }] }
    return [
      redactedName(which),
      (_: unknown, turn: number) => (turn === 0 ? call : { text: 'That was it.' }),
    ] as const
  })
  const shown = said()
  const show = defineTool({
    name: leaking,
    description: 'Shows a note.',
    effect: 'read',
    input: z.object({}),
    run: (_args, { progress }) => {
      progress('I look.')
      return shown
    },
  })
  return {
    agents: Object.fromEntries(agents),
    tools: [show],
    scripts: Object.fromEntries(scripts),
  }
}

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
