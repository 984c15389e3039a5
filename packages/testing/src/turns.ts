/** The turns of a scripted model. */
import type { JsonObject, Prompt } from '@signalbox/core'
import type { ScriptedCall, ScriptedTurn } from '@signalbox/models'

/** A call of a turn. */
export interface TurnCall extends ScriptedCall {
  /** The agent has no such tool, and that is what the test is about. Without it the name is a mistake of the test. */
  readonly unknownTool?: true
}

/** One answer of the model: what a script in a configuration answers, see `ScriptedTurn`. */
export interface TestTurn extends Omit<ScriptedTurn, 'calls'> {
  readonly calls?: readonly TurnCall[]
}

/** One answer of the model: its text, or more, or a function that makes it of the prompt. */
export type Turn = string | TestTurn | ((prompt: Prompt) => string | TestTurn)

/** A turn that calls one tool. */
export const call = (name: string, args: JsonObject = {}): TestTurn => ({
  calls: [{ name, args }],
})

/** A turn that makes all calls of these turns at once. */
export const together = (...turns: readonly TestTurn[]): TestTurn => ({
  calls: turns.flatMap(({ calls = [] }) => calls),
})

/** A turn as it is played for this prompt. */
export function readTurn(turn: Turn, prompt: Prompt): TestTurn {
  const made = typeof turn === 'function' ? turn(prompt) : turn
  return typeof made === 'string' ? { text: made } : made
}
