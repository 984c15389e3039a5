/** Safety lines of reruns, as in `mutations.ts`. */
import type { Mutation } from './mutations.ts'

const engine = (file: string): string => `packages/engine/src/${file}`
const core = (file: string): string => `packages/core/src/${file}`

export const rerunMutations: readonly Mutation[] = [
  {
    name: 'a rerun makes its calls (R1)',
    file: core('machine/plan.ts'),
    line: 'if (context.rerun)',
    becomes: 'if (context.rerun && spec.effect === "read")',
  },
  {
    name: 'a rerun asks humans (R1)',
    file: core('machine/step/calls.ts'),
    line: 'if (usable) return context.rerun ? unasked(judgement) : judgement',
    becomes: 'if (usable) return judgement',
  },
  {
    name: 'a rerun asks humans where a policy with I/O wants it (R1)',
    file: core('machine/step/policies.ts'),
    line: '(asks && granted === null && !context.rerun)',
    becomes: '(asks && granted === null)',
  },
  {
    name: 'a rerun forgets that it is one when its state is read back (R1)',
    file: core('state.ts'),
    line: '...(context.rerun ? { rerun: true } : {}),',
    becomes: '',
  },
  {
    name: 'the same recorded result answers every call (R2)',
    file: engine('perform/recall.ts'),
    line: 'const call = recorded[before]',
    becomes: 'const call = recorded[0]',
  },
  {
    name: 'a result is recalled by its tool alone (R2)',
    file: engine('perform/recordings.ts'),
    line: '`${tool}\\u0000${argsHash}`',
    becomes: '`${tool}\\u0000${argsHash.slice(99)}`',
  },
  {
    name: 'a rerun hears the run that it repeats (I24)',
    file: engine('rerun.ts'),
    line: 'heard.findLast((event) => event.runId !== runId)',
    becomes: 'heard.at(-1)',
  },
  {
    name: 'a recall whose process vanished is never made again (I12)',
    file: engine('effects/kinds.ts'),
    line: 'due: ({ effectId }: EffectRow) => take(effectId),',
    becomes:
      "due: ({ effectId, kind: of }: EffectRow) => of === 'tool.recall' ? Promise.resolve() : take(effectId),",
  },
]
