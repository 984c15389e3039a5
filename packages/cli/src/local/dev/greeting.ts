/** The lines with which `dev` says that it serves: where, what, and what to type next. */
import { relative } from 'node:path'
import type { AgentDefinition } from '@signalbox/core'
import type { Terminal } from '../../output/terminal.ts'
import { printable } from '@signalbox/core/text'
import type { Shell } from '../../shell.ts'
import type { Serving } from './editions.ts'

const namesMax = 8
/** Where commands look without being told. */
const usual = 'http://127.0.0.1:7420'

/** Says it. */
export function greet(
  terminal: Terminal,
  about: { readonly shell: Shell; readonly started: Serving; readonly tookMs: number },
): void {
  const { started, shell, tookMs } = about
  const { signalbox } = started
  const url = signalbox.url ?? ''
  const agents = [...signalbox.agents.keys()]
  terminal.document({ level: 'info', time: new Date().toISOString(), msg: 'serving', url, agents })
  const [first = ''] = agents
  const where = url === usual ? '' : ` --url ${url}`
  terminal.line(`\n  Signalbox serves at ${terminal.paint('bold', url)} after ${seconds(tookMs)}\n`)
  for (const line of agentLines(signalbox.agents)) terminal.line(`  ${line}`)
  terminal.line(`\n  Type    npx signalbox run "Hello." --agent ${first}${where}`)
  terminal.line(`          npx signalbox events --follow${where}`)
  terminal.line(`  Open    ${url}/  and the reference of the API: ${url}/docs`)
  for (const line of watchLines(shell, started)) terminal.line(`  ${line}`)
  terminal.line('')
}

/** What each agent is, one line each. */
function agentLines(agents: ReadonlyMap<string, AgentDefinition>): readonly string[] {
  const shown = [...agents.values()].slice(0, namesMax).map((agent, n) => {
    const tools = listed(agent.tools.map(({ name }) => name))
    const { provider, model } = agent.model
    const start = n === 0 ? 'Agents  ' : '        '
    return printable(`${start}${agent.name} (${provider}, ${model}): ${tools || 'no tools'}`)
  })
  const more = agents.size - shown.length
  return more > 0 ? [...shown, `        and ${more} more`] : shown
}

function watchLines(shell: Shell, { edition }: Serving): readonly string[] {
  const files = [...edition.files.keys()].map((file) => relative(shell.cwd, file))
  const pinned = [...edition.pinned].map((file) => relative(shell.cwd, file))
  const watched = `Edit    ${listed(files.filter((file) => !pinned.includes(file)))}: taken without a restart`
  if (pinned.length === 0) return [watched]
  const why = 'stays as it was loaded: it is in the workspace, where runs may write'
  return [watched, `        ${listed(pinned)} ${why}`]
}

const listed = (names: readonly string[]): string =>
  names.length <= namesMax
    ? names.join(', ')
    : `${names.slice(0, namesMax).join(', ')} and ${names.length - namesMax} more`

/** A time for people. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
