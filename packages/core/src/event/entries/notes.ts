/** The entries of notes. */
import { type Entry, contentPaths, nothing, timeOf, withWord, words } from '../entry.ts'
import type { PauseTarget } from '../ledger.ts'
import type { NotePayload, NoteType } from '../note.ts'

/** `agent clerk`. */
const targetOf = (target: PauseTarget): string => Object.entries(target).flat().join(' ')

/** Entries by type. */
export const noteEntries: { readonly [T in NoteType]: Entry<NotePayload<T>> } = {
  'effect.started': { says: ({ attempt }) => [`attempt ${attempt}`], searched: [] },
  'tool.late': {
    tone: 'notice',
    says: ({ attempt, error }, isVerbose) => [`attempt ${attempt}`, words(isVerbose, error)],
    searched: ['$.error', ...contentPaths('$.output.content')],
  },
  'webhook.delivered': {
    says: ({ attempt, status, durationMs }) => [
      `attempt ${attempt}`,
      `${status}`,
      `${durationMs} ms`,
    ],
    searched: [],
  },
  'webhook.failed': {
    says: ({ attempt, status, code, retryMs }) => [
      `attempt ${attempt}`,
      code,
      status === null ? '' : `${status}`,
      retryMs === null ? 'no more' : `again in ${retryMs} ms`,
    ],
    searched: [],
  },
  'webhook.replayed': { says: ({ effectId }) => [effectId], searched: [] },
  'payload.erased': {
    says: ({ seq, reason }) => [`event ${seq}`, reason],
    searched: ['$.reason'],
  },
  'run.hidden': { says: nothing, searched: [] },
  'thread.hidden': { says: nothing, searched: [] },
  'state.repaired': { says: ({ seq }) => [`at event ${seq}`], searched: [] },
  'key.created': { says: ({ key, name }) => [key, name], searched: [] },
  'key.revoked': { says: ({ key }) => [key], searched: [] },
  'definition.used': { says: ({ agent, hash }) => [agent, hash.slice(0, 12)], searched: [] },
  'assistant.changed': {
    says: ({ assistant, change, agent }) => [assistant, change, withWord('of', agent)],
    searched: [],
  },
  'export.made': {
    says: ({ format, events }) => [format, events === null ? '' : `${events} events`],
    searched: [],
  },
  'log.searched': { says: ({ path }) => [path], searched: [] },
  'user.pseudonymized': { says: ({ pseudonym }) => [pseudonym], searched: [] },
  'pause.set': {
    says: ({ target, until, reason }, isVerbose) => [
      targetOf(target),
      withWord('until', timeOf(until ?? null)),
      words(isVerbose, reason),
    ],
    searched: ['$.reason'],
  },
  'pause.lifted': {
    says: ({ target, reason }, isVerbose) => [targetOf(target), words(isVerbose, reason)],
    searched: ['$.reason'],
  },
}
