import { scaledLimit } from '../../scripts/ci/machine-speed.ts'

const speed = Number(process.env['SIGNALBOX_MACHINE_SPEED'] ?? 1)

/** A time limit, given for the reference machine, on this one: `.ci/run` has measured it. */
export const forThisMachine = (ms: number): number => scaledLimit(ms, speed)
