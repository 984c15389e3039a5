/** What a process of these tests is set up for, where it is not the failpoints. */
import type { EngineSettings } from '@signalbox/engine'
import type { Config, Role } from '@signalbox/server'
import type { Scene } from '../child-messages.ts'
import { configurationOf } from '../configuration.ts'
import { storyConfiguration } from './stories.ts'

export interface Setting {
  readonly config: Config
  /** Over those of production. */
  readonly engine: Partial<EngineSettings>
}

export function sceneOf(scene: Scene, world: string, role: Role): Setting {
  switch (scene) {
    case 'production':
      return { config: configurationOf(world, role), engine: {} }
    case 'transcripts':
      // Leases that a process may outsleep.
      return { config: storyConfiguration(), engine: { leaseMs: 3_000, renewMs: 500 } }
  }
}
