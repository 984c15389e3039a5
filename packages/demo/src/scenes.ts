import type { Scene } from './scene.ts'
import { approvalScene } from './scenes/approval.ts'
import { cancelScene } from './scenes/cancel.ts'
import { crashScene } from './scenes/crash.ts'
import { cutScene } from './scenes/cut.ts'
import { deniedScene } from './scenes/denied.ts'
import { filesScene } from './scenes/files.ts'
import { longScene } from './scenes/long.ts'
import { loopScene } from './scenes/loop.ts'
import { planScene } from './scenes/plan.ts'
import { questionScene } from './scenes/question.ts'
import { redactionScene } from './scenes/redaction.ts'
import { reportScene } from './scenes/report.ts'
import { titlesScene } from './scenes/titles.ts'
import { treeScene } from './scenes/tree.ts'

/** The scenes whose model is scripted, in the order they are played. */
export const scriptedScenes: readonly Scene[] = [
  reportScene,
  cutScene,
  deniedScene,
  approvalScene,
  redactionScene,
  loopScene,
  longScene,
  filesScene,
  questionScene,
  planScene,
  titlesScene,
  cancelScene,
  treeScene,
  crashScene,
]
