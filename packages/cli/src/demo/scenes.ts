import type { Scene } from './scene.ts'
import { cancelScene } from './scenes/cancel.ts'
import { crashScene } from './scenes/crash.ts'
import { cutScene } from './scenes/cut.ts'
import { reportScene } from './scenes/report.ts'

/** The scenes whose model is scripted, in the order they are played. */
export const scriptedScenes: readonly Scene[] = [reportScene, cutScene, cancelScene, crashScene]
