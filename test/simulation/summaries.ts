/** A model that is asked to sum up: it does so, or fails at it in every way a provider can. */
import type { ModelTurn } from '@signalbox/core'
import type { ModelRequest } from '@signalbox/engine'
import { bannedTerm } from './agents.ts'
import { stoppedWords, tokensIn, unkeptWords } from './rooms.ts'
import type { Schedule } from './schedule.ts'
import { speak } from './speak.ts'
import type { World } from './world.ts'

const ways = ['long', 'empty', 'refused', 'cut', 'calls', 'busy', 'broken', 'banned'] as const

/** How long one may take. A lease is 300 ms. */
export const summaryMs = (schedule: Schedule): number =>
  schedule.faults && schedule.chance(0.15) ? schedule.between(300, 1_500) : schedule.between(2, 40)

type Parts = ModelTurn['message']['parts']

const says = (words: string): Parts => [{ type: 'text', text: words }]

/** Answers, and complains of what it should not have been shown. */
export function summarise({ schedule, complaints }: World, request: ModelRequest): ModelTurn {
  if (JSON.stringify(request.prompt).includes(stoppedWords))
    complaints.push(`Z3 ${request.messageId} is asked to sum up what was stopped`)
  const fails = schedule.faults && schedule.chance(0.5)
  const way = fails ? ways[Math.floor(schedule.unit() * ways.length)] : undefined
  const turn = (verdict: ModelTurn['verdict'], parts: Parts): ModelTurn => ({
    verdict,
    message: { id: request.messageId, role: 'assistant', parts },
    suppressed: [],
    evidence: [],
    finish: verdict === 'complete' ? { unified: 'stop' } : null,
    usage: { inputTokens: tokensIn(request), outputTokens: lengthOf(parts) },
    provider: 'scripted',
    model: request.model.model,
  })
  switch (way) {
    case undefined:
      return turn('complete', says('What was done.'))
    case 'long':
      return turn('complete', says(`${unkeptWords} ${'s'.repeat(1_200)}`))
    case 'empty':
      return turn('complete', schedule.chance(0.5) ? [] : says(' \n'))
    case 'refused':
      return turn(schedule.chance(0.5) ? 'refusal' : 'safety', says(unkeptWords))
    case 'cut':
      return turn(schedule.chance(0.5) ? 'length' : 'interrupted', says(unkeptWords))
    case 'calls': {
      const args = { n: 9 }
      const call = { type: 'tool_call' as const, id: 'c', name: 'pay', args }
      return turn('complete', [...says(unkeptWords), { ...call, argsHash: request.argsHash(args) }])
    }
    case 'busy':
    case 'broken': {
      const retryable = way === 'busy'
      const error = { class: retryable ? 'overloaded' : 'auth', retryable, message: 'no' } as const
      return { ...turn('error', []), error }
    }
    case 'banned': {
      // An agent without a guardrail for it may keep what it says.
      if (request.guard === null) return turn('complete', says('What was done.'))
      const said = speak(request.guard, `${unkeptWords} ${bannedTerm}`, schedule)
      const parts: Parts = said.text === '' ? [] : says(said.text)
      return said.trip ? { ...turn('guardrail', parts), trip: said.trip } : turn('complete', parts)
    }
  }
}

const lengthOf = (parts: Parts): number => Math.ceil(JSON.stringify(parts).length / 2)
