/** Tools whose work a test does itself. Their specs stay, and so do all checks before their calls. */
import type { JsonObject } from '@signalbox/core'
import type { Log, ToolHost } from '@signalbox/engine'
import { suggestion } from '@signalbox/server'
import { createToolHost, defineTool, type ToolContext } from '@signalbox/tools'
import { z } from 'zod'
import { TestBoxError } from './box-error.ts'

/** Does the work of a tool in a test. Its answer, or its error, stands for that of the tool. */
export type FakeTool = (args: JsonObject, context: ToolContext) => unknown

/** Fakes by the names of the tools as agents have them: `charge_card`, `mcp__bank__transfer`. */
export type FakeTools = Readonly<Record<string, FakeTool>>

/** A fake that ignores the abort of its call is given up after this. Milliseconds. */
const abortGraceMs = 500

/** The host with the work of some tools done by fakes: with its timeouts, its files and its limits. */
export function withFakes(real: ToolHost, fakes: FakeTools, log: Log): ToolHost {
  // A name of its own: those of MCP servers and of file tools are reserved.
  const aliases = new Map(
    Object.keys(fakes).map((name, n) => [name, `fake_${n}_${name}`.slice(0, 64)]),
  )
  const tools = Object.entries(fakes).map(([name, run]) =>
    defineTool({
      name: aliases.get(name) ?? name,
      description: `Stands for ${name}.`,
      input: z.looseObject({}),
      run: (args, context) => run(plain(args), context),
    }),
  )
  const host = createToolHost({ log, tools, snapshots: true, abortGraceMs })
  const versions = new Map(tools.map(({ spec }) => [spec.name, spec.version]))
  return {
    specs: () => real.specs(),
    knows: (name, version) => real.knows(name, version),
    close: () => real.close(),
    call: (request, signal) => {
      const alias = aliases.get(request.name)
      const version = alias === undefined ? undefined : versions.get(alias)
      if (alias === undefined || version === undefined) return real.call(request, signal)
      return host.call({ ...request, name: alias, version }, signal)
    },
  }
}

/** Refuses a fake of a tool that is not there: it would never be called, and the test would not say why. @throws TestBoxError */
export async function checkFakes(host: ToolHost, fakes: FakeTools): Promise<void> {
  const names = Object.keys(fakes)
  if (names.length === 0) return
  const known = (await host.specs()).map(({ name }) => name)
  const stranger = names.find((name) => !known.includes(name))
  if (stranger === undefined) return
  throw new TestBoxError(
    'unknown_tool',
    `fakes.${stranger}: there is no tool of this name.${suggestion(stranger, known)}`,
  )
}

/** Arguments come from a log, so they are JSON. */
const plain = (args: Readonly<Record<string, unknown>>): JsonObject =>
  JSON.parse(JSON.stringify(args))
