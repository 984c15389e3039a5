/** Safety lines of processes that differ: in the versions of the machine that they know, and in the policies that they have. */
import type { Mutation } from './mutations.ts'

const engine = (file: string): string => `packages/engine/src/${file}`

export const buildMutations: readonly Mutation[] = [
  {
    name: 'a run is decided by the version that a process knows (V3)',
    file: engine('record/view.ts'),
    line: "head.machine === 'run' ? machines.get(head.machineVersion) : undefined",
    becomes:
      "head.machine === 'run' ? machines.get(Math.min(head.machineVersion, machines.size)) : undefined",
  },
  {
    name: 'a run is decided by the newest version (V1)',
    file: engine('record/view.ts'),
    line: "head.machine === 'run' ? machines.get(head.machineVersion) : undefined",
    becomes: "head.machine === 'run' ? machines.get(machines.size) : undefined",
  },
  {
    name: 'an effect is performed whatever the version of its run (V3)',
    file: engine('record/view.ts'),
    line: 'if (!machines.has(machineVersion)) return',
    becomes: 'if (machineVersion < 0) return',
  },
  {
    name: 'a model is asked for a run that its process does not know (V3)',
    file: engine('effects/models.ts'),
    line: 'needsRun: true,',
    becomes: 'needsRun: false,',
  },
  {
    name: 'a run is started for one that its process does not know (V3)',
    file: engine('effects/run-starts.ts'),
    line: 'needsRun: true,',
    becomes: 'needsRun: false,',
  },
  {
    name: 'a worker calls tools of runs that it does not know (V3)',
    file: engine('effects/tools.ts'),
    line: 'needsRun: true,',
    becomes: 'needsRun: false,',
  },
  {
    name: 'a process that lacks policies asks them (P1)',
    file: engine('effects/policies.ts'),
    line: 'needsRun: true,',
    becomes: 'needsRun: false,',
  },
  {
    name: 'what an effect needs of policies is not looked at (P1)',
    file: engine('record/view.ts'),
    line: 'return await preparations.lackOf(definitionHash, await definitionOf(row))',
    becomes: 'return (await definitionOf(row)) ? null : null',
  },
  {
    name: 'a run is read with policies that were not loaded (P1)',
    file: engine('record/view.ts'),
    line: 'evaluators(lack === null, evaluatorOf)',
    becomes: 'evaluators(true, evaluatorOf)',
  },
  {
    name: 'a run is decided without its policies (P1)',
    file: engine('record/decision.ts'),
    line: 'if (missed && !isLeaving(decision.state)) return null',
    becomes: '',
  },
  {
    name: 'no run that lacks its policies is cancelled (D2)',
    file: engine('record/decision.ts'),
    line: 'if (missed && !isLeaving(decision.state)) return null',
    becomes: 'if (missed) return null',
  },
  {
    name: 'policies that could not be loaded once are never loaded (D2)',
    file: engine('record/preparations.ts'),
    line: 'const isDue = one.attempt === null && one.againAt <= clock.monotonic()',
    becomes: 'const isDue = one.attempt === null && one.failures === 0',
  },
  {
    name: 'a run that lacks its policies is faulted (D2)',
    file: engine('record/recorder.ts'),
    line: '      strangers.leave(\n        view,',
    becomes:
      "      if (view.seq > 0) throw new TerminalError('unprepared', 'its policies are not ready')\n      strangers.leave(\n        view,",
  },
]
