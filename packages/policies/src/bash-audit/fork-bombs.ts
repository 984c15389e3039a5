/** Functions that start themselves without end, by way of others too. */
import type { Command, Word } from '../shell/script.ts'
import type { Actions } from './actions.ts'
import type { BashFinding } from './rules.ts'

type Functions = Actions['functions']

/** A function that pipes into itself, or calls itself twice without waiting. */
export function forkBombsIn({ functions, background }: Actions): readonly BashFinding[] {
  const callers = callersIn(functions)
  const isBomb = (name: string, commands: readonly Command[]): boolean => {
    const inner = commands.filter(({ words: [word] }) => word && isCall(word, functions))
    if (inner.length < 2) return false
    const leading = leadingTo(name, callers)
    const calls = inner.filter(({ words: [word] }) => word && leading.has(calledBy(word, name)))
    const isPiped = calls.some(({ from = [] }) => from.some((each) => calls.includes(each)))
    return isPiped || (calls.length > 1 && calls.some((each) => background.has(each)))
  }
  const hasBomb = [...functions].some(([name, { commands }]) => isBomb(name, commands))
  return hasBomb ? [{ rule: 'fork_bomb', what: '' }] : []
}

const itself = /^\$\{?FUNCNAME(?:\[0\])?\}?$/

const isCall = ({ text }: Word, functions: Functions): boolean =>
  functions.has(text) || itself.test(text)

const calledBy = ({ text }: Word, name: string): string => (itself.test(text) ? name : text)

/** By the name of each function, those that call it. */
function callersIn(functions: Functions): ReadonlyMap<string, ReadonlySet<string>> {
  const callers = new Map<string, Set<string>>()
  for (const [name, { commands }] of functions)
    for (const { words } of commands) {
      const called = words[0]?.text ?? ''
      if (functions.has(called)) callers.set(called, (callers.get(called) ?? new Set()).add(name))
    }
  return callers
}

/** The functions that call one, by way of others too, and itself. */
function leadingTo(
  name: string,
  callers: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const found = new Set([name])
  // A set grows while it is walked over, and what is added is walked over too.
  for (const each of found) for (const caller of callers.get(each) ?? []) found.add(caller)
  return found
}
