/** The commands that the input of another one comes from. */
import type { Command } from '../shell/script.ts'

/** All of them, nearest first and each once, as far as so many pipes and groups before it: there are more ways to them than commands. */
export function inputCommandsOf(command: Command, pipesMax = Infinity): readonly Command[] {
  const found = new Set<Command>()
  let nearest: readonly Command[] = [command]
  for (let pipe = 0; pipe < pipesMax && nearest.length > 0; pipe += 1) {
    const next = new Set(nearest.flatMap(({ from = [] }) => from))
    nearest = [...next].filter((each) => !found.has(each))
    for (const each of nearest) found.add(each)
  }
  return [...found]
}
