/** The commands of Agent Protocol v2, whichever way they come. */
import { insistOn } from '../../../http/authorize.ts'
import type { Scope } from '../../../keys/scope.ts'
import { ProtocolProblem } from '../protocol-error.ts'
import type { ThreadBells } from '../thread-bells.ts'
import type { CommandRequest, ProtocolCommand, Handler } from './command.ts'
import { inject } from './inject.ts'
import { fork, respond, startRunCommand } from './run-commands.ts'
import { getState, getTree, listCheckpoints } from './state-commands.ts'

/** Each with the scope that it asks for; who answers is asked for `approve` where the answer is recorded. */
const handlers = new Map<string, readonly [Scope | null, Handler]>([
  ['run.start', ['enqueue', startRunCommand]],
  ['input.respond', [null, respond]],
  ['input.inject', ['enqueue', inject]],
  ['state.get', ['read', getState]],
  ['state.listCheckpoints', ['read', listCheckpoints]],
  ['state.fork', ['enqueue', fork]],
  ['agent.getTree', ['read', getTree]],
])

export interface Obeying extends Omit<CommandRequest, 'params'> {
  readonly bells: ThreadBells
}

/** Answers the `result` of a command. @throws Problem where it is refused */
export async function obey(
  { method, params }: ProtocolCommand,
  { bells, ...asked }: Obeying,
): ReturnType<Handler> {
  const { caller, threadId } = asked
  const [scope, handle] = handlers.get(method) ?? []
  if (!handle) throw unknownCommand(method)
  if (scope) insistOn({ all: [scope], any: [] }, caller)
  const result = await handle({ ...asked, params })
  bells.ring(`${caller.tenantId} ${threadId}`)
  return result
}

function unknownCommand(method: string): ProtocolProblem {
  const known = [...handlers.keys()].join(', ')
  const hint = method.startsWith('subscription.')
    ? 'Over HTTP a connection to /stream/events is the subscription; a WebSocket takes subscription.subscribe and subscription.unsubscribe.'
    : `Commands: ${known}.`
  const detail = `There is no command "${method}". ${hint}`
  return new ProtocolProblem('unknown_command', detail, 'method')
}
