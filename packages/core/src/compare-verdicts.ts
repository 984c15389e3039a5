/**
 * Are the events of a decision's verdicts those that today's code would tell? Auditors ask for these events, so a replay
 * compares them as it compares the step itself: type, columns and payload.
 *
 * V1 Columns that the caller did not read are not compared.
 * V2 Words for people may be written better from build to build: an explanation, a text or a message is not compared.
 */
import { decisionSchemas, type DecisionType, type Verdict } from './event/decision.ts'
import { type FoldableEvent, upcast } from './event/upcast.ts'
import { same } from './same.ts'

/** A verdict as it is shown: what the event is about, and what it says. */
interface ToldVerdict {
  readonly type: string
  readonly tool?: string | null
  readonly verdict?: string | null
  readonly payload: object
}

/** A step, or a verdict beside it, that today's code makes otherwise. */
export interface Difference {
  readonly seq: number
  /** Of the event that is stored there, or would be. */
  readonly type: string
  /** The payload of a step; of a verdict its columns, too. Null: nothing is stored there. */
  readonly stored: object | null
  /** Null: today's code tells nothing there. */
  readonly computed: object | null
}

type VerdictType = Exclude<DecisionType, 'run.transitioned'>

/** Is this the event of a verdict? Only decisions write these. */
export const isVerdictType = (type: string): type is VerdictType =>
  type !== 'run.transitioned' && Object.hasOwn(decisionSchemas, type)

/** The first verdict that differs. `seq` is the place of the decision: its verdicts follow it, in order. */
export function verdictDifference(
  seq: number,
  stored: readonly FoldableEvent[],
  computed: readonly Verdict[],
): Difference | null {
  for (let n = 0; n < Math.max(stored.length, computed.length); n++) {
    const [event, verdict] = [stored[n], computed[n]]
    const was = event ? toldOf(event) : null
    const is = verdict ? wouldBe(verdict, event) : null
    if (same(withoutWords(was), withoutWords(is))) continue
    const type = event?.type ?? verdict?.type ?? ''
    return { seq: event?.seq ?? seq + n + 1, type, stored: was, computed: is }
  }
  return null
}

const columns = ({ tool, verdict }: Partial<FoldableEvent>) => ({
  ...(tool === undefined ? {} : { tool }),
  ...(verdict === undefined ? {} : { verdict }),
})

function wouldBe({ type, tool, verdict, payload }: Verdict, event?: FoldableEvent): ToldVerdict {
  const read = event ? columns(event) : { tool, verdict }
  const about = {
    ...('tool' in read ? { tool } : {}),
    ...('verdict' in read ? { verdict } : {}),
  }
  return { type, ...about, payload: newest(type, payload) }
}

/** Throws a `NewerError` for a version that this code does not know. */
function toldOf(event: FoldableEvent): ToldVerdict {
  const { type, version, payload } = event
  const lifted = upcast(type, version, payload)
  return { type, ...columns(event), payload: isVerdictType(type) ? newest(type, lifted) : lifted }
}

/** By the schema of the type, so that what has a default is there on both sides; what does not fit, as it is. */
function newest(type: VerdictType, payload: object): object {
  const { data } = decisionSchemas[type].safeParse(payload)
  return data ?? payload
}

const words = new Set(['explanation', 'text', 'message'])

function withoutWords(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutWords)
  const said = Object.entries(value).filter(([key, each]) => each !== undefined && !words.has(key))
  return Object.fromEntries(said.map(([key, each]) => [key, withoutWords(each)]))
}
