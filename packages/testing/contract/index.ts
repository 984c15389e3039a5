/** What every adapter of a port keeps, as suites that its tests play. They are not shipped: they need the test runner. */
export { dispatchContract, type HangingWorker } from './dispatch-contract.ts'
export {
  contractLimits,
  type GivenFiles,
  givenFiles,
  marked,
  type Outcome,
  play,
  type Played,
  processesWith,
  sandboxContract,
} from './sandbox-contract.ts'
export { sandboxProgramsContract, stubborn } from './sandbox-programs.ts'
export { wakeBusContract } from './wake-contract.ts'
