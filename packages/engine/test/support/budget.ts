/** Agents whose runs share a budget, and what they reserve of it. */
import type { AgentDefinition } from '@signalbox/core'
import type { Register, Reservation, Reserved } from '@signalbox/engine'
import { named, runsOf } from './family.ts'
import { type ScriptedCall, toolSpec } from './world.ts'

/** The call of a tool. */
export const look: ScriptedCall = { tool: 'look', args: {} }
/** Of each answer. */
export const maxOutputTokens = 40
const model = {
  provider: 'scripted',
  model: 'test',
  maxOutputTokens,
  price: { inputPerMTok: 3, outputPerMTok: 15 },
}

type Limits = Partial<AgentDefinition['limits']>

/** An agent that starts runs of the helper. */
export const writer = (limits: Limits): AgentDefinition =>
  named('writer', [runsOf('helper'), toolSpec('look')], { limits, model })

/** An agent that calls a tool. */
export const helper = (): AgentDefinition => named('helper', [toolSpec('look')], { model })

/** The register, with every reservation that was asked for and what became of it. */
export function observed(register: Register) {
  const asked: { readonly reservation: Reservation; readonly answer: Reserved }[] = []
  const spent: string[] = []
  const opened: string[] = []
  const seen: Register = {
    ...register,
    openBudget: (budget) => {
      opened.push(budget.rootId)
      return register.openBudget(budget)
    },
    reserve: async (reservation) => {
      const answer = await register.reserve(reservation)
      asked.push({ reservation, answer })
      return answer
    },
    spend: (effect, used) => {
      spent.push(effect.effectId)
      return register.spend(effect, used)
    },
  }
  return { seen, asked, spent, opened }
}
